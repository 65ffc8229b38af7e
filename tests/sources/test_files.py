from __future__ import annotations

import gzip

import pytest

from scrapy_web2text.sources.files import read_page_file

BODY = b"<p>The bridge</p>"


@pytest.mark.parametrize(("name", "pack"), [("a.html", bytes), ("a.html.gz", gzip.compress), ("A.GZ", gzip.compress)])
def test_a_file_is_read_and_decompressed_by_its_name(tmp_path, name, pack):
    path = tmp_path / name
    path.write_bytes(pack(BODY))
    assert read_page_file(path) == BODY


@pytest.mark.parametrize(("name", "pack"), [("a.html", bytes), ("a.html.gz", gzip.compress)])
@pytest.mark.parametrize(("max_bytes", "n_read"), [(10, 11), (len(BODY), len(BODY)), (100, len(BODY))])
def test_at_most_one_byte_over_the_limit_is_read(tmp_path, name, pack, max_bytes, n_read):
    path = tmp_path / name
    path.write_bytes(pack(BODY))
    assert read_page_file(path, max_bytes) == BODY[:n_read]


@pytest.mark.parametrize(
    "packed",
    [gzip.compress(BODY)[:-12], gzip.compress(BODY * 99, 0)[:40] + b"\0" * 50, gzip.compress(BODY)[:10] + BODY],
    ids=["cut", "zeros", "no-deflate"],
)
def test_an_invalid_gzip_file_is_an_os_error(tmp_path, packed):
    path = tmp_path / "a.html.gz"
    path.write_bytes(packed)
    with pytest.raises(OSError, match="invalid compressed data: ") as caught:
        read_page_file(path)
    assert caught.value.strerror.startswith("invalid compressed data: ")
    assert caught.value.filename == str(path)


def test_a_missing_file_is_an_os_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        read_page_file(tmp_path / "none.html")
