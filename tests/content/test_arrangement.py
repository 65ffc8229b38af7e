"""What the switches leave out of the content, and what they add."""

from __future__ import annotations

import re
from typing import Any

import lxml.html
import pytest
from contents import content_html, content_markdown, content_paragraphs, select, without_indices
from fuzz.oracles import check_html, find_danger
from hypothesis import given
from hypothesis import strategies as st
from strategies import html_trees

from scrapy_web2text import Extractor, Options
from scrapy_web2text.content.arrangement import arrange_content
from scrapy_web2text.content.content import Content
from scrapy_web2text.content.text import content_text
from scrapy_web2text.options import Choice, Switch, TextLayout
from scrapy_web2text.page.blocks import MODERN_BLOCKS

URL = "https://example.org/a/b.html"
DATA = "<table><caption>t</caption><tr><th>a<th>b<tr><td>c<td>d</table>"
LAYOUT = "<table><tr><td>left</td><td><h2>h</h2><p>e</p></td></tr><tr><td>f<td>g</tr></table>"
LONG = "A column of the page. " * 50
FIVE = "<p>d</p>" * 5


def arrange(html: str, headline: str = "", **options: Any) -> Content:
    """Return the content of a page whose leaves are all content, except those with an X."""
    return arrange_content(select(html, url=URL, options=Options(**{"title": "exclude"} | options)), headline)


def to_html(content: Content) -> str:
    return content_html(content).replace(">\n", ">")


def to_markdown(content: Content) -> str:
    return content_markdown(content)


def to_paragraphs(content: Content) -> list[str]:
    return [paragraph.text for paragraph in content_paragraphs(content)]


# Links.

LINKS = "<p>See <a href=/c>the lamps</a> of <a name=x>old</a>, <a href=#n>1</a>.</p><p><a href=/d>More</a></p>"


@pytest.mark.parametrize(
    ("links", "text", "html"),
    [
        (
            "keep",
            "See the lamps of old, 1.\nMore",
            (
                '<p>See <a href="https://example.org/c">the lamps</a> of old, 1.</p>'
                '<p><a href="https://example.org/d">More</a></p>'
            ),
        ),
        ("text", "See the lamps of old, 1.\nMore", "<p>See the lamps of old, 1.</p><p>More</p>"),
        ("drop", "See of old, 1.", "<p>See of old, 1.</p>"),
    ],
)
def test_links_are_kept_or_plain_text_or_left_out(links, text, html):
    content = arrange(LINKS, links=links)
    assert content_text(content) == text
    assert to_html(content) == html
    assert to_paragraphs(content) == text.split("\n")


def test_the_image_in_a_link_remains_without_the_link():
    html = "<p>a</p><p><a href=/c>b <img src=/i.png></a></p><p>d</p>"
    image = '<img src="https://example.org/i.png" alt="">'
    assert to_html(arrange(html, links="drop")) == f"<p>a</p><p>{image}</p><p>d</p>"
    assert to_html(arrange(html, links="text")) == f"<p>a</p><p>b {image}</p><p>d</p>"
    assert to_html(arrange(html, links="drop", images="drop")) == "<p>a</p><p>d</p>"


# Images.

IMAGES = (
    "<p>a <img src=/i.png alt='two \n lamps'>b</p><img src=/j.png><figure><img src=/k.png alt=hut></figure><p>c</p>"
)


def test_images_are_kept_only_in_html_and_markdown():
    content = arrange(IMAGES)
    assert content_text(content) == "a b\nc"
    assert to_paragraphs(content) == ["a b", "c"]
    assert to_html(content).count("<img") == 3


def test_the_descriptions_of_images_are_text_in_all_forms():
    content = arrange(IMAGES, images="text")
    assert content_text(content) == "a two lamps b\nhut\nc"
    assert to_html(content) == "<p>a two lamps b</p><figure><p>hut</p></figure><p>c</p>"
    assert to_markdown(content) == "a two lamps b\n\nhut\n\nc"
    assert to_paragraphs(content) == ["a two lamps b", "hut", "c"]


def test_images_are_left_out_of_all_forms():
    content = arrange(IMAGES, images="drop")
    assert (to_html(content), to_markdown(content)) == ("<p>a b</p><p>c</p>", "a b\n\nc")


