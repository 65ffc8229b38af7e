"""Pages of a corpus, parsed and segmented."""

from __future__ import annotations

import logging
from functools import partial

from scrapy_web2text.evaluation.corpora import LabeledPage
from scrapy_web2text.page.blocks import TEXT_LEAVES, segment
from scrapy_web2text.training.pages import parse_page, segment_page

segment_leaves = partial(segment, segmentation=TEXT_LEAVES)


def test_a_page_has_its_text_and_its_blocks():
    source = LabeledPage("1", "<p>one</p><p>two</p>", "")
    page, blocks = segment_page(source, segment_leaves)
    assert page.texts == parse_page(source).texts == ["one", "two"]
    assert blocks.n_blocks == 2


def test_a_page_that_cannot_be_parsed_is_ignored_with_a_warning(caplog):
    source = LabeledPage("binary", b"%PDF-1.7", "")
    assert parse_page(source) is None
    assert segment_page(source, segment_leaves) is None
    assert [record.getMessage().startswith("Ignoring page binary: ") for record in caplog.records] == [True, True]


def test_a_page_without_blocks_is_ignored(caplog):
    caplog.set_level(logging.DEBUG)
    assert segment_page(LabeledPage("empty", "<p> </p>", ""), segment_leaves) is None
    assert caplog.messages == ["Ignoring page empty: no blocks"]
