"""The examples in docs/ and the README run, and give the output shown there."""

from __future__ import annotations

import ast
import json
import logging
import re
import shlex
from argparse import ArgumentParser
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import scrapy
from documents import DOCS, CodeBlock, code_blocks, is_settings, section
from itemadapter import ItemAdapter
from mockserver import SENTENCE, MockSite, article, crawl
from scrapy import Spider
from scrapy.settings import Settings
from scrapy.spiders import CrawlSpider

from scrapy_web2text import Extraction, Web2TextSettings, chunk_paragraphs, extract
from scrapy_web2text.answer.summary import Summary
from scrapy_web2text.cli import batch, diff, label, rule, serve, tune, view
from scrapy_web2text.cli import evaluate as evaluation
from scrapy_web2text.cli import extract as extract_command
from scrapy_web2text.cli import main as cli
from scrapy_web2text.commands import Web2TextCommand
from scrapy_web2text.evaluation.corpora import read_split
from scrapy_web2text.labelers.weights import find_model, load_model
from scrapy_web2text.options import DEFAULT_MODEL

if TYPE_CHECKING:
    from collections.abc import Iterator

ADDONS = {"scrapy_web2text.Addon": 300}
SITE = "https://example.com"
URL = "https://harbour.example/lamp-oil"
# Servers and models that tests do not have.
NOT_HERE = ("scrapy_playwright.", "spidermon.", "scrapy_redis.", "s3://", "trained", "my-site")
# In tests/spark, tests/adapters, tests/components and test_retrieval.py, where these are installed.
CLUSTERS = (
    *("from pyspark", "import dask", "import ray", "_web2text.adapters", "spidermon", "prometheus_client"),
    *("import BaseDocumentTransformer", "haystack", "llama_index"),
)
PAGES = (*sorted(path.name for path in DOCS.glob("*.md")), "../README.md")
ROOT = DOCS.parent


def kind_of(block: CodeBlock) -> str:
    """Return the kind of example that a block of Python is checked as."""
    if block.page.endswith("README.md") and "…" in block.text:
        return "sketch"  # of an item, with parts left out
    statements = ast.parse(block.text).body
    if is_settings(block.text):
        return "settings"
    if any(isinstance(s, ast.ClassDef) and any(ast.unparse(b).endswith("Spider") for b in s.bases) for s in statements):
        return "spider"
    return "item" if isinstance(statements[0], ast.Expr) and isinstance(statements[0].value, ast.Dict) else "script"


BLOCKS = [(kind_of(block), block) for block in code_blocks("python", pages=PAGES)]


def examples(kind: str, *, without: tuple[str, ...] = ()) -> Any:
    """Return a mark that runs a test with each example of a *kind* that contains none of the strings *without*."""
    chosen = [block for found, block in BLOCKS if found == kind and not any(name in block.text for name in without)]
    return pytest.mark.parametrize("block", chosen, ids=[block.id for block in chosen])


def run(block: CodeBlock, folder: Path, site: MockSite | None = None, **names: Any) -> dict[str, Any]:
    """Run the code of a block as a file in *folder*, on the local site in place of a public one; return its names."""
    code = block.text
    if site is not None:
        for path in {*re.findall(rf"{SITE}(/[\w/-]*)", code), *re.findall(r'follow\("(/\w+)"', code)}:
            site.add(path, article())
        code = code.replace(SITE, site.url("")).replace('["example.com"]', '["127.0.0.1"]')
    file = folder / "example.py"
    file.write_text(code, encoding="utf-8")  # Scrapy looks at the source of callbacks
    names |= {"__name__": "example"}
    exec(compile(code, file, "exec"), names)
    return names


def read_settings(block: CodeBlock, folder: Path) -> dict[str, Any]:
    (folder / "sites.toml").write_text('["example.com"]\nexclude = ".promo"\n', encoding="utf-8")
    return {name: value for name, value in run(block, folder).items() if name.isupper()}