def test_a_described_image_has_no_block():
    first, image, _ = content_paragraphs(arrange("<p>a</p><img src=/i.png alt=hut><p>b</p>", images="text"))
    assert (first.block_indices, image.block_indices, image.probability) == ((0,), (), None)


def test_the_description_of_an_image_in_code_is_a_part_of_its_line():
    content = arrange("<p>a</p><pre>b\n<img src=/i.png alt=hut> c</pre><p>d</p>", images="text")
    assert content_text(content).split() == ["a", "b", "hut", "c", "d"]


@pytest.mark.parametrize(
    ("html", "is_kept"),
    {
        "<p>a</p><ul><li><img src=/i.png><li><a href=/c><img src=/j.png></a></ul><p>b</p>": False,
        "<p>a</p><a href='https://www.facebook.com/sharer/sharer.php?u=x'><img src=/i.png></a><p>b</p>": False,
        "<header><a href=/c><img src=/i.png></a></header><p>a</p><p>b</p>": False,
        "<p>a</p><a href=/ ><img src=/i.png></a><p>b</p>": False,
        "<p>a</p><a href=https://www.example.org><img src=/i.png></a><p>b</p>": False,
        "<p>a</p><a href=/index.html><img src=/i.png></a><p>b</p>": False,
        "<a class=site-logo href=/c><img src=/i.png></a><p>a</p><p>b</p>": False,
        "<a href=/c><img class='brand x' src=/i.png></a><p>a</p><p>b</p>": False,
        "<p>a</p><img src=/i.png width=16 height=16><p>b</p>": False,
        "<p>a</p><img src=/i.png width=20px height=14px alt='Print this'><p>b</p>": False,
        "<p>a</p><img src=/i.png width=16 height=16 class=emoji alt=smile><p>b</p>": True,
        "<p>a</p><img src=/i.png width=16 height=16 alt=':)'><p>b</p>": True,
        "<p>a</p><img src=/i.png width=9 height=12 alt=x><p>b</p>": True,
        "<p>a</p><img src=/i.png width=16><p>b</p>": True,
        "<p>a</p><img src=/i.png width=200 height=20><p>b</p>": True,
        "<p>a</p><ul><li>c<img src=/i.png></ul><p>b</p>": True,
        "<p>a</p><a href=/i.jpg><img src=/i.png></a><p>b</p>": True,
        "<p>a</p><a href=https://other.org/ ><img src=/i.png></a><p>b</p>": True,
        "<p>a</p><a href='/?p=3'><img src=/i.png></a><p>b</p>": True,
        "<p>a</p><a href='http://[::1'><img src=/i.png></a><p>b</p>": True,
        "<p>a</p><a><img src=/i.png></a><p>b</p>": True,
        "<article><header><a href=/c><img src=/i.png></a></header><p>a</p></article><p>b</p>": True,
        "<header><img src=/i.png></header><p>a</p><p>b</p>": True,
    }.items(),
)
def test_the_images_of_mastheads_and_icons_do_not_come_along_and_others_do(html, is_kept):
    written = to_html(arrange(html))
    assert written.count("<img") == is_kept
    assert is_kept or written == "<p>a</p><p>b</p>"


# Tables.


@pytest.mark.parametrize(
    ("tables", "text", "markdown", "paragraphs"),
    [
        ("keep", "t\na\tb\nc\td", "t\n\n| a | b |\n| --- | --- |\n| c | d |", ["t", "a", "b", "c", "d"]),
        ("text", "t\na\tb\nc\td", "t\n\na | b\n\nc | d", ["t", "a\tb", "c\td"]),
        ("drop", "", "", []),
    ],
)
def test_data_tables_are_kept_or_lines_of_text_or_left_out(tables, text, markdown, paragraphs):
    content = arrange(f"<p>o</p>{DATA}<p>p</p>", tables=tables)
    assert content_text(content) == "\n".join(filter(None, ["o", text, "p"]))
    assert to_markdown(content) == "\n\n".join(filter(None, ["o", markdown, "p"]))
    assert to_paragraphs(content) == ["o", *paragraphs, "p"]


