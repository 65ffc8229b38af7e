from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_web2text.metadata import structured_data
from scrapy_web2text.metadata.structured_data import JSON_LD, STATE, read_json_scripts, walk_json
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


def test_scripts_outside_of_the_root_can_be_skipped():
    root = to_tree(PAGE)
    assert [*read_json_scripts(root, whole_document=False)] == [{"a": 1}, 3]
    assert [*read_json_scripts(root.find(".//div"), whole_document=False)] == [3]
    assert [*read_json_scripts(root.find(".//div"))] == [{"a": 1}, 3, "after it"]


def test_long_scripts_are_skipped():
    assert [*read_json_scripts(to_tree(PAGE), longest=7)] == [3]
    assert [*read_json_scripts(to_tree(PAGE), longest=8)] == [{"a": 1}, 3]


def test_a_broken_script_can_be_repaired():
    assert [*read_json_scripts(to_tree(PAGE), repair=lambda script: script.text)] == [
        *({"a": 1}, 3, "{broken", "after it")
    ]


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


def test_deeply_nested_values_are_walked():
    value = json.loads("[" * 900 + "]" * 900)
    for _ in range(100_000):
        value = [value]
    assert sum(1 for _ in walk_json(value)) == 100_900
