"""Feeds as a user would set them up, from real crawls."""

from __future__ import annotations

import csv
import gzip
import io
import json
import marshal
import pickle
import re
from dataclasses import dataclass
from fractions import Fraction

import pytest
from documents import code_blocks, section
from mockserver import ADDON, SENTENCE, MockSite, crawl, spider_of
from scrapy.exceptions import DropItem, UsageError
from scrapy.settings import Settings
from scrapy.utils.conf import feed_process_params_from_cli
from scrapy.utils.test import get_crawler

from scrapy_web2text import Addon, Options, Web2TextPipeline
from scrapy_web2text.crawl.extractor import CrawlExtractor
from scrapy_web2text.exporters import (
    FEED_EXPORTERS,
    ContentFilter,
    JsonCellsCsvExporter,
    MarkdownExporter,
    TextExporter,
)

FILTER = "scrapy_web2text.exporters.ContentFilter"


def crawl_to_feed(site: MockSite, path, settings=None, /, **feed):
    settings = {**ADDON, "FEEDS": {str(path): {"encoding": "utf8", **feed}}, **(settings or {})}
    return crawl(spider_of(site.url("/article")), settings)


def ours(caplog):
    return [record for record in caplog.records if record.name.startswith("scrapy_web2text")]


def test_one_crawl_writes_feeds_of_all_forms_within_their_limits(site: MockSite, tmp_path, caplog):
    gzipped = {"format": "web2text-txt", "postprocessing": ["scrapy.extensions.postprocessing.GzipPlugin"]}
    feeds = {
        "clean.txt": {"format": "web2text-txt"},
        "clean.md": {"format": "web2text-markdown"},
        "clean.csv": {"format": "csv"},
        "clean.txt.gz": gzipped,
        "sure.jsonl": {"format": "jsonlines", "item_filter": FILTER, "min_confidence": 0.1, "methods": "rules"},
        "unsure.jsonl": {"format": "jsonlines", "item_filter": FILTER, "max_confidence": 0.1, "store_empty": True},
    }
    settings = {"FEEDS": {str(tmp_path / name): {"encoding": "utf8", **feed} for name, feed in feeds.items()}}
    (item,) = crawl_to_feed(site, tmp_path, settings).items
    assert set(item) == {"url", "main_content", "blocks", "web2text", "markdown"}
    assert [record for record in ours(caplog) if record.levelname == "WARNING"] == [
        record for record in ours(caplog) if "unsure.jsonl is empty" in record.getMessage()
    ]
    text, markdown = ((tmp_path / f"clean.{ending}").read_text(encoding="utf-8") for ending in ("txt", "md"))
    for feed, header in ((text, f"### {item['url']} | The bridge"), (markdown, f"<!-- {item['url']} | The bridge -->")):
        first, *lines = feed.split("\n")
        assert first == header
        assert any(SENTENCE in line for line in lines)
        assert lines[-2:] == ["", ""]
    assert gzip.decompress((tmp_path / "clean.txt.gz").read_bytes()).decode() == text
    (row,) = csv.DictReader(io.StringIO((tmp_path / "clean.csv").read_bytes().decode("utf-8"), newline=""))
    assert SENTENCE in row["main_content"]
    assert any(SENTENCE in block["text"] for block in json.loads(row["blocks"]))
    assert json.loads(row["web2text"])["n_content"] > 0
    counts = [len((tmp_path / f"{name}.jsonl").read_text("utf-8").splitlines()) for name in ("sure", "unsure")]
    assert counts == [1, 0]


def test_unknown_options_of_a_feed_are_warnings(site: MockSite, tmp_path, caplog):
    options = {"min_confidance": 0.5, "method": "model", "min_words": 1, "colour": "red"}
    options |= {"fields": ["url"], "indent": 2, "overwrite": True, "store_empty": False, "item_filter": FILTER}
    kwargs = {"text_field": "main_content", "export_empty_fields": True, "headers": False, "x": 1}
    crawl_to_feed(site, tmp_path / "clean.txt", format="web2text-txt", item_export_kwargs=kwargs, **options)
    of_filter, of_exporter = (text for text in caplog.messages if "FEEDS: " in text)
    assert of_filter == (
        "FEEDS: ignoring unknown feed options: method, min_confidance (did you mean methods, min_confidence?)"
    )
    assert of_exporter.startswith(
        "FEEDS: ignoring unknown item_export_kwargs: headers, x (did you mean header?); expected some of text_field, "
    )


