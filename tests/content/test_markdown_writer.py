"""What is written as Markdown."""

from __future__ import annotations

import re

import pytest
from contents import content_markdown, select
from steps import count_steps

from scrapy_web2text.content.builder import build_document
from scrapy_web2text.content.markdown import write_markdown


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ("", ""),
        (" \n", ""),
        ("<p>a</p>\n<p>b</p>", "a\n\nb"),
        ("<h2>a  b\nc</h2>", "## a b c"),
        ("<p>a<strong> b </strong>c<em> </em></p>", "a **b** c"),
        ("<p><code>a*b <em>c</em></code></p>", "`a*b c`"),
        ("<p><code> </code><a href='/b'> </a>c</p>", "c"),
        ("<p>a<a href='/b'> b </a>c</p>", "a [b](/b) c"),
        ("<p><a>b</a></p>", "b"),
        ("<p>a<a> b </a>c</p>", "a b c"),
        ("<p>a<a href='https://b.c'> https://b.c </a>d</p>", "a <https://b.c> d"),
        ("<p>a<a href='b.c'> b.c </a>d</p>", "a [b.c](b.c) d"),
        ("<p><code><a href='/b'>b</a></code></p>", "[`b`](/b)"),
        ("<p><code><a href='/b'>b</a>()</code></p>", "`b()`"),
        ("<p><a href='/a'><code><b>b</b></code></a></p>", "[`b`](/a)"),
        ("<p>10<sup>2</sup> <q>a</q></p>", '10<sup>2</sup> "a"'),
        ("<h2>1. a</h2><h3>C #</h3><p>1. b</p>", "## 1. a\n\n### C \\#\n\n1\\. b"),
        ("<p>1<mark>. a</mark><br><mark>2</mark>) b<li>3<mark>. c", "1\\. a\\\n2\\) b\n\n- 3\\. c"),
        ("<p>1<mark>.5</mark> a", "1.5 a"),
        ("<p>a! <u>b!</u><a href='/c'>1. c</a>!<a href='/d'>d</a></p>", "a! b\\![1. c](/c)\\![d](/d)"),
        ("<p>[sic] a [b](c) [d]<br>- e <code>f</code> - g</p>", "[sic] a \\[b](c) \\[d]\\\n\\- e `f` - g"),
        ("<ul><li>[ ] a < b <c</ul>".replace("<c", "&lt;c"), "- [ ] a < b \\<c"),
        ("<p><strong>a:</strong><strong>b</strong> <em>c:</em><em>d</em></p>", "**a:b** *c:d*"),
        ("<p>*<em>a note</em></p>", r"\*<em>a note</em>"),
        ("<p><strong>标题：</strong>内容, a<em>(b)</em></p>", "<strong>标题：</strong>内容, a<em>(b)</em>"),
        ("<p><strong>a:</strong> b<em>c</em><strong>d</strong></p>", "**a:** b*c*<strong>d</strong>"),
        ("<blockquote></blockquote>", ""),
        ("<ul><li>a<ul><li>b</li></ul></li></ul>c", "- a\n  - b\n\nc"),
        ("<ol start=3><li>a</li></ol><ol><li>b</li></ol>", "3. a\n\n1) b"),
        (
            "<table><tr><th><dl><dd>b</dd></dl><td><blockquote>c</blockquote><tr><td>d<td>e</table>",
            "| b | c |\n| --- | --- |\n| d | e |",
        ),
        ("<table><tr><th><h2>a</h2><td>b<tr><td>c<td>d</table>", "| a | b |\n| --- | --- |\n| c | d |"),
    ],
)
def test_html_becomes_markdown(html, markdown):
    assert content_markdown(select(html)) == markdown


@pytest.mark.parametrize(
    "html",
    [
        "<tr><th>a<tr><td>b<tr><td>c",
        "<thead><tr><td>a<tbody><tr><td>b<tr><td>c",
        "<thead><tr><td>a<tr><td>b<tbody><tr><td>c",
        "<tbody><tr><td>a</td></tr></tbody><thead><tr><td>b</thead><tfoot><tr><td>c",
        "<tbody><tr><td>a</tbody><tbody><tr><td>b</tbody><tbody><tr><td>c",
    ],
)
def test_the_first_row_of_a_table_is_its_head(html):
    table = re.sub("(<t[dh]>.)", r"\1<td>x", html)
    assert content_markdown(select(f"<table>{table}</table>")) == "| a | x |\n| --- | --- |\n| b | x |\n| c | x |"


@pytest.mark.parametrize(
    ("before", "unit", "after"),
    [
        ("<table>", "<caption>a</caption>", "<tr><td>b</table>"),
        ("<table><thead>", "<tr><td>a</td></tr>", "</thead></table>"),
        ("<table><tr>", "<td colspan=2>a</td>", "</tr></table>"),
        ("<table><thead><tr><th>a</thead>", "<tbody><tr><td>a</td></tr></tbody>", "</table>"),
    ],
    ids=["captions", "rows of a head", "cells with spans", "bodies"],
)
def test_a_table_takes_linear_time(before, unit, after):
    documents = [build_document(select(before + unit * n + after)) for n in (100, 800)]
    small, large = (count_steps(write_markdown, document) for document in documents)
    assert large < 12 * small  # 64 times if it were quadratic
