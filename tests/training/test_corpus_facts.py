from __future__ import annotations

import pytest

from scrapy_web2text.evaluation.corpora import LabeledPage
from scrapy_web2text.training.corpus_facts import (
    CORPORA,
    corpus_facts,
    fold_of_site,
    part_of_site,
    read_comments,
    site_of,
    split_by_site,
)
from scrapy_web2text.training.modern.data import corpus_style


def _page(page_id="1", url=None):
    return LabeledPage(page_id, "", "", url)


def test_only_corpora_whose_terms_allow_it_may_train_the_default_model():
    refused = {name for name, facts in CORPORA.items() if not facts.may_train_default}
    assert refused == {"seeds/dragnet1381", "seeds/l3s_gn1", "more/utomo720", "more/daniel5"}


def test_texts_of_template_containers_are_weak():
    weak = {name for name, facts in CORPORA.items() if facts.is_weak}
    assert weak == {"more/forum_archives", "more/docs_builders"}


@pytest.mark.parametrize("name", CORPORA)
def test_a_corpus_has_its_own_facts(name):
    assert corpus_facts(name) is CORPORA[name]


def test_a_corpus_of_the_user_s_own_is_what_the_model_is_to_answer():
    facts = corpus_facts("mine")
    assert facts.name == "mine"
    assert corpus_style(facts) == corpus_style(CORPORA["wcxb"]) == 0
    assert all(corpus_style(other) for name, other in CORPORA.items() if name != "wcxb")
    assert site_of(facts, _page(url="https://www.example.com/a")) == "example.com"


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
def test_the_site_may_stand_in_the_page_id(corpus, page_id, site):
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


def test_comments_are_read_where_a_corpus_has_them(tmp_path):
    facts = CORPORA["seeds/dragnet1381"]
    folder = tmp_path / "seeds" / "dragnet1381" / "text_comments"
    folder.mkdir(parents=True)
    (folder / "7.txt").write_text("First!")
    assert read_comments(tmp_path, facts, "7") == "First!"
    assert read_comments(tmp_path, facts, "8") == ""