USUAL = {"markdown": "markdown", "text": "main_content"}
FORMS = {"markdown": {"format": "web2text-markdown"}, "text": {"format": "web2text-txt"}}


def test_a_feed_warns_of_a_value_that_the_settings_write_to_no_field(site: MockSite, tmp_path, caplog):
    limits = {"format": "jsonl", "item_filter": FILTER, "min_confidence": 0.5, "methods": "model", "min_words": 5}
    feeds = {str(tmp_path / name): feed for name, feed in {**FORMS, "limited": limits}.items()}
    result = crawl_to_feed(site, tmp_path, {"FEEDS": feeds, "WEB2TEXT_FIELDS": {"body": "html"}})
    found = [record.getMessage() for record in ours(caplog) if record.levelname == "WARNING"]
    for value, usual in USUAL.items():
        ending = f': WEB2TEXT_FIELDS fills no item field with the value "{value}". Expected {{…, "{usual}": "{value}"}}'
        assert sum(message.endswith(ending) for message in found) == 1
        assert (
            f"Feed {tmp_path / value} is empty; it left out 1 item (missing_field 1). It reads the item field '{usual}'"
        ) in found
    beginning = f"Feed {tmp_path / 'limited'} is empty; it left out 1 item (missing_field 1). Its filter reads"
    assert f"{beginning} the item field 'web2text'" in found
    assert result.web2text_stats["left_out/missing_field"] == 3


def test_a_feed_reads_the_fields_that_the_settings_fill(site: MockSite, tmp_path, caplog):
    def parse(self, response):
        yield {"link": response.url}

    sure = {"format": "jsonl", "item_filter": FILTER, "min_confidence": 0.1, "min_words": 9}
    settings = {
        **ADDON,
        "FEEDS": {str(tmp_path / name): feed for name, feed in {**FORMS, "sure": sure}.items()},
        "WEB2TEXT_FIELDS": {"body": "text", "md": "markdown", "head": "title", "sure": "confidence"},
        "WEB2TEXT_URL_FIELD": "link",
    }
    crawl(spider_of(site.url("/article"), parse=parse), settings)
    feeds = [(tmp_path / name).read_text(encoding="utf-8") for name in (*FORMS, "sure")]
    assert all(SENTENCE in text for text in feeds)
    assert all(f" {site.url('/article')} | The bridge" in text.partition("\n")[0] for text in feeds[:2])
    assert [record for record in ours(caplog) if record.levelname == "WARNING"] == []


def test_a_feed_reports_the_items_that_it_leaves_out(site: MockSite, tmp_path, caplog):
    caplog.set_level("INFO")

    feeds = {
        "text": {"format": "web2text-txt"},
        "none": {"format": "jsonl", "item_filter": FILTER, "min_confidence": 1},
        "some": {"format": "web2text-txt", "item_filter": FILTER, "min_words": 9},
        "all": {"format": "jsonl", "item_filter": FILTER},
        "%(batch_id)d": {"format": "web2text-txt", "batch_item_count": 1},
    }
    settings = {**ADDON, "FEEDS": {str(tmp_path / name): feed for name, feed in feeds.items()}}
    result = crawl(spider_of(site.url("/article"), site.add("/empty", "<p>")), settings)
    reports = {(record.levelname, record.getMessage()) for record in ours(caplog) if "left out" in record.getMessage()}
    assert reports == {
        ("INFO", f"Feed {tmp_path / 'text'} has 1 item; it left out 1 (no_text 1)"),
        ("WARNING", f"Feed {tmp_path / 'none'} is empty; it left out 2 items (min_confidence 2)"),
        ("INFO", f"Feed {tmp_path / 'some'} has 1 item; it left out 1 (min_words 1)"),
        ("INFO", f"Feed {tmp_path / '%(batch_id)d'} has 1 item; it left out 1 (no_text 1)"),
    }
    stats = {name: count for name, count in result.web2text_stats.items() if name.startswith("left_out/")}
    assert stats == {"left_out/no_text": 2, "left_out/min_confidence": 2, "left_out/min_words": 1}


