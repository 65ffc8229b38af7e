from __future__ import annotations

import re
from html import escape

import lxml.html
import pytest
from contents import content_html, content_markdown, select
from fuzz.oracles import check_html, find_danger
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from strategies import html_trees
from tables import by_rule
from xss import VECTORS

from scrapy_web2text.content.arrangement import arrange_content
from scrapy_web2text.content.text import content_text
from scrapy_web2text.page.blocks import MODERN_BLOCKS

COMMONMARK = MarkdownIt("commonmark").enable("table").enable("strikethrough")
BASE = "https://example.org/a/b.html"
IMAGE = '<img src="https://example.org/i.png" alt="">'


def to_html(html: str, boilerplate: str = "", base: str | None = BASE) -> str:
    """Return the HTML of all text leaves without *boilerplate*, with line breaks removed."""
    return content_html(select(html, boilerplate, url=base)).replace(">\n", ">")


def to_markdown(html: str, boilerplate: str = "") -> str:
    return content_markdown(select(html, boilerplate, url=BASE))


HTML = {
    "structure is kept and other elements become paragraphs": [
        ("<p>a</p><p>b</p>", "<p>a</p><p>b</p>"),
        ("<div><div>a</div><section>b</section></div>c", "<p>a</p><p>b</p><p>c</p>"),
        ("<h1 class=x>a</h1><div><h3>b</h3></div>", "<h1>a</h1><h3>b</h3>"),
        ("<h2><div>a</div><div>b</div></h2>", "<h2>a<br>b</h2>"),
        ("<h2>a <b>b</b> <i>c</i></h2>", "<h2>a b <em>c</em></h2>"),
        ("<p>a<br>b<br><br>c</p>", "<p>a<br>b</p><p>c</p>"),
        ("<blockquote>a</blockquote>", "<blockquote><p>a</p></blockquote>"),
        ("<address>a</address>", "<p>a</p>"),
        ("<ul><li>a</li></ul><p>X</p><ul><li>X</li><li>b</ul>", "<ul><li>a</li></ul><ul><li>b</li></ul>"),
        ("<ul><li>a<ul><li>b</ul></ul>", "<ul><li>a<ul><li>b</li></ul></li></ul>"),
        ("<ul><li><p>a</p><p>b</p></ul>", "<ul><li><p>a</p><p>b</p></li></ul>"),
        ("<ul><li><span>a</span> <a>b</a></ul>", "<ul><li>a b</li></ul>"),
        ("<div><li>a<li>b</div>", "<ul><li>a</li><li>b</li></ul>"),
        ("<ol><li>a<li>b</ol>", "<ol><li>a</li><li>b</li></ol>"),
        ("<ol><li>X<li>b<li value=7>c</ol>", '<ol start="2"><li>b</li><li value="7">c</li></ol>'),
        ("<menu><li>a</menu>", "<ul><li>a</li></ul>"),
        ("<ul>a<li>b</li>c</ul>", "<p>a</p><ul><li>b</li></ul><p>c</p>"),
        ("<dl><dt>a<dd>b<dd><p>c</p><p>d</p></dl>", "<dl><dt>a</dt><dd>b</dd><dd><p>c</p><p>d</p></dd></dl>"),
        (
            "<a href=/c><h2>a</h2><p>b</p></a>",
            '<h2><a href="https://example.org/c">a</a></h2><p><a href="https://example.org/c">b</a></p>',
        ),
        ("<p>X</p>", ""),
        ("", ""),
    ],
    "inline elements with a meaning are kept": [
        ("<p>a <b>b</b><i>c</i></p>", "<p>a <strong>b</strong><em>c</em></p>"),
        ("<p>a<b> b </b>c</p>", "<p>a <strong>b</strong> c</p>"),
        ("<p><b>a <b>b</b></b></p>", "<p><strong>a b</strong></p>"),
        ("<p>a <i>X</i>b</p>", "<p>a b</p>"),
        ("<p>CO<sub>2</sub> <font>a</font><s>b</s></p>", "<p>CO<sub>2</sub> a<del>b</del></p>"),
        ("<p>1 &lt; 2 &amp; <code>&lt;p&gt;</code></p>", "<p>1 &lt; 2 &amp; <code>&lt;p&gt;</code></p>"),
        ("<p><b>Kob</b><i>alt</i></p>", "<p><strong>Kob</strong><em>alt</em></p>"),
    ],
    "images between content are kept": [
        ("<p>a</p><img src=/i.png><p>b</p>", f"<p>a</p><p>{IMAGE}</p><p>b</p>"),
        ("<p>a <img src=/i.png alt='an  i'> b</p>", '<p>a <img src="https://example.org/i.png" alt="an i"> b</p>'),
        ("<p>a</p><img src=data:x data-src=/i.png><p>b</p>", f"<p>a</p><p>{IMAGE}</p><p>b</p>"),
        ("<p>a</p><img src=data:x srcset='/s.png 1x, /i.png 2x'><p>b</p>", f"<p>a</p><p>{IMAGE}</p><p>b</p>"),
        (
            "<p>a</p><img src=data:x data-srcset='/i.png 800w, /s.png 90w, data:y 900w'><p>b</p>",
            f"<p>a</p><p>{IMAGE}</p><p>b</p>",
        ),
        (
            "<p>a</p><picture><source srcset=/i.png><source srcset=/s.png><img src=data:x></picture><p>b</p>",
            f"<p>a</p><p>{IMAGE}</p><p>b</p>",
        ),
        ("<p>a</p><img src=data:x srcset='data:y 1.2.3x, ,'><p>b</p>", "<p>a</p><p>b</p>"),
        (
            "<p>a</p><img data-src=/i.png><noscript><img src=/i.png></noscript><p>b</p>",
            f"<p>a</p><p>{IMAGE}</p><p>b</p>",
        ),
        (
            "<p>a</p><noscript><img src=/i.png></noscript><img data-src=/i.png><p>b</p>",
            f"<p>a</p><p>{IMAGE}</p><p>b</p>",
        ),
        ("<p>a</p><img src=data:x><noscript><img src=/i.png></noscript><p>b</p>", f"<p>a</p><p>{IMAGE}</p><p>b</p>"),
        ("<p>a</p><img src=/i.png width=1 height=1><p>b</p>", "<p>a</p><p>b</p>"),
        ("<p>a</p><img src=data:image/png;base64,AA><p>b</p>", "<p>a</p><p>b</p>"),
        ("<p>a</p><img><p>b</p>", "<p>a</p><p>b</p>"),
        ("<p>a</p><img src=/i.png><p>X</p><p>b</p>", "<p>a</p><p>b</p>"),
        ("<p>a</p><p>b</p><aside><img src=/i.png>X</aside>", "<p>a</p><p>b</p>"),
        ("<div><img src=/i.png><p>a</p><p>b</p></div>X", f"<p>{IMAGE}</p><p>a</p><p>b</p>"),
        (
            "<p>a</p><figure><a href=/i><img src=/i.png></a><figcaption>b</figcaption></figure><p>X</p><p>c",
            f'<p>a</p><figure><a href="https://example.org/i">{IMAGE}</a><figcaption>b</figcaption></figure><p>c</p>',
        ),
        ("<p>a</p><figure><img src=/i.png></figure><p>X</p><p>b</p>", f"<p>a</p><figure>{IMAGE}</figure><p>b</p>"),
        ("<p>a</p><img src=javascript:alert(1)><p>b</p>", '<p>a</p><p><img alt=""></p><p>b</p>'),
    ],
    "data tables keep their columns and layout tables are dropped": [
        (
            "<table><tr><th>a<th>b<tr><td>c<td>d</table>",
            "<table><tbody><tr><th>a</th><th>b</th></tr><tr><td>c</td><td>d</td></tr></tbody></table>",
        ),
        (
            "<table><caption>t</caption><thead><tr><th><th>b</thead><tr><td>X<td>d<tr><td>e<td></table>",
            (
                "<table><caption>t</caption><thead><tr><th></th><th>b</th></tr></thead>"
                "<tbody><tr><td></td><td>d</td></tr><tr><td>e</td><td></td></tr></tbody></table>"
            ),
        ),
        (
            "<table><tr><td colspan=2 rowspan=1>a<td colspan=x>b<tr><td>c<br>d<td><p>e</p><p>f</p></table>",
            (
                '<table><tbody><tr><td colspan="2">a</td><td>b</td></tr><tr><td>c<br>d</td>'
                "<td><p>e</p><p>f</p></td></tr></tbody></table>"
            ),
        ),
        ("<table><tr><td>a<td>b</table>", "<p>a</p><p>b</p>"),
        ("<table><tr><td>a<tr><td>b</table>", "<p>a</p><p>b</p>"),
        ("<table role=presentation><tr><th>a<td>b<tr><td>c<td>d</table>", "<p>a</p><p>b</p><p>c</p><p>d</p>"),
        ("<table><tr><td>a<td><h2>b</h2><tr><td>c<td>d</table>", "<p>a</p><h2>b</h2><p>c</p><p>d</p>"),
        ("<table><tr><td>a<td>b<tr><td>c<td><table><tr><td>d</table></table>", "<p>a</p><p>b</p><p>c</p><p>d</p>"),
    ],
    "code keeps its lines and its language": [
        ("<pre>a\n  b</pre>", "<pre><code>a\n  b</code></pre>"),
        (
            "<pre><code class='x language-py'><b>if</b> a:\n  b</code></pre>",
            '<pre><code class="language-py">if a:\n  b</code></pre>',
        ),
        (
            "<div class='highlight-source-c++'><pre>a &lt; b</pre></div>",
            '<pre><code class="language-c++">a &lt; b</code></pre>',
        ),
        ("<pre class='brush: js'>a</pre>", '<pre><code class="language-js">a</code></pre>'),
        ("<pre class='language-\"><script>'>a</pre>", "<pre><code>a</code></pre>"),
        ("<pre><div>a</div><div>  b</div></pre>", "<pre><code>a\n  b</code></pre>"),
        ("<pre>a</pre><pre>b</pre>", "<pre><code>a</code></pre><pre><code>b</code></pre>"),
        ("<pre><b>if</b> a:<br>    <b>b</b><br><br>c</pre>", "<pre><code>if a:\n    b\n\nc</code></pre>"),
        (
            "<pre><code><table><tr><td>1<td>  <b>a</b><tr><td>2<td>    <b>b</b></table></code></pre>",
            "<pre><code>1\t  a\n2\t    b</code></pre>",
        ),
    ],
}


