from __future__ import annotations

import codecs
import unicodedata

import pytest
import webencodings
from scripts import TEXTS, encode_text
from w3lib.encoding import resolve_encoding
from webencodings.labels import LABELS

from scrapy_web2text.extractor import extract
from scrapy_web2text.page.detection import detect
from scrapy_web2text.page.encoding import Reading, decode_html, find_name, read_page
from scrapy_web2text.page.parse import parse, to_tree
from scrapy_web2text.page.sniffing import looks_binary

RULES = "shallow:numwords"
NAMES = sorted(set(LABELS.values()))
# Encodings that hold text; `replacement` and `x-user-defined` have tests of their own.
TEXTUAL = [name for name in NAMES if name not in ("replacement", "x-user-defined")]
UNICODE = ("utf-8", "utf-16be", "utf-16le", "gb18030")


def page(text: str, head: str = "") -> str:
    return (
        f'<!DOCTYPE html>\n<html><head>{head}<link rel="stylesheet" href="/main.css"><title>News</title></head>\n'
        '<body class="home"><ul><li><a href="/">Home</a></li><li><a href="/news?id=3&amp;x=1">News</a></li></ul>\n'
        f"<div><p>{text}</p></div><div>Copyright 2009 example.com</div></body></html>"
    )


def bodies(name: str, head: str = "") -> dict[str, bytes]:
    """Return a page in each of the languages that the encoding *name* can hold."""
    codec = webencodings.lookup(name).codec_info.name
    encoded = {language: encode_text(page(text, head), codec) for language, text in TEXTS.items()}
    return {language: body for language, body in encoded.items() if body is not None}


def has_text(reading: Reading, language: str) -> bool:
    text = unicodedata.normalize("NFC", reading.page.decode())
    return unicodedata.normalize("NFC", TEXTS[language]) in text


def test_the_standard_has_40_encodings_and_the_table_tests_all_that_hold_text():
    assert len(NAMES) == 40
    assert all(bodies(name) for name in TEXTUAL)


@pytest.mark.parametrize("name", TEXTUAL)
def test_an_encoding_by_header_gives_the_right_text(name):
    for language, body in bodies(name).items():
        reading = read_page(body, name)
        assert has_text(reading, language)
        assert (reading.encoding, reading.source) == (name, "argument")
        assert not looks_binary(body, name)


@pytest.mark.parametrize("name", [name for name in TEXTUAL if not name.startswith("utf-16")])
def test_an_encoding_by_meta_gives_the_right_text(name):
    for language, body in bodies(name, f'<meta charset="{name}">').items():
        reading = read_page(body)
        assert has_text(reading, language)
        assert (reading.encoding, reading.source) == (name, "meta")


@pytest.mark.parametrize("name", TEXTUAL)
def test_without_a_declaration_the_encoding_is_a_stated_guess_unless_it_is_utf_8(name):
    for body in bodies(name).values():
        reading = read_page(body)
        assert reading.source == ("utf-8" if name == "utf-8" else "detected")
        assert reading.encoding in NAMES


@pytest.mark.parametrize("name", [name for name in TEXTUAL if name not in ("utf-8", "iso-2022-jp")])
@pytest.mark.parametrize("by", ["header", "meta"])
def test_text_that_is_wrongly_declared_utf_8_is_a_stated_guess(name, by):
    head = '<meta charset="utf-8">' if by == "meta" else ""
    for body in bodies(name, head).values():
        reading = read_page(body, "utf-8" if by == "header" else None)
        assert reading.source == "detected"


@pytest.mark.parametrize("wrong", ["windows-1252", "iso-8859-2", "shift_jis", "utf-16le", "klingon", "cp037"])
def test_utf_8_is_right_whatever_is_declared(wrong):
    for head, stated in (("", wrong), (f'<meta charset="{wrong}">', None)):
        for language, body in bodies("utf-8", head).items():
            reading = read_page(body, stated)
            assert has_text(reading, language)
            assert reading.encoding == "utf-8"


def is_natural(name: str, language: str) -> bool:
    """Return whether pages in *language* were ever written in *name*: Russian fits into Shift_JIS, too."""
    homes = {
        "big5": ("chinese-traditional",),
        "euc-jp": ("japanese",),
        "euc-kr": ("korean",),
        "gb18030": ("chinese-simplified", "chinese-traditional"),
        "gbk": ("chinese-simplified", "chinese-traditional"),
        "iso-2022-jp": ("japanese",),
        "shift_jis": ("japanese",),
    }
    return language in homes.get(name, TEXTS)


def test_most_texts_without_a_declaration_are_read_right():
    legacy = [name for name in TEXTUAL if not name.startswith("utf-")]
    cases = [(name, language, body) for name in legacy for language, body in bodies(name).items()]
    natural = [has_text(read_page(body), language) for name, language, body in cases if is_natural(name, language)]
    assert (len(cases), len(natural)) == (165, 110)
    assert sum(natural) >= 93  # 39 of them are right as windows-1252


