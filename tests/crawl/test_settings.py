from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from scrapy.settings import Settings

from scrapy_web2text.crawl.settings import Web2TextSettings
from scrapy_web2text.options import OPTIONAL_PARTS, OPTIONS, Options


def read(spider_options: object = None, **settings: Any) -> Web2TextSettings:
    return Web2TextSettings.from_settings(
        Settings({f"WEB2TEXT_{name.upper()}": value for name, value in settings.items()}), spider_options
    )


def test_without_settings_the_defaults_apply():
    settings = read()
    assert settings == Web2TextSettings()
    assert settings.fields == {"main_content": "text", "blocks": "blocks", "web2text": "summary"}
    assert settings.statuses == frozenset(range(200, 300))
    assert 1 <= settings.n_workers <= (os.cpu_count() or 1)
    assert not settings.options.html


MARKDOWN = {**Web2TextSettings().fields, "markdown": "markdown"}


@pytest.mark.parametrize(
    ("feed", "given", "expected"),
    [
        ({"format": "web2text-markdown"}, {}, MARKDOWN),
        ({"format": "web2text-markdown", "item_export_kwargs": {"header": False}}, {"WEB2TEXT_FIELDS": ""}, MARKDOWN),
        ({"format": "web2text-markdown", "item_export_kwargs": {"text_field": "md"}}, {}, Web2TextSettings().fields),
        ({"format": "web2text-txt"}, {}, Web2TextSettings().fields),
        ({"format": "web2text-markdown"}, {"WEB2TEXT_FIELDS": {"body": "text"}}, {"body": "text"}),
    ],
    ids=["feed", "unset", "own-field", "text", "own-fields"],
)
def test_default_fields_have_the_markdown_for_a_feed_in_markdown(feed, given, expected):
    settings = Web2TextSettings.from_settings(Settings({"FEEDS": {"pages.md": feed}, **given}))
    assert settings.fields == expected
    assert settings.options.markdown is ("markdown" in expected.values())


@pytest.mark.parametrize(
    ("executor", "n_cpus", "expected"), [("process", 7, 4), ("process", 3, 3), ("thread", 7, 2), ("thread", 1, 1)]
)
def test_default_workers_are_cpus_but_few_threads(monkeypatch, executor, n_cpus, expected):
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)  # then all CPUs are ours
    monkeypatch.setattr(os, "cpu_count", lambda: n_cpus)
    assert read(executor=executor).n_workers == expected
    assert read(executor=executor, workers=5).n_workers == 5


def test_settings_come_from_the_crawler_and_its_spider():
    spider = SimpleNamespace(web2text={"decoder": "marginal"})
    crawler = SimpleNamespace(settings=Settings({"WEB2TEXT_THRESHOLD": 0.6}), spider=spider)
    assert Web2TextSettings.from_crawler(crawler).options == Options(threshold=0.6, decoder="marginal")
    crawler.spider = None
    assert Web2TextSettings.from_crawler(crawler).options == Options(threshold=0.6)


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("model", Path("models/mine"), "models/mine"),
        ("model", "none", Options().model),
        ("page_kind", "0", False),
        ("page_kind", None, True),
        ("fallback", "none", None),
        ("threshold", 0.7, 0.7),
        ("threshold", "0.7", 0.7),
        ("threshold", "", None),
        ("threshold", "recall", "recall"),
        ("decoder", "none", None),
        ("on_low_confidence", None, "keep"),
        ("fragment", "true", True),
        ("fragment", False, False),
        ("fragment", "", "auto"),
        ("blocks", "none", "none"),
        ("blocks", "", "all"),
        ("timeout", "2.5", 2.5),
        ("max_bytes", "1000", 1000),
        ("max_bytes", 10e6, 10_000_000),
        ("max_blocks", "none", None),
    ],
)
def test_an_option_is_read_in_its_type(name, value, expected):
    found = getattr(read(**{name: value}).options, name)
    assert (found, type(found)) == (expected, type(expected))


def test_every_option_is_a_setting():
    """A part of an answer is none: the fields of items ask for it."""
    for name in OPTIONS.keys() - OPTIONAL_PARTS:
        assert read(**{name: None}).options.replace(**{name: getattr(Options(), name)}) == Options()


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("enabled", False, False),
        ("enabled", "0", False),
        ("enabled", "none", True),
        ("in_middleware", 1, True),
        ("in_middleware", " false ", False),
        ("fields", {"text": "text"}, {"text": "text"}),
        ("fields", '{"info": "summary"}', {"info": "summary"}),
        ("fields", "none", Web2TextSettings().fields),
        ("on_missing_field", "error", "error"),
        ("url_field", "link", "link"),
        ("url_field", "none", None),
        ("html_field", "body", "body"),
        ("html_field", "", None),
        ("statuses", [200, 404], {200, 404}),
        ("statuses", ["200-202", 404], {200, 201, 202, 404}),
        ("statuses", range(200, 202), {200, 201}),
        ("statuses", 404, {404}),
        ("statuses", "", frozenset(range(200, 300))),
        ("executor", "inline", "inline"),
        ("executor", "none", "process"),
        ("workers", "3", 3),
        ("worker_memory", "1e9", 1_000_000_000),
        ("log_interval", "2.5", 2.5),
        ("log_interval", 0, 0.0),
        ("log_interval", "none", None),
    ],
)
def test_a_setting_is_read_in_its_type(name, value, expected):
    assert getattr(read(**{name: value}), name) == expected


