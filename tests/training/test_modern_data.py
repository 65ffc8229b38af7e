"""The pages of the corpora as training pages, and the cache of their labels."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from modern_training import story_of

from scrapy_web2text.evaluation.scores import word_scores
from scrapy_web2text.labels.files import PageLabels, hash_text, write_labels
from scrapy_web2text.training.modern import data as data_module
from scrapy_web2text.training.modern.data import CoverageCache, page_word_scores
from scrapy_web2text.training.modern.recipe import CorpusChoice, ReadingsChoice
from scrapy_web2text.training.modern.sources import Sources, load_pages


def test_pages_that_do_not_belong_to_their_text_are_skipped(data, tmp_path):
    ids = [f"{number:04}" for number in range(8, 12)]
    pages = load_pages("wcxb", ids, data, tmp_path / "cache", weight=0.5)
    assert [page.page.id for page in pages] == ["0008", "0009", "0011"]
    assert [(page.page.style, page.page.page_type, page.page.weight) for page in pages] == [(0, 0, 0.5)] * 3
    assert [page.is_good for page in load_pages("wcxb", ids, data, tmp_path / "cache", keep_all=True)] == [1, 1, 0, 1]
    assert pages[0].page.labels.sum() == 6
    assert not pages[2].page.labels.any()


def test_words_are_scored_as_in_an_evaluation(data, tmp_path):
    (page,) = load_pages("wcxb", ["0001"], data, tmp_path / "cache")
    half = page.page.labels.copy()
    half[np.flatnonzero(half)[3:]] = 0
    half[0] = 1
    expected = word_scores("\n".join(["Link 0", *story_of(1)[:3]]), "\n".join(story_of(1)))
    assert page_word_scores(page, half).f1 == pytest.approx(expected.f1)
    assert page_word_scores(page, np.zeros_like(half)).f1 == 0


def reading_of(page, content, **values):
    values = {"corpus": "wcxb", "certainty": 0.5, **values}
    return PageLabels(id=page.page.id, content=content, hashes=tuple(map(hash_text, page.texts)), **values)


def test_a_reading_takes_the_place_of_the_published_text(data, tmp_path):
    (published,) = load_pages("wcxb", ["0001"], data, tmp_path / "cache")
    readings = {"0001": reading_of(published, ((0, 1),))}
    load = {"weight": 0.5, "readings": readings, "keep_all": True}
    read, other = load_pages("wcxb", ["0001", "0002"], data, tmp_path / "cache", **load)
    assert (read.is_read, other.is_read) == (True, False)
    assert np.flatnonzero(read.page.labels).tolist() == [0, 1]
    assert page_word_scores(read, read.page.labels).f1 == 1
    # Both texts judge; the published one as before.
    assert page_word_scores(read, published.page.labels).f1 < 1
    scores = page_word_scores(read, published.page.labels, read.published)
    assert scores == page_word_scores(published, published.page.labels)
    assert (read.page.weight, other.page.weight) == (0.5, 0.5)
    (sure,) = load_pages("wcxb", ["0001"], data, tmp_path / "cache", by_certainty=True, **load)
    assert sure.page.weight == 0.25


def test_a_page_that_its_text_does_not_fit_can_be_trained_on_by_its_reading(data, tmp_path):
    (page,) = load_pages("wcxb", ["0010"], data, tmp_path / "cache", keep_all=True)
    assert not page.is_good
    readings = {"0010": reading_of(page, ((5, 6),), type="forum")}
    (read,) = load_pages("wcxb", ["0010"], data, tmp_path / "cache", readings=readings)
    assert read.is_good
    assert read.page.page_type == 0  # as the corpus has it: article


def test_readings_that_no_longer_fit_are_counted_and_not_used(data, tmp_path, caplog):
    (page,) = load_pages("wcxb", ["0001"], data, tmp_path / "cache")
    readings = {"0001": PageLabels("wcxb", "0001", ((0, 0),), ("0123456789",) * 9), "0002": reading_of(page, ())}
    loaded = load_pages("wcxb", ["0001"], data, tmp_path / "cache", readings=readings)
    assert loaded[0].page.labels.tolist() == page.page.labels.tolist()
    assert "wcxb: the labels of 1 of 2 pages no longer fit them" in caplog.text


def test_readings_of_unknown_pages_and_corpora_are_counted(data, recipe, tmp_path, caplog):
    (tmp_path / "splits.json").write_text("{}", encoding="utf-8")
    unknown = [PageLabels(corpus, "9999", ((0, 0),), ("0123456789",)) for corpus in ("wcxb", "WCXB")]
    write_labels(tmp_path / "a.jsonl", unknown)
    choice = replace(recipe, readings=ReadingsChoice(("a.jsonl",), 0.5, by_certainty=True))
    sources = Sources.of(choice, tmp_path / "splits.json", data, tmp_path / "cache")
    assert "'WCXB': ignored the labels of 1 pages: the recipe has no such corpus" in caplog.text
    assert len(sources.load_all("wcxb", ["0001"])) == 1
    assert "wcxb: the labels of 1 of 1 pages are ignored: the corpus lacks the pages" in caplog.text


def test_read_pages_of_a_folder_without_texts_are_a_corpus(data, recipe, tmp_path, caplog):
    (tmp_path / "splits.json").write_text("{}", encoding="utf-8")
    known = load_pages("unlabeled/some", ["0", "1"], data, tmp_path / "cache", keep_all=True, readings={"x": None})
    found = [
        reading_of(known[0], ((5, 6),), corpus="unlabeled/some", type="forum"),
        reading_of(known[1], ((5, 6),), corpus="unlabeled/some", certainty=0.4),
    ]
    write_labels(tmp_path / "a.jsonl", found)
    choice = replace(recipe, readings=ReadingsChoice(("a.jsonl",), 0.5, by_certainty=True))
    sources = Sources.of(choice, tmp_path / "splits.json", data, tmp_path / "cache")
    (page,) = sources.load_labeled([CorpusChoice("unlabeled/some", 1.0, "read")])
    assert (page.page.id, page.page.page_type, page.page.weight) == ("0", 2, 0.5)
    assert np.flatnonzero(page.page.labels).tolist() == [5, 6]
    with pytest.raises(ValueError, match="corpus wcxb: expected labels of its pages for the part read, found none"):
        sources.load_labeled([CorpusChoice("wcxb", 1.0, "read")])
    assert "no longer fit" not in caplog.text


def test_the_error_of_readings_that_cannot_be_read_names_the_field_and_the_file(recipe, data, tmp_path):
    choice = replace(recipe, readings=ReadingsChoice(("none.jsonl",), 0.5, by_certainty=True))
    with pytest.raises(ValueError, match=r"readings\.files: .*none\.jsonl: cannot read the labels file: No such file"):
        Sources.of(choice, tmp_path / "splits.json", data, tmp_path / "cache")


TEXTS = ["Menu", "the quick brown fox"]


@pytest.fixture
def n_alignments(monkeypatch):
    calls = []

    def count(*arguments):
        calls.append(arguments)
        return cover(*arguments)

    cover = data_module.cover_leaves
    monkeypatch.setattr(data_module, "cover_leaves", count)
    return lambda: len(calls)


def test_saved_labels_are_not_computed_again(tmp_path, n_alignments):
    path = tmp_path / "new" / "corpus.npz"
    cache = CoverageCache(path)
    cache.cover("a", TEXTS, "the quick brown fox")
    cache.cover("empty", [], "")
    cache.cover("b", TEXTS, "menu")
    cache.save()
    cache = CoverageCache(path)
    coverage = cache.cover("a", TEXTS, "the quick brown fox")
    assert coverage.n_covered.tolist() == [0, 4]
    assert coverage.n_tokens.tolist() == [1, 4]
    assert coverage.coverage == 1
    assert cache.cover("empty", [], "").n_covered.tolist() == []
    assert cache.cover("b", TEXTS, "menu").n_covered.tolist() == [1, 0]
    assert n_alignments() == 3


@pytest.mark.parametrize(
    ("texts", "clean", "is_shown"),
    [
        ([*TEXTS, "more"], "menu", None),
        (TEXTS, "fox", None),
        (TEXTS, "menu", np.array([True, False])),
    ],
    ids=["page", "clean text", "choice of leaves"],
)
def test_labels_are_computed_again_when_something_changes(tmp_path, n_alignments, texts, clean, is_shown):
    cache = CoverageCache(tmp_path / "corpus.npz")
    cache.cover("a", TEXTS, "menu")
    assert len(cache.cover("a", texts, clean, is_shown).n_tokens) == len(texts)
    assert n_alignments() == 2


def test_the_file_is_written_only_after_changes(tmp_path):
    path = tmp_path / "corpus.npz"
    CoverageCache(path).save()
    assert not path.exists()
    cache = CoverageCache(path)
    cache.cover("a", TEXTS, "menu")
    cache.save()
    assert [file.name for file in tmp_path.iterdir()] == ["corpus.npz"]
    before = path.stat().st_mtime_ns
    cache.save()
    assert path.stat().st_mtime_ns == before


def test_a_damaged_file_is_ignored(tmp_path):
    path = tmp_path / "corpus.npz"
    path.write_bytes(b"damaged")
    cache = CoverageCache(path)
    assert cache.cover("a", TEXTS, "menu").n_covered.tolist() == [1, 0]
    cache.save()
    assert CoverageCache(path).cover("a", TEXTS, "menu").coverage == 1


@pytest.mark.slow
def test_a_file_with_a_damaged_byte_is_ignored_wherever_it_is(tmp_path):
    path = tmp_path / "corpus.npz"
    cache = CoverageCache(path)
    cache.cover("a", TEXTS * 20, "menu")
    cache.save()
    content = path.read_bytes()
    for place in range(0, len(content), 11):
        path.write_bytes(content[:place] + bytes([content[place] ^ 0xFF]) + content[place + 1 :])
        CoverageCache(path)
