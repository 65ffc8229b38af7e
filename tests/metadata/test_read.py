from __future__ import annotations

import json
import pickle
from typing import Any

import pytest
from lxml import etree
from msgspec import convert
from subprocesses import loaded_by

from scrapy_web2text import Extractor
from scrapy_web2text.extraction import Breadcrumb, Metadata
from scrapy_web2text.metadata import dates
from scrapy_web2text.metadata import read as metadata
from scrapy_web2text.metadata.read import METADATA_PACKAGES, read_metadata
from scrapy_web2text.page.arrays import tree_to_page
from scrapy_web2text.page.parse import to_tree

GERMAN = "Die alte Brücke über den Fluss wurde im Frühjahr jenes Jahres von den Leuten der Stadt neu gebaut. " * 3


def read_page(root: etree._Element, **options: Any) -> Metadata:
    return read_metadata(tree_to_page(root), **options)


def read(
    head: str = "", body: str = "<p>x</p>", text: str = "", url: str | None = None, html: str = "<html>"
) -> Metadata:
    return read_page(to_tree(f"{html}<head>{head}</head><body>{body}</body></html>"), url=url, text=text)


def json_ld(data: object) -> str:
    return f'<script type="application/ld+json">{json.dumps(data)}</script>'


def meta(name: str, content: str, attribute: str = "name") -> str:
    return f'<meta {attribute}="{name}" content="{content}">'


def test_json_ld_is_read():
    article = {
        "@context": "https://schema.org",
        "@graph": [
            {"@type": "WebSite", "name": "The Site"},
            {"@type": "Person", "@id": "#ada", "name": "Ada &amp; Co"},
            {
                "@type": ["NewsArticle", "Thing"],
                "headline": "The Bridge",
                "datePublished": "2024-03-05T23:30:00-05:00",
                "dateModified": "2025-01-01",
                "author": [{"@id": "#ada"}, {"@type": "Person", "name": "By Ben Lee"}],
                "publisher": {"name": "The Publisher"},
                "description": "Of a bridge.",
                "image": [{"url": "https://example.org/i.png"}],
                "keywords": "bridge, river,bridge",
            },
        ],
    }
    assert read(json_ld(article)) == Metadata(
        title="The Bridge",
        author="Ada & Co, Ben Lee",
        authors=("Ada & Co", "Ben Lee"),
        date="2024-03-05",
        date_modified="2025-01-01",
        site_name="The Publisher",
        description="Of a bridge.",
        image="https://example.org/i.png",
        tags=("bridge", "river"),
    )


def test_meta_elements_are_read():
    found = read(
        meta("og:title", "The Bridge | The Site", "property")
        + meta("og:site_name", "The Site", "property")
        + meta("author", "Ada Penn")
        + meta("article:published_time", "2024-03-05", "property")
        + meta("description", " Of a\n bridge. ")
        + meta("og:image", "https://example.org/i.png", "property")
        + meta("article:tag", "bridge", "property")
        + meta("article:tag", "river", "property")
        + meta("og:locale", "de_AT", "property")
        + "<link rel=canonical href=https://example.org/bridge>"
    )
    assert found == Metadata(
        "The Bridge",
        "Ada Penn",
        "2024-03-05",
        "de",
        None,
        "The Site",
        "Of a bridge.",
        "https://example.org/bridge",
        "https://example.org/i.png",
        ("bridge", "river"),
        ("Ada Penn",),
    )


def test_microdata_is_read():
    found = read(
        body='<article itemscope itemtype="https://schema.org/BlogPosting"><h1 itemprop="headline">The Bridge</h1>'
        '<span itemprop="author" itemscope itemtype="https://schema.org/Person"><b itemprop="name">Ada Penn</b></span>'
        '<time itemprop="datePublished" datetime="2024-03-05">May</time></article>'
    )
    assert (found.title, found.author, found.date) == ("The Bridge", "Ada Penn", "2024-03-05")


def test_a_name_without_letters_is_no_author():
    found = read_page(to_tree("<head><meta name=author content='By ,'></head><p rel=author>Ada Penn</p>"))
    assert (found.author, found.authors) == ("Ada Penn", ("Ada Penn",))


