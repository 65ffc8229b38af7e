from __future__ import annotations

import numpy as np
import pytest

from scrapy_web2text.features.modern.page import modern_features
from scrapy_web2text.labelers.modern.apart import find_headline_block
from scrapy_web2text.labelers.modern.next_articles import drop_next_articles, find_next_articles
from scrapy_web2text.labelers.modern.repeats import read_headings
from scrapy_web2text.page.arrays import tree_to_page
from scrapy_web2text.page.blocks import MODERN_BLOCKS, segment
from scrapy_web2text.page.parse import to_tree

PROSE = "<p>" + "The bridge was closed after the flood. " * 20 + "</p>"
TITLES = ("The bridge over the river is closed", "Bakers demand a later morning", "A match without a winner")
DATE = "<time>2 May</time>"


def article(title: str, *, heading: str = "<h1>{}</h1>", date: str = DATE, text: str = PROSE) -> str:
    return f"<article><header>{heading.format(title)}{date}</header>{text}</article>"


def kept(*articles: str, after: str = "") -> list[str]:
    """Return the beginnings of the content of a page of *articles*, if all its paragraphs and headings are content."""
    html = f"<title>{TITLES[0]} - The Paper</title><div>{''.join(articles)}</div>{after}"
    page = tree_to_page(to_tree(html))
    blocks = segment(page, MODERN_BLOCKS)
    features = modern_features(page, blocks)
    headings, texts = read_headings(page, blocks, features.headings)
    headline = find_headline_block(page, headings, texts)
    later = find_next_articles(page, blocks, tag_places=features.groups[0], headings=headings, headline=headline)
    found = drop_next_articles(later, np.ones(blocks.n_blocks, dtype=np.int64), features.n_tokens)
    texts = [page.texts[leaf] for leaf in blocks.leaves[blocks.starts[found == 1]]]
    return [text[:10] for text in texts]


def test_the_articles_that_a_reader_scrolls_to_are_not_content():
    first = [TITLES[0][:10], "2 May", "The bridge"]
    assert kept("<p>Menu</p>", *map(article, TITLES)) == ["Menu", *first]
    assert kept("<p>Menu</p>", *map(article, TITLES), after="<footer>Imprint</footer>") == ["Menu", *first, "Imprint"]


def test_the_headlines_of_the_next_articles_can_be_links():
    linked = [article(title, heading="<h1><a href=/x>{}</a></h1>") for title in TITLES[1:]]
    assert kept("<p>Menu</p>", article(TITLES[0]), *linked) == kept("<p>Menu</p>", *map(article, TITLES))


@pytest.mark.parametrize("date", ["<p class=article-date>2 May", "<p class=postAuthor>Ann", "<p itemprop=author>Ann"])
def test_a_date_or_an_author_is_seen_by_its_name(date):
    assert len(kept("<p>Menu</p>", *(article(title, date=date) for title in TITLES))) == 4


@pytest.mark.parametrize(
    "articles",
    [
        [article(TITLES[0])],
        [article(title, heading="<h1><a href=/x>{}</a></h1>") for title in TITLES],
        [article(title) for title in (TITLES[0], f"Re: {TITLES[0]}")],
        [article(title, date="<p class=update>2 May") for title in TITLES],
        [article(TITLES[0]), *(article(title, text="<p>A short teaser.") for title in TITLES[1:])],
        [article(TITLES[0], text="<p>A video."), *map(article, TITLES[1:])],
        [article(TITLES[0]), *(article(title, heading="<h2>{}</h2>") for title in TITLES[1:])],
        [DATE, *(f"<h1>{title}</h1>{PROSE}" for title in TITLES)],
    ],
    ids="one,list,answers,chapters,teasers,videos,sections,headings".split(","),
)
def test_other_pages_keep_their_texts(articles):
    n_blocks = "".join(articles).count("<p>") + sum("".join(articles).count(tag) for tag in ("<h1>", "<h2>", "2 May"))
    assert len(kept("<p>Menu</p>", *articles)) == n_blocks + 1
