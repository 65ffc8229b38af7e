"""The URLs of pages that are read from files, for the option ``--url-from``."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import PurePath
from typing import Final
from urllib.parse import quote

from scrapy_web2text.common.budget import Budget
from scrapy_web2text.exceptions import PageError
from scrapy_web2text.options import Options
from scrapy_web2text.page.bounds import is_longer
from scrapy_web2text.page.urls import STATED, find_base, stated_urls, web_url
from scrapy_web2text.sources.source import Source

PATH_FIELD: Final = "{path}"  # of a template: the path of the file
# Characters. Each relative link is written with the page's URL, so a page must not state a long URL.
_LONGEST_URL: Final = 2_000


def find_url(url_sources: Sequence[str], path: PurePath | None, page: Source, options: Options) -> str | None:
    """Return the URL of a page from the first of *url_sources* that has a URL; None if no source has a URL.

    :param url_sources: ``canonical``, ``og:url``, or templates such as ``https://example.com/{path}``.
    :param path: path of the file, relative to the folder of the pages; None for a page without a file.
    """
    stated: dict[str, str] | None = None
    for source in url_sources:
        if source not in STATED:
            url = _fill(source, path)
        else:
            stated = _read_stated_urls(page, options) if stated is None else stated
            url = stated.get(source)
        if url is not None:
            return url
    return None


def _read_stated_urls(page: Source, options: Options) -> dict[str, str]:
    """Return the URLs that the page states for itself, by their source; none if the page cannot be read in time."""
    if is_longer(page.html, options.max_bytes):
        return {}
    try:
        with Budget(options.timeout).running():
            root = page.parsed.root
            base = find_base(root.iter("{*}base"), None)
            first = stated_urls(root)
    except PageError:  # the extraction gets the same error, and reports it
        return {}
    short = {source: text for source, text in first.items() if len(text) <= _LONGEST_URL}
    urls = {source: web_url(base, text) for source, text in short.items()}
    return {source: url for source, url in urls.items() if url is not None and len(url) <= _LONGEST_URL}


def _fill(template: str, path: PurePath | None) -> str | None:
    """Return the URL of the file *path* by a template."""
    if path is None:
        return None
    # A file may be named from another folder; no URL has such steps.
    plain = PurePath(*(part for part in path.parts if part not in (path.anchor, "..")))
    plain = plain.with_suffix("") if plain.suffix.lower() == ".gz" else plain
    return web_url(None, template.replace(PATH_FIELD, quote(os.fsencode(plain.as_posix()))))


def is_url_source(text: str) -> bool:
    """Return whether *text* is a source of URLs: ``canonical``, ``og:url`` or a template."""
    has_other_fields = "{" in text.replace(PATH_FIELD, "")
    return text in STATED or (not has_other_fields and _fill(text, PurePath("folder", "page.html")) is not None)