def test_every_cause_is_documented():
    named = re.findall(
        r"`(\w+)`", " ".join(re.findall(r"^\| (`.*?) \|", section("feeds.md", "Items that are left out"), re.MULTILINE))
    )
    limits = ["min_confidence", "max_confidence", "methods", "page_kinds", "page_types", "min_words"]
    assert named == ["missing_field", "no_text", *limits, "error"]


def test_an_exporter_reports_items_without_the_pipeline_too(site: MockSite, tmp_path, caplog):
    settings = {"ADDONS": {}, "FEED_EXPORTERS": FEED_EXPORTERS}
    crawl_to_feed(site, tmp_path / "x.txt", settings, format="web2text-txt")
    (record,) = ours(caplog)
    assert "is empty; it left out 1 item (missing_field 1). It reads" in record.getMessage()


def test_a_feed_of_markdown_can_have_front_matter(site: MockSite, tmp_path):
    fields = {"markdown": "markdown", "web2text": "summary", "lang": "language"}
    settings = {"WEB2TEXT_FIELDS": fields, "WEB2TEXT_TITLE": "include"}
    options = {"format": "web2text-markdown", "item_export_kwargs": {"front_matter": True}}
    crawl_to_feed(site, tmp_path / "page.md", settings, **options)
    start, url, title, language, confidence, end, *lines = (tmp_path / "page.md").read_text("utf-8").split("\n")
    assert (start, end) == ("---", "---")
    assert (url, title, language) == (f'url: "{site.url("/article")}"', 'title: "The bridge"', 'language: "en"')
    assert confidence.startswith("confidence: 0.9")
    assert lines[:3] == ["", "# The bridge", ""]
    assert lines[3].startswith(SENTENCE)


def export(exporter, *items, **options):
    file = io.BytesIO()
    made = exporter(file, **options)
    made.start_exporting()
    for item in items:
        made.export_item(item)
    made.finish_exporting()
    return file.getvalue().decode("utf-8")


@dataclass
class Page:
    text: str
    address: str


@pytest.mark.parametrize(
    ("item", "options", "expected"),
    [
        ({"main_content": "a\nb", "url": "u", "web2text": {"title": "t\nt"}}, {}, "### u | t t\na\nb\n\n"),
        ({"main_content": "a", "url": "u"}, {}, "### u\na\n\n"),
        ({"main_content": "a", "web2text": None}, {}, "### \na\n\n"),
        (
            {"main_content": "### v | b\na\n### w\n#### x\n## y\n", "url": "u"},
            {},
            "### u\n ### v | b\na\n ### w\n#### x\n## y\n\n\n",
        ),
        ({"main_content": "### v", "url": "u"}, {"header": False}, "### v\n\n"),
        ({"main_content": "", "url": "u"}, {}, ""),
        ({"url": "u"}, {}, ""),
        ({"main_content": "ä \ud800"}, {"header": False}, "ä ?\n\n"),
        (Page("a", "u"), {"text_field": "text", "url_field": "address"}, "### u\na\n\n"),
    ],
)
def test_pages_are_written_with_a_header_of_one_line(item, options, expected):
    assert export(TextExporter, item, **options) == expected


@pytest.mark.parametrize("title", ["Nice---><script>x</script>", "a--!>", "---"])
def test_no_title_ends_the_comment_of_its_page(title):
    item = {"markdown": "a", "url": "u-", "web2text": {"title": title}}
    header, *rest = export(MarkdownExporter, item).split("\n")
    assert rest == ["", "a", "", ""]
    assert header.startswith("<!-- u- | ")
    assert header.endswith(" -->")
    assert "--" not in header[4:-3]


