"""WEB2TEXT_SITES: rules by domain, and the options of the pages that they apply to."""

from __future__ import annotations

import json
import logging
import pickle
import re
from pathlib import Path
from typing import Any

import pytest
from mockserver import ADDON, SENTENCE, MockSite, article, crawl, spider_of
from scrapy import Request
from scrapy.settings import Settings
from scrapy.utils.test import get_crawler

from scrapy_web2text.crawl.extractor import CrawlExtractor
from scrapy_web2text.crawl.settings import Web2TextSettings
from scrapy_web2text.exceptions import ModelError
from scrapy_web2text.options import Options
from scrapy_web2text.sources.sites import SiteIndex, read_sites

STORY = f"<html><head><title>t</title></head><body><main><h1 class=head>Head</h1><div class=story><p>A note.</p>\
<p class=promo>Buy!</p></div></main><p>{SENTENCE} {SENTENCE} {SENTENCE}</p></body></html>"
GERMAN = "Die alte Brücke über den Fluss wurde im Frühjahr jenes Jahres von den Leuten der Stadt neu gebaut. " * 3


def settings_of(sites: object, spider_options: object = None, **settings: Any) -> Web2TextSettings:
    given = {f"WEB2TEXT_{name.upper()}": value for name, value in settings.items()}
    return Web2TextSettings.from_settings(Settings({**given, "WEB2TEXT_SITES": sites}), spider_options)


def pattern_of(url: str | None, *patterns: str) -> str | None:
    """Return the pattern whose rule applies to *url*."""
    found = SiteIndex({pattern: Options(model=pattern) for pattern in patterns}).find(url)
    return None if found is None else found.model


def test_a_rule_for_a_host_whose_pages_it_does_not_match_is_known():
    index = SiteIndex(dict.fromkeys(("a.example/forum/", "a.example/blog/*", "b.example/*", "c.example"), Options()))
    for url in ("https://a.example/forum/1", "https://a.example/blog/1", "https://a.example/", "https://c.example/"):
        index.find(url)
    assert index.has_pages == {"a.example/forum/": False, "a.example/blog/*": True, "c.example": True}


@pytest.mark.parametrize(
    ("url", "pattern"),
    [
        ("https://example.com/", "example.com"),
        ("https://EXAMPLE.com./a", "example.com"),
        ("https://shop.example.com/a", "shop.example.com"),
        ("https://example.com/blog/a/b", "example.com/blog/*"),
        ("https://example.com/blog/2026/a", "example.com/blog/2026/*"),
        ("https://example.com/blog", "example.com"),
        ("https://example.com/page?id=5&x=1", "example.com/page?id=*"),
        ("https://example.com:8000/a", "example.com:8000"),
        ("https://Bücher.example/a", "bücher.example"),
        ("https://myexample.com/", None),
        ("https://example.com:x/", None),
        (f"https://{'a.' * 130}example.com/", None),  # a host longer than DNS allows takes quadratic time
        ("data:,x", None),
        (None, None),
    ],
)
def test_the_rule_of_the_longest_domain_and_path_applies(url, pattern):
    patterns = (
        *("example.com", "example.com/blog/*", "example.com/blog/2026/*", "example.com/page?id=*"),
        *("shop.example.com", "example.com:8000", "bücher.example", "other.example"),
    )
    assert pattern_of(url, *patterns) == pattern


@pytest.mark.parametrize(
    ("url", "patterns", "pattern"),
    [
        ("https://www.example.com/x", ("www.example.com/blog/*", "example.com"), "example.com"),
        ("https://a.example/x?utm=1", ("a.example/x",), "a.example/x"),
        ("https://a.example/xy", ("a.example/x",), None),
        ("https://a.example", ("a.example/",), "a.example/"),
    ],
    ids=["path-of-longer", "query", "other", "root"],
)
def test_a_path_is_that_of_the_page_with_any_query(url, patterns, pattern):
    assert pattern_of(url, *patterns) == pattern


def test_an_index_arrives_in_worker_processes():
    index = SiteIndex({"example.com/a*": Options(include=("p",), exclude="b")})
    assert pickle.loads(pickle.dumps(index)).find("https://example.com/a") == Options(include=["p"], exclude=("b",))


