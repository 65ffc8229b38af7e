from __future__ import annotations

import re

import numpy as np
import pytest
from contents import select, without_indices
from hypothesis import given
from hypothesis import strategies as st
from strategies import html_trees
from tables import by_rule

from scrapy_web2text.content.content import select_content
from scrapy_web2text.content.text import content_text, write_blocks
from scrapy_web2text.extraction import Label
from scrapy_web2text.page.arrays import tree_to_page
from scrapy_web2text.page.blocks import MODERN_BLOCKS, SHALLOW_BLOCKS, TEXT_LEAVES, segment
from scrapy_web2text.page.parse import to_tree

TEXTS = {
    "lines end at block level tags and keep the spacing of the page": [
        ("<p>a</p><p>b</p>", "a\nb"),
        ("<p>a<b>b</b>c</p>", "abc"),
        ("<p>a <b>b</b> c</p>", "a b c"),
        ("<p>a<b> b </b>c</p>", "a b c"),
        ("<p><a>a</a> <a>b</a></p>", "a b"),
        ("<p><a>a</a><b>b</b></p>", "ab"),
        ("<p>a<!-- x -->b</p>", "ab"),
        ("a<br>b", "a\nb"),
        ("<p>a<br>\n<br>b</p>", "a\nb"),
        ("<h1>a</h1>b<div>c</div>d", "a\nb\nc\nd"),
        ("<table><tr><td>a</td><td>b</td></tr></table>", "a\tb"),
        ("<ul><li>a<ul><li>b</ul><li>c</ul>", "- a\n  - b\n- c"),
        ("<p>a\n   b\t\tc&nbsp;d</p>", "a b c d"),
        ("<p> a </p> <p> b </p>", "a\nb"),
        ("<p>a<img>b<foo>c</foo></p>", "abc"),
        ("<p>a<hr>b</p>", "a\nb"),
        ("<p>a<span><div>b</div></span>c</p>", "a\nb\nc"),
        ("<html><body><p>a</p></body>b<p>c</p></html>d", "a\nb\nc\nd"),
    ],
    "nothing but whitespace separates words in prose": [
        ("<p>The <b>Kob</b><b>alt</b> of <b>19</b>61", "The Kobalt of 1961"),
        ("<p>1<b>0</b>0, <span>1</span>299, <b>3</b><i>rd</i>", "100, 1299, 3rd"),
        ("<p>You<b>Tube</b>, <i>e</i>Bay, Student<b>Innen</b>", "YouTube, eBay, StudentInnen"),
        ("<p><b>PST</b><b>View</b></p>", "PSTView"),
        ("<h2><span>Kob</span><span>alt</span></h2>", "Kobalt"),
        ("<div><b>A</b><span>ttainable</span></div>", "Attainable"),
        ("<div><span>of a c</span><span>omparison </span></div>", "of a comparison"),
        ("<div><span class=Run>ha</span><span class=Run>ve </span></div>", "have"),
        ("<p><span><span>the 5</span><span>th </span></span>", "the 5th"),
        ("<p><a href=/a>Kob</a><a href=/a>alt</a>", "Kobalt"),
        ("<p><b>O</b>nce upon</p>", "Once upon"),
        ("<p><b>O</b>NCE upon</p>", "ONCE upon"),
        ("Price<b>20</b><p>a<sup>3</sup></p>", "Price20\na³"),
        ("<p>CO<sub>2</sub>, 10<sup>TH</sup>, end<sup><a>3</a></sup></p>", "CO₂, 10TH, end³"),
        ("<div><span>5<sup>th</sup></span><span><sup>a</sup></span></div>", "5thᵃ"),
        ("<p>un<wbr>Told un<!-- -->Told</p>", "unTold unTold"),
        ("<p><i>string</i>s</p>", "strings"),
        ("<pre><b>a</b><i>Bc</i></pre>", "aBc"),
        ("<pre>x.<span>to</span>String x<span>1</span></pre>", "x.toString x1"),
        ("<p>An <code><span>to</span><span class=f>String</span></code>", "An toString"),
    ],
    "the layout separates words outside of prose": [
        ("<div><a href=/a>Home</a><a href=/b>News</a></div>", "Home News"),
        ("<p>Or <a href=/a>Home</a><a href=/b>News</a></p>", "Or Home News"),
        ("<ul><li><span>Weight</span><span>5 kg</span></ul>", "- Weight 5 kg"),
        ("<div><b>Weight</b><span>5 kg</span></div>", "Weight 5 kg"),
        ("<div><label>Size</label><span>5</span></div>", "Size 5"),
        ("<div><span>Ada Penn</span><time>May 2</time></div>", "Ada Penn May 2"),
        ("<p><span class=name>Ada Penn</span><span class=role>Editor</span></p>", "Ada Penn Editor"),
        ("<div><span class=tag>AI</span><span class=tag>SDK</span></div>", "AI SDK"),
        ("<div class='flex gap-2'>AI<span>SDK</span></div>", "AI SDK"),
        ("<p><span style='display: block'>See all</span>reviews</p>", "See all reviews"),
        ("<p>4.8<span class=sr-only>of five</span></p>", "4.8 of five"),
        ("<div><span>橋の</span><span>上</span></div>", "橋の上"),
        ("<div><b>" + "<i>" * 20 + "a" + "</i>" * 20 + "</b><b>" + "<i>" * 20 + "b</div>", "a b"),
    ],
    "indices are those of Unicode if it has them": [
        ("<p>H<sub>2</sub>O, 10<sup>-3</sup>, Ca<sup>2+</sup></p>", "H₂O, 10⁻³, Ca²⁺"),
        ("<p>said<sup>1, 2</sup> so<sup><a href=#n>[3]</a></sup></p>", "said¹, ² so[3]"),
        ("<p>x<sub>i+1</sub>, 1<sup>st</sup>, a<sup>2<sub>3</sub></sup></p>", "xi+1, 1st, a²₃"),
        ("<p>12.5<sup>a</sup>, x<sup>n</sup>, x<sub>n</sub>", "12.5ᵃ, xⁿ, xn"),
        ("<p>p<sup>q</sup>, M<sup>me</sup></p>", "pq, Mme"),
        ("<pre>x<sup>2</sup></pre>", "x2"),
    ],
    "links of headings to themselves are dropped": [
        ("<h2>a<a href=#a>¶</a></h2>", "a"),
        ("<h2><a href=#a> # </a>a</h2>", "a"),
        ("<h2>a # ¶</h2>", "a # ¶"),
        ("<p>a</p><p>#</p>", "a\n#"),
        ("<p><a href=b>b</a> #</p>", "b #"),
        ("<a href=#a>¶</a>", ""),
    ],
    "inline elements do not end a line": [
        (f"<p>a <{tag}></{tag}> b</p>", "a b") for tag in "svg math button noscript input select canvas".split()
    ],
    "boilerplate leaves a space or a line break": [
        ("<p>a</p><p>X</p><p>b</p>", "a\nb"),
        ("<p>a<i>X</i>b</p>", "a b"),
        ("<p>a <i>X</i> b</p>", "a b"),
        ("<p>a, <i>X</i>b</p>", "a, b"),
        ("<p>a</p>X<p>b</p>", "a\nb"),
        ("<p>X<i>a</i>X</p>", "a"),
        ("<p>a<script>no</script>b</p>", "ab"),
        ("<p>X</p>", ""),
        ("", ""),
    ],
    "list items have markers": [
        ("<ol><li>a</li><li>b<p>c</p></li></ol>", "1. a\n2. b\n   c"),
        ("<ol start=3><li>a<li value=7>b<li value=x>c</ol>", "3. a\n7. b\n8. c"),
        ("<ol start=-1><li>a</ol>", "1. a"),
        ("<ol><li>X<li>b</ol>", "2. b"),
        ("<ol><li>a<ul><li>b<li>c</ul><li>d</ol>", "1. a\n  - b\n  - c\n2. d"),
        ("<ul><li><a>a</a> b</li></ul><p>c</p>", "- a b\nc"),
        ("<menu><li>a</menu><li>b", "- a\n- b"),
        ("<ul>" * 15 + "<li>a</li>", "- a"),
        ("<ul><li>a" * 13, "\n".join("  " * min(i, 10) + "- a" for i in range(13))),
        ("<ul><li><pre>a\n b</pre></ul>", "- a\n   b"),
        ("<ul><li><pre>a\n\n b</pre></ul>", "- a\n\n   b"),
        ("<ul><li><pre>a<br>X<br>a</pre></ul>", "- a\n\n  a"),
        ("<ul><li><pre>a<br><br><br><b>b</b>\nc</pre></ul>", "- a\n\n\n  b\n  c"),
        ("<pre>a<br><br><br><div><li>b</div></pre>", "a\n\n\nb"),
        ("<pre><code><ol><li>a<li>  b</ol></code></pre><ol><li><pre>c\nd</pre></ol>", "a\n  b\n1. c\n   d"),
        ("<ul><li>X<ul><li><ul><li>a<ul><li>b</ul></ul></ul></ul>", "- a\n  - b"),
        ("<ul><li>a<li><ul><li>b<li><ul><li>c</ul></ul><li>d</ul>", "- a\n  - b\n    - c\n- d"),
        ("<ul><li><ul><li>a</ul><li>b<li><ol><li>c</ol></ul>", "- a\n- b\n  1. c"),
        ("<ol><li>a<li><ul><li>b</ul><li>c</ol>", "1. a\n  - b\n3. c"),
    ],
    "empty cells of data tables have a tab": [
        ("<table><tr><th><th>a<th>b<tr><td>c<td>d<td><tr><td>e<td><td>f</table>", "\ta\tb\nc\td\ne\t\tf"),
        ("<ul><li>x<table><tr><th><th>a<tr><td>c<td>d</table></ul>", "- x\n  \ta\n  c\td"),
        ("<table><tr><td><td>a<td>b</table>", "a\tb"),
    ],
    "cells of one line are joined by tabs": [
        ("<table><tr><th>a<th>b<tr><td>c<td>d</table>", "a\tb\nc\td"),
        ("<table><tr><td>a<td>X<td>c</table>", "a\tc"),
        ("<table><tr><td><p>a</p><p>b</p><td>c</table>", "a\nb\nc"),  # layout
        ("<table><tr><td>a<td><p>b</p><p>c</p></table>", "a\nb\nc"),
        ("<table><tr><td>a<table><tr><td>b<td>c</table></table>", "a\nb\tc"),
        ("<p>x</p><table><tr><td>a</table>", "x\na"),
        ("<table><tr><td>a<td><pre>b\nc</pre></table>", "a\nb\nc"),
    ],
    "code keeps its lines and indentation": [
        ("<p>x</p><pre>def f():\n    return 1  \n</pre><p>y</p>", "x\ndef f():\n    return 1\ny"),
        ("<pre><b>if</b> a:\n    <i>b</i>\n\n    <i>c</i></pre>", "if a:\n    b\n\n    c"),
        ("<pre>a<br>  b</pre>", "a\n  b"),
        ("<pre><div>a</div><div>  b</div></pre>", "a\n  b"),
        ("<pre>a <i>X</i>\nb</pre>", "a\nb"),
        ("<pre>a<i>X</i>b</pre>", "a b"),
        ("<pre>\n\n  a</pre>", "  a"),
        ("<pre><b>def</b> f():<br>    <b>return</b> 1</pre>", "def f():\n    return 1"),
        ("<pre><b>def</b> f():<br>\n    <b>return</b> 1</pre>", "def f():\n    return 1"),
        ("<pre>    <b>if</b> a:<br>        <b>b</b></pre>", "    if a:\n        b"),
        ("<pre><div><b>if</b> a:</div>\n <div>\t <i> <b>b</b></i></div></pre>", "if a:\n\t  b"),
        ("<pre><div><i>X</i>  <b>a</b></div></pre>", "  a"),
        ("<pre><div>  <i>X\n</i> <b>a</b></div></pre>", " a"),
        ("<pre>a<br><br>  <b>b</b><br><br><br>c<p>d</pre>", "a\n\n  b\n\n\nc\nd"),
        ("<pre><br><br>a</pre>", "a"),
        ("<pre>a</pre><pre><br><br>b</pre>", "a\nb"),
        ("<pre><div>a<br></div><div><br></div><div>  <b>b</b></div></pre>", "a\n\n  b"),
        ("<pre><div>a</div><div><br></div><div><br></div><div>b<br></div><div>c</div></pre>", "a\n\n\nb\nc"),
        ("<pre><code><table><tr><td>1<td>  <b>a</b><tr><td>2<td>    <b>b</b></table></code></pre>", "1\t  a\n2\t    b"),
        ("<pre><code><table><tr><td>X<td>  <b>a</b><tr><td>X<td>    <b>b</b></table></code></pre>", "  a\n    b"),
        ("<p>a\n  b</p>", "a b"),
    ],
    "icons do not end lines": [
        ("<p>a <svg><title>X</title><path d=M0></svg> b", "a b"),
        ("<p>a<svg><title>X</title></svg><p>b", "a\nb"),
    ],
    "icons separate words": [
        ("<li><b>Step</b> <b>1</b><i aria-hidden=true></i>Trim the wick", "- Step 1 Trim the wick"),
        ("<p>wick<i aria-hidden=true></i><b>Two</b>", "wick Two"),
        ("<p>wick<i></i>s<i aria-hidden=true>X</i>", "wicks"),
        ("<p><i aria-hidden=true>1</i>st", "1st"),
    ],
    "class names separate sentences and bullets": [
        ("<p><b class=x>It burns all night.</b><b class=y>(Photo)</b>", "It burns all night. (Photo)"),
        ("<p><b class=x>It burns.</b><b>Photo</b>", "It burns.Photo"),
        ("<dt><b class=x>a.b.</b><b class=y>Lamp</b>", "a.b.Lamp"),
        ("<div><b class=x>•</b><b class=y>Lamp</b></div>", "• Lamp"),
        ("<p>Lamps<sup>[<a>1</a>]</sup> x<sup>2</sup>", "Lamps[1] x²"),
    ],
}


