"""Pages of the corpora as blocks, and their labels."""

from __future__ import annotations

import logging
from functools import partial

import pytest

from research.alignment.characters import align_leaves
from research.pages import leaf_counts_to_labels, segment_page
from scrapy_web2text.evaluation.corpora import CorpusPage
from scrapy_web2text.page.arrays import tree_to_page
from scrapy_web2text.page.blocks import SHALLOW_BLOCKS, TEXT_LEAVES, segment
from scrapy_web2text.page.parse import to_tree

segment_leaves = partial(segment, segmentation=TEXT_LEAVES)


def test_a_page_has_its_text_and_its_blocks():
    page, blocks = segment_page(CorpusPage("1", "<p>one</p><p>two</p>", ""), segment_leaves)
    assert page.texts == ["one", "two"]
    assert blocks.n_blocks == 2


def test_pages_that_cannot_be_parsed_or_have_no_blocks_are_ignored(caplog):
    caplog.set_level(logging.DEBUG)
    assert segment_page(CorpusPage("binary", b"%PDF-1.7", ""), segment_leaves) is None
    assert [(each.levelno, each.getMessage()[:22]) for each in caplog.records] == [(30, "Ignoring page binary: ")]
    caplog.clear()
    assert segment_page(CorpusPage("empty", "<p> </p>", ""), segment_leaves) is None
    assert caplog.messages == ["Ignoring page empty: no blocks"]


HTML = """<body><nav>Home and all the rest</nav><noscript>The first sentence.</noscript>
<p>The first sentence. <a href="/x">A link in it,</a> and what follows. <b>Bold words.</b></p><p>Copyright notice</p>"""


@pytest.mark.parametrize(
    ("html", "segmentation", "expected"),
    [
        (HTML, TEXT_LEAVES, [0, 1, 1, 1, 1, 0]),
        (HTML, SHALLOW_BLOCKS, [0, 1, 1, 0]),
        ("<body><img></body>", TEXT_LEAVES, []),
    ],
)
def test_a_page_is_labeled_by_its_segmentation(html, segmentation, expected):
    page = tree_to_page(to_tree(html))
    blocks = segment(page, segmentation)
    counts = align_leaves(page.texts, "The first sentence. A link in it, and what follows. Bold words.")
    assert leaf_counts_to_labels(blocks, *counts).tolist() == expected
