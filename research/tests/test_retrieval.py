"""research.retrieval: what is searched for, how it is found, and what is printed."""

from __future__ import annotations

import math

import numpy as np
import pytest

from research.retrieval import __main__ as retrieval
from research.retrieval import page_texts, search
from research.retrieval.__main__ import DEFAULT, MODELS, choose_model
from research.retrieval.page_texts import read_pages, read_texts
from research.retrieval.search import (
    MU,
    Index,
    Query,
    drop_phrase,
    make_queries,
    measure_ranking,
    measure_search,
    rank_relevant,
    search_words,
    shorten,
)
from scrapy_web2text.evaluation.corpora import open_corpus


def test_words_are_in_lower_case_and_ideographs_in_pairs():
    assert search_words("The River, rose") == ["the", "river", "rose"]
    assert search_words("2018年经济 up 山") == ["2018", "年经", "经济", "up", "山"]


@pytest.mark.parametrize(
    ("words", "phrase", "kept"),
    [
        ("a b c a b", "a b", "c"),
        ("a a b a", "a b", "a a"),
        ("a b a c", "a c d", "a b a c"),
        ("a b", "", "a b"),
        ("", "a", ""),
    ],
    ids=["each place", "overlapping start", "cut off", "no phrase", "no words"],
)
def test_a_phrase_is_dropped_wherever_it_is_complete(words, phrase, kept):
    assert drop_phrase(words.split(), phrase.split()) == kept.split()


def test_pages_with_the_same_headline_answer_one_query():
    headlines = [["river", "in", "flood"], ["home"], ["river", "in", "flood"], ["oil", "oil", "lamp"], ["a", "b", "c"]]
    assert make_queries(headlines, [True, True, True, True, False]) == [Query(("river", "in", "flood"), (0, 2))]


def test_a_headline_of_many_pages_is_not_a_query():
    assert not make_queries([["all", "the", "news"]] * 6, [True] * 6)


def test_short_queries_have_three_words_that_few_documents_hold():
    documents = [["the", f"word{number}"] for number in range(20)]
    long = Query(("the", "word1", "word2", "unknown", "word3"), (1,))
    (short,) = shorten([long, Query(("the", "word1", "word2"), (2,))], documents, seed=0)
    assert short.relevant == (1,)
    assert len(set(short.words)) == 3
    assert "the" not in short.words


DOCUMENTS = [
    "river flood river bank town".split(),
    "river boat".split(),
    "lamp oil night".split(),
    [],
]


def query(words, *relevant):
    return Query(tuple(words.split()), relevant)


def test_query_likelihood_is_that_of_dirichlet_smoothing():
    (scores,) = Index(DOCUMENTS).score("QL", [query("river flood unknown", 0)])

    def likelihood(document):
        background = {"river": 3 / 10, "flood": 1 / 10}
        return sum(
            math.log((document.count(word) + MU * share) / (len(document) + MU) / share)
            for word, share in background.items()
        )

    assert scores[:2] == pytest.approx([likelihood(document) for document in DOCUMENTS[:2]])
    assert scores[2:].tolist() == [-np.inf, -np.inf]


def test_feedback_finds_documents_that_share_words_with_those_found_first():
    documents = [*DOCUMENTS, "town hall".split()]
    plain, expanded = (Index(documents).score(ranker, [query("flood", 0)])[0] for ranker in ("QL", "RM3"))
    assert plain[4] == -np.inf < expanded[4]
    assert expanded.argmax() == 0
    assert expanded[2] == -np.inf


def test_feedback_of_few_terms_keeps_the_most_frequent(monkeypatch):
    monkeypatch.setattr(search, "FEEDBACK_TERMS", 1)
    (scores,) = search.Index(DOCUMENTS).score("RM3", [query("flood", 0)])
    assert np.isfinite(scores).tolist() == [True, True, False, False]  # expanded by river only, not by bank or town


@pytest.mark.parametrize("ranker", ["QL", "RM3"])
def test_a_query_of_unknown_words_finds_nothing(ranker):
    assert (Index(DOCUMENTS).score(ranker, [query("unknown", 0)]) == -np.inf).all()


def test_bm25_prefers_short_documents_that_have_the_word():
    pytest.importorskip("bm25s", reason="bm25s is not installed (extra bench)")

    scores = Index(DOCUMENTS).score("BM25", [query("flood boat", 0), query("unknown", 0)])
    assert scores[0, 1] > scores[0, 0] > 0
    assert (scores[0, 2:] == -np.inf).all()
    assert (scores[1] == -np.inf).all()


def test_documents_without_words_are_not_found():
    assert (Index([[], []]).score("BM25", [query("river", 0)]) == -np.inf).all()


def test_ranks_count_equal_scores_of_other_documents_as_better():
    scores = np.array([3.0, 5.0, 3.0, -np.inf, 1.0])
    assert rank_relevant(scores, [0, 3, 4]).tolist() == [3.0, 4.0, np.inf]


