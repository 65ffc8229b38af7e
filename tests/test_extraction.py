from __future__ import annotations

import dataclasses
import json
import pickle

import pytest
from lxml import etree

from scrapy_web2text.content.paragraphs import Paragraph
from scrapy_web2text.extraction import Extraction, drop_forbidden
from scrapy_web2text.metadata.read import Metadata
from scrapy_web2text.page.blocks import Block, Label

BLOCKS = (
    Block(0, "Home", Label.BOILERPLATE, 0.25, "a", "/html/body/a/text()[1]"),
    Block(1, "Some “text”", Label.CONTENT, 0.75, "p", "/html/body/p/text()[1]"),
)


@pytest.fixture
def extraction():
    return Extraction(
        text="Some “text”",
        title="Title",
        method="model",
        model="web2text-2018",
        confidence=0.875,
        n_blocks=2,
        n_content=1,
        blocks=BLOCKS,
        encoding="utf-8",
        encoding_source="meta",
        url="http://example.com/",
        elapsed=0.5,
    )


def test_an_extraction_is_empty_by_default():
    extraction = Extraction()
    assert (extraction.text, extraction.method, extraction.model, extraction.blocks) == ("", "none", None, ())


def test_the_summary_does_not_hold_the_content(extraction):
    assert extraction.summary == {
        "method": "model",
        "page": None,
        "page_type": None,
        "page_type_probability": None,
        "model": "web2text-2018",
        "confidence": 0.875,
        "fallback_reason": None,
        "n_blocks": 2,
        "n_content": 1,
        "title": "Title",
        "encoding": "utf-8",
        "encoding_source": "meta",
    }


def test_the_summary_flags_a_low_confidence(extraction):
    assert dataclasses.replace(extraction, low_confidence=True).summary["low_confidence"] is True


def test_an_extraction_as_a_dict_survives_json(extraction):
    plain = extraction.to_dict()
    assert json.loads(json.dumps(plain)) == plain
    assert plain == {
        "url": "http://example.com/",
        **extraction.summary,
        "text": "Some “text”",
        "elapsed": 0.5,
        "blocks": [block.to_dict() for block in BLOCKS],
    }


def test_an_extraction_can_be_pickled(extraction):
    assert pickle.loads(pickle.dumps(extraction)) == extraction


def test_an_extraction_cannot_be_changed(extraction):
    with pytest.raises(dataclasses.FrozenInstanceError):
        extraction.text = ""


@pytest.mark.parametrize(
    "changes",
    [
        {"text": "a{}b"},
        {"title": "a{}b"},
        {"html": "<p>a{}b</p>"},
        {"markdown": "a{}b"},
        {"blocks": (*BLOCKS, Block(2, "a{}b", Label.CONTENT, 0.75, "p", "/p"))},
        {"blocks": (Block(2, "a", Label.CONTENT, None, "p{}", "/p"),)},
        {"blocks": (Block(2, "a", Label.CONTENT, None, "p", "/p{}"),)},
        {"paragraphs": (Paragraph("a{}b", "paragraph", (1, 2), 0.75),)},
        {"metadata": Metadata(author="a{}b")},
        {"metadata": Metadata(tags=("a", "b{}"))},
    ],
    ids=lambda changes: str(*changes),
)
@pytest.mark.parametrize(
    "character", ["\x00", "\x01", "\x0b", "\x1b", "\x1f", "\x7f", "\x81", "\x9d", "\udc00", "\ufffe", "\uffff"]
)
def test_control_characters_and_others_that_xml_forbids_are_dropped(extraction, changes, character):
    dirty, clean = (
        dataclasses.replace(extraction, **{name: fill(value, text) for name, value in changes.items()})
        for text in (character, "")
    )
    assert drop_forbidden(dirty) == clean
    assert drop_forbidden(clean) is clean


@pytest.mark.parametrize("character", ["\t", "\n", "\r", "\xa0", "\ufffd", "\U0010ffff", "é"])
def test_other_characters_are_kept(extraction, character):
    etree.Element("text").text = character  # raises ValueError otherwise
    answer = dataclasses.replace(extraction, text=character)
    assert drop_forbidden(answer) is answer


@pytest.mark.parametrize(("character", "meant"), [("\x80", "€"), ("\x85", "…"), ("\x96", "–"), ("\x9b", "›")])
def test_c1_control_characters_become_those_that_windows_has_in_their_place(extraction, character, meant):
    assert drop_forbidden(dataclasses.replace(extraction, text=f"a{character}b")).text == f"a{meant}b"


def fill(value, text):
    """Return *value* with *text* in place of the braces in its strings."""
    if isinstance(value, str):
        return value.replace("{}", text)
    if isinstance(value, tuple):
        return tuple(fill(part, text) for part in value)
    if dataclasses.is_dataclass(value):
        changes = {field.name: fill(getattr(value, field.name), text) for field in dataclasses.fields(value)}
        return dataclasses.replace(value, **changes)
    return value
