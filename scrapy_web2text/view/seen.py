"""Collects what the viewer shows of a page, as plain data for JSON: its answer, the page itself, and its labels."""

from __future__ import annotations

import sys
from base64 import b64decode
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, Final, get_type_hints

import numpy as np
from msgspec import ValidationError, convert

from scrapy_web2text.answer.sequence import trace_to_extraction
from scrapy_web2text.answer.trace import Trace
from scrapy_web2text.common.arrays import DoubleArray
from scrapy_web2text.common.budget import Budget, watched
from scrapy_web2text.exceptions import PageError
from scrapy_web2text.extraction import Extraction, Label
from scrapy_web2text.extractor import Extractor
from scrapy_web2text.labelers.base import Chain, Labeling
from scrapy_web2text.labelers.chain import decode
from scrapy_web2text.options import Options
from scrapy_web2text.page.arrays import Page
from scrapy_web2text.page.invisible import drop_invisible
from scrapy_web2text.reasons import NO_CONTENT, REASONS
from scrapy_web2text.sources.source import Source
from scrapy_web2text.view.document import write_view
from scrapy_web2text.view.markup import mark_page, show_look
from scrapy_web2text.workers.worker import get_extractor

# The summary of an answer, in the order in which it is shown.
_FACTS: Final = (
    "confidence", "low_confidence", "page_kind", "page_type", "n_blocks", "n_content", "model", "method", "reason",
    "error", "encoding", "url",
)  # fmt: skip
_CONTENT: Final = Label.CONTENT.name.lower()
_CRAWLED_TEXT: Final = "main_content"  # the item field of the text by default
_LONGEST_PATH: Final = 500  # characters
_N_DIGITS: Final = 6  # of log-potentials


def facts_of_answer(extraction: Extraction, name: str) -> dict[str, Any]:
    """Return what an answer says about a page, without the page itself.

    :param name: what the page is called in the list of pages.
    """
    return _gather(extraction.to_dict(), name, [block.to_dict(_COLUMNS) for block in extraction.blocks])


