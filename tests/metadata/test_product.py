from __future__ import annotations

import json

import pytest
from msgspec import convert

from scrapy_web2text.extraction import Metadata, Product
from scrapy_web2text.metadata.read import read_metadata
from scrapy_web2text.page.arrays import tree_to_page
from scrapy_web2text.page.parse import to_tree

OFFER = {"price": "79.50", "priceCurrency": "EUR", "availability": "https://schema.org/InStock"}
LAMP = {"@type": "Product", "name": "Lamp", "sku": 17, "brand": {"name": "Falk"}, "offers": OFFER}
FOUND = Product("Lamp", "79.50", "EUR", "Falk", "17", "InStock")


def read(*data: object, head: str = "", title: str = "Lamp", body: str = "") -> Product | None:
    scripts = "".join(f'<script type="application/ld+json">{json.dumps(value)}</script>' for value in data)
    page = f"<html><head><title>{title}</title>{head}{scripts}</head><body><p>x</p>{body}</body></html>"
    return read_metadata(tree_to_page(to_tree(page))).product


@pytest.mark.parametrize(
    "data",
    [
        LAMP,
        {"@graph": [{"@type": "WebPage", "mainEntity": LAMP}]},
        LAMP | {"brand": "Falk", "offers": [OFFER, {"price": 99}]},
        LAMP | {"offers": {"lowPrice": 79.5, "highPrice": 99} | OFFER},
        LAMP | {"offers": OFFER | {"price": None, "priceSpecification": [{"price": "79.50"}]}},
        LAMP | {"offers": OFFER | {"priceSpecification": {"price": "99", "priceType": "https://schema.org/ListPrice"}}},
        {"@type": "ProductGroup", "name": "Lamp", "brand": "Falk", "hasVariant": [{"sku": "17", "offers": OFFER}]},
    ],
    ids=["offer", "nested", "offers", "lowest", "specification", "list-price", "variants"],
)
def test_json_ld_names_the_product(data):
    assert read(data) == FOUND


def test_microdata_name_the_product():
    item = "itemscope itemtype='https://schema.org/{}'".format
    body = (
        f"<div {item('Product')}><b itemprop=name>Lamp</b><b itemprop=brand>Falk</b><b itemprop=sku>17</b>"
        f"<p itemprop=offers {item('Offer')}><b itemprop=price content=79.50>€</b><b itemprop=priceCurrency>EUR</b>"
        "<link itemprop=availability href=https://schema.org/InStock></p></div>"
    )
    assert read(body=body) == FOUND


def test_meta_elements_name_the_price_of_a_product():
    head = "<meta property=product:price:amount content='1,299.00'><meta property=product:price:currency content=USD>"
    assert read(head=head) == Product("Lamp", "1299.00", "USD")
    assert read(head="<meta property=product:brand content=Falk>") is None


@pytest.mark.parametrize(
    ("stated", "price"),
    [
        (*(1299, "1299"),),
        ("1.299,50 €", "1299.50"),
        ("$1,299", "1299"),
        ("59,99€", "59.99"),
        ("1 299,00", "1299.00"),
        (0.5, "0.5"),
        ("1'299.00", "1299.00"),
        ("1,29,999.00", "129999.00"),
        ("1.234.567,89", "1234567.89"),
        (1e22, "10000000000000000000000"),
        (0.00001, "0.00001"),
        ("1,2.3.4", "1234"),
        ("Rs.500", "500"),
        ("10.00, 20.00", "10.00"),
        ("10 20", "10"),
        (10**400, None),
        (-5, None),
        (True, None),
        (float("inf"), None),
        ("on request", None),
        ([], None),
        ({"x": 1}, None),
    ],
)
def test_a_price_is_a_decimal_number(stated, price):
    found = read(LAMP | {"offers": {"price": stated}})
    assert found is not None
    assert found.price == price


def test_the_price_of_several_offers_is_the_lowest():
    assert read(LAMP | {"offers": [OFFER | {"price": 100}, OFFER]}) == FOUND


def test_currency_and_availability_are_those_of_the_lowest_price():
    dear = {"price": 100, "priceCurrency": "USD", "availability": "https://schema.org/OutOfStock"}
    assert read(LAMP | {"offers": [dear, OFFER]}) == FOUND


def test_values_that_are_no_texts_are_left_out():
    odd = {
        "sku": float("nan"),
        "brand": True,
        "offers": OFFER | {"availability": {"@id": "https://schema.org/InStock/"}},
    }
    assert read(LAMP | odd) == Product("Lamp", "79.50", "EUR", None, None, "InStock")


def test_a_product_without_a_name_is_not_named_by_a_question():
    assert read({"@type": "Product", "sku": "x"}, title="Why is my lamp smoking?") is None