@pytest.mark.parametrize(
    ("name", "value", "expectation"),
    [
        ("model", 5, "a model name or folder, got 5"),
        ("threshold", "high", "a number"),
        ("threshold", True, "a number"),
        ("block_fields", "text,xpath", "one or more of 'index', 'text'"),
        ("block_fields", 5, "one or more of 'index', 'text'"),
        ("block_fields", [5], "got [5]"),
        ("block_fields", "[text]", "got '[text]'"),
        ("max_bytes", "10 MB", "a whole number above 0 or None, got '10 MB'"),
        ("max_bytes", "1e400", "a whole number"),
        ("max_blocks", 0.5, "a whole number"),
        ("enabled", "perhaps", "True or False"),
        ("fields", "text", "or its JSON"),
        ("fields", ["text"], "a dict"),
        ("fields", {"text": "prose"}, "one of url, method"),
        ("fields", {3: "text"}, "one of url, method"),
        ("on_missing_field", "guess", "'skip', 'error'"),
        ("url_field", 3, "a string"),
        ("statuses", "2xx", "200,400-499"),
        ("statuses", "200-", "200,400-499"),
        ("statuses", [20], "from 100 to 599"),
        ("statuses", "300-200", "from 100 to 599"),
        ("statuses", "200-99999999999", "got '200-99999999999'"),
        ("statuses", [], "200,400-499"),
        ("executor", "fibers", "'process', 'thread', 'inline'"),
        ("workers", 0, "above 0"),
        ("workers", "many", "a whole number"),
        ("worker_memory", 499_999_999, "at least 500,000,000 bytes"),
        ("log_interval", 1e-9, "expected None, 0 or a number of seconds from 0.01, got 1e-09"),
        ("log_interval", "inf", "expected None, 0 or a number of seconds from 0.01, got inf"),
    ],
)
def test_an_impossible_value_is_refused_with_setting_and_expectation(name, value, expectation):
    with pytest.raises(ValueError, match=f"^WEB2TEXT_{name.upper()}: .*expected.*") as error:
        read(**{name: value})
    assert expectation in str(error.value)


@pytest.mark.parametrize(
    ("names", "warning"),
    [
        (["WEB2TEXT_TRESHOLD"], "WEB2TEXT_TRESHOLD (did you mean WEB2TEXT_THRESHOLD?)"),
        (["WEBTEXT_THRESHOLD"], "WEBTEXT_THRESHOLD (did you mean WEB2TEXT_THRESHOLD?)"),
        (["WEB2TXT_MODEL"], "WEB2TXT_MODEL (did you mean WEB2TEXT_MODEL?)"),
        (["WEB_2_TEXT_FIELDS"], "WEB_2_TEXT_FIELDS (did you mean WEB2TEXT_FIELDS?)"),
        (["web2text_threshold"], "web2text_threshold (did you mean WEB2TEXT_THRESHOLD?)"),
        (["WEB2TEXT_ZZZ", "WEB2TEXT_TRESHOLD"], "WEB2TEXT_TRESHOLD, WEB2TEXT_ZZZ (did you mean WEB2TEXT_THRESHOLD?)…"),
        (["web2text"], "web2text…"),
        (["WEB2TEXT"], "WEB2TEXT…"),
    ],
)
def test_unknown_settings_are_one_warning(caplog, names, warning):
    assert Web2TextSettings.from_settings(Settings(dict.fromkeys(names, "x"))) == Web2TextSettings()
    (record,) = caplog.records
    assert record.levelname == "WARNING"
    found, _, known = record.getMessage().partition("; expected some of ")
    assert found == f"Ignoring unknown settings: {warning.removesuffix('…')}"
    assert known.startswith("WEB2TEXT_BLOCKS, ") is warning.endswith("…")


def test_settings_of_others_are_not_warned_about(caplog):
    names = ("WEBSERVICE_ENABLED", "WEBDRIVER_MODEL", "WEB_CACHE_FIELDS", "MODEL", "THRESHOLD")
    assert Web2TextSettings.from_settings(Settings(dict.fromkeys(names, "x"))) == Web2TextSettings()
    assert caplog.records == []


@pytest.mark.parametrize(
    "name", ["WEB2TEXT_THRESHOLD", "web2text_threshold", "web2text_treshold", "web2text_markdown", "WEB2TEXT"]
)
def test_options_in_other_attributes_of_the_spider_are_a_warning(caplog, name):
    spider = SimpleNamespace(name="news", web2text={"decoder": "marginal"}, web_driver=1, **{name: 0.9})
    crawler = SimpleNamespace(settings=Settings(), spider=spider)
    assert Web2TextSettings.from_crawler(crawler).options == Options(decoder="marginal")
    expected = "Expected custom_settings, or options in its attribute web2text"
    assert caplog.messages == [f"Ignoring the attribute {name} of the spider. {expected}"]


