"""Archives of text: JSON Lines and Parquet."""

from __future__ import annotations

import gzip
import io
import json

import pytest

from scrapy_web2text.sources import records, tables
from scrapy_web2text.sources.archives import Archive, read_archive
from scrapy_web2text.sources.records import Broken, PageRecord, load_zstd
from scrapy_web2text.sources.tables import Columns, list_fields, read_json_lines

COLUMNS = Columns("html", "url")


def to_lines(*values):
    return b"".join(json.dumps(value).encode() + b"\n" for value in values)


def read(data: bytes, max_bytes: int | None = None):
    return list(read_json_lines(io.BytesIO(data), COLUMNS, max_bytes))


def test_a_line_is_a_page():
    data = to_lines({"html": "<p>é", "url": "https://example.com/"}, {"html": "<p>b", "url": 7}, {"html": ""})
    assert read(data) == [PageRecord("<p>é", "https://example.com/"), PageRecord("<p>b"), PageRecord("")]
    assert read(data.rstrip(b"\n")) == read(data)


@pytest.mark.parametrize("empty", [b"\n", b"\r\n", b" \t\n"])
def test_an_empty_line_is_not_a_page(empty):
    data = empty + to_lines({"html": "a"}) + empty * 2 + to_lines({"html": "b"}) + empty
    assert read(data) == [PageRecord("a"), PageRecord("b")]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be", "utf-32", "utf-32-be"])
def test_a_file_that_is_not_utf_8_is_one_error(encoding):
    text = "\ufeff" * encoding.endswith("be") + to_lines({"html": "a"}, {"html": "b"}).decode()
    with pytest.raises(ValueError, match="expected UTF-8, got UTF-16 or UTF-32"):
        read(text.encode(encoding))
    assert list_fields(io.BytesIO(text.encode("utf-8-sig")), "body") == ["html"]


@pytest.mark.parametrize(
    ("line", "error"),
    [
        (b"{", "expected JSON, got "),
        (b"\xff", "expected JSON, got "),
        (b"[" * 100_000, "expected JSON, got "),
        (b"[]", "expected an object, got a list"),
        (b"{}", "no field html; fields: none (--html-column)"),
        (b'{"url": "u", "text": ""}', "no field html; fields: url, text (--html-column)"),
        (b'{"html": null}', "html: expected a string, got a NoneType"),
        (b'{"html": 5}', "html: expected a string, got a int"),
    ],
)
def test_a_line_that_is_not_a_page_is_broken_and_the_next_is_read(line, error):
    found = read(line + b"\n" + to_lines({"html": "x"}))
    assert found[0].error.startswith(error)
    assert not found[0].is_gap
    assert found[1:] == [PageRecord("x")]


@pytest.mark.parametrize("ending", [b"\n" + to_lines({"html": "x"}), b""])
def test_a_line_that_is_too_long_is_not_read(monkeypatch, ending):
    monkeypatch.setattr(tables, "_OTHER_FIELDS", 100)
    limit = 3 * 10 + 100
    found = read(b"y" * (3 * limit) + ending, 10)
    assert found[0] == Broken("expected a line of at most 130 bytes")
    assert found[1:] == ([PageRecord("x")] if ending else [])


def test_a_line_may_be_as_long_as_the_limit(monkeypatch):
    monkeypatch.setattr(tables, "_OTHER_FIELDS", 0)
    line = to_lines({"html": "x" * 17})  # 30 bytes with its end
    assert len(line) == 30
    assert read(line * 2, 10) == [PageRecord("x" * 11)] * 2


@pytest.mark.parametrize("value", ["[],", "{},", "0,"])
def test_a_line_of_many_small_values_is_not_parsed(monkeypatch, value):
    monkeypatch.setattr(tables.json, "loads", pytest.fail)
    (found,) = read(f'{{"html": [{value * 50_000}0]}}'.encode(), 10)
    assert found == Broken("expected at most 33,334 commas and brackets")


def test_lines_may_be_compressed():
    data = to_lines({"html": "a"}, {"html": "b"})
    expected = [PageRecord("a"), PageRecord("b")]
    assert read(gzip.compress(data[:14]) + gzip.compress(data[14:])) == expected
    if load_zstd() is None:
        pytest.skip("needs backports.zstd")
    assert read(load_zstd().compress(data)) == expected


def test_damaged_compression_is_an_error_after_the_lines_before(monkeypatch):
    data = gzip.compress(to_lines({"html": "a"}, {"html": "b"}))
    with pytest.raises(OSError, match="invalid compressed data"):
        read(data[:-4])


def test_zstandard_that_is_not_installed_is_an_error(monkeypatch):
    if (zstd := load_zstd()) is None:
        pytest.skip("needs backports.zstd")
    data = zstd.compress(to_lines({"html": "a"}))
    monkeypatch.setattr(records, "import_module", lambda name: (_ for _ in ()).throw(ImportError))
    with pytest.raises(OSError, match=r"expected backports.zstd to be installed"):
        read(data)


