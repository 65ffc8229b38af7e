"""What is fuzzed: functions of bytes that raise if an oracle does not hold, with seeds and mutators."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import os
import random
import struct
import tempfile
import time
import zlib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args
from urllib.parse import quote

import numpy as np
from families import FAMILIES
from lxml import etree
from places import MODELS, PAGES, ROOT
from random_models import write_model
from scrapy.exporters import JsonLinesItemExporter
from scrapy.settings import Settings

from fuzz import call_targets as calls
from fuzz.input_targets import archive_seeds, mutate_archive, run_archives, run_sidecars, sidecar_seeds
from fuzz.mutators import amplify_html, mutate_bytes, mutate_html, mutate_json
from fuzz.oracles import check_answer, check_html, check_metadata, check_plain_data, find_danger, plain_answer
from scrapy_web2text.alignment.tokens import cover_leaves
from scrapy_web2text.batch.page_answers import PageWork, answer_page
from scrapy_web2text.content.arrangement import arrange_content
from scrapy_web2text.content.builder import build_document
from scrapy_web2text.content.content import select_content
from scrapy_web2text.content.escaping import drop_forbidden_characters
from scrapy_web2text.content.html import write_html
from scrapy_web2text.content.markdown import write_markdown
from scrapy_web2text.crawl.settings import Web2TextSettings
from scrapy_web2text.exceptions import ModelError, PageError
from scrapy_web2text.exporters import JsonCellsCsvExporter, MarkdownExporter, TextExporter
from scrapy_web2text.extraction import Label
from scrapy_web2text.extractor import Extractor
from scrapy_web2text.labelers import registry
from scrapy_web2text.metadata.title import find_headline
from scrapy_web2text.options import Choice, Options, Switch
from scrapy_web2text.page.arrays import tree_to_page
from scrapy_web2text.page.blocks import TEXT_LEAVES, segment
from scrapy_web2text.page.parse import to_tree
from scrapy_web2text.sources.pages import PageSources
from scrapy_web2text.sources.source import Source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


HOSTILE = ROOT / "tests" / "pages" / "hostile"
FORMS = {"html": True, "markdown": True, "paragraphs": True, "metadata": True}
LABELERS = ("web2text-2026", "web2text-2018", "shallow", "bte")
# How a page is labeled: by a labeler, or as a fragment.
WAYS = (*LABELERS, "fragment")
URL = "https://example.com/a/page.html"
CUT = b"\n=====\n"  # between the parts of an input that has several


@dataclass(frozen=True)
class Target:
    """A target.

    :param run: raises an exception if something does not hold for its input.
    :param seeds: returns inputs to begin with.
    :param mutate: returns a changed input.
    :param rooms: names of the rooms and modules of the package that it is for; a change of any of them is fuzzed in CI.
    :param longest: length of the longest input, in bytes.
    """

    run: Callable[[bytes], None]
    seeds: Callable[[], Iterable[bytes]]
    mutate: Callable[[bytes, random.Random], bytes]
    rooms: tuple[str, ...]
    longest: int = 1 << 12


# Of CPU time for metadata of a page of `longest` bytes, which take 0.1 s without instrumentation: only growth without
# bounds takes this long, on any machine.
MOST_SECONDS = 60


@cache
def _thread() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(1)


@cache
def _extractor(way: str) -> Extractor:
    options = {"fragment": True} if way == "fragment" else {"fragment": False, "model": way}
    return Extractor(**options, blocks="all", timeout=None, **FORMS)


def check_page(page: bytes | str | etree._Element, way: str, url: str | None = URL) -> None:
    """Check the answer for *page* in one of the `WAYS` in all its forms, and that another thread gives the same."""
    extractor = _extractor(way)
    answer = extractor.extract(page, url)
    check_answer(answer, page)
    again = _thread().submit(extractor.extract, page, url).result()
    assert plain_answer(again) == plain_answer(answer)


def run_extract(data: bytes) -> None:
    """Check the answer for a page; its bytes choose the labeler, the form of the page, and whether its URL is known."""
    choice = zlib.crc32(data)
    page: bytes | str | etree._Element = data
    if choice & 7 == 7:
        page = data.decode("utf-8", "surrogateescape")
    elif choice & 7 == 6:
        page = etree.HTML(data or b"<p>", etree.HTMLParser(encoding="utf-8"))
        if page is None:
            return
    check_page(page, WAYS[(choice >> 3) % len(WAYS)], URL if choice & 64 else None)


def run_limits(data: bytes) -> None:
    """Check the answer for a page under options that end or replace it, in any encoding; its bytes choose them."""
    pick = random.Random(zlib.crc32(data))
    options = Options(
        model=pick.choice(LABELERS),
        blocks="all",
        timeout=10 ** pick.uniform(-4, -1),
        max_blocks=pick.choice((None, 1, 5, 50)),
        fragment=pick.choice(("auto", True, False)),
        max_bytes=pick.choice((None, None, 500)),
        fallback=pick.choice(("shallow", "bte", None)),
        min_confidence=pick.choice((None, 0.5, 0.99)),
        languages=pick.choice(((), (), ("en",))),
        on_low_confidence=pick.choice(("flag", "fallback", "keep")),
        **FORMS,
    )
    encoding = pick.choice(
        (None, None, "utf-8", "utf-16", "shift_jis", "gb18030", "cp037", "idna", "unicode_escape", "")
    )
    try:
        page = to_tree(data, encoding=encoding)
    except PageError:
        page = data
    source = replace(Source.of(data, URL), encoding=encoding)  # servers state encodings that do not exist
    check_answer(Extractor(options).extract(source), page)


def run_markdown(data: bytes) -> None:
    """Check HTML and Markdown of a page whose blocks are all content; its bytes choose the switches of the output."""
    pick = random.Random(zlib.crc32(data))
    switches = {name: pick.choice(get_args(Switch)) for name in ("links", "images", "tables")}
    options = Options(title=pick.choice(get_args(Choice)), **switches)
    try:
        page = tree_to_page(to_tree(data))
    except PageError:
        return
    blocks = segment(page, TEXT_LEAVES)
    labels = np.full(blocks.n_blocks, Label.CONTENT, dtype=np.int64)
    content = select_content(page, blocks, labels, url=URL, options=options)
    document = build_document(arrange_content(content, find_headline(page.landmarks)))
    check_html(write_html(document))
    assert find_danger(write_markdown(document)) == []


def run_metadata(data: bytes) -> None:
    """Check the metadata of a page, that they take little time, and that they are not longer than the page by much."""
    extractor = _metadata_extractor()
    start = time.thread_time()
    answer = extractor.extract(data, URL)
    seconds = time.thread_time() - start
    check_plain_data(answer)
    check_metadata(answer)
    assert answer.error is None
    assert len(json.dumps(answer.field("metadata"))) <= 20 * len(data) + 10_000
    assert seconds < MOST_SECONDS, f"{seconds:.1f} s of CPU time for {len(data):,} bytes"


@cache
def _metadata_extractor() -> Extractor:
    return Extractor(model="shallow:numwords", metadata=True, blocks="none", timeout=None)


def run_alignment(data: bytes) -> None:
    """Check how much of each text of a page is found in its clean text."""
    page, _, clean = data.partition(CUT)
    texts, text = page.decode("utf-8", "replace").split("\n"), clean.decode("utf-8", "replace")
    coverage = cover_leaves(texts, text)
    assert coverage.n_covered.shape == coverage.n_tokens.shape == (len(texts),)
    assert (coverage.n_covered >= 0).all()
    assert (coverage.n_covered <= coverage.n_tokens).all()
    assert 0 <= coverage.coverage <= 1
    assert (cover_leaves(texts, text).n_covered == coverage.n_covered).all()


def run_models(data: bytes) -> None:
    """Check that a model folder is refused or gives answers. Input: its name and one of its files, and the content."""
    head, _, content = data.partition(b"\n")
    name, _, file = head.decode("utf-8", "replace").partition(" ")
    if name not in _model_files() or file not in ("manifest", "weights"):
        return
    manifest, weights = _model_files()[name]
    with tempfile.TemporaryDirectory() as folder:
        if file == "weights":
            weights = content
            digest = {"file": "weights.safetensors", "sha256": hashlib.sha256(weights).hexdigest()}
            content = json.dumps(json.loads(manifest) | {"weights": digest}).encode()
        Path(folder, "manifest.json").write_bytes(content)
        Path(folder, "weights.safetensors").write_bytes(weights)
        page = PAGES[0].read_bytes()
        try:
            extractor = Extractor(model=folder, blocks="all", **FORMS, fallback=None)
        except ModelError:
            return
        finally:
            registry._loaded.clear()
        check_answer(extractor.extract(page), page)


@cache
def _model_files() -> dict[str, tuple[bytes, bytes]]:
    """Return the manifest and the weights of small models by name."""
    with tempfile.TemporaryDirectory() as folder:
        write_model(Path(folder))
        folders = {"random": Path(folder)}
        folders |= {"web2text-2026": MODELS / "web2text-2026"}
        return {
            name: ((path / "manifest.json").read_bytes(), (path / "weights.safetensors").read_bytes())
            for name, path in folders.items()
        }


def run_feeds(data: bytes) -> None:
    """Check what feeds hold for a page with any file name, URL and title. Input: these three, and the page."""
    name, url, title, page = (data.split(CUT, 3) + [b""] * 3)[:4]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(os.fsdecode(name.translate(None, b"/\0"))[:50] + ".html")
        Path(folder, path).write_bytes(page)
        work = PageWork(PageSources(Options(blocks="none", html=True, metadata=True)))
        line = answer_page({"path": path.as_posix()}, Path(folder, path), work).json
    assert line.index("\n") == len(line) - 1
    assert json.loads(line.encode("utf-8"))["path"] == path.as_posix()
    answer = _extractor("shallow").extract(page)
    _check_feeds(
        {
            "url": quote(url, safe="/:?#[]@!$&'()*+,;=%<>\" -|`"),
            "main_content": answer.text,
            "markdown": answer.markdown,
            "web2text": {"title": drop_forbidden_characters(title.decode("utf-8", "replace"))},
            "blocks": answer.field("blocks"),
        }
    )


def _check_feeds(item: dict[str, Any]) -> None:
    """Check that each feed of one *item* is read as one item."""
    feeds = {exporter: _export(exporter, item) for exporter in (JsonLinesItemExporter, JsonCellsCsvExporter)}
    assert json.loads(feeds[JsonLinesItemExporter]) == item
    header, row = csv.reader(io.StringIO(feeds[JsonCellsCsvExporter], newline=""))
    assert header == list(item)
    assert json.loads(row[header.index("blocks")] or "[]") == item["blocks"]
    text = _export(TextExporter, item)
    assert not item["main_content"] or text.endswith(f"\n{item['main_content']}\n\n")
    assert not item["main_content"] or text.count("\n") == item["main_content"].count("\n") + 3
    markdown = _export(MarkdownExporter, item)
    assert [found for found in find_danger(markdown) if not _is_comment(found)] == []


def _is_comment(html: str) -> bool:
    """Return whether *html* is a single comment on one line, as the header of a page is."""
    return (
        html.startswith("<!-- ") and html.rstrip("\n").endswith(" -->") and html.count("-->") == html.count("<!--") == 1
    )


def _export(exporter: type[Any], item: dict[str, Any]) -> str:
    file = io.BytesIO()
    made = exporter(file)
    made.start_exporting()
    made.export_item(item)
    made.finish_exporting()
    return file.getvalue().decode("utf-8")


def run_settings(data: bytes) -> None:
    """Check that settings, and options of a request, are refused by a ValueError or give answers. Input: JSON."""
    try:
        values = json.loads(data)
        given = {f"WEB2TEXT_{name}".upper(): value for name, value in values["settings"].items()}
        meta = values["meta"]
    except (ValueError, RecursionError, TypeError, KeyError, AttributeError):
        return
    try:
        settings = Web2TextSettings.from_settings(Settings(given), values.get("spider"))
        options = settings.read_meta({"web2text": meta}, URL).options
        extractor = Extractor(options)
    except (ValueError, ModelError):
        return
    answer = extractor.extract(PAGES[0].read_bytes(), URL)
    assert answer.error is None
    json.dumps(answer.to_dict(), allow_nan=False).encode()


def _settings_seeds() -> list[bytes]:
    options = {field.name: getattr(Options(), field.name) for field in fields(Options)}
    sites = {"example.com": {"threshold": 0.7, "include": ["article"]}}
    seeds = [{"settings": options, "spider": {"threshold": "recall"}, "meta": {"title": "include"}}]
    seeds += [{"settings": {name: value}, "spider": {}, "meta": {name: value}} for name, value in options.items()]
    return [json.dumps(seed).encode() for seed in [*seeds, {"settings": {"sites": sites}, "meta": True}]]


def html_seeds() -> list[bytes]:
    """Return the handwritten pages and the hostile ones, and one of formulas that begin a link."""
    formula = b"<script>MathJax</script><p>a <math><mo>[</mo></math> <img class=tex alt='['> \\([\\) b](data:a)"
    return [formula, *(path.read_bytes() for path in (*PAGES, *sorted(HOSTILE.glob("*.html"))))]


def _family_seeds() -> list[bytes]:
    """Return a small page of each family of hostile pages."""
    return [family.write(2_500) for family in FAMILIES.values()]


def _metadata_seeds() -> list[bytes]:
    graph = '{"@graph":[{"@type":"Article","author":[{"@id":"z"},{"@id":"z"}]},{"@id":"z","name":["Ada","Ben"]}]}'
    offers = '{"@type":"Product","name":"x","offers":[{"price":"1.000,5","priceType":[["SalePrice"]]}], } // x'
    scripts = "".join(f"<script type=application/ld+json>{script}</script>" for script in (graph, offers))
    scope = "<div itemscope itemtype=Article itemprop=author itemref='a b' id=a><a itemprop='name name' href=/x>Ada, "
    return [*html_seeds(), *_family_seeds(), f"<title>x</title>{scripts}".encode(), (scope * 9).encode()]


def _model_seeds() -> list[bytes]:
    files = [(name, *contents) for name, contents in _model_files().items()]
    manifests = [f"{name} manifest\n".encode() + manifest for name, manifest, _ in files]
    return manifests + [f"{name} weights\n".encode() + weights for name, _, weights in files if len(weights) < 1 << 15]


def _mutate_model(data: bytes, choice: random.Random) -> bytes:
    head, _, content = data.partition(b"\n")
    if head.endswith(b" weights") and len(content) > 8:
        size = 8 + min(int.from_bytes(content[:8], "little"), len(content) - 8)
        at = choice.randrange(size, max(size + 1, len(content) - 4))
        value = choice.choice((float("nan"), float("inf"), 3e38, -3e38, 1e-40, 0.0, 1e6))
        header = content[8:size]
        if choice.random() < 0.5:
            header = mutate_json(header, choice)
        tensors = content[size:at] + struct.pack("<f", value) + content[at + 4 :]
        return head + b"\n" + len(header).to_bytes(8, "little") + header + tensors
    return head + b"\n" + mutate_json(content, choice)


def _mutate_parts(data: bytes, choice: random.Random) -> bytes:
    parts = data.split(CUT)
    i = choice.randrange(len(parts))
    parts[i] = mutate_html(parts[i], choice)
    return CUT.join(parts)


_EXTRACTION = ("page", "features", "labelers", "verdicts", "content", "posts", "answer")
_INPUTS = ("sources", "batch")

TARGETS = {
    "archives": Target(run_archives, archive_seeds, mutate_archive, _INPUTS, longest=1 << 16),
    "sidecars": Target(run_sidecars, sidecar_seeds, mutate_bytes, _INPUTS),
    "metadata": Target(run_metadata, _metadata_seeds, amplify_html, ("metadata",), longest=1 << 15),
    "sizes": Target(run_extract, _family_seeds, amplify_html, _EXTRACTION, longest=1 << 15),
    "extract": Target(run_extract, html_seeds, mutate_html, (*_EXTRACTION, "common", "extractor", "extraction")),
    "limits": Target(run_limits, html_seeds, mutate_html, ("page", "answer", "options")),
    "models": Target(run_models, _model_seeds, _mutate_model, ("labelers",), longest=1 << 15),
    "settings": Target(run_settings, _settings_seeds, mutate_json, ("options", "crawl")),
    "alignment": Target(
        run_alignment,
        lambda: [
            b"\n".join(text.encode() for text in tree_to_page(to_tree(path.read_bytes())).texts)
            + CUT
            + path.with_suffix(".txt").read_bytes()
            for path in PAGES
        ],
        _mutate_parts,
        ("alignment",),
    ),
    "markdown": Target(run_markdown, html_seeds, mutate_html, ("content",)),
    "feeds": Target(
        run_feeds,
        lambda: [CUT.join([b"a", URL.encode(), b"A title", page]) for page in html_seeds()],
        _mutate_parts,
        ("batch", "exporters", "content"),
    ),
    "selectors": Target(calls.run_selectors, calls.selector_seeds, calls.mutate_lines, ("common",)),
    "urls": Target(calls.run_urls, calls.url_seeds, calls.mutate_lines, ("crawl", "sources"), longest=1 << 15),
    "labels": Target(calls.run_labels, calls.label_seeds, mutate_json, ("labels",)),
    "answers": Target(calls.run_answers, calls.answer_seeds, mutate_json, ("workers",)),
    "requests": Target(calls.run_requests, calls.request_seeds, mutate_bytes, ("view",), longest=1 << 13),
}
