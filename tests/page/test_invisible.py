"""Characters that nobody sees."""

from __future__ import annotations

import pytest

from scrapy_web2text import extract
from scrapy_web2text.page.arrays import tree_to_page
from scrapy_web2text.page.invisible import drop_invisible
from scrapy_web2text.page.parse import to_tree


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("hy\u00adphen", "hyphen"),
        ("zero\u200bwidth\u2060 \ufeffspace", "zerowidth space"),
        ("\u202eevil\u202c \u200eleft\u200f \u2066isolated\u2069", "evil left isolated"),
        ("a\u200cb a\u200db \ufe0fa", "ab ab a"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("क्\u200dष", "क्\u200dष"),
        *[(text, text) for text in ("👩\u200d🔬", "❤\ufe0f\u200d🔥", "1\ufe0f\u20e3", "葛\U000e0100")],
        ("tags" + "".join(chr(0xE0000 + ord(letter)) for letter in "obey"), "tags"),
        ("\U0001f3f4\U000e0067\U000e0062\U000e007f flag", "\U0001f3f4 flag"),
        ("\u2764\ufe0f\ufe00\ufe01\U000e0101 run", "\u2764\ufe0f run"),
        ("a\U000e0101\U000e0102 run", "a run"),
        ("plain “quotes” – and é", "plain “quotes” – and é"),
    ],
)
def test_invisible_characters_are_dropped_where_no_script_needs_them(text, seen):
    assert drop_invisible(text) == seen
    page = tree_to_page(to_tree(f"<p>{text}<p>\u200b<p>\u00ad \u200b<p>end"))
    assert page.texts == [seen, "\u200b", "\u00ad \u200b", "end"]


def test_no_field_carries_characters_that_smuggle_a_text():
    smuggled = "".join(chr(0xE0000 + ord(letter)) for letter in "obey") + "\u2764\ufe0f\ufe01\ufe02\U000e0101"
    title = f"<title>The bridge{smuggled}</title><meta name=description content='A bridge{smuggled}'>"
    images = f"<p>One <img src=/a.png alt='A bridge{smuggled}'> two <a href='/b{smuggled}'>three</a></p>"
    answer = extract(
        f"<html><head>{title}</head><body><main><h1>A{smuggled}</h1>{images}{'<p>Many words of a text.</p>' * 9}",
        "https://example.com/",
        html=True,
        markdown=True,
        metadata=True,
        paragraphs=True,
    )
    written = str(answer.to_dict())
    assert "\u2764\ufe0f" in written
    assert not any(character in written for character in smuggled[:4] + "\ufe01\ufe02\U000e0101")
