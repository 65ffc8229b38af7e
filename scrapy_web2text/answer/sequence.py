"""The stages from a page to its answer, in order. Each writes a part of the trace. If a stage fails, the others run."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from lxml import etree

from scrapy_web2text.answer.labels import label, label_by_model, label_by_rules, label_elements, label_fragment
from scrapy_web2text.answer.trace import Labeled, MainText, Trace, attempt
from scrapy_web2text.common.arrays import BoolArray
from scrapy_web2text.common.budget import Budget
from scrapy_web2text.content.arrangement import arrange_content
from scrapy_web2text.content.builder import build_document
from scrapy_web2text.content.chunks import chunk_paragraphs
from scrapy_web2text.content.content import Content, select_content, select_script_content
from scrapy_web2text.content.escaping import Allowance, drop_forbidden
from scrapy_web2text.content.html import write_html
from scrapy_web2text.content.markdown import write_markdown
from scrapy_web2text.content.nodes import Document
from scrapy_web2text.content.notes import join_notes
from scrapy_web2text.content.paragraphs import write_paragraphs
from scrapy_web2text.content.text import content_text, write_blocks
from scrapy_web2text.extraction import EMPTY_PARTS, Extraction, Metadata
from scrapy_web2text.features.quality import measure_quality
from scrapy_web2text.labelers.confidence import share_of_read_words
from scrapy_web2text.labelers.roles import name_roles
from scrapy_web2text.metadata.hidden_content import LEAST_LETTERS
from scrapy_web2text.metadata.read import identify_language, read_metadata
from scrapy_web2text.metadata.title import find_headline, select_headline
from scrapy_web2text.page.arrays import Page, tree_to_page
from scrapy_web2text.page.blocks import BlockSequence, labels_to_mask
from scrapy_web2text.page.bounds import is_cut_short, is_longer, most_blocks
from scrapy_web2text.page.encoding import to_utf_8
from scrapy_web2text.page.parse import is_empty
from scrapy_web2text.page.paths import export_blocks
from scrapy_web2text.page.sniffing import measure_source
from scrapy_web2text.posts.posts import arrange_headers, find_comments, find_post_starts, find_posts, is_forum
from scrapy_web2text.verdicts.judge import judge_page
from scrapy_web2text.verdicts.kinds import REFUSALS, TEXTLESS_KINDS, TYPED_KINDS

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from scrapy_web2text.extraction import Method

# Characters. A page with less text may have more in its scripts.
_LITTLE_TEXT = LEAST_LETTERS // 2
# Characters. A page with less text may have lost text, if its source is much longer.
_LITTLE_READ: Final = 1_000
_MUCH_TEXT: Final = 1_000
_HEAD: Final = frozenset({"head", "title"})


def run_stages(trace: Trace) -> None:
    """Read the page of *trace*, and run the `STAGES` on it within its limits."""
    options, first, html = trace.options, trace.labelers.first, trace.source.html
    if not trace.source.is_html:
        trace.reason = "not_html"
    elif is_longer(html, options.max_bytes):
        trace.reason = "max_bytes"
    elif is_empty(html):
        trace.kind, trace.reason = "empty", "empty_body"
    else:
        limit = most_blocks(html, options.max_blocks, first.block_bytes if first else 0)
        trace.first_half = Budget(options.timeout, limit)
        with Budget(options.timeout and 2 * options.timeout, limit).running():
            attempt(trace, _read_page)
            if trace.page is not None:
                for stage in STAGES:
                    attempt(trace, stage, trace.page)


def _read_page(trace: Trace) -> None:
    html, root = trace.source.html, trace.source.parsed.root
    page = tree_to_page(root)
    text = html if isinstance(html, bytes | str) else etree.tostring(root, encoding="unicode")
    trace.page, trace.max_form_characters = page, 4 * len(text) + 10_000


def _find_title(trace: Trace, page: Page) -> None:
    """Find the text that the option ``title_selector`` selects or, if there is none, the title of *page*."""
    selector = trace.options.title_selector
    trace.title = drop_forbidden(
        (selector and select_headline(page, selector)) or find_headline(page.landmarks, trace.url)
    )


def _write_main(trace: Trace, page: Page) -> None:
    """Select the content by the labels, as the options want it, and write its text."""
    if trace.labeled is not None:
        # The headline of a fragment is content like the rest of it.
        title = "" if trace.labeled.labeler.method == "fragment" else trace.title
        lines: dict[int, str] = {}
        labels = join_notes(page, trace.labeled.labeling.blocks, trace.labeled.labels)
        if is_forum(trace.labeled.labeling):
            labels, lines = arrange_headers(page, trace.labeled.labeling, labels, trace.options)
        trace.labeled = replace(trace.labeled, labels=labels)
        trace.main = _select_main(trace, page, trace.labeled, title, lines)


def _write_main_by_rules(trace: Trace, page: Page) -> None:
    """If the content could not be written, drop the labels. If they are not by the rules, answer by the rules."""
    failed, rules = trace.labeled, trace.labelers.rules
    if failed is None or trace.main is not None:
        return
    trace.labeled = None
    if rules is not None and failed.labeler is not rules:
        labeled = label(trace, page, rules)
        trace.main = _select_main(trace, page, labeled, trace.title)
        trace.labeled = labeled


def _select_main(
    trace: Trace, page: Page, labeled: Labeled, title: str, lines: Mapping[int, str] = MappingProxyType({})
) -> MainText:
    """Select the content, with *lines* in place of the texts of some leaves, and write its text."""
    labeling = labeled.labeling
    page = replace(page, texts=[lines.get(leaf, text) for leaf, text in enumerate(page.texts)]) if lines else page
    selected = select_content(
        page,
        labeling.blocks,
        labeled.labels,
        labeling.probabilities,
        url=trace.url,
        options=trace.options,
        selected=labeling.selected,
        omitted=labeling.omitted,
    )
    if lines:
        selected = selected.without(_mark_others(page, labeling.blocks, lines))
    return _write_text(selected, title)


def _write_text(selected: Content, title: str) -> MainText:
    content = arrange_content(selected, title)
    return MainText(content, drop_forbidden(content_text(content)))


def _mark_others(page: Page, blocks: BlockSequence, lines: Collection[int]) -> BoolArray:
    """Return which slots have a text of a block that a line replaces, except the slots of the *lines*.

    *Shape:* ``(2 * n_elements,)``
    """
    is_line = np.isin(blocks.leaves, [*lines])
    is_other = np.isin(blocks.leaf_blocks, blocks.leaf_blocks[is_line]) & ~is_line
    slots = np.zeros(2 * page.n_elements, dtype=bool)
    slots[page.leaf_slots[blocks.leaves[is_other]]] = True
    return slots


def _judge(trace: Trace, page: Page) -> None:
    """Find the kind of *page*. Selected elements, and fragments by the caller's word, are content or empty."""
    labeled = trace.labeled
    if labeled is None:
        return
    is_called_fragment = trace.source.parsed.extent == "element" or trace.options.fragment is True
    if labeled.is_complete and (labeled.labeler.method == "selector" or is_called_fragment):
        trace.kind = "content" if labeled.has_content else "empty"
    else:
        trace.kind = judge_page(page, labeled.labeling)


