from __future__ import annotations

import re

import pytest
from xss import VECTORS

from scrapy_web2text.page.arrays import tree_to_page
from scrapy_web2text.page.blocks import MODERN_BLOCKS, block_texts, segment
from scrapy_web2text.page.parse import to_tree
from scrapy_web2text.view.markup import mark_page

SPAN = re.compile(r'<span data-b="(\d+)">([^<]*)</span>')


def mark(html):
    page = tree_to_page(to_tree(html))
    return mark_page(page, segment(page, MODERN_BLOCKS))


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<h1>A</h1><p>B</p>", '<h1><span data-b="0">A</span></h1><div data-t="p"><span data-b="1">B</span></div>'),
        ("<p>A <b>B</b></p>", '<div data-t="p"><span data-b="0">A </span><span data-t="b"><span data-b="0">B</span>'),
        ("<p>A<br>B</p>", '<span data-b="0">A</span><br><span data-b="1">B</span>'),
        ("<p>A</p><hr><p>B</p>", "</div><hr><div"),
        ("<table><tr><td colspan=2 rowspan=x>A</td></tr></table>", '<td colspan="2"><span data-b="0">A</span></td>'),
        ("<table><tr><th colspan=1 rowspan=2000>A</th></tr></table>", '<th><span data-b="0">A</span></th>'),
        ("<p>A<img src=i.png alt='a &lt;b&gt;'></p>", '<span data-t="img">a &lt;b&gt;</span>'),
        ("<p>A</p><img src=i.png>", '<div data-t="p"><span data-b="0">A</span></div>'),
        ("<pre>A<b>\n\n</b><i>B</i></pre>", '<span data-b="0">A</span>\n\n<span data-t="i">'),
        ("<p><b>A</b> <i>B</i></p>", '</span></span> <span data-t="i">'),
        ("<p>A<!-- no --></p>", '<span data-b="0">A</span>'),
        ("<my-box>A</my-box>", '<div data-t="#custom">'),
        ("<p>1 &lt; 2 &amp; 3</p>", '<span data-b="0">1 &lt; 2 &amp; 3</span>'),
    ],
)
def test_elements_keep_their_structure(html, expected):
    assert expected in mark(f"<html><body>{html}</body></html>")


def test_text_in_no_block_and_elements_without_text_are_left_out():
    html = mark("<html><body><div><script>one</script></div><p>two</p><select><option>three</select></body></html>")
    assert [text for _, text in SPAN.findall(html)] == ["two"]
    assert html.count("<div") == 2  # the body, and the paragraph


def test_all_blocks_are_marked_in_their_order():
    source = "<body><ul><li>a<ul><li>b</ul><li>c</ul><table><tr><td>d<td>e</table><dl><dt>f<dd>g</dl>"
    page = tree_to_page(to_tree(source))
    blocks = segment(page, MODERN_BLOCKS)
    found = SPAN.findall(mark_page(page, blocks))
    assert [text for _, text in found] == block_texts(page, blocks)
    assert [int(number) for number, _ in found] == [*range(blocks.n_blocks)]


def test_deep_pages_are_flattened():
    html = mark("<html><body>" + "<div>a" * 1_000 + "</body></html>")
    assert html.count("<div") == 200
    assert len(SPAN.findall(html)) == 1_000


@pytest.mark.parametrize("vector", VECTORS)
def test_nothing_that_runs_or_loads_is_kept(vector):
    html = mark(f"<html><body><p>text</p>{vector}</body></html>")
    assert not re.search(r"<(?!/?(?:div|span|h\d|ul|ol|li|d[ldt]|t\w+|caption|pre|blockquote|br|hr)\b)", html)
    assert not re.search(r"<[^>]*\s(?!data-|colspan|rowspan)[\w-]+=", html)
