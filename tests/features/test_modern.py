"""The modern features against slow, obvious twins."""

from __future__ import annotations

import json
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from places import MODELS, PAGES
from strategies import html_trees

from scrapy_web2text.features.modern.columns import ColumnPlan, Table
from scrapy_web2text.features.modern.context import Context
from scrapy_web2text.features.modern.page import (
    MODERN_FEATURE_NAMES,
    TABLES,
    modern_features,
    read_kinds,
)
from scrapy_web2text.page.arrays import tree_to_page
from scrapy_web2text.page.blocks import MODERN_BLOCKS, segment
from scrapy_web2text.page.parse import to_tree
from scrapy_web2text.page.reader import hash_name
from scrapy_web2text.page.tree import Landmarks

NAMES = MODERN_FEATURE_NAMES
STORY = "The ferry left the harbor at noon, and everyone on the quay was glad to see it go again. "


def featurize(html):
    page = tree_to_page(to_tree(html))
    blocks = segment(page, MODERN_BLOCKS)
    return page, blocks, modern_features(page, blocks)


def column(features, name):
    return features.dense[:, NAMES.index(name)]


def test_the_columns_are_those_of_the_released_model_in_its_order():
    manifest = json.loads((MODELS / "web2text-2026" / "manifest.json").read_text(encoding="utf-8"))
    assert list(NAMES) == manifest["features"]


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_a_family_has_the_same_columns_without_the_others(table):
    page, blocks, features = featurize(PAGES[0].read_bytes())
    alone = np.empty((blocks.n_blocks, len(table.names)), dtype=np.float32)
    ColumnPlan([table]).fill(Context(page, blocks), alone)
    columns = [NAMES.index(name) for name in table.names]
    assert alone.tolist() == features.dense[:, columns].tolist()


def test_every_column_has_a_name_of_its_own():
    assert len(set(NAMES)) == len(NAMES) == 204


def test_every_scale_has_a_reason():
    columns = [column for table in TABLES if isinstance(table, Table) for column in table.columns]
    assert {column.name for column in columns if (column.scale != 1) != bool(column.why)} == set()


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_all_values_of_a_page_are_finite_and_small(path):
    _, blocks, features = featurize(path.read_bytes())
    assert features.dense.shape == (blocks.n_blocks, len(NAMES))
    assert np.isfinite(features.dense).all()
    assert np.abs(features.dense).max() < 50


@given(html=html_trees())
def test_every_page_has_finite_features(html):
    page = tree_to_page(to_tree(html))
    blocks = segment(page, MODERN_BLOCKS)
    if blocks.n_blocks:
        assert np.isfinite(modern_features(page, blocks).dense).all()


@pytest.mark.parametrize("path", PAGES[::5], ids=lambda path: path.stem)
def test_name_bags_sum_over_the_enclosing_elements(path):
    page = tree_to_page(to_tree(path.read_bytes()))
    blocks = segment(page, MODERN_BLOCKS)
    features = modern_features(page, blocks)
    ends = np.cumsum(features.n_names)
    bags = [Counter(features.names[end - n : end].tolist()) for end, n in zip(ends, features.n_names, strict=True)]
    context = Context(page, blocks)
    for block in range(0, blocks.n_blocks, 3):
        expected: Counter[int] = Counter()
        element = page.elements[context.owners[block]]
        while element is not None and element.tag != "html":
            for name in ("class", "id", "role", "itemprop", "aria-label", "data-testid"):
                expected.update(hash_name(element.get(name, "")))
            element = element.getparent()
        slot = features.open_slots[features.owners[block]]
        around = (features.open_slots <= slot) & (features.close_slots > slot)
        assert sum((bags[i] for i in np.flatnonzero(around)), Counter()) == expected


def test_text_columns_measure_the_text_of_the_block():
    _, _, features = featurize("<body><p>Pay <a href='#x'>12 €</a> now, <b>ALL</b> of it!</p><p>HELLO WORLD</p></body>")
    assert column(features, "log_words") == pytest.approx(np.log1p([6, 2]))
    assert column(features, "link_density") == pytest.approx([1 / 6, 0])
    assert column(features, "bold_share") == pytest.approx([1 / 6, 0])
    assert column(features, "has_currency").tolist() == [1, 0]
    assert column(features, "ends_full_stop").tolist() == [1, 0]
    assert column(features, "is_upper").tolist() == [0, 1]


def test_words_of_other_long_blocks_are_shared():
    long = "the ferry left harbor noon quay sorry again captain sailor island letter storm morning night."
    html = f"<body><p>{long}</p><p>{long}</p><p>Ferry to the island</p><p>Cookie settings</p></body>"
    _, _, features = featurize(html)
    assert column(features, "long_overlap") == pytest.approx([1, 1, 1, 0])
    alone = column(featurize(f"<body><p>{long}</p><p>The captain</p></body>")[2], "long_overlap")
    assert alone == pytest.approx([0, 1])  # and stopwords do not count


