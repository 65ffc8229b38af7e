"""Blocks whose text the data of the page state to be content."""

from __future__ import annotations

import json

import pytest

from scrapy_web2text import extract
from scrapy_web2text.labelers.modern.stated import find_stated
from scrapy_web2text.page.arrays import tree_to_page
from scrapy_web2text.page.blocks import MODERN_BLOCKS, segment
from scrapy_web2text.page.parse import to_tree

STEP = "Whisk the eggs with the sugar until they are pale."
RECIPE = {"@type": "Recipe", "recipeIngredient": ["2 eggs", "1 cup sugar", "salt &amp; pepper"]}
STEPS = {"recipeInstructions": [{"@type": "HowToSection", "name": "The base", "itemListElement": [{"text": STEP}]}]}
QUESTION = {"@type": "Question", "name": "How long?", "acceptedAnswer": {"text": "<p>Bake it for an <b>hour</b>.</p>"}}


def stated(data, html):
    script = f"<script type=application/ld+json>{json.dumps(data)}</script>"
    page = tree_to_page(to_tree(f"<body>{script}{html}</body>"))
    return find_stated(page, segment(page, MODERN_BLOCKS)).astype(int).tolist()


@pytest.mark.parametrize(
    ("data", "html", "expected"),
    [
        (RECIPE, "<p>Our eggs<ul><li>2 <b>Eggs</b><li>1 cup sugar.<li>Salt & pepper<li>3 eggs</ul>", [0, 1, 1, 1, 0]),
        (RECIPE, "<div>1</div><div>cup</div><div>sugar</div><p>sugar", [1, 1, 1, 0]),
        (STEPS, f"<h3>The base</h3><p>{STEP}<p>Whisk the eggs with the sugar<p>until they<p>pale", [1, 1, 1, 0, 0]),
        ({"@graph": [{"mainEntity": [QUESTION]}]}, "<b>How long?</b><p>Bake it for an hour.<p>an hour", [1, 1, 0]),
        ({"recipeInstructions": STEP}, f"<p>{STEP}<p>Other", [1, 0]),
        ({"name": "2 eggs", "text": STEP}, f"<p>2 eggs<p>{STEP}", [0, 0]),
        ({"recipeIngredient": [None, 3, {"a": []}, "", "¶"]}, "<p>3<p>¶", [0, 0]),
    ],
    ids=["ingredients", "parts", "steps", "questions", "one text", "other data", "odd values"],
)
def test_the_texts_of_recipes_and_answers_are_stated(data, html, expected):
    assert stated(data, html) == expected


@pytest.mark.parametrize("kind", ["application/ld+json; charset=utf-8", "application/LD+JSON"])
def test_the_data_are_read_as_metadata_are(kind):
    script = f"<script type='{kind}'>{json.dumps(RECIPE)}</script>"
    page = tree_to_page(to_tree(f"<body>{script}<p>2 eggs<p>Other"))
    assert find_stated(page, segment(page, MODERN_BLOCKS)).tolist() == [True, False]


def test_a_page_without_such_data_has_none():
    page = tree_to_page(to_tree("<p>2 eggs<script type=application/ld+json>{not json, recipeIngredient</script>"))
    assert not find_stated(page, segment(page, MODERN_BLOCKS)).any()


def test_an_ingredient_that_looks_like_a_menu_is_content():
    items = ["Oil", "Salt", "Flour", "Two eggs"]
    menu = "".join(f"<li><a href=/{i}>{item}</a>" for i, item in enumerate(items))
    prose = f"<p>{STEP} And so on, until the whole of the dough is smooth and rises for an hour in the warm.</p>" * 3
    script = f"<script type=application/ld+json>{json.dumps({'recipeIngredient': items})}</script>"
    text = extract(f"<title>Buns</title>{script}<h1>Buns</h1><ul>{menu}</ul>{prose}").text
    assert all(f"- {item}\n" in text for item in items)
    hidden = extract(f"<title>Buns</title>{script}<h1>Buns</h1>{prose}<ul hidden>{menu}</ul>").text
    assert "Flour" not in hidden


def test_nested_answers_take_linear_time():
    data = "{}"
    for _ in range(400):
        data = f'{{"acceptedAnswer": {data}, "name": "a"}}'
    assert stated(json.loads(data), "<p>a<p>b") == [1, 0]
