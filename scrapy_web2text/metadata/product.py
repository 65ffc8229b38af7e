"""The product that a page offers, from its structured data and its meta elements."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from scrapy_web2text.metadata.structured_data import Item, item_properties, item_types, plain_texts, walk_json

_OFFERS: Final = ("properties", "offers", "priceSpecification", "hasVariant")
_MOST_VALUES: Final = 50
_PRICE: Final = re.compile(r"\d{1,12}(?:[.,]\d{1,4})?")
_THOUSANDS: Final = re.compile(r"(?<=\d)(?:[,\s](?=\d{3}(?!\d))|\.(?=\d{3},))")


@dataclass(frozen=True, slots=True)
class Product:
    """What a page offers. The price is a decimal number, the availability a name in schema.org such as ``InStock``."""

    name: str | None = None
    price: str | None = None
    currency: str | None = None
    brand: str | None = None
    sku: str | None = None
    availability: str | None = None


def find_product(items: list[Item], metas: dict[str, list[str]], title: str) -> Product | None:
    """Return the product in *items* that *title* names, or the only one with a price; else the one in *metas*."""
    products = [item for item in items if not {"Product", "ProductGroup"}.isdisjoint(item_types(item))]
    named = [item for item in products if (_text(item.get("name")) or "?") in title]
    product = next(iter(named or (products if len(products) == 1 else [])), {})
    values = (value for _, value in islice(walk_json(product, into=_OFFERS), _MOST_VALUES) if isinstance(value, dict))
    parts = [value for value in values if "SalePrice" in str(value.get("priceType", "SalePrice"))]

    def find(*keys: str, meta: str) -> str | None:
        stated = (_text(part.get(key)) for part in parts for key in keys)
        meant = (text for prefix in ("product:", "og:") for text in metas.get(prefix + meta, []))
        return next(filter(None, stated), None) or (None if len(products) > 1 else next(meant, None))

    price = _PRICE.search(_THOUSANDS.sub("", find("price", "lowPrice", meta="price:amount") or ""))
    if price is None and not named:
        return None
    return Product(
        name=_text(product.get("name")) or title or None,
        price=None if price is None else price[0].replace(",", "."),
        currency=find("priceCurrency", meta="price:currency"),
        brand=find("brand", meta="brand"),
        sku=find("sku", meta="retailer_item_id"),
        availability=(find("availability", meta="availability") or "").rpartition("/")[2] or None,
    )


def _text(value: Any) -> str | None:
    """Return the first text, number or name in *value*."""
    one = value[0] if isinstance(value, list) and value else value
    one = item_properties(one).get("name") if isinstance(one, dict) else one
    return str(one) if isinstance(one, int | float) else next(iter(plain_texts(one)), None)
