"""Pages for the label editor: what the viewer shows of them, with the blocks that readings are about."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy_web2text.cli.seen import see_page
from scrapy_web2text.editor.session import LoadedLabels
from scrapy_web2text.readings.fit import fit_reading
from scrapy_web2text.readings.pages import PageBlocks, read_page_blocks
from scrapy_web2text.readings.reading import Reading, find_runs, hash_text
from scrapy_web2text.view.facts import facts_of_item

if TYPE_CHECKING:
    from scrapy_web2text.cli.sources import PageSource, PageSources

__all__ = ["load_labels", "read_summary"]


def read_summary(sources: PageSources, source: PageSource) -> dict[str, Any] | None:
    """Return the summary of the model's answer for a page; None if the page has no blocks.

    :raises OSError: see `PageSources.load`, as for PageError.
    """
    loaded = load_labels(sources, source)
    facts: dict[str, Any] = loaded.facts["facts"]
    return facts if loaded.texts else None


def load_labels(sources: PageSources, source: PageSource) -> LoadedLabels:
    """Return a page with its blocks.

    :raises OSError: see `PageSources.load`, as for PageError.
    """
    page = sources.load(source)
    if page is None:
        facts = facts_of_item(source.item or {}, source.name)
        return LoadedLabels(facts, facts["texts"], [path or "" for path in facts["paths"]])
    facts = see_page(page.body, source.name, page.options, url=page.url, encoding=page.encoding)
    blocks = read_page_blocks(page.body, encoding=page.encoding, timeout=page.options.timeout)
    if tuple(facts["texts"]) != blocks.shown or facts["html"] is None:
        facts = _show_blocks(facts, blocks)
    return LoadedLabels(facts, blocks.texts, blocks.paths)


def _show_blocks(facts: dict[str, Any], blocks: PageBlocks) -> dict[str, Any]:
    """Return *facts* with *blocks*, for an answer with others: from a script, from rules, or of cut elements.

    Blocks that the answer does not have are boilerplate.
    """
    answer = Reading("", "", find_runs(facts["labels"]), tuple(map(hash_text, facts["texts"])))
    labels = fit_reading(answer, blocks.shown).labels
    n_blocks = len(blocks.texts)
    return {
        **facts,
        "texts": [*blocks.shown],
        "labels": [max(label, 0) for label in labels.tolist()],
        "probabilities": None,
        "tags": [*blocks.tags],
        "paths": [*blocks.paths],
        "held": [""] * n_blocks,
        "pieces": [],
        "html": blocks.html,
        "chain": None,
    }