@by_rule("html,expected", HTML)
def test_content_is_written_as_html(html, expected):
    assert to_html(html, "X") == expected


@pytest.mark.parametrize(
    ("href", "expected"),
    [
        ("/c", "https://example.org/c"),
        ("c?d=1&e=2", "https://example.org/a/c?d=1&amp;e=2"),
        ("//other.org/", "https://other.org/"),
        ("MAILTO:a@b.org", "mailto:a@b.org"),
        ("/a:b", "https://example.org/a:b"),
        ("http://é.org/ä b", "http://xn--9ca.org/%C3%A4%20b"),
        ("javascript:alert(1)", None),
        ("  JavaScript:alert(1)", None),
        ("data:text/html,x", None),
        ("http://[::1", None),
        ("#note", None),
        ("", None),
    ],
)
def test_links_are_absolute_and_unusable_links_are_plain_text(href, expected):
    expected = "<p>a</p>" if expected is None else f'<p><a href="{expected}">a</a></p>'
    assert to_html(f'<p><a href="{href}" onclick="x()" class="y" target="_blank">a</a></p>') == expected


def test_relative_links_stay_relative_without_a_base():
    assert to_html('<p><a href="/c">a</a></p>', base=None) == '<p><a href="/c">a</a></p>'


MARKDOWN = {
    "items that hold only lists are dropped": [
        ("<ul><li>X<ul><li><ul><li>a<ul><li>b</ul></ul></ul></ul>", "- a\n  - b"),
        ("<ul><li>a<li><ul><li>b<li><ul><li>c</ul></ul><li>d</ul>", "- a\n  - b\n    - c\n- d"),
        ("<ul><li><ul><li>a</ul><li>b<li><ol><li>c</ol></ul>", "- a\n\n* b\n  1. c"),
        ("<ol><li>a<li><ul><li>b</ul><li>c</ol>", "1. a\n   - b\n3. c"),
        ("<li><ul><li>a</ul>", "- a"),
    ],
    "html is converted to markdown": [
        ("<p>x<sup>2</sup>, H<sub>2</sub>O, <sup>*</sup>", "x<sup>2</sup>, H<sub>2</sub>O, <sup>\\*</sup>"),
        ("<p>a<sup><a href='/b'>[1]</a></sup>", "a<sup>[\\[1\\]](https://example.org/b)</sup>"),
        ("<p><b>x<sup>2</sup></b><code>x<sup>2</sup></code><sup> </sup>", "**x<sup>2</sup>**`x2`"),
        ("<p>&lt;sup>x&lt;/sup>", "\\<sup>x\\</sup>"),
        ("<h1>a # b</h1><h3># c</h3>", "# a # b\n\n### # c"),
        ("<p>a <b>b</b> <i>c</i><s>d</s> <code>e`f</code></p>", "a **b** *c*~~d~~ `` e`f ``"),
        ("<p>a<br>b</p>", "a\\\nb"),
        ("<p>1. a</p><p># b</p><p>* c</p><p>+ d</p>", "1\\. a\n\n\\# b\n\n\\* c\n\n\\+ d"),
        ("<p>&lt;b&gt; snake_case _a_ a|b</p>", "\\<b> snake_case \\_a\\_ a|b"),
        ("<p>a & b, &amp;amp; [c](d) ~~e~~ f ~ g - h + i</p>", "a & b, \\&amp; \\[c](d) \\~\\~e\\~\\~ f ~ g - h + i"),
        ("<p>&gt; a</p><p>- b</p><p>---</p><p>1) c</p>", "\\> a\n\n\\- b\n\n\\---\n\n1\\) c"),
        ("<p>a<br>===<br>- b</p>", "a\\\n\\===\\\n\\- b"),
        ("<p>Look!<a href='/c'>b</a></p>", "Look\\![b](https://example.org/c)"),
        ("<ul><li>a<ul><li>b</ul><li><p>c</p><p>d</p></ul>", "- a\n  - b\n- c\n\n  d"),
        ("<ol start=9><li>a<li>b<br>c</ol>", "9. a\n10. b\\\n    c"),
        ("<ul><li>a<ol start=3><li>b</ol></ul>", "- a\n\n  3. b"),
        ("<ul><li>a</ul><ul><li>b</ul><ul><li>c</ul>", "- a\n\n* b\n\n- c"),
        ("<ol><li>a</ol><ol><li>b</ol>", "1. a\n\n1) b"),
        ("<blockquote><p>a</p><p>b</p></blockquote>", "> a\n>\n> b"),
        ("<pre class=lang-py>a\n\n\n  b</pre>", "```py\na\n\n\n  b\n```"),
        ("<pre>a\n```\nb</pre>", "````\na\n```\nb\n````"),
        ("<p><a href='/c_(d) e'>a]b</a></p>", "[a\\]b](https://example.org/c_%28d%29%20e)"),
        ("<p>a <img src='/i_(1).png' alt='b]c'> d</p>", "a ![b\\]c](https://example.org/i_%281%29.png) d"),
        ("<dl><dt>a<dd>b</dl>", "**a**\n\nb"),
        (
            "<table><tr><th>a<th>b<tr><td>c|d<td><code>e|f</code></table>",
            "| a | b |\n| --- | --- |\n| c\\|d | `e\\|f` |",
        ),
        (
            "<table><tr><td rowspan=2>a<td>b<tr><td colspan=2>c<br>d<tr><td>e<td>f</table>",
            "| a | b |\n| --- | --- |\n|  | c d |  |\n| e | f |",
        ),
        ("<table><caption>a<tr><td>b<td>c<tr><td>d<td>e</table>", "a\n\n| b | c |\n| --- | --- |\n| d | e |"),
        ("<table><caption>a<tr><td>X<td>X<tr><td>X<td>X</table><p>b", "a\n\nb"),
        ("<p><code>a</code><kbd>b</kbd><i><code>c</code></i></p>", "`a` `b`*`c`*"),
        (
            "<table><tr><td><pre class=lang-py>a|b\nc</pre><td>d<tr><td>e<td>f</table>",
            "| ``` a\\|b c ``` | d |\n| --- | --- |\n| e | f |",
        ),
        ("<p><kbd>a<img src=/b alt='c*'>d</kbd></p>", "`ac*d`"),
        ("<p>X</p>", ""),
    ],
}


