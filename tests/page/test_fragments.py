from __future__ import annotations

import pytest
from lxml import etree, html

from scrapy_web2text.page.sniffing import extent_of_tree, find_extent, has_markup, unwrap


@pytest.mark.parametrize(
    "markup",
    [
        "<!doctype html><p>a",
        "<!-- a --> <!DOCTYPE html PUBLIC><p>a",
        "<html>a",
        "<HTML lang=en>a",
        "<?xml version='1.0'?><html xmlns='http://www.w3.org/1999/xhtml'>a",
        "<head></head>a",
        "<body class=a>a",
        "<frameset></frameset>",
        "<title>a</title><p>b",
        "<meta charset=utf-8><p>b",
        "<meta name=viewport content=a><p>b",
        "<base href=/><p>b",
        "<p>a</p><body>b",
        "<script>'a'</script><body>b",
        "<svg><title>a</title></svg><title>b</title>",
        "<meta itemprop=a content=b><meta property='og:title' content=a>",
        "<meta " + "a" * 3_000 + " itemprop=a>",
    ],
)
def test_markup_with_a_tag_of_whole_pages_is_a_page(markup):
    assert find_extent(markup.encode()) == "page"


@pytest.mark.parametrize(
    "markup",
    [
        "",
        "a text",
        "1 < 2",
        "<p>a",
        "<header>a</header><main>b</main>",
        "<article itemscope><meta itemprop=datePublished content=2024><p>a</article>",
        "<!-- <html><body> --><p>a",
        "<!--[if IE]><body class=ie><![endif]--><p>a",
        "<!--><p>a",
        "<script>document.write('<html><body>')</script><p>a",
        "<STYLE><html></STYLE><p>a",
        "<svg><title>a</title></svg><p>b",
        "<textarea><html></textarea>",
        "<p>a<!-- <html>",
        "<p>a<script><html>",
        "<headline>a</headline><metadata>b</metadata>",
        "&lt;html&gt;",
    ],
)
def test_markup_without_a_tag_of_whole_pages_may_be_a_fragment(markup):
    assert find_extent(markup.encode()) == "markup"


@pytest.mark.parametrize("markup", ["<!--", "<script>", "<meta itemprop=a>", "<svg></svg>", "<meta itemprop"])
def test_much_of_what_has_to_be_skipped_is_read_in_linear_time(markup):
    assert find_extent(markup.encode() * 50_000) in ("markup", "page")


def test_an_element_below_the_body_is_an_element_of_a_page():
    page = etree.HTML("<html><head><title>a</title></head><body><p>b</p></body></html>")
    assert [extent_of_tree(element) for element in page.iter()] == ["page", "page", "element", "page", "element"]
    assert extent_of_tree(html.fragment_fromstring("<div>a</div>")) == "element"
    assert extent_of_tree(etree.fromstring("<html xmlns='http://www.w3.org/1999/xhtml'/>")) == "page"


@pytest.mark.parametrize(
    ("markup", "inner"),
    [
        ("<![CDATA[<p>a</p>]]>", "<p>a</p>"),
        ("<![CDATA[<p>a</p>]]><![CDATA[<p>b</p>]]>", "<p>a</p><p>b</p>"),
        ("<b><![CDATA[<p>x[y[0]]]]><![CDATA[>0</p>]]></b>", "<p>x[y[0]]>0</p>"),
        (" <content:encoded>\n<![CDATA[<p>a</p>]]></content:encoded>\n", "<p>a</p>"),
        ('<description xmlns="b">&lt;p&gt;a &amp;amp; b&lt;/p&gt;</description>', "<p>a &amp; b</p>"),
        ("&lt;p&gt;ä&lt;/p&gt; ", "<p>ä</p>"),
        (f"&lt;p&gt;a&#{'1' * 5_000};b&lt;/p&gt;", "<p>a\ufffdb</p>"),
    ],
)
def test_the_html_in_an_element_of_a_feed_is_unwrapped(markup, inner):
    assert unwrap(markup.encode()).decode() == inner


@pytest.mark.parametrize(
    "markup",
    [
        "<p>a</p>",
        "&lt;p&gt; starts a paragraph.",
        "<p>&lt;p&gt; starts a <b>paragraph</b>, &lt;/p&gt;",
        "<![CDATA[a]]> and <![CDATA[b]]>",
        "<![CDATA[a",
        "a &lt;p&gt;",
        "&lt; 3 &gt;",
        "",
    ],
)
def test_other_markup_is_kept(markup):
    assert unwrap(markup.encode()).decode() == markup


def test_a_text_with_tags_is_markup():
    assert has_markup("a <b>b</b>")
    assert not has_markup("1 < 2")
    assert not has_markup(None)