@pytest.mark.parametrize("tables", ["keep", "text", "drop"])
@pytest.mark.parametrize(
    ("html", "expected"),
    [
        (LAYOUT, "<p>left</p><h2>h</h2><p>e</p><p>f</p><p>g</p>"),
        (f"<table><tr><td>a<td>b<tr><td>c<td>{LONG}</table>", f"<p>a</p><p>b</p><p>c</p><p>{LONG.strip()}</p>"),
        (f"<table><tr><td>a<td>b<tr><td>c<td>{FIVE}</table>", f"<p>a</p><p>b</p><p>c</p>{FIVE}"),
    ],
    ids=["heading", "column", "paragraphs"],
)
def test_a_layout_table_is_not_a_data_table(html, expected, tables):
    assert to_html(arrange(html, tables=tables)) == expected


@pytest.mark.parametrize("tables", ["keep", "text"])
def test_the_cells_of_a_row_stay_together(tables):
    rows = "<tr><th>a<th>b<tr><td>c<br>d<td>e<tr><td><ul><li>f<li>g</ul><td>h<tr><td><h3>i</h3><td>j"
    content = arrange(f"<table>{rows}<tr><td><p>k</p><p>l</p></table>", tables=tables)
    assert content_text(content) == "a\tb\nc d\te\n- f - g\th\ni\tj\nk l"
    if tables == "text":
        assert to_markdown(content) == "a | b\n\nc d | e\n\nf g | h\n\ni | j\n\nk\\\nl"
        assert to_paragraphs(content) == ["a\tb", "c d\te", "f g\th", "i\tj", "k\nl"]
    else:
        rows = ["a | b", "--- | ---", "c d | e", "- f - g | h", "i | j", "k l"]
        assert to_markdown(content).replace("  ", " ").split("\n") == [f"| {row} |" for row in rows]


def test_columns_and_code_are_not_cells_of_a_row():
    rows = f"<tr><th>a<th>b<tr><td>{LONG}<br>c<td>d<tr><td><pre>e\nf</pre>g<td>h"
    text = f"a\tb\n{LONG.strip()}\nc\nd\ne\nf\ng\nh"
    assert content_text(arrange(f"<table>{rows}</table>")) == text


def test_the_images_of_a_dropped_table_are_dropped_too():
    html = "<p>o</p><table><tr><th>a<th>b<tr><td><img src=/i.png><td>d</table><p>p</p>"
    assert to_html(arrange(html, tables="drop")) == "<p>o</p><p>p</p>"
    assert "<p>a | b</p><p><img" in to_html(arrange(html, tables="text"))


def test_code_in_tables_is_not_dropped():
    html = "<pre><code><table><tr><td>a<td>x = 1<tr><td>b<td>y = 2</table></code></pre>"
    assert content_text(arrange(html, tables="drop")) == "a\tx = 1\nb\ty = 2"


# The title.

PAGE = "<p>By Ada</p><h1>Lamp <b>oil</b></h1><p>Four lamps burn.</p><h2>Lamp oil</h2><p>Until dawn.</p>"


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        (
            "<h3>Ingredients<div><button>US</button> <button>1x</button></div></h3><p>Two eggs",
            "### Ingredients\n\nTwo eggs",
        ),
        ("<h3><button>How long?</button></h3><p>Two", "### How long?\n\nTwo"),
        ("<h2>Oil<span class=mw-editsection>[<a href=/w>edit</a>]</span></h2><p>Two", "## Oil\n\nTwo"),
        ("<h2>Oil <a href=#oil>#oil</a></h2><p>Two <a href=#b>#b</a>", "## Oil\n\nTwo #b"),
        ("<h2><a href=#oil>#oil</a></h2><p>Two", "## #oil\n\nTwo"),
        ("<h3><span><button>Add</button></span></h3><p>Press <button>OK</button> now", "### Add\n\nPress OK now"),
    ],
)
def test_buttons_and_links_beside_a_heading_are_left_out(html, markdown):
    assert content_markdown(arrange_content(select(html), "")) == markdown


@pytest.mark.parametrize("name", ["quoteExpand", "bbCodeBlock-expandLink js-expandLink"])
def test_what_expands_a_quote_is_left_out(name):
    expander = f"<div class='{name}'><a>Klicken Sie hier</a></div>"
    html = f"<blockquote><div>Two lamps</div>{expander}</blockquote>{expander}"
    assert content_markdown(arrange_content(select(html), "")) == "> Two lamps\n\nKlicken Sie hier"