def read_table(path, max_bytes=10_000):
    return list(read_archive(Archive("a", "parquet", path), COLUMNS, max_bytes))


def write_parquet(path, columns, **options):
    pyarrow = pytest.importorskip("pyarrow", reason="needs the extra parquet")
    from pyarrow import parquet

    parquet.write_table(pyarrow.table(columns), path, **options)
    return path


def test_a_row_is_a_page(tmp_path):
    html, urls = [f"<p>{n}" for n in range(50)], [f"https://example.com/{n}" for n in range(50)]
    path = write_parquet(tmp_path / "a.parquet", {"n": [1] * 50, "url": urls, "html": html}, row_group_size=20)
    expected = [PageRecord(text, url) for text, url in zip(html, urls, strict=True)]
    assert read_table(path) == expected


def test_rows_may_be_bytes_and_lack_a_url_or_a_page(tmp_path):
    path = write_parquet(tmp_path / "a.parquet", {"html": [b"<p>\xe9", None]})
    broken = Broken("html: expected a string, got a NoneType")
    assert read_table(path) == [PageRecord(b"<p>\xe9"), broken]


def test_other_columns_and_other_files_are_one_error(tmp_path):
    path = write_parquet(tmp_path / "a.parquet", {"body": ["x"], "url": ["y"], "html": [["x"]]})
    (found,) = read_table(path)
    assert (found.is_gap, "expected a column 'html' of text (--html-column), got 'body', 'url'" in found.error) == (
        True,
        True,
    )
    path.write_bytes(b"no parquet")
    (found,) = read_table(path)
    assert (found.is_gap, "Parquet" in found.error) == (True, True)


def test_damage_in_a_row_group_is_an_error(tmp_path):
    path = write_parquet(tmp_path / "a.parquet", {"html": [f"{n * n * 7919}" * 50 for n in range(500)]})
    data = bytearray(path.read_bytes())
    data[10:2000] = b"\xff" * 1990
    path.write_bytes(data)
    assert [item.is_gap for item in read_table(path)] == [True]


@pytest.mark.parametrize("kind", ["string", "large_string", "string_view", "dictionary"])
def test_text_that_is_not_utf_8_costs_its_row(tmp_path, kind):
    pyarrow = pytest.importorskip("pyarrow", reason="needs the extra parquet")
    pages = pyarrow.array([b"<p>a", b"<p>\xff", None, b"<p>b"])
    text = pyarrow.Array.from_buffers(pyarrow.string(), 4, pages.buffers())
    text = text.dictionary_encode() if kind == "dictionary" else text.cast(kind)
    try:
        path = write_parquet(tmp_path / "a.parquet", {"html": text})
    except NotImplementedError as error:
        pytest.skip(f"needs a later pyarrow: {error}")
    found = read_table(path)
    assert [found[0], found[3]] == [PageRecord("<p>a"), PageRecord("<p>b")]
    assert [item.error.partition(":")[0] for item in found[1:3]] == ["expected UTF-8", "html"]


@pytest.mark.parametrize("zone", [None, "Nowhere/Never"])
def test_a_column_of_urls_that_is_not_text_is_not_read(tmp_path, zone):
    pyarrow = pytest.importorskip("pyarrow", reason="needs the extra parquet")
    urls = pyarrow.array([2**62], pyarrow.timestamp("us", zone))
    assert read_table(write_parquet(tmp_path / "a.parquet", {"html": ["x"], "url": urls})) == [PageRecord("x")]


def test_a_long_value_is_read_only_so_far_that_its_length_can_be_seen(tmp_path):
    path = write_parquet(tmp_path / "a.parquet", {"html": ["x" * 1_000, "y"], "url": ["z", "u" * 1_000]})
    assert read_table(path, 500) == [PageRecord("x" * 501, "z"), PageRecord("y", "u" * 1_000)]


def test_a_table_that_is_far_longer_than_its_file_is_not_read(tmp_path):
    pages = ["x" * 3_000_000] * 64  # once in the file, but read for each row
    path = write_parquet(tmp_path / "a.parquet", {"html": pages}, compression="zstd")
    (found,) = read_table(path, 10)
    assert (found.is_gap, "html: expected at most" in found.error) == (True, True)


def test_many_rows_in_a_few_bytes_are_not_read(tmp_path):
    path = write_parquet(tmp_path / "a.parquet", {"html": ["<p>a", "<p>b"] * 50_000})
    assert path.stat().st_size < 10_000
    (found,) = read_table(path)
    assert (found.is_gap, "rows, got 100,000" in found.error) == (True, True)
    different = write_parquet(tmp_path / "b.parquet", {"html": [f"<p>{i}" for i in range(3_000)]})
    assert len(read_table(different)) == 3_000
