from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from lxml import etree
from strategies import html_trees

from scrapy_web2text.extraction import Block, Label
from scrapy_web2text.page.arrays import tree_to_page
from scrapy_web2text.page.blocks import MODERN_BLOCKS, SHALLOW_BLOCKS, TEXT_LEAVES, Segmentation, block_texts, segment
from scrapy_web2text.page.invisible import drop_invisible
from scrapy_web2text.page.parse import to_tree
from scrapy_web2text.page.paths import common_elements, export_blocks, find_paths


def find(root: etree._Element, path: str) -> object:
    """Return the only node in the document at *path*."""
    (found,) = root.getroottree().xpath(path)
    return found


def text_paths(root: etree._Element | str) -> tuple[list[str | None], list[str]]:
    """Return the paths of all texts of a page, and these texts."""
    page = tree_to_page(to_tree(root))
    leaves = np.arange(page.n_leaves)
    return find_paths(page, common_elements(page, leaves, leaves), leaves, leaves), page.texts


@pytest.mark.parametrize(
    ("html", "paths"),
    [
        ("<p>a", ["/html/body/p/text()[1]"]),
        ("<p>a<p>b", ["/html/body/p[1]/text()[1]", "/html/body/p[2]/text()[1]"]),
        ("<div>a</div><p>b", ["/html/body/div/text()[1]", "/html/body/p/text()[1]"]),
        (
            "<p>a<b>b</b>c<b> </b> <!-- x -->d",
            [*(f"/html/body/p/{x}" for x in ("text()[1]", "b[1]/text()[1]", "text()[2]", "text()[4]"))],
        ),
        (
            "<x-tag>a</x-tag><y-tag>b</y-tag><x-tag>c</x-tag>",
            [f"/html/body/{x}/text()[1]" for x in ("x-tag[1]", "y-tag", "x-tag[2]")],
        ),
        (
            "<h1>a</h1>" + "<div><p>b</p></div>" * 2,
            [f"/html/body/{x}/text()[1]" for x in ("h1", "div[1]/p", "div[2]/p")],
        ),
    ],
    ids=["single", "siblings", "different", "mixed", "unknown", "nested"],
)
def test_positions_in_paths_count_siblings_of_the_same_name(html, paths):
    assert text_paths(html)[0] == paths


def test_elements_outside_of_the_body_have_the_path_of_their_place_in_the_tree():
    paths, _ = text_paths("<html><head></head><body>a</body><p>b</p></html><p>c</p>")
    assert paths == ["/html[1]/body/text()[1]", "/html[1]/p/text()[1]", "/html[2]/p/text()[1]"]


def test_texts_outside_of_the_body_have_no_path():
    paths, _ = text_paths("<html><head></head><body>a</body>b<p>c</p>d</html>e<p>f</p>g")
    assert [path is None for path in paths] == [False, True, False, True, True, False, True]


def test_only_the_first_of_many_elements_outside_of_the_body_have_a_path():
    paths, _ = text_paths(f"<html><body></body>{'<p><b>a</b></p>' * 20_000}")  # for these, lxml's paths take seconds
    assert [path is None for path in paths] == [False] * 100 + [True] * 19_900


def test_a_block_that_is_partly_outside_of_the_body_has_no_path():
    page = tree_to_page(to_tree("<html><body>a<b>b</b></body>c"))
    assert page.texts == ["a", "b", "c"]
    first, last = np.array([0, 0]), np.array([1, 2])
    assert find_paths(page, common_elements(page, first, last), first, last) == ["/html/body", None]


NAMES = (
    *("p", "o:p", 'x"y', "x'y", "x'\"y", "x\x01y", "x]y", "svg", "and", "text()", "é", "x$", "x-1.2", "x\u3168"),
    *("x\x7f", "x\x85"),
)


@given(html=html_trees(), names=st.lists(st.sampled_from(NAMES), max_size=4), after=st.booleans())
def test_the_path_of_every_block_leads_to_it_alone(html, names, after):
    opened, closed = "".join(f"<{name}>" for name in names), "".join(f"</{name}>" for name in reversed(names))
    check_block_paths(to_tree(f"{html}{opened}a<b>b</b>{closed}{'</html>' * after}{opened}c{closed}d"))


def check_block_paths(root: etree._Element) -> None:
    page = tree_to_page(root)
    blocks = segment(page, MODERN_BLOCKS)
    labels, texts = np.ones(blocks.n_blocks, dtype=np.int64), block_texts(page, blocks)
    for block in export_blocks(page, blocks, labels, None, texts, content_only=False):
        if block.path is not None:
            found = find(root, block.path)
            is_element = isinstance(found, etree._Element)
            text = "".join(found.itertext()) if is_element else found
            assert (block.tag == found.tag) if is_element else (found.getparent().tag == block.tag or found.is_tail)
            assert block.text.replace(" ", "") in drop_invisible("".join(text.split())) or is_element


def test_a_part_of_a_tree_has_paths_from_the_top():
    root = to_tree("<div>a</div><div><p>b</p></div>")
    assert text_paths(root.xpath("//div")[1])[0] == ["/html/body/div[2]/p/text()[1]"]


def test_names_in_a_namespace_are_compared():
    root = etree.fromstring('<html xmlns="http://www.w3.org/1999/xhtml"><body><p>a</p><p>b</p></body></html>')
    paths, texts = text_paths(root)
    assert paths[0] == '/*/*/*[local-name()="p"][namespace-uri()="http://www.w3.org/1999/xhtml"][1]/text()[1]'
    assert [find(root, path) for path in paths] == texts == ["a", "b"]


