"""Parts of corpora, by split file or by site."""

from __future__ import annotations

import json

import pytest

from scrapy_web2text.evaluation.corpora import LabeledPage
from scrapy_web2text.training.corpus_facts import CORPORA, corpus_facts
from scrapy_web2text.training.splits import corpus_ids, fold_of_site, part_of_site, site_of, split_by_site


def _page(page_id="1", url=None):
    return LabeledPage(page_id, "", "", url)


def test_parts_come_from_the_split_file_or_from_the_sites(tmp_path):
    splits = tmp_path / "splits.json"
    splits.write_text(json.dumps({"wcxb": {"train": ["0001"]}}), encoding="utf-8")
    assert corpus_ids("wcxb", "train", tmp_path, splits) == ("0001",)
    articles = tmp_path / "articles"
    for kind, suffix in (("html", "html"), ("text", "txt")):
        (articles / kind).mkdir(parents=True)
        for number in range(5):
            (articles / kind / f"readability-site{number}.{suffix}").write_text("A text.", encoding="utf-8")
    parts = {part: corpus_ids("articles", part, tmp_path, splits) for part in ("train", "val", "test", "all")}
    assert sorted(parts["all"]) == sorted(parts["train"] + parts["val"] + parts["test"])
    with pytest.raises(ValueError, match="corpus articles: expected part all, train, val, test, got 'dev'"):
        corpus_ids("articles", "dev", tmp_path, splits)


def test_pages_of_an_unknown_corpus_have_the_site_of_their_url():
    assert site_of(corpus_facts("mine"), _page(url="https://www.example.com/a")) == "example.com"


@pytest.mark.parametrize(
    ("url", "site"),
    [
        ("https://www.example.com/a?b", "example.com"),
        ("http://news.bbc.co.uk/1", "bbc.co.uk"),
        ("http://Blog.Example.de:8080/", "example.de"),
        ("https://web-beta.archive.org/web/20090301020158/http://arstechnica.com/tech", "arstechnica.com"),
        ("not a url", "wcxb"),
        (None, "wcxb"),
    ],
)
def test_the_site_of_a_page_is_its_registered_domain(url, site):
    assert site_of(CORPORA["wcxb"], _page(url=url)) == site


@pytest.mark.parametrize(
    ("corpus", "page_id", "site"),
    [
        ("more/daniel5", "20120112_www.nursingtimes.net_ca29", "nursingtimes.net"),
        ("more/forum_archives", "opendcl-topics_1771-demand", "opendcl"),
        ("articles", "readability-nytimes-5", "nytimes"),
        ("articles", "readability-aclu", "aclu"),
    ],
)
def test_the_site_can_be_part_of_the_page_id(corpus, page_id, site):
    assert site_of(CORPORA[corpus], _page(page_id, "https://example.com/")) == site


def test_sites_spread_over_the_folds():
    folds = [fold_of_site(f"site{i}.com", 5) for i in range(1000)]
    assert set(folds) == set(range(5))
    assert min(map(folds.count, range(5))) > 150


def test_the_fold_of_a_site_never_changes():
    assert [fold_of_site(site) for site in ("example.com", "bbc.co.uk", "")] == [0, 5, 8]


def test_about_eight_of_ten_sites_are_for_training():
    parts = [part_of_site(f"site{i}.com") for i in range(1000)]
    assert parts.count("train") == pytest.approx(800, abs=50)
    assert parts.count("val") == pytest.approx(100, abs=40)


def test_pages_of_a_site_are_in_one_part():
    pages = [_page(str(i), f"https://host{i % 3}.site{i // 3}.com/") for i in range(90)]
    parts = split_by_site(CORPORA["wcxb"], pages)
    assert sorted(sum(parts.values(), ()), key=int) == [str(i) for i in range(90)]
    for ids in parts.values():
        assert len(ids) % 3 == 0