def _drop_text_by_kind(trace: Trace, page: Page) -> None:
    """Drop the text of a page whose kind has no content, such as ``consent``, ``login`` or ``error``."""
    labeled = trace.labeled
    if labeled is not None and trace.kind in TEXTLESS_KINDS and trace.options.page_kind and labeled.has_content:
        trace.emptied, trace.labeled, trace.main = labeled, labeled.without_content(), None
        trace.main = _select_main(trace, page, trace.labeled, trace.title)


def _lower_confidence(trace: Trace, _: Page) -> None:
    """Lower the confidence if characters of the text could not be decoded."""
    labeled, main = trace.labeled, trace.main
    if labeled is not None and labeled.confidence is not None and main is not None and "\ufffd" in main.text:
        trace.labeled = replace(labeled, confidence=labeled.confidence * share_of_read_words(main.text))


def _find_script_content(trace: Trace, page: Page) -> None:
    """Look for content in the scripts of a page with hardly any text."""
    labeled, main = trace.labeled, trace.main
    if trace.kind in REFUSALS:
        return
    if main is not None:
        if len(main.text) >= _LITTLE_TEXT or (labeled is not None and labeled.is_complete):
            return
        # Content that the options leave out counts, too.
        labels = main.content.labels if labeled is None else labeled.labeling.labels
        if replace(main.content, labels=labels).n_selected_characters >= _LITTLE_TEXT:
            return
    selected = select_script_content(page, trace.url, trace.options)
    if selected is not None:
        trace.main = _write_text(selected, trace.title)
        trace.reason = trace.reason or "empty"


