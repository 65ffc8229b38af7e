"""The texts of pages as systems extract them, written to files so that each page is read once for each system."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from scrapy_web2text.content.content import select_content
from scrapy_web2text.content.text import content_text
from scrapy_web2text.evaluation.corpora import Corpus, CorpusPage
from scrapy_web2text.evaluation.peers import PEERS, get_peer
from scrapy_web2text.exceptions import PageError
from scrapy_web2text.labelers.base import Labeler
from scrapy_web2text.labelers.registry import get_labeler
from scrapy_web2text.labelers.shallow.measures import shallow_blocks
from scrapy_web2text.metadata.title import find_headline
from scrapy_web2text.page.arrays import tree_to_page
from scrapy_web2text.page.blocks import SHALLOW_BLOCKS, block_texts, segment
from scrapy_web2text.page.encoding import decode_html
from scrapy_web2text.page.parse import to_tree


@dataclass(frozen=True)
class SourcePage:
    """A page as it is searched for: its headline, its clean text, and all of its text.

    :param headline: as `find_headline` reads it; empty if the page has none.
    :param gold: the clean text of the corpus.
    :param blocks: number of words, text density and text of each block of Kohlschütter's, in order.
    """

    id: str
    headline: str
    gold: str
    blocks: list[tuple[int, float, str]]


def read_pages(corpus: Corpus, folder: Path) -> list[SourcePage]:
    """Return the pages of *corpus*, from *folder* if they have been written there."""
    lines = _read_lines(folder / "pages.jsonl", corpus, lambda page: asdict(_read_page(page)))
    return [SourcePage(**{**line, "blocks": [tuple(block) for block in line["blocks"]]}) for line in lines]


def read_texts(corpus: Corpus, system: str, folder: Path, *, model: str | None = None) -> list[str]:
    """Return the text that *system* extracts from each page of *corpus*, from *folder* if it has been written there.

    :param system: a labeler, or another extractor of the extra ``bench``.
    :param model: the labeler or folder of a model that is used in place of *system*.
    :raises ValueError: if the system is unknown or not installed.
    """
    path = folder / f"{(Path(model).name if model else system).replace(':', '-')}.jsonl"
    extract: Callable[[CorpusPage], str] | None = None

    def write(page: CorpusPage) -> dict[str, str]:
        nonlocal extract
        extract = extract or _get_extractor(model or system)
        return {"id": page.id, "text": extract(page)}

    return [line["text"] for line in _read_lines(path, corpus, write)]


def _read_lines(path: Path, corpus: Corpus, write: Callable[[CorpusPage], dict[str, Any]]) -> list[dict[str, Any]]:
    """Return a record for each page of *corpus*. A file that exists is complete: it is renamed when it is."""
    if not path.exists():
        print(f"{corpus.name}: writing {path}", file=sys.stderr, flush=True)
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(".part")
        with part.open("w", encoding="utf-8") as file:
            file.writelines(json.dumps(write(page)) + "\n" for page in corpus.pages())
        part.rename(path)
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    if [line["id"] for line in lines] != [*corpus.ids]:
        raise ValueError(f"{path}: expected the {len(corpus.ids)} pages of {corpus.name}, found others")
    return lines


def _read_page(source: CorpusPage) -> SourcePage:
    try:
        page = tree_to_page(to_tree(source.html))
    except PageError:
        return SourcePage(source.id, "", source.text, [])
    blocks = segment(page, SHALLOW_BLOCKS)
    measures = shallow_blocks(page, blocks, with_text_density=True)
    assert measures.text_density is not None
    texts = zip(measures.n_words.tolist(), measures.text_density.tolist(), block_texts(page, blocks), strict=True)
    return SourcePage(source.id, find_headline(page.landmarks), source.text, [*texts])


def _get_extractor(name: str) -> Callable[[CorpusPage], str]:
    if name in PEERS:
        peer = get_peer(name)
        return lambda page: _or_empty(peer, page.html if isinstance(page.html, str) else decode_html(page.html))
    labeler = get_labeler(name)
    return lambda page: _extract(labeler, page.html)


def _extract(labeler: Labeler, html: str | bytes) -> str:
    """Return the text of the blocks that *labeler* selects; empty if it has no answer."""
    try:
        page = tree_to_page(to_tree(html))
        answer = labeler.label(page)
    except PageError:
        return ""
    return content_text(select_content(page, answer.blocks, answer.labels))


def _or_empty(peer: Callable[[str], str], html: str) -> str:
    try:
        return peer(html)
    except Exception:  # noqa: BLE001  a page that another extractor fails on has no text
        return ""
