from __future__ import annotations

from typing import get_args

from scrapy_web2text.reasons import REASONS, Reason, SkipReason


def test_every_reason_has_a_sentence():
    assert set(REASONS) == set(get_args(Reason))
    assert len(set(REASONS.values())) == len(REASONS)


def test_reasons_to_skip_a_page_are_fallback_reasons():
    assert set(get_args(SkipReason)) < set(get_args(Reason))
