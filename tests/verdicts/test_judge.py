"""What a page is: the rules, on small pages and on those of tests/pages/walls."""

from __future__ import annotations

import json
from collections import Counter, defaultdict

import pytest
from places import ROOT

from scrapy_web2text import Extractor, extract
from scrapy_web2text.extraction import Label
from scrapy_web2text.labelers.registry import get_labeler
from scrapy_web2text.page.arrays import tree_to_page
from scrapy_web2text.page.parse import to_tree
from scrapy_web2text.verdicts.judge import judge_page
from scrapy_web2text.verdicts.kinds import PAGE_KINDS, REFUSALS, TEXTLESS_KINDS, TYPED_KINDS

WALLS = ROOT / "tests" / "pages" / "walls"
STORY = "<p>" + "The old bridge over the river was rebuilt by the people of the town, stone by stone. " * 6 + "</p>"
BANNER = (
    '<div id="onetrust-banner-sdk" role="dialog"><h2>We value your privacy</h2><p>We and our partners use cookies to '
    "store and read information on your device. You can accept or reject them, or change your mind later.</p></div>"
)
LOGIN = '<form><label>Name</label><input name="user"><label>Password</label><input type="password"></form>'
LINKS = "".join(f'<li><a href="/{n}">Chapter number {n}</a></li>' for n in range(20))

PAGES = {
    "consent": BANNER,
    "challenge": "<title>Just a moment...</title><h1>a.example</h1><p>Verify you are human to continue.</p>"
    "<script>window._cf_chl_opt = {}</script>",
    "login": f"<title>Sign in | A site</title><h1>Sign in</h1>{LOGIN}",
    "error": "<title>Page not found | A site</title><main><h1>Page not found</h1><p>Sorry, the page you are looking "
    'for does not exist.</p><a href="/">Go home</a></main>',
    "script_shell": '<nav><a href="/">Home</a></nav><div id="root"></div><footer>(c) 2026 X</footer>',
    "index": f"<ul>{LINKS}</ul>",
    "paywall": '<script type="application/ld+json">{"@type": "Article", "isAccessibleForFree" : false}</script>'
    "<article><h1>The bridge</h1><p>The old bridge over the river was rebuilt by the people of the town. It took them "
    "seven years, and more stone than anyone had thought.</p></article>",
    "empty": "<p></p>",
    "content": STORY,
}

every_page = pytest.mark.parametrize(("kind", "html"), PAGES.items(), ids=list(PAGES))


def judge(html: str) -> str:
    page = tree_to_page(to_tree(html))
    return judge_page(page, get_labeler("web2text-2026").label(page))


def test_there_is_a_page_of_each_kind():
    assert sorted(PAGES) == sorted(PAGE_KINDS)
    assert REFUSALS < TEXTLESS_KINDS
    assert not TEXTLESS_KINDS & TYPED_KINDS


@every_page
def test_a_page_is_of_its_kind(kind, html):
    answer = extract(f"<html><body>{html}</body></html>")
    assert answer.page_kind == answer.summary["page_kind"] == answer.to_dict()["page_kind"] == kind
    if kind in TEXTLESS_KINDS:
        assert (answer.text, answer.no_main_content, answer.n_content) == ("", True, 0)
        assert {block.label for block in answer.blocks} <= {Label.BOILERPLATE}


@every_page
def test_rules_answer_with_the_kind_of_the_page_too(kind, html):
    answer = extract(f"<html><body>{html}</body></html>", model="shallow:numwords")
    assert answer.page_kind is not None
    assert answer.page_type is None
    if kind in TEXTLESS_KINDS:
        assert (answer.page_kind, answer.text) == (kind, "")


def test_without_the_verdict_the_text_of_a_wall_stays_and_its_kind_is_told():
    html = f"<html><body>{PAGES['challenge']}</body></html>"
    kept, dropped = extract(html, page_kind=False), extract(html)
    assert kept.page_kind == dropped.page_kind == "challenge"
    assert "Verify you are human" in kept.text
    assert not kept.no_main_content
    assert kept.confidence is not None
    assert [block.probability for block in kept.blocks] == [block.probability for block in dropped.blocks]
    assert dropped.confidence is None
    assert (kept.page_type, dropped.page_type) == (None, None)


def test_the_confidence_stays_if_the_model_selected_nothing_itself():
    answer = extract('<html><body><nav><a href="/">Home</a></nav><div id="root"></div></body></html>')
    assert answer.page_kind == "script_shell"
    assert answer.confidence > 0.5