@pytest.mark.parametrize("name", ["utf-8", "utf-16le", "utf-16be", "utf-32le", "utf-32be"])
@pytest.mark.parametrize("stated", [None, "koi8-r"])
def test_a_byte_order_mark_decides(name, stated):
    for text in TEXTS.values():
        body = page("\ufeff" + text).partition("\ufeff")
        reading = read_page(("\ufeff" + body[0] + body[2]).encode(name), stated)
        assert reading == Reading((body[0] + body[2]).encode(), name, "bom")


@pytest.mark.parametrize(
    ("label", "name"),
    [
        ("latin1", "windows-1252"),
        (" ASCII\n", "windows-1252"),
        ("gb2312", "gbk"),
        ("x-sjis", "shift_jis"),
        ("cp949", "euc-kr"),
        ("big5hkscs", "big5"),
        ("logical", "iso-8859-8-i"),
        ("x-mac-cyrillic", "x-mac-cyrillic"),
        ("utf-16", "utf-16le"),
        ("iso-2022-kr", "replacement"),
        ("hz-gb-2312", "replacement"),
    ],
)
def test_labels_have_the_meaning_of_the_standard(label, name):
    assert find_name(label) == name


def test_every_encoding_is_known_by_the_name_that_scrapy_gives_it():
    for name in TEXTUAL:
        codec = resolve_encoding(name)
        if codec is not None:
            assert find_name(codec) in {name, "gb18030", "iso-8859-8"}


NOT_ENCODINGS = (
    "cp037",
    "unicode_escape",
    "utf-7",
    "utf-32",
    "mbcs",
    "hex",
    "idna",
    "undefined",
    "klingon",
    "",
    "\0",
    "é",
)


@pytest.mark.parametrize("label", NOT_ENCODINGS, ids=ascii)
def test_encodings_outside_the_standard_are_ignored(label):
    assert find_name(label) is None
    body = page("Größe – 日本", f'<meta charset="{label}">').encode()
    assert read_page(body, label) == Reading(body, "utf-8", "utf-8")


def test_a_page_that_declares_utf_16_in_ascii_is_in_utf_8_as_the_standard_says():
    body = page("Größe", '<meta charset="utf-16le">').encode()
    assert read_page(body) == Reading(body, "utf-8", "meta")


def test_a_user_defined_encoding_is_windows_1252_if_the_page_declares_it():
    reading = read_page(page("Größe", '<meta charset="x-user-defined">').encode("cp1252"))
    assert (reading.encoding, reading.source) == ("windows-1252", "meta")
    assert "Größe" in reading.page.decode()
    assert "Gr\uf7f6\uf7dfe" in decode_html(page("Größe").encode("cp1252"), "x-user-defined")


@pytest.mark.parametrize("label", ["iso-2022-kr", "hz-gb-2312", "iso-2022-cn", "replacement"])
def test_encodings_that_hide_markup_give_one_replacement_character(label):
    body = page("~{<script>~} \x1b$)C text").encode()
    assert read_page(body, label) == Reading("\ufffd".encode(), "replacement", "argument")
    assert read_page(page("Größe – 日本 größer").encode(), label).encoding == "utf-8"


@pytest.mark.parametrize("encoding", [*TEXTUAL, None])
def test_markup_that_an_encoding_hides_is_sanitized_after_decoding(encoding):
    hidden = b"<scr\x1b(Bipt>alert(1)</scr\x1b(Bipt><img src=x on\x1b(Jerror=alert(1)>\x1b$B<script>alert(2)\x1b(B"
    body = b"<html><body><p>" + b"A harbor in the morning. " * 40 + hidden + b"</p></body></html>"
    answer = extract(body, encoding=encoding, model=RULES, html=True, markdown=True)
    assert "<script" not in (answer.html or "")
    assert "onerror" not in (answer.html or "")
    assert "<script" not in (answer.markdown or "")


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("<p>© 2009 Example".encode("cp1252"), "© 2009"),
        ("<p>Next »".encode("cp1252"), "Next »"),
        ("<p>§§ 5 · ½ °".encode("cp1252"), "§§ 5 · ½ °"),
        ("<p>español, naïve".encode("cp1252"), "español, naïve"),
        ("<p>a\xa0b".encode("cp1252"), "a\xa0b"),
        ("<p>It’s “fine” – mostly…".encode("cp1252"), "It’s “fine” – mostly…"),
        ("<p>Größe – €".encode("cp1252"), "Größe – €"),
        ("<p>Привет".encode("cp1251"), "Привет"),
        ("<p>Меню сайта".encode("koi8-r"), "Меню сайта"),
        ("<p>שלום".encode("cp1255"), "שלום"),
        ("<p>ไทย".encode("cp874"), "ไทย"),
        ("<p>日本".encode("cp932"), "日本"),
        ("<p>한국".encode("cp949"), "한국"),
    ],
)
def test_a_few_bytes_are_enough_for_common_encodings(body, text):
    reading = read_page(body)
    assert text in reading.page.decode()
    assert reading.source in ("detected", "default")


def test_without_a_guess_the_encoding_is_windows_1252_by_default():
    assert read_page(b"<p>\x81") == Reading("<p>\ufffd".encode(), "windows-1252", "default")


