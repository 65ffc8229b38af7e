"""The product that a page offers, from its structured data and its meta elements."""

from __future__ import annotations

import re
from decimal import Decimal
from itertools import islice
from typing import Final

from lxml import etree

from scrapy_web2text.common.budget import watched
from scrapy_web2text.extraction import Product
from scrapy_web2text.metadata.structured_data import (
    DataItem,
    find_items,
    first_text,
    item_names,
    item_types,
    plain_urls,
    strip_markup,
)
from scrapy_web2text.page.invisible import replace_references
from scrapy_web2text.page.urls import web_url

_PRODUCTS: Final = frozenset({"IndividualProduct", "Product", "ProductGroup", "ProductModel"})
_OFFERS: Final = ("offers", "priceSpecification", "hasVariant")
_MOST_VALUES: Final = 50
_MOST_TEXTS: Final = 20_000  # texts of a page in which a price is looked for
_LONGEST: Final = 200  # characters of such a text
_PRICE: Final = re.compile(
    r"(?<![\d-])(?<!\d[.,])(?<!-[.,])[0-9](?:[0-9.'\u2019]|,(?!\s)|\s(?=[0-9]{3}(?!\d))){0,30}(?!\d)"
)
_MARKS: Final = dict.fromkeys(map(ord, "'\u2019"))
_THOUSANDS: Final = re.compile(r"[0-9]{1,3}(?:,[0-9]{2,3})*,[0-9]{3}")
_GTINS: Final = ("gtin", "gtin13", "gtin14", "gtin12", "gtin8", "ean", "isbn")
_AVAILABILITIES: Final = {
    name.lower(): name
    for name in """BackOrder Discontinued InStock InStoreOnly LimitedAvailability MadeToOrder OnlineOnly OutOfStock
    PreOrder PreSale Reserved SoldOut""".split()
} | {"available": "InStock", "unavailable": "OutOfStock", "notinstock": "OutOfStock", "oos": "OutOfStock"}


def find_product(
    root: etree._Element, items: list[DataItem], metas: dict[str, list[str]], title: str, base: str | None
) -> Product | None:
    """Return the product of *items* that *title* names, else the only product, else the product of *metas*.

    None if *title* names no product and no price is known.
    """
    products = [item for item in items if not _PRODUCTS.isdisjoint(item_types(item))]
    named = [item for item in products if (name := first_text(item.get("name"))) and name in title]
    named.sort(key=lambda item: len(str(item["name"])), reverse=True)
    product = next(iter(named or (products if len(products) == 1 else [])), {})
    values = islice(find_items(product, into=_OFFERS), _MOST_VALUES)
    parts = [value for value in values if "SalePrice" in (first_text(value.get("priceType")) or "SalePrice")]

    def find(*keys: str, metas_called: tuple[str, ...]) -> str | None:
        stated = (first_text(part.get(key)) for part in parts for key in keys)
        meant = (text for name in metas_called for text in metas.get(name, []))
        return next(filter(None, stated), None) or (None if len(products) > 1 else next(meant, None))

    stated = [(_read_price(first_text(part.get(key))), part) for part in parts for key in ("price", "lowPrice")]
    price, offer = _choose_offer(root, [(price, part) for price, part in stated if price])
    price, parts = (
        price or _read_price(find(metas_called=_prefixed("sale_price:amount", "price:amount"))),
        [offer, *parts],
    )
    if price is None and not named:
        return None
    images = (web_url(base, url) for url in [*plain_urls(product.get("image")), *metas.get("og:image", [])])
    rating = next(find_items(product.get("aggregateRating")), {})
    brands = [*item_names(product.get("brand"), items), *item_names(product.get("manufacturer"), items)]
    return Product(
        name=first_text(product.get("name")) or title or None,
        price=price,
        currency=(find("priceCurrency", metas_called=_prefixed("price:currency")) or "").upper() or None,
        brand=replace_references(next(iter(brands), None) or find(metas_called=_prefixed("brand")) or "") or None,
        sku=find("sku", metas_called=_prefixed("retailer_item_id")),
        availability=_name_availability(find("availability", metas_called=_prefixed("availability")) or ""),
        description=strip_markup(find("description", metas_called=("description", "og:description")) or "") or None,
        image=next(filter(None, images), None),
        rating=_read_price(first_text(rating.get("ratingValue"))),
        gtin=find(*_GTINS, metas_called=_prefixed("ean", "gtin", "isbn")),
    )


def _prefixed(*names: str) -> tuple[str, ...]:
    """Return the names of meta elements with the prefixes of Open Graph."""
    return tuple(prefix + name for name in names for prefix in ("product:", "og:"))


def _choose_offer(root: etree._Element, offers: list[tuple[str, DataItem]]) -> tuple[str | None, DataItem]:
    """Return the price and the offer that the page shows first; if it shows none, the lowest price and its offer."""
    prices = {Decimal(price) for price, _ in offers}
    shown = len(prices) > 1 and _find_shown(root, prices)
    matching = [pair for pair in offers if Decimal(pair[0]) == shown] if shown else offers
    return min(matching, key=lambda pair: Decimal(pair[0]), default=(None, {}))


def _find_shown(root: etree._Element, prices: set[Decimal]) -> Decimal | None:
    """Return the first of *prices* that a short text of the page consists of."""
    texts = (
        text for each in root.iter(etree.Element) if each.tag != "script" for text in (each.text, each.tail) if text
    )
    for text in watched(islice(texts, _MOST_TEXTS)):
        price = _read_price(text) if len(text) <= _LONGEST else None
        if price and Decimal(price) in prices:
            return Decimal(price)
    return None


def _name_availability(text: str) -> str | None:
    """Return the schema.org name of the availability in *text* (a URL, a name or words); None for anything else."""
    return _AVAILABILITIES.get("".join(filter(str.isalpha, text.rstrip("/").rpartition("/")[2])).lower())


def _read_price(text: str | None) -> str | None:
    """Return the first price in *text*, without separators of thousands; None if there is no price."""
    match = _PRICE.search(text or "")
    number = "" if match is None else "".join(match[0].split()).translate(_MARKS).rstrip(".,")
    if number.rfind(",") > number.rfind("."):
        number = number.replace(".", "")
        number = number.replace(",", "" if _THOUSANDS.fullmatch(number) else ".")
    number = number.replace(",", "")
    return (number if number.count(".") < 2 else number.replace(".", "")) or None
