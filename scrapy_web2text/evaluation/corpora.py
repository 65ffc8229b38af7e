"""Corpora of pages with a clean text, in the layouts in which they are published, and the splits of their pages.

All corpora are in one folder, here DATA:

- ``cleaneval``: ``DATA/cleaneval/orig/<id>.html`` and ``DATA/cleaneval/clean/<id>.txt``
- ``wcxb``: ``DATA/wcxb/dev/html/<id>.html.gz`` and ``DATA/wcxb/dev/ground-truth/<id>.json``
- any other corpus, such as ``articles`` or ``seeds/dragnet1381``: ``DATA/<name>/html/<id>.html`` and
  ``DATA/<name>/text/<id>.txt``, and optionally ``DATA/<name>/meta.jsonl`` with ``id``, ``url`` and ``type``
- pages without clean texts: the same without the folder ``text``, or only ``DATA/<name>/<id>.html``
- the page ids of a corpus: ``DATA/splits/<name>.json``, with ``-`` in place of ``/``; ``wcxb-dev.json`` for ``wcxb``
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

from scrapy_web2text.labelers.weights import find_model, shipped_models


@dataclass(frozen=True, slots=True)
class CorpusPage:
    """A page with its clean text.

    :param id: name of the page in the corpus.
    :param html: the page; bytes if its encoding is unknown.
    :param text: the clean text: its main content, possibly empty.
    :param url: URL of the page, if the corpus has it.
    :param kind: page type, such as ``article`` or ``forum``, if the corpus has it.
    """

    id: str
    html: str | bytes
    text: str
    url: str | None = None
    kind: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Corpus:
    """A folder of pages with *ids*, in this order; *read* returns the page of an id."""

    name: str
    ids: tuple[str, ...]
    read: Callable[[str], CorpusPage]

    def pages(self, ids: Iterable[str | int] | None = None) -> Iterator[CorpusPage]:
        """Return the pages with *ids*, in this order; all pages if None.

        :raises ValueError: if the corpus lacks a page.
        """
        wanted = self.ids if ids is None else tuple(map(str, ids))
        missing = sorted(set(wanted) - set(self.ids))
        if missing:
            more = f" and {len(missing) - 3} more" if len(missing) > 3 else ""
            raise ValueError(f"corpus {self.name} has no page {', '.join(missing[:3])}{more}")
        return map(self.read, wanted)


def open_corpus(name: str, data: Path, *, needs_texts: bool = True) -> Corpus:
    """Return the corpus *name* in the folder *data*.

    :param needs_texts: whether each page must have a clean text. Otherwise, a page may lack it, and its text is empty.
    :raises ValueError: if the corpus does not exist; the message names the files that were expected.
    """
    if name == "cleaneval":
        clean, orig = data / "cleaneval" / "clean", data / "cleaneval" / "orig"
        ids = _list_ids(name, clean, ".txt", orig, ".html")
        return Corpus(
            name,
            tuple(sorted(ids, key=lambda page_id: (int(page_id) if page_id.isdecimal() else -1, page_id))),
            partial(_read_cleaneval_page, orig, clean),
        )
    if name == "wcxb":
        truth, html = data / "wcxb" / "dev" / "ground-truth", data / "wcxb" / "dev" / "html"
        ids = _list_ids(name, truth, ".json", html, ".html.gz")
        return Corpus(name, tuple(ids), partial(_read_wcxb_page, html, truth))
    folder = data / name
    meta = _read_meta(folder / "meta.jsonl")
    pages = folder / "html"
    if needs_texts or (folder / "text").is_dir():
        ids = _list_ids(name, folder / "text", ".txt", pages, ".html")
    else:
        pages = pages if pages.is_dir() else folder
        ids = sorted(_stems(pages, ".html"))
        if not ids:
            raise ValueError(f"corpus {name!r}: expected pages {pages / '<id>.html'}, found none")
    return Corpus(name, tuple(ids), partial(_read_plain_page, pages, folder / "text", meta))


def find_ids(
    corpus: Corpus, data: Path, models: Sequence[str], *, split: str | None, part: str | None, path: Path | None
) -> tuple[str | None, tuple[str, ...]]:
    """Return the part of a corpus to score, and the ids of its pages.

    By default, a model is scored on pages that it was not trained on.

    :param split: name of a split; None for the split with the name of the corpus.
    :param part: part of the split. None is ``test`` if *split* or *path* is given or a model has such a part; otherwise
        None is all pages.
    :param path: file of page ids; None for the file of the corpus, of one of *models*, or of a shipped model.
    """
    if part == "all":
        return part, corpus.ids
    name, wanted = split or corpus.name, part or "test"
    if path is None and part is None and split is None:
        path = _find_own_splits(models, name, wanted)
        if path is None:
            return None, corpus.ids
    if path is None:
        file = "wcxb-dev" if corpus.name == "wcxb" else corpus.name.replace("/", "-")
        usual = data / "splits" / f"{file}.json"
        path = usual if usual.exists() else _find_own_splits([*models, *shipped_models()], name, wanted)
        if path is None:
            raise ValueError(
                f"corpus {corpus.name!r}: expected its page ids in {usual}, which does not exist; --splits names "
                "another file"
            )
    return wanted, read_split(path, split, wanted, corpus=corpus.name)


def _find_own_splits(models: Iterable[str], split: str, part: str) -> Path | None:
    """Return the first file of page ids in the folders of *models* that lists *part* of *split*; else None."""
    for model in models:
        try:
            path = find_model(model) / "splits.json"
            table = json.loads(path.read_text(encoding="utf-8"))
        except (ValueError, OSError):  # the model is a rule, or its folder lacks the file
            continue
        if isinstance(table, dict) and isinstance(table.get(split), dict) and part in table[split]:
            return path
    return None


def read_split(path: Path, split: str | None, part: str, *, corpus: str | None = None) -> tuple[str, ...]:
    """Return the page ids of one *part* of a split file.

    :param path: JSON file, ``{split: {part: [id, …]}}``, or ``{part: [id, …]}`` for a single split.
    :param split: name of the split; None for a single split, or for the split with the name of the *corpus*.
    :raises ValueError: if the file lacks the split or the part; the message lists the names in the file.
    """
    try:
        table = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"{path}: expected JSON, got {error}") from None
    if split is None and isinstance(table, dict) and isinstance(table.get(corpus), dict):
        split = corpus
    if split is not None:
        table = _choose(path, table, "split", split)
    ids = _choose(path, table, "part", part)
    if not isinstance(ids, list):
        raise ValueError(f"{path}: expected the name of a split, one of {', '.join(table)}, got none")
    return tuple(map(str, ids))


def _choose(path: Path, table: object, kind: str, name: str) -> Any:
    if not isinstance(table, dict) or name not in table:
        found = ", ".join(table) if isinstance(table, dict) else f"a {type(table).__name__}"
        raise ValueError(f"{path}: {kind} {name!r} does not exist, found {found}")
    return table[name]


def _list_ids(name: str, texts: Path, text_suffix: str, pages: Path, page_suffix: str) -> list[str]:
    """Return the ids that have both a text and a page, sorted."""
    found = _stems(pages, page_suffix) & _stems(texts, text_suffix)
    if not found:
        expected_page, expected_text = pages / f"<id>{page_suffix}", texts / f"<id>{text_suffix}"
        raise ValueError(f"corpus {name!r}: expected pages {expected_page} with texts {expected_text}, found none")
    return sorted(found)


def _stems(folder: Path, suffix: str) -> set[str]:
    return {path.name[: -len(suffix)] for path in folder.glob(f"*{suffix}")}


# As in Web2Text's code, CleanEval is read as UTF-8; malformed bytes are dropped, and all kinds of line ends count.
_WRAPPER_URL: Final = re.compile(r'<text\b[^>]*?\bid="([^"]*)"')
_LINE_END: Final = re.compile(r"\r\n|\r|\n")
_CLEANEVAL_MARKS: Final = (
    # List marks with their numbers or signs, all other marks, horizontal rules, indentation.
    re.compile(r"^[ \t]*<l>[ \t]*(?:»|\*|[0-9]{1,2}\.\s)?[ \t]*", re.IGNORECASE | re.MULTILINE),
    re.compile(r"<[lhp]>[ \t]*", re.IGNORECASE),
    re.compile(r"^[ \t]*(?:_{10,}|-{10,})[ \t]*$", re.MULTILINE),
    re.compile(r"^\s+", re.MULTILINE),
)


def clean_cleaneval_text(text: str) -> str:
    """Return a clean text of CleanEval without its line with the URL, marks ``<h> <p> <l>``, rules and indentation."""
    if text.startswith("URL:"):
        text = text.partition("\n")[2]
    for mark in _CLEANEVAL_MARKS:
        text = mark.sub("", text)
    return text.strip()


def _read_lines(path: Path) -> list[str]:
    return _LINE_END.split(path.read_bytes().decode("utf-8", "ignore"))


def _read_cleaneval_page(orig: Path, clean: Path, page_id: str) -> CorpusPage:
    lines = _read_lines(orig / f"{page_id}.html")
    url = _WRAPPER_URL.match(lines[0])
    return CorpusPage(
        id=page_id,
        html="\n".join(lines[1:-1]),  # without the wrapper, <text …> and </text>
        text=clean_cleaneval_text("\n".join(_read_lines(clean / f"{page_id}.txt"))),
        url=url and url[1],
    )


def _read_wcxb_page(html: Path, truth: Path, page_id: str) -> CorpusPage:
    entry = json.loads((truth / f"{page_id}.json").read_text(encoding="utf-8"))
    return CorpusPage(
        id=page_id,
        html=gzip.decompress((html / f"{page_id}.html.gz").read_bytes()),
        text=entry["ground_truth"].get("main_content") or "",
        url=entry.get("url") or None,
        kind=entry.get("_internal", {}).get("page_type", {}).get("primary"),
    )


def _read_meta(path: Path) -> dict[str, dict[str, Any]]:
    if not path.exists():
        return {}
    entries = map(json.loads, path.read_bytes().splitlines())
    return {entry["id"]: entry for entry in entries}


def _read_plain_page(pages: Path, texts: Path, meta: dict[str, dict[str, Any]], page_id: str) -> CorpusPage:
    entry = meta.get(page_id, {})
    text = texts / f"{page_id}.txt"
    return CorpusPage(
        id=page_id,
        html=(pages / f"{page_id}.html").read_bytes(),
        text=text.read_text(encoding="utf-8", errors="ignore") if text.exists() else "",
        url=entry.get("url"),
        kind=entry.get("type"),
    )
