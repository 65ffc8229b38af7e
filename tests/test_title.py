from __future__ import annotations

import pytest
from lxml import etree

from scrapy_web2text.dom import to_tree
from scrapy_web2text.title import find_title

OG = '<meta property="og:title" content="{}">'


@pytest.mark.parametrize(
    ("html", "title"),
    [
        (f"<head>{OG.format('og')}<title>title</title></head><h1>h1</h1>", "og"),
        ("<head><title>title</title></head><h1>h1</h1><h1>second</h1>", "h1"),
        ("<head><title>title</title></head><p>text", "title"),
        ("<p>text", ""),
        ("", ""),
        (f"{OG.format(' ')}{OG.format('second')}<h1>h1</h1>", "second"),
        ("<meta property='og:title'><title>title</title><h1> </h1>", "title"),
        ("<meta property='og:description' content='no'><h1>h1</h1>", "h1"),
        (f"{OG.format(' og &amp; co' + chr(10) + ' on two lines')}", "og & co on two lines"),
        ("<h1>\n The <b>bridge</b>\n</h1>", "The bridge"),
        ("<h1>one<br>two</h1>", "one two"),
        ("<h1><!-- no -->h1<?no no?></h1>", "h1"),
        ("<h1><script>no</script>h1</h1>", "h1"),
        ("<svg><title>picture</title></svg><title>title</title>", "title"),
    ],
    ids=[
        *("og", "h1", "title", "none", "empty", "blank-og", "no-content", "other-property", "blanks"),
        *("markup", "two-lines", "comments", "script", "svg"),
    ],
)
def test_the_title_is_that_of_open_graph_or_the_first_heading_or_the_window(html, title):
    assert find_title(to_tree(html)) == title


def test_the_title_is_found_in_a_namespace_too():
    root = etree.fromstring(
        '<html xmlns="http://www.w3.org/1999/xhtml"><head/><body><h1>The <b>bridge</b></h1></body></html>'
    )
    assert find_title(root) == "The bridge"
