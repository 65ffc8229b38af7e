"""Marks and insertions in a line: readings of ruby, marks of notes, sidenotes, cents and tips."""

from __future__ import annotations

import pytest
from contents import content_html, content_markdown, select

from scrapy_web2text import Options
from scrapy_web2text.content.arrangement import arrange_content
from scrapy_web2text.content.text import content_text

CASES = {
    "readings are left out": [
        ("<p>The <ruby>病院<rt>びょういん</rt></ruby>に", "The 病院に"),
        ("<p><ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp>字<rp>(</rp><rt>ji</rt><rp>)</rp></ruby> is", "漢字 is"),
        ("<p>The <ruby><rb>東</rb><rt>とう<rt></ruby> of", "The 東 of"),
        ("<p><ruby>東<rp>(X</rp><rt>Xとう</rt><rp>)X</rp>京<rt>X</rt></ruby>に", "東京に"),
        (f"<p>The <ruby>東<rp>(Lamps {'were lit. ' * 10}", f"The 東(Lamps {'were lit. ' * 10}".rstrip()),
        ("<p>The <ruby>東<rp>(<p>Lamps.<p>They were lit.", "The 東(\nLamps.\nThey were lit."),
    ],
    "marks of notes are indices": [
        ("<p>said.<a class=footnote href=#fn2>2</a> Then", "said.² Then"),
        ("<p>said<span class=fn><a href=#n2>2</a></span> so", "said² so"),
        ("<p>said<a href=#fn2><sup>2</sup></a> so<a href=#b>[3]</a>", "said² so[3]"),
        ("<p>said*<a href=/2>2</a> in <a href=#2>2</a>", "said*2 in 2"),
        ("<p>said [<a href=#2>2</a>, <a href=#3>3</a>]", "said [2, 3]"),
        ("<p>said [<a href=#1>1</a>-<a href=#3>3</a>,<a href=#5>5</a>], so,<a href=#6>6</a>", "said [1-3,5], so,⁶"),
    ],
    "notes beside a sentence are in parentheses": [
        ("<p>This is<span class=sidenote>A <b>note</b>.</span> not long.", "This is (A note.) not long."),
        ("<p>This is <small class='margin-note x'> A note. </small>not long.", "This is (A note.) not long."),
        ("<p>It is<span class=sidenote>A note.</span> so.<ol><li>A note.</ol>", "It is so.\n1. A note."),
        ("<p>It is <span class=sidenotes>no note</span>, is it", "It is no note, is it"),
    ],
    "cents follow a separator": [
        ("<p>Only $19<sup>99</sup>, 5 m<sup>2</sup>, 10<sup>12</sup>", "Only $19.99, 5 m², 10¹²"),
        ("<p>€ 1.299<sup>00</sup> or 19<small>99</small> €", "€ 1.299,00 or 19.99 €"),
        ("<p><sup>$</sup>19<sup>99</sup> EUR 5<span class=price-cents>49</span>", "$19.99 EUR 5.49"),
        ("<p>$1<span>50</span>, $ 5<sup>123</sup>, $5.<sup>99</sup>", "$150, $ 5¹²³, $5.99"),
    ],
    "tips in code are left out": [
        ("<pre>f(<i class=tooltip>a</i><span class=tooltip>b<span class=tooltiptext>c</span></span>)</pre>", "f(ab)"),
        ("<pre><span class=hover><span class=tip>const x: number</span>x</span> = 1</pre>", "x = 1"),
        ("<pre>x<span role=tooltip>a number</span> = 1</pre>", "x = 1"),
        ("<p>x <span class=tooltip>y<span class=tooltiptext>z</span></span></p>", "x yz"),
    ],
    "invisible texts leave no trace": [
        ("<h2>Lamps<a href=#l>\u200b</a></h2><p>They<b>\u200b</b>re lit.\ufeff<p>\u200b", "Lamps\nTheyre lit."),
        ("<p>می<b>\u200c</b>روم", "می\u200cروم"),
    ],
    "wrapped lines of Chinese and Japanese are joined": [
        (
            "<p>作者自云曾经历过一番\n  梦幻之后，故将真事隐去，\r\n而借通灵",
            "作者自云曾经历过一番梦幻之后，故将真事隐去，而借通灵",
        ),
        ("<p>そしてたくさんの人が\nPython 3を\n毎日使います", "そしてたくさんの人が Python 3を 毎日使います"),
        ("<pre>作者自云曾经历过一番\n梦幻</pre>", "作者自云曾经历过一番\n梦幻"),
        ("<p>안녕하세요여러분반갑\n습니다", "안녕하세요여러분반갑 습니다"),
    ],
    "the box of a task is written": [
        (
            "<ul><li><input type=checkbox disabled checked> Done<li><input class=task-item type=checkbox>No <b>yet</b>",
            "- [x] Done\n- [ ] No yet",
        ),
        ("<ul><li>A <input type=checkbox disabled> box<li><input disabled> y</ul>", "- A box\n- y"),
        ("<ul><li><input type=checkbox> 400 g of flour</ul>", "- 400 g of flour"),
    ],
}


@pytest.mark.parametrize(
    ("html", "text"),
    [pytest.param(*case, id=f"{what} {i}") for what, cases in CASES.items() for i, case in enumerate(cases)],
)
def test_marks_are_read_as_a_reader_would(html, text):
    content = arrange_content(select(html, options=Options()), "")
    assert content_text(content) == text


def test_all_forms_agree():
    html = (
        "<p>It is<span class=sidenote>Long.</span> <ruby>東<rt>とう</rt></ruby> for $9<sup>50</sup><a href=#n>[a]</a>."
    )
    content = arrange_content(select(html, options=Options()), "")
    assert content_html(content) == "<p>It is (Long.) 東 for $9.50<sup>[a]</sup>.</p>"
    assert content_markdown(content) == "It is (Long.) 東 for $9.50<sup>\\[a]</sup>."


def test_markdown_has_tasks():
    html = "<ul><li><input type=checkbox disabled checked>a<li><input type=checkbox disabled> [x] b<li>[y] c</ul>"
    content = arrange_content(select(html, options=Options()), "")
    assert content_markdown(content) == "- [x] a\n- [ ] \\[x] b\n- [y] c"


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ("<ul><li>a</li><ul><li>b</li><li>c</li></ul><li>d</li></ul>", "- a\n  - b\n  - c\n- d"),
        ("<ol><li>a</li><ul><li>b</li><ul><li>c</li></ul></ul><li>d</li></ol>", "1. a\n   - b\n     - c\n2. d"),
        ("<ul><ul><li>a</li></ul><li>b</li></ul>", "- a\n- b"),
        ("<ul><li>a<ul><ul><li>b</li></ul></ul></li></ul>", "- a\n  - b"),
    ],
)
def test_a_list_directly_in_a_list_belongs_to_the_item_before_it(html, markdown):
    content = select(html)
    assert content_markdown(content) == markdown
    assert content_text(content).replace("  ", "") == markdown.replace("  ", "").replace(" -", "-")


@pytest.mark.parametrize("tag", ["dt", "h2"])
def test_what_is_strong_by_itself_has_no_second_mark(tag):
    html = f"<dl><{tag}><strong>w</strong> and <b>y</b></{tag}></dl>"
    assert content_markdown(select(html)).strip("#* ") == "w and y"