def test_prefixes_need_no_namespaces_in_a_path():
    root = etree.fromstring('<html xmlns:o="urn:x"><body><o:p>a</o:p><o:p><o:b>b</o:b></o:p></body></html>')
    paths, texts = text_paths(root)
    assert [find(root, path) for path in paths] == texts == ["a", "b"]


def test_the_common_element_is_the_innermost_one_around_both_leaves():
    page = tree_to_page(to_tree("<div><p>a<b>b</b></p><p>c</p></div>d"))
    found = common_elements(page, np.array([0, 0, 0, 0, 1]), np.array([0, 1, 2, 3, 1]))
    assert [page.elements[element].tag for element in found] == ["p", "p", "div", "body", "b"]


def test_siblings_are_counted_once():
    start = "<html xmlns='http://www.w3.org/1999/xhtml'><body>"
    root = etree.fromstring(start + "<p>a</p>" * 20_000 + "</body></html>")  # for these, lxml's paths take seconds
    paths, texts = text_paths(root)
    assert len(set(paths)) == len(texts)
    assert find(root, paths[-1]) == "a"


def test_the_path_of_2000_levels_is_found():
    (path,), _ = text_paths("<div>" * 2000 + "a" + "</div>" * 2000)
    assert path == "/html/body" + "/div" * 2000 + "/text()[1]"


@given(html=html_trees())
def test_every_common_element_is_found_by_its_path(html):
    root = to_tree(html)
    page = tree_to_page(root)
    assume(page.original is None)  # else the tree has other common elements
    first, last = np.triu_indices(page.n_leaves, 1)
    elements = common_elements(page, first, last)
    for element, path in zip(elements, find_paths(page, elements, first, last), strict=True):
        assert path is None or find(root, path) is page.elements[element]
    if "</body>" not in html and "</html>" not in html and "noframes" not in html:
        assert None not in find_paths(page, elements, first, last)


@given(html=html_trees())
def test_every_text_is_found_by_its_path(html):
    root = to_tree(html)
    paths, texts = text_paths(root)
    # Where a browser moves elements out of an image, whitespace after the image joins the text.
    assert [drop_invisible(find(root, path)).strip() for path in paths if path] == [
        text.strip() for text, path in zip(texts, paths, strict=True) if path
    ]
    if "</body>" not in html and "</html>" not in html and "noframes" not in html:
        assert None not in paths


def test_a_path_that_is_too_long_is_none():
    name = "x" * 3_000
    tags = [f"<{name}>", f"</{name}>"]  # as XML: libxml2 cuts the names of HTML
    page = f"<html>{'{0}a{0}b{0}c{0}d{1}<p>e</p>f{1}{1}{1}'.format(*tags)}</html>"
    paths, _ = text_paths(etree.fromstring(page))
    assert [path is None for path in paths] == [False, False, False, True, False, False]
    assert max(len(path) for path in paths if path is not None) <= 10_000
    name = "x" * 9_990
    assert text_paths(etree.fromstring(f"<html><{name}>a</{name}></html>"))[0] == [None]


def test_the_paths_of_a_page_have_a_bounded_sum():
    paths, _ = text_paths("<div>" * 1900 + "<p>x</p>" * 5_000)
    found = [path for path in paths if path is not None]
    assert 100 < len(found) < 5_000
    assert None not in paths[:100]
    assert sum(map(len, found)) <= 10_000_000


def export(html: str, labels: list[int], segmentation: Segmentation, **options: object) -> tuple[Block, ...]:
    page = tree_to_page(to_tree(html))
    probabilities, blocks = np.linspace(0, 1, len(labels)), segment(page, segmentation)
    columns = np.array(labels), probabilities, block_texts(page, blocks)
    return export_blocks(page, blocks, *columns, **{"content_only": False, **options})


def test_a_block_of_one_leaf_has_the_path_of_its_text():
    blocks = export("<p>a <b> b </b></p>", [0, 1], TEXT_LEAVES)
    assert blocks == (
        Block(0, "a", Label.BOILERPLATE, 0.0, "p", "/html/body/p/text()[1]"),
        Block(1, "b", Label.CONTENT, 1.0, "b", "/html/body/p/b/text()[1]"),
    )


def test_a_block_of_several_leaves_has_the_path_of_their_common_element():
    (block,) = export("<div><p>a <a>b</a></p></div>", [1], SHALLOW_BLOCKS)
    assert (block.text, block.tag, block.path) == ("a b", "p", "/html/body/div/p")


def test_content_blocks_keep_their_indices():
    blocks = export("<p>a<p>b<p>c", [0, 1, 1], TEXT_LEAVES, content_only=True)
    assert [(block.index, block.text, block.probability) for block in blocks] == [(1, "b", 0.5), (2, "c", 1.0)]


def test_blocks_have_no_probability_if_the_labeler_has_none():
    page = tree_to_page(to_tree("<p>a"))
    (block,) = export_blocks(page, segment(page, SHALLOW_BLOCKS), np.array([1]), None, ["a"], content_only=False)
    assert block.probability is None


def test_a_page_without_text_has_no_blocks():
    assert export("<p></p>", [], TEXT_LEAVES) == ()


def test_exported_values_are_plain_data():
    (block,) = export("<x-tag>a</x-tag>", [1], TEXT_LEAVES)
    assert [type(value) for value in (block.index, block.text, block.label, block.probability, block.tag)] == [
        *(int, str, Label, float, str)
    ]


def test_the_name_of_an_element_is_cut():
    name = "x" * 1_000
    page = tree_to_page(etree.fromstring(f"<html><{name}>a<br/>b</{name}></html>"))  # libxml2 cuts the names of HTML
    blocks = export_blocks(page, segment(page, TEXT_LEAVES), np.array([0, 1]), None, ["a", "b"], content_only=False)
    assert [block.tag for block in blocks] == ["x" * 100] * 2
