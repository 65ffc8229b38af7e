from __future__ import annotations

import gzip
import io

import pytest
from warcs import http, record

from scrapy_web2text.sources.records import Broken, PageRecord, Skipped, load_zstd
from scrapy_web2text.sources.warc import read_warc

pytest.importorskip("fastwarc", reason="needs the extra warc")

PAGES = [record(http(b"<p>page %d" % n), f"https://example.com/{n}") for n in range(6)]


def zstd(data: bytes) -> bytes:
    module = load_zstd()
    if module is None:
        pytest.skip("needs backports.zstd")
    return module.compress(data)


PACKERS = {"plain": bytes, "gz": gzip.compress, "zst": zstd}
packed = pytest.mark.parametrize("pack", PACKERS.values(), ids=PACKERS)


def read(data: bytes, max_bytes: int | None = 1000):
    return list(read_warc(io.BytesIO(data), max_bytes))


def bodies(items):
    return [item.html if isinstance(item, PageRecord) else item for item in items]


@packed
def test_a_page_has_its_body_url_encoding_and_place(pack):
    block = http(b"<p>\xe9", "Text/HTML; charset=latin-1", headers="Content-Encoding: br\r\n")
    (found,) = read(pack(record(block, "<https://example.com/a>")))
    assert (found.html, found.url, found.encoding) == (b"<p>\xe9", "https://example.com/a", "cp1252")
    assert (found.content_encoding, found.transfer_encoding, found.damage) == ("br", "", None)
    assert found.fields == {"warc_record_id": "<urn:uuid:1>", "warc_date": "2026-11-22T10:00:00Z"}


@packed
def test_all_records_are_read(pack):
    assert bodies(read(b"".join(map(pack, PAGES)))) == [b"<p>page %d" % n for n in range(6)]


def test_records_of_a_file_that_is_compressed_as_a_whole_are_found():
    assert bodies(read(gzip.compress(b"".join(PAGES)))) == [b"<p>page %d" % n for n in range(6)]


@pytest.mark.parametrize(
    ("given", "kind"),
    [
        (record(b"GET / HTTP/1.1\r\n\r\n", kind="request"), "request"),
        (record(http(b""), kind="revisit"), "revisit"),
        (record(http(b"{}", "application/json; charset=utf-8")), "application/json"),
        (record(http(b"gone", status="404 Not Found")), "status 404"),
        (record(b"no response"), "not HTTP"),
    ],
    ids=["request", "revisit", "json", "404", "other"],
)
def test_other_records_are_skipped_by_their_kind(given, kind):
    assert read(PAGES[0] + given + PAGES[1])[1:2] == [Skipped(kind)]


@pytest.mark.parametrize("content_type", [None, "text/html;charset=utf-8", "application/xhtml+xml", "TEXT/HTML"])
def test_html_and_responses_without_a_type_are_pages(content_type):
    assert bodies(read(record(http(b"<p>x", content_type)))) == [b"<p>x"]


def test_a_long_body_is_read_only_so_far_that_its_length_can_be_seen():
    found = read(record(http(b"x" * 100_000)) + PAGES[0], max_bytes=50)
    assert bodies(found) == [b"x" * 101, b"<p>page 0"]
    assert found[0].damage is None


def test_a_body_is_read_whole_if_there_is_no_limit():
    assert bodies(read(record(http(b"x" * 100_000)), max_bytes=None)) == [b"x" * 100_000]


def test_a_page_that_the_crawler_cut_is_damaged():
    assert read(record(http(b"<p>x"), headers="WARC-Truncated: length\r\n"))[0].damage == "truncated"


@packed
def test_a_file_that_ends_anywhere_gives_all_pages_before_and_says_so(pack):
    first, second = pack(record(http(b"<p>first" * 20))), pack(record(http(b"<p>second" * 20)))
    ending = len(pack(b"\r\n\r\n")) + 30  # what follows the last byte of the page
    # The first bytes of a compressed record give nothing yet.
    for end in range(len(first) + 70, len(first + second) - ending, 3):
        found = read((first + second)[:end])
        assert bodies(found[:1]) == [b"<p>first" * 20]
        assert found[1:] != []
        assert all(
            (isinstance(item, Broken) and item.is_gap) or isinstance(item, Skipped) or item.damage for item in found[1:]
        )


def test_the_part_of_a_page_before_the_end_of_the_file_is_kept():
    found = read(record(http(b"x" * 200_000))[:-90_000], max_bytes=None)
    assert found[0].damage == "truncated"
    assert 0 < len(found[0].html) < 200_000
    assert found[1:] == [Broken("the file ends within a record", is_gap=True)]


@pytest.mark.parametrize("name", ["plain", "gz"])
def test_damage_ends_the_file_and_is_a_gap(name):
    packed = [PACKERS[name](page) for page in PAGES]
    packed[2] = packed[2][:12] + b"\x1f\x8bWARC/1" + bytes(70_000)
    found = read(b"".join(packed), max_bytes=None)
    assert [body for body in bodies(found) if isinstance(body, bytes)] == [b"<p>page 0", b"<p>page 1"]
    assert isinstance(found[-1], Broken)
    assert found[-1].is_gap


def test_damage_without_a_record_after_it_ends_the_file():
    found = read(gzip.compress(PAGES[0]) + b"\x1f\x8b\x08" + bytes(100))
    assert bodies(found)[0] == b"<p>page 0"
    assert [item.is_gap for item in found[1:]] == [True]


def test_a_damaged_file_of_zstandard_ends_there():
    found = read(zstd(PAGES[0]) + zstd(b"no record" * 10) + zstd(PAGES[1]))
    assert bodies(found)[0] == b"<p>page 0"
    assert [item.is_gap for item in found[1:]] == [True]


class Pipe(io.BytesIO):
    """A stream that cannot seek, as standard input from a pipe."""

    def seekable(self):
        return False

    def seek(self, *args):
        raise OSError(29, "Illegal seek")

    def tell(self):
        raise OSError(29, "Illegal seek")


@packed
def test_a_stream_need_not_seek(pack):
    assert bodies(read_warc(Pipe(b"".join(map(pack, PAGES))), None)) == [b"<p>page %d" % n for n in range(6)]


def test_damage_in_a_stream_that_cannot_seek_ends_it():
    found = list(read_warc(Pipe(PAGES[0] + b"junk\r\n\r\n" + PAGES[1]), None))
    assert bodies(found)[0] == b"<p>page 0"
    assert isinstance(found[-1], Broken)
