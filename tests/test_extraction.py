from __future__ import annotations

import dataclasses
import json
import pickle

import pytest

from scrapy_web2text.blocks import Block, Label
from scrapy_web2text.extraction import Extraction

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
        url="http://example.com/",
        elapsed=0.5,
    )


def test_an_empty_answer_is_by_nobody():
    extraction = Extraction()
    assert (extraction.text, extraction.method, extraction.model, extraction.blocks) == ("", "none", None, ())


def test_the_summary_is_all_but_the_text(extraction):
    assert extraction.summary == {
        "method": "model",
        "model": "web2text-2018",
        "confidence": 0.875,
        "fallback_reason": None,
        "n_blocks": 2,
        "n_content": 1,
        "title": "Title",
    }


def test_the_summary_tells_a_low_confidence(extraction):
    assert dataclasses.replace(extraction, low_confidence=True).summary["low_confidence"] is True


def test_a_dict_of_everything_survives_json(extraction):
    plain = extraction.to_dict()
    assert json.loads(json.dumps(plain)) == plain
    assert plain == {
        "url": "http://example.com/",
        **extraction.summary,
        "text": "Some “text”",
        "elapsed": 0.5,
        "blocks": [block.to_dict() for block in BLOCKS],
    }


def test_an_extraction_is_pickled(extraction):
    assert pickle.loads(pickle.dumps(extraction)) == extraction


def test_an_extraction_cannot_be_changed(extraction):
    with pytest.raises(dataclasses.FrozenInstanceError):
        extraction.text = ""