def _find_other_language(trace: Trace, _: Page) -> None:
    """Find the language of the text if the options do not list it."""
    if trace.main is not None and trace.options.languages:
        language, score = identify_language(trace.main.text) or (None, None)
        if language not in (None, *trace.options.languages):
            trace.other_language = Metadata(language=language, language_score=score)


def _export_blocks(trace: Trace, page: Page) -> None:
    labeled, options = trace.labeled, trace.options
    if trace.shown is None or labeled is None or options.blocks == "none":
        return
    labeling, names = labeled.labeling, tuple(page.names)
    has_roles = trace.paths or "role" in options.block_fields
    blocks = export_blocks(
        page,
        labeling.blocks,
        labeled.labels,
        labeling.probabilities,
        drop_forbidden(tuple(write_blocks(page, labeling.blocks))),
        name_roles(labeling) if has_roles else None,
        hidden=labeling.hidden,
        content_only=options.blocks == "content",
        path_characters=trace.max_form_characters if trace.paths else 0,
    )
    # Blocks have no other texts that could contain forbidden characters.
    trace.blocks = blocks if drop_forbidden(names) is names else drop_forbidden(blocks)


# Part of an answer -> the function that writes it from the document. A new output form begins with a line here.
FORMS: Final[dict[str, Callable[[Document, Allowance], Any]]] = {"html": write_html, "markdown": write_markdown}


def _build_document(trace: Trace, page: Page) -> None:
    """Build the document if the options ask for a form of it, with a rule between posts."""
    if trace.shown is not None and not {*FORMS, "paragraphs", "chunks"}.isdisjoint(trace.options.parts):
        content = trace.shown.content
        labeling = None if trace.labeled is None or content.is_from_script else trace.labeled.labeling
        starts = [] if labeling is None else find_post_starts(page, labeling, trace.options)
        trace.document = build_document(content, starts[1:])


def _write_form(trace: Trace, _: Page, *, name: str) -> None:
    if trace.document is not None and name in trace.options.parts:
        allowance = Allowance(trace.max_form_characters)
        _add_form(trace, name, FORMS[name](trace.document, allowance), allowance)


def _write_paragraphs(trace: Trace, _: Page) -> None:
    """Write the paragraphs if the options ask for paragraphs or chunks."""
    if trace.document is None or trace.shown is None:
        return
    if trace.options.paragraphs or trace.options.chunks:
        labeling = None if trace.labeled is None else trace.labeled.labeling
        allowance = Allowance(trace.max_form_characters)
        paragraphs = write_paragraphs(trace.shown.content, labeling, trace.document, allowance)
        _add_form(trace, "paragraphs", paragraphs, allowance)


def _add_form(trace: Trace, name: str, form: Any, allowance: Allowance) -> None:
    trace.reason = trace.reason or ("simplified" if allowance.is_spent else None)
    trace.parts[name] = drop_forbidden(form)


def _cut_chunks(trace: Trace, _: Page) -> None:
    if trace.options.chunks is not None and trace.parts.get("paragraphs"):
        trace.parts["chunks"] = chunk_paragraphs(trace.parts["paragraphs"], trace.options.chunks)


def _measure_quality(trace: Trace, _: Page) -> None:
    if trace.shown is not None and trace.options.quality:
        trace.parts["quality"] = measure_quality(trace.shown.text)


def _list_posts(trace: Trace, page: Page) -> None:
    """List the posts of a forum, and the comments of readers, if the options ask for them."""
    labeled, options = trace.labeled, trace.options
    if trace.shown is not None and labeled is not None and labeled.has_content:
        if options.posts:
            trace.parts["posts"] = drop_forbidden(find_posts(page, labeled.labeling, options))
        if options.comments == "separate":
            trace.parts["comments"] = drop_forbidden(find_comments(page, labeled.labeling, options))


