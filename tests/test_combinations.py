from __future__ import annotations

import logging

import pytest

from scrapy_web2text import Extractor
from scrapy_web2text.combinations import find_idle_options
from scrapy_web2text.labelers import choice
from scrapy_web2text.options import Options

RULES = "shallow:numwords"


@pytest.mark.parametrize("model", ["web2text-2026", RULES])
def test_the_defaults_have_an_effect(model):
    options = Options(model=model)
    assert list(find_idle_options(options, by_rules=model == RULES)) == []


@pytest.mark.parametrize(
    "options",
    [
        {"preset": "recall"},
        {"threshold": 0.6, "decoder": "marginal"},
        {"min_confidence": 0.5, "on_low_confidence": "flag"},
        {"min_confidence": 0.5, "on_low_confidence": "drop", "fallback": None},
        {"on_missing_model": "fallback"},
        {"block_fields": ("path",)},
        {"blocks": "none"},
        {"model": RULES, "threshold": 0.6},
    ],
    ids=str,
)
def test_options_that_go_together_have_an_effect(options):
    options = Options(**options)
    assert list(find_idle_options(options, by_rules=options.model == RULES)) == []


@pytest.mark.parametrize(
    ("options", "name", "why"),
    [
        ({"model": RULES, "preset": "recall"}, "preset", "model is 'shallow:numwords', and rules have no presets"),
        ({"model": RULES, "decoder": "viterbi"}, "decoder", "model is 'shallow:numwords', and rules have no decoders"),
        ({"preset": "recall", "threshold": 0.6}, "preset", "threshold is 0.6 and takes precedence"),
        (
            {"min_confidence": 0.5},
            "min_confidence",
            'on_low_confidence is "keep"; expected "flag", "fallback" or "drop"',
        ),
        ({"on_low_confidence": "drop"}, "on_low_confidence", "min_confidence is None, so that no confidence is low"),
        (
            {"on_missing_model": "fallback", "fallback": None},
            "on_missing_model",
            "fallback is None, so that there are no rules to fall back to",
        ),
        ({"blocks": "none", "block_fields": ("path",)}, "block_fields", 'blocks is "none"'),
    ],
    ids=lambda value: str(value)[:60],
)
def test_an_option_without_effect_is_one_warning(caplog, options, name, why):
    choice._warn_once.cache_clear()
    for _ in range(3):
        Extractor(**options)
    (record,) = caplog.records
    assert record.levelno == logging.WARNING
    assert record.getMessage() == f"The option {name} has no effect: {why}"