@by_rule("html,expected", MARKDOWN)
def test_content_is_written_as_markdown(html, expected):
    assert to_markdown(html, "X") == expected


def test_deeply_nested_structure_is_dropped():
    html = to_html("<blockquote>" * 500 + "a" + "<ul><li>" * 500 + "b")
    assert html.count("<blockquote>") == 24
    assert html.count("<ul>") == 0
    assert "b" in to_markdown("<ul><li>" * 500 + "b")


def test_a_row_of_many_empty_cells_is_written_quickly():
    assert to_html("<table><tr><th>a" + "<td>" * 3000 + "<td>b<tr><td>c<td>d</table>").count("<td") == 3003


def test_a_row_directly_inside_a_cell_is_not_a_row():
    table = "<table><tr><td>a<td>b<tr><td>c<td><body class=x>"
    html = to_html(f"<html><body></body></html>{table}</tr>\n<tr><td>the</td></tr></table>The")
    text = lxml.html.fragment_fromstring(html, create_parent="div").text_content()
    assert "".join(text.split()) == "abctheThe"


@given(html_trees())
def test_the_html_holds_the_characters_of_the_content_in_order(html):
    content = select(html, "", MODERN_BLOCKS)
    expected = "".join(content.page.texts[leaf] for leaf in content.blocks.leaves)
    markup = content_html(content)
    text = lxml.html.fragment_fromstring(markup, create_parent="div").text_content()
    assert re.sub(r"[\x00-\x1f\s]", "", text) == re.sub(r"[\x00-\x1f\s]", "", expected)


