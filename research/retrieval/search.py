"""Search in a collection: words, queries with known answers, rankings, and their scores.

No word is stemmed and no list of stopwords is used, so that all languages are treated alike.
"""

from __future__ import annotations

import contextlib
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from scrapy_web2text.evaluation.scores import word_tokens

if TYPE_CHECKING:
    import bm25s

METRICS = ("MRR", "P@10", "MAP", "nDCG")
RANKERS = ("BM25", "QL", "RM3")

# Indri's defaults, except for the number of terms, for which it has none that is usual: weight of the collection in
# Dirichlet smoothing, documents and terms of the feedback, share of the original query.
MU = 2500.0
FEEDBACK_DOCUMENTS = 10
FEEDBACK_TERMS = 20
ORIGINAL_SHARE = 0.5

LEAST_WORDS = 3  # of a headline: "Home" or "About us" names no page
MOST_RELEVANT = 5  # pages with a headline; more share the name of their site or of a part of it
COMMON_SHARE = 0.1  # of the pages that hold a word; such words are not drawn for a short query
N_SHORT = 3

_IDEOGRAPHS = r"\u3040-\u30ff\u3400-\u9fff"
_RUN = re.compile(rf"[{_IDEOGRAPHS}]+|[^\W{_IDEOGRAPHS}]+")
_IDEOGRAPH = re.compile(rf"[{_IDEOGRAPHS}]")


@dataclass(frozen=True)
class Query:
    """A query whose answers are known.

    :param relevant: numbers of the documents that answer it, one or more.
    """

    words: tuple[str, ...]
    relevant: tuple[int, ...]


def search_words(text: str) -> list[str]:
    """Return the words of *text* in lower case; in Chinese and Japanese, the pairs of neighboring characters."""
    if not _IDEOGRAPH.search(text):
        return word_tokens(text)
    return [word for run in _RUN.findall(text.lower()) for word in _split_run(run)]


def _split_run(run: str) -> list[str]:
    is_pairs = len(run) > 1 and _IDEOGRAPH.match(run)
    return [run[i : i + 2] for i in range(len(run) - 1)] if is_pairs else [run]


def drop_phrase(words: list[str], phrase: list[str]) -> list[str]:
    """Return *words* without the places where those of *phrase* follow each other."""
    kept: list[str] = []
    position = done = 0
    with contextlib.suppress(ValueError):  # the word does not occur again
        while phrase:
            position = words.index(phrase[0], position)
            if words[position : position + len(phrase)] == phrase:
                kept += words[done:position]
                position = done = position + len(phrase)
            else:
                position += 1
    return kept + words[done:]


def make_queries(headlines: Sequence[Sequence[str]], has_content: Sequence[bool]) -> list[Query]:
    """Return a query for each headline that names a few documents: those that have it, and content, are relevant."""
    owners = defaultdict(list)
    for number, (headline, is_answer) in enumerate(zip(headlines, has_content, strict=True)):
        if is_answer and len(set(headline)) >= LEAST_WORDS:
            owners[tuple(headline)].append(number)
    return [Query(words, tuple(found)) for words, found in owners.items() if len(found) <= MOST_RELEVANT]


def shorten(queries: Sequence[Query], documents: Sequence[Sequence[str]], *, seed: int) -> list[Query]:
    """Return queries of three words, drawn from those of each query that are in at most a tenth of the *documents*.

    Queries with fewer such words are left out.
    """
    n_holding = Counter(word for document in documents for word in set(document))
    rng = random.Random(seed)
    short = []
    for query in queries:
        rare = [word for word in dict.fromkeys(query.words) if n_holding[word] <= COMMON_SHARE * len(documents)]
        if len(rare) >= N_SHORT:
            short.append(Query(tuple(rng.sample(rare, N_SHORT)), query.relevant))
    return short


