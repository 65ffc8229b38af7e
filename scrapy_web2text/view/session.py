"""The pages of a label editor: how they are found, their order, and the data that the browser reads and changes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Annotated, Any, Final

from msgspec import Meta, Struct

from scrapy_web2text.common.budget import Budget
from scrapy_web2text.exceptions import PageError, explain, say
from scrapy_web2text.extraction import Block, PageKind
from scrapy_web2text.extractor import Extractor
from scrapy_web2text.labels.files import PageLabels, find_runs, hash_text, write_line
from scrapy_web2text.labels.fit import fit_labels
from scrapy_web2text.labels.pages import PageBlocks
from scrapy_web2text.labels.site_rule import SiteRule
from scrapy_web2text.page.urls import STATED
from scrapy_web2text.reasons import describe_failure
from scrapy_web2text.sources.pages import PageSource, PageSources
from scrapy_web2text.sources.sites import name_site
from scrapy_web2text.sources.urls import find_url
from scrapy_web2text.view.document import confidence_key
from scrapy_web2text.view.markup import mark_page, show_look
from scrapy_web2text.view.rules import fit_rule, label_by_rule
from scrapy_web2text.view.seen import show_trace
from scrapy_web2text.view.store import LabelStore

_MOST_PAGES: Final = 10  # the last labeled pages of a site in the list; they determine its rule


class ConflictError(Exception):
    """The page or its labels were changed in another tab or program after this tab read them."""


class LabelsMessage(Struct, frozen=True):
    """The labels of a page, as the browser sends them.

    :param labels: a digit for each block.
    :param version: the version of the labels that the browser read.
    """

    labels: Annotated[str, Meta(pattern="^[01]*$")]
    version: str | None = None
    done: bool = False
    certainty: Annotated[float, Meta(ge=0, le=1)] = 1.0
    kind: PageKind = "content"
    type: Annotated[str, Meta(max_length=100)] = ""
    note: Annotated[str, Meta(max_length=10_000)] = ""


@dataclass(frozen=True, slots=True)
class LoadedPage:
    """A page with its blocks.

    :param facts: what the viewer shows of the page, with the labels of the model.
    :param texts: the texts of the blocks, as labels hash them. *Shape:* ``(n,)``
    :param paths: XPath of each block; empty if unknown. *Shape:* ``(n,)``
    :param url: URL of the page, from its source or from the page itself.
    :param found: the page itself.
    """

    facts: dict[str, Any]
    texts: Sequence[str]
    paths: Sequence[str]
    url: str | None
    found: PageBlocks


@dataclass(frozen=True, slots=True)
class PageEntry:
    """A page in the list of the editor.

    :param id: URL or file of the page; different for each page.
    :param facts: the summary of the model's answer.
    """

    id: str
    name: str
    title: str
    facts: Mapping[str, Any]
    load: Callable[[], LoadedPage]
    url: str | None = None
    file: Path | None = None


class Session:
    """The pages to label. Pages that are not done come first, the least sure first. Threads may share a session.

    :param out: the file of *store*; files of pages are named relative to its folder.
    """

    def __init__(self, entries: Sequence[PageEntry], store: LabelStore, out: Path, *, reader: str = "") -> None:
        self._store = store
        self._out = out.resolve()
        self._reader = reader
        self._entries = sorted(entries, key=lambda entry: (self._state(entry) == "done", confidence_key(entry.facts)))
        self._lock = Lock()
        self._rule_lock = Lock()  # one rule is found at a time, while pages are still read and saved
        self._loaded: tuple[int, LoadedPage] | None = None

    def __len__(self) -> int:
        """Return the number of pages."""
        return len(self._entries)

    def _state(self, entry: PageEntry) -> str:
        return self._store.find(("", entry.id))[1]

    def list_pages(self) -> list[dict[str, Any]]:
        """Return id, name, title, summary and state of each page."""
        return [
            {"id": each.id, "name": each.name, "title": each.title, "facts": each.facts, "state": self._state(each)}
            for each in self._entries
        ]

    def describe(self) -> dict[str, str]:
        """Return the file of labels, under whose name a browser keeps unsaved edits, and the next command to run."""
        return {"out": str(self._out), "next": f"web2text rule {self._out.name} --out sites.toml"}

    def read(self, number: int) -> dict[str, Any]:
        """Return a page with its labels for the browser."""
        with self._lock:
            entry = self._entries[number]
            loaded = self._load(number, is_new=True)
            given, state = self._store.find(("", entry.id))
        answer: dict[str, Any] = {"version": _version(loaded, given, state), "state": state}
        answer |= {"blocks": _version(loaded, None, ""), "labels": None, "n_lost": 0}
        if given is not None:
            fit = fit_labels(given, loaded.texts, loaded.paths)
            answer |= {"labels": fit.labels.tolist(), "n_lost": len(fit.lost)}
            answer |= {name: getattr(given, name) for name in ("kind", "type", "certainty", "note")}
        return {**loaded.facts, "chain": None, "saved": answer}

    def _load(self, number: int, *, is_new: bool = False) -> LoadedPage:
        """Return the page. The latest page is kept in memory, since saving its labels needs it again.

        :param is_new: whether the page is read again even if it is in memory, since its file may have changed.
        """
        if is_new or self._loaded is None or self._loaded[0] != number:
            self._loaded = number, self._entries[number].load()
        return self._loaded[1]

    def save(self, number: int, message: LabelsMessage) -> dict[str, Any]:
        """Write the labels of a page, and return their new version and state.

        :raises ConflictError: if the page or its labels have changed since the browser read them.
        """
        with self._lock:
            entry, loaded = self._entries[number], self._load(number)
            key = ("", entry.id)
            if message.version != _version(loaded, *self._store.find(key)):
                what = "the page or its labels were changed in another tab or program"
                raise ConflictError(f"{what}; open the page again")
            given = self._make_labels(entry, loaded, message)
            self._store.save(given, is_done=message.done)
            saved, state = self._store.find(key)
            return {"version": _version(loaded, saved, state), "state": state}

    def read_rule(self, number: int) -> dict[str, Any]:
        """Return the rule that fits the labeled pages of the site of a page, and the labels that it gives the page."""
        entry = self._entries[number]
        with self._rule_lock:
            site, rule, scores = self._find_rule(entry)
            selectors = [*rule.include, *(f"not {each}" for each in rule.exclude)]
            with self._lock:
                loaded = self._load(number)
            labels = label_by_rule(loaded, rule) if selectors else None
        name = "pages without a URL" if entry.url is None else site
        return {"site": name, "rule": selectors, "is_unstable": rule.is_unstable, "labels": labels, **scores}

    def _find_rule(self, entry: PageEntry) -> tuple[str, SiteRule, dict[str, float]]:
        site = name_site(entry.url or "")
        same = [each for each in self._entries if each.file and name_site(each.url or "") == site]
        found = [(each.load, *self._store.find(("", each.id))) for each in same]
        labeled = [(load, given) for load, given, state in found if given is not None and state == "done"]
        return site, *fit_rule(tuple(labeled[-_MOST_PAGES:]))

    def _make_labels(self, entry: PageEntry, loaded: LoadedPage, message: LabelsMessage) -> PageLabels:
        n = len(loaded.texts)
        if len(message.labels) != n:
            raise ValueError(f"labels: expected {n} digits 0 or 1, got {len(message.labels)}")
        return PageLabels(
            "",
            entry.id,
            find_runs(map(int, message.labels)),
            tuple(map(hash_text, loaded.texts)),
            certainty=message.certainty,
            type=message.type or None,
            kind=message.kind,
            url=entry.url,
            file=None if entry.file is None else _relative(entry.file, self._out.parent),
            reader=self._reader,
            note=message.note,
            words=tuple(len(text.split()) for text in loaded.texts),
            paths=tuple(loaded.paths),
        )


def _version(loaded: LoadedPage, given: PageLabels | None, state: str) -> str:
    """Return a version that changes with the labels and texts of a page, whichever process changes them."""
    texts = " ".join(map(hash_text, loaded.texts))
    return hash_text(f"{state} {write_line(given) if given else ''} {texts}")


def _relative(file: Path, folder: Path) -> str:
    try:
        return Path(os.path.relpath(file, folder)).as_posix()
    except ValueError:  # another drive of Windows
        return file.as_posix()


def load_page(sources: PageSources, source: PageSource) -> LoadedPage:
    """Return a page with its blocks.

    :raises PageError: if the page cannot be parsed.
    """
    page = sources.load(source)
    trace = Extractor(page.options.replace(blocks="all"), warns=False).trace(page.source, page.url)
    if trace.page is None:
        reason = trace.reason or "error"
        raise PageError(reason, describe_failure(reason))
    facts = show_trace(trace, source.name)
    with Budget(page.options.timeout).running():
        found = PageBlocks.of(trace.page)
        blocks = found.export()
        if facts["texts"] != [block.text for block in blocks] or facts["html"] is None:
            facts = _show_blocks(facts, blocks, found)
    url = page.url or find_url(STATED, None, page.source, page.options)
    return LoadedPage(facts, found.texts, [block.path or "" for block in blocks], url, found)


def _show_blocks(facts: dict[str, Any], blocks: Sequence[Block], found: PageBlocks) -> dict[str, Any]:
    """Return *facts* with *blocks*, for an answer whose blocks differ: from a script, by rules, or cut by selectors.

    Blocks that the answer does not have are boilerplate.
    """
    shown = [block.text for block in blocks]
    answer = PageLabels("", "", find_runs(facts["labels"]), tuple(map(hash_text, facts["texts"])))
    labels = fit_labels(answer, shown).labels
    return {
        **facts,
        "texts": shown,
        "labels": [max(label, 0) for label in labels.tolist()],
        "probabilities": None,
        "tags": [block.tag for block in blocks],
        "paths": [block.path or "" for block in blocks],
        "drop_reasons": [""] * len(blocks),
        "pieces": [],
        "html": mark_page(found.page, found.blocks),
        "look": show_look(found.page, found.blocks),
        "chain": None,
    }


def list_entries(
    sources: PageSources, listed: list[PageSource], store: LabelStore, out: Path, track: Callable[..., Iterable[Any]]
) -> list[PageEntry]:
    """Return the pages that can be labeled; others are reported on standard error."""
    entries: dict[str, PageEntry] = {}
    for source in track(listed, len(listed)):
        try:
            loaded = load_page(sources, source)
        except (OSError, PageError) as error:
            say(f"web2text label: skipped {source.name}: {explain(error, is_named=False)}")
            continue
        if not loaded.texts:
            say(f"web2text label: skipped {source.name}: no blocks")
            continue
        facts: dict[str, Any] = loaded.facts["facts"]
        url = facts.get("url")
        file = source.file and source.file.resolve()
        name = _name_file(source.name, file, out, store) if url is None or url in entries else url
        load = partial(load_page, sources, source)
        entries[name] = PageEntry(name, source.name, loaded.facts["title"], facts, load, loaded.url, file)
    return [*entries.values()]


def _name_file(name: str, file: Path | None, out: Path, store: LabelStore) -> str:
    """Return the id of a page without a URL: *name*, unless a file of another folder was labeled under this name."""
    given, _ = store.find(("", name))
    if file is None or given is None or given.file is None:
        return name
    labeled = out.resolve().parent / given.file
    is_other = os.path.isfile(labeled) and labeled.resolve() != file  # noqa: PTH113  any name can be asked for
    return file.as_posix() if is_other else name
