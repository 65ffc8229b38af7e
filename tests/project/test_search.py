"""The search of the documentation, and the buttons that copy code, in a browser that opens files of the disk."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from documents import DOCS

from docs.sections import list_pages, list_sections, write_sections

STATIC = DOCS / "_static"
# What users looked for -> the pages with an answer.
QUERIES = {
    "multiple languages": "recipes settings",
    "playwright javascript pages": "recipes",
    "python api extract html string": "quickstart",
    "KeyError web2text": "troubleshooting",
    "skip cookie banner": "recipes page-kinds",
    "extract only one div": "fix-a-site settings",
    "author and date": "output",
    "how fast is it memory": "performance",
    "remove comments from text": "output settings",
    "install": "quickstart",
    "markdown links": "recipes output",
    "text too short": "fix-a-site settings",
    "spark": "frameworks",
    "login page": "page-kinds recipes",
    "chunks for rag": "recipes output",
    "threshold": "settings",
    "crawl hangs on a page": "guarantees settings",
    "near duplicate pages": "batch",
    "deduplicate": "batch",
    "product price": "output",
    "disable plugin for one spider": "recipes",
    "scrapy cloud memory": "frameworks",
    "pdf files": "troubleshooting",
    "use without scrapy": "quickstart",
    "different settings per domain": "settings recipes",
    "what does reason timeout mean": "fields",
    "cost of common crawl": "batch frameworks",
    "german pages only": "recipes settings",
    "prompt injection": "recipes guarantees",
    "resume interrupted batch": "batch",
    "train my own model": "tuning",
    "wrong encoding": "guarantees troubleshooting",
    "compare two runs": "diff",
}


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page with the parts of the built one that the search and the buttons need."""
    folder = tmp_path_factory.mktemp("built")
    write_sections(folder / "sections.js")
    scripts = "".join(f'<script src="{STATIC.as_uri()}/{name}"></script>' for name in ("search.js", "copy.js"))
    console = '<div class="highlight-console"><div class="highlight"><pre>{}</pre></div></div>'
    commands = "$ web2text a \\\n    --b   # a comment\nits output\n\n$ web2text c\n"
    (folder / "search.html").write_text(
        '<!doctype html><html data-content_root="./"><meta charset=utf-8><input name=q><div id="search-results"></div>'
        f'<article>{console.format(commands)}<div class="highlight"><pre>$ = 1\n</pre></div></article>'
        f'<script src="sections.js"></script>{scripts}',
        encoding="utf-8",
    )
    return folder / "search.html"


@pytest.fixture(scope="module")
def tab(browser: Any, page: Path) -> Any:
    opened = browser.new_page()
    opened.set_default_timeout(600_000)  # on a busy machine
    opened.goto(page.as_uri())
    opened.evaluate("index = search.prepare(SECTIONS)")
    return opened


def test_all_pages_of_the_navigation_have_sections_of_plain_text():
    sections = list_sections()
    assert list(dict.fromkeys(section["page"] for section in sections)) == list_pages("index")
    assert {path.stem for path in DOCS.glob("*.md")} - {*list_pages("index")} == {
        "architecture",
        "changing",
        "releasing",
    }
    (found,) = [section for section in sections if section["heading"] == "WEB2TEXT_ON_EMPTY"]
    assert (found["page"], found["title"], found["anchor"]) == ("settings", "Settings", "web2text-on-empty")
    assert '"drop" it' in found["text"]
    assert [section for section in sections if "](" in section["text"] or "```" in section["text"]] == []


def test_a_section_has_its_code_apart():
    (found,) = [section for section in list_sections() if section["heading"] == "Skip login and cookie pages"]
    assert "ContentFilter" in found["code"]
    assert "ContentFilter" not in found["text"]


@pytest.mark.browser
@pytest.mark.parametrize(("query", "right"), QUERIES.items(), ids=QUERIES)
def test_one_of_the_first_two_pages_answers(tab, query, right):
    found = tab.evaluate("query => search.rank(query, index).map(({page}) => page)", query)
    assert {*found[:2]} & {*right.split()}
    users = [name for name in found if not name.startswith(("research/", "models/"))]
    assert found[:2] == users[:2]


@pytest.mark.browser
def test_research_is_found_by_its_own_words(tab):
    assert tab.evaluate("search.rank('SemText GoogleTrends', index)[0].page").startswith("research/")


@pytest.mark.browser
@pytest.mark.parametrize(
    ("query", "first", "url"),
    [
        ("WEB2TEXT_ON_EMPTY", "Settings › WEB2TEXT_ON_EMPTY", "settings.html#web2text-on-empty"),
        ("<b>confidence", "How it works › Confidence", "how-it-works.html#confidence"),
    ],
    ids=["name", "markup"],
)
def test_results_lead_to_sections(tab, page, query, first, url):
    tab.goto(f"{page.as_uri()}?q={query.replace('<', '%3C')}")
    link = tab.locator("#search-results a").first
    assert (link.inner_text(), link.get_attribute("href")) == (first, f"./{url}")
    assert tab.locator("h1").inner_text() == f"Search: {query}"
    assert tab.locator("mark").count() > 0
    assert tab.input_value("input") == query


@pytest.mark.browser
def test_a_query_without_results_says_so(tab, page):
    tab.goto(f"{page.as_uri()}?q=xyzzy")
    assert "No page has one of these words." in tab.inner_text("#search-results")


@pytest.mark.browser
def test_a_button_copies_the_commands_of_a_console_and_all_of_other_code(tab, page):
    tab.goto(page.as_uri())
    copied = tab.evaluate("[...document.querySelectorAll('pre')].map(toCode)")
    assert copied == ["web2text a \\\n    --b   # a comment\nweb2text c", "$ = 1"]
    assert tab.locator("button.copy").count() == 2