class Index:
    """Documents that can be searched.

    :param documents: the words of each of the n documents.
    """

    def __init__(self, documents: Sequence[Sequence[str]]) -> None:
        self._numbers: dict[str, int] = {}
        for document in documents:
            for word in document:
                self._numbers.setdefault(word, len(self._numbers))
        self._documents = [[self._numbers[word] for word in document] for document in documents]

    def score(self, ranker: str, queries: Sequence[Query]) -> NDArray[np.float64]:
        """Return the scores of the documents for each query; -inf for those that have none of its words.

        *Shape:* ``(number of queries, n)``

        :param ranker: one of `RANKERS`.
        """
        if ranker == "BM25":
            return self._score_bm25(queries)
        terms = self._count_terms(queries)
        return self._score_likelihood(terms if ranker == "QL" else self._expand(terms))

    def _score_bm25(self, queries: Sequence[Query]) -> NDArray[np.float64]:
        """Return the scores of bm25s, with the parameters that it has by default: k1 1.5, b .75, Lucene's formula."""
        if not self._numbers:
            return np.full((len(queries), len(self._documents)), -np.inf)
        known = self._number_words(queries)
        scores = np.array([self._bm25.get_scores_from_ids(numbers) for numbers in known], dtype=np.float64)
        scores[scores <= 0] = -np.inf
        return scores

    @cached_property
    def _bm25(self) -> bm25s.BM25:
        import bm25s  # only in the extra bench

        index = bm25s.BM25()
        index.index((self._documents, self._numbers), create_empty_token=False, show_progress=False)
        return index

    @cached_property
    def _counts(self) -> sparse.csr_matrix:
        """How often each document has each word. *Shape:* ``(n, V)``"""
        return _count(self._documents, len(self._numbers))

    @cached_property
    def _background(self) -> NDArray[np.float64]:
        """The share of each word in the collection. *Shape:* ``(V,)``"""
        sums: NDArray[np.float64] = np.asarray(self._counts.sum(axis=0), dtype=np.float64).ravel()
        return sums / max(1.0, float(sums.sum()))

    @cached_property
    def _lengths(self) -> NDArray[np.float64]:
        return np.asarray(self._counts.sum(axis=1), dtype=np.float64).ravel()

    @cached_property
    def _gains(self) -> sparse.csr_matrix:
        """What a word adds to the log-likelihood of a document that has it. *Shape:* ``(V, n)``"""
        gains = self._counts.tocsc().astype(np.float64)
        words = np.repeat(np.arange(gains.shape[1]), np.diff(gains.indptr))
        gains.data = np.log1p(gains.data / (MU * self._background[words]))
        return gains.T.tocsr()

    def _count_terms(self, queries: Sequence[Query]) -> sparse.csr_matrix:
        """Return how often each query has each word; words that no document has do not count. *Shape:* ``(q, V)``"""
        return _count(self._number_words(queries), len(self._numbers))

    def _number_words(self, queries: Sequence[Query]) -> list[list[int]]:
        return [[self._numbers[word] for word in query.words if word in self._numbers] for query in queries]

    def _score_likelihood(self, terms: sparse.csr_matrix) -> NDArray[np.float64]:
        """Return the log-likelihoods with Dirichlet smoothing, without the part that is equal for all documents.

        :param terms: how often each query has each word, or its weight. *Shape:* ``(q, V)``
        """
        scores: NDArray[np.float64] = (terms @ self._gains).toarray()
        is_found = scores > 0
        scores += np.log(MU / (self._lengths + MU)) * np.asarray(terms.sum(axis=1)).reshape(-1, 1)
        scores[~is_found] = -np.inf
        return scores

    def _expand(self, terms: sparse.csr_matrix) -> sparse.csr_matrix:
        """Return the queries of RM3: half the query, half the best terms of the documents that it finds first."""
        scores = self._score_likelihood(terms)
        n_best = min(FEEDBACK_DOCUMENTS, len(self._documents))
        best = np.argpartition(-scores, n_best - 1, axis=1)[:, :n_best]
        found = np.take_along_axis(scores, best, axis=1)
        highest = found.max(axis=1, keepdims=True)
        weights = np.exp(found - np.where(np.isfinite(highest), highest, 0))
        rows = np.repeat(np.arange(len(best)), best.shape[1])
        shape = (len(best), len(self._documents))
        feedback = _normalize(sparse.csr_matrix((weights.ravel(), (rows, best.ravel())), shape=shape))
        model = _normalize(_keep_largest(feedback @ _normalize(self._counts), FEEDBACK_TERMS))
        return _normalize(ORIGINAL_SHARE * _normalize(terms) + (1 - ORIGINAL_SHARE) * model)


