"""The extractor as an algorithm of NeMo Curator, in the place of jusText. Needs nemo-curator."""

from __future__ import annotations

from typing import Any

from nemo_curator.stages.text.download.html_extractors import HTMLExtractorAlgorithm

from scrapy_web2text.adapters import ContentWriter

__all__ = ["Web2TextExtractor"]


class Web2TextExtractor(HTMLExtractorAlgorithm):  # type: ignore[misc]
    """Extracts the main content of pages in any language.

    :param options: the options of :class:`~scrapy_web2text.adapters.ContentWriter`.
    """

    def __init__(self, **options: Any) -> None:
        self._writer = ContentWriter(**{"text_layout": "paragraphs", **options})

    def extract_text(self, html: str, stop_words: frozenset[str], language: str) -> list[str] | None:  # noqa: ARG002
        """Return the paragraphs of the main content; the stop words of the language are not needed."""
        return list(filter(None, self._writer.write(html).split("\n\n")))
