"""The table of the pages in tests/pages/walls: walls of vendors, and pages with content that resemble them."""

from __future__ import annotations

import json
import re
from collections import Counter

import pytest
from lxml.html import document_fromstring
from places import ROOT

WALLS = ROOT / "tests" / "pages" / "walls"
ROWS = json.loads((WALLS / "index.json").read_text("utf-8"))
KINDS = ("challenge", "consent", "content", "empty", "error", "index", "login", "paywall", "script_shell")
FIELDS = {"file", "kind", "vendor", "language", "status"}


def of_kind(*kinds):
    return [row for row in ROWS if row["kind"] in kinds]


def long_sentences(html):
    """Return the sentences of eight or more words, in any script with spaces."""
    text = " ".join(document_fromstring(html).xpath("//body//text()[not(parent::script or parent::style)]"))
    sentences = (" ".join(part.split()) for part in re.split(r"[.!?。।](?:\s|$)", text))
    return {sentence.lower() for sentence in sentences if len(sentence.split()) >= 8}


def test_every_page_is_listed_once_in_the_order_of_names():
    assert [row["file"] for row in ROWS] == sorted(path.name for path in WALLS.glob("*.html"))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["file"])
def test_a_row_says_what_its_small_page_is(row):
    page = (WALLS / row["file"]).read_bytes()
    assert len(page) <= 4500
    assert row["kind"] in KINDS
    assert row["vendor"]
    assert re.fullmatch("[a-z]{2}", row["language"])
    assert 200 <= row["status"] < 600
    assert set(row) - {"note"} == (FIELDS | {"keeps"} if row["kind"] == "content" else FIELDS)
    assert row.get("keeps", "") in " ".join(document_fromstring(page).text_content().split())


def test_every_held_out_page_is_listed_once_with_a_known_kind():
    held_out = WALLS.parent / "held_out_walls"
    rows = json.loads((held_out / "index.json").read_text("utf-8"))
    assert sorted(row["file"] for row in rows) == sorted(path.name for path in held_out.glob("*.html"))
    assert {row["kind"] for row in rows} <= set(KINDS)


def test_there_are_pages_of_all_kinds_and_of_twenty_languages():
    assert {row["kind"] for row in ROWS} == set(KINDS)
    assert len(of_kind("content")) >= 30
    assert len(ROWS) - len(of_kind("content")) >= 80
    assert len({row["language"] for row in of_kind("consent", "challenge", "login", "error")}) >= 20


def test_no_long_sentence_appears_on_two_pages():
    counts = Counter()
    for row in ROWS:
        counts.update(long_sentences((WALLS / row["file"]).read_bytes()))
    assert not [sentence for sentence, count in counts.items() if count > 1]