@pytest.mark.parametrize("name", ["web2text_threshold", "WEB2TEXT_FIELDS", "web2text_html", "WEB2TEXT"])
@pytest.mark.parametrize("asked", [{}, {"web2text": True}, {"web2text": {"decoder": "marginal"}}])
def test_options_in_other_keys_of_the_meta_are_a_problem(name, asked):
    meta = {**asked, name: 0.9, "web2text_result": None, "web2text_of_mine": 1, 5: 5}
    assert read().read_meta(meta).problems == {name: "expected a key of meta['web2text']"}


@pytest.mark.parametrize(
    ("spider_options", "message"),
    [
        ({"treshold": 0.7}, "'treshold': unknown option (did you mean threshold?)"),
        ({"threshold": 7}, "'threshold': expected a number between 0 and 1"),
        ({"in_middleware": "perhaps"}, "'in_middleware': expected True or False"),
        ([0.7], "expected a dict of options"),
    ],
    ids=["key", "value", "in_middleware", "type"],
)
def test_an_impossible_spider_attribute_is_refused(spider_options, message):
    with pytest.raises(ValueError, match=r"^spider attribute web2text") as error:
        read(spider_options)
    assert message in str(error.value)


@pytest.mark.parametrize("meta", [{}, {"web2text": True}, {"web2text": False}, {"web2text": None}])
def test_a_request_without_overrides_has_the_options_of_the_crawl(meta):
    settings = read(threshold=0.6)
    asked = settings.read_meta(meta)
    assert asked.options is settings.options
    assert asked.problems == {}
    assert asked.is_disabled is (meta.get("web2text") is False)


def test_request_meta_overrides_the_spider_attribute_which_overrides_settings_per_value():
    settings = read({"threshold": "0.7", "decoder": "marginal"}, threshold=0.6, decoder="viterbi", max_blocks=9)
    asked = settings.read_meta({"web2text": {"threshold": 0.8}})
    assert asked.options == Options(threshold=0.8, decoder="marginal", max_blocks=9)


def test_problems_in_request_meta_are_ignored_and_named():
    settings = read(threshold=0.6)
    asked = settings.read_meta({"web2text": {"threshold": 8, "treshold": 0.8, "blocks": "none", 3: 4}})
    assert asked.options == Options(threshold=0.6, blocks="none")
    assert set(asked.problems) == {"threshold", "treshold", "3"}
    assert "expected a number between 0 and 1" in asked.problems["threshold"]
    assert settings.read_meta({"web2text": {"threshold": "most"}}).options.threshold == 0.6
    asked = settings.read_meta({"web2text": "yes"})
    assert asked.options is settings.options
    assert asked.problems == {"web2text": "expected True, False or a dict of options, got 'yes'"}


@pytest.mark.parametrize(
    ("setting", "attribute", "meta", "expected"),
    [
        (False, {}, {"threshold": 0.6, "in_middleware": True}, True),
        (False, {}, {"in_middleware": "1"}, True),
        (True, {}, {"in_middleware": None}, False),
        (True, {}, {"threshold": 0.6}, True),
        (True, {}, {"in_middleware": "perhaps"}, True),
        (False, {"in_middleware": True}, None, True),
        (True, {"in_middleware": False}, None, False),
        (True, {"in_middleware": False}, {"in_middleware": True}, True),
        (False, {"in_middleware": True}, False, False),
        (False, {}, True, True),
        (True, {}, "yes", True),
    ],
)
def test_request_meta_and_spider_attribute_override_in_middleware(setting, attribute, meta, expected):
    settings = read(attribute, in_middleware=setting)
    asked = settings.read_meta({"web2text": meta})
    assert asked.in_middleware is expected
    assert settings.options == Options()  # it is not an option of the extraction


def test_forms_are_extracted_if_a_field_asks_for_them():
    options = read(FIELDS={"a": "html", "b": "author", "c": "text"}).options
    assert (options.html, options.metadata, options.markdown, options.paragraphs) == (True, True, False, False)
    sizes = [read(FIELDS={"a": "chunks"}, CHUNK_WORDS=size).options.chunks for size in (None, "40")]
    assert sizes == [250, 40]


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("MARKDOWN", 'expected WEB2TEXT_FIELDS with a field for it, such as {"markdown": "markdown"}'),
        ("CHUNKS", 'expected .* such as {"chunks": "chunks"}; WEB2TEXT_CHUNK_WORDS is the size of chunks'),
        ("PRESET", "renamed to WEB2TEXT_THRESHOLD"),
        ("PAGE_VERDICT", "renamed to WEB2TEXT_PAGE_KIND"),
    ],
)
def test_an_old_name_is_an_error_that_names_the_new_one(name, problem):
    with pytest.raises(ValueError, match=f"^WEB2TEXT_{name}: {problem}$"):
        read(**{name: "1"})