@pytest.mark.parametrize(
    ("item", "options", "expected"),
    [
        ({}, {}, "---\n---\n\na\n\n"),
        (
            {"web2text": {"title": "---\nt: u", "confidence": 0.5}},
            {},
            '---\ntitle: "--- t: u"\nconfidence: 0.5000\n---\n\na\n\n',
        ),
        ({"date": "2024-03-05", "language": "no"}, {}, '---\ndate: "2024-03-05"\nlanguage: "no"\n---\n\na\n\n'),
        (
            {"author": "Ada", "tags": ["b", "c"], "title": "no"},
            {},
            '---\nauthor: "Ada"\ntags: ["b", "c"]\n---\n\na\n\n',
        ),
        ({"day": "d", "date": "e"}, {"date_field": "day"}, '---\ndate: "d"\n---\n\na\n\n'),
        ({"url": "u"}, {"header": False}, "a\n\n"),
    ],
    ids=["nothing", "summary", "default fields", "other fields", "named field", "no header"],
)
def test_front_matter_has_what_the_item_has(item, options, expected):
    assert export(MarkdownExporter, {"markdown": "a", **item}, front_matter=True, **options) == expected


@pytest.mark.parametrize(
    ("value", "cell"),
    [
        ({"b": [float("nan"), float("inf"), 1.5, {2}]}, '{"b": [null, null, 1.5, "{2}"]}'),
        (["x", "y"], "x,y"),
        ([{"c": 1}], '[{"c": 1}]'),
        ({"e": "ä"}, '{"e": "ä"}'),
        (3, "3"),
    ],
    ids=["no-json", "texts", "list", "dict", "number"],
)
def test_cells_are_json_where_scrapy_has_no_text(value, cell):
    rows = export(JsonCellsCsvExporter, {"a": value})
    assert list(csv.reader(io.StringIO(rows)))[1] == [cell]


SURE = {"main_content": "one two three", "web2text": {"confidence": 0.8, "method": "model"}}
CHINESE = {"main_content": "港务长从黄昏起点亮四盏灯，在最后一班船进港之前"}
UNSET = {"methods": None, "min_words": None, "min_confidence": None, "max_confidence": None}


@pytest.mark.parametrize(
    ("options", "item", "cause"),
    [
        (None, SURE, None),
        (UNSET, {}, None),
        ({"min_confidence": 0.8}, SURE, None),
        ({"min_confidence": 0.81}, SURE, "min_confidence"),
        ({"min_confidence": 0.1}, {"web2text": {"confidence": "0.8"}}, "min_confidence"),
        ({"min_confidence": 0.1}, {"web2text": {"confidence": float("nan")}}, "min_confidence"),
        ({"min_confidence": 0.1}, {"web2text": {"confidence": None}}, "min_confidence"),
        ({"min_confidence": 0.9}, {"web2text": {"confidence": None, "method": "selector"}}, None),
        ({"max_confidence": 0.9}, {"web2text": {"confidence": None, "method": "fragment"}}, "max_confidence"),
        ({"min_confidence": 0.1}, {"web2text": {"confidence": None, "method": ["selector"]}}, "min_confidence"),
        ({"min_confidence": 0.5}, {"main_content": "one"}, "missing_field"),
        ({"max_confidence": 0.79}, SURE, "max_confidence"),
        ({"max_confidence": 0.1}, {"main_content": "x"}, None),
        ({"max_confidence": 0.5}, "not an item", None),
        ({"min_words": 3}, SURE, None),
        ({"min_words": 4}, SURE, "min_words"),
        ({"min_words": 1}, {"main_content": None}, "min_words"),
        ({"min_words": 2}, {"main_content": "\ud800 a b"}, None),
        ({"min_words": 20}, CHINESE, None),
        ({"min_words": 30}, CHINESE, "min_words"),
        ({"min_words": 2}, {"web2text": {}}, "missing_field"),
        ({"min_words": 1}, "not an item", "missing_field"),
        ({"min_words": 1, "text_field": "t", "summary_field": "s"}, {"t": "x", "s": 1}, None),
        ({"methods": ["rules", "model"]}, SURE, None),
        ({"methods": "rules"}, SURE, "methods"),
        ({"methods": "model"}, {"main_content": "x"}, "missing_field"),
        ({"methods": ("none",)}, {"web2text": {"method": "none"}}, None),
        ({"methods": ["model"]}, {"web2text": {"method": ["model"]}}, "methods"),
        ({"page_kinds": "content"}, {"web2text": {"page_kind": "content"}}, None),
        ({"page_kinds": ["index", "content"]}, {"web2text": {"page_kind": "login"}}, "page_kinds"),
        ({"page_types": ["article", "forum"]}, {"web2text": {"page_type": "forum"}}, None),
        ({"page_types": "article"}, {"web2text": {}}, "page_types"),
    ],
)
def test_items_are_selected_and_the_others_counted_by_cause(options, item, cause):
    item_filter = ContentFilter(options)
    assert item_filter.accepts(item) is (cause is None)
    assert item_filter.left_out == ({cause: 1} if cause else {})
    field = "'main_content'" if "min_words" in (options or {}) else "'web2text'"
    assert item_filter.left_out.advice == (
        f". Its filter reads the item field {field}" if cause == "missing_field" else ""
    )