@by_rule("html,text", TEXTS)
def test_content_is_written_as_text(html, text):
    assert content_text(select(html)) == text


def test_words_of_a_block_are_apart_as_in_the_text():
    page = tree_to_page(
        to_tree("<p><a href=/r>Release calendar</a><a href=/t>Top 250</a> <i>un</i>til<sub>2</sub><p>It is")
    )
    blocks = segment(page, MODERN_BLOCKS)
    assert write_blocks(page, blocks) == ["Release calendar Top 250 until2", "It is"]


def test_blocks_of_several_leaves_are_written_whole():
    assert content_text(select("<p>a <a>b</a> <a>c</a></p><p>X <a>d</a></p>e", "X", SHALLOW_BLOCKS)) == "a b c\ne"


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<span class=line>// a</span><span class=line>  <b>b</b> <i>c</i></span>", "// a\n  b c"),
        ("<span class='x token-line'><i>// a</i></span><span class=token-line>b</span>", "// a\nb"),
        ("<code><span style='color:red; display: block'>a</span><span style='display:block'>b</span></code>", "a\nb"),
        ("<code class=line>a</code><code class=line>b</code>", "a\nb"),
        ("<span class=line>a</span>\n<span class=line> b</span>", "a\n b"),
        ("<span class=line>a\n</span><span class=line> b</span>", "a\n b"),
        ("<span class=line>a</span><span class=line>\n b</span>", "a\n b"),
        ("<span class=line><i class=line>a</i><span class=line>b</span></span>", "ab"),
        ("<span class=underline>a</span><span class=underline>b</span>", "ab"),
        ("<span class=line>a</span>b<span class=line>c</span>", "abc"),
        ("<b class=line>a</b><b class=line>b</b>", "ab"),
        ("<span style='display:inline-block'>a</span><span style='display:inline-block'>b</span>", "ab"),
    ],
)
def test_elements_marked_as_lines_of_code_are_lines(html, text):
    assert content_text(select(f"<pre>{html}</pre>")) == text
    assert content_text(select(f"<span class=line><pre>{html}</pre></span>")) == text


