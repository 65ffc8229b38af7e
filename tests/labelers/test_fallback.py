from __future__ import annotations

from dataclasses import replace

import pytest

from scrapy_web2text.labelers.fallback import holds_main_content
from scrapy_web2text.labelers.registry import get_rules
from scrapy_web2text.page.arrays import tree_to_page
from scrapy_web2text.page.parse import to_tree

TEXT = "The old bridge over the river was rebuilt by the people of the whole town in spring, and it is open."
BANNER = "We and our partners use cookies to store information on your device, and you may change this at any time."
LINK = "<a>some words about other bridges</a>"


def holds(html: str, rules: str = "shallow:min-words") -> bool:
    page = tree_to_page(to_tree(html))
    return holds_main_content(page, get_rules(rules).label(page))


@pytest.mark.parametrize(
    "html",
    [
        "<p></p>",
        "<p>Home",
        f"<p>{BANNER}",
        f"<p>{BANNER}<p>{BANNER}<p>{TEXT}",
        "<p>Wir verwenden Techniken wie Speicher im Gerät und bitten dafür um Ihre Einwilligung nach der Verordnung.",
        "<p>本サイトでは、サービスの向上のためにクッキーを使用しています。",
        f"<p>{LINK} {LINK} {LINK} and two more words",
        "<p>A lamp for 12.00" * 99 + f"<p>{TEXT}",
    ],
    ids=["no-text", "nothing-selected", "banner", "mostly-banner", "german", "japanese", "links", "pieces"],
)
def test_a_banner_or_a_list_of_links_is_not_main_content(html):
    assert not holds(html)


@pytest.mark.parametrize(
    "html",
    [
        f"<p>{TEXT}",
        f"<p>{TEXT}<p>{TEXT}<p>{BANNER}",
        "<p>" + f"{BANNER} " * 10,
        f"<p>{TEXT} {TEXT} {LINK}",
    ],
    ids=["text", "mostly-text", "long-text-on-cookies", "few-links"],
)
def test_an_article_can_be_main_content(html):
    assert holds(html)


def test_rules_without_probabilities_are_trusted():
    page = tree_to_page(to_tree("<p>A lamp for 12.00" * 99 + f"<p>{TEXT}"))
    labeling = get_rules("shallow:min-words").label(page)
    assert holds_main_content(page, replace(labeling, probabilities=None))