def test_item_classes_are_selected_as_by_scrapy():
    item_filter = ContentFilter({"item_classes": [Page]})
    assert [item_filter.accepts(item) for item in (Page("a", "u"), SURE)] == [True, False]


METHODS = "methods: expected one or more of 'model', 'rules', 'fragment', .*, 'none', got "


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"min_confidence": 2}, "min_confidence: expected a number from 0 to 1, got 2"),
        ({"max_confidence": "high"}, "max_confidence: expected a number from 0 to 1, got 'high'"),
        ({"min_words": -1}, "min_words: expected a number of 0 or more, got -1"),
        (
            {"min_confidence": 0.7, "max_confidence": 0.3},
            "min_confidence: expected at most max_confidence, 0.3, got 0.7",
        ),
        ({"methods": ["modell"]}, METHODS + r"\['modell'\]"),
        ({"methods": "modell"}, METHODS + "'modell'"),
        ({"methods": 3}, METHODS + "3"),
        ({"methods": [["model"]]}, METHODS),
        ({"methods": []}, METHODS + r"\[\]"),
        ({"page_kinds": "wall"}, "page_kinds: expected one or more of 'content', 'index', .*, got 'wall'"),
        ({"page_types": "artcle"}, "page_types: expected one or more of 'article', .*, got 'artcle'"),
        ({"text_field": 3}, "text_field: expected the name of an item field, got 3"),
        ({"summary_field": ""}, "summary_field: expected the name of an item field, got ''"),
    ],
)
def test_impossible_limits_are_reported(options, message):
    with pytest.raises(ValueError, match=f"^FEEDS: {message}"):
        ContentFilter(options)


def test_impossible_limits_end_the_crawl_at_its_start(site: MockSite, tmp_path):
    settings = {"DOWNLOAD_HANDLERS": {"http": None, "https": None}}
    with pytest.raises(ValueError, match="FEEDS: methods: expected one or more of"):
        crawl_to_feed(site, tmp_path / "x.jsonl", settings, format="jsonlines", item_filter=FILTER, methods="modell")


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig", "utf-32"])
def test_the_byte_order_mark_is_written_once(encoding):
    file = io.BytesIO()
    exporter = TextExporter(file, encoding=encoding)
    for n in range(3):
        exporter.export_item({"main_content": f"größer {n} \ud800", "url": "u"})
    text = file.getvalue().decode(encoding)
    assert text == "".join(f"### u\ngrößer {n} ?\n\n" for n in range(3))
    assert "\ufeff" not in text


def test_the_addon_registers_the_exporters_and_keeps_those_of_the_user():
    settings = Settings({"FEED_EXPORTERS": {"csv": "my.Exporter"}})
    Addon().update_settings(settings)
    assert dict(settings["FEED_EXPORTERS"]) == {**FEED_EXPORTERS, "csv": "my.Exporter"}


READERS = {"json": json.loads, "jsonlines": json.loads, "pickle": pickle.loads, "marshal": marshal.loads}


def test_a_feed_of_any_format_has_plain_lists_of_blocks_and_paragraphs(site: MockSite, tmp_path):
    feeds = {str(tmp_path / form): {"format": form} for form in (*READERS, "csv", "xml")}
    crawl_to_feed(site, tmp_path, {"FEEDS": feeds, "WEB2TEXT_FIELDS": {"blocks": "blocks", "parts": "paragraphs"}})
    for form, read in READERS.items():
        item = read((tmp_path / form).read_bytes())
        item = item[0] if form == "json" else item
        assert type(item["blocks"]) is type(item["parts"]) is list
        assert any(SENTENCE in block["text"] for block in item["blocks"])
        assert any(SENTENCE in part["text"] for part in item["parts"])
    for form in ("csv", "xml"):
        feed = (tmp_path / form).read_text(encoding="utf-8")
        assert feed.count("probability") >= 5
        assert feed.count(SENTENCE) >= 4