def test_the_headline_is_in_no_form():
    content = arrange(PAGE, "Lamp oil")
    assert content_text(content) == "By Ada\nFour lamps burn.\nLamp oil\nUntil dawn."
    assert to_markdown(content) == "By Ada\n\nFour lamps burn.\n\n## Lamp oil\n\nUntil dawn."
    assert to_paragraphs(content) == ["By Ada", "Four lamps burn.", "Lamp oil", "Until dawn."]


def test_an_included_title_is_on_top_of_every_form():
    content = arrange(PAGE, "Lamp oil", title="include")
    assert content_text(content) == "Lamp oil\nBy Ada\nFour lamps burn.\nLamp oil\nUntil dawn."
    assert to_html(content).startswith("<h1>Lamp oil</h1><p>By Ada</p><p>Four lamps burn.</p><h2>")
    assert to_markdown(content).startswith("# Lamp oil\n\nBy Ada\n\nFour")
    first, second, *_ = content_paragraphs(content)
    assert (first.text, first.kind, first.block_indices) == ("Lamp oil", "heading", (1, 2))
    assert (second.text, second.kind) == ("By Ada", "paragraph")


@pytest.mark.parametrize(
    ("html", "is_headline"),
    {
        "<p>x</p><div>LAMP OIL!</div><p>y</p>": True,
        "<h3>Lamp oil</h3><p>x</p><p>y</p>": True,
        "<p>x</p><p>y</p><p>z</p><p>z</p><h1>Lamp<br>oil <a href=#a>#</a></h1>": True,
        "<p>x</p><p>y</p><p>z</p><h2>Lamp oil</h2>": False,
        "<h1>Lamp oil in use</h1><p>x</p>": False,
        "<h1>Lamp oil</h1>": False,
    }.items(),
)
def test_a_headline_is_an_h1_or_among_the_first_lines_and_not_all_of_the_text(html, is_headline):
    text = content_text(arrange(html, "Lamp oil"))
    assert "oil" not in text.lower() if is_headline else "Lamp oil" in text


@pytest.mark.parametrize("html", ["<h1>Lamp oil</h1>", "<p>Lamp oil</p>"])
def test_content_that_is_its_headline_has_it_once(html):
    assert content_text(arrange(html, "Lamp oil", title="include")) == "Lamp oil"


@pytest.mark.parametrize("title", ["", "???"])
def test_a_title_without_letters_is_not_searched(title):
    content = arrange("<p>???</p><p>a</p>", title)
    assert content_text(content) == "???\na"


@pytest.mark.parametrize(("html", "tables"), [("<p>X</p>", "keep"), (DATA, "drop")])
def test_a_title_is_not_written_where_nothing_else_is_left(html, tables):
    content = arrange(html, "Lamp oil", title="include", tables=tables)
    assert (content_text(content), content_html(content), content_paragraphs(content)) == ("", "", ())


def test_an_included_title_is_escaped():
    title = "<script>alert(1)</script> *a* & | b"
    content = arrange("<p>x</p>", title, title="include")
    assert to_html(content) == "<h1>&lt;script&gt;alert(1)&lt;/script&gt; *a* &amp; | b</h1><p>x</p>"
    assert to_markdown(content) == "# \\<script>alert(1)\\</script> \\*a\\* & | b\n\nx"


def test_the_labels_of_blocks_do_not_depend_on_the_title():
    html = f"<body><h1>Lamp oil</h1>{'<p>Four lamps burn from dusk until the last boat is in.</p>' * 3}"
    answers = [Extractor(model="shallow:all", title=title).extract(html) for title in ("exclude", "include", "auto")]
    assert answers[0].blocks == answers[1].blocks == answers[2].blocks
    assert [answer.text.count("Lamp oil\n") for answer in answers] == [0, 1, 1]


def test_by_default_the_headline_is_in_the_content_if_its_block_is():
    html = "<h1>Lamp oil</h1><p>Four lamps burn.</p><h1>Lamp oil</h1>"
    assert content_text(arrange(html, "Lamp oil", title="auto")) == "Lamp oil\nFour lamps burn.\nLamp oil"
    assert content_text(arrange(html.replace("oil", "X"), "Lamp X", title="auto")) == "Four lamps burn."


# Lists.

URL_OF_SHARES = "https://www.facebook.com/sharer/sharer.php?u=https://a.org"
SHARE = f"<li><a href='{URL_OF_SHARES}'>Share</a>"