@pytest.mark.parametrize(
    ("body", "author"),
    [
        ("<a rel=author href=/a>Ada Penn</a>", "Ada Penn"),
        ("<a href=/author/ada>Ada Penn</a>", "Ada Penn"),
        ("<p class=byline>Written by Ada Penn on March 5, 2024</p>", "Ada Penn"),
        ("<p class=byline>Posted on March 5, 2024 by Ada Penn</p>", "Ada Penn"),
        ("<p class=byline>Story and photos by Ada Penn</p>", "Ada Penn"),
        ("<p class=byline>Ada Penn, reviewed by Ben Lee</p>", "Ada Penn"),
        ("<p class=byline>Associated Press Published 12:36 p.m. ET</p>", "Associated Press"),
        ("<span class=post-author>By: Ada Penn | The Site</span>", "Ada Penn"),
        ("<span class='x author'>ada_99</span>", "ada_99"),
        ("<span class=author-name> </span><div class=author-box>About the author</div>", None),
        (f"<div class=author>{'many words ' * 40}</div>", None),
        ("<p>by Ada Penn</p>", None),
        ("<p class=byline>last edited by #1</p>", None),
        ("<p class=byline>By Ines Falk, posted on March 5, 2024</p>", "Ines Falk"),
        ("<p class=byline>By Ines Falk Published: today</p>", "Ines Falk"),
        ("<p class=byline>Ines Falk<br>Tue, March 5, 2024</p>", "Ines Falk"),
        ("<p class=byline>April Falk<br>May 5</p>", "April Falk"),
        ("<p class=byline>Sun Dec 5, 2024</p>", None),
        ("<p class=byline>Von Anna Brandt</p>", "Anna Brandt"),
        ("<p class=byline>Par : Zoé Petit, le 5 mars 2024</p>", "Zoé Petit"),
        ("<p class=byline>Av Ida Berg 5. mars 2024</p>", "Ida Berg"),
        ("<p class=byline>Anna von Brandt</p>", "Anna von Brandt"),
        ("<p class=byline>Di Stefano</p>", "Di Stefano"),
        ("<a class=author>Learn more</a><a class=author>The author</a>", None),
        ("<ol class='x commentlist'><li><a rel=author>Ada Penn</a></ol>", None),
        ("<article id=comment-12><b class=author>Ada Penn</b></article>", None),
        ("<li class='pingback even'><a class=author-name>Ada Penn</a></li>", None),
        ("<div class=comments-open><a rel=author>Ada Penn</a></div>", "Ada Penn"),
    ],
)
def test_a_byline_names_the_author_if_the_markup_does_not(body, author):
    assert read(body=body).author == author


STATED = ("Ada Penn", "By Ada Penn", "Story by Ada Penn", "Ada Penn, edited by Ben Lee")
NOT_AUTHORS = ("https://example.org/ada", "@ada", "262588213843476", "", "a" * 200)


@pytest.mark.parametrize(("names", "author"), [(STATED, "Ada Penn"), (NOT_AUTHORS, None)])
def test_a_stated_author_is_a_name_without_the_words_around_it(names, author):
    assert {name: read(meta("author", name)).author for name in names} == dict.fromkeys(names, author)


@pytest.mark.parametrize(
    ("head", "field", "day"),
    [
        (meta("date", "2024-03-05 10:00"), "date", "2024-03-05"),
        (meta("dc.date", "20240305"), "date", "2024-03-05"),
        (meta("date", "soon"), "date", None),
        (meta("date", "2024-00-00"), "date", None),
        (meta("date", "2024-02-30") + meta("dc.date", "2024-02-29"), "date", "2024-02-29"),
        ('</head><time datetime="2024-03-05" pubdate>5 March</time>', "date", "2024-03-05"),
        ("</head><p>no day is named</p>", "date", None),
        (meta("date", "2026-02-03"), "date_modified", None),
        (meta("article:modified_time", "2026-02-03T10:00", "property"), "date_modified", "2026-02-03"),
        (meta("last-modified", "20260203"), "date_modified", "2026-02-03"),
        (json_ld({"@type": "WebPage", "dateModified": "2026-02-03"}), "date_modified", "2026-02-03"),
    ],
)
def test_dates_are_days(head, field, day):
    assert getattr(read(head), field) == day


MODIFIED = "article:modified_time", "datemodified", "og:updated_time", "last-modified"


@pytest.mark.parametrize("name", MODIFIED)
def test_the_day_of_the_last_change_is_not_the_day_of_publication(name):
    found = read(meta(name, "2026-02-03T10:00:00", "property"))
    assert (found.date, found.date_modified) == (None, "2026-02-03")
    shown = read(meta(name, "2026-02-03", "property"), body="<time datetime=2024-03-05 pubdate>5 March</time>")
    assert (shown.date, shown.date_modified) == ("2024-03-05", "2026-02-03")


@pytest.mark.parametrize(
    ("text", "description"),
    [
        ("<p>Of <em>old</em> bridges<br>and rivers.</p>", "Of old bridges and rivers."),
        ("&lt;b&gt;Old&lt;/b&gt; bridges", "Old bridges"),
        ("The <table> element, a < b > c", "The <table> element, a < b > c"),
    ],
)
def test_a_description_has_no_markup(text, description):
    assert read(meta("description", text)).description == description
    assert read(json_ld({"@type": "Article", "description": text})).description == description


@pytest.mark.parametrize(
    ("html", "text", "language"),
    [
        ("<html lang=en>", GERMAN, "de"),
        ("<html lang=en-GB>", "Too short.", "en"),
        ("<html>", "Too short.", None),
        ("<html lang='not a language'>", "", None),
        ("<html lang=en>", "12 34 " * 40, "en"),
        ("<html lang=en>", "?! " * 80, "en"),
    ],
)
def test_the_language_of_a_long_text_is_identified_and_otherwise_the_declared_one_is_used(html, text, language):
    assert read(html=html, text=text).language == language


