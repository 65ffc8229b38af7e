"""What is known of corpora, their parts by split file or by site, and their pages, parsed."""

from __future__ import annotations

import json

import pytest
from places import ROOT

from scrapy_web2text.evaluation.corpora import CorpusPage
from scrapy_web2text.training.corpora import (
    CORPORA,
    corpus_facts,
    corpus_ids,
    fold_of_site,
    parse_page,
    site_of,
    split_by_site,
)
from scrapy_web2text.training.modern.data import corpus_style
from scrapy_web2text.training.modern.recipe import ModernRecipe
from scrapy_web2text.training.recipe import read_recipe

# Their terms are copyleft (AGPL-3.0, GPL-3.0), or allow research only.
REFUSED = {"seeds/dragnet1381", "more/daniel5", "seeds/l3s_gn1", "more/utomo720"}


def test_only_corpora_whose_terms_allow_it_train_the_default_model():
    recipe = read_recipe(ModernRecipe, ROOT / "models" / "web2text-2026" / "recipe.toml")
    assert REFUSED.isdisjoint(corpus.name for corpus in recipe.corpora)
    assert CORPORA.keys() > REFUSED


def test_an_unknown_corpus_has_the_style_of_the_model():
    facts = corpus_facts("mine")
    assert facts.name == "mine"
    assert corpus_style(facts) == corpus_style(CORPORA["wcxb"]) == 0
    assert all(corpus_style(other) for name, other in CORPORA.items() if name != "wcxb")


def _page(page_id="1", url=None):
    return CorpusPage(page_id, "", "", url)


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


@pytest.mark.parametrize(
    ("corpus", "page_id", "url", "site"),
    [
        ("mine", "1", "https://www.example.com/a", "example.com"),
        ("wcxb", "1", "https://www.example.com/a?b", "example.com"),
        ("wcxb", "1", "http://news.bbc.co.uk/1", "bbc.co.uk"),
        ("wcxb", "1", "http://Blog.Example.de:8080/", "example.de"),
        ("wcxb", "1", "https://web-beta.archive.org/web/20090301020158/http://arstechnica.com/tech", "arstechnica.com"),
        ("wcxb", "1", "not a url", "wcxb"),
        ("wcxb", "1", None, "wcxb"),
        ("more/daniel5", "20120112_www.nursingtimes.net_ca29", "https://example.com/", "nursingtimes.net"),
        ("more/forum_archives", "opendcl-topics_1771-demand", "https://example.com/", "opendcl"),
        ("articles", "readability-nytimes-5", "https://example.com/", "nytimes"),
        ("articles", "readability-aclu", "https://example.com/", "aclu"),
    ],
)
def test_the_site_of_a_page_is_its_registered_domain_or_part_of_its_id(corpus, page_id, url, site):
    assert site_of(corpus_facts(corpus), _page(page_id, url)) == site


def test_sites_spread_over_folds_that_never_change():
    folds = [fold_of_site(f"site{i}.com", 5) for i in range(1000)]
    assert set(folds) == set(range(5))
    assert min(map(folds.count, range(5))) > 150
    assert [fold_of_site(site) for site in ("example.com", "bbc.co.uk", "")] == [0, 5, 8]  # for ever


def test_pages_of_a_site_are_in_one_part_and_about_eight_of_ten_sites_are_for_training():
    pages = [_page(str(i), f"https://host{i % 3}.site{i // 3}.com/") for i in range(900)]
    parts = split_by_site(CORPORA["wcxb"], pages)
    assert sorted(sum(parts.values(), ()), key=int) == [str(i) for i in range(900)]
    assert all(
        len({*ids} & {str(3 * site + i) for i in range(3)}) in (0, 3) for ids in parts.values() for site in range(300)
    )
    assert len(parts["train"]) == pytest.approx(720, abs=60)
    assert len(parts["val"]) == pytest.approx(90, abs=45)


def test_a_page_that_cannot_be_parsed_is_ignored(caplog):
    assert parse_page(CorpusPage("1", "<p>one</p><p>two</p>", "")).texts == ["one", "two"]
    assert parse_page(CorpusPage("binary", b"%PDF-1.7", "")) is None
    (record,) = caplog.records
    assert (record.levelname, record.getMessage()[:22]) == ("WARNING", "Ignoring page binary: ")
