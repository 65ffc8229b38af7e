"""The stages from a page to its answer, in their order. Each has its result once, and can fail alone."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
from lxml import etree

from scrapy_web2text.answer.labels import Labeled, label_by_rules, label_page
from scrapy_web2text.answer.stages import Work, stage
from scrapy_web2text.common.budget import Budget
from scrapy_web2text.content.arrangement import arrange_content
from scrapy_web2text.content.builder import build_document
from scrapy_web2text.content.content import Content, select_content, select_hidden_content
from scrapy_web2text.content.escaping import Allowance, drop_forbidden
from scrapy_web2text.content.html import write_html
from scrapy_web2text.content.markdown import write_markdown
from scrapy_web2text.content.nodes import Document
from scrapy_web2text.content.paragraphs import write_paragraphs
from scrapy_web2text.content.posts import find_posts
from scrapy_web2text.content.text import content_text, write_blocks
from scrapy_web2text.features.quality import measure_quality
from scrapy_web2text.labelers.confidence import share_of_read_words
from scrapy_web2text.labelers.registry import Labelers
from scrapy_web2text.labelers.roles import name_roles
from scrapy_web2text.metadata.hidden_content import LEAST_LETTERS
from scrapy_web2text.metadata.read import Metadata, identify_language, read_metadata
from scrapy_web2text.metadata.title import find_headline, select_headline
from scrapy_web2text.page.arrays import Page, tree_to_page
from scrapy_web2text.page.blocks import labels_to_mask
from scrapy_web2text.page.bounds import is_flattened, is_longer, most_blocks
from scrapy_web2text.page.encoding import to_utf_8
from scrapy_web2text.page.parse import is_empty, parse
from scrapy_web2text.page.paths import export_blocks
from scrapy_web2text.page.sniffing import measure_text
from scrapy_web2text.verdicts.judge import judge_page
from scrapy_web2text.verdicts.kinds import REFUSALS, TEXTLESS_KINDS, TYPED_KINDS

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy_web2text.extraction import Method
    from scrapy_web2text.page.blocks import Block
    from scrapy_web2text.page.parse import Html
    from scrapy_web2text.page.sniffing import Extent
    from scrapy_web2text.verdicts.kinds import PageKind

# Characters. A page with less text may have more in its scripts.
_LITTLE_TEXT = LEAST_LETTERS // 2
# Characters of a page that has much less text than its source of that many bytes.
_LITTLE_READ: Final = 1_000
_MUCH_TEXT: Final = 1_000
_HEAD: Final = frozenset({"head", "title"})


class MainText(NamedTuple):
    """The main content of a page, and its text."""

    content: Content
    text: str

    @property
    def is_short(self) -> bool:
        """Whether there is so little text that the scripts of the page may have more."""
        return len(self.text) < _LITTLE_TEXT


@stage
def answer_html(work: Work, html: Html, encoding: str | None, labelers: Labelers, *, paths: bool) -> dict[str, Any]:
    """Return the answer for a page in any form, by the fields of an `Extraction`; URL and elapsed time are not set.

    :param paths: whether to find the XPaths of blocks, and their roles.
    """
    options = work.options
    if is_longer(html, options.max_bytes):
        return {"fallback_reason": "max_bytes"}
    if is_empty(html):
        return {"page": "empty", "fallback_reason": "empty_body"}
    limit = most_blocks(html, options.max_blocks, labelers.first.block_bytes if labelers.first else 0)
    # The model has half of the time, so that the rules can still answer.
    budget = Budget(options.timeout and 2 * options.timeout, limit)
    with budget.running():
        parsed = parse(html, encoding=encoding)
        page = tree_to_page(parsed.root)
        source = html if isinstance(html, bytes | str) else etree.tostring(parsed.root, encoding="unicode")
        work.longest = 4 * len(source) + 10_000
        answer = _answer_page(work, page, labelers, budget, parsed.extent, paths=paths)
        if answer["fallback_reason"] is None and isinstance(html, bytes | str) and _loses_text(work, page, html):
            answer["fallback_reason"] = "lost_text"
        return answer | {"encoding": parsed.encoding, "encoding_source": parsed.source}


@stage
def _loses_text(_: Work, page: Page, source: bytes | str) -> bool:
    """Return whether *page* has little text, and its *source* much more."""
    in_head = page.is_inside(_HEAD, np.arange(page.n_leaves)).tolist()
    n_read = sum(len(text) for text, is_title in zip(page.texts, in_head, strict=True) if not is_title)
    if n_read >= _LITTLE_READ:
        return False
    return measure_text(source if isinstance(source, bytes) else to_utf_8(source)) >= max(_MUCH_TEXT, 5 * n_read)


def _answer_page(
    work: Work, page: Page, labelers: Labelers, budget: Budget, extent: Extent, *, paths: bool
) -> dict[str, Any]:
    options = work.options
    title = _find_title(work, page) or ""
    answer: dict[str, Any] = {"title": title}
    labeled, main = _label_and_write(work, page, title, labelers, budget, extent)

    # What the page is. A wall has no content.
    if labeled is not None:
        kind = _judge(work, page, labeled, extent)
        if kind in TEXTLESS_KINDS and options.page_verdict and labeled.has_content:
            labeled = labeled.without_content()
            main = _write_main(work, page, labeled, title)
        if main is not None and "\ufffd" in main.text:
            labeled = _lower_confidence(work, labeled, main.text) or labeled
        answer |= _describe(work, labeled, kind)

    # If there is hardly any text, the scripts of the page may have more.
    is_complete = labeled is not None and labeled.is_complete
    if answer.get("page") not in REFUSALS and (main is None or (main.is_short and not is_complete)):
        hidden = _write_hidden(work, page, title, main, labeled)
        if hidden is not None:
            main, work.reason = hidden, work.reason or "empty"
            answer |= _without_labeler("structured-data", page="content")

    # The forms of the content and the blocks, unless its language is not wanted.
    language = _find_other_language(work, main.text) if main is not None and options.languages else None
    if language is not None:
        answer |= _without_labeler("none", n_content=0, metadata=language)
    elif main is not None:
        answer["text"] = main.text
        if labeled is not None and options.blocks != "none":
            answer["blocks"] = _export_blocks(work, page, labeled, paths and work.longest) or ()
        answer |= _write_forms(work, page, main, labeled)

    if options.metadata:
        answer["metadata"] = _read_metadata(work, page, title, main) or answer.get("metadata")
    reason = "language" if language is not None else work.reason or ("too_deep" if is_flattened(page.root) else None)
    return answer | {"fallback_reason": reason, "error": work.error}


@stage
def _find_title(work: Work, page: Page) -> str:
    """Return what the option ``title_selector`` selects, or the title of *page*; empty if there is neither."""
    selector = work.options.title_selector
    return drop_forbidden((selector and select_headline(page, selector)) or find_headline(page.landmarks))


def _label_and_write(
    work: Work, page: Page, title: str, labelers: Labelers, budget: Budget, extent: Extent
) -> tuple[Labeled, MainText] | tuple[None, None]:
    """Return labels, content and text of *page*, by the rules if the model fails; None if both fail."""
    labeled = label_page(work, page, labelers, budget, extent)
    while labeled is not None:
        # The headline of a fragment is content like the rest of it.
        main = _write_main(work, page, labeled, "" if labeled.labeler.method == "fragment" else title)
        if main is not None:
            return labeled, main
        labeled = None if labeled.labeler is labelers.rules else label_by_rules(work, page, labelers)
    return None, None


@stage
def _write_main(work: Work, page: Page, labeled: Labeled, title: str) -> MainText:
    """Return the content that the labels select, as the options want it, with its text."""
    labeling = labeled.labeling
    columns = labeling.blocks, labeled.labels, labeling.probabilities
    selected = select_content(
        page, *columns, url=work.url, options=work.options, selected=labeling.selected, omitted=labeling.omitted
    )
    return _write_text(selected, title)


@stage
def _judge(work: Work, page: Page, labeled: Labeled, extent: Extent) -> PageKind:
    """Return the kind of *page*; what the caller selects or calls a fragment is content, whatever it says."""
    is_called_fragment = extent == "element" or work.options.fragment is True
    if labeled.is_complete and (labeled.labeler.method == "selector" or is_called_fragment):
        return "content" if labeled.has_content else "empty"
    return judge_page(page, labeled.labeling)


@stage
def _lower_confidence(_: Work, labeled: Labeled, text: str) -> Labeled:
    """Return *labeled* with a lower confidence, since characters of its *text* could not be decoded."""
    share = share_of_read_words(text)
    return replace(labeled, confidence=None if labeled.confidence is None else labeled.confidence * share)


def _describe(work: Work, labeled: Labeled, kind: PageKind | None) -> dict[str, Any]:
    """Return the kind of the page, the labeler, the confidence and the counts of these labels, by field."""
    labeling = labeled.labeling
    page_type, probability = (kind in TYPED_KINDS and labeling.page_type) or (None, None)
    return {
        "method": labeled.labeler.method,
        "page": kind,
        "page_type": page_type,
        "page_type_probability": probability,
        "model": None if labeled.is_complete else labeled.labeler.name,
        "confidence": labeled.confidence,
        "low_confidence": labeled.is_low(work.options),
        "n_blocks": labeling.blocks.n_blocks,
        "n_content": int(labels_to_mask(labeled.labels).sum()),
    }


def _without_labeler(method: Method, **changes: Any) -> dict[str, Any]:
    """Return the fields of an answer by *method*, with *changes*. It is not from a labeler, so it has no confidence."""
    return {"method": method, "model": None, "confidence": None, "low_confidence": False, **changes}


@stage
def _write_hidden(
    work: Work, page: Page, title: str, main: MainText | None, labeled: Labeled | None
) -> MainText | None:
    """Return the content in the scripts of *page*, with its text; None if there is none.

    :param main: the content that the labels select, if its text is short; what the options leave out counts, too.
    """
    if main is not None:
        labels = main.content.labels if labeled is None else labeled.labeling.labels
        if replace(main.content, labels=labels).n_selected_characters >= _LITTLE_TEXT:
            return None
    selected = select_hidden_content(page, work.url, work.options)
    return None if selected is None else _write_text(selected, title)


def _write_text(selected: Content, title: str) -> MainText:
    content = arrange_content(selected, title)
    return MainText(content, drop_forbidden(content_text(content)))


@stage
def _find_other_language(work: Work, text: str) -> Metadata | None:
    """Return the language of *text* if the options do not list it; else None."""
    language, score = identify_language(text) or (None, None)
    is_other = language not in (None, *work.options.languages)
    return Metadata(language=language, language_score=score) if is_other else None


@stage
def _export_blocks(work: Work, page: Page, labeled: Labeled, paths: int) -> tuple[Block, ...]:
    labeling, content_only = labeled.labeling, work.options.blocks == "content"
    roles = name_roles(labeling) if paths or "role" in work.options.block_fields else None
    texts, names = drop_forbidden(tuple(write_blocks(page, labeling.blocks))), tuple(page.names)
    columns = labeling.blocks, labeled.labels, labeling.probabilities, texts, roles
    blocks = export_blocks(page, *columns, hidden=labeling.hidden, content_only=content_only, paths=paths)
    return blocks if drop_forbidden(names) is names else drop_forbidden(blocks)  # which have no other such texts


@stage
def _list_posts(work: Work, page: Page, labeled: Labeled) -> dict[str, Any]:
    """Return the posts of a forum, and the comments of readers, by field, if the options ask for them."""
    found = find_posts(page, labeled.labeling, work.options) if labeled.has_content else {}
    return {name: drop_forbidden(posts) for name, posts in found.items()}


def _write_forms(work: Work, page: Page, main: MainText, labeled: Labeled | None) -> dict[str, Any]:
    """Return the forms that the options ask for, by name, without those that fail."""
    options, content = work.options, main.content
    labeling = None if labeled is None else labeled.labeling
    writers = {
        "html": write_html if options.html else None,
        "markdown": write_markdown if options.markdown else None,
        "paragraphs": partial(write_paragraphs, content, labeling) if options.paragraphs or options.chunks else None,
    }
    wanted = {name: write for name, write in writers.items() if write is not None}
    document = _build_document(work, content) if wanted else None
    forms = {name: _write_form(work, write, document) for name, write in wanted.items() if document is not None}
    if options.quality:
        forms["quality"] = _write_form(work, lambda text, _: measure_quality(text), main.text)
    if labeled is not None and (options.posts or options.comments == "separate"):
        forms |= _list_posts(work, page, labeled) or {}
    return {name: form for name, form in forms.items() if form is not None}


@stage
def _build_document(_: Work, content: Content) -> Document:
    return build_document(content)


@stage
def _write_form(work: Work, write: Callable[[Any, Allowance], Any], source: Any) -> Any:
    form = write(source, allowance := Allowance(work.longest))
    work.reason = work.reason or ("simplified" if allowance.is_spent else None)
    return drop_forbidden(form)


@stage
def _read_metadata(work: Work, page: Page, title: str, main: MainText | None) -> Metadata:
    """Return the metadata of *page*, with the language and the images of its main content."""
    if main is None:
        return drop_forbidden(read_metadata(page.root, url=work.url, title=title))
    images = main.content.image_urls
    return drop_forbidden(read_metadata(page.root, url=work.url, title=title, text=main.text, images=images))
