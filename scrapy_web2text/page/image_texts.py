"""Images in the place of characters: emoji, smileys, and the large first letter of a text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from lxml import etree

from scrapy_web2text.common.budget import watched
from scrapy_web2text.page import reader
from scrapy_web2text.page.formulas import put_texts
from scrapy_web2text.page.tags import tag_ids

(_IMAGE,) = tag_ids(("img",)).tolist()
_LONGEST: Final = 16  # characters of a description
_EMOJI: Final = re.compile(
    "(?=.*[\u2600-\u27bf\U0001f000-\U0001faff])"
    "[#*0-9\u200d\u203c-\u27bf\u2b00-\u2bff\u3030-\u3299\ufe0f\U0001f000-\U0001faff]+"
)
# Drawings such as ":-)", which only the class of the image tells from other descriptions. Names such as ":smile:" are
# not what a reader sees.
_SMILEY: Final = re.compile(r"[^\w\s<>]{1,5}")
_LETTER: Final = re.compile(r"[^\W\d_]")
_SMILEY_CLASS: Final = re.compile(r"(?i)emoji|emoticon|smil(?:ey|ie)")


def write_image_texts(elements: Sequence[etree._Element], fields: dict[str, Any], inline_tag: int) -> None:
    """Put the texts of such images in their place, in the *fields* of a `Page`.

    :param inline_tag: the new tag of these images.
    """
    images = (fields["tags"] == _IMAGE).nonzero()[0]
    (descriptions,) = reader.read_values(elements, images, ("alt",))
    short = {i: alt for i, alt in watched(descriptions.items(), len(descriptions)) if len(alt) <= _LONGEST}
    texts = {i: alt for i, alt in short.items() if _is_text(alt, elements[i])}
    if texts:
        fields["tags"][[*texts]] = inline_tag
        put_texts(fields, {int(fields["open_slots"][i]): text for i, text in texts.items()})


def _is_text(alt: str, image: etree._Element) -> bool:
    """Return whether *alt* is what an image shows."""
    is_smiley = _SMILEY.fullmatch(alt) and _SMILEY_CLASS.search(image.get("class") or "")
    return bool(_EMOJI.fullmatch(alt) or is_smiley or _is_initial(alt, image.tail or ""))


def _is_initial(letter: str, tail: str) -> bool:
    """Return whether a capital letter begins the first word of *tail*, unless a sentence begins there: "T" + "he"."""
    return len(letter) == 1 and letter.isupper() and _LETTER.match(tail) is not None and not tail[:2].istitle()