def _count(rows: Sequence[Sequence[int]], n_words: int) -> sparse.csr_matrix:
    """Return how often each row has each word. *Shape:* ``(number of rows, n_words)``"""
    ends = np.cumsum([0, *map(len, rows)])
    words = np.array([word for row in rows for word in row], dtype=np.int64)
    counts = sparse.csr_matrix((np.ones(len(words)), words, ends), shape=(len(rows), n_words))
    counts.sum_duplicates()
    return counts


def _normalize(rows: sparse.csr_matrix) -> sparse.csr_matrix:
    """Return rows that sum to 1, or are empty."""
    sums = np.asarray(rows.sum(axis=1)).ravel()
    return sparse.diags(1 / np.where(sums > 0, sums, 1)) @ rows


def _keep_largest(rows: sparse.csr_matrix, n: int) -> sparse.csr_matrix:
    """Return the *n* largest values of each row."""
    kept = rows.tocsr(copy=True)
    for start, end in zip(kept.indptr[:-1], kept.indptr[1:], strict=True):
        values = kept.data[start:end]
        if len(values) > n:
            values[np.argpartition(-values, n)[n:]] = 0
    kept.eliminate_zeros()
    return kept


def rank_relevant(scores: NDArray[np.float64], relevant: Sequence[int]) -> NDArray[np.float64]:
    """Return the ranks of the relevant documents from 1, best first; inf for those that are not found.

    Of documents with the same score, the ones that are not relevant come first.
    """
    own = np.sort(scores[list(relevant)])[::-1]
    others = np.delete(scores, list(relevant))
    n_better = np.array([np.count_nonzero(others >= score) for score in own], dtype=np.float64)
    ranks: NDArray[np.float64] = 1.0 + np.arange(len(own)) + n_better
    ranks[~np.isfinite(own)] = np.inf
    return ranks


def measure_ranking(ranks: NDArray[np.float64]) -> tuple[float, ...]:
    """Return the `METRICS` of one query: reciprocal rank, precision at 10, average precision, nDCG over all ranks.

    :param ranks: of all relevant documents, best first. *Shape:* ``(r,)``
    """
    order = np.arange(1, len(ranks) + 1)
    gain = (1 / np.log2(1 + ranks)).sum() / (1 / np.log2(1 + order)).sum()
    return 1 / ranks[0], np.count_nonzero(ranks <= 10) / 10, float(np.mean(order / ranks)), float(gain)


def measure_search(index: Index, ranker: str, queries: Sequence[Query], *, batch: int = 500) -> NDArray[np.float64]:
    """Return the `METRICS` of each query. *Shape:* ``(number of queries, 4)``"""
    measured = [measure_ranking(ranks) for ranks in _rank(index, ranker, queries, batch)]
    return np.array(measured).reshape(-1, len(METRICS))


def _rank(index: Index, ranker: str, queries: Sequence[Query], batch: int) -> Iterator[NDArray[np.float64]]:
    for start in range(0, len(queries), batch):
        some = queries[start : start + batch]
        for query, scores in zip(some, index.score(ranker, some), strict=True):
            yield rank_relevant(scores, query.relevant)
