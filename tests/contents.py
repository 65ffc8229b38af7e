"""The content of a page, for tests of the forms that are written from it."""

from __future__ import annotations

import unicodedata
from typing import Any

import numpy as np

from scrapy_web2text.content.builder import build_document
from scrapy_web2text.content.content import Content, select_content
from scrapy_web2text.content.html import write_html
from scrapy_web2text.content.markdown import write_markdown
from scrapy_web2text.content.paragraphs import Paragraph, write_paragraphs
from scrapy_web2text.page.arrays import tree_to_page
from scrapy_web2text.page.blocks import TEXT_LEAVES, Segmentation, segment
from scrapy_web2text.page.parse import to_tree


def select(html: str, boilerplate: str = "X", segmentation: Segmentation = TEXT_LEAVES, **options: Any) -> Content:
    """Return the content of a page: its blocks, except those whose first text has the word *boilerplate*, if any."""
    page = tree_to_page(to_tree(html))
    blocks = segment(page, segmentation)
    texts = [page.texts[leaf] for leaf in blocks.leaves[blocks.starts]]
    labels = np.array([not boilerplate or boilerplate not in text for text in texts], dtype=np.int64)
    return select_content(page, blocks, labels, **options)


def content_html(content: Content) -> str:
    return write_html(build_document(content))


def content_markdown(content: Content) -> str:
    return write_markdown(build_document(content))


def content_paragraphs(content: Content) -> tuple[Paragraph, ...]:
    return write_paragraphs(content, None, build_document(content))


def without_indices(text: str) -> str:
    """Return *text* with plain characters in place of those that the text form has for ``sub`` and ``sup``."""
    return unicodedata.normalize("NFKC", text).replace("\u2212", "-")
