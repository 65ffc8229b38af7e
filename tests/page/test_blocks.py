from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from lxml import etree
from msgspec import structs
from naive.cdom import collapse, tree_to_cdom
from naive.features import list_leaves
from strategies import html_trees

from scrapy_web2text.extraction import Block, Label
from scrapy_web2text.options import BLOCK_FIELDS
from scrapy_web2text.page.arrays import Page, tree_to_page
from scrapy_web2text.page.blocks import (
    MODERN_BLOCKS,
    SHALLOW_BLOCKS,
    TEXT_LEAVES,
    BlockSequence,
    Segmentation,
    _long_noscripts,
    block_texts,
    labels_to_mask,
    mark_kept_leaves,
    mask_to_labels,
    segment,
)
from scrapy_web2text.page.parse import to_tree


def cut(html: str, segmentation: Segmentation) -> list[str]:
    page = tree_to_page(to_tree(html))
    return block_texts(page, segment(page, segmentation))


def test_each_text_leaf_is_a_block_of_the_paper():
    assert cut("<p>a<b>b</b> c<!-- x -->d</p>", TEXT_LEAVES) == ["a", "b", "c", "d"]


@pytest.mark.parametrize("segmentation", [TEXT_LEAVES, SHALLOW_BLOCKS], ids=lambda segmentation: segmentation.name)
def test_whole_subtrees_are_dropped(segmentation):
    for tag in sorted(segmentation.dropped):
        page = tree_to_page(etree.fromstring(f"<p>a<{tag}>no<p>no</p>no</{tag}>b</p>"))
        assert " ".join(block_texts(page, segment(page, segmentation))) == "a b"


def test_shallow_blocks_end_at_all_tags_but_links():
    html = "<p>a <a>b</a> c<b>d</b>e</p>f<br>g<span></span>h<foo>i</foo><x-tag></x-tag>j"
    assert cut(html, SHALLOW_BLOCKS) == ["a b c", "d", "e", "f", "g", "h", "i", "j"]


def test_comments_do_not_end_shallow_blocks():
    assert cut("<p>a<!-- x -->b<?x y?>c</p>", SHALLOW_BLOCKS) == ["abc"]


def test_whitespace_between_links_separates_their_words():
    assert cut("<p><a>a</a>\n<a>b</a><a>c</a></p>", SHALLOW_BLOCKS) == ["a bc"]


@pytest.mark.parametrize("tag", ["noscript", "select", "textarea", "iframe"])
def test_shallow_blocks_end_at_dropped_subtrees(tag):
    assert cut(f"<p>a<{tag}>no</{tag}>b</p>", SHALLOW_BLOCKS) == ["a", "b"]


def test_modern_blocks_end_at_tags_that_are_not_inline():
    html = "<p>a <b>b</b><foo> c</foo></p>d<br>e<div>f<span>g</span></div><p><x-tag>h</x-tag></p><x-tag>i</x-tag>"
    assert cut(html, MODERN_BLOCKS) == ["a b c", "d", "e", "fg", "h", "i"]


LONG = "A page that shows nothing without scripts. " * 5


@pytest.mark.parametrize(
    ("html", "blocks"),
    [
        (f"<p>a</p><noscript><p>{LONG}</p></noscript>", ["a", LONG.strip()]),
        (f"<p>a</p><noscript>{LONG[:150]}</noscript>", ["a"]),
        (f"<p>{LONG}</p><noscript><p>{LONG}</p></noscript>", [LONG.strip()]),
        (f"<noscript>b</noscript>a<noscript>{LONG}</noscript>", ["a", LONG.strip()]),
    ],
    ids=["long", "short", "shown-elsewhere", "one-of-two"],
)
def test_modern_blocks_keep_a_noscript_with_much_text_that_is_not_elsewhere(html, blocks):
    assert cut(f"<body>{html}</body>", MODERN_BLOCKS) == blocks


def test_nested_noscripts_do_not_read_their_texts_again():
    class Texts(list):
        n_read = 0

        def __getitem__(self, key):
            found = super().__getitem__(key)
            self.n_read += len(found) if isinstance(key, slice) else 1
            return found

    page = tree_to_page(to_tree("<noscript>" * 100 + "<p>words of a text</p>" * 200))
    texts = Texts(page.texts)
    noscripts = _long_noscripts(replace(page, texts=texts))
    assert len(noscripts) == 100
    assert 200 <= texts.n_read <= 2 * 200


def test_block_texts_are_collapsed_and_trimmed():
    assert cut("<p> a\n <a>\t b</a>&nbsp; </p>", SHALLOW_BLOCKS) == ["a b"]