def test_an_answer_that_the_verdict_empties_is_not_of_low_confidence():
    html = f"<html><body>{PAGES['challenge']}</body></html>"
    assert extract(html, min_confidence=1.0, on_low_confidence="flag", page_kind=False).low_confidence
    assert not extract(html, min_confidence=1.0, on_low_confidence="flag").low_confidence


def test_all_forms_of_a_wall_are_empty():
    answer = extract(f"<html><body>{PAGES['error']}</body></html>", html=True, markdown=True, paragraphs=True)
    assert (answer.html, answer.markdown, answer.paragraphs) == ("", "", ())


def test_a_wall_over_a_page_is_content():
    assert judge(f"<html><body><main><h1>The bridge</h1>{STORY}</main>{BANNER}{LOGIN}</body></html>") == "content"


def test_a_short_article_under_a_banner_is_content():
    story = "<article><h1>Storks</h1><p>We saw the first stork of this year at the pond.</p></article>"
    assert judge(f"<html><body>{story}{BANNER}</body></html>") == "content"


def test_text_in_the_scripts_of_a_shell_is_content():
    data = json.dumps({"@type": "Article", "articleBody": "The bridge was rebuilt by the town. It took years. " * 20})
    shell = f'<div id="root"></div><script type="application/ld+json">{data}</script>'
    answer = extract(f"<html><body>{shell}</body></html>")
    assert (answer.method, answer.page_kind) == ("structured-data", "content")
    refused = extract(f"<html><body>{PAGES['error']}{shell}</body></html>")
    assert (refused.page_kind, refused.text) == ("error", "")


def test_a_page_that_is_skipped_has_no_kind():
    assert extract("<p>text</p>", max_bytes=3).page_kind is None


# Pages that are known in other ways: by names, marks, headings, sentences, fields and scripts.
KNOWN = {
    "error": [
        "<body class='error404'><p>Es ist nichts da.</p>",
        "<body id='error-page'><div class='wp-die-message'><h1>Oh</h1><p>This page broke.</p></div>",
        "<h1>The page you were looking for doesn't exist</h1><p>You may have mistyped the address.</p>",
        "<p>Service Unavailable</p>",
        "<head><title>ACME: Page not found</title></head><body><div id='cf-error-details'><h1>Page not found</h1>"
        + "<p>Many words of a host that say how it came about, and what to do about it now.</p>" * 4,
    ],
    "login": [
        f"<h1>Log in to your account</h1>{LOGIN}",
        f"{LOGIN}<p>Welcome.</p>",
        "<h1>Passwort vergessen?</h1><form><input type='email'></form>",
        "<p>You must be logged in to read this board.</p>",
        f"<form><input type='password'><input type='password'>{LINKS}</form>",
    ],
    "challenge": [
        "<p>Weiter</p><script src='/_Incapsula_Resource?x=1'></script>",
        "<div class='g-recaptcha'></div><p>Please confirm that you are not a robot.</p>",
        "<h1>Access denied</h1><p>You have been blocked.</p>",
        "<h1>Access denied</h1>",
        "<p>Checking your browser. Complete the security check.</p>",
    ],
    "script_shell": [
        "<noscript>You need to enable JavaScript to run this app.</noscript><script src='/a.js'></script>",
        "<script src='/_next/static/a.js'></script><p>…</p>",
        "<script src='/a.js'></script><script src='/b.js'></script><p>Wait</p>",
        "<p>Loading…</p>",
        "<div>{{ title }}</div><p>{{ text of the page }} {{ more of the text }}</p>",
        "<div id='app'></div><p>Please enable JavaScript, as this shop does not work without it.</p>",
    ],
    "consent": [
        "<script src='https://cdn.privacy-mgmt.com/a.js'></script><p>Wir verwenden Cookies. Mit Ihrer Zustimmung?</p>",
        "<p>Vi bruger cookies med dit samtykke. Læs om privacy hos os.</p><button>Godkend</button>",
        "<p>We use cookies with our partners, for tracking. Do you consent?</p><button>Accept all</button>",
    ],
}


@pytest.mark.parametrize(("kind", "html"), [(kind, html) for kind, pages in KNOWN.items() for html in pages])
def test_walls_are_known_in_many_ways(kind, html):
    assert judge(html if html.startswith(("<body", "<head")) else f"<body>{html}</body>") == kind


STORY = "The ferry sailed again on Friday after eleven years of repairs, and two hundred people watched it leave."
RECOMMENDED = "".join(f"<article><h3><a href='/{i}'>Story {i}</a></h3><p>{STORY}</p></article>" for i in range(3))


