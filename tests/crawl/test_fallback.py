"""One crawl that meets every reason to fall back: answered by the rules, counted, and logged once each."""

from __future__ import annotations

import logging
from typing import Any

import numpy as np
import pytest
from mockserver import ADDON, NAVIGATION, SENTENCE, CrawlResult, MockSite, article, crawl, spider_of
from random_models import make_tensors, write_model
from scrapy import Request
from slow_labeler import SlowLabeler

from scrapy_web2text.labelers import registry

RULES = "shallow:numwords"
# More blocks than the default max_blocks.
LARGE = "<body>" + f"<p>{SENTENCE}</p>" * 3 + "<p>a" * 60_000
BANNER = "<p>We and our partners use cookies to store information on your device, and you may change this at any time."
WALL = f"<body><ul>{NAVIGATION * 40}</ul>{BANNER}"
REASONS = ("no_model", "too_large", "timeout", "model_error", "empty", "low_confidence")


@pytest.fixture
def options(tmp_path, monkeypatch) -> dict[str, dict[str, Any]]:
    """Options that cause each fallback reason, by a model, a page or a limit."""
    truncated = write_model(tmp_path / "truncated")
    (truncated / "weights.safetensors").write_bytes((truncated / "weights.safetensors").read_bytes()[:1000])
    huge = make_tensors()
    huge["unary.0.weight"][:] = 3e38
    keeping = write_model(tmp_path / "keeping", content_odds=3.0, name="keeping")
    # Each block has the probability 0.5, which is not enough for Viterbi: it selects nothing, but expects content.
    zeros = {name: np.zeros_like(tensor) for name, tensor in make_tensors().items()}
    rejecting = write_model(tmp_path / "rejecting", tensors=zeros, name="rejecting")
    get_labeler = registry.get_labeler
    monkeypatch.setattr(registry, "get_labeler", lambda name: SlowLabeler() if name == "./slow" else get_labeler(name))
    return {
        "no_model": {"model": str(truncated), "on_missing_model": "fallback"},
        "too_large": {"model": str(keeping)},
        "timeout": {"model": "./slow", "timeout": 60},
        "model_error": {"model": str(write_model(tmp_path / "huge", tensors=huge))},
        "empty": {"model": str(rejecting)},
        "low_confidence": {"model": str(keeping), "min_confidence": 1, "on_low_confidence": "fallback"},
    }


def crawl_all(site: MockSite, options: dict[str, dict[str, Any]], **settings: Any) -> CrawlResult:
    """Crawl two pages for each of *options*, whose name is the page's path."""

    async def start(self):
        for reason, overrides in options.items():
            for number in range(2):
                url = site.add(f"/{reason}/{number}", LARGE if reason == "too_large" else article())
                yield Request(url, meta={"web2text": overrides})

    result = crawl(spider_of(start=start), {**ADDON, "WEB2TEXT_BLOCKS": "content", **settings})
    assert "log_count/ERROR" not in result.stats
    return result


def test_each_reason_is_answered_by_the_rules_counted_and_logged_once(site, options, caplog):
    caplog.set_level(logging.INFO)
    result = crawl_all(site, options)
    assert len(result.items) == 2 * len(REASONS)
    for item in result.items:
        reason = item["url"].split("/")[-2]
        summary = item["web2text"]
        assert (summary["method"], summary["model"], summary["reason"]) == ("rules", RULES, reason)
        assert SENTENCE in item["main_content"]
        assert all(0 < block["probability"] < 1 for block in item["blocks"])
    stats = result.web2text_stats
    assert {name: stats[name] for name in stats if name.startswith("fallback/")} == {
        f"fallback/{reason}": 2 for reason in REASONS
    }
    assert stats["method/rules"] == stats["pages"] == 12
    logged = [record.getMessage() for record in caplog.records if "The model did not answer" in record.getMessage()]
    assert len(logged) == len(REASONS)
    assert all(any(message.endswith(f"/{reason}") for message in logged) for reason in REASONS)


def test_each_reason_is_on_the_item_without_a_fallback(site, options):
    del options["no_model"]  # such a model is an error then, and the settings' own model is taken
    result = crawl_all(site, options, WEB2TEXT_FALLBACK="none")
    for item in result.items:
        assert (item["main_content"], item["web2text"]["method"]) == ("", "none")
        assert item["web2text"]["reason"] == item["url"].split("/")[-2]
    assert len(result.items) == 10


def test_a_page_without_main_content_is_marked_and_counted(site, options):
    result = crawl(spider_of(site.add("/wall", WALL), web2text=options["empty"]), ADDON)
    (item,) = result.items
    assert item["main_content"] == ""
    assert (item["web2text"]["method"], item["web2text"]["reason"]) == ("model", None)
    assert item["web2text"]["no_main_content"] is True
    assert result.web2text_stats == {"pages": 1, "method/model": 1, "no_main_content": 1, "low_confidence": 1}
    assert result.stats["web2text/page_kind/index"] == 1