def test_metrics_of_a_ranking_are_those_of_its_definition():
    mrr, precision, average, gain = measure_ranking(np.array([2.0, 11.0, np.inf]))
    assert (mrr, precision) == (0.5, 0.1)
    assert average == pytest.approx((1 / 2 + 2 / 11) / 3)
    assert gain == pytest.approx((1 / math.log2(3) + 1 / math.log2(12)) / (1 + 1 / math.log2(3) + 1 / 2))
    assert measure_ranking(np.array([1.0, 2.0])) == (1.0, 0.2, 1.0, 1.0)
    assert measure_ranking(np.array([np.inf])) == (0.0, 0.0, 0.0, 0.0)


def test_batches_of_queries_have_the_scores_of_each_query():
    queries = [query("flood", 0), query("boat", 1), query("river", 2)]
    measured = measure_search(Index(DOCUMENTS), "QL", queries, batch=2)
    assert measured[:, 0].tolist() == [1.0, 1.0, 0.0]


TEXTS = {
    "1": ("River rises again", "The river is in flood. River rises again in town."),
    "2": ("Lamp oil prices fall", "Oil for the lamps of the harbor costs less than it did in the summer of last year."),
    "3": ("Boats on the lake", "A lake with boats, which are for hire on each day of the week, from May to October."),
}


@pytest.fixture
def corpus(tmp_path):
    for page_id, (headline, text) in TEXTS.items():
        for folder, content in (
            ("html", f"<title>{headline}</title><ul><li>Home<li>News</ul><h1>{headline}</h1><p>{text}</p>"),
            ("text", text),
        ):
            (tmp_path / "tiny" / folder).mkdir(parents=True, exist_ok=True)
            (tmp_path / "tiny" / folder / f"{page_id}.{'html' if folder == 'html' else 'txt'}").write_text(content)

    return open_corpus("tiny", tmp_path)


def test_a_page_is_read_with_its_headline_and_the_measures_of_its_blocks(corpus, tmp_path):
    first, *others = read_pages(corpus, tmp_path / "out")
    assert first.headline == "River rises again"
    assert [block[0] for block in first.blocks] == [1, 1, 3, 10]
    assert first.blocks[0] == (1, 1.0, "Home")
    assert len(others) == 2
    assert read_pages(corpus, tmp_path / "out") == [first, *others]


def test_texts_are_read_from_the_folder_once_they_are_written(corpus, tmp_path, monkeypatch):
    texts = page_texts.read_texts(corpus, "shallow:min-words", tmp_path / "out")
    assert texts[1].endswith("last year.")
    monkeypatch.delattr(page_texts, "get_labeler")
    assert page_texts.read_texts(corpus, "shallow:min-words", tmp_path / "out") == texts


def test_texts_of_other_pages_are_refused(corpus, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "bte.jsonl").write_text('{"id": "9", "text": ""}\n')
    with pytest.raises(ValueError, match="expected the 3 pages of tiny, found others"):
        read_texts(corpus, "bte", tmp_path / "out")


def test_a_page_that_another_extractor_fails_on_has_no_text(corpus, tmp_path, monkeypatch):
    def fail(html):
        raise RuntimeError

    monkeypatch.setattr(page_texts, "get_peer", lambda name: fail)
    assert page_texts.read_texts(corpus, "trafilatura", tmp_path / "out") == ["", "", ""]


def test_a_page_that_cannot_be_parsed_has_no_text(corpus, tmp_path):
    (tmp_path / "tiny" / "html" / "2.html").write_text("")
    assert read_pages(corpus, tmp_path / "out")[1].blocks == []
    assert read_texts(corpus, "bte", tmp_path / "out")[1] == ""


def test_the_tables_compare_each_system_with_the_raw_text(corpus, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(retrieval, "COLLECTIONS", {"tiny": ("tiny",)})
    monkeypatch.setattr(retrieval, "SYSTEMS", ("shallow:min-words", "unknown"))
    monkeypatch.setattr(retrieval, "PEERS", {})
    monkeypatch.setattr(retrieval, "RANKERS", ("QL",))
    monkeypatch.setattr(retrieval, "SWEEP", (("words", 1), ("words", 1000)))
    monkeypatch.setattr(retrieval, "SWEEP_RANKER", "QL")
    retrieval.main(["--data", str(tmp_path), "--out", str(tmp_path / "out")])
    output = capsys.readouterr()
    assert "Skipping unknown" in output.err
    lines = output.out.splitlines()
    assert lines[2] == "| tiny | 3 | 3 | 1 |"
    rows = [line.split(" | ") for line in lines if line.startswith("| `")]
    assert [row[0] for row in rows[:3]] == ["| `raw`", "| `gold`", "| `shallow:min-words`"]
    assert rows[1][1] == "1.000"
    dropped, _ = [row for row in rows if row[0] == "| `words ≥ 1000`"]
    assert dropped[2:4] == ["0%", "0.000 (-1.000 ±0.000\\*)"]


def test_the_models_that_were_trained_without_a_corpus_answer_for_it(tmp_path):
    assert choose_model(DEFAULT, "more/forum_archives", tmp_path) == str(tmp_path / "without-forums")
    assert choose_model(DEFAULT, "more/forum_archives", None) == str(MODELS / DEFAULT)
    assert choose_model("crf-2018", "more/forum_archives", tmp_path) == str(MODELS / "crf-2018")
    assert choose_model("bte", "wcxb", tmp_path) is None
