"""The product that a page offers, from its structured data and its meta elements."""

from __future__ import annotations

import re
from decimal import Decimal
from itertools import islice
from typing import Final

from scrapy_web2text.extraction import Product
from scrapy_web2text.metadata.structured_data import Item, find_items, first_text, item_types

_OFFERS: Final = ("offers", "priceSpecification", "hasVariant")
_MOST_VALUES: Final = 50
_PRICE: Final = re.compile(
    r"(?<![\d-])(?<!\d[.,])(?<!-[.,])[0-9](?:[0-9.'\u2019]|,(?!\s)|\s(?=[0-9]{3}(?!\d))){0,30}(?!\d)"
)
_MARKS: Final = dict.fromkeys(map(ord, "'\u2019"))
_THOUSANDS: Final = re.compile(r"[0-9]{1,3}(?:,[0-9]{2,3})*,[0-9]{3}")


def find_product(items: list[Item], metas: dict[str, list[str]], title: str) -> Product | None:
    """Return the product of *items* that *title* names, else their only product with a price, else that of *metas*."""
    products = [item for item in items if not {"Product", "ProductGroup"}.isdisjoint(item_types(item))]
    named = [item for item in products if (name := first_text(item.get("name"))) and name in title]
    named.sort(key=lambda item: len(str(item["name"])), reverse=True)
    product = next(iter(named or (products if len(products) == 1 else [])), {})
    values = islice(find_items(product, into=_OFFERS), _MOST_VALUES)
    parts = [value for value in values if "SalePrice" in (first_text(value.get("priceType")) or "SalePrice")]

    def find(*keys: str, meta: str) -> str | None:
        stated = (first_text(part.get(key)) for part in parts for key in keys)
        meant = (text for prefix in ("product:", "og:") for text in metas.get(prefix + meta, []))
        return next(filter(None, stated), None) or (None if len(products) > 1 else next(meant, None))

    stated = [(_read_price(first_text(part.get(key))), part) for part in parts for key in ("price", "lowPrice")]
    price, offer = min(((p, part) for p, part in stated if p), key=lambda pair: Decimal(pair[0]), default=(None, {}))
    price, parts = price or _read_price(find(meta="price:amount")), [offer, *parts]  # the offer with the lowest price
    if price is None and not named:
        return None
    return Product(
        name=first_text(product.get("name")) or title or None,
        price=price,
        currency=find("priceCurrency", meta="price:currency"),
        brand=find("brand", meta="brand"),
        sku=find("sku", meta="retailer_item_id"),
        availability=(find("availability", meta="availability") or "").rstrip("/").rpartition("/")[2] or None,
    )


def _read_price(text: str | None) -> str | None:
    """Return the first price in *text*, without separators of thousands; None if there is no price."""
    match = _PRICE.search(text or "")
    number = "" if match is None else "".join(match[0].split()).translate(_MARKS).rstrip(".,")
    if number.rfind(",") > number.rfind("."):
        number = number.replace(".", "")
        number = number.replace(",", "" if _THOUSANDS.fullmatch(number) else ".")
    number = number.replace(",", "")
    return (number if number.count(".") < 2 else number.replace(".", "")) or None