@pytest.mark.parametrize(
    "segmentation", [TEXT_LEAVES, SHALLOW_BLOCKS, MODERN_BLOCKS], ids=lambda segmentation: segmentation.name
)
@pytest.mark.parametrize("html", ["", "<p> </p>", "<script>x</script>"], ids=["empty", "whitespace", "script"])
def test_a_page_without_text_has_no_blocks(segmentation, html):
    page = tree_to_page(to_tree(html))
    blocks = segment(page, segmentation)
    assert blocks.n_blocks == 0
    assert blocks.ends.tolist() == blocks.leaf_blocks.tolist() == block_texts(page, blocks) == []


def test_ends_and_leaf_blocks_follow_from_the_starts():
    blocks = BlockSequence(leaves=np.array([1, 4, 5, 6]), starts=np.array([0, 1, 3]))
    assert blocks.n_blocks == 3
    assert blocks.ends.tolist() == [1, 3, 4]
    assert blocks.leaf_blocks.tolist() == [0, 1, 1, 2]


def test_labels_are_a_mask_of_the_content():
    labels = mask_to_labels(np.array([True, False]))
    assert labels.tolist() == [Label.CONTENT, Label.BOILERPLATE]
    assert labels_to_mask(labels).tolist() == [True, False]


def test_plain_data_hold_the_fields_that_are_asked_for():
    block = Block(index=3, text="a b", label=Label.CONTENT, probability=1 / 3, tag="p", path="/html/body/p")
    assert block.to_dict() == {"index": 3, "text": "a b", "label": "content", "probability": 0.3333, "tag": "p"}
    assert list(block.to_dict(("path", "text")).items()) == [("path", "/html/body/p"), ("text", "a b")]
    assert list(block.to_dict(BLOCK_FIELDS)) == list(BLOCK_FIELDS)
    rules = structs.replace(block, label=Label.BOILERPLATE, probability=None).to_dict()
    assert (json.loads(json.dumps(rules)), rules["label"], rules["probability"]) == (rules, "boilerplate", None)


@given(html=html_trees())
def test_blocks_of_the_paper_are_those_of_the_twin(html):
    root = to_tree(html)
    page = tree_to_page(root)
    found = [collapse(page.texts[leaf]) for leaf in segment(page, TEXT_LEAVES).leaves]
    assert found == [leaf.text for leaf in list_leaves(tree_to_cdom(root))]


@given(html=html_trees())
def test_shallow_blocks_are_those_of_a_walk_through_the_page(html):
    page = tree_to_page(to_tree(html))
    blocks = segment(page, SHALLOW_BLOCKS)
    found = [[page.texts[leaf] for leaf in leaves] for leaves in np.split(blocks.leaves, blocks.starts[1:])]
    assert [texts for texts in found if texts] == _walk_shallow(page)


def _walk_shallow(page: Page) -> list[list[str]]:
    """Return the leaf texts of each block, slot by slot, with a counter of open dropped elements."""
    leaves = dict(zip(page.leaf_slots.tolist(), page.texts, strict=True))
    blocks: list[list[str]] = [[]]
    n_dropped = 0
    for slot, i in enumerate(page.slot_elements.tolist()):
        tag = page.elements[i].tag
        if isinstance(tag, str) and tag != "a":
            blocks.append([])
        if tag in SHALLOW_BLOCKS.dropped:
            n_dropped += 1 if slot == page.open_slots[i] else -1
        if slot in leaves and not n_dropped:
            blocks[-1].append(leaves[slot])
    return [block for block in blocks if block]


def test_kept_leaves_are_those_in_blocks():
    page = tree_to_page(to_tree("<p>one<select><option>two</select><p>three"))
    assert mark_kept_leaves(page, segment(page, MODERN_BLOCKS)).tolist() == [True, False, True]


def test_values_of_kept_leaves_are_summed_by_block():
    blocks = BlockSequence(np.array([0, 2, 3]), np.array([0, 2]))
    assert blocks.sum_leaves(np.array([1, 10, 100, 1000])).tolist() == [101, 1000]
    empty = np.zeros(0, dtype=np.int64)
    assert BlockSequence(empty, empty).sum_leaves(np.array([1])).tolist() == []


@pytest.mark.parametrize(
    ("html", "texts"),
    [
        ("<p>a <x-term>b</x-term>s <x-a>c</x-a>", ["a bs c"]),
        ("<h2><x-a>a</x-a> b</h2><li>c <x-a>d <b>e</b></x-a>", ["a b", "c d e"]),
        ("<div>a <x-a>b</x-a></div><div><x-a>c</x-a><x-a>d</x-a></div>", ["a b", "c", "d"]),
        ("<x-a>a <x-a><p>b</p></x-a></x-a>", ["a", "b"]),
        ("<x-a>a <x-list><x-item>b</x-item><x-item>c</x-item></x-list></x-a>", ["a", "b", "c"]),
    ],
)
def test_custom_elements_in_a_text_are_inline(html, texts):
    assert cut(html, MODERN_BLOCKS) == texts
