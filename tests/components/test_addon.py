from __future__ import annotations

import pytest
from mockserver import ADDON, SENTENCE, MockSite, crawl, spider_of
from scrapy import Field, Item
from scrapy.exceptions import DropItem
from scrapy.logformatter import LogFormatter
from scrapy.settings import Settings
from scrapy.utils.test import get_crawler
from subprocesses import loaded_by

from scrapy_web2text import (
    Addon,
    MainContentItem,
    Web2TextDownloaderMiddleware,
    Web2TextPipeline,
    Web2TextSpiderMiddleware,
    addon,
)
from scrapy_web2text.crawl.items import ItemLine
from scrapy_web2text.poet import MainContentProvider

PROVIDER = "scrapy_web2text.poet.MainContentProvider"
PLACES = [
    ("ITEM_PIPELINES", Web2TextPipeline, 300),
    ("SPIDER_MIDDLEWARES", Web2TextSpiderMiddleware, 100),
    ("DOWNLOADER_MIDDLEWARES", Web2TextDownloaderMiddleware, 540),
]


def parse(self, response):
    yield {"n": 1}


def test_the_addon_puts_each_component_at_its_place_and_keeps_others():
    settings = Settings({"SCRAPY_POET_PROVIDERS": {"shop.Provider": 100}})
    Addon().update_settings(settings)
    assert [settings[name][component] for name, component, _ in PLACES] == [place for *_, place in PLACES]
    assert dict(settings["SCRAPY_POET_PROVIDERS"]) == {"shop.Provider": 100, PROVIDER: 1200}


@pytest.mark.parametrize("given", [None, 7])
@pytest.mark.parametrize("as_path", [True, False], ids=["path", "class"])
@pytest.mark.parametrize(("name", "component", "place"), PLACES, ids=[name for name, _, _ in PLACES])
def test_what_the_user_has_placed_stays(name, component, place, as_path, given):
    key = f"scrapy_web2text.{component.__name__}" if as_path else component
    settings = Settings({name: {key: given}})
    Addon().update_settings(settings)
    assert dict(settings[name]) == {key: given}


@pytest.mark.parametrize("place", ["spider", "project"])
def test_one_line_of_settings_is_enough(site: MockSite, place):
    of_spider, of_project = (ADDON, {}) if place == "spider" else ({}, ADDON)
    (item,) = crawl(spider_of(site.url("/article"), custom_settings=of_spider, parse=parse), of_project).items
    assert SENTENCE in item["main_content"]


@pytest.mark.parametrize("component", ["scrapy_web2text.Addon", "scrapy_web2text.addon.Addon", Addon])
@pytest.mark.parametrize("place", ["EXTENSIONS", "ITEM_PIPELINES", "DOWNLOADER_MIDDLEWARES"])
def test_the_addon_in_another_setting_ends_the_crawl_at_its_start(place, component):
    with pytest.raises(ValueError, match=r"^Addon belongs in ADDONS = {'scrapy_web2text.Addon': 300}, not in another"):
        Addon.from_crawler(get_crawler(settings_dict={place: {component: 300}}))


def test_an_addon_of_ones_own_can_be_a_subclass(site: MockSite):
    class Mine(Addon):
        pass

    (item,) = crawl(spider_of(site.url("/article"), parse=parse), {"ADDONS": {Mine: 1}}).items
    assert SENTENCE in item["main_content"]


def test_a_spider_can_switch_the_pipeline_off(site: MockSite):
    settings = {"ITEM_PIPELINES": {Web2TextPipeline: None}}
    assert crawl(spider_of(site.url("/article"), custom_settings=settings, parse=parse), ADDON).items == [{"n": 1}]


@pytest.mark.parametrize("module", ["scrapy_web2text.addon", "scrapy_web2text.crawl.settings"])
def test_importing_loads_neither_numpy_nor_a_reactor(module):
    loaded = loaded_by(f"import {module}", "numpy", "torch", "twisted.internet.reactor", "scrapy_web2text.extractor")
    assert loaded == ""


def test_the_provider_is_not_registered_without_scrapy_poet(monkeypatch):
    monkeypatch.setattr(addon, "find_spec", {}.get)
    settings = Settings()
    Addon().update_settings(settings)
    assert "SCRAPY_POET_PROVIDERS" not in settings


@pytest.mark.parametrize("given", [None, 7])
@pytest.mark.parametrize("key", [PROVIDER, MainContentProvider], ids=["path", "class"])
def test_a_provider_that_the_user_has_placed_is_kept(key, given):
    settings = Settings({"SCRAPY_POET_PROVIDERS": {key: given}})
    Addon().update_settings(settings)
    assert dict(settings["SCRAPY_POET_PROVIDERS"]) == {key: given}


def test_a_crawl_without_scrapy_poet_loads_none_of_it():
    code = (
        "from scrapy.settings import Settings; from scrapy_web2text import Addon; settings = Settings(); "
        "Addon().update_settings(settings); Addon.update_pre_crawler_settings(settings)"
    )
    assert loaded_by(code, "scrapy_poet", "web_poet", "scrapy_web2text.poet", "scrapy_web2text.contracts") == ""


class PlainItem(Item):
    url = Field()
    main_content = Field()


@pytest.mark.parametrize("item_class", [dict, PlainItem, MainContentItem], ids=lambda each: each.__name__)
@pytest.mark.parametrize("fate", ["scraped", "dropped", "failed"])
def test_the_log_has_no_whole_texts(site: MockSite, caplog, item_class, fate):
    class Later:
        def process_item(self, item):
            if fate == "dropped":
                raise DropItem("on purpose")
            return item if fate == "scraped" else 1 / 0

    def parse(self, response):
        yield item_class(url=response.url)
        yield {"url": "https://other.test/", "html": response.text}
        yield response.text

    caplog.set_level("DEBUG")
    settings = {**ADDON, "ITEM_PIPELINES": {Later: 400}}
    crawl(spider_of(site.url("/article"), parse=parse), settings)
    lines = [record.getMessage() for record in caplog.records if record.name.startswith(("scrapy.core", "scrapy_web"))]
    begin = {"scraped": "Scraped from <200", "dropped": "Dropped: on purpose", "failed": "Error processing "}[fate]
    assert any(line.startswith(begin) and f"'url': '{site.url('/article')}'" in line for line in lines)
    assert not any(f"{SENTENCE} {SENTENCE}" in line for line in lines)


def test_short_items_are_logged_as_they_are_and_long_ones_in_parts():
    item = {"url": "https://a.test/", "n": 1}
    assert str(ItemLine(item)) == str(item)
    long = PlainItem(url="https://a.test/", main_content="a " * 500)
    beginning = "a " * 59
    assert str(ItemLine(long)) == f"PlainItem{{'url': 'https://a.test/', 'main_content': '{beginning}…}}"


def test_a_log_that_the_user_has_chosen_stays():
    for priority, formatter in (("project", "shop.Log"), ("cmdline", LogFormatter)):
        settings = Settings()
        settings.set("LOG_FORMATTER", formatter, priority)
        Addon().update_settings(settings)
        assert settings["LOG_FORMATTER"] == formatter
