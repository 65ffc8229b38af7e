"""Pages for the label editor: what the viewer shows of each page, with the blocks that labels refer to."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from scrapy_web2text.common.budget import Budget
from scrapy_web2text.exceptions import PageError, explain, say
from scrapy_web2text.extractor import Extractor
from scrapy_web2text.labels.files import PageLabels, find_runs, hash_text
from scrapy_web2text.labels.fit import fit_labels
from scrapy_web2text.labels.pages import PageBlocks
from scrapy_web2text.page.blocks import Block
from scrapy_web2text.page.urls import STATED
from scrapy_web2text.reasons import describe_failure
from scrapy_web2text.sources.pages import PageSource, PageSources
from scrapy_web2text.sources.urls import find_url
from scrapy_web2text.view.markup import mark_page
from scrapy_web2text.view.seen import show_trace
from scrapy_web2text.view.session import LoadedLabels, PageEntry
from scrapy_web2text.view.store import LabelStore


def load_labels(sources: PageSources, source: PageSource) -> LoadedLabels:
    """Return a page with its blocks.

    :raises PageError: if the page cannot be parsed.
    """
    page = sources.load(source)
    trace = Extractor(page.options.replace(blocks="all")).trace(page.source, page.url)
    if trace.page is None:
        reason = trace.reason or "error"
        raise PageError(reason, describe_failure(reason))
    facts = show_trace(trace, source.name)
    facts.pop("look", None)  # labels are given in the outline
    with Budget(page.options.timeout).running():
        found = PageBlocks.of(trace.page)
        blocks = found.export()
        if facts["texts"] != [block.text for block in blocks] or facts["html"] is None:
            facts = _show_blocks(facts, blocks, mark_page(found.page, found.blocks))
    url = page.url or find_url(STATED, None, page.source, page.options)
    return LoadedLabels(facts, found.texts, [block.path or "" for block in blocks], url, found)


def _show_blocks(facts: dict[str, Any], blocks: Sequence[Block], html: str) -> dict[str, Any]:
    """Return *facts* with *blocks*, for an answer with other blocks: from a script, from rules, or of cut elements.

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
        "held": [""] * len(blocks),
        "pieces": [],
        "html": html,
        "chain": None,
    }


def list_entries(
    sources: PageSources, listed: list[PageSource], store: LabelStore, out: Path, track: Callable[..., Iterable[Any]]
) -> list[PageEntry]:
    """Return the pages that can be labeled; others are reported on standard error."""
    entries: dict[str, PageEntry] = {}
    for source in track(listed, len(listed)):
        try:
            loaded = load_labels(sources, source)
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
        load = partial(load_labels, sources, source)
        entries[name] = PageEntry(name, source.name, facts, load, loaded.url, file)
    return [*entries.values()]


def _name_file(name: str, file: Path | None, out: Path, store: LabelStore) -> str:
    """Return the id of a page without a URL: *name*, unless a file of another folder was labeled under this name."""
    reading, _ = store.find(("", name))
    if file is None or reading is None or reading.file is None:
        return name
    labeled = out.resolve().parent / reading.file
    is_other = os.path.isfile(labeled) and labeled.resolve() != file  # noqa: PTH113  any name can be asked for
    return file.as_posix() if is_other else name
