"""The pages of a label editor: their order, and the data that the browser reads and changes."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any, Final, NamedTuple

from scrapy_web2text.labels.files import PageLabels, find_runs, hash_text, write_line
from scrapy_web2text.labels.fit import UNKNOWN, fit_labels
from scrapy_web2text.labels.pages import PageBlocks
from scrapy_web2text.labels.site_rule import SiteRule
from scrapy_web2text.verdicts.kinds import PAGE_KINDS
from scrapy_web2text.view.document import least_sure
from scrapy_web2text.view.rules import fit_rule, label_by_rule, name_site, save_rule
from scrapy_web2text.view.store import LabelStore

_SURE: Final = 0.9  # from this confidence on, a page is expected to be right
_LONGEST: Final[dict[str, int]] = {"kind": 100, "type": 100, "note": 10_000}  # characters
_MOST_PAGES: Final = 10  # of a site, by which its rule is found: the last in the list


class ConflictError(Exception):
    """The page or its labels were changed in another tab or program after this tab read them."""


class Standing(NamedTuple):
    """What the place of a page in the order depends on: its confidence (see `least_sure`), its site, and its labels."""

    confidence: float
    site: str = ""
    is_done: bool = False
    is_compared: bool = False


@dataclass(frozen=True, slots=True)
class LoadedLabels:
    """A page with its blocks.

    :param facts: what the viewer shows of the page, with the labels of the model.
    :param texts: the texts of the blocks, as labels hash them. *Shape:* ``(n,)``
    :param paths: XPath of each block; empty if unknown. *Shape:* ``(n,)``
    :param url: URL of the page, from its source or from the page itself.
    :param found: the page itself; None if only its answer is known.
    """

    facts: dict[str, Any]
    texts: Sequence[str]
    paths: Sequence[str]
    url: str | None = None
    found: PageBlocks | None = None


@dataclass(frozen=True, slots=True)
class PageEntry:
    """A page in the list of the editor.

    :param id: URL or file of the page; different for each page.
    :param facts: the summary of the model's answer.
    """

    id: str
    name: str
    facts: Mapping[str, Any]
    load: Callable[[], LoadedLabels]
    url: str | None = None
    file: Path | None = None


class Session:
    """The pages to label, in the order of their expected gain. Threads may share a session.

    :param out: the file of *store*; files of pages are named relative to its folder.
    :param model: the model that rules of sites have to beat.
    :param other: labels of another reader, by corpus and page id.
    """

    def __init__(
        self,
        entries: Sequence[PageEntry],
        store: LabelStore,
        out: Path,
        *,
        model: str,
        reader: str = "",
        other: Mapping[tuple[str, str], PageLabels] | None = None,
        other_name: str = "",
    ) -> None:
        self._store = store
        self._out = out.resolve()
        self._model = model
        self._reader = reader
        self._other = other or {}
        self._other_name = other_name
        standings = [
            Standing(
                least_sure({"facts": entry.facts}),
                name_site(entry.url or ""),
                is_done=self._state(entry) == "done",
                is_compared=("", entry.id) in self._other,
            )
            for entry in entries
        ]
        self._entries = [entries[number] for number in order_pages(standings)]
        self._lock = Lock()
        self._rule_lock = Lock()  # one rule is found at a time, while pages are still read and saved
        self._loaded: tuple[int, LoadedLabels] | None = None

    def __len__(self) -> int:
        """Return the number of pages."""
        return len(self._entries)

    def _state(self, entry: PageEntry) -> str:
        return self._store.find(("", entry.id))[1]

    def list_pages(self) -> list[dict[str, Any]]:
        """Return id, name, summary and state of each page."""
        shown = [(each, {"id": each.id, "name": each.name, "facts": each.facts}) for each in self._entries]
        return [facts | {"state": self._state(entry)} for entry, facts in shown]

    def describe(self) -> dict[str, str]:
        """Return the file of labels, under whose name a browser keeps unsaved edits, and the next command to run."""
        return {"out": str(self._out), "next": f"web2text rule {self._out.name} --out sites.toml"}

    def read(self, number: int) -> dict[str, Any]:
        """Return a page with its labels for the browser."""
        with self._lock:
            entry = self._entries[number]
            loaded = self._load(number, is_new=True)
            reading, state = self._store.find(("", entry.id))
        answer: dict[str, Any] = {"version": _version(loaded, reading, state), "state": state}
        answer |= {"blocks": _version(loaded, None, ""), "labels": None, "n_lost": 0, "other": None}
        if reading is not None:
            fit = fit_labels(reading, loaded.texts, loaded.paths)
            answer |= {"labels": fit.labels.tolist(), "n_lost": len(fit.lost)}
            answer |= {name: getattr(reading, name) for name in ("kind", "type", "certainty", "note")}
        other = self._other.get(("", entry.id))
        if other is not None:
            labels = fit_labels(other, loaded.texts, loaded.paths).labels
            answer["other"] = {"name": self._other_name, "labels": labels.tolist(), "unknown": UNKNOWN}
        return {**loaded.facts, "chain": None, "saved": answer}

    def _load(self, number: int, *, is_new: bool = False) -> LoadedLabels:
        """Return the page. The latest page is kept in memory, since saving its labels needs it again.

        :param is_new: whether the page is read again even if it is in memory, since its file may have changed.
        """
        if is_new or self._loaded is None or self._loaded[0] != number:
            self._loaded = number, self._entries[number].load()
        return self._loaded[1]

    def save(self, number: int, message: Mapping[str, Any]) -> dict[str, Any]:
        """Write the labels of a page, and return their new version and state.

        :param message: ``version`` (as read), ``labels``, ``done``, and the other fields that the reader filled in.
        :raises ConflictError: if the labels or the texts of the page have changed since.
        """
        with self._lock:
            entry, loaded = self._entries[number], self._load(number)
            key = ("", entry.id)
            if message.get("version") != _version(loaded, *self._store.find(key)):
                what = "the page or its labels were changed in another tab or program"
                raise ConflictError(f"{what}; open the page again")
            reading = self._make_labels(entry, loaded, message)
            self._store.save(reading, is_done=message.get("done") is True)
            saved, state = self._store.find(key)
            return {"version": _version(loaded, saved, state), "state": state}

    def read_rule(self, number: int) -> dict[str, Any]:
        """Return the rule that fits the labeled pages of the site of a page, and the labels that it gives the page."""
        entry = self._entries[number]
        with self._rule_lock:
            site, rule, scores = self._find_rule(entry)
            selectors = [*rule.include, *(f"not {each}" for each in rule.exclude)]
            with self._lock:
                found = self._load(number).found if selectors else None
            labels = None if found is None else label_by_rule(found, rule, self._model)
        return {"site": site, "rule": selectors, "labels": labels, **scores}

    def _find_rule(self, entry: PageEntry) -> tuple[str, SiteRule, dict[str, float]]:
        site = name_site(entry.url or "")
        same = [entry for entry in self._entries if entry.file and name_site(entry.url or "") == site]
        found = [(entry.file, *self._store.find(("", entry.id))) for entry in same]
        labeled = [(file, reading) for file, reading, state in found if state == "done"]
        return site, *fit_rule(tuple(labeled[-_MOST_PAGES:]), self._model)

    def save_rule(self, number: int) -> dict[str, Any]:
        """Write the rule of the site of a page to ``sites.toml`` beside the labels, and return its name."""
        with self._rule_lock:
            site, rule, _ = self._find_rule(self._entries[number])
            if rule == SiteRule():
                raise ValueError(f"there is no rule for {site}")
            path = self._out.with_name("sites.toml")
            save_rule(path, site, rule)
        return {"file": path.name, "site": site}

    def _make_labels(self, entry: PageEntry, loaded: LoadedLabels, message: Mapping[str, Any]) -> PageLabels:
        labels = message.get("labels")
        n = len(loaded.texts)
        if not isinstance(labels, str) or len(labels) != n or set(labels) - {"0", "1"}:
            raise ValueError(f"labels: expected {n} digits 0 or 1")
        certainty = message.get("certainty", 1.0)
        if type(certainty) not in (int, float):
            raise ValueError(f"certainty: expected a number from 0 to 1, got {certainty!r}")
        texts = {name: message.get(name) or "" for name in _LONGEST}
        for name, text in texts.items():
            if not isinstance(text, str) or len(text) > _LONGEST[name]:
                raise ValueError(f"{name}: expected a text of at most {_LONGEST[name]:,} characters")
        if texts["kind"] not in ("", *PAGE_KINDS):
            raise ValueError(f"kind: expected one of {', '.join(PAGE_KINDS)}, got {texts['kind']!r}")
        paths = tuple(loaded.paths)
        return PageLabels(
            "",
            entry.id,
            find_runs(map(int, labels)),
            tuple(map(hash_text, loaded.texts)),
            certainty=certainty,
            type=texts["type"] or None,
            kind=texts["kind"] or "content",
            url=entry.url,
            file=None if entry.file is None else _relative(entry.file, self._out.parent),
            reader=self._reader,
            note=texts["note"],
            words=tuple(len(text.split()) for text in loaded.texts),
            paths=paths if len(paths) == n else (),
        )


def _version(loaded: LoadedLabels, reading: PageLabels | None, state: str) -> str:
    """Return a version that changes with the labels and texts of a page, whichever process changes them."""
    texts = " ".join(map(hash_text, loaded.texts))
    return hash_text(f"{state} {write_line(reading) if reading else ''} {texts}")


def _relative(file: Path, folder: Path) -> str:
    try:
        return Path(os.path.relpath(file, folder)).as_posix()
    except ValueError:  # another drive of Windows
        return file.as_posix()


def order_pages(pages: Sequence[Standing]) -> list[int]:
    """Return the numbers of *pages* in the order in which they should be labeled.

    Pages that are done come last. Of the others, pages that another reader labeled come first, then pages of low
    confidence in ascending order. Then the sites take turns; sites with the fewest labeled pages begin.
    """
    n_labeled = Counter(page.site for page in pages if page.is_done)
    keys: dict[int, tuple[bool, bool, bool, int, float]] = {}
    for number in sorted(range(len(pages)), key=lambda number: pages[number].confidence):
        page = pages[number]
        is_sure = page.confidence >= _SURE
        turn = n_labeled[page.site] if is_sure else 0
        keys[number] = (page.is_done, not page.is_compared, is_sure, turn, page.confidence)
        if not page.is_done:
            n_labeled[page.site] += 1
    return sorted(keys, key=keys.__getitem__)
