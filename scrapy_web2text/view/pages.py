"""The viewer of the pages that a command is asked to show."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from scrapy_web2text.common.files import check_out_file, replace_file
from scrapy_web2text.sources.archives import is_feed
from scrapy_web2text.sources.pages import PageSources, is_view
from scrapy_web2text.sources.tables import read_items


def show_pages(sources: PageSources, page: str) -> Iterator[dict[str, Any]]:
    """Yield what the viewer shows of each page, or of each item of a feed."""
    from scrapy_web2text.view.facts import facts_of_item  # loads numpy
    from scrapy_web2text.view.seen import see_page

    if is_feed(page):
        for name, item in read_items(Path(page)):
            yield facts_of_item(item, name)
        return
    for source in sources.list_pages(page):
        loaded = sources.load(source)
        yield see_page(loaded.source, source.name, loaded.options, url=loaded.url)


def write_out(path: Path, pages: Sequence[Mapping[str, Any]]) -> str:
    """Write the viewer of *pages*, and return a message."""
    from scrapy_web2text.view.document import write_view

    replace_file(path, write_view(pages).encode())
    return f"{path}: {len(pages):,} page{'s' * (len(pages) > 1)}"


def check_out(path: Path, *, may_overwrite: bool) -> None:
    """Raise an OSError if *path* cannot be written; an earlier file of the viewer may always be overwritten."""
    check_out_file(path, may_overwrite=may_overwrite or (path.is_file() and is_view(path)))