FORMATS = {"all.json": "json", "all.xml": "xml", "all.csv": "csv", "all.parquet": "web2text-parquet"}


def quickstart_settings(folder: Path) -> dict[str, Any]:
    """Return the settings that a reader of the quickstart has in the project."""
    (block,) = [block for kind, block in BLOCKS if kind == "settings" and block.page == "quickstart.md"]
    (folder / "project").mkdir()
    return read_settings(block, folder / "project")


def errors(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR]


def texts(items: list[Any]) -> str:
    return json.dumps([ItemAdapter(item).asdict() for item in items], default=str)


def test_there_are_examples_of_every_kind():
    assert {kind for kind, _ in BLOCKS} == {"settings", "spider", "script", "item", "sketch"}
    assert len(BLOCKS) > 30


@examples("settings")
def test_settings_are_read_without_a_warning(block, tmp_path, monkeypatch, caplog):
    monkeypatch.chdir(tmp_path)
    Web2TextSettings.from_settings(Settings(read_settings(block, tmp_path)))
    assert caplog.messages == []


@examples("settings", without=NOT_HERE)
def test_a_crawl_with_these_settings_finds_the_text(block, site: MockSite, tmp_path, monkeypatch, caplog):
    monkeypatch.chdir(tmp_path)
    settings = read_settings(block, tmp_path)
    if "ITEM_PIPELINES" not in settings:
        usual = quickstart_settings(tmp_path)
        settings = {**usual, **settings, "FEEDS": settings.get("FEEDS", {}) | usual["FEEDS"]}
    if "web2text-markdown" in block.text:
        settings.setdefault("WEB2TEXT_FIELDS", {"markdown": "markdown", "web2text": "summary", "main_content": "text"})

    class Pages(Spider):
        name = "pages"
        start_urls = (site.url("/article"),)

        def parse(self, response):
            yield {"url": response.url}

    result = crawl(Pages, settings)
    assert SENTENCE in texts(result.items)
    assert errors(caplog) == []
    for name, feed in settings.get("FEEDS", {}).items():
        # The extractor is sure of this page.
        assert (tmp_path / (name % {"batch_id": 1})).stat().st_size > 50 or "max_confidence" in feed