def test_spans_add_no_more_cells_than_the_page_has_room_for():
    rows = "<tr><td colspan=100 rowspan=100>a<td>b</tr>" * 300
    markdown = to_markdown(f"<table>{rows}</table>")
    n_cells = markdown.count("|") - markdown.count("---") - 300 - 1
    assert n_cells == 600 + 5_000 + 600  # one for each cell, and for each character
    assert (markdown.count(" a |"), markdown.count(" b |")) == (300, 300)


def test_cells_that_span_rows_and_columns_move_the_cells_after_them():
    rows = "<tr><td rowspan=2>a" + "<td colspan=2>b" * 3 + "<tr><td>c"
    assert to_markdown(f"<table>{rows}</table>").endswith("|  | c |")


@given(st.lists(st.text(alphabet="ab1 *_`[]()<>&#;!~|\\\\+-=.:", max_size=12), min_size=1, max_size=4))
def test_text_is_never_interpreted_as_markdown(texts):
    html = "<p>" + "<b>x</b><br>".join(escape(text) for text in texts) + "</p>"
    for source in (
        html,
        f"<ul><li>{html}</ul>",
        f"<table><tr><th>y<th>z<tr><td>{html}<td>z</table>",
        f"<h2>{html}</h2>",
    ):
        rendered = lxml.html.fromstring(COMMONMARK.render(to_markdown(source)) or "<p></p>")
        expected = lxml.html.fromstring(to_html(source) or "<p></p>")
        assert "".join(rendered.text_content().split()) == "".join(expected.text_content().split())


