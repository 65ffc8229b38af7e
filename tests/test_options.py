from __future__ import annotations

import dataclasses
import pickle
import re
from pathlib import Path

import numpy as np
import pytest

from scrapy_web2text.options import DEFAULT_MODEL, OptionError, Options


def test_the_defaults_are_as_documented():
    assert dataclasses.asdict(Options()) == {
        "model": DEFAULT_MODEL,
        "fallback": "shallow:numwords",
        "on_missing_model": "error",
        "threshold": None,
        "preset": None,
        "decoder": None,
        "min_confidence": None,
        "on_low_confidence": "keep",
        "include": (),
        "exclude": (),
        "title_selector": None,
        "languages": (),
        "fragment": "auto",
        "page_verdict": True,
        "blocks": "all",
        "block_fields": ("index", "text", "label", "probability", "tag"),
        "html": False,
        "markdown": False,
        "paragraphs": False,
        "metadata": False,
        "links": "keep",
        "images": "keep",
        "tables": "keep",
        "title": "auto",
        "text_layout": "lines",
        "timeout": 10.0,
        "max_bytes": 10_000_000,
        "max_blocks": 50_000,
    }


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("model", ""),
        ("threshold", 0),
        ("threshold", 1),
        ("threshold", -0.1),
        ("threshold", float("nan")),
        ("min_confidence", -0.01),
        ("min_confidence", 1.01),
        ("min_confidence", float("nan")),
        ("preset", "high"),
        ("decoder", "greedy"),
        ("on_low_confidence", "raise"),
        ("on_low_confidence", None),
        ("on_missing_model", "rules"),
        ("blocks", "some"),
        *(("block_fields", value) for value in (("text", "xpath"), (), [], "text", None, 5, [["text"]])),
        *((name, value) for name in ("links", "images", "tables") for value in ("dropped", True, None, [])),
        *((name, value) for name in ("title", "text_layout") for value in ("keep", False, None, "")),
        *(
            (name, value)
            for name in ("timeout", "max_bytes", "max_blocks")
            for value in (0, -1, float("nan"), float("inf"), "5", True, [5])
        ),
        *((name, 1.5) for name in ("max_bytes", "max_blocks")),
        *((name, value) for name in ("threshold", "min_confidence") for value in ("0.5", "x", [0.5], True)),
        *((name, value) for name in ("model", "fallback") for value in (5, b"x", "", " ", ["x"])),
        *((name, value) for name in ("html", "markdown", "paragraphs", "metadata") for value in (1, 0, None, "True")),
        *((name, value) for name in ("preset", "decoder", "on_low_confidence", "blocks") for value in (5, True, [])),
        ("model", None),
    ],
)
def test_an_invalid_value_is_an_error_that_names_the_option(name, value):
    with pytest.raises(ValueError, match=f"^{name}: expected .*, got {re.escape(repr(value))}$"):
        Options(**{name: value})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("model", "./folder"),
        ("fallback", None),
        ("threshold", 0.001),
        ("threshold", 0.999),
        ("threshold", np.float32(0.5)),
        ("max_bytes", np.int64(5)),
        ("timeout", 0.5),
        ("min_confidence", 0),
        ("min_confidence", 1),
        ("preset", "recall"),
        ("decoder", "viterbi"),
        ("decoder", "marginal"),
        ("on_low_confidence", "keep"),
        ("on_low_confidence", "flag"),
        ("on_low_confidence", "fallback"),
        ("on_low_confidence", "drop"),
        ("blocks", "none"),
        *((name, value) for name in ("links", "images", "tables") for value in ("keep", "text", "drop")),
        *(("title", value) for value in ("auto", "exclude", "include")),
        *(("text_layout", value) for value in ("lines", "paragraphs", "headings")),
        ("blocks", "content"),
        ("on_missing_model", "fallback"),
        ("block_fields", ("path",)),
        *((name, value) for name in ("timeout", "max_bytes", "max_blocks") for value in (1, None)),
    ],
)
def test_a_valid_value_is_accepted(name, value):
    assert getattr(Options(**{name: value}), name) == value


def test_a_model_can_be_a_path():
    assert Options(model=Path("a/b")) == Options(model=str(Path("a/b")))


def test_replace_changes_only_the_given_options():
    options = Options(threshold=0.3, blocks="none").replace(threshold=0.7)
    assert options == Options(threshold=0.7, blocks="none")


def test_replace_validates_values():
    with pytest.raises(ValueError, match=r"^threshold: expected"):
        Options().replace(threshold=2)


def test_replace_names_unknown_options():
    with pytest.raises(
        ValueError, match=r"^unknown option speed, treshold \(did you mean threshold\?\); expected some of model"
    ):
        Options().replace(treshold=0.5, speed=1)


def test_a_list_of_block_fields_becomes_a_tuple():
    assert Options(block_fields=["text", "path"]) == Options(block_fields=("text", "path"))


def test_options_cannot_be_changed():
    with pytest.raises(dataclasses.FrozenInstanceError):
        Options().threshold = 0.5


def test_options_are_compared_and_hashed_by_value():
    assert {Options(threshold=0.5), Options(threshold=0.5), Options()} == {Options(), Options(threshold=0.5)}


def test_options_can_be_pickled():
    options = Options(model="./folder", threshold=0.4)
    assert pickle.loads(pickle.dumps(options)) == options


@pytest.mark.parametrize("value", ["auto", True, False])
def test_the_option_fragment_is_auto_true_or_false(value):
    assert Options(fragment=value).fragment is value


@pytest.mark.parametrize("value", ["yes", None, 1, 0, [], "True"])
def test_other_values_of_the_option_fragment_are_refused(value):
    with pytest.raises(OptionError, match="fragment: expected 'auto', True or False, got"):
        Options(fragment=value)
