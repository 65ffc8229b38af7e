"""Pages of whole crawls that are kept in a folder."""

from __future__ import annotations

import errno
import gzip
import json
import os
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mockserver import ADDON, SENTENCE, article, crawl, spider_of
from scrapy import Request, Spider
from scrapy.utils.test import get_crawler

from scrapy_web2text import extract
from scrapy_web2text.cli.main import main
from scrapy_web2text.crawl import snapshot
from scrapy_web2text.crawl.extractor import CrawlExtractor
from scrapy_web2text.crawl.snapshot import Snapshot, name_page, pack_page
from scrapy_web2text.options import Options
from scrapy_web2text.sources.files import facts_path, read_kept_url

URL = "https://x.example/a"


def list_files(folder):
    """Return the files of pages."""
    files = (path for path in folder.rglob("*") if path.is_file() and path.name != "settings.json")
    return sorted(path.relative_to(folder).as_posix() for path in files)


def test_a_crawl_keeps_the_pages_that_it_extracts(site, tmp_path):
    folder = tmp_path / "new" / "pages"
    story = "Die alte Brücke über den Fluss wurde im Frühling von den Bürgern der Stadt wieder aufgebaut. "
    urls = [
        site.add("/a", article()),
        site.add("/b", article(story).encode("latin-1"), content_type="text/html; charset=latin-1"),
        site.add("/c.png", b"\x89PNG\r\n\x1a\n", content_type="image/png"),
    ]
    settings = {**ADDON, "WEB2TEXT_SNAPSHOT_DIR": str(folder), "WEB2TEXT_EXECUTOR": "process"}
    result = crawl(spider_of(*urls), settings)
    assert len(result.items) == 3
    assert result.web2text_stats["snapshots/kept"] == 2
    kept = [folder / name_page(url) for url in urls[:2]]
    assert [*map(read_kept_url, kept)] == urls[:2]
    assert gzip.decompress(kept[0].read_bytes()) == article().encode()
    assert list_files(folder) == sorted(
        f"{name_page(url).as_posix()}{suffix}" for url in urls[:2] for suffix in ("", ".json")
    )
    again = crawl(spider_of(*urls[:2]), settings)
    assert again.web2text_stats["snapshots/known"] == 2


def test_all_commands_read_the_pages_with_their_urls(site, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    urls = [site.add(f"/{n}", article(f"{SENTENCE} {n}. ")) for n in range(2)]
    settings = {**ADDON, "FEEDS": {"feed.jsonl": {"format": "jsonlines"}}, "WEB2TEXT_SNAPSHOT_DIR": "pages"}
    crawl(spider_of(*urls), settings)
    model = ("--model", "shallow:numwords")
    assert main(["batch", "pages", "--out", "batch.jsonl", "--jobs", "1", *model]) == 0
    lines = [json.loads(line) for line in (tmp_path / "batch.jsonl").read_text(encoding="utf-8").splitlines()]
    assert sorted(line["url"] for line in lines) == urls
    assert json.loads((tmp_path / "pages" / "settings.json").read_bytes())["settings"]["model"] == "shallow:numwords"
    assert main(["diff", "feed.jsonl", "batch.jsonl"]) == 0
    assert len(re.findall(r"^pages in both +2$", capsys.readouterr().out, re.MULTILINE)) == 1
    assert main(["view", "pages", *model]) == 0
    assert all(url in (tmp_path / "view.html").read_text(encoding="utf-8") for url in urls)


def test_a_page_is_kept_once_however_often_it_is_extracted(site, tmp_path):
    url = site.add("/a", article())

    class Pages(Spider):
        name = "pages"

        async def start(self):
            yield Request(url, meta={"web2text": {"in_middleware": True}})

        def parse(self, response):
            response.meta["web2text"]["threshold"] = 0.9
            yield {"url": response.url}

    result = crawl(Pages, {**ADDON, "WEB2TEXT_SNAPSHOT_DIR": str(tmp_path)})
    assert result.web2text_stats["snapshots/kept"] == 1
    assert "snapshots/known" not in result.web2text_stats


def test_a_full_disk_costs_no_item(site, tmp_path, monkeypatch, caplog):
    def fail(path, data, **_):
        if path.name.endswith(".gz"):
            raise OSError(errno.ENOSPC, "No space left on device")
        path.write_bytes(data)

    monkeypatch.setattr(snapshot, "replace_file", fail)
    urls = [site.add(f"/{n}", article()) for n in range(3)]
    result = crawl(spider_of(*urls), {**ADDON, "WEB2TEXT_SNAPSHOT_DIR": str(tmp_path)})
    assert all(SENTENCE in item["main_content"] for item in result.items)
    assert (len(result.items), result.web2text_stats["snapshots/failed"]) == (3, 3)
    warnings = [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]
    assert sum("in the snapshot: OSError(28" in message for message in warnings) == 1
    assert list_files(tmp_path) == []


def test_the_folder_does_not_grow_beyond_its_limit(site, tmp_path, caplog):
    urls = [site.add(f"/{n}", article()) for n in range(5)]
    settings = {**ADDON, "WEB2TEXT_SNAPSHOT_DIR": str(tmp_path), "WEB2TEXT_SNAPSHOT_BYTES": 1_000}
    stats = crawl(spider_of(*urls), settings).web2text_stats
    assert stats["snapshots/kept"] + stats["snapshots/full"] == 5
    size = sum((tmp_path / name).stat().st_size for name in list_files(tmp_path))
    assert 0 < size <= 1_000
    assert sum("as large as WEB2TEXT_SNAPSHOT_BYTES allows" in message for message in caplog.messages) == 1
    kept = [url for url in urls if (tmp_path / name_page(url)).exists()]
    assert crawl(spider_of(*kept), settings).web2text_stats["snapshots/known"] == len(kept)
    assert crawl(spider_of(site.add("/9", article())), settings).web2text_stats["snapshots/full"] == 1


def test_without_a_limit_and_with_other_files_in_the_folder(tmp_path):
    (tmp_path / "notes.txt").write_bytes(b"x" * 100)
    assert Snapshot(tmp_path, None, Options()).keep(URL, b"<p>a</p>", None) == "kept"
    assert Snapshot(tmp_path, 10, Options()).keep(f"{URL}2", b"<p>a</p>", None) == "full"
    assert Snapshot(tmp_path, 10_000, Options()).keep(URL, b"<p>b</p>", None) == "known"


def test_options_that_cannot_be_written_cost_their_record_alone(tmp_path):
    assert Snapshot(tmp_path, None, Options(max_bytes=np.int64(5))).keep(URL, b"<p>a</p>", None) == "kept"
    assert not (tmp_path / "settings.json").exists()
    (tmp_path / "settings.json").mkdir()
    assert Snapshot(tmp_path, None, Options()).keep(URL, b"<p>a</p>", None) == "known"


def test_a_page_that_another_thread_keeps_meanwhile_is_known(tmp_path, monkeypatch):
    kept = Snapshot(tmp_path, None, Options())
    pack = snapshot.pack_page

    def pack_slowly(*args):
        monkeypatch.setattr(snapshot, "pack_page", pack)
        assert kept.keep(URL, b"<p>first</p>", None) == "kept"
        return pack(*args)

    monkeypatch.setattr(snapshot, "pack_page", pack_slowly)
    assert kept.keep(URL, b"<p>second</p>", None) == "known"
    assert gzip.decompress((tmp_path / name_page(URL)).read_bytes()) == b"<p>first</p>"


def test_a_folder_that_cannot_be_created_stops_the_crawl_at_the_start_with_its_full_path(tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.chdir(tmp_path)
    crawler = get_crawler(settings_dict={"WEB2TEXT_SNAPSHOT_DIR": "file"})
    full = re.escape(str(tmp_path / "file"))
    with pytest.raises(ValueError, match=f"^WEB2TEXT_SNAPSHOT_DIR: expected a folder: .*{full}"):
        CrawlExtractor(crawler)


SAFE = re.compile(r"_?[a-z0-9][a-z0-9.-]{0,99}/[a-z0-9][a-z0-9-]{16,80}\.html\.gz")


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://www.Example.com/News/A%20story.html?id=1", "www.example.com/news-a-20story-html-"),
        ("http://127.0.0.1:8000/", "127.0.0.1/index-"),
        ("http://[::1]/x", "1/x-"),
        ("http://../../etc/passwd", "other/etc-passwd-"),
        ("https://bücher.example/straße", "b-cher.example/stra-e-"),
        ("https://user:secret@x.example/a", "x.example/a-"),
        ("http://[broken/", "other/index-"),
        ("data:text/html,<p>", "other/text-html-p-"),
        ("http://Aux.example/", "_aux.example/index-"),
        ("http://con/", "_con/index-"),
        ("http://console.example/con", "console.example/con-"),
    ],
)
def test_names_are_of_host_and_path(url, expected):
    assert name_page(url).as_posix().startswith(expected)