@pytest.mark.parametrize(
    ("html", "kinds"),
    [
        ("<table><tr><th>a<th>b<tr><td>c<br>d<td><ul><li>e<li>f</ul></table>", ["table"]),
        ("<ul><li>a<ol start=3><li>b<pre>c\n\nd</pre></ol></ul>", ["bullet_list", "ordered_list", "fence"]),
        ("<ul><li>a</ul><ul><li>b</ul>", ["bullet_list", "bullet_list"]),
        ("<blockquote><ul><li>a</ul><h2>b</h2></blockquote>", ["blockquote", "bullet_list", "heading"]),
    ],
)
def test_parsed_markdown_has_the_structure_of_the_html(html, kinds):
    tokens = [token.type.removesuffix("_open") for token in COMMONMARK.parse(to_markdown(html))]
    wanted = {"table", "bullet_list", "ordered_list", "fence", "blockquote", "heading"}
    assert [kind for kind in tokens if kind in wanted] == kinds


@pytest.mark.parametrize("base", [BASE, None], ids=["base", "no base"])
@pytest.mark.parametrize("vector", VECTORS)
def test_nothing_executable_remains(vector, base):
    page = f"<html><body><p>before</p><div>{vector}</div><p>after it</p></body></html>"
    content = select(page, "", MODERN_BLOCKS, url=base)
    html = content_html(content)
    assert "before" in html
    check_html(html)
    assert find_danger(content_markdown(content)) == []


CODE = "def f():\n    return 1\n"
PRE = f"<pre>{CODE}</pre>"
HEXO = """<figure class="highlight python"><table><tr><td class=gutter><pre>1<br>2</pre><td class=code>
<pre><span class=line>def f():</span><br><span class=line>    return 1</span><br></pre></table></figure>"""
CRAYON = """<table class=crayon-table data-lang=python><tr><td class=crayon-nums><div>1</div><div>2</div>
<td class=crayon-code><div class=crayon-pre><div>def f():</div><div><i>    </i>return 1</div></div></table>"""
NUMBERED = "<span class=linenos>1</span>def f():\n<span class=linenos>2</span>    return 1\n"


