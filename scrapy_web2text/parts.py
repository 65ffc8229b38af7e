"""The parts of an answer, from the title to the metadata. The extractor decides which of them it has."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from scrapy_web2text.content.arrangement import arrange_content
from scrapy_web2text.content.blocks import export_blocks
from scrapy_web2text.content.forms import FORMS, write_forms
from scrapy_web2text.content.images import content_images
from scrapy_web2text.content.selection import Content, select_content, select_hidden_content
from scrapy_web2text.content.text import content_text
from scrapy_web2text.extraction import drop_forbidden
from scrapy_web2text.metadata.hidden_content import LEAST_LETTERS
from scrapy_web2text.metadata.languages import identify_language
from scrapy_web2text.metadata.read import Metadata, read_metadata
from scrapy_web2text.metadata.title import find_headline, select_headline
from scrapy_web2text.page.blocks import labels_to_mask
from scrapy_web2text.verdicts.kinds import TYPED_KINDS

if TYPE_CHECKING:
    from scrapy_web2text.extraction import Method
    from scrapy_web2text.labelers.base import Labeling
    from scrapy_web2text.labelers.choice import Labeled
    from scrapy_web2text.options import Options
    from scrapy_web2text.page.arrays import Page
    from scrapy_web2text.steps import Steps
    from scrapy_web2text.verdicts.kinds import PageKind

__all__ = [
    "MainText",
    "describe",
    "find_other_language",
    "find_title",
    "read_all_metadata",
    "without_labeler",
    "write_hidden",
    "write_main",
    "write_part",
    "write_parts",
]

_Part = TypeVar("_Part")
# Characters. A page with less text may have more in its scripts.
_LITTLE_TEXT = LEAST_LETTERS // 2


class MainText(NamedTuple):
    """The main content of a page, and its text."""

    content: Content
    text: str

    @property
    def is_short(self) -> bool:
        """Whether there is so little text that the scripts of the page may have more."""
        return len(self.text) < _LITTLE_TEXT


def write_part(steps: Steps, write: Callable[[], _Part]) -> _Part | None:
    """Return a part of the answer, without forbidden characters; None if writing or cleaning it fails."""
    return steps.attempt(lambda: drop_forbidden(write()))


def find_title(page: Page, selector: str | None) -> str:
    """Return the title of *page*; empty if there is none.

    :param selector: selector of the title, by which it is searched first.
    """
    return (selector and select_headline(page, selector)) or find_headline(page.landmarks)


def write_main(page: Page, labeling: Labeling, url: str | None, options: Options, title: str) -> MainText:
    """Return the content that the labels select, as *options* want it, with its text."""
    selected = select_content(
        page,
        labeling.blocks,
        labeling.labels,
        labeling.probabilities,
        url=url,
        options=options,
        selected=labeling.selected,
        omitted=labeling.omitted,
    )
    return _write_text(selected, title)


def write_hidden(page: Page, url: str | None, options: Options, title: str, main: MainText | None) -> MainText | None:
    """Return the content in the scripts of *page*, with its text; None if there is none.

    :param main: the content that the labels select, if its text is short; what the options leave out counts, too.
    """
    if main is not None and main.content.n_selected_characters >= _LITTLE_TEXT:
        return None
    selected = select_hidden_content(page, url, options)
    return None if selected is None else _write_text(selected, title)


def _write_text(selected: Content, title: str) -> MainText:
    content = arrange_content(selected, title)
    return MainText(content, drop_forbidden(content_text(content)))


def find_other_language(text: str, languages: tuple[str, ...], steps: Steps) -> str | None:
    """Return the language of *text* if it is none of *languages*, which are all if there are none."""
    language = steps.attempt(partial(identify_language, text)) if languages else None
    return None if language in languages else language


def write_parts(
    page: Page, labeled: Labeled | None, content: Content, options: Options, steps: Steps, *, paths: bool
) -> dict[str, Any]:
    """Return the blocks and forms that *options* ask for, by their field names in `Extraction`.

    :param paths: whether to find the XPaths of blocks.
    """
    parts: dict[str, Any] = {}
    exported = options.blocks
    if labeled is not None and exported != "none":
        labeling = labeled.labeling
        export = partial(export_blocks, page, labeling.blocks, labeling.labels, labeling.probabilities)
        parts["blocks"] = write_part(steps, partial(export, content_only=exported == "content", paths=paths)) or ()
    names = [name for name in FORMS if getattr(options, name)]
    return parts | write_forms(content, names, partial(write_part, steps))


def read_all_metadata(page: Page, url: str | None, title: str, main: MainText | None) -> Metadata:
    """Return the metadata of *page*, with the language and the images of its main content."""
    if main is None:
        return read_metadata(page.root, url=url, title=title)
    return read_metadata(page.root, url=url, title=title, text=main.text, images=content_images(main.content))


def describe(labeled: Labeled, kind: PageKind | None) -> dict[str, Any]:
    """Return the kind of the page, the labeler, the confidence and the counts of these labels, by field."""
    labeling = labeled.labeling
    page_type, probability = (kind in TYPED_KINDS and labeling.page_type) or (None, None)
    return {
        "method": labeled.method,
        "page": kind,
        "page_type": page_type,
        "page_type_probability": probability,
        "model": None if labeled.is_complete else labeled.labeler.name,
        "confidence": labeled.confidence,
        "low_confidence": labeled.low_confidence,
        "n_blocks": labeling.blocks.n_blocks,
        "n_content": int(labels_to_mask(labeling.labels).sum()),
    }


def without_labeler(method: Method, **changes: Any) -> dict[str, Any]:
    """Return the fields of an answer by *method*, with *changes*; it is not the labeler's, and so has no confidence."""
    return {"method": method, "model": None, "confidence": None, "low_confidence": False, **changes}
