from __future__ import annotations

import pytest
from lxml import etree

from scrapy_web2text.metadata.title import find_headline, find_title
from scrapy_web2text.page.parse import to_tree
from scrapy_web2text.page.tree import Landmarks

SITE = '<meta property="og:site_name" content="Harbor Notes">'
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
        ("<h1><a>Category</a><a>:</a><a>Oil</a> <a>(</a><a>old</a><a>)</a></h1>", "Category: Oil (old)"),
        ("<h1>You<b>Tube</b> <b>Kob</b><b>alt</b> x<span>Two</span></h1>", "YouTube Kobalt xTwo"),
        ("<h1><span>Lamps</span><span>A guide</span></h1>", "Lamps A guide"),
        ("<h1><b>Lamps</b><br><b>Oil</b><svg></svg>Wicks</h1>", "Lamps Oil Wicks"),
        ("<h1>灯<span class=mw-editsection>[<a>编辑</a>]</span></h1>", "灯"),
        ("<h1><script>no</script>h1</h1>", "h1"),
        ("<svg><title>image</title></svg><title>title</title>", "title"),
    ],
    ids=[
        *("og", "h1", "title", "none", "empty", "whitespace-og", "no-content", "other-property", "whitespace"),
        *("markup", "two-lines", "comments", "signs", "parts of words", "spans", "breaks", "edit", "script", "svg"),
    ],
)
def test_the_title_is_that_of_open_graph_or_the_first_heading_or_the_title_element(html, title):
    assert find_title(Landmarks(to_tree(html))) == title


def test_the_title_of_a_page_with_a_namespace_is_found():
    root = etree.fromstring(
        '<html xmlns="http://www.w3.org/1999/xhtml"><head/><body><h1>The <b>bridge</b></h1></body></html>'
    )
    assert find_title(Landmarks(root)) == "The bridge"


@pytest.mark.parametrize(
    ("html", "title"),
    [
        (f"<head>{OG.format('The bridge | Site')}</head><h1>The old bridge</h1>", "The old bridge"),
        (f"<head>{OG.format('The bridge | Site')}</head><h1>Welcome!</h1>", "The bridge"),
        (f"<head>{OG.format('The bridge - News - Site')}</head><h1>Site</h1>", "The bridge"),
        ("<head><title>The bridge » Site</title></head><h1>Site</h1><h1>The bridge</h1>", "The bridge"),
        ("<head><title>The bridge</title></head><h1>The bridge</h1><h1>The bridge at night</h1>", "The bridge"),
        ("<head><title>Re-use of well-known bridges</title></head>", "Re-use of well-known bridges"),
        (f"{OG.format('Tom &amp;amp; Ada')}", "Tom & Ada"),
        ("<title>| Oil goes up</title>", "Oil goes up"),
        ("<title> - Oil goes up | Harbor Notes</title>", "Oil goes up"),
        ("<title>-5 degrees in May</title>", "-5 degrees in May"),
        ("<h1>Welcome!</h1>", "Welcome!"),
        (f"{OG.format('Oil goes up')}<title>Oil goes up – Harbor Notes</title><h1>Harbor Notes</h1>", "Oil goes up"),
        (f"{OG.format('Oil')}{SITE}<title>Harbor Notes: Oil</title><h1>Harbor Notes</h1>", "Oil"),
        ("<title>Harbor Notes - Oil goes up at the harbor</title>", "Oil goes up at the harbor"),
        ("<title>About us | Animal Clinic of Harbor Bay</title>", "About us"),
        ("<title>harbor.com | Oil</title><h1>Comments</h1>", "Oil"),
        ("<title>Oil | Notes from the harbor of Ansley</title><h1>Oil</h1>", "Oil"),
        (f"{SITE}<title>Oil | Harbor Notes</title><h1>Oil prices | Harbor Notes</h1>", "Oil prices | Harbor Notes"),
        (f"{SITE}<title>Oil | Harbor Notes</title><h1>Oil | Harbor Notes</h1>", "Oil"),
        ("<title>Ada on Oil / Ada</title><a href=//a.org/><h1>Ada</h1></a><h1>More of Ada</h1>", "Ada on Oil"),
        ("<title>Oil / Ada</title><h1><a href=/>Ada</a></h1>", "Oil"),
        (
            "<title>Review of Ada | Notes from the harbor</title><h1>Review of <a href=//a.org/>Ada</a></h1>",
            "Review of Ada",
        ),
        ("<title>Oil goes up / Ada</title><h1><a href=/oil>Oil goes up</a></h1>", "Oil goes up"),
        ("<title>Oil goes up</title><h1><b>May 5</b> Oil goes up <i>by Ada</i></h1>", "Oil goes up"),
        ("<title>Oil goes up</title><h1>Oil goes up: why?</h1>", "Oil goes up: why?"),
        ("<title>Oil</title><h1>Oil <i>explained</i></h1>", "Oil explained"),
        ("<h1> </h1><h1>The bridge ¶</h1>", "The bridge"),
        ("<p>text", ""),
    ],
)
def test_the_headline_is_the_heading_that_resembles_the_title_or_the_title_without_the_site(html, title):
    assert find_headline(Landmarks(to_tree(html))) == title


