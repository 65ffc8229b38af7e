from __future__ import annotations

import numpy as np
from lxml import etree

from scrapy_web2text.content.blocks import export_blocks
from scrapy_web2text.page.arrays import tree_to_page
from scrapy_web2text.page.blocks import SHALLOW_BLOCKS, TEXT_LEAVES, Block, Label, Segmentation, segment
from scrapy_web2text.page.parse import to_tree


def export(html: str, labels: list[int], segmentation: Segmentation, **options: object) -> tuple[Block, ...]:
    page = tree_to_page(to_tree(html))
    probabilities = np.linspace(0, 1, len(labels))
    return export_blocks(
        page, segment(page, segmentation), np.array(labels), probabilities, **{"content_only": False, **options}
    )


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
    (block,) = export_blocks(page, segment(page, SHALLOW_BLOCKS), np.array([1]), None, content_only=False)
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
    blocks = export_blocks(page, segment(page, TEXT_LEAVES), np.array([0, 1]), None, content_only=False)
    assert [block.tag for block in blocks] == ["x" * 100] * 2