@pytest.mark.parametrize(
    "markup",
    [
        f"<div class=highlight-python><div class=highlight><pre>{NUMBERED}</pre></div></div>",
        f"<table><tr><td class=linenos><div><pre>1\n2</pre></div><td><div class=lang-python>{PRE}</div></table>",
        f"<pre lang=python><button>Copy</button><code>{CODE}</code></pre>",
        f"<pre><code data-lang=python>{CODE}</code></pre>",
        f"<pre><table><tr><td><pre class=lineno>1\n2</pre><td><pre data-language=python>{CODE}</pre></table></pre>",
        f"<pre><div class='x select-none'>py<b>Copy</b></div><div><code class=lang-python>{CODE}</code></div></pre>",
        HEXO,
        CRAYON,
        f"<pre><code class='hljs python'>{CODE}</code></pre>",
        f"<pre><code class='python hljs'>{CODE}</code></pre>",
        f"<pre data-enlighter-language=python>{CODE}</pre>",
        f"<pre data-syntaxhighlighter-params='brush: python; gutter: false'>{CODE}</pre>",
    ],
    ids=[
        *("line numbers", "a column of them", "copy button", "attribute", "nested", "a head", "Hexo", "Crayon"),
        *("highlight.js 10", "highlight.js 8", "Enlighter", "Confluence"),
    ],
)
def test_code_has_its_language_and_neither_line_numbers_nor_buttons(markup):
    content = arrange_content(select(f"<p>Before</p>{markup}<p>After</p>", "", MODERN_BLOCKS), "")
    assert content_markdown(content) == f"Before\n\n```python\n{CODE}```\n\nAfter"
    assert content_text(content).replace("\n\n", "\n") == f"Before\n{CODE}After"


def test_a_button_in_code_that_holds_more_than_a_label_is_kept():
    content = arrange_content(select("<pre><button><b>a</b> <b>b</b> <b>c</b></button></pre>", "", MODERN_BLOCKS), "")
    assert content_text(content) == "a b c"


def test_a_table_of_lines_of_code_is_code():
    """GitHub has the numbers of lines in an attribute or in a cell."""
    lines = ["<b>def</b> f():", "\n", "    <b>return</b> 1", "\n", "\n", "f()"]
    row = "<tr><td class=blob-num data-line-number={0}><td class='blob-code inner'>{1}</td>\n"
    rows = "".join(row.format(*numbered) for numbered in enumerate(lines, 1))
    html = f"<div class=highlight-source-python><table class='highlight tab'>{rows}</table></div>"
    code = "def f():\n\n    return 1\n\n\nf()"
    for each in (html, html.replace("data-line-number=3>", ">3</td>")):
        content = arrange_content(select(f"<p>Before</p>{each}", "", MODERN_BLOCKS), "")
        assert content_markdown(content) == f"Before\n\n```python\n{code}\n```"
        assert content_text(content) == f"Before\n{code}"
    data = to_html(html.replace("blob-code", "x"))
    assert data.startswith("<table>")


@pytest.mark.parametrize(
    ("html", "code"),
    [
        ("<pre><span class=gp>$ </span>a\n<span class=gp>$ </span>b</pre>", "a\nb"),
        ("<pre><span class=gp>$ </span>a\n<span class=go>b</span>\n</pre>", "$ a\nb"),
        ("<pre><span class=gp>$ </span>a \\\n  b\n<span class=gp>$ </span>c</pre>", "a \\\n  b\nc"),
        ("<pre><span class=gp>$ </span>a\n# b</pre>", "$ a\n# b"),
        ("<pre class=gp>a</pre>", "a"),
        ("<pre><a class=test-arrow>Run</a><i class=x>a\n</i><span class=boring>b</span></pre>", "a"),
        ("<pre><a style='user-select: none'>$ </a>a\n<i class=x><a class='a select-none'>$</a> b</i></pre>", "a\n b"),
        ("<pre style='user-select:none'><code class=select-none>a</code></pre>", "a"),
    ],
)
def test_prompts_are_code_only_where_they_tell_input_from_output(html, code):
    content = arrange_content(select(html, "", MODERN_BLOCKS), "")
    assert content_text(content) == code
    assert content_markdown(content) == f"```\n{code}\n```"


@pytest.mark.parametrize(
    "attribute", ["lang=en", "data-lang='a b'", "class=highlight-box", "class='highlight a'", "class='hljs copyable'"]
)
def test_other_attributes_name_no_language(attribute):
    assert to_markdown(f"<pre {attribute}>a</pre>") == "```\na\n```"
