"""Cross-validation over sites: each page is labeled by a network that was not trained on its site."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from scrapy_web2text.evaluation.corpora import open_corpus
from scrapy_web2text.evaluation.report import N_SAMPLES
from scrapy_web2text.evaluation.scores import bootstrap_means, interval, word_scores
from scrapy_web2text.labelers.confidence import TEXTLESS_PAGE_F1
from scrapy_web2text.training.calibration import Potentials
from scrapy_web2text.training.corpus_facts import corpus_facts
from scrapy_web2text.training.modern.batches import PAGE_TYPES
from scrapy_web2text.training.modern.build import load_labeled, load_pseudo
from scrapy_web2text.training.modern.choice import choose, page_potentials
from scrapy_web2text.training.modern.data import load_pages, page_word_scores
from scrapy_web2text.training.modern.teaching import label_by_teachers, train_teachers
from scrapy_web2text.training.modern.train import train_modern
from scrapy_web2text.training.progress import no_progress
from scrapy_web2text.training.splits import fold_of_site, site_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from scrapy_web2text.evaluation.corpora import Corpus
    from scrapy_web2text.training.modern.batches import TrainingPage
    from scrapy_web2text.training.modern.choice import Answer, Choice
    from scrapy_web2text.training.modern.data import JudgedPage
    from scrapy_web2text.training.modern.recipe import ModernRecipe
    from scrapy_web2text.training.progress import Track

__all__ = ["CrossValidation", "FoldPage", "cross_validate"]

_N_BINS: Final = 20


@dataclass(frozen=True, slots=True)
class FoldPage:
    """The scores of the answer to one page.

    :param kind: page type.
    :param fold: fold of the page, -1 for a page without blocks.
    :param is_empty: whether the page has no main content.
    :param precision: of the words; recall and F1 likewise.
    :param confidence: the F1 that the model predicted.
    """

    id: str
    kind: str
    site: str
    fold: int
    is_empty: bool
    precision: float
    recall: float
    f1: float
    confidence: float


@dataclass(slots=True)
class CrossValidation:
    """The scores of all pages, and the calibration of the probabilities.

    :param words: number of words in 20 equal bins of their probability of CONTENT. *Shape:* ``(20,)``
    :param expected: sum of the probabilities of the words in each bin. *Shape:* ``(20,)``
    :param content: number of content words in each bin. *Shape:* ``(20,)``
    """

    pages: list[FoldPage] = field(default_factory=list)
    words: list[float] = field(default_factory=lambda: [0.0] * _N_BINS)
    expected: list[float] = field(default_factory=lambda: [0.0] * _N_BINS)
    content: list[float] = field(default_factory=lambda: [0.0] * _N_BINS)

    def summary(self) -> dict[str, Any]:
        """Return mean word F1 by page type, calibration error, and the correlation of confidence and F1."""
        f1 = np.array([page.f1 for page in self.pages])
        confidence = np.array([page.confidence for page in self.pages])
        words, gap = np.array(self.words), np.array(self.expected) - np.array(self.content)
        groups = {"all": self.pages, "not empty": [page for page in self.pages if not page.is_empty]}
        groups |= {kind: [page for page in self.pages if page.kind == kind] for kind in PAGE_TYPES}
        return {
            "word_f1": {name: _describe(pages) for name, pages in groups.items() if pages},
            "expected_calibration_error": round(float(np.abs(gap).sum() / max(words.sum(), 1)), 4),
            "correlation_of_confidence": round(float(np.corrcoef(confidence, f1)[0, 1]), 4),
        }

    def to_dict(self) -> dict[str, Any]:
        """Return all values as plain data for JSON."""
        bins = [[round(value, 1) for value in row] for row in (self.words, self.expected, self.content)]
        return {
            **self.summary(),
            "bins": dict(zip(("words", "expected", "content"), bins, strict=True)),
            "pages": [asdict(page) for page in self.pages],
        }

    def add(self, page: FoldPage, judged: JudgedPage, probabilities: Sequence[float]) -> None:
        """Add the answer to one page."""
        self.pages.append(page)
        n_tokens = judged.page.features.n_tokens
        for probability, label, n in zip(probabilities, judged.page.labels.tolist(), n_tokens.tolist(), strict=True):
            number = min(int(probability * _N_BINS), _N_BINS - 1)
            self.words[number] += n
            self.expected[number] += probability * n
            self.content[number] += label * n


def cross_validate(
    recipe: ModernRecipe,
    splits: Path,
    data: Path,
    cache: Path,
    *,
    n_folds: int,
    seed: int,
    track: Track = no_progress,
) -> CrossValidation:
    """Return the scores of networks of *recipe* on the pages of its val corpus, by cross-validation over sites.

    The network and the teachers of a fold are trained on the other folds and on all other corpora, to the last epoch.
    The choices after the training are made on the answers to the other folds.

    :raises ValueError: if a corpus or a part does not exist, or all pages are in one fold.
    """
    corpora = [choice for choice in recipe.corpora if choice.name != recipe.val]
    plan = recipe.network.plan
    others = load_labeled(corpora, splits, data, cache, plan, track)
    corpus = open_corpus(recipe.val, data)
    judged = load_pages(recipe.val, corpus.ids, data, cache, keep_all=True, plan=plan, track=track)
    unlabeled = load_pseudo(recipe, data, track) if recipe.training.teachers else []
    folds = [fold_of_site(page.site, n_folds) for page in judged]
    if len(set(folds)) < 2:
        raise ValueError(f"corpus {recipe.val}: expected sites in {n_folds} folds, got one fold")
    by_fold: dict[int, tuple[list[JudgedPage], Potentials]] = {}
    for fold in sorted(set(folds)):
        inside = [page for page, own in zip(judged, folds, strict=True) if own == fold]
        outside = [page for page, own in zip(judged, folds, strict=True) if own != fold and page.is_good]
        pages = [page.page for page in outside + others]
        by_fold[fold] = inside, _answer(recipe, pages, unlabeled, inside, seed, track)
    result = CrossValidation()
    result.pages += _without_blocks(corpus, {page.page.id for page in judged})
    for fold, (inside, potentials) in by_fold.items():
        rest = [each for other, each in by_fold.items() if other != fold]
        choice = choose(
            recipe.decoding, Potentials.join(part for _, part in rest), [page for part, _ in rest for page in part]
        )
        for page, answer in zip(inside, choice.answers(potentials, inside), strict=True):
            result.add(_score(page, fold, choice, answer), page, answer.probabilities.tolist())
    return result


def _score(page: JudgedPage, fold: int, choice: Choice, answer: Answer) -> FoldPage:
    return FoldPage(
        id=page.page.id,
        kind=PAGE_TYPES[page.page.page_type] if page.page.page_type >= 0 else "unknown",
        site=page.site,
        fold=fold,
        is_empty=not page.gold.sum(),
        **page_word_scores(page, answer.labels).to_dict(),
        confidence=choice.predict_f1(page, answer),
    )


def _without_blocks(corpus: Corpus, answered: set[str]) -> list[FoldPage]:
    """Return the scores of the pages without blocks, whose answer is always empty."""
    pages = []
    for page in corpus.pages([page_id for page_id in corpus.ids if page_id not in answered]):
        scores = word_scores("", page.text)
        site = site_of(corpus_facts(corpus.name), page)
        is_empty = not page.text.strip()
        kind = page.kind or "unknown"
        pages.append(FoldPage(page.id, kind, site, -1, is_empty, **scores.to_dict(), confidence=TEXTLESS_PAGE_F1))
    return pages


def _answer(
    recipe: ModernRecipe,
    pages: list[TrainingPage],
    unlabeled: Sequence[TrainingPage],
    asked: Sequence[JudgedPage],
    seed: int,
    track: Track,
) -> Potentials:
    """Return the potentials that a network trained on *pages* gives to the pages *asked*."""
    if unlabeled:
        pages = pages + label_by_teachers(train_teachers(recipe, pages, track), unlabeled)
    return page_potentials(train_modern(recipe, pages, None, seed=seed, track=track).network, asked)


def _describe(pages: Sequence[FoldPage]) -> dict[str, Any]:
    f1 = np.array([page.f1 for page in pages])
    low, high = interval(bootstrap_means(f1[:, None], n_samples=N_SAMPLES, seed=0))[:, 0].tolist()
    return {"pages": len(f1), "mean": round(float(f1.mean()), 4), "interval": [round(low, 4), round(high, 4)]}