@pytest.mark.parametrize(
    ("line", "is_dropped"),
    [
        ("<a href=#card>Jump to recipe</a><a href=/print>Print</a>", True),
        ("<a href=#about>Description</a> <a href=#care>Care</a>", True),
        ("<a href=#card>Jump to recipe</a> | <a href=/print>Print</a>", True),
        ("<a href=#card>Jump to recipe</a>", False),
        ("<a href=/a>Jump to recipe</a> <a href=#>Print</a>", False),
        ("See <a href=#card>the recipe</a> <a href=/print>in print</a>", False),
        ("<a href=#a>A</a> <a href=#b>B</a>", False),
        ("<a href=#l1>1</a> <a href=#l2>2</a>", False),
        ("<a href=#note1>[13]</a> <a href=/x>The source</a>", False),
    ],
)
def test_a_line_of_links_that_jumps_to_a_part_of_the_page_is_dropped(line, is_dropped):
    content = arrange(f"<p>{line}</p><p>The pie that my mother made.</p>")
    assert content_text(content).endswith("The pie that my mother made.")
    assert (content_text(content) == "The pie that my mother made.") == is_dropped


def test_a_bar_of_links_that_is_all_of_the_content_is_kept():
    assert content_text(arrange("<p><a href=#card>Jump to recipe</a> <a href=/print>Print</a></p>")) != ""


def test_a_list_of_share_links_is_dropped():
    html = f"<p>a</p><ul><li><a href='mailto:?subject=a'><b>Mail</b></a>{SHARE}</ul><p>b</p>"
    content = arrange(html)
    assert content_text(content) == "a\nb"
    assert to_html(content) == "<p>a</p><p>b</p>"


@pytest.mark.parametrize(
    ("items", "text"),
    [
        (f"{SHARE}<li><a href='https://facebook.com/ada'>c</a>", "- Share\n- c"),
        (f"{SHARE}<li>c", "- Share\n- c"),
        (f"{SHARE}<li><a href=mailto:a@b.org>c</a>", "- Share\n- c"),
        ("<li><a href=/b>b</a><li><a name=c>c</a>", "- b\n- c"),
    ],
)
def test_a_list_of_other_links_or_with_other_text_is_kept(items, text):
    assert content_text(arrange(f"<p>a</p><ul>{items}</ul>")) == f"a\n{text}"


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ("<ul><li><h3>a</h3><p>b</p><li><h3>c</h3><p>d</p></ul>", "### a\n\nb\n\n### c\n\nd"),
        ("<ul><li><p>a</p><p>b</p><p>c</p></ul>", "a\n\nb\n\nc"),
        ("<ol><li><article>a</article><li><article>b</article></ol>", "a\n\nb"),
        ("<div><li><section><p>a</p></section><p>b</p></div>", "a\n\nb"),
        ("<ul><li><h3>a</h3><ul><li>b<li>c</ul></ul>", "### a\n\n- b\n- c"),
        ("<ul><li>a<li>b<ul><li><h3>c</h3>d</ul></ul>", "- a\n- b\n\n  ### c\n\n  d"),
    ],
    ids=["cards", "an article", "comments", "without a list", "a list in a card", "a card in a list"],
)
def test_items_that_lay_out_the_page_are_not_bullets(html, markdown):
    content = arrange(html)
    assert to_markdown(content) == markdown
    lines = [re.sub(r"^[\s#]+", "", line) for line in markdown.split("\n") if line]
    assert [line.strip() for line in content_text(content).split("\n")] == lines


@pytest.mark.parametrize(
    "html",
    [
        "<ul><li>a<li>b<li><h3>c</h3>d</ul>",
        "<ul><li><h3>a</h3><li><h3>b</h3></ul>",
        "<ul><li><p>a</p><p>b</p></ul>",
        "<ol><li><h3>a</h3><p>b</p></ol>",
        "<ul><li>a<ul><li><p>b</p><li><p>c</p><li><p>d</p></ul></ul>",
    ],
    ids=["few cards", "headings", "two paragraphs", "steps", "paragraphs of other items"],
)
def test_other_items_are_bullets(html):
    assert re.match(r"- |1\. ", content_text(arrange(html)))


# The layout of the text.