def test_rules_are_a_dict_its_json_or_a_file(tmp_path):
    rules = {"example.com": {"include": "main .story", "exclude": [".promo"], "threshold": 0.3}}
    file = tmp_path / "sites.toml"
    file.write_text('["example.com"]\ninclude = "main .story"\nexclude = [".promo"]\nthreshold = 0.3\n')
    assert read_sites(rules) == read_sites(json.dumps(rules)) == read_sites(file) == read_sites(f" {file} ") == rules


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        (5, "expected a dict from domains to dicts of options, its JSON, or the path of a TOML file, got 5"),
        ("{", "got '{'"),
        ("none.toml", f"got {Path('none.toml').absolute()}: No such file"),
        ('{"a":' * 50_000, "maximum recursion depth exceeded"),
        ({"example.com": "main"}, "site 'example.com': expected a dict of options, got 'main'"),
        ({"example": {"com": {"include": "x"}}}, 'TOML needs quotes around a domain: ["example.com"]'),
        *(
            ({pattern: {}}, f"subdomains, or 'example.com/blog/*', got {pattern!r}")
            for pattern in ("https://a.example", "*.a.example", ".a.example", "/blog/*", "", "a b", "u@a.example",
                            "a.example:port", "é" * 100, "a." * 130 + "example", 5)
        ),
        ({"a.example": {"include": "main["}}, "site 'a.example', key 'include': expected a CSS selector or an XPath"),
        ({"a.example": {"title": "h1::text"}}, "site 'a.example', key 'title': expected a CSS selector"),
        ({"a.example": {"title_selector": "h1["}}, "site 'a.example', key 'title_selector': expected a CSS selector"),
        ({"a.example": {"threshold": 2}}, "site 'a.example', key 'threshold': expected a number between 0 and 1"),
        ({"a.example": {"treshold": 0.5}}, "site 'a.example', key 'treshold': unknown option"),
        ({"a.example": {"in_middleware": True}}, "site 'a.example', key 'in_middleware': unknown option"),
        ({"a.example": {"timeout": "soon"}}, "site 'a.example', key 'timeout': expected a number above 0 or None, got"),
    ],
)  # fmt: skip
def test_invalid_rules_are_an_error_that_names_the_site_and_the_key(value, problem):
    with pytest.raises(ValueError, match=f"^WEB2TEXT_SITES.*{re.escape(problem)}"):
        settings_of(value)


def test_strings_of_json_are_converted_and_unset():
    sites = settings_of('{"a.example": {"threshold": "0.3", "timeout": "none", "html": "1"}}', timeout=5).sites
    assert sites == {"a.example": Options(threshold=0.3, timeout=None, html=True)}


@pytest.mark.parametrize(("title", "option"), [("include", "title"), ("exclude", "title"), ("h1", "title_selector")])
def test_the_title_of_a_rule_is_a_selector_unless_it_is_a_place(title, option):
    assert settings_of({"a.example": {"title": title}}).sites == {"a.example": Options(**{option: title})}


def test_a_rule_overrides_the_spider_and_the_settings_and_is_overridden_by_the_request():
    settings = settings_of(
        {"a.example": {"threshold": 0.3, "decoder": "marginal"}},
        {"threshold": 0.6, "timeout": 3},
        threshold=0.7,
        max_blocks=9,
        fields={"html": "html"},
    )
    meta = {"web2text": {"decoder": "viterbi"}}
    asked = settings.read_meta(meta, "https://a.example/x")
    expected = Options(threshold=0.3, decoder="viterbi", timeout=3, max_blocks=9, html=True)
    assert (asked.options, asked.defaults) == (expected, expected.replace(decoder="marginal"))
    elsewhere = settings.read_meta(meta, "https://b.example/x")
    assert elsewhere.options == expected.replace(threshold=0.6)
    for value in (True, False, None, 5):
        assert settings.read_meta({"web2text": value}, "https://a.example/").options.threshold == 0.3


