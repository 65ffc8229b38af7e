"""Posts of boards in the forms: rules between them, signatures, and lists and quotes that lay them out."""

from __future__ import annotations

import pytest
from contents import content_html, content_markdown, select

from scrapy_web2text import Options
from scrapy_web2text.content.arrangement import arrange_content
from scrapy_web2text.content.builder import build_document
from scrapy_web2text.content.html import write_html
from scrapy_web2text.content.markdown import write_markdown
from scrapy_web2text.content.text import content_text


def arrange(html):
    return arrange_content(select(html, options=Options()), "")


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ("<div><p>a<p>b</div><div><p>*c<p>d</div><div>*e</div>", "a\n\nb\n\n---\n\n\\*c\n\nd\n\n---\n\n\\*e"),
        ("<div>a</div><div><blockquote>*q</blockquote>b</div>", "a\n\n---\n\n> \\*q\n\nb"),
        ("<ul><li>a<li>*b</ul>", "- a\n- \\*b"),
        ("<p>a<p>b", "a\n\nb"),
    ],
    ids=["posts", "a quote", "items of a list", "no posts"],
)
def test_a_rule_divides_posts(html, markdown):
    content = arrange(html)
    starts = [slot for slot, text in content.texts.items() if text[0] == "*"]
    document = build_document(content, starts)
    assert write_markdown(document) == markdown
    assert write_html(document).count("<hr>") == markdown.count("---")
    assert "---" not in content_markdown(content)


def test_the_line_before_a_signature_is_left_out():
    content = arrange("<div>Long tails hold.<span><br>_________________<br>Fair winds</span></div>")
    assert content_text(content) == "Long tails hold.\nFair winds"
    assert content_text(arrange("<p>Name: __________")) == "Name: __________"


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ("<ol><li class=postbit>a<li class='x postbit_legacy'>b</ol>", "a\n\nb"),
        ("<ol><li class=comment>a<li class='comment even'>b</ol>", "a\n\nb"),
        ("<ol><li class=composter>a<li>b</ol>", "1. a\n2. b"),
        ("<blockquote>a</blockquote><blockquote>b<blockquote>c</blockquote></blockquote>", "a\n\nb\n\n> c"),
        ("<p>a<blockquote>b</blockquote><p>c", "a\n\n> b\n\nc"),
    ],
    ids=["posts", "comments", "other items", "quotes that lay out posts", "a quote"],
)  # fmt: skip
def test_lists_and_quotes_of_posts_only_lay_them_out(html, markdown):
    content = arrange(html)
    assert content_markdown(content) == markdown
    assert ("<li>" in content_html(content)) == ("1. " in markdown)


@pytest.mark.parametrize("space", ["&nbsp;", "&emsp;", "\u2002"])
def test_lines_of_a_poem_keep_their_indentation_in_markdown(space):
    html = f"<p>The tide is full,<br>{space * 2}the moon <i>lies</i> fair<br>{space * 4}Upon<br>{space}the straits"
    lines = ["The tide is full,", "\u00a0\u00a0the moon *lies* fair", "\u00a0" * 4 + "Upon", "the straits"]
    assert content_markdown(arrange(html)) == "\\\n".join(lines)
    assert content_markdown(arrange(f"<p>{space * 2}First line")) == "First line"
