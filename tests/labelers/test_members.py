"""Members of lists that belong to the content."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_web2text.labelers.modern.members import Structures, find_structures, join_members
from scrapy_web2text.labelers.modern.parts import Parts, join_parts
from scrapy_web2text.page.arrays import tree_to_page
from scrapy_web2text.page.blocks import MODERN_BLOCKS, segment
from scrapy_web2text.page.parse import to_tree

HEADING, ITEMS = "<h2>Ingredients</h2>", "<ul><li>Two eggs<li>Flour<li>Salt</ul>"


def lists_of(html):
    page = tree_to_page(to_tree(html))
    return find_structures(page, segment(page, MODERN_BLOCKS)).lists.tolist()


@pytest.mark.parametrize(
    ("html", "numbers"),
    [
        (HEADING + ITEMS, [0, 1, 1, 1]),
        ("<ul><li>One<ol><li>Two<li>Three</ol><li>Four</ul>", [1, 2, 2, 1]),
        ("<dl><dt>One<dd>Two<dd><p>Three<p>Four</dl>", [1, 1, 1, 1]),
        ("<ul><li><a>One</a><li><a>Two</a> and <a>three</a><li>Four</ul>", [0, 0, 0]),
        ("<ul><li><a>One</a><li>Two<li>Three</ul>", [1, 1, 1]),
        ("<ul>" + "<li>One" * 101, [0] * 101),
        ("<p>One", [0]),
    ],
    ids=["items", "nested", "terms", "links", "one link", "long", "no list"],
)
def test_lists_are_found(html, numbers):
    found = lists_of(html)
    assert [n >= 0 for n in found] == [n > 0 for n in numbers]
    assert [*map(found.index, found)] == [*map(numbers.index, numbers)]


def join(labels, probabilities, lists, headings=None, words=None, threshold=0.4, of_terms=False, rows=None):
    n = len(labels)
    return join_members(
        np.array(labels),
        np.array(probabilities),
        structures=Structures(
            np.array(lists), np.full(n, of_terms), np.full(n, -1) if rows is None else np.array(rows)
        ),
        n_tokens=np.ones(n, dtype=int) if words is None else np.array(words),
        headings=np.full(n, -1) if headings is None else np.array(headings),
        threshold=threshold,
    ).tolist()


@pytest.mark.parametrize(
    ("labels", "probabilities", "expected"),
    [
        ([1, 1, 0, 0], [0.9, 0.5, 0.35, 0.3], [1, 1, 1, 1]),
        ([1, 1, 0, 0], [0.9, 0.5, 0.39, 0.2], [1, 1, 1, 0]),
        ([1, 0, 0, 0], [0.9, 0.35, 0.35, 0.3], [1, 1, 1, 1]),
        ([0, 0, 0, 0], [0.1, 0.35, 0.35, 0.3], [0, 0, 0, 0]),
        ([1, 1, 0, 0], [0.9, 0.5, 0.1, 0.1], [1, 1, 0, 0]),
    ],
    ids=["one is content", "an unlikely one", "the heading is content", "nothing is content", "unlikely as a whole"],
)
def test_likely_members_join_a_list_of_the_content(labels, probabilities, expected):
    assert join(labels, probabilities, [-1, 7, 7, 7], headings=[0, 0, 0, 0]) == expected


def test_a_term_needs_less_than_an_item():
    for of_terms in (False, True):
        assert join([0, 1, 1], [0.2, 0.9, 0.9], [3, 3, 3], of_terms=of_terms) == [int(of_terms), 1, 1]
        assert join([0, 1, 1], [0.05, 0.9, 0.9], [3, 3, 3], of_terms=of_terms) == [0, 1, 1]


@pytest.mark.parametrize(
    ("html", "lists"),
    [
        ("<p>a</p><div><div>Time: </div><div><b>3</b> hours</div></div><p>b", [0, 1, 1, 0]),
        ("<dl><dt>See also:</dt><dd><a>One</a></dd></dl><dl><dt>See also：<dd>a</dl>", [1, 1, 2, 2]),
        ("<div><div>Time:</div><div>3</div><div>4</div></div>", [0, 0, 0]),
        ("<div><div>Time</div><div>3</div></div>", [0, 0]),
        ("<div><div>Time:</div></div><div>3</div><p>c", [0, 0, 0]),
        ("<p>Time:", [0]),
    ],
    ids=["divs", "terms", "two values", "no colon", "apart", "alone"],
)
def test_a_label_and_its_value_are_term_and_details(html, lists):
    page = tree_to_page(to_tree(f"<body><p>x</p>{html}</body>"))
    found = find_structures(page, segment(page, MODERN_BLOCKS))
    numbers = found.lists.tolist()[1:]
    assert [n >= 0 for n in numbers] == [n > 0 for n in lists]
    assert [*map(numbers.index, numbers)] == [*map(lists.index, lists)]
    assert found.of_terms[1:][found.lists[1:] >= 0].all()
    assert (found.rows == -1).all()


def test_rows_are_those_of_cells_with_one_block():
    html = "<table><tr><th>a<td>b<td><p>c<p>d<tr><td>e<td><ul><li>f</ul></table><p>g"
    page = tree_to_page(to_tree(html))
    found = find_structures(page, segment(page, MODERN_BLOCKS)).rows.tolist()
    assert [n >= 0 for n in found] == [True, True, False, False, True, True, False]
    assert found[0] == found[1] != found[4] == found[5]


@pytest.mark.parametrize(
    ("labels", "probabilities", "words", "expected"),
    [
        ([1, 0, 0], [0.9, 0.2, 0.02], [3, 1, 1], [1, 1, 0]),
        ([1, 0, 0], [0.9, 0.0, 0.0], [3, 0, 1], [1, 1, 0]),
        ([1, 0, 0], [0.9, 0.2, 0.2], [1, 1, 3], [1, 0, 0]),
        ([0, 0, 0], [0.3, 0.2, 0.2], [1, 0, 1], [0, 0, 0]),
    ],
    ids=["a likely cell", "a sign", "a row with little content", "a row without content"],
)
def test_cells_join_a_row_whose_words_are_mostly_content(labels, probabilities, words, expected):
    assert join(labels, probabilities, [-1] * 3, rows=[4, 4, 4], words=words) == expected
    assert join(labels, probabilities, [-1] * 3, words=words) == labels


def test_a_high_threshold_stays_high():
    assert join([1, 0, 0], [0.97, 0.85, 0.75], [3, 3, 3], threshold=0.9) == [1, 1, 0]
    assert join([1, 0, 0], [0.995, 0.985, 0.98], [3, 3, 3], threshold=0.99) == [1, 0, 0]


def test_a_heading_leads_to_a_list_that_begins_soon_after_it():
    for between, joined in ((4, 1), (5, 0)):
        n = between - 1
        labels = join([1, *[0] * n, 0, 0], [0.9, *[0.0] * n, 0.35, 0.35], [-1] * (n + 1) + [2, 2], [0] * (n + 3))
        assert labels[-2:] == [joined, joined]


@pytest.mark.parametrize(
    ("labels", "probabilities", "headings", "expected"),
    [
        ([1, 0, 1], [0.9, 0.2, 0.9], [-1, 1, 1], [1, 1, 1]),
        ([1, 0, 1], [0.9, 0.1, 0.9], [-1, 1, 1], [1, 0, 1]),
        ([1, 0, 0, 1], [0.9, 0.3, 0.3, 0.9], [-1, 1, 1, 1], [1, 0, 0, 1]),
        ([0, 1, 1], [0.3, 0.9, 0.9], [0, 0, 0], [0, 1, 1]),  # the title
        ([1, 0, 1], [0.9, 0.3, 0.9], [-1, -1, -1], [1, 0, 1]),
    ],
    ids=["likely", "unlikely", "not right above", "title", "no heading"],
)
def test_the_heading_of_a_section_joins_the_content_right_below_it(labels, probabilities, headings, expected):
    assert join(labels, probabilities, [-1] * len(labels), headings=headings) == expected


def test_blocks_without_words_are_no_members():
    assert join([1, 0, 0], [0.5, 0.0, 0.35], [3, 3, 3], words=[2, 0, 2]) == [1, 0, 1]
    assert join([1, 0], [0.5, 0.35], [3, 3], words=[0, 2]) == [1, 0]


@given(st.data())
def test_labels_only_turn_to_content_and_only_in_lists_and_headings(data):
    n = data.draw(st.integers(1, 12))
    draw = {
        "lists": st.integers(-1, 2),
        "probabilities": st.floats(0, 1),
        "words": st.integers(0, 3),
    }
    values = {name: data.draw(st.lists(each, min_size=n, max_size=n)) for name, each in draw.items()}
    labels = [int(p >= 0.4) for p in values["probabilities"]]
    headings = sorted(data.draw(st.lists(st.integers(-1, n - 1), min_size=n, max_size=n)))
    joined = join(labels, headings=[min(h, i) for i, h in enumerate(headings)], **values)
    for i, (before, after) in enumerate(zip(labels, joined, strict=True)):
        assert after >= before
        is_heading = min(headings[i], i) == i
        assert after == before or is_heading or (values["lists"][i] >= 0 and values["probabilities"][i] >= 0.22)


@pytest.mark.parametrize(
    ("html", "parts", "without"),
    [
        ("<p>Click <button>Save</button> to keep it", [1], [0, 2]),
        ("<p>Click <button>Save</button> to keep it", [0, 1], [2]),
        ("<p>Kept. <button>Share</button></p><p>b", [], [0, 2]),
        ("<p><button>Copy</button> Kept.</p><p>b", [], [1, 2]),
        ("<p>Click</p><button>Save</button><p>to keep it", [], [0, 2]),
        ("<figure><table><tr><td>1<td>2</table><figcaption>Sum</figcaption></figure>", [2], [0, 1]),
        ("<figure><img src=a><figcaption>Sum</figcaption></figure><p>a", [], [1]),
        ("<table><tr><th>a<th>b<tr><td>1<td>2<tr><td>3<td>4</table>", [0, 1], [2, 3, 4, 5]),
        ("<table><tr><th>a<th>b<tr><td>1<td>2<tr><td>3<td>4</table>", [], [2]),
        ("<table><tr><th>a<td>1<tr><th>b<td>2</table>", [], [1, 3]),
        ("<table><tr><th>a<th>b</table><p>c", [], [2]),
        ("<p>a<table><tr><th>b<th>c<tr><td>d<td>e</table><p>f", [3, 4], [0, 1, 2, 5]),
        ("<p>a<table><tr><th>b<th>c<tr><td>d<td>e</table><p>f", [], [0, 1, 2]),
        ("<p>a<table><tr><th>b<th>c<tr><td>d<td>e</table><p>f", [], [0, 5]),
        ("<p>a<table><tr><td>b<td>c</table><p>d", [], [0, 1, 3]),
        ("<p>a<table><tr><td><a>b</a><td><a>c</a><tr><td>d<td><a>e</a></table><p>f", [], [0, 1, 5]),
        ("<p>a<table><tr><td>b<table><tr><td>c<tr><td>d</table><tr><td>e</table><p>f", [], [0, 1, 5]),
        ("<p>a<ul><li>b<ul><li>c<li>d</ul><li>e</ul><p>f", [1, 2, 4], [0, 3, 5]),
        ("<p>a<ul><li>b<li>c</ul><p>d", [], [0, 3]),
        ("<p>a<ul><li>b<p>c<li>d</ul><p>e", [], [0, 1, 4]),
        ("<p>a<ul><li><a>b</a><li><a>c</a><li>d</ul><p>e", [], [0, 3, 4]),
        ("<p>a</p><div><math><mi>x</mi></math></div><p>b", [1], [0, 2]),
        ("<p>a</p><div><math><mi>x</mi></math></div><p>b", [], [0]),
        ("<math><mi>x</mi></math><p>a</p><math><mi>y</mi></math>", [], [1]),
    ],
    ids=[
        *(
            "button",
            "button and beginning",
            "button at the end",
            "button at the beginning",
            "button between",
            "caption",
            "image",
            "head",
            "head of another",
            "row headers",
            "only a head",
        ),
        *("table between texts", "table at the end", "table without content", "one row", "links", "tables in tables"),
        *("nested list", "list without content", "items of several blocks", "list of links"),
        *("formula", "formula at the edge", "first and last formula"),
    ],
)
def test_parts_follow_the_content_that_they_are_in(html, parts, without):
    page = tree_to_page(to_tree(html))
    blocks = segment(page, MODERN_BLOCKS)
    labels = np.isin(np.arange(blocks.n_blocks), without).astype(np.int64)
    joined = join_parts(Parts(page, blocks), labels, np.full(len(labels), 0.05))
    assert joined.nonzero()[0].tolist() == sorted(without + parts)
    assert not join_parts(Parts(page, blocks), np.zeros_like(labels), np.full(len(labels), 0.05)).any()


def test_a_table_between_texts_is_content_if_that_is_possible():
    page = tree_to_page(to_tree("<p>a<table><tr><th>b<th>c<tr><td>d<td>e</table><p>f"))
    blocks, labels = segment(page, MODERN_BLOCKS), np.array([1, 0, 0, 0, 0, 1])
    for table, expected in ((0.2, 6), (0.05, 2)):
        probabilities = np.array([1, table, table, table, table, 1.0])
        assert join_parts(Parts(page, blocks), labels, probabilities).sum() == expected


@pytest.mark.parametrize(
    ("box", "n_blocks"),
    [
        ("<div class='alert alert-info'><h4>Heads up</h4><p>The gate is shut.</p></div>", 2),
        ("<div class='admonition note'><p>Note</p><p>The gate is shut.</p></div>", 2),
        ("<aside class=tip>Bring a lamp.</aside>", 1),
        ("<div class='x callout'><div><div>Info</div></div><div><p>Ships.</p></div></div>", 2),
    ],
)
@pytest.mark.parametrize("shown", [(), (-1,)], ids=["no part is content", "its text is content"])
def test_a_box_between_texts_is_content_if_that_is_possible(box, n_blocks, shown):
    page = tree_to_page(to_tree(f"<p>a</p>{box}<p>b</p>"))
    blocks = segment(page, MODERN_BLOCKS)
    labels = np.array([1, *[0] * n_blocks, 1])
    if n_blocks > 1:
        labels[[n_blocks + i + 1 for i in shown]] = 1
    for probability, is_whole in ((0.3, True), (0.2, False)):
        joined = join_parts(Parts(page, blocks), labels, np.full(len(labels), probability))
        assert joined.all() == is_whole


@pytest.mark.parametrize(
    "html",
    [
        "<p>a</p><div class=alerts>Sign up</div><p>b</p>",
        "<div class=alert><p>Sign up</p></div><p>b</p>",
        "<p>a</p><div class=alert>" + "<p>Sign up</p>" * 9 + "</div><p>b</p>",
        "<p>a</p><div class=alert><div><div><div><div>Sign up</div></div></div></div></div><p>b</p>",
        "<p>a</p><div class=alert><p>Sign up</p></div>",
    ],
    ids=["another class", "before the texts", "large", "deep", "after the texts"],
)
def test_other_boxes_are_labeled_as_they_are(html):
    page = tree_to_page(to_tree(html))
    blocks = segment(page, MODERN_BLOCKS)
    labels = np.zeros(blocks.n_blocks, dtype=np.int64)
    labels[[i for i, text in enumerate(page.texts) if text in ("a", "b")]] = 1
    assert join_parts(Parts(page, blocks), labels, np.full(len(labels), 0.4)).tolist() == labels.tolist()