def crawl_story(
    site: MockSite, rule: dict[str, Any], meta: object = None, *, domain: str = "127.0.0.1", **settings: Any
):
    site.add("/story", STORY)

    async def start(self):
        yield Request(site.url("/story"), meta={} if meta is None else {"web2text": meta})

    return crawl(spider_of(start=start), {**ADDON, **settings, "WEB2TEXT_SITES": {domain: rule}})


@pytest.mark.parametrize("in_middleware", [True, False])
def test_a_crawl_answers_by_the_rule_of_a_site(site: MockSite, in_middleware):
    rule = {"include": ["main .story"], "exclude": ".promo", "title": "h1.head"}
    result = crawl_story(site, rule, WEB2TEXT_EXECUTOR="process", WEB2TEXT_IN_MIDDLEWARE=in_middleware)
    (item,) = result.items
    assert item["main_content"] == "A note."
    assert (item["web2text"]["method"], item["web2text"]["title"]) == ("selector", "Head")
    assert result.web2text_stats == {"pages": 1, "method/selector": 1}


def test_a_page_without_the_elements_is_counted_and_answered_by_the_model(site: MockSite, caplog):
    caplog.set_level(logging.INFO)
    result = crawl_story(site, {"include": ".article"})
    assert SENTENCE in result.items[0]["main_content"]
    assert result.web2text_stats["sites/unmatched"] == 1
    ours = [record.getMessage() for record in caplog.records if record.name == "scrapy_web2text.crawl.journal"]
    (message,) = [text for text in ours if "sites/unmatched" in text]
    assert "1 page; content 1; no match for include 1; " in ours[-1]
    assert message.startswith(f"The selectors of include (.article) find no text on {site.url('/story')};")


def test_a_bad_option_of_a_request_leaves_the_rule_in_force(site: MockSite):
    result = crawl_story(site, {"include": ".story"}, {"model": "nomodel", "exclude": "p["})
    assert result.items[0]["main_content"] == "A note.\nBuy!"
    assert result.web2text_stats["ignored_options"] == 2


def test_the_html_of_an_item_is_answered_by_the_rule_of_its_url(site: MockSite):
    def parse(self, response):
        yield {"html": "<p>One.</p><p class=x>Two.</p>"}

    settings = {**ADDON, "WEB2TEXT_HTML_FIELD": "html", "WEB2TEXT_SITES": {"127.0.0.1": {"include": ".x"}}}
    result = crawl(spider_of(site.url("/article"), parse=parse), settings)
    assert [item["main_content"] for item in result.items] == ["Two."]


@pytest.mark.parametrize(
    ("rule", "problem"),
    [
        ({"model": "nomodel"}, "WEB2TEXT_SITES, site '127.0.0.1', key 'model': "),
        ({"model": "shallow", "fallback": "x"}, "WEB2TEXT_SITES, site '127.0.0.1', key 'fallback': "),
        ({"languages": "qq"}, "WEB2TEXT_SITES, site '127.0.0.1', key 'languages': expected some of "),
        ({"model": "no/such/folder"}, "WEB2TEXT_SITES, site '127.0.0.1', key 'model': "),
    ],
)
def test_a_rule_that_cannot_be_used_stops_the_crawl_at_the_start(rule, problem):
    crawler = get_crawler(settings_dict={"WEB2TEXT_SITES": {"127.0.0.1": rule}, "WEB2TEXT_MODEL": "shallow"})
    with pytest.raises((ValueError, ModelError), match=f"^{re.escape(problem)}"):
        CrawlExtractor(crawler)


def test_pages_in_other_languages_are_counted_and_pass(site: MockSite):
    pages = spider_of(site.add("/en", article()), site.add("/de", article(GERMAN)))
    fields = {"text": "text", "language": "language", "reason": "reason"}
    result = crawl(pages, {**ADDON, "WEB2TEXT_LANGUAGES": "en", "WEB2TEXT_FIELDS": fields})
    items = {item["url"]: item for item in result.items}
    assert SENTENCE in items[site.url("/en")]["text"]
    assert items[site.url("/de")] == {"url": site.url("/de"), "text": "", "language": "de", "reason": "language"}
    stats = result.web2text_stats
    assert (stats["skipped/language"], stats["pages"]) == (1, 1)
    assert "no_main_content" not in stats
