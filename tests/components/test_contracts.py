"""``@main_text`` as ``scrapy check`` runs it."""

from __future__ import annotations

import subprocess
import sys
import unittest
from typing import TYPE_CHECKING, Any

import pytest
from mockserver import ADDON, SENTENCE, article, crawl
from scrapy import Spider
from scrapy.contracts import ContractsManager
from scrapy.contracts.default import MetadataContract, UrlContract
from scrapy.settings import Settings

from scrapy_web2text import Addon, Extractor
from scrapy_web2text.contracts import MainTextContract

if TYPE_CHECKING:
    from mockserver import MockSite

N_WORDS = 2 + 6 * len(SENTENCE.split())
CONTRACTS = [UrlContract, MetadataContract, MainTextContract]


def check(url: str, contracts: str, settings: dict[str, Any] | None = None, **attributes: Any):
    """Run the contracts of a callback as ``scrapy check`` does; return the failures, the errors and the crawl."""
    outcome = unittest.TestResult()

    class Pages(Spider):
        name = "pages"

        async def start(self):
            for request in ContractsManager(CONTRACTS).from_spider(self, outcome):
                yield request

        def parse(self, response):
            return {"url": response.url}

    Pages.parse.__doc__ = f"@url {url}\n{contracts}"
    for name, value in attributes.items():
        setattr(Pages, name, value)
    result = crawl(Pages, settings)
    return [text for _, text in outcome.failures], [text for _, text in outcome.errors], result


def test_a_page_keeps_the_contract_if_it_has_enough_words(site: MockSite):
    for contract in (f"@main_text {N_WORDS}", "@main_text", "@main_text 0"):
        failures, errors, _ = check(site.url("/article"), contract)
        assert (failures, errors) == ([], [])
    (failure,), errors, _ = check(site.url("/article"), f"@main_text {N_WORDS + 1}")
    assert errors == []
    assert (
        f"expected at least {N_WORDS + 1} words of main text at {site.url('/article')}, found {N_WORDS}: <Extraction "
    ) in failure
    assert "model='shallow:numwords' confidence=0.9" in failure
    assert "text='The bridge\\nThe old bridge over the river" in failure


def test_words_are_letters_in_scripts_without_spaces(site: MockSite):
    url = site.add("/page", article("川にかかる古い橋は、町の人々の手でその年の春に建て直された。" * 8))
    failures, errors, _ = check(url, "@main_text 1000")
    assert (failures, errors) == ([], [])


@pytest.mark.parametrize(
    ("body", "status", "content_type", "found"),
    [
        ("<html><body></body></html>", 200, "text/html", "method='rules' page_kind='empty' model='shallow:numwords'"),
        (b"\x89PNG\r\n", 200, "image/png", "reason='not_html'"),
        (article() + " " * 20_000, 200, "text/html", "reason='max_bytes'"),
    ],
    ids=["empty", "png", "too-long"],
)
def test_a_page_without_text_breaks_it(site: MockSite, body, status, content_type, found):
    url = site.add("/page", body, status=status, content_type=content_type)
    (failure,), errors, _ = check(url, "@main_text", {"WEB2TEXT_MAX_BYTES": 10_000})
    assert "found 0: <Extraction " in failure
    assert found in failure
    assert errors == []


def test_the_options_of_spider_and_request_apply(site: MockSite):
    url = site.url("/article")
    assert check(url, "@main_text", web2text={"max_bytes": 100})[0]
    assert check(url, '@main_text\n@meta {"web2text": {"max_bytes": 100}}')[0]
    assert not check(url, '@main_text\n@meta {"web2text": {"max_bytes": 100000}}', web2text={"max_bytes": 100})[0]


def test_the_result_of_the_middleware_is_reused(site: MockSite, monkeypatch):
    calls = []
    extract = Extractor.extract
    monkeypatch.setattr(Extractor, "extract", lambda *args, **kwargs: calls.append(1) or extract(*args, **kwargs))
    failures, _, result = check(site.url("/article"), '@main_text 50\n@meta {"web2text": true}', ADDON)
    assert (failures, len(calls), result.web2text_stats["pages"]) == ([], 1, 1)


@pytest.mark.parametrize("words", ["many", "50 60", "-1"])
def test_an_impossible_number_is_an_error_with_a_message(site: MockSite, words):
    failures, (error,), _ = check(site.url("/article"), f"@main_text {words}")
    assert failures == []
    assert f"@main_text: expected a whole number of words, got '{words}'" in error


@pytest.mark.parametrize("place", [None, 7])
@pytest.mark.parametrize("key", [MainTextContract, "scrapy_web2text.contracts.MainTextContract"])
def test_the_addon_keeps_a_contract_that_the_user_has_placed(key, place):
    settings = Settings({"SPIDER_CONTRACTS": {key: place}})
    Addon.update_pre_crawler_settings(settings)
    assert dict(settings["SPIDER_CONTRACTS"]) == {key: place}


@pytest.fixture
def project(tmp_path):
    """Write a project with one spider and return its folder."""

    def write(url: str) -> Any:
        (tmp_path / "scrapy.cfg").write_text("[settings]\ndefault = shop\n")
        (tmp_path / "shop.py").write_text(
            "import scrapy\nSPIDER_MODULES = ['shop']\nADDONS = {'scrapy_web2text.Addon': 300}\n"
            "WEB2TEXT_MODEL = 'shallow:numwords'\n"
            "class Pages(scrapy.Spider):\n    name = 'pages'\n    def parse(self, response):\n"
            f'        """@url {url}\n        @main_text 50\n        """\n        yield {{"url": response.url}}\n'
            f'    async def parse_all(self, response):\n        """@url {url}\n        @main_text 5000\n        """\n'
        )
        return tmp_path

    return write


def test_scrapy_check_knows_the_contract_by_the_addon(site: MockSite, project):
    done = subprocess.run(
        [sys.executable, "-m", "scrapy", "check", "-v"],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
        cwd=project(site.url("/article")),
    )
    assert done.returncode == 1
    assert "[pages] parse (@main_text pre-hook) ... ok" in done.stderr
    assert "[pages] parse_all (@main_text pre-hook) ... FAIL" in done.stderr
    assert f"expected at least 5000 words of main text at {site.url('/article')}, found {N_WORDS}" in done.stderr
