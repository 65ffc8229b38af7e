"""What is a block of code, and what in it is not code."""

from __future__ import annotations

import pytest
from contents import content_markdown, select

from scrapy_web2text import Options
from scrapy_web2text.content.arrangement import arrange_content

LINES = "def f():\n    return 1"
ROWS = (
    "<div class='line number1'><code>def</code> <code>f():</code></div><div class='line number2'>"
    "<code>&nbsp;&nbsp;&nbsp;&nbsp;</code><code>return 1</code></div>"
)
GUTTER = "<td class=gutter><div class='line number1'>1</div><div class='line number2'>2</div></td>"

CODE = {
    "a table with a gutter": f"<table><tr>{GUTTER}<td class=code>{ROWS}</table>",
    "lines that an element counts": "<pre><p><b>1</b><div>def f():</div><p><b>2</b><div>    return 1</div></pre>",
    "counted from another number": "<pre><i>9</i><div>def f():</div><i>10</i><div>    return 1</div></pre>",
    "a code with the style of a block": f"<code style='display: block'>{LINES}</code>",
    "spans in such a code": "<code style='white-space:pre'><i>def f():</i>\n<i>    return 1</i></code>",
    "a class of code": f"<div class='x code-block'>{LINES}</div>",
    "a division in a list": f"<ul><li><div class=source-code>{LINES}</div></ul>",
}


def to_markdown(html: str) -> str:
    return content_markdown(arrange_content(select(html, options=Options()), ""))


@pytest.mark.parametrize("html", [pytest.param(html, id=what) for what, html in CODE.items()])
def test_lines_and_indentation_of_code_are_kept(html):
    written = to_markdown(html).removeprefix("- ").replace("\n  ", "\n")
    assert written.replace("\n  return", "\n    return") == f"```\n{LINES}\n```"


def test_the_language_is_that_of_the_element():
    assert to_markdown("<div data-lang=kotlin>fun f() {\n    g()\n}</div>") == "```kotlin\nfun f() {\n    g()\n}\n```"


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ("<p>See <code>f(\n    1)</code> of it", "See `f( 1)` of it"),
        ("<div><code>f(1)</code></div>", "`f(1)`"),
        ("<div><code>f(\n  1)</code></div>", "`f( 1)`"),
        ("<div class=code-block>one line</div>", "one line"),
        ("<div class=code-block><p>One\n  paragraph</p></div>", "One paragraph"),
        ("<div class=sourcecodes>a\n  b</div>", "a b"),
        ("<pre><b>1</b><div>a</div><b>3</b><div>b</div></pre>", "```\n1\na\n3\nb\n```"),
        ("<pre>[<b>1</b>, <b>2</b>]</pre>", "```\n[1, 2]\n```"),
        ("<table><tr><th>code<th>n<tr><td class=code>a<td>1</table>", "| code | n |\n| --- | --- |\n| a | 1 |"),
    ],
)
def test_other_texts_are_no_block_of_code(html, markdown):
    assert to_markdown(html) == markdown


def test_the_line_numbers_of_one_block_are_found_whatever_the_next_block_has():
    numbered = "<pre>1\n<div><i>2</i> x = 1</div></pre>"
    assert "2" not in to_markdown(f"<p>Some words.</p>{numbered}<pre>7 8</pre>")
