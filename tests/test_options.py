from __future__ import annotations

import logging
import pickle
import re
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from scrapy_web2text import Extractor, exceptions
from scrapy_web2text.common.option import find_idle
from scrapy_web2text.options import LabelerFacts, OptionError, Options

RULES = "shallow:numwords"


SWITCHES = ("links", "images", "tables")
LIMITS = ("timeout", "max_bytes", "max_blocks")
NAN = float("nan")
INVALID = {
    ("model", "fallback"): (5, b"x", "", " ", ["x"]),
    ("model",): (None,),
    ("threshold",): (0, 1, -0.1, NAN, "most"),
    ("min_confidence",): (-0.01, 1.01, NAN),
    ("threshold", "min_confidence"): ("0.5", "x", [0.5], True),
    ("decoder", "on_low_confidence", "on_missing_model", "blocks"): ("none of these", 5, True, []),
    ("on_low_confidence", "on_missing_model", "blocks"): (None,),
    ("fragment",): ("yes", None, 1, 0, [], "True"),
    ("block_fields",): (("text", "xpath"), (), [], "", "text,", None, 5, [["text"]]),
    SWITCHES: ("dropped", True, None, []),
    ("title", "text_layout"): ("keep", False, None, ""),
    ("html", "markdown", "paragraphs", "metadata", "page_kind"): (1, 0, None, "True"),
    LIMITS: (0, -1, NAN, float("inf"), "5", True, [5]),
    ("max_bytes", "max_blocks"): (1.5,),
    ("chunks",): (0, -1, True, "5", 1.5),
}
VALID = {
    ("model",): ("./folder",),
    ("fallback",): (None,),
    ("threshold",): (None, "precision", "recall", 0.001, 0.999, np.float32(0.5)),
    ("min_confidence",): (None, 0, 1),
    ("decoder",): (None,),
    ("fragment",): ("auto", True, False),
    ("block_fields",): (("path",), ("text", "path")),
    ("timeout",): (0.5,),
    LIMITS: (1, None, np.int64(5)),
}


@pytest.mark.parametrize("names", INVALID, ids="-".join)
def test_an_invalid_value_is_an_error_that_names_the_option(names):
    for name, value in product(names, INVALID[names]):
        with pytest.raises(OptionError, match=f"^{name}: expected .*, got {re.escape(repr(value))}$"):
            Options(**{name: value})


@pytest.mark.parametrize("names", VALID, ids="-".join)
def test_a_valid_value_is_accepted(names):
    for name, value in product(names, VALID[names]):
        assert repr(getattr(Options(**{name: value}), name)) == repr(value)


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


@pytest.mark.parametrize(
    ("name", "end"),
    [
        ("WEB2TEXT_THRESHOLD", " (did you mean threshold?)"),
        ("preset", " (renamed to threshold)"),
        ("sites", "; rules for sites apply in crawls (WEB2TEXT_SITES) and commands (--sites) only"),
    ],
)
def test_an_option_under_another_name_is_answered_without_a_list(name, end):
    with pytest.raises(ValueError, match=f"^{re.escape(f'unknown option {name}{end}')}$"):
        Options().replace(**{name: 0.5})


def test_block_fields_are_a_list_or_a_string_with_commas():
    assert Options(block_fields=["text", "path"]) == Options(block_fields="text,path")


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"model": RULES},
        {"threshold": "recall"},
        {"threshold": 0.6, "decoder": "marginal"},
        {"min_confidence": 0.5, "on_low_confidence": "flag"},
        {"min_confidence": 0.5, "on_low_confidence": "drop", "fallback": None},
        {"on_missing_model": "fallback"},
        {"block_fields": ("path",)},
        {"blocks": "none"},
        {"model": RULES, "threshold": 0.6},
        {"lead": "include", "comments": "separate", "posts": True},
    ],
    ids=str,
)
def test_options_that_go_together_have_an_effect(options):
    options = Options(**options)
    by_rules = options.model == RULES
    assert list(find_idle(options, LabelerFacts(by_rules, has_roles=not by_rules))) == []


@pytest.mark.parametrize(
    ("options", "name", "why"),
    [
        (
            {"model": RULES, "threshold": "recall"},
            "threshold",
            "`model` is 'shallow:numwords', and rules have no named thresholds",
        ),
        (
            {"model": RULES, "posts": True},
            "posts",
            "`model` is 'shallow:numwords', which does not predict the roles of blocks",
        ),
        ({"model": "bte", "lead": "include"}, "lead", "`model` is 'bte', which does not predict the roles of blocks"),
        (
            {"model": RULES, "decoder": "viterbi"},
            "decoder",
            "`model` is 'shallow:numwords', and rules have no decoders",
        ),
        (
            {"min_confidence": 0.5},
            "min_confidence",
            '`on_low_confidence` is "keep"; expected "flag", "fallback" or "drop"',
        ),
        (
            {"on_low_confidence": "drop"},
            "on_low_confidence",
            "`min_confidence` is None, so no confidence counts as low",
        ),
        (
            {"on_missing_model": "fallback", "fallback": None},
            "on_missing_model",
            "`fallback` is None, so there are no rules to fall back to",
        ),
        ({"blocks": "none", "block_fields": ("path",)}, "block_fields", '`blocks` is "none"'),
    ],
    ids=lambda value: str(value)[:60],
)
def test_an_option_without_effect_is_one_warning(caplog, options, name, why):
    exceptions.warn_once.cache_clear()
    for _ in range(3):
        Extractor(**options)
    (record,) = caplog.records
    assert record.levelno == logging.WARNING
    assert record.getMessage() == f"The option {name} has no effect: {why.replace('`', '')}"
    assert Extractor(Options(**options), warns=False).warnings == [(name, f"has no effect: {why}")]


def test_strings_of_other_classes_become_plain_ones_which_workers_know():
    class Local(str):
        __slots__ = ()

    given = {"model": RULES, "include": "#main", "title_selector": "h1"}
    lists = {"exclude": [".x"], "block_fields": ["text", "label"]}
    options = Options(
        **{name: Local(value) for name, value in given.items()},
        **{name: [*map(Local, values)] for name, values in lists.items()},
    )
    assert pickle.loads(pickle.dumps(options)) == options
    assert options == Options(**given, **lists)
