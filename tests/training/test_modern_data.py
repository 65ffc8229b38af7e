"""The pages of the corpora as training pages."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from labeled_pages import write_labels
from modern_training import story_of

from scrapy_web2text.evaluation.scores import word_scores
from scrapy_web2text.labels.files import PageLabels, hash_text
from scrapy_web2text.training.modern.data import Sources, page_word_scores, training_pages
from scrapy_web2text.training.modern.recipe import CorpusChoice, ReaderLabelsChoice

IDS = [f"{number:04}" for number in range(12)]


def load(data, *ids, weight=1.0, keep_all=False, readings=(), **values):
    sources = Sources(data, reader_labels={"wcxb": dict(readings)}, **values)
    return sources.load("wcxb", ids, weight, keep_all=keep_all)


def test_pages_that_do_not_belong_to_their_text_are_skipped(data):
    pages = load(data, *IDS[8:], weight=0.5)
    assert [page.page.id for page in pages] == ["0008", "0009", "0011"]
    assert [(page.page.style, page.page.page_type, page.page.weight) for page in pages] == [(0, 0, 0.5)] * 3
    assert [page.is_good for page in load(data, *IDS[8:], keep_all=True)] == [1, 1, 0, 1]
    assert pages[0].page.labels.sum() == 6
    assert not pages[2].page.labels.any()


def test_words_are_scored_as_in_an_evaluation(data):
    (page,) = load(data, "0001")
    half = page.page.labels.copy()
    half[np.flatnonzero(half)[3:]] = 0
    half[0] = 1
    expected = word_scores("\n".join(["Link 0", *story_of(1)[:3]]), "\n".join(story_of(1)))
    assert page_word_scores(page, half).f1 == pytest.approx(expected.f1)
    assert page_word_scores(page, np.zeros_like(half)).f1 == 0


def reading_of(page, content, **values):
    values = {"corpus": "wcxb", "certainty": 0.5, **values}
    return PageLabels(id=page.page.id, content=content, hashes=tuple(map(hash_text, page.texts)), **values)


def test_a_reading_takes_the_place_of_the_published_text(data):
    (published,) = load(data, "0001")
    readings = {"0001": reading_of(published, ((0, 1),))}
    read, other = load(data, "0001", "0002", weight=0.5, readings=readings, keep_all=True)
    assert (read.has_reader_labels, other.has_reader_labels) == (True, False)
    assert np.flatnonzero(read.page.labels).tolist() == [0, 1]
    assert page_word_scores(read, read.page.labels).f1 == 1
    # Both texts judge; the published one as before.
    assert page_word_scores(read, published.page.labels).f1 < 1
    scores = page_word_scores(read, published.page.labels, read.published)
    assert scores == page_word_scores(published, published.page.labels)
    assert (read.page.weight, other.page.weight) == (0.5, 0.5)
    (sure,) = load(data, "0001", weight=0.5, readings=readings, by_certainty=True)
    assert sure.page.weight == 0.25


def test_a_page_that_its_text_does_not_fit_can_be_trained_on_by_its_reading(data):
    (page,) = load(data, "0010", keep_all=True)
    assert not page.is_good
    (read,) = load(data, "0010", readings={"0010": reading_of(page, ((5, 6),), type="forum")})
    assert read.is_good
    assert read.page.page_type == 0  # as the corpus has it: article


def test_readings_that_no_longer_fit_are_counted_and_not_used(data, caplog):
    (page,) = load(data, "0001")
    readings = {"0001": PageLabels("wcxb", "0001", ((0, 0),), ("0123456789",) * 9), "0002": reading_of(page, ())}
    assert load(data, "0001", readings=readings)[0].page.labels.tolist() == page.page.labels.tolist()
    assert "wcxb: the labels of 1 of 2 pages no longer fit them" in caplog.text


@pytest.fixture
def sources_of(data, recipe, tmp_path):
    """A function that returns the sources of the recipe with the labels in a file."""

    def make(labels, name="a.jsonl"):
        (tmp_path / "splits.json").write_text("{}", encoding="utf-8")
        write_labels(tmp_path / "a.jsonl", labels)
        choice = replace(recipe, readings=ReaderLabelsChoice((name,), 0.5, by_certainty=True))
        return Sources.of(choice, tmp_path / "splits.json", data)

    return make


def test_readings_of_unknown_pages_and_corpora_are_counted(sources_of, caplog):
    sources = sources_of([PageLabels(corpus, "9999", ((0, 0),), ("0123456789",)) for corpus in ("wcxb", "WCXB")])
    assert "'WCXB': ignored the labels of 1 pages: the recipe has no such corpus" in caplog.text
    assert len(sources.load("wcxb", ["0001"])) == 1
    assert "wcxb: the labels of 1 of 1 pages are ignored: the corpus lacks the pages" in caplog.text


def test_read_pages_of_a_folder_without_texts_are_a_corpus(sources_of, data, caplog):
    name = "unlabeled/some"
    known = Sources(data, reader_labels={name: {"x": None}}).load(name, ["0", "1"], keep_all=True)
    found = [
        reading_of(known[0], ((5, 6),), corpus=name, type="forum"),
        reading_of(known[1], ((5, 6),), corpus=name, certainty=0.4),
    ]
    sources = sources_of(found)
    (page,) = sources.load_labeled([CorpusChoice(name, 1.0, "read")])
    assert (page.page.id, page.page.page_type, page.page.weight) == ("0", 2, 0.5)
    assert np.flatnonzero(page.page.labels).tolist() == [5, 6]
    with pytest.raises(ValueError, match="corpus wcxb: expected labels of its pages for the part read, found none"):
        sources.load_labeled([CorpusChoice("wcxb", 1.0, "read")])
    assert "no longer fit" not in caplog.text


def test_the_error_of_readings_that_cannot_be_read_names_the_field_and_the_file(sources_of):
    with pytest.raises(ValueError, match=r"readings\.files: .*none\.jsonl: cannot read the labels file: No such file"):
        sources_of([], "none.jsonl")


@pytest.mark.slow
def test_cut_pages_are_trained_on_beside_their_pages(data):
    plain = load(data, *IDS[:8], weight=0.5)
    pages = load(data, *IDS[:8], weight=0.5, share_of_cuts=1.0)
    assert [page.page.id for page in pages] == [page.page.id for page in plain]
    assert training_pages(plain) == [page.page for page in plain]
    cut = [page for page in pages if page.cut]
    assert len(cut) > 4
    assert all(page.cut.id == f"{page.page.id} cut" for page in cut)
    assert {(page.cut.weight, page.cut.page_type) for page in cut} == {(0.5, -1)}
    one, two = cut[:2]
    assert training_pages([one, plain[0], two]) == [one.page, one.cut, plain[0].page, two.page, two.cut]
    assert all(len(page.cut.features.dense) == page.cut.n_blocks < page.page.n_blocks for page in cut)
    few = load(data, *IDS[:8], share_of_cuts=0.5)
    assert 0 < sum(page.cut is not None for page in few) < len(cut)