def test_the_longest_name_in_the_title_is_that_of_the_product():
    assert read(LAMP | {"name": "A"}, LAMP, title="A Lamp") == FOUND


def test_of_several_products_the_title_names_the_one_of_the_page():
    other = LAMP | {"name": "Jar", "offers": {"price": 1}}
    assert read(other, LAMP, title="Lamp | Shop") == FOUND
    assert read(other, LAMP, title="All goods") is None


@pytest.mark.parametrize(
    "data", [{"@type": "Article", "name": "Lamp"}, LAMP | {"name": "Shop", "offers": []}, [7, None]]
)
def test_other_pages_have_no_product(data):
    assert read(data) is None


def test_a_product_has_its_description_image_rating_and_gtin():
    more = {
        "description": "A lamp.",
        "image": [{"url": "/lamp.jpg"}],
        "aggregateRating": {"ratingValue": 4.5, "reviewCount": 3},
        "gtin13": "4006381333931",
    }
    head = "<base href='https://shop.example/'><meta name=description content='Lamps of all kinds'>"
    found = read(LAMP | more, head=head)
    assert found is not None
    wanted = ("A lamp.", "https://shop.example/lamp.jpg", "4.5", "4006381333931")
    assert (found.description, found.image, found.rating, found.gtin) == wanted
    without = read(LAMP, head=head + "<meta property=og:image content=/og.jpg>")
    assert without is not None
    wanted = ("Lamps of all kinds", "https://shop.example/og.jpg", None, None)
    assert (without.description, without.image, without.rating, without.gtin) == wanted


@pytest.mark.parametrize("brand", ["Marks &amp; Co", "Marks &amp;amp; Co", {"name": "Marks &#38; Co"}])
def test_references_in_a_brand_are_decoded(brand):
    found = read(LAMP | {"brand": brand})
    assert found is not None
    assert found.brand == "Marks & Co"


@pytest.mark.parametrize(
    ("stated", "availability"),
    [
        ("InStock", "InStock"),
        ("http://schema.org/OutOfStock", "OutOfStock"),
        ("in stock", "InStock"),
        ("in_stock", "InStock"),
        ("Out of stock", "OutOfStock"),
        ("oos", "OutOfStock"),
        ("pre-order", "PreOrder"),
        ("https://schema.org/LimitedAvailability/", "LimitedAvailability"),
        ("sold out", "SoldOut"),
        ("perhaps", None),
    ],
)
def test_an_availability_has_a_name_of_schema_org(stated, availability):
    found = read(LAMP | {"offers": OFFER | {"availability": stated}})
    assert found is not None
    assert found.availability == availability


@pytest.mark.parametrize(
    ("body", "price"),
    [
        ("<p>Was 120.00</p><b>99,00 €</b>", "99"),
        ("<b>$79.50</b><aside>99</aside>", "79.50"),
        ("<b>$5</b>", "79.50"),
        (f"<b>{'99 ' * 100}</b>", "79.50"),
        ("<script>99</script>", "79.50"),
    ],
    ids=["shown", "first", "none", "long", "script"],
)
def test_of_several_offers_the_page_shows_the_price(body, price):
    found = read(LAMP | {"offers": [OFFER | {"price": 99}, OFFER]}, body=body)
    assert found is not None
    assert found.price == price


def test_a_product_becomes_plain_data_and_comes_back():
    found = Metadata("a", product=FOUND)
    data = json.loads(json.dumps(found.to_dict()))
    assert data["product"]["price"] == "79.50"
    assert convert(data, Metadata) == found


@pytest.mark.parametrize(
    ("data", "field", "value"),
    [
        ({"brand": {"@id": "#falk"}}, "brand", "Falk"),
        ({"brand": None, "manufacturer": {"name": "Falk"}}, "brand", "Falk"),
        ({"aggregateRating": [{"ratingValue": "4,5"}]}, "rating", "4.5"),
        ({"image": {"contentUrl": "https://x.example/l.png"}}, "image", "https://x.example/l.png"),
        ({"description": "<p>A <b>bright</b> lamp.</p>"}, "description", "A bright lamp."),
        ({"offers": OFFER | {"priceCurrency": "eur"}}, "currency", "EUR"),
        ({"@type": "IndividualProduct"}, "price", "79.50"),
        ({"@type": "schema:Product"}, "price", "79.50"),
    ],
)
def test_values_of_a_product_are_read_in_their_other_forms(data, field, value):
    found = read({"@graph": [LAMP | data, {"@type": "Brand", "@id": "#falk", "name": "Falk"}]})
    assert getattr(found, field) == value


def test_the_sale_price_in_meta_elements_is_the_price():
    head = "<meta property=product:price:amount content=20><meta property=product:sale_price:amount content=15>"
    assert read(head=head) == Product("Lamp", "15")