def test_titles_headings_and_copies_are_found():
    html = f"<body><h1>Night ferry</h1><p>{STORY}</p><h2>More</h2><p>{STORY}</p></body>"
    _, _, features = featurize(f"<title>Night ferry returns</title>{html}")
    assert column(features, "title_likeness").argmax() == 0
    assert features.headings.tolist() == [0, 0, 2, 2]
    assert column(features, "is_repeat").tolist() == [0, 0, 0, 1]
    assert column(features, "log_copies") == pytest.approx(np.log([1, 2, 1, 2]))
    assert column(features, "under_h2").tolist() == [0, 0, 1, 1]


def test_columns_name_the_elements_around_a_block():
    html = """<body><nav><p>a</p></nav><div role=navigation><p>b</p></div><main><p hidden>c</p>
        <div style="display: none"><p>d</p></div><p aria-hidden=true>e</p><p itemprop=articleBody>f</p></main>
        <section itemscope data-nosnippet><p>g</p></section></body>"""
    _, _, features = featurize(html)
    names = (
        *("in_nav", "in_navigation", "in_main", "in_hidden", "in_aria_hidden", "in_body_property"),
        *("in_item_scope", "in_no_snippet"),
    )
    marked = {
        name: "".join(letter for letter, value in zip("abcdefg", column(features, name), strict=True) if value)
        for name in names
    }
    assert marked == {
        "in_nav": "a",
        "in_navigation": "b",
        "in_main": "cdef",
        "in_hidden": "cd",
        "in_aria_hidden": "e",
        "in_body_property": "f",
        "in_item_scope": "g",
        "in_no_snippet": "g",
    }


@pytest.mark.parametrize("role", ["main", "search", "dialog", "article"])
def test_elements_and_roles_of_the_same_name_have_columns_of_their_own(role):
    _, _, features = featurize(f"<body><div role={role}><p>a</p></div><{role}><p>b</p></{role}></body>")
    assert column(features, f"in_{role}").tolist() == [0, 1]
    assert column(features, f"in_role_{role}").tolist() == [1, 0]


def test_repeated_slots_form_groups():
    cards = "".join(f"<div class=card><h3>Item {i}</h3><p>{STORY}</p></div>" for i in range(4))
    _, _, features = featurize(f"<body>{cards}<p>Alone</p></body>")
    assert column(features, "classes.log_size") == pytest.approx(np.array([np.log(4) / 3] * 8 + [0]))
    assert column(features, "classes.rank") == pytest.approx([0, 0, 0.25, 0.25, 0.5, 0.5, 0.75, 0.75, 0])


def test_groups_have_the_same_tags_or_classes_above_them():
    html = "<body><div class=a><p>1</p></div><div class=b><p>2</p></div><div class=a><p>3</p></div><h2>4</h2></body>"
    tags, classes = featurize(html)[2].groups.tolist()
    assert tags[0] == tags[1] == tags[2] != tags[3]
    assert classes[0] == classes[2] != classes[1]
    assert len(set(classes)) == 3


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        ("<title>T</title><meta name=Description content='A b'>", []),
        (
            "<meta property=OG:type content=article><meta name=generator content='Hugo 1'><meta name=generator>",
            ["article", "Hugo 1"],
        ),
        (f"<meta name=generator content={'a' * 300}>", ["a" * 200]),
        ("".join(f"<meta name=generator content=a{i}>" for i in range(30)), [f"a{i}" for i in range(24)]),
    ],
    ids=["nothing", "kinds", "long", "many"],
)
def test_meta_elements_hint_at_the_kind_of_a_page(head, expected):
    assert read_kinds(Landmarks(to_tree(f"<html><head>{head}</head><body><p>Text</p></body></html>"))) == expected


def test_the_names_of_the_body_element_are_hints():
    root = to_tree("<body class='post-template single' id=top><p>Text</p></body>")
    assert read_kinds(Landmarks(root)) == ["post-template single", "top"]


def test_the_kinds_of_a_page_are_words():
    page = tree_to_page(to_tree(f"<meta property=og:type content=NewsArticle><body><p>{STORY}</p></body>"))
    features = modern_features(page, segment(page, MODERN_BLOCKS))
    assert features.page_names.tolist() == hash_name("news article")


def test_long_bags_keep_the_first_and_the_last_words():
    _, _, features = featurize("<body><p>" + " ".join(f"word{i}" for i in range(30)) + "</p><p>short one</p></body>")
    _, _, ends = featurize("<body><p>" + " ".join(f"word{i}" for i in [*range(6), *range(24, 30)]) + "</p></body>")
    assert features.n_words.tolist() == [12, 2]
    assert features.words[:12].tolist() == ends.words.tolist()


def test_words_ignore_case_in_all_scripts():
    _, _, features = featurize("<body><p>ÄPFEL 𐐀 hello</p><p>äpfel 𐐀 HELLO</p></body>")
    assert features.words[:3].tolist() == features.words[3:].tolist()


def test_a_page_of_one_block_has_features():
    _, blocks, features = featurize("<body><p>Alone</p></body>")
    assert blocks.n_blocks == len(features.dense) == 1
    assert np.isfinite(features.dense).all()
    assert not len(features.title_words)
