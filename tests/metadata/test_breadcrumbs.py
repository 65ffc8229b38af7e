from __future__ import annotations

import json

import pytest

from scrapy_web2text.extraction import Breadcrumb
from scrapy_web2text.metadata.read import read_metadata
from scrapy_web2text.page.arrays import tree_to_page
from scrapy_web2text.page.parse import to_tree

BASE = "https://example.org/news/a"
HOME, NEWS = Breadcrumb("Home", "https://example.org/"), Breadcrumb("News", "https://example.org/news")


def read(body: str, data: object = None) -> tuple[Breadcrumb, ...]:
    script = "" if data is None else f'<script type="application/ld+json">{json.dumps(data)}</script>'
    root = to_tree(f"<html><head>{script}</head><body>{body}</body></html>")
    return read_metadata(tree_to_page(root), url=BASE).breadcrumbs


def crumbs(*parts: object) -> dict[str, object]:
    return {"@type": "BreadcrumbList", "itemListElement": [*parts]}


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (crumbs({"name": "Home", "item": "/"}, {"name": "News", "item": "https://example.org/news"}), (HOME, NEWS)),
        (
            crumbs(
                {"position": 2, "item": {"@id": "/news", "name": "News"}},
                {"position": "1", "item": {"url": "/", "name": "Home"}},
            ),
            (HOME, NEWS),
        ),
        ({"@graph": [{"@type": "WebPage"}, crumbs({"name": "Home", "item": "/"})]}, (HOME,)),
        ({"@type": "WebPage", "breadcrumb": crumbs({"name": "Home", "item": "/"})}, (HOME,)),
        (crumbs({"name": "Home", "item": "/"}, {"name": "This page"}), (HOME, Breadcrumb("This page"))),
        ({"@type": "BreadcrumbList", "itemListElement": {"name": "Home", "item": "/"}}, (HOME,)),
        (crumbs({"name": "Bad", "item": "javascript:x()"}), (Breadcrumb("Bad"),)),
        (crumbs(*({"name": f"{i}"} for i in range(99))), tuple(Breadcrumb(f"{i}") for i in range(20))),
        (crumbs({"position": 1}, "text", None, {"name": 5}, {"name": "a" * 300}), ()),
        ({"@type": "BreadcrumbList"}, ()),
    ],
)
def test_json_ld_names_the_breadcrumbs(data, expected):
    assert read("", data) == expected


def test_microdata_name_the_breadcrumbs():
    item = '<li itemprop=itemListElement itemscope itemtype="https://schema.org/ListItem">'
    body = (
        f'<ol itemscope itemtype="https://schema.org/BreadcrumbList">{item}<a itemprop=item href=/news>'
        f"<b itemprop=name>News</b></a><meta itemprop=position content=2></li>{item}<a itemprop=item href=/>"
        "<b itemprop=name>Home</b></a><meta itemprop=position content=1></li></ol>"
    )
    assert read(body) == (HOME, NEWS)


@pytest.mark.parametrize(
    "body",
    [
        "<nav aria-label=Breadcrumb><a href=/>Home</a> / <a href=/news>News</a> / This page</nav>",
        "<ul class='nav BreadCrumbs'><li><a href=/> Home </a><li><a href=/news><b>Ne</b>ws</a><li><a href=/x></a></ul>",
        "<div id=breadcrumb></div><div class=breadcrumb-list><a href=/>Home</a><a href=/news>News</a></div>",
    ],
)
def test_shown_links_are_the_breadcrumbs_if_the_markup_names_none(body):
    assert read(body) == (HOME, NEWS)
    assert read(body, crumbs({"name": "Home", "item": "/"})) == (HOME,)


@pytest.mark.parametrize(
    "body",
    [
        "<nav><a href=/>Home</a></nav>",
        f"<div class=has-breadcrumb>{'<a href=/>Home</a>' * 30}</div>",
        f"<p class=breadcrumb><a href=/>{'x' * 300}</a></p>",
        "<p class=breadcrumb><a>Home</a></p>",
    ],
)
def test_other_links_are_not_breadcrumbs(body):
    assert read(body) == ()