def test_deeply_nested_code_is_read():
    assert content_text(select(f"<pre>{'<span>' * 1500}a<i>b</i></pre>")) == "ab"


@given(html=html_trees(), data=st.data())
def test_the_text_holds_the_letters_of_the_content_in_order(html, data):
    text, content = render_some(re.sub(r"(</?)(li|pre)\b", r"\1div", html), data)
    assert "".join(text.split()) == "".join(content.split())
    assert "\n\n" not in text
    assert all(line == line.strip(" ") and line[-1:] != "\t" and "  " not in line for line in text.split("\n"))


@given(html=html_trees(), data=st.data())
def test_lists_and_code_keep_every_letter_in_order(html, data):
    text, content = render_some(html, data)
    letters = iter("".join(text.split()))
    assert all(letter in letters for letter in "".join(content.split()))
    assert all(line == line.rstrip() for line in text.split("\n"))


def render_some(html, data):
    """Return the text of some blocks, and the texts of their leaves."""
    page = tree_to_page(to_tree(html))
    blocks = segment(page, TEXT_LEAVES)
    n = blocks.n_blocks
    labels = np.array(data.draw(st.lists(st.integers(0, 1), min_size=n, max_size=n)), dtype=np.int64)
    text = content_text(select_content(page, blocks, labels))
    content = "".join(page.texts[leaf] for leaf in blocks.leaves[labels == Label.CONTENT])
    return without_indices(text), without_indices(content)