def facts_of_item(item: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Return what an item of a feed says about a page. The item may have only parts of the answer.

    The summary of an answer may be in the key ``web2text`` or ``summary``, or at the top. Values whose type is
    wrong for an answer are ignored.
    """
    summaries = (item.get(key) for key in ("summary", "web2text_summary", "web2text"))
    summary = next((value for value in summaries if isinstance(value, dict)), {})
    parts = (part.items() for part in (summary, item))
    known = {key: value for part in parts for key, value in part if key in _READ and _has_type(key, value)}
    if "text" not in known and isinstance(item.get(_CRAWLED_TEXT), str):
        known["text"] = item[_CRAWLED_TEXT]
    blocks = item.get("blocks")
    rows = [row for row in blocks if isinstance(row, dict)] if isinstance(blocks, list) else []
    return _gather(known, name, rows)


_COLUMNS: Final = ("text", "label", "probability", "tag", "path", "role")
_READ: Final = frozenset((*_FACTS, "text", "title"))
# In lines of a batch, the error is a message.
_TYPES: Final = get_type_hints(Extraction, include_extras=True) | {"error": str | None}


def _has_type(key: str, value: object) -> bool:
    try:
        convert(value, _TYPES[key])
    except ValidationError:
        return False
    return True


def _is_number(value: object) -> bool:
    """Return whether *value* is a number for JSON and for the viewer."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= sys.float_info.max


def _gather(answer: Mapping[str, Any], name: str, rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    texts = [str(row.get("text") or "") for row in rows]
    labels = [int(row.get("label") == _CONTENT) for row in rows]
    probabilities = [row.get("probability") for row in rows]
    has_probabilities = bool(rows) and all(map(_is_number, probabilities))
    content = [(i, text) for i, (text, label) in enumerate(zip(texts, labels, strict=True)) if label]
    reason = answer.get("reason")
    return {
        "name": name,
        "title": drop_invisible(answer.get("title") or ""),
        "facts": {key: answer[key] for key in _FACTS if answer.get(key) not in (None, "", False)},
        "reason": REASONS.get(reason) if isinstance(reason, str) else None,  # type: ignore[call-overload]
        "no_content": None if answer.get("text") or content else NO_CONTENT.get(answer.get("page_kind") or ""),
        "texts": texts,
        "labels": labels,
        "probabilities": probabilities if has_probabilities else None,
        "tags": [str(row.get("tag") or "") for row in rows],
        "paths": [_shorten(row.get("path")) for row in rows],
        "roles": [str(row.get("role") or "") for row in rows],
        "drop_reasons": [""] * len(rows),
        "emptied": None,
        "pieces": link_text(str(answer.get("text") or ""), content),
        "html": None,
        "chain": None,
    }


def _shorten(path: object) -> str | None:
    """Return the path of a block. A long path is cut to its end, which tells more."""
    if not isinstance(path, str):
        return None
    return path if len(path) <= _LONGEST_PATH else f"…{path[-_LONGEST_PATH:]}"


def add_page(facts: dict[str, Any], page: Page, labeling: Labeling) -> dict[str, Any]:
    """Return *facts* with the page itself, and with the values from which its labels were decoded.

    :param labeling: the labels of the labeler that answered. The labels in *facts* also depend on the kind of the page.
    """
    added: dict[str, Any] = {"html": mark_page(page, labeling.blocks)}
    chain = labeling.chain
    if chain is not None:
        block_of = dict(zip(chain.blocks.leaves.tolist(), chain.blocks.leaf_blocks.tolist(), strict=True))
        # The block of the chain that each block of the labels is a part of.
        origins = [block_of[leaf] for leaf in labeling.blocks.leaves[labeling.blocks.starts].tolist()]
        added["chain"] = _describe_chain(chain, origins)
        added |= _find_drops(page, labeling, chain, origins, facts["labels"])
    return {**facts, **added}


def _describe_chain(chain: Chain, origins: list[int]) -> dict[str, Any]:
    """Return log-odds of blocks and log-ratios of pairs (01, 10 and 11, each to 00), before weighting."""
    pairs = chain.pairwise.reshape(-1, 4)
    return {
        "odds": _round(chain.unary[:, 1] - chain.unary[:, 0]),
        "pairs": [_round(pairs[:, k] - pairs[:, 0]) for k in (1, 2, 3)],
        "origins": origins,
        "lam": chain.lam,
        "temperature": chain.temperature,
        "threshold": chain.threshold,
        "decoder": chain.decoder,
    }


def _round(values: DoubleArray) -> list[float]:
    return np.round(values.astype(np.float64), _N_DIGITS).tolist()


def _find_drops(page: Page, labeling: Labeling, chain: Chain, origins: list[int], labels: list[int]) -> dict[str, Any]:
    """Return why blocks are boilerplate although the chain decodes them as content: for each block and for the page.

    The reasons are ``excluded``, ``copy``, and, for all blocks of a page, ``verdict`` and ``unlikely``.
    """
    decoded = decode(*chain.potentials, decoder=chain.decoder, threshold=chain.threshold)[0][origins]
    own = labeling.labels == Label.CONTENT
    omitted = labeling.omitted
    drop_reasons = [""] * len(labels)
    if omitted is not None:
        is_excluded = omitted[page.leaf_slots[labeling.blocks.leaves[labeling.blocks.starts]]]
        drop_reasons = ["excluded" if flag else "" for flag in is_excluded.tolist()]
    emptied = None
    if not any(labels) and decoded.any():
        emptied = "verdict" if own.any() else "unlikely"
    for i in np.flatnonzero(decoded & (np.array(labels) == Label.BOILERPLATE)).tolist():
        drop_reasons[i] = drop_reasons[i] or emptied or "copy"
    return {"drop_reasons": drop_reasons, "emptied": emptied}


# The number of a block, -1 for none, and the part of the text that comes from the block.
Piece = tuple[int, str]

# Characters after a block in which the next one is searched for, since some texts, such as descriptions of images, are
# in no block.
_REACH: Final = 2_000
# The most characters after the last found block in which a block is searched for. Otherwise, each of many missing
# blocks of a hostile page would be searched for in the whole of a long text.
_FARTHEST: Final = 50_000
# A line that begins with these characters of a block, or is shorter and begins the block, is from the block.
_BEGINNING: Final = 20


def link_text(text: str, texts: Sequence[tuple[int, str]]) -> list[Piece]:
    """Return *text*, cut into parts that each come from one block. Joined, the parts are the text again.

    A block is found by its characters without whitespace, after the block before it. The beginning of its first line,
    such as the mark of a list item, belongs to it.

    :param texts: number and text of each block of content, in document order.
    """
    positions = [i for i, character in enumerate(text) if not character.isspace()]
    dense = "".join(map(text.__getitem__, positions))
    cuts: list[tuple[int, int]] = []  # where a part begins, and its block
    cursor = n_missed = end = 0
    for number, block_text in watched(texts, len(texts)):
        wanted = "".join(block_text.split())
        start = dense.find(wanted, cursor, cursor + len(wanted) + min(_REACH + n_missed, _FARTHEST)) if wanted else -1
        if start < 0:  # the text may lack a part of the block, such as the sign of a permanent link after a heading
            n_missed += len(wanted)
            beginning = _read_beginning(text, positions[cursor : cursor + _BEGINNING], end)
            if not beginning or not wanted.startswith(beginning):
                continue
            start, wanted = cursor, beginning
        else:
            n_missed = 0
        begin = positions[start]
        cuts.append((text.rfind("\n", end, begin) + 1 or (begin if cuts else 0), number))
        cursor = start + len(wanted)
        end = positions[cursor - 1] + 1
    cuts = [(0, -1), *cuts, (len(text), -1)]
    return [(number, text[begin:end]) for (begin, number), (end, _) in pairwise(cuts) if begin < end]


def _read_beginning(text: str, places: list[int], end: int) -> str:
    """Return the characters at *places*, up to the end of their line; empty if no line begins after *end*."""
    if not places or (end and "\n" not in text[end : places[0]]):
        return ""
    return "".join(text[places[0] : places[-1] + 1].partition("\n")[0].split())


def see_page(page: bytes | Source, name: str, options: Options, *, url: str | None = None) -> dict[str, Any]:
    """Return what the viewer shows of a page. *name* is its name in the list of pages."""
    return show_trace(Extractor(options.replace(blocks="all"), warns=False).trace(page, url), name)


def show_trace(trace: Trace, name: str) -> dict[str, Any]:
    """Return what the viewer shows of a page by the trace of its extraction, with all of its blocks."""
    facts = facts_of_answer(trace_to_extraction(trace), name)
    labeled = trace.emptied or trace.labeled
    if trace.page is None or labeled is None or not trace.blocks:
        return facts
    try:
        with Budget(trace.options.timeout).running():
            facts = add_page(facts, trace.page, labeled.labeling)
            return {**facts, "look": show_look(trace.page, labeled.labeling.blocks)}
    except PageError:  # the time is used up, or the page takes too much memory
        return facts


def write_answer(extraction: Extraction) -> str:
    """Return an HTML document that shows the blocks with their labels, beside the text; it needs no network.

    The document lacks the page itself, since an answer does not hold it. ``web2text view`` also shows the page.
    """
    return write_view([facts_of_answer(extraction, extraction.url or "page")])


def read_input(message: Mapping[str, Any]) -> tuple[bytes, str | None]:
    """Return the page in *message*, and its encoding: HTML in ``input``, or the bytes of a ``file`` in base64."""
    if "file" in message:
        return b64decode(message["file"]), None
    return message["input"].encode(errors="replace"), "utf-8"


def show_page(options: Options, body: bytes, encoding: str | None) -> dict[str, Any]:
    """Return the answer for a page as plain data, the reason in words, and the viewer of the page as a document."""
    trace = get_extractor(options.replace(blocks="all", markdown=True)).trace(body, encoding=encoding)
    page = show_trace(trace, "page")
    answer = trace_to_extraction(trace).to_dict()
    return {"document": write_view([page]), "reason": page["no_content"] or page["reason"], "answer": answer}
