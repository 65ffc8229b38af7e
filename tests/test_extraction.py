from __future__ import annotations

import json
import pickle

import pytest
from lxml import etree, html
from msgspec import UNSET, Struct
from msgspec.json import encode
from msgspec.structs import replace

from scrapy_web2text import extract
from scrapy_web2text.content.escaping import drop_forbidden
from scrapy_web2text.extraction import Block, Extraction, Label, MainContent, Metadata, Paragraph
from scrapy_web2text.options import PART_OPTIONS
from scrapy_web2text.reasons import NO_CONTENT
from scrapy_web2text.view.seen import write_answer

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


@pytest.mark.parametrize(("name", "value"), PART_OPTIONS.items())
def test_to_read_a_part_that_no_option_asked_for_is_an_error_that_names_the_option(extraction, name, value):
    message = f"^{name}: the page was extracted without it; expected extract\\(html, {name}={value!r}\\)$"
    for answer in (extraction, MainContent.from_extraction(extraction), pickle.loads(pickle.dumps(extraction))):
        with pytest.raises(AttributeError, match=message):
            getattr(answer, name)
    assert name not in extraction.to_dict()
    assert extraction.field(name) is None
    assert f'"{name}"' not in encode(extraction).decode()
    asked = replace(extraction, **{name: None})
    assert getattr(asked, name) is None
    assert asked != extraction
    assert pickle.loads(pickle.dumps(extraction)) == extraction == replace(asked, **{name: UNSET})


def test_the_parts_of_a_page_without_an_answer_are_empty():
    assert {name for name in PART_OPTIONS if getattr(Extraction(), name)} == set()
    assert Extraction().paragraphs == ()
    assert Extraction().html is None


def test_the_summary_does_not_hold_the_content(extraction):
    assert extraction.summary == {
        "method": "model",
        "page_kind": None,
        "page_type": None,
        "page_type_probability": None,
        "model": "web2text-2018",
        "confidence": 0.875,
        "reason": None,
        "n_blocks": 2,
        "n_content": 1,
        "title": "Title",
        "encoding": "utf-8",
        "encoding_source": "meta",
    }


def test_the_summary_flags_a_low_confidence(extraction):
    assert replace(extraction, low_confidence=True).summary["low_confidence"] is True


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


def test_numbers_are_rounded_where_they_leave_python(extraction):
    block = replace(BLOCKS[1], probability=2 / 3)
    paragraph = Paragraph("a", "paragraph", (1,), 1 / 7)
    answer = replace(extraction, confidence=1 / 3, elapsed=0.0123456, blocks=(block,), paragraphs=(paragraph,))
    plain = answer.to_dict()
    assert (plain["confidence"], plain["elapsed"]) == (0.3333, 0.0123)
    assert (plain["blocks"][0]["probability"], plain["paragraphs"][0]["probability"]) == (0.6667, 0.1429)
    assert answer.summary["confidence"] == answer.field("confidence") == 0.3333
    assert (answer.field("elapsed"), answer.field("n_blocks")) == (0.0123, 2)
    assert (answer.confidence, answer.blocks[0].probability) == (1 / 3, 2 / 3)
    assert replace(answer, confidence=None).field("confidence") is None


def test_plain_blocks_have_the_fields_that_the_caller_names(extraction):
    names = ("path", "text")
    expected = [{"path": block.path, "text": block.text} for block in BLOCKS]
    assert extraction.field("blocks", names) == extraction.to_dict(names)["blocks"] == expected
    assert extraction.blocks == BLOCKS


def test_an_extraction_is_shown_in_one_line(extraction):
    answer = replace(extraction, text="A long text.\n" * 1000, confidence=1 / 3)
    assert repr(answer) == (
        "<Extraction url='http://example.com/' method='model' model='web2text-2018' confidence=0.3333 n_blocks=2 "
        f"n_content=1 title='Title' text={('A long text.' + chr(10)) * 6 + 'A…'!r}>"
    )
    assert repr(MainContent.from_extraction(answer)).startswith("<MainContent url='http://example.com/' method=")
    assert repr(Extraction()) == "<Extraction method='none' n_blocks=0 n_content=0>"
    assert repr(Extraction(page_kind="login")) == "<Extraction method='none' page_kind='login' n_blocks=0 n_content=0>"


def test_a_notebook_shows_the_text_and_folds_the_blocks(extraction):
    shown = html.fromstring(extraction._repr_html_())
    assert shown.xpath("name(*[2])") == "div"
    assert shown.xpath("string(div)") == extraction.text
    assert shown.xpath("string(details/summary)") == "2 blocks"
    assert shown.xpath("string(*[1])") == "Title · confidence .875"
    about = "kind content · model web2text-2018 · blocks of content 1 of 2 · url http://example.com/"
    assert shown.xpath("string(*[3])") == about.removeprefix("" if extraction.page_kind else "kind content · ")
    assert [row[3].text for row in shown.xpath(".//tbody/tr")] == ["Home", "Some “text”"]


def test_a_notebook_says_why_there_is_no_text():
    shown = Extraction(page_kind="script_shell", method="model", confidence=0.5)._repr_html_()
    assert f"No main content: {NO_CONTENT['script_shell']} (script shell)." in shown
    assert "confidence" not in shown
    assert "<small>kind script shell · model model</small>" in shown
    assert "No main content." in Extraction()._repr_html_()


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
        replace(extraction, **{name: fill(value, text) for name, value in changes.items()}) for text in (character, "")
    )
    assert drop_forbidden(dirty) == clean
    assert drop_forbidden(clean) is clean


@pytest.mark.parametrize("character", ["\t", "\n", "\r", "\xa0", "\ufffd", "\U0010ffff", "é"])
def test_other_characters_are_kept(extraction, character):
    etree.Element("text").text = character  # raises ValueError otherwise
    answer = replace(extraction, text=character)
    assert drop_forbidden(answer) is answer


@pytest.mark.parametrize(("character", "meant"), [("\x80", "€"), ("\x85", "…"), ("\x96", "–"), ("\x9b", "›")])
def test_c1_control_characters_become_those_that_windows_has_in_their_place(extraction, character, meant):
    assert drop_forbidden(replace(extraction, text=f"a{character}b")).text == f"a{meant}b"


def fill(value, text):
    """Return *value* with *text* in place of the braces in its strings."""
    if isinstance(value, str):
        return value.replace("{}", text)
    if isinstance(value, tuple):
        return tuple(fill(part, text) for part in value)
    if isinstance(value, Struct):
        return replace(value, **{name: fill(getattr(value, name), text) for name in value.__struct_fields__})
    return value


def test_the_viewer_has_the_blocks_and_the_text():
    answer = extract("<html><body><main><h1>A title</h1><p>Some words &amp; others.</p></main></body></html>")
    html = write_answer(answer)
    assert html.startswith("<!doctype html>")
    assert all(json.dumps(block.path) in html for block in answer.blocks)
    assert "Some words \\u0026 others." in html