def test_a_format_on_the_command_line_needs_the_documented_setting_and_the_pipeline_alone(site: MockSite, tmp_path):
    out = ["clean.md:web2text-markdown"]
    with pytest.raises(UsageError, match="Unrecognized output format"):
        feed_process_params_from_cli(Settings(ADDON), [], overwrite_output=out)
    (block,) = code_blocks("python", pages=("feeds.md",))[-1:]
    names = {}
    exec(block.text, names)
    settings = {"FEED_EXPORTERS": names["FEED_EXPORTERS"], "ITEM_PIPELINES": {Web2TextPipeline: 300}}
    (feed,) = feed_process_params_from_cli(Settings(settings), [], overwrite_output=out).values()
    crawl(spider_of(site.url("/article")), {**settings, "FEEDS": {str(tmp_path / "clean.md"): feed}})
    assert SENTENCE in (tmp_path / "clean.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("broken", ["jsonlines", "web2text-txt"])
def test_an_error_of_one_feed_costs_no_other_feed_an_item(site: MockSite, tmp_path, caplog, broken):
    class Broken(TextExporter):
        def export_item(self, item):
            raise ZeroDivisionError("on purpose")

    def parse(self, response):
        yield {"url": response.url, "n": 1, "when": object() if broken == "jsonlines" else None}
        yield {"url": response.url, "n": 2}

    kinds = ["jsonlines", "web2text-txt", "web2text-markdown", "csv", "web2text-parquet"]
    feeds = {str(tmp_path / kind): {"format": kind} for kind in kinds}
    exporters = {"web2text-txt": Broken} if broken == "web2text-txt" else {}
    settings = {**ADDON, "FEEDS": feeds, "FEED_EXPORTERS": exporters}
    result = crawl(spider_of(site.url("/article"), parse=parse), settings)
    assert len(result.items) == 2
    n_lost = {"jsonlines": 1, "web2text-txt": 2}[broken]
    assert result.web2text_stats["left_out/error"] == n_lost
    texts = {kind: (tmp_path / kind).read_text(encoding="utf-8", errors="replace") for kind in kinds}
    assert texts["jsonlines"].count(site.url("/article")) == (1 if broken == "jsonlines" else 2)
    assert texts["web2text-markdown"].count("<!-- ") == 2
    assert texts["csv"].count("\n" + site.url("/article")) == 2
    (error,) = [record for record in ours(caplog) if record.levelname == "ERROR"]
    assert error.getMessage().startswith(f"Feed {tmp_path / broken} cannot write the item {{'url': ")
    assert len(error.getMessage()) < 1_000
    assert error.exc_info is not None
    (report,) = [record for record in ours(caplog) if "it left out" in record.message or "is empty" in record.message]
    assert (report.levelname, f"(error {n_lost})" in report.message) == ("WARNING", True)


def test_each_reason_for_which_a_feed_cannot_write_items_is_an_error_once(site: MockSite, tmp_path, caplog):
    def parse(self, response):
        yield from ({"url": response.url, "n": value} for value in (object(), object(), object, Fraction(1), 5))

    crawl(spider_of(site.url("/article"), parse=parse), {**ADDON, "FEEDS": {tmp_path / "a": {"format": "jsonlines"}}})
    errors = [record.message.rpartition(": ")[2] for record in ours(caplog) if record.levelname == "ERROR"]
    kinds = ("object", "type", "Fraction")
    assert errors == [f"TypeError('Object of type {kind} is not JSON serializable')" for kind in kinds]


def read_table(path):
    return pytest.importorskip("pyarrow.parquet", reason="needs the extra parquet").read_table(path)


def test_a_feed_is_a_table_with_the_columns_of_an_answer(site: MockSite, tmp_path, caplog):
    from scrapy_web2text.batch.schema import answer_columns, arrow_schema

    site.add("/login", "<title>Log in</title><form>Please log in<input type=password></form>")
    settings = {**ADDON, "FEEDS": {str(tmp_path / "a.parquet"): {"format": "web2text-parquet"}}}
    result = crawl(spider_of(site.url("/article"), site.url("/login")), settings)
    table = read_table(tmp_path / "a.parquet")
    assert table.schema.equals(arrow_schema(answer_columns(Options())))
    rows = {row["url"]: row for row in table.to_pylist()}
    for url, item in result.by_url.items():
        assert rows[url]["text"] == item["main_content"]
        assert [block["text"] for block in rows[url]["blocks"]] == [block["text"] for block in item["blocks"]]
        for name in ("method", "confidence", "title", "page_kind", "reason"):
            assert rows[url][name] == item["web2text"][name]
        assert rows[url]["no_main_content"] is item["web2text"].get("no_main_content", False)
    assert [record for record in ours(caplog) if record.levelname != "INFO"] == []


def test_a_table_has_the_values_that_the_settings_write_and_the_fields_that_the_feed_names(site, tmp_path, caplog):
    def parse(self, response):
        yield {"link": response.url, "section": "news", "tags": ["a", "b"], "n": 7}

    fields = {"body": "text", "by": "author", "parts": "chunks", "head": "title"}
    chosen = ["url", "text", "section", "tags", "n", "chunks"]
    feeds = {"all": {"format": "web2text-parquet"}, "some": {"format": "web2text-parquet", "fields": chosen}}
    settings = {
        **ADDON,
        "FEEDS": {str(tmp_path / name): feed for name, feed in feeds.items()},
        "WEB2TEXT_FIELDS": fields,
        "WEB2TEXT_URL_FIELD": "link",
    }
    crawl(spider_of(site.url("/article"), parse=parse), settings)
    every, some = (read_table(tmp_path / name) for name in feeds)
    assert {"url", "text", "author", "chunks", "title"} < {*every.column_names}
    assert not {"blocks", "metadata", "html", "section", "date"} & {*every.column_names}
    (row,) = some.to_pylist()
    assert list(row) == chosen
    assert (row["url"], row["section"], row["tags"], row["n"]) == (site.url("/article"), "news", '["a", "b"]', "7")
    assert SENTENCE in row["text"]
    assert SENTENCE in row["chunks"][0]["text"]


def test_a_row_that_does_not_fit_costs_no_other(site: MockSite, tmp_path):
    def parse(self, response):
        yield {"url": response.url, "main_content": {"no": "text"}}
        yield {"url": response.url}
        yield {"url": "https://a.test/\ud800", "main_content": "own"}

    settings = {**ADDON, "FEEDS": {str(tmp_path / "a.parquet"): {"format": "web2text-parquet"}}}
    result = crawl(spider_of(site.url("/article"), parse=parse), settings)
    assert result.web2text_stats["left_out/error"] == 1
    rows = {row["url"]: row["text"] for row in read_table(tmp_path / "a.parquet").to_pylist()}
    assert SENTENCE in rows.pop(site.url("/article"))
    assert rows == {"https://a.test/\\ud800": "own"}


def test_a_table_without_rows_has_its_columns(site: MockSite, tmp_path):
    crawl_to_feed(site, tmp_path / "a", {"ITEM_PIPELINES": {Drop: 400}}, format="web2text-parquet", store_empty=True)
    table = read_table(tmp_path / "a")
    assert (table.num_rows, "text" in table.column_names) == (0, True)


class Drop:
    def process_item(self, item):
        raise DropItem


def test_a_table_without_its_extra_ends_the_crawl_at_its_start(monkeypatch):
    monkeypatch.setattr("scrapy_web2text.common.checks.find_spec", lambda name: None)
    crawler = get_crawler(spider_of(), {"FEEDS": {"a.parquet": {"format": "web2text-parquet"}}})
    with pytest.raises(ValueError, match=r"FEEDS: a.parquet: needs pip install 'scrapy-web2text\[parquet\]'"):
        CrawlExtractor(crawler)


def test_without_the_addon_csv_has_python_literals(site: MockSite, tmp_path):
    settings = {"ADDONS": {}, "ITEM_PIPELINES": {"scrapy_web2text.Web2TextPipeline": 300}}
    crawl_to_feed(site, tmp_path / "feed", settings, format="csv")
    assert (tmp_path / "feed").read_text(encoding="utf-8").count("'probability'") >= 5
