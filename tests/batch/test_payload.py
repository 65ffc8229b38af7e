from __future__ import annotations

import builtins
import gzip
import zlib

import pytest

from scrapy_web2text.sources import records, warc
from scrapy_web2text.sources.payload import decode_payload

PAGE = b"<p>" + b"The old bridge over the river. " * 5000
brotli = pytest.importorskip("brotli", reason="Scrapy installs it, except for some interpreters")
zstd = records.load_zstd()
if zstd is None:
    pytest.skip("needs backports.zstd", allow_module_level=True)


def raw_deflate(data: bytes) -> bytes:
    return zlib.compress(data)[2:-4]


COMPRESSORS = {
    "gzip": ("gzip", gzip.compress),
    "x-gzip": ("X-Gzip", gzip.compress),
    "deflate": ("deflate", zlib.compress),
    "raw deflate": ("deflate", raw_deflate),
    "br": ("br", brotli.compress),
    "zstd": ("zstd", zstd.compress),
}
compressed = pytest.mark.parametrize(("name", "compress"), COMPRESSORS.values(), ids=COMPRESSORS)


@compressed
def test_a_body_is_decompressed(name, compress):
    assert decode_payload(compress(PAGE), "", name, None) == (PAGE, None)


@compressed
def test_a_bomb_is_decompressed_up_to_the_limit(name, compress):
    assert decode_payload(compress(PAGE), "", name, 1000) == (PAGE[:1001], None)


@compressed
def test_what_was_decompressed_before_the_damage_is_kept(name, compress):
    data = compress(b"".join(b"<p>%d %d" % (n, n * n * 7919) for n in range(20_000)))
    page, damage = decode_payload(data[: len(data) // 2], "", name, None)
    assert damage == "compressed"
    assert page.startswith(b"<p>0 0<p>1 7919")


@compressed
def test_a_body_that_was_decompressed_before_is_taken_as_it_is(name, compress):
    assert decode_payload(PAGE, "", name, None) == (PAGE, None)


def test_the_last_encoding_is_undone_first():
    assert decode_payload(brotli.compress(gzip.compress(PAGE)), "", "gzip, br", None) == (PAGE, None)


@pytest.mark.parametrize("name", ["", "identity", "utf-8", "compress"])
def test_unknown_encodings_are_ignored(name):
    assert decode_payload(PAGE, "", name, None) == (PAGE, None)


def test_damaged_brotli_is_damaged():
    assert decode_payload(b"\xff" * 50, "", "br", None) == (b"", "compressed")


def test_brotli_and_zstandard_may_be_missing(monkeypatch):
    importing = builtins.__import__

    def fail(name, *args, **options):
        if name == "brotli":
            raise ImportError
        return importing(name, *args, **options)

    monkeypatch.setattr(builtins, "__import__", fail)
    monkeypatch.setattr(warc, "load_zstd", lambda: None)
    assert decode_payload(brotli.compress(PAGE), "", "br", None) == (b"", "compressed")
    assert decode_payload(zstd.compress(PAGE), "", "zstd", None) == (b"", "compressed")


@pytest.mark.parametrize(
    ("body", "page", "damage"),
    [
        (b"5\r\nhello\r\n6;x=y\r\n world\r\n0\r\n\r\n", b"hello world", None),
        (b"5\nhello\n0\n\n", b"hello", None),
        (b"0005 \r\nhello\r\nA\r\n0123456789\r\n0\r\nTrailer: x\r\n\r\n", b"hello0123456789", None),
        (b"0\r\n\r\n", b"", None),
        (b"<p>not chunked", b"<p>not chunked", None),
        (b"<p>not\nchunked", b"<p>not\nchunked", None),
        (b"5\r\nhello\r\n", b"hello", "chunked"),
        (b"5\r\nhello\r\nzz\r\nworld\r\n", b"hello", "chunked"),
        (b"5\r\nhello\r\n9\r\nwor", b"hellowor", "chunked"),
        (b"5\r\nhello\r\n-5\r\nworld\r\n", b"hello", "chunked"),
        (b"", b"", None),
    ],
)
def test_chunks_are_joined_as_far_as_they_are_whole(body, page, damage):
    assert decode_payload(body, "Chunked", "", None) == (page, damage)


def test_chunks_can_hold_compressed_data():
    data = gzip.compress(PAGE)
    body = b"%x\r\n%b\r\n0\r\n\r\n" % (len(data), data)
    assert decode_payload(body, "gzip, chunked", "gzip", None) == (PAGE, None)