def headline_of(html):
    return find_headline(Landmarks(to_tree(html)))


@pytest.mark.parametrize("sign", ["|", "-", "»", "::", "•", "—", "/"])
@pytest.mark.parametrize("is_first", [True, False])
def test_an_h1_that_is_a_part_of_the_title_wins_wherever_the_site_is(sign, is_first):
    parts = ["Harbour Notes", "How to boil an egg"]
    title = f" {sign} ".join(parts if is_first else parts[::-1])
    assert headline_of(f"<title>{title}</title><h1>How to boil an egg</h1>") == "How to boil an egg"
    assert headline_of(f"<title>NLTK {sign} nltk.tag</title><h1>nltk.tag</h1>") == "nltk.tag"
    headings = "<h1>Harbour Notes</h1><h1>Documentation</h1><h1>How to boil an egg</h1>"
    assert headline_of(f"<title>{title}</title>{headings}") == "How to boil an egg"


def test_the_name_of_the_site_in_an_h1_is_not_the_title():
    title = "<title>What is ownership? - The Rust Language</title>"
    assert headline_of(f"{title}<h1>The Rust Language</h1><h2>What Is Ownership?</h2>") == "What is ownership?"


@pytest.mark.parametrize("title", ["{} - Broken fan", "{} - Broken fan - My board", "My board • {} - Broken fan"])
@pytest.mark.parametrize("words", ["View topic", "Thema anzeigen", "Просмотр темы"])
def test_the_title_of_a_thread_follows_the_words_of_the_board(title, words):
    assert headline_of(f"<title>{title.format(words)}</title><h1>My board</h1>") == "Broken fan"


def test_the_heading_of_a_section_is_not_the_title():
    title = "How we lit X (Lamps), Oil, Wicks, and hundreds of piers in one night"
    sections = "<h1>Lamps</h1><p>a</p><h1>Oil</h1><p>b</p>"
    assert find_headline(Landmarks(to_tree(f"<title>{title} · Harbour</title>{sections}"))) == title
    assert find_headline(Landmarks(to_tree("<title>Lamp oil for piers</title><h1>Oil</h1>"))) == "Oil"


def test_only_the_first_headings_are_candidates():
    root = to_tree("<title>b</title>" + "<h1>a</h1>" * 50_000 + "<h1>b</h1>")
    assert find_headline(Landmarks(root)) == "b"


@pytest.mark.parametrize(
    ("title", "url", "headline"),
    [
        ("Git - git-commit Documentation", "https://git-scm.com/docs/git-commit", "git-commit Documentation"),
        ("BBC News - Harbour wall falls", "https://www.bbc.co.uk/news/1", "Harbour wall falls"),
        ("Harbour wall falls - BBC News", "https://www.bbc.co.uk/news/1", "Harbour wall falls"),
        ("Boats - Harbour Notes of today", "https://harbournotes.example.org/1", "Boats"),
        ("Boats - Harbour Notes of today", None, "Boats"),
        ("Boats and ropes - Harbour", "http://[", "Boats and ropes"),
    ],
)
def test_the_host_tells_which_end_of_a_title_is_the_site(title, url, headline):
    assert find_headline(Landmarks(to_tree(f"<title>{title}</title><p>a")), url) == headline


@pytest.mark.parametrize("sign", ["«", "‹", "←", "·"])
def test_the_site_may_follow_an_arrow(sign):
    assert headline_of(f"<title>How to tie a boat {sign} Harbour Notes</title>") == "How to tie a boat"


def test_words_that_blogs_put_before_a_title_lead_to_the_title():
    assert headline_of("<title>Harbour Notes » Blog Archive » How to tie a boat</title>") == "How to tie a boat"


@pytest.mark.parametrize("name", ["twitter:title", "citation_title", "DC.title", "og:title"])
def test_without_a_title_other_meta_elements_name_the_page(name):
    assert headline_of(f'<meta name="{name}" content="How to tie a boat"><p>a') == "How to tie a boat"


@pytest.mark.parametrize("sign", ["_", "-", "--", "—"])
def test_signs_without_spaces_divide_titles_without_spaces(sign):
    assert headline_of(f"<title>灯塔的守护者（图）{sign}新闻{sign}港口网</title>") == "灯塔的守护者（图）"
    assert headline_of(f"<title>well{sign}known lamp</title>") == f"well{sign}known lamp"


@pytest.mark.parametrize(
    ("title", "heading"), [("Harbour Post", "The keepers"), ("The keepers | Harbour Post", "Harbour Post")]
)
def test_the_name_of_the_host_is_no_title_of_an_inner_page(title, heading):
    html = f"<title>{title}</title><h1>{heading}</h1>"
    assert find_headline(Landmarks(to_tree(html)), "https://www.harbourpost.example/a") == "The keepers"


def test_the_name_of_the_host_is_the_title_of_its_start_page():
    html = "<title>Harbour Post</title><h1>News of the coast</h1>"
    assert find_headline(Landmarks(to_tree(html)), "https://www.harbourpost.example/") == "Harbour Post"
