from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_web2text.metadata import structured_data
from scrapy_web2text.metadata.structured_data import (
    JSON_LD,
    STATE,
    item_names,
    plain_texts,
    read_json_scripts,
    read_microdata,
    walk_json,
)
from scrapy_web2text.page.parse import to_tree

PAGE = f"""<html><head><script type="{JSON_LD}">{{"a": 1}}</script><script>no()</script>
<script type="{STATE}">[2]</script></head><body><div><script type="{JSON_LD}">3</script></div>
<script type="{JSON_LD}">{{broken</script></body></html><script type="{JSON_LD}">"after it"</script>"""

values = st.recursive(
    st.none() | st.integers() | st.text(max_size=3),
    lambda parts: st.lists(parts, max_size=3) | st.dictionaries(st.sampled_from("abc"), parts, max_size=3),
)


def walk_recursively(value: object, key: str = "") -> list[tuple[str, object]]:
    found = [(key, value)]
    if isinstance(value, dict):
        for name, part in value.items():
            found += walk_recursively(part, name)
    elif isinstance(value, list):
        for part in value:
            found += walk_recursively(part, key)
    return found


@pytest.mark.parametrize(("kind", "expected"), [(JSON_LD, [{"a": 1}, 3, "after it"]), (STATE, [[2]])])
def test_valid_scripts_of_a_kind_are_read_in_document_order(kind, expected):
    assert [*read_json_scripts(to_tree(PAGE), kind)] == expected


@pytest.mark.parametrize("kind", ["application/LD+JSON", "application/ld+json; charset=utf-8", JSON_LD])
def test_the_type_of_a_script_may_have_capitals_and_parameters(kind):
    assert [*read_json_scripts(to_tree(f"<script type='{kind}'>1</script><script type=text/x>2</script>"))] == [1]


def test_scripts_outside_of_the_root_are_read():
    assert [*read_json_scripts(to_tree(PAGE).find(".//div"))] == [{"a": 1}, 3, "after it"]


@pytest.mark.parametrize(("longest", "expected"), [(7, [3]), (8, [{"a": 1}, 3])])
def test_long_scripts_are_skipped(monkeypatch, longest, expected):
    monkeypatch.setattr(structured_data, "_LONGEST_SCRIPT", longest)
    assert [*read_json_scripts(to_tree(PAGE))] == expected


@pytest.mark.parametrize(
    "script",
    [
        '//<![CDATA[\n{"a": "//"}\n//]]>',
        '/* {} */ {"a": "//",}',
        '<!-- {"a": "//" // b\n} -->',
        '{"a": "//", } /* {',
        '{"a": "//"};\n',
    ],
)
def test_comments_and_what_ends_a_value_in_javascript_are_ignored(script):
    assert [*read_json_scripts(to_tree(f"<script type={JSON_LD}>{script}</script>"))] == [{"a": "//"}]


def test_long_broken_scripts_are_not_mended(monkeypatch):
    page = to_tree(f"<script type={JSON_LD}>[1,]</script><script type={JSON_LD}>[12,]</script>")
    monkeypatch.setattr(structured_data, "_LONGEST_BROKEN", 4)
    assert [*read_json_scripts(page)] == [[1]]


def test_a_script_that_nests_too_deeply_is_broken():
    assert [*read_json_scripts(to_tree(f"<script type={JSON_LD}>{'[' * 100_000}</script>"))] == []


@given(values)
def test_the_walk_visits_every_value_in_document_order(value):
    assert [*walk_json(value)] == walk_recursively(value)


def test_a_walk_can_be_limited_to_keys():
    value = [{"x": {"a": 1}, "b": {"a": 2, "x": 3}, "a": [{"b": 4}]}]
    assert [part for _, part in walk_json(value, into=("a", "b"))] == [
        *(value, value[0], [{"b": 4}], {"b": 4}, 4, {"a": 2, "x": 3}, 2)
    ]


def test_a_walk_through_many_values_ends(monkeypatch):
    monkeypatch.setattr(structured_data, "_MOST_VALUES", 3)
    assert [*walk_json([1, 2, 3, 4])] == [("", [1, 2, 3, 4]), ("", 1), ("", 2)]


def microdata(html: str) -> list[object]:
    return read_microdata(to_tree(html), "https://example.org/")


@pytest.mark.parametrize(
    ("html", "value"),
    [
        ("<b itemprop=name>Ada<!-- -->\n<i>Penn</i>, <script>x</script>Ltd.</b>", "Ada Penn, Ltd."),
        ("<meta itemprop=name content=Ada>", "Ada"),
        ("<a itemprop=name href=/a>Ada</a>", "Ada"),
        ("<a itemprop=url href=/a>Ada</a>", "https://example.org/a"),
        ("<img itemprop='image url image' src=/a>", "https://example.org/a"),
        ("<time itemprop=date datetime=2024-03-05>May</time>", "2024-03-05"),
        ("<time itemprop=date>2024-03-05</time>", "2024-03-05"),
    ],
)
def test_a_property_has_the_value_of_its_attribute_or_its_text(html, value):
    [item] = microdata(f"<div itemscope itemtype=Thing>{html}</div><b itemprop=name>outside</b>")
    name = html.split("itemprop=")[1].strip("'").split()[0].split(">")[0].strip("'")
    assert [text.strip() for text in item[name]] == [value]


def test_an_item_is_a_property_or_stands_for_itself():
    html = "<div itemscope itemtype='a b'><p itemprop=x itemscope><b itemprop=y>1</b></p><p itemscope></p></div>"
    assert microdata(html) == [{"@type": ["a", "b"], "x": [{"@type": [], "y": [" 1"]}]}, {"@type": []}]


def test_the_properties_of_no_item_are_kept_together():
    person = {"@type": ["Person"], "name": ["Ada Penn"]}
    found = microdata("<p itemprop=author itemscope itemtype=Person><meta itemprop=name content='Ada Penn'></p>")
    assert found == [person, {"author": [person]}]


def test_a_text_belongs_to_few_of_the_properties_around_it():
    [item] = microdata("<div itemscope>" + "<p><b itemprop=x><i>word</i>" * 100)
    assert sum(text.count("word") for text in item["x"]) < 1000


def test_a_reference_to_an_item_is_followed_once():
    known = [{"@id": "z", "name": ["Ada Penn"] * 5000}]
    assert item_names([{"@id": "z"}] * 5000, known) == ["Ada Penn"] * structured_data.MOST_PARTS


def test_long_texts_are_cut():
    assert [*map(len, plain_texts(["a" * 10**6] * 5))] == [structured_data.LONGEST_TEXT] * 5


def test_deeply_nested_values_are_walked():
    value = json.loads("[" * 900 + "]" * 900)
    for _ in range(100_000):
        value = [value]
    assert sum(1 for _ in walk_json(value)) == 100_900