def _read_metadata(trace: Trace, page: Page) -> None:
    """Read the metadata of *page*, with the language and the images of its main content."""
    if trace.options.metadata:
        text, images = ("", ()) if trace.main is None else (trace.main.text, trace.main.content.image_urls)
        found = read_metadata(
            page,
            url=trace.url,
            title=trace.title,
            text=text,
            images=images,
            is_published=trace.kind not in REFUSALS,
            is_thread=trace.labeled is not None and is_forum(trace.labeled.labeling),
        )
        trace.parts["metadata"] = drop_forbidden(found)


def _note_flaws(trace: Trace, page: Page) -> None:
    """Give a reason if the page was not read completely: it is nested too deeply, or lost text."""
    html = trace.source.html
    if trace.reason is not None or not isinstance(html, bytes | str):
        return
    if is_cut_short(page.root):
        trace.reason = "too_deep"
    elif _loses_text(page, html):
        trace.reason = "lost_text"


def _loses_text(page: Page, source: bytes | str) -> bool:
    """Return whether *page* has little text, and its *source* much more."""
    if len(source) < _MUCH_TEXT:
        return False
    in_head = page.is_inside(_HEAD, np.arange(page.n_leaves)).nonzero()[0].tolist()
    n_read = sum(map(len, page.texts)) - sum(len(page.texts[leaf]) for leaf in in_head)
    if n_read >= _LITTLE_READ:
        return False
    return measure_source(source if isinstance(source, bytes) else to_utf_8(source)) >= max(_MUCH_TEXT, 5 * n_read)


STAGES: Final[tuple[Callable[[Trace, Page], None], ...]] = (
    _find_title,
    label_elements,
    label_fragment,
    label_by_model,
    label_by_rules,
    _write_main,
    _write_main_by_rules,
    _judge,
    _drop_text_by_kind,
    _lower_confidence,
    _find_script_content,
    _find_other_language,
    _export_blocks,
    _build_document,
    *(partial(_write_form, name=name) for name in FORMS),
    _write_paragraphs,
    _cut_chunks,
    _measure_quality,
    _list_posts,
    _read_metadata,
    _note_flaws,
)


def _read_parts(trace: Trace) -> dict[str, Any]:
    """Return the parts of the answer that the options ask for."""
    parts = {name: trace.parts.get(name, EMPTY_PARTS[name]) for name in trace.options.parts}
    if trace.other_language is not None:
        parts["metadata"] = parts.get("metadata") or trace.other_language
    return parts


def trace_to_extraction(trace: Trace) -> Extraction:
    """Return the answer that *trace* leads to."""
    shown, parsed = trace.shown, None if trace.page is None else trace.source.parsed
    is_from_script = trace.main is not None and trace.main.content.is_from_script
    labeled = None if trace.main is None else trace.labeled  # without written content, labels are not an answer
    is_unwanted = trace.other_language is not None
    # Content from a script, or left out for its language, is not a labeler's answer, so it has no confidence.
    answered = None if is_from_script or is_unwanted else labeled
    method: Method = "none" if shown is None else "structured-data"
    if answered is not None:
        method = answered.labeler.method
    page_type, probability = None, None
    if labeled is not None and trace.kind in TYPED_KINDS:
        page_type, probability = labeled.labeling.page_type or (None, None)
    return Extraction(
        text="" if shown is None else shown.text,
        title=trace.title,
        method=method,
        page_kind="content" if is_from_script else trace.kind,
        page_type=page_type,
        page_type_probability=probability,
        model=None if answered is None or answered.is_complete else answered.labeler.name,
        confidence=None if answered is None else answered.confidence,
        reason="language" if is_unwanted else trace.reason,
        error=trace.error,
        low_confidence=answered is not None and answered.is_low(trace.options),
        n_blocks=0 if labeled is None else labeled.labeling.blocks.n_blocks,
        n_content=0 if labeled is None or is_unwanted else int(labels_to_mask(labeled.labels).sum()),
        blocks=trace.blocks,
        **_read_parts(trace),
        encoding=parsed and parsed.encoding,
        encoding_source=parsed and parsed.source,
        url=trace.url,
        elapsed=trace.elapsed,
    )