@pytest.mark.parametrize(
    "head",
    [
        '<script type="application/ld+json">{broken</script>',
        json_ld(
            [[["x"]], 7, None, {"@type": 7}, {"@type": "Article", "author": 7, "keywords": {"a": "b"}, "image": []}]
        ),
        json_ld({"@type": "Article", "author": {"@id": "#unknown"}, "headline": None}),
        "<meta name=author><meta content=x><link rel=canonical>",
    ],
)
def test_broken_markup_is_ignored(head):
    assert read(head) == Metadata()


def test_errors_of_libraries_are_ignored(monkeypatch):
    def fail(*args: object, **kwargs: object) -> None:
        raise RuntimeError("on purpose")

    monkeypatch.setattr("htmldate.find_date", fail)
    monkeypatch.setattr("py3langid.rank", fail)
    assert read("<title>The Bridge</title>", text=GERMAN) == Metadata(title="The Bridge")


def test_the_search_for_a_date_does_not_depend_on_time(monkeypatch):
    asked, clock = [], [0.0]
    monkeypatch.setattr("time.thread_time", lambda: clock[0])
    monkeypatch.setattr("htmldate.find_date", lambda *args, **kwargs: asked.append("date"))
    monkeypatch.setattr(metadata, "described_items", lambda *args, **kwargs: clock.append(clock.pop() + 1000) or [])
    Extractor(metadata=True, timeout=None).extract(f"<html lang=en><body><p>{GERMAN}</p></body></html>")
    assert asked == ["date"]


def test_a_date_is_not_searched_for_on_large_pages(monkeypatch):
    asked = []
    monkeypatch.setattr("htmldate.find_date", lambda *args, **kwargs: asked.append("date"))
    read(body="<p>a</p>" * 7000)
    assert asked == []
    read(body="<p>a</p>" * 5000)
    assert asked == ["date"]


@pytest.mark.parametrize("n", [2000, 20_000])
def test_the_metadata_of_a_page_are_short(n):
    names = [f"Ada {i} {'a' * 90}" for i in range(n)]
    page = {"@type": "Article", "author": names, "keywords": names, "description": "a" * 100 * n}
    found = read(json_ld(page) + meta("og:title", "word " * n) + meta("og:image", f"https://a.org/{'a' * n * 100}"))
    assert len(str(found)) < 350_000


def test_the_page_is_not_edited():
    page = to_tree("<html><body><article><p>a</p><div class=byline>by Ada</div></article></body></html>")
    before = [element.tag for element in page.iter()]
    read_page(page, text=GERMAN)
    assert [element.tag for element in page.iter()] == before


def test_extractions_hold_metadata_if_an_option_asks_for_it():
    page = f"<html><head>{meta('author', 'Ada Penn')}</head><body><h1>Brücken</h1><p>{GERMAN}</p></body></html>"
    extraction = Extractor(model="shallow", metadata=True).extract(page, "https://example.org/")
    assert extraction.metadata is not None
    assert (extraction.metadata.author, extraction.metadata.language) == ("Ada Penn", "de")
    assert extraction.field("author") == "Ada Penn"
    assert extraction.field("tags") == []
    assert json.loads(json.dumps(extraction.to_dict()))["metadata"]["author"] == "Ada Penn"
    assert pickle.loads(pickle.dumps(extraction)) == extraction
    plain = Extractor(model="shallow").extract(page)
    assert (plain.field("author"), plain.field("metadata")) == (None, None)
    assert "metadata" not in plain.to_dict()


@pytest.mark.parametrize("missing", METADATA_PACKAGES)
def test_a_missing_extra_is_named_when_the_extractor_is_made(monkeypatch, missing):
    monkeypatch.setattr("scrapy_web2text.extractor.find_spec", lambda name: None if name == missing else name)
    with pytest.raises(ValueError, match=r"scrapy-web2text\[metadata\]"):
        Extractor(model="shallow", metadata=True)


def test_optional_libraries_are_loaded_only_if_an_option_asks_for_them():
    names = "htmldate", "py3langid", "bs4"
    code = "from scrapy_web2text import extract\nextract('<p>' + 'Some words of the text. ' * 20, model='shallow')"
    assert loaded_by(code, *names) == ""


@pytest.mark.parametrize(
    ("options", "loaded"),
    [("metadata=True", "htmldate py3langid"), ("languages=('en',)", "py3langid"), ("", "")],
)
def test_an_extractor_loads_its_libraries_before_the_first_page(options, loaded):
    code = f"from scrapy_web2text import Extractor\nExtractor(model='shallow', {options})"
    assert loaded_by(code, *METADATA_PACKAGES) == loaded


