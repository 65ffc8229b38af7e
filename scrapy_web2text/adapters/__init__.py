"""Extractors for other frameworks, in their own interfaces. Each module imports its framework."""

from __future__ import annotations

from typing import Any

from scrapy_web2text.extractor import Extractor, extract


class ContentWriter:
    """Writes the main content of pages: as Markdown if the option ``markdown`` asks for it, else as text.

    It can be pickled without the model, which each process loads.

    :param options: the fields of :class:`~scrapy_web2text.Options`, by name. With ``on_low_confidence="drop"``, pages
        below ``min_confidence`` have no content.
    :raises ValueError, ModelError: as :class:`~scrapy_web2text.Extractor`.
    """

    def __init__(self, **options: Any) -> None:
        self._options = {"blocks": "none", **options}
        Extractor(**self._options)  # so that an invalid option raises an error here

    def write(self, html: str) -> str:
        """Return the main content of a page; an empty string if the page has none."""
        answer = extract(html, **self._options)
        if answer.low_confidence and self._options.get("on_low_confidence") == "drop":
            return ""
        markdown = getattr(answer, "markdown", None)
        return answer.text if markdown is None else markdown