@given(st.text() | st.from_regex(r"https?://[a-zA-Z.\-/:@%?\[\]\\]*", fullmatch=True))
def test_names_are_safe_for_any_url(url):
    assert SAFE.fullmatch(name_page(url).as_posix())


def test_urls_that_differ_anywhere_have_other_names():
    urls = ["https://x.example/a", "https://x.example/A", "http://x.example/a", "https://x.example/a?b", "x"]
    assert len({*map(name_page, urls)}) == len(urls)


@pytest.mark.parametrize(
    ("encoding", "header", "is_changed"),
    [
        ("utf-8", "utf-8", False),
        ("utf-8", None, False),
        ("iso-8859-2", None, False),
        ("iso-8859-2", "iso-8859-2", True),
        ("iso-8859-2", "utf-8", False),
        ("utf-16", "utf-16", False),
    ],
)
def test_a_page_needs_no_header_to_be_read_again(encoding, header, is_changed):
    body = article(f"{SENTENCE} It is near Łódź.").encode(encoding)
    packed, facts = pack_page("https://x.example/", body, header)
    kept = gzip.decompress(packed)
    assert (kept != body) == is_changed
    assert extract(kept).text == extract(body, encoding=header).text
    assert ("Łódź" in extract(kept).text) == (header == encoding or encoding == "utf-8")
    assert json.loads(facts) == {"url": "https://x.example/"}


@pytest.mark.parametrize(
    "facts",
    [None, b"", b"[]", b'{"url": 5}', b'{"url": "javascript:alert(1)"}', b"[" * 100_000, b'{"url": "http://\xff"}'],
)
def test_other_files_have_no_url(tmp_path, facts):
    path = tmp_path / "a.html.gz"
    if facts is not None:
        facts_path(path).write_bytes(facts)
    assert read_kept_url(path) is None


@pytest.mark.skipif(os.name != "posix", reason="links and pipes of POSIX")
@pytest.mark.parametrize("make", [lambda path, other: path.symlink_to(other), lambda path, other: os.mkfifo(path)])
def test_a_url_is_read_from_a_file_of_the_folder_only(tmp_path, make):
    (tmp_path / "other").write_text(json.dumps({"url": URL}))
    make(tmp_path / "a.html.json", tmp_path / "other")
    assert read_kept_url(tmp_path / "a.html") is None
