from __future__ import annotations

import subprocess
import sys
from typing import Any, ClassVar

import pytest
from mockserver import SENTENCE, MockSite, crawl
from scrapy import Spider
from scrapy.settings import Settings

from scrapy_web2text import (
    Addon,
    Web2TextDownloaderMiddleware,
    Web2TextPipeline,
    Web2TextSpiderMiddleware,
    addon,
)

ADDONS = {"ADDONS": {"scrapy_web2text.Addon": 300}}
PLACES = [
    ("ITEM_PIPELINES", Web2TextPipeline, 300),
    ("SPIDER_MIDDLEWARES", Web2TextSpiderMiddleware, 100),
    ("DOWNLOADER_MIDDLEWARES", Web2TextDownloaderMiddleware, 540),
]


def spider_of(url: str, settings: dict[str, Any]) -> type[Spider]:
    class Pages(Spider):
        name = "pages"
        start_urls: ClassVar = [url]
        custom_settings: ClassVar = settings

        def parse(self, response):
            yield {"n": 1}

    return Pages


@pytest.mark.parametrize(("name", "component", "place"), PLACES, ids=[name for name, _, _ in PLACES])
def test_the_addon_puts_each_component_at_its_place(name, component, place):
    settings = Settings()
    Addon().update_settings(settings)
    assert settings[name][component] == place


@pytest.mark.parametrize("choice", [None, 7])
@pytest.mark.parametrize("as_path", [True, False], ids=["path", "class"])
@pytest.mark.parametrize(("name", "component", "place"), PLACES, ids=[name for name, _, _ in PLACES])
def test_the_choice_of_the_user_wins(name, component, place, as_path, choice):
    key = f"scrapy_web2text.{component.__name__}" if as_path else component
    settings = Settings({name: {key: choice}})
    Addon().update_settings(settings)
    assert dict(settings[name]) == {key: choice}


def test_one_line_of_settings_is_enough(site: MockSite):
    (item,) = crawl(spider_of(site.url("/article"), ADDONS)).items
    assert SENTENCE in item["main_content"]


def test_one_line_of_project_settings_is_enough(site: MockSite):
    (item,) = crawl(spider_of(site.url("/article"), {}), ADDONS).items
    assert SENTENCE in item["main_content"]


def test_a_spider_can_switch_the_pipeline_off(site: MockSite):
    spider = spider_of(site.url("/article"), {"ITEM_PIPELINES": {Web2TextPipeline: None}})
    assert crawl(spider, ADDONS).items == [{"n": 1}]


@pytest.mark.parametrize("module", ["scrapy_web2text", "scrapy_web2text.addon", "scrapy_web2text.crawl.settings"])
def test_importing_loads_neither_numpy_nor_a_reactor(module):
    code = (
        f"import sys, {module}; "
        "print(sorted({'numpy', 'torch', 'twisted.internet.reactor', 'scrapy_web2text.extractor'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == "[]"


PROVIDER = "scrapy_web2text.poet.MainContentProvider"


def test_the_provider_is_registered_with_scrapy_poet():
    settings = Settings()
    Addon().update_settings(settings)
    assert dict(settings["SCRAPY_POET_PROVIDERS"]) == {PROVIDER: 500}


def test_the_provider_is_not_registered_without_scrapy_poet(monkeypatch):
    monkeypatch.setattr(addon, "find_spec", {}.get)
    settings = Settings()
    Addon().update_settings(settings)
    assert "SCRAPY_POET_PROVIDERS" not in settings


@pytest.mark.parametrize("as_path", [True, False], ids=["path", "class"])
@pytest.mark.parametrize("choice", [None, 7])
def test_a_provider_that_the_user_has_placed_is_kept(as_path, choice):
    from scrapy_web2text.poet import MainContentProvider

    key = PROVIDER if as_path else MainContentProvider
    settings = Settings({"SCRAPY_POET_PROVIDERS": {key: choice}})
    Addon().update_settings(settings)
    assert dict(settings["SCRAPY_POET_PROVIDERS"]) == {key: choice}


def test_other_providers_of_the_user_are_kept():
    settings = Settings({"SCRAPY_POET_PROVIDERS": {"shop.Provider": 100}})
    Addon().update_settings(settings)
    assert dict(settings["SCRAPY_POET_PROVIDERS"]) == {"shop.Provider": 100, PROVIDER: 500}


def test_a_crawl_without_scrapy_poet_loads_none_of_it():
    code = (
        "import sys; from scrapy.settings import Settings; from scrapy_web2text import Addon; settings = Settings(); "
        "Addon().update_settings(settings); Addon.update_pre_crawler_settings(settings); "
        "print([name for name in sys.modules if 'poet' in name or name == 'scrapy_web2text.contracts'])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == "[]"