DOCUMENT = (
    "<p>a<br>b</p><h2>c<br>d</h2><ul><li>e<ul><li>f</ul><li><p>g</p><p>h</p></ul><ol><li>i</ol>"
    "<table><tr><th>k<th>l<tr><td>m<td>n</table><table><tr><td>o<td><h3>p</h3></table><pre>q\n\n  r</pre><h6>s</h6>t"
)


LINES = "a\nb\nc\nd\n- e\n  - f\n- g\n  h\n1. i\nk\tl\nm\tn\no\tp\nq\n\n  r\ns\nt"
PARAGRAPHS = "a\nb\n\nc\nd\n\n- e\n  - f\n- g\n  h\n\n1. i\n\nk\tl\nm\tn\n\no\tp\n\nq\n\n  r\n\ns\n\nt"
HEADINGS = PARAGRAPHS.replace("c\nd", "## c d").replace("\ns\n", "\n###### s\n")


@pytest.mark.parametrize(("layout", "text"), [("lines", LINES), ("paragraphs", PARAGRAPHS), ("headings", HEADINGS)])
def test_paragraphs_and_headings_are_marked_in_the_text(layout, text):
    assert content_text(arrange(DOCUMENT, text_layout=layout)) == text


@pytest.mark.parametrize(("layout", "start"), [("lines", "T\na"), ("paragraphs", "T\n\na"), ("headings", "# T\n\na")])
def test_the_title_has_the_layout_of_a_heading(layout, start):
    assert content_text(arrange("<p>a</p>", "T", title="include", text_layout=layout)) == start


def test_headings_in_lists_are_not_marked():
    assert content_text(arrange("<ul><li><h3>a</h3><li><h3>b</h3></ul>", text_layout="headings")) == "- a\n- b"


# All switches together.


def letters(text: str) -> str:
    return "".join(filter(str.isalnum, without_indices(text)))


@given(
    html=html_trees(),
    links=st.sampled_from(Switch.__args__),
    images=st.sampled_from(Switch.__args__),
    tables=st.sampled_from(Switch.__args__),
    title=st.sampled_from(Choice.__args__),
    layout=st.sampled_from(TextLayout.__args__),
    is_first=st.booleans(),
)
def test_the_forms_agree_and_are_safe_under_all_switches(html, links, images, tables, title, layout, is_first):
    options = Options(links=links, images=images, tables=tables, title=title, text_layout=layout)
    selected = select(html, "", MODERN_BLOCKS, url=URL, options=options)
    texts = selected.page.texts
    content = arrange_content(selected, texts[0].strip() if is_first and texts else "Lamp oil at night")
    markup = content_html(content)
    check_html(markup)
    markdown = content_markdown(content)
    assert find_danger(markdown) == []
    fragment = lxml.html.fragment_fromstring(markup, create_parent="div")
    # The marks of items are in no other form. They can be anywhere in a line: indented in cells, inside of a heading.
    text = re.sub(r"\d+\. ", "", content_text(content))
    shown = re.sub(r"^\s*\d+\. ", "", fragment.text_content(), flags=re.MULTILINE)
    paragraphs = content_paragraphs(content)
    assert letters("".join(paragraph.text for paragraph in paragraphs)) == letters(fragment.text_content())
    assert len(letters(text)) <= len(letters(fragment.text_content()))
    assert "".join(filter(str.isalpha, without_indices(text))) == "".join(filter(str.isalpha, without_indices(shown)))
    assert links == "keep" or (fragment.find(".//a") is None and "](" not in markdown.replace("![", ""))
    assert images == "keep" or fragment.find(".//img") is None
    assert tables == "keep" or fragment.find(".//table") is None
    if title == "include" and content.title:
        assert fragment[0].tag == "h1"
        assert content_text(content).removeprefix("# ").startswith(content.title)


@pytest.mark.parametrize("name", ["gutter", "gl"])
def test_a_gutter_of_the_layout_is_not_one_of_line_numbers(name):
    page = f"<div class={name}><p>The bridge of 1911.</p><pre>x = 1</pre></div>"
    assert content_text(arrange(page)) == "The bridge of 1911.\nx = 1"
    numbered = f"<table><tr><td class={name}><pre>1\n2</pre><td><pre>x = 1\ny = 2</pre></table>"
    assert content_text(arrange(f"<p>The code:</p>{numbered}")) == "The code:\nx = 1\ny = 2"