def test_undeclared_utf_8_with_a_few_broken_bytes_stays_utf_8():
    body = page(TEXTS["russian"]).encode() + b"\xd0"
    for stated in (None, "windows-1252"):
        reading = read_page(body, stated)
        assert has_text(reading, "russian")
        assert (reading.encoding, reading.source) == ("utf-8", "detected")


def test_a_declared_encoding_is_kept_if_most_characters_fit():
    body = page(TEXTS["russian"] + "|", '<meta charset="utf-8">').encode().replace(b"|", b"\xe9" * 200)
    assert read_page(body)[1:] == ("utf-8", "meta")
    body = page(TEXTS["german"], '<meta charset="utf-8">').encode("cp1252")
    assert read_page(body)[1:] == ("windows-1252", "detected")


@pytest.mark.parametrize("text", ["café ÿ", "Größe", "a\xa0b", "don’t"])
def test_a_few_bytes_that_the_declared_encoding_lacks_are_read_as_windows_1252(text):
    body = page(text, '<meta charset="utf-8">').encode("cp1252")
    for header in (None, "utf-8"):
        assert read_page(body, header)[1:] == ("windows-1252", "default")
        assert text in decode_html(body, header)


def test_a_few_broken_bytes_among_others_that_fit_are_replaced():
    body = page("naïve café |", '<meta charset="utf-8">').encode().replace(b"|", b"\xe9")
    assert read_page(body)[1:] == ("utf-8", "meta")
    assert "naïve café \ufffd" in decode_html(body)


def test_a_declaration_in_the_page_counts_if_the_header_is_wrong():
    body = page(TEXTS["japanese"], '<meta charset="euc-jp">').encode("euc-jp")
    reading = read_page(body, "utf-8")
    assert has_text(reading, "japanese")
    assert (reading.encoding, reading.source) == ("euc-jp", "meta")


def test_the_euro_sign_of_gbk_is_read_and_many_broken_bytes_are_replaced():
    assert decode_html("<p>价格".encode("gbk") + b" \x80", "gbk") == "<p>价格 €"
    assert decode_html("价格".encode("gbk") * 10_000 + b"\x80" * 15_000, "gbk") == "价格" * 10_000 + "\ufffd" * 15_000


@pytest.mark.parametrize("name", [*TEXTUAL, "x-user-defined", None])
@pytest.mark.parametrize("unit", [b"\x1b", b"\x1b$B", b"\xff", b"\x81 ", b"\x80", b"\xa5<", bytes(range(1, 256))])
def test_no_error_handler_is_called_for_each_byte_of_a_page(name, unit):
    calls = []

    def replace(error: UnicodeError) -> tuple[str | bytes, int]:
        calls.append(error)
        return codecs.replace_errors(error)

    codecs.register_error("replace", replace)
    try:
        read_page(b"<p>" + unit * (50_000 // len(unit)), name)
    finally:
        codecs.register_error("replace", codecs.replace_errors)
    assert len(calls) <= 256  # those of a table of characters


def test_only_a_bounded_part_of_a_page_is_looked_at_to_detect_its_encoding():
    body = page(TEXTS["russian"]).encode("koi8-r")
    assert detect(body + page(TEXTS["greek"] * 1000).encode("cp1253")) != "koi8-r"
    assert detect((body + b"<br>") * 100 + page(TEXTS["greek"] * 1000).encode("cp1253")) == "koi8-r"


@pytest.mark.parametrize("name", ["utf-16le", "utf-16be"])
def test_utf_16_without_a_byte_order_mark_is_text(name):
    for text in TEXTS.values():
        body = (" \n" + page(text)).encode(name)
        assert not looks_binary(body)
        assert parse(body)[2:] == (name, "detected")
        assert not looks_binary(f"{text} <p>{text}".encode(name), "utf-16")


def test_the_answer_and_its_summary_state_the_encoding_and_its_source():
    answer = extract(page(TEXTS["russian"] * 4).encode("koi8-r"), model=RULES)
    assert (answer.encoding, answer.encoding_source) == ("koi8-r", "detected")
    assert answer.summary["encoding"] == answer.to_dict()["encoding"] == "koi8-r"
    assert answer.summary["encoding_source"] == "detected"
    for html in (b"%PDF-1.4", page("text"), to_tree(page("text"))):
        answer = extract(html, model=RULES)
        assert (answer.encoding, answer.encoding_source) == (None, None)


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        (b"<!-- <meta charset=koi8-r> -->", ("utf-8", "utf-8")),
        (b"<!-- <meta charset=koi8-r>", ("utf-8", "utf-8")),
        (b"<!-- a --><meta charset=koi8-r><!-- b -->", ("koi8-r", "meta")),
        (b"<!--[if !IE]><!--><meta charset=koi8-r><!--<![endif]-->", ("koi8-r", "meta")),
        (b"<!--><meta charset=koi8-r>", ("koi8-r", "meta")),
    ],
    ids=["comment", "unclosed", "between", "conditional", "empty"],
)
def test_a_declaration_in_a_comment_does_not_count_as_in_browsers(head, expected):
    assert read_page(head + "<p>café".encode())[1:] == expected