@examples("spider")
def test_a_spider_runs_in_the_project_of_the_quickstart_and_its_items_have_the_text(
    block, site: MockSite, tmp_path, monkeypatch, caplog
):
    if "zyte_common_items" in block.text:
        pytest.importorskip("zyte_common_items")
    monkeypatch.chdir(tmp_path)
    site.add("/terms", article())  # each article links to it
    names = run(block, tmp_path, site, scrapy=scrapy)
    classes = [value for value in names.values() if isinstance(value, type) and value.__module__ == "example"]
    (spider,) = [value for value in classes if issubclass(value, Spider)]
    Web2TextSettings.from_settings(Settings(spider.custom_settings or {}), getattr(spider, "web2text", None))
    if not hasattr(spider, "start_urls") and "start" not in vars(spider):
        return  # an excerpt, to show the attribute
    assert spider.parse is not Spider.parse or issubclass(spider, CrawlSpider)
    feeds = {path: {"format": kind} for path, kind in FORMATS.items()}
    settings = quickstart_settings(tmp_path)
    result = crawl(spider, {**settings, "FEEDS": settings["FEEDS"] | feeds})
    assert SENTENCE in texts(result.items)
    assert (errors(caplog), result.errors) == ([], [])
    lines = (tmp_path / "clean.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(lines) == len(result.items) == (tmp_path / "all.xml").read_text(encoding="utf-8").count("<item>")
    assert SENTENCE in "".join(lines)
    assert "left_out/error" not in result.web2text_stats
    assert not {"ignored_options", "skipped/no_response"} & set(result.web2text_stats)


def test_the_first_spider_follows_only_links_that_scrapy_can_request(site: MockSite, tmp_path, caplog):
    (block,) = [block for kind, block in BLOCKS if kind == "spider" and block.page == "quickstart.md"]
    spider = run(block, tmp_path, site)["NewsSpider"]
    links = ("mailto:a@b.example", "tel:1", "javascript:x()", "https://other.example/", "/data.json", "/story")
    site.add("/", "<a>Top</a>" + "".join(f'<a href="{link}">A link</a>' for link in links))
    site.add("/data.json", '{"a": 1}', content_type="application/json")
    site.add("/story", f"<p>{SENTENCE}")
    result = crawl(spider, {"ADDONS": ADDONS})
    assert {item["url"] for item in result.items} == {site.url("/data.json"), site.url("/story")}
    assert (errors(caplog), result.errors) == ([], [])


@examples("script", without=CLUSTERS)
def test_a_script_runs(block, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "story.html").write_text(article(), encoding="utf-8")
    (tmp_path / "lamp-oil.html").write_text(lamp_oil(), encoding="utf-8")
    run(block, tmp_path, html=article())
    printed = capsys.readouterr().out
    assert ("The old bridge" in printed) == ("print(" in block.text)


# The page of output.md.


def lamp_oil() -> str:
    (block,) = code_blocks("html", pages=("output.md",))[:1]
    return block.text


@pytest.fixture(scope="module")
def lamp_oil_answer() -> Extraction:
    forms = {"html": True, "markdown": True, "paragraphs": True, "metadata": True}
    return extract(lamp_oil().encode(), url=URL, **forms)


def shown(heading: str, fence: str = "```") -> str:
    """Return the first code block below a heading of output.md."""
    found = re.search(rf"^{fence}\w+\n(.*?)\n{fence}$", section("output.md", heading), re.MULTILINE | re.DOTALL)
    assert found is not None
    return found[1]


def assert_same(written: Any, actual: Any) -> None:
    """Compare the output shown on a page with the real output; numbers to the digits shown."""
    assert type(written) is type(actual)
    if isinstance(written, dict):
        assert list(written) == list(actual)
        for key, value in written.items():
            assert_same(value, actual[key])
    elif isinstance(written, str) and written.endswith("…"):
        assert actual.startswith(written[:-1])
    else:
        assert written == (pytest.approx(actual, abs=0.0051) if isinstance(actual, float) else actual)


def test_the_text_and_the_forms_are_as_shown(lamp_oil_answer):
    assert shown("Text") == lamp_oil_answer.text
    assert shown("HTML") == lamp_oil_answer.html
    assert shown("Markdown", "````") == lamp_oil_answer.markdown


def test_paragraphs_block_and_metadata_are_as_shown(lamp_oil_answer):
    assert len(lamp_oil_answer.paragraphs) == 12
    assert "The second of twelve" in section("output.md", "Paragraphs")
    assert_same(json.loads(shown("Paragraphs")), lamp_oil_answer.paragraphs[1].to_dict())
    assert_same(json.loads(shown("Chunks")), chunk_paragraphs(lamp_oil_answer.paragraphs, max_words=60)[1].to_dict())
    first = next(block for block in lamp_oil_answer.field("blocks") if block["label"] == "content")
    assert_same(json.loads(shown("Blocks")), first)
    assert_same(json.loads(shown("Metadata")), lamp_oil_answer.field("metadata"))


@examples("item")
def test_the_item_is_as_shown(block, lamp_oil_answer):
    item = ast.literal_eval(block.text)
    blocks = [block for block in lamp_oil_answer.field("blocks") if block["label"] == "content"]
    assert item.pop("url") == lamp_oil_answer.url
    assert_same(item.pop("main_content"), lamp_oil_answer.text)
    for written, actual in zip(item["blocks"], blocks, strict=False):
        assert_same(written, actual)
    assert len(item.pop("blocks")) + 11 == len(blocks)
    assert_same(item, {"web2text": lamp_oil_answer.summary})


# Commands.


def commands() -> Iterator[tuple[CodeBlock, list[str]]]:
    for block in code_blocks("console", pages=PAGES):
        for line in re.findall(r"^\$ (.*)$", block.text, re.MULTILINE):
            yield block, shlex.split(line, comments=True)


def command_lines(*beginning: str) -> Any:
    found = [words[len(beginning) :] for _, words in commands() if words[: len(beginning)] == list(beginning)]
    return pytest.mark.parametrize("arguments", found, ids=[" ".join(words) for words in found])


@command_lines("web2text")
def test_a_command_line_is_understood(arguments, monkeypatch):
    places = [extract_command, batch, view, diff, label, evaluation, rule, serve, tune]
    if arguments[0] == "train":
        from scrapy_web2text.cli import train

        places.append(train)
    asked = []
    for place in places:
        monkeypatch.setattr(place, "run", lambda args: asked.append(args) or 0)
    assert cli.main(arguments) == 0
    assert len(asked) == 1


@command_lines("scrapy", "web2text")
def test_a_command_line_for_scrapy_is_understood(arguments):
    command, parser = Web2TextCommand(), ArgumentParser(exit_on_error=False)
    command.settings = Settings()
    parser.add_argument("pages", nargs="+")
    command.add_options(parser)
    args = parser.parse_args(arguments)
    given = dict(pair.split("=", 1) for pair in args.set)
    Web2TextSettings.from_settings(Settings(given))
    assert set(given) <= {f"WEB2TEXT_{name.upper()}" for name in ("threshold",)}


# Claims in the prose, the line in the log, the recipe for a custom model, and links.


def test_two_words_give_an_empty_text_and_a_sentence_does_not():
    text = " ".join(section("troubleshooting.md", "Small pages").split())
    (page,) = re.findall(r'`extract\("(.*)"\)` is empty, a sentence is not', text)
    assert extract(page).text == ""
    assert extract("<p>A sentence that is alone on a page is its main text.</p>").text


def test_the_threshold_of_the_default_model_is_as_written():
    threshold = load_model(find_model(DEFAULT_MODEL)).manifest["threshold"]
    assert f"the model's own ({threshold} for `{DEFAULT_MODEL}`)" in " ".join(
        section("settings.md", "WEB2TEXT_THRESHOLD").split()
    )


def test_the_line_at_the_end_of_a_crawl_is_as_shown():
    summary = Summary()
    for method, reason, n_pages in (("model", None, 1196), ("rules", "empty", 8)):
        for _ in range(n_pages):
            summary.add(method, reason, 0.91, 0.0113)
    summary.add("model", None, 0.31, 0.0113, no_content="login")
    for reason in ("status", "status", "not_html"):
        summary.count("skipped", reason)
    (line,) = [block.text for block in code_blocks("text", pages=("quickstart.md",)) if "Main content of" in block.text]
    assert line == f"[scrapy_web2text.crawl.journal] INFO: Main content of news: {summary}\n"


def test_the_recipe_for_a_custom_model_is_valid(tmp_path):
    from scrapy_web2text.training.modern.recipe import ModernRecipe
    from scrapy_web2text.training.recipe import read_recipe

    shipped = (ROOT / "models" / "web2text-2026" / "recipe.toml").read_text(encoding="utf-8")
    (lines,) = [block.text for block in code_blocks("toml", pages=("tuning.md",)) if "corpora =" in block.text]
    (splits,) = [block.text for block in code_blocks("json", pages=("tuning.md",)) if "train" in block.text]
    own_lines = r"^(?:name|val|readings) = .*\n|^corpora = \[\n(?:.*\n)*?\]\n"
    (tmp_path / "recipe.toml").write_text(lines + re.sub(own_lines, "", shipped, flags=re.MULTILINE), encoding="utf-8")
    (tmp_path / "splits.json").write_text(splits, encoding="utf-8")
    recipe = read_recipe(ModernRecipe, tmp_path / "recipe.toml")
    assert (recipe.name, recipe.val, recipe.readings.files) == ("mine", "mine", ())
    assert [read_split(tmp_path / "splits.json", recipe.val, part)[-1] for part in ("train", "val")] == ["0003", "0004"]