@pytest.mark.parametrize("url", ["javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "//[", "\x9b1m:x"])
def test_a_url_that_leads_to_no_web_page_is_skipped(url):
    found = read(
        f"<link rel=canonical href='{url}'>"
        + meta("og:url", "https://example.org/a", "property")
        + meta("og:image", url, "property")
        + meta("twitter:image", "https://example.org/i.png")
    )
    assert (found.canonical_url, found.image) == ("https://example.org/a", "https://example.org/i.png")


def test_relative_urls_are_resolved_by_the_base_element_and_the_url_of_the_page():
    page = to_tree(
        "<head><base href=/b/><link rel='canonical nofollow' href=c><meta property=og:image content=//d.org/i.png>"
    )
    found = read_page(page, url="https://example.org/a")
    assert (found.canonical_url, found.image) == ("https://example.org/b/c", "https://d.org/i.png")
    assert read_page(page) == Metadata()


def test_title_and_images_are_those_that_are_known():
    page = to_tree("<title>The Bridge</title><h1>The Bridge</h1>")
    found = read_page(page, title="Another", images=("https://a.example/i.png",))
    assert (found.title, found.images) == ("Another", ("https://a.example/i.png",))


def recipe_page(*names, headline="Our Best Apple Pie (Easy!)"):
    scripts = "".join(
        f"<script type=application/ld+json>{json.dumps({'@type': ['Recipe'], 'name': name})}</script>" for name in names
    )
    return to_tree(f"<title>{headline}</title>{scripts}<h1>{headline}</h1><p>text")


def test_the_title_of_a_recipe_is_its_name_without_what_the_headline_adds():
    assert read_page(recipe_page("Apple Pie")).title == "Apple Pie"
    assert read_page(recipe_page("Apple Pie"), title="Our Best Apple Pie (Easy!)").title == "Apple Pie"
    assert read_page(recipe_page("Apple Pie"), title="What the user selects").title == "What the user selects"
    assert read_page(recipe_page("Apple Pie", "Plum Cake")).title == "Our Best Apple Pie (Easy!)"
    assert read_page(recipe_page("")).title == "Our Best Apple Pie (Easy!)"


def test_the_images_are_those_of_the_content():
    page = f"<html><body><img src=/logo.png><main>{GERMAN}<img src=/a.png> und <img src=/a.png></main></body></html>"
    found = Extractor(metadata=True, include="main").extract(page, "https://a.example/x").metadata
    assert found is not None
    assert found.images == ("https://a.example/a.png",)


def test_metadata_become_plain_data_and_come_back():
    found = Metadata("a", tags=("b",), authors=("c", "d"), breadcrumbs=(Breadcrumb("e", "f"), Breadcrumb("g")))
    data = json.loads(json.dumps(found.to_dict()))
    assert data["breadcrumbs"] == [{"name": "e", "url": "f"}, {"name": "g", "url": None}]
    assert convert(data, Metadata) == found


def authors_of(body, **item):
    script = json.dumps({"@type": "Article", **item})
    html = f"<head><script type=application/ld+json>{script}</script></head><body>{body}<p>text"
    return read_page(to_tree(html)).authors


def test_all_links_of_authors_beside_the_first_are_read():
    links = "<p>By <a rel=author href=/a>Ada Penn</a> and <a rel=author href=/b>Bob Reed</a></p>"
    assert authors_of(f"{links}<aside><a rel=author href=/c>Cy Orr</a></aside>") == ("Ada Penn", "Bob Reed")


def test_a_name_in_parts_is_joined():
    assert authors_of("", author={"givenName": "Ada", "familyName": "Penn"}) == ("Ada Penn",)
    assert authors_of("", author=[{"familyName": "Penn"}, {"name": "Bob", "givenName": "B"}]) == ("Penn", "Bob")


@pytest.mark.parametrize("author", [{"@type": "Organization", "name": "Harbor Foods"}, {"name": "Harbor Notes"}])
@pytest.mark.parametrize(
    ("byline", "expected"),
    [
        ("<a rel=author href=/a>Ada Penn</a>", ("Ada Penn",)),
        ("<label class=author>Name *</label>", None),
        ("", None),
    ],
)
def test_a_brand_is_the_author_only_if_no_person_is(author, byline, expected):
    site = "<meta property=og:site_name content='Harbor notes'>"
    assert authors_of(site + byline, author=author) == (expected or (author["name"],))


@pytest.mark.parametrize("value", ["undefined", "null", "{{ author }}", "[[author]]", "/authors/ada-penn", "N/A"])
def test_a_value_that_a_program_wrote_for_no_name_is_none(value):
    assert read(meta("author", value)).authors == ()
    assert read(meta("author", value), "<p class=byline>By Ada Penn").authors == ("Ada Penn",)


@pytest.mark.parametrize(
    ("body", "author"),
    [
        ("<h1>Kettles</h1><p>By Ada Penn</p>", "Ada Penn"),
        ("<h1>Kettles</h1><div><span>by: Ada Penn, Dec 17, 2025</span></div>", "Ada Penn"),
        ("<h1>Kettles</h1><p>Written by <a href=/people/ada>Ada Penn</a></p>", "Ada Penn"),
        ("<h1>Kettles</h1><p>By design</p>", None),
        ("<h1>Kettles</h1><p>By the sea there was a tower, and in the tower there was a lamp.</p>", None),
        ("<h1>Kettles</h1>" + "<i>x</i>" * 60 + "<p>By Ada Penn</p>", None),
    ],
)
def test_a_byline_without_a_mark_is_read_near_the_headline(body, author):
    assert read(body=body).author == author


def test_the_author_of_a_thread_is_the_first_user_that_it_names():
    body = "<div><a class=username href=/u/1>ada_lace</a><p>text</div><a class='username x' href=/u/2>Ben K.</a>"
    assert read_page(to_tree(body), is_thread=True).author == "ada_lace"
    assert read_page(to_tree(body)).author is None


def test_the_publisher_is_not_a_person_that_the_page_names():
    brand = {"@type": "Organization", "name": "Harbour Post"}
    assert authors_of("<p class=byline>By Ada Penn", author={"name": "Harbour Post"}, publisher=brand) == ("Ada Penn",)


@pytest.mark.parametrize(("byline", "author"), [("<p class=author>Ada Penn</p>", "Ada Penn"), ("", "admin")])
def test_an_account_is_the_author_only_if_no_person_is(byline, author):
    assert read(meta("author", "admin"), byline).author == author


def test_only_catalogs_invert_names():
    assert read(meta("author", "Berlin, Germany")).author == "Berlin, Germany"
    assert read(meta("citation_author", "Penn, Ada")).author == "Ada Penn"


@pytest.mark.parametrize(
    ("body", "day"),
    [
        ("<h1>Lamp</h1><div>March 3, 2021 10:12 AM UTC</div>", "2021-03-03"),
        ("<span>2021.03.03</span><h1>Lamp</h1>", "2021-03-03"),
        (
            "<h1>Lamp</h1><time datetime=2021-03-03>then</time><p>text</p><time datetime=2022-01-01>x</time>",
            "2021-03-03",
        ),
        (
            "<h1>Lamp</h1><time class=updated datetime=2022-01-01>x</time><time datetime=2021-03-03>then</time>",
            "2021-03-03",
        ),
        ("<h1>Lamp</h1><b>03/25/2021</b>", "2021-03-25"),
        ("<h1>Lamp</h1><b>25/03/2021</b>", "2021-03-25"),
        ("<h1>Lamp</h1><b>03/04/2021</b>", None),
        ("<h1>Lamp</h1><b>March 3, 2999</b>", None),
        (f"<h1>Lamp</h1><p>March 3, 2021 was a day of {'many ' * 20} words.</p>", None),
        ("<h1>Lamp</h1><ul class=related-posts><li>March 3, 2021</ul>", None),
        ("<h1>Lamp</h1>" + "<i>x</i>" * 25 + "<b>March 3, 2021</b>", None),
        ("<b>March 3, 2021</b>" + "<i>x</i>" * 6 + "<h1>Lamp</h1>", None),
        ("<h2>Lamp</h2><b>March 3, 2021</b>", None),
    ],
)
def test_a_short_text_near_the_headline_tells_the_day(body, day, monkeypatch):
    monkeypatch.setattr(dates, "_search_date", lambda *_: None)
    assert read(body=body).date == day


@pytest.mark.parametrize(("language", "day"), [("en-US", "2021-03-04"), ("en-GB", None), ("", None)])
def test_the_language_tells_the_month_from_the_day(language, day, monkeypatch):
    monkeypatch.setattr(dates, "_search_date", lambda *_: None)
    assert read(body="<h1>Lamp</h1><b>03/04/2021</b>", html=f"<html lang='{language}'>").date == day


@pytest.mark.parametrize("name", ["updated", "entry-date updated", "time updated x"])
def test_a_class_tells_that_a_day_is_that_of_a_change(name):
    times = (
        f"<time class='{name}' datetime=2023-05-02>May 2</time><time class=published datetime=2021-03-01>March 1</time>"
    )
    found = read(body=f"<h1>Lamp</h1><p>{times}</p>")
    assert (found.date, found.date_modified) == ("2021-03-01", "2023-05-02")
    both = read(body="<h1>Lamp</h1><time class='published updated' datetime=2021-03-01>March 1</time>")
    assert (both.date, both.date_modified) == ("2021-03-01", None)


@pytest.mark.parametrize(
    ("head", "field", "value"),
    [
        (meta("twitter:description", "Of a lamp."), "description", "Of a lamp."),
        (meta("DC.description", "Of a lamp."), "description", "Of a lamp."),
        (meta("og:image:url", "https://x.example/i.png", "property"), "image", "https://x.example/i.png"),
        (meta("og:image:secure_url", "https://x.example/i.png", "property"), "image", "https://x.example/i.png"),
        (meta("twitter:image:src", "https://x.example/i.png"), "image", "https://x.example/i.png"),
        (json_ld({"@type": "Article", "image": {"contentUrl": "https://x.example/i.png"}}), "image", "https://x.example/i.png"),
        (json_ld({"@type": "Article", "thumbnailUrl": "https://x.example/i.png"}), "image", "https://x.example/i.png"),
        (meta("keywords", "sea; light"), "tags", ("sea", "light")),
        (meta("keywords", "灯塔，海、光"), "tags", ("灯塔", "海", "光")),
        (json_ld({"@type": "Article", "keywords": [{"@type": "DefinedTerm", "name": "sea"}]}), "tags", ("sea",)),
        (meta("og:site_name", "@sea") + json_ld({"@type": "WebSite", "name": "Harbour"}), "site_name", "Harbour"),
        (meta("og:site_name", "https://x.example") + meta("application-name", "Harbour"), "site_name", "Harbour"),
        (meta("og:site_name", "@harbour", "property"), "site_name", "@harbour"),
        (json_ld({"@type": "schema:Article", "datePublished": "2021-03-03"}), "date", "2021-03-03"),
        (json_ld({"@type": "Article", "datePublished": 1614852000}), "date", "2021-03-04"),
    ],
)  # fmt: skip
def test_values_are_found_in_their_other_places(head, field, value):
    assert getattr(read(head), field) == value


def test_few_elements_that_tell_of_a_date_are_looked_at(monkeypatch):
    monkeypatch.setattr(dates, "_search_date", lambda *_: None)
    asked: list[object] = []
    monkeypatch.setattr(dates, "is_in_comments", lambda element: bool(asked.append(element)))
    assert read(body="<i class=date>3 marca</i>" * 1000 + "<i class=date>3 marca 2021</i>").date is None
    assert len(asked) <= 10


def test_an_author_beside_the_article_may_be_an_item():
    name = "<meta itemprop=name content='Ada Penn'>"
    assert read(body=f"<span itemprop=author itemscope itemtype=http://schema.org/Person>{name}").author == "Ada Penn"


def test_the_day_of_a_change_in_a_time_element_is_not_that_of_the_page():
    found = read_page(to_tree("<body><p>text<time itemprop=dateModified datetime=2023-05-02>May 2, 2023</time>"))
    assert (found.date, found.date_modified) == (None, "2023-05-02")


@pytest.mark.parametrize(
    ("body", "date", "modified"),
    [
        ("<p>Updated May 2, 2023 · Published March 1, 2021</p>", "2021-03-01", "2023-05-02"),
        ("<p>Published: 1 March 2021 | Last updated: 2 May 2023</p>", "2021-03-01", "2023-05-02"),
        ("<i>Updated</i> <b>May 2, 2023</b><i>Published</i><b>Monday, March 1, 2021</b>", "2021-03-01", "2023-05-02"),
        ("<p>Veröffentlicht am 1. März 2021, aktualisiert am 02.05.2023</p>", "2021-03-01", "2023-05-02"),
        ("<p>Publié le 1 février 2021</p>", "2021-02-01", None),
        ("<p>Publicado el 1 de enero de 2021. Actualizado el 2 de mayo de 2023</p>", "2021-01-01", "2023-05-02"),
        ("<p>Last updated May 2, 2023</p>", None, "2023-05-02"),
        ("<p>Published March 40, 2021 on paper, published March 2, 2021</p>", "2021-03-02", None),
        ("<p>Published Smarch 1, 2021</p>", None, None),
        ("<script>published March 1, 2021</script>", None, None),
    ],
)
def test_dates_after_words_for_them_are_told_apart(body, date, modified, monkeypatch):
    monkeypatch.setattr("htmldate.find_date", lambda *args, **kwargs: "2023-05-02" if "2023" in body else None)
    found = read_page(to_tree(f"<body><h1>The bridge</h1>{body}</body>"))
    assert (found.date, found.date_modified) == (date, modified)


def test_the_date_of_a_comment_is_not_that_of_the_page(monkeypatch):
    monkeypatch.setattr("htmldate.find_date", lambda *args, **kwargs: None)
    scope = "<div itemprop=comment itemscope itemtype=https://schema.org/Comment>"
    dates = "<meta itemprop=datePublished content=2024-01-01><time itemprop=datePublished datetime=2024-01-02>x</time>"
    found = read_page(to_tree(f"<body><p>text</p>{scope}{dates}</div>"))
    assert found.date is None


def test_a_time_with_another_property_is_no_value_of_it():
    found = read_page(to_tree("<body><p>text</p><time itemprop=description datetime=PT5M>5 minutes</time>"))
    assert found.description is None


def test_the_page_of_a_product_has_no_date(monkeypatch):
    monkeypatch.setattr("htmldate.find_date", lambda *args, **kwargs: "2024-03-05")
    product = {"@type": "Product", "name": "Lamp", "offers": {"price": 5}}
    page = "<head><title>Lamp</title>{}</head><body><p>text".format
    assert read_page(to_tree(page(json_ld(product)))).date is None
    review = json_ld([{"@type": "Article", "headline": "Lamp"}, product])
    assert read_page(to_tree(page(review))).date == "2024-03-05"
    assert read_page(to_tree("<body><p>text"), is_published=False).date is None


@pytest.mark.parametrize(
    "around",
    ["class=comment", "id=comments", "itemprop=comment", "itemtype='https://schema.org/Comment'", "class='reviews'"],
)
def test_authors_in_comments_are_not_those_of_the_page(around):
    page = f"<body><p>text</p><div {around}><a rel=author>Ben Lee</a><b itemprop=author>Cy Dow</b></div></body>"
    assert read_page(to_tree(page)).authors == ()


def test_only_links_to_authors_stand_beside_the_first():
    page = "<body><p><a rel=author href=/a>Ada Penn</a><a rel=author href=/b>Ben Lee</a><b itemprop=author>Cy Dow</b>"
    assert read_page(to_tree(page)).authors == ("Ada Penn", "Ben Lee")


@pytest.mark.parametrize(
    ("body", "authors"),
    [
        (
            "<p><b class=author>By <a rel=author href=/a>Ada Penn</a></b><b class=author>, <a rel=author>Bob Reed</a>",
            ("Ada Penn", "Bob Reed"),
        ),
        ("<p class=byline>By Ada Penn, Bob Reed and Cy Orr", ("Ada Penn", "Bob Reed", "Cy Orr")),
        ("<p class=byline>By José Ortega y Gasset", ("José Ortega y Gasset",)),
        ("<p class=byline>By ADA PENN, Senior Staff Writer | March 4, 2021", ("ADA PENN",)),
        ("<p class=byline>Ada Penn <a href=mailto:ada@example.org>ada@example.org</a>", ("Ada Penn",)),
        ("<p class=byline>Words by Ada Penn. Photographs by Bob Reed.", ("Ada Penn",)),
        ("<p class=author>Text: Ada Penn", ("Ada Penn",)),
        ("<p class=byline>By J. R. Penn", ("J. R. Penn",)),
        ("<p class=byline>BY ADA PENN AND BOB REED", ("ADA PENN", "BOB REED")),
        ("<p class=byline>By Ada Penn, Politics Editor", ("Ada Penn",)),
        ("<p class=byline>Ada Penn, Harbour News", ("Ada Penn",)),
        ("<p class=byline>By Ada Penn<br>Head of Lamps", ("Ada Penn",)),
        ("<p class=byline>By <b>Ada</b> <b>Penn</b>", ("Ada Penn",)),
        ("<p class=byline>By <b>Ada Penn</b> and <b>Bob Reed</b>", ("Ada Penn", "Bob Reed")),
        ("<p class=byline>By Ada Penn, translated by Bob Reed", ("Ada Penn",)),
        ("<p class=byline>By Ada Penn @adapenn", ("Ada Penn",)),
        ("<p class=byline>By Ada Penn <a href=x>Follow Ada</a>", ("Ada Penn",)),
        ("<p class=byline>By Ludwig van Dam and Maria de la Cruz", ("Ludwig van Dam", "Maria de la Cruz")),
        ("<p class=byline>By Anne-Marie O’Brien and J. K. Łos", ("Anne-Marie O’Brien", "J. K. Łos")),
        (
            "<p class=byline>By <a href=/authors/a>Ada Penn</a> and <a href=/authors/b>Bob Reed</a>",
            ("Ada Penn", "Bob Reed"),
        ),
        ("<div class=authors><p class=author>Ada Penn</p><p class=author>Bob Reed</p></div>", ("Ada Penn", "Bob Reed")),
        ("<span class=photo-author>Photo: Bob Reed</span><p class=post-author>Ada Penn", ("Ada Penn",)),
        ("<p class=autor>Von Anna Brandt", ("Anna Brandt",)),
        ("<p class=auteur>Publié par Zoé Petit le 5 mars 2024", ("Zoé Petit",)),
        ("<p class=author>作者：王小明", ("王小明",)),
        ("<p class=author>记者 王小明", ("王小明",)),
        ("<ul class=shop-authorization><li>My orders</ul>", ()),
        ("<div class=testimonials><p>Great!<b class=author>Ada Penn</b></div>", ()),
        ("<div class=related-posts><h3>Other</h3><b class=author>Ada Penn</b></div>", ()),
    ],
)
def test_authors_are_the_full_names_of_a_byline_of_the_page(body, authors):
    assert read(body=f"<p>x</p>{body}").authors == authors


@pytest.mark.parametrize(
    ("head", "authors"),
    [
        ('<meta name="author" content="Ada Penn, Bob Reed">', ("Ada Penn", "Bob Reed")),
        ('<meta name="authors" content="Ada Penn">', ("Ada Penn",)),
        ('<meta name="citation_author" content="Penn, Ada B."><meta name="citation_author" content="Reed, Bob">',
         ("Ada B. Penn", "Bob Reed")),
        (json_ld({"@type": "Article", "author": '<a href="/ada">Ada Penn</a>'}), ("Ada Penn",)),
        (json_ld({"@type": "Article", "author": "Ministry of Works, Harbour Board"}),
         ("Ministry of Works, Harbour Board",)),
        ('<meta name="author" content="Ada Penn; Bob Reed">', ("Ada Penn", "Bob Reed")),
        ('<meta name="author" content="Ada Penn / Bob Reed">', ("Ada Penn", "Bob Reed")),
        ('<meta name="author" content="Ada Penn | Harbour Notes">', ("Ada Penn",)),
        ('<meta name="author" content="Bob Reed Jr.">', ("Bob Reed Jr.",)),
        ('<meta name="citation_authors" content="Penn, Ada; Reed, Bob">', ("Ada Penn", "Bob Reed")),
        (meta("og:site_name", "Harbour") + meta("author", "Ada Penn, Harbour"), ("Ada Penn",)),
        (json_ld({"@graph": [{"@type": "ImageObject", "author": "Cam Orr"}, {"@type": "WebPage"}]}), ()),
    ],
)  # fmt: skip
def test_each_author_in_the_markup_is_a_name_of_its_own(head, authors):
    assert read(head).authors == authors


@pytest.mark.parametrize(
    ("content", "date"),
    [
        ("Thu, 04 Mar 2021 10:00:00 GMT", "2021-03-04"),
        ("March 4, 2021", "2021-03-04"),
        ("4. März 2021", "2021-03-04"),
        ("2021/03/04", "2021-03-04"),
        ("2021年3月4日 10時", "2021-03-04"),
        ("Thu Mar 04 2021 10:00:00 GMT+0000 (UTC)", "2021-03-04"),
        ("4th of March, 2021", "2021-03-04"),
        ("1614852000", "2021-03-04"),
        ("1614852000000", "2021-03-04"),
        ("1970-01-01T00:00:00Z", None),
        ("Tue, 07/11/2023 - 17:57", "2023-07-11"),
        ("Fri, 13/45/2023 - 17:57", None),
        ("soon", None),
    ],
)
def test_stated_dates_may_be_written_for_people(content, date):
    assert read(f'<meta property="article:modified_time" content="{content}">').date_modified == date


@pytest.mark.parametrize(
    "time",
    [
        "<a href=/b><h4>Other</h4><time datetime=2021-03-04>March 4, 2021</time></a>",
        "<div class=comment><time datetime=2021-03-04>March 4, 2021</time><p>No.</div>",
        "<div class=related><time datetime=2021-03-04>March 4, 2021</time></div>",
    ],
    ids=["a link to another page", "a comment", "related pages"],
)
def test_the_day_of_something_else_is_not_the_day_of_the_page(time):
    assert read(body=f"<p>x</p>{time}").date is None
    assert read(body=f"<p>x</p>{time}<time datetime=2020-01-02>January 2, 2020</time>").date == "2020-01-02"


@pytest.mark.parametrize(
    ("language", "words", "day"),
    [
        ("cs", "3. března 2021", "2021-03-03"),
        ("el", "3 Μαρτίου 2021", "2021-03-03"),
        ("en", "Harbour Notes · Wednesday, March 3 2021 · 5 comments", "2021-03-03"),
        ("es", "Por Ada Penn, 3 de marzo de 2021", "2021-03-03"),
        ("ja", "公開日：2021年3月3日 12時", "2021-03-03"),
        ("ko", "2021년 3월 3일", "2021-03-03"),
        ("pl", "3 marca 2021", "2021-03-03"),
        ("ru", "3 марта 2021, 14:05", "2021-03-03"),
        ("xx", "3 марта 2021, 14:05", "2021-03-03"),
        ("ru", "31 февраля 2021", None),
        ("ar", "٣ مارس ٢٠٢١", "2021-03-03"),
        ("th", "3 มีนาคม 2564", "2021-03-03"),
        ("cs", "3. července 2021", "2021-07-03"),
        ("cs", "3. června 2021", "2021-06-03"),
        ("el", "3 Ιουλίου 2021", "2021-07-03"),
        ("fi", "3 quux 2021", None),
        ("en", "12 comments 2021", None),
        ("en", "99 March 2021", None),
        ("en", "Concert on 5 March 2999", None),
        ("en", "born 3 March 1915", None),
    ],
)
@pytest.mark.parametrize("name", ["date", "entry-meta", "Byline"])
def test_a_day_in_words_is_read_where_a_class_tells_of_a_date(language, words, day, name, monkeypatch):
    monkeypatch.setattr(dates, "_search_date", lambda *_: None)
    assert read(body=f"<p class={name}>{words}</p>", html=f"<html lang={language}>").date == day
    others = (f"<p class=updates>{words}</p>", f"<div class=comments><p class={name}>{words}</p></div>")
    assert [read(body=body, html=f"<html lang={language}>").date for body in others] == [None, None]


def test_the_source_that_states_all_authors_counts_before_one_that_states_the_first():
    all_authors = meta("citation_authors", "Ada Penn") + meta("citation_authors", "Bob Reed")
    assert read(meta("DC.Creator", "Ada Penn") + all_authors).authors == ("Ada Penn", "Bob Reed")
    both = meta("author", "Ada Penn") + meta("author", "Bob Reed")
    assert read(both + meta("citation_author", "Ada Penn")).authors == ("Ada Penn", "Bob Reed")
    assert read(meta("author", "Cy Orr") + all_authors).authors == ("Cy Orr",)