@pytest.mark.parametrize(
    ("name", "heading", "kind"),
    [
        ("error404", "Oops! That page can’t be found.", "error"),
        ("error404", "Three stories of the ferry", "content"),
        ("blog", "Oops! That page can’t be found.", "content"),
    ],
)
def test_a_name_and_a_heading_of_errors_outweigh_stories_that_are_recommended(name, heading, kind):
    page = f"<html><body class='{name}'><main><h1>{heading}</h1>{RECOMMENDED}</main></body></html>"
    assert judge(page) == kind


@pytest.mark.parametrize("place", ["<header>{}</header>", "<div class='modal'>{}</div>", "<aside>{}</aside>"])
def test_a_login_box_next_to_the_content_does_not_make_a_login(place):
    html = place.format(LOGIN) + "<p>The ferry does not go on Sunday.</p>"
    assert judge(f"<html><body>{html}</body></html>") == "content"


CONTACT = (
    "<h1>Contact us</h1><p>Call us from Monday to Friday: 0123 456 789. You find our house in the main road of Marrow "
    "Bay, next to the ferry, between the old harbor and the church, and there is parking in the yard.</p>"
)


@pytest.mark.parametrize(
    ("fields", "around"),
    [
        ("<input name='name'><input name='email'><textarea></textarea>", ""),
        ("<div class='widget'><input name='name'></div>", CONTACT),
    ],
    ids=["fields", "addresses"],
)
def test_a_form_for_messages_with_a_captcha_is_no_challenge(fields, around):
    test = "<label>Please prove that you are human</label><input class='captcha' name='sum'>"
    assert judge(f"<html><body>{around}<form>{fields}{test}</form></body></html>") != "challenge"


def test_a_contact_page_with_a_captcha_keeps_its_text():
    test = "<form><label>Please prove that you are human: 3 + 0 = ?</label><input class='captcha' name='sum'></form>"
    answer = extract(f"<html><body><main>{CONTACT}</main>{test}</body></html>")
    assert (answer.page_kind, "0123 456 789" in answer.text) == ("content", True)


def test_a_paywall_is_known_by_its_box_and_sentence():
    teaser = "<p>The old bridge over the river was rebuilt by the people of the town. It took them seven years.</p>"
    html = f"{teaser}<div class='paywall-box'>Subscribe to continue reading.</div>"
    answer = extract(f"<html><body>{html}</body></html>")
    assert answer.page_kind == "paywall"
    assert "old bridge" in answer.text


@pytest.fixture(scope="module")
def found() -> dict[str, Counter[str]]:
    """The kinds that the pages of tests/pages/walls are taken for, by their own kinds."""
    extractor, counts = Extractor(blocks="none"), defaultdict(Counter)
    for row in json.loads((WALLS / "index.json").read_text("utf-8")):
        counts[row["kind"]][extractor.extract((WALLS / row["file"]).read_bytes()).page_kind] += 1
    return counts


@pytest.mark.parametrize(
    ("kind", "least"),
    {
        "consent": 0.9,
        "challenge": 0.85,
        "login": 0.85,
        "error": 0.8,
        "script_shell": 0.9,
        "paywall": 0.9,
        "index": 0.8,
        "empty": 0.9,
    }.items(),
)
def test_most_walls_are_recognized(found, kind, least):
    assert found[kind][kind] >= least * found[kind].total()


def test_few_pages_that_resemble_walls_lose_their_text(found):
    assert sum(found["content"][kind] for kind in TEXTLESS_KINDS) <= 2


def test_a_long_list_of_links_is_an_index_and_a_long_text_is_content():
    links = "".join(f'<li><a href="/{n}">The {n} stones of the bridge over the river</a></li>' for n in range(60))
    assert judge(f"<html><body><main>{STORY * 4}</main></body></html>") == "content"
    answer = extract(f"<html><body><main><ul>{links}</ul></main></body></html>", model="shallow:all")
    assert (answer.page_kind, answer.text.count("\n")) == ("index", 59)


FRAMES = '<html><head><title>The harbor</title></head><frameset cols="20%,80%"><frame src="a.html">{}</frameset></html>'


@pytest.mark.parametrize(
    "inside", ["", f"<noframes>{STORY * 4}</noframes>", f"<noframes><body>{STORY}</body></noframes>"]
)
def test_a_page_of_frames_has_no_content_whatever_it_says_to_old_browsers(inside):
    extraction = extract(FRAMES.format(inside))
    assert (extraction.page_kind, extraction.text, extraction.title) == ("empty", "", "The harbor")


def test_a_page_that_shows_text_beside_frames_has_content():
    assert judge(f"<body>{STORY}<noframes>{STORY}</noframes></body>") == "content"
    assert judge(f"<body>{STORY}<div><frameset><frame src=a></frameset></div></body>") == "content"
