"""Characters that nobody sees."""

from __future__ import annotations

import pytest

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
        ("plain “quotes” – and é", "plain “quotes” – and é"),
    ],
)
def test_invisible_characters_are_dropped_where_no_script_needs_them(text, seen):
    assert drop_invisible(text) == seen
    page = tree_to_page(to_tree(f"<p>{text}<p>\u200b<p>\u00ad \u200b<p>end"))
    assert page.texts == [seen, "\u200b", "\u00ad \u200b", "end"]
