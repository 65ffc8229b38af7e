"""Tunes a model to labeled pages of a site.

In each fold, some labeled pages are held out. The scores of all folds choose the number of rounds, and a last tuning
uses all pages. All weights but the embeddings are fitted, with the training loss.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Final, cast

import numpy as np
import torch

from scrapy_web2text.common.arrays import AnyArray
from scrapy_web2text.common.display import format_share
from scrapy_web2text.evaluation.corpora import CorpusPage
from scrapy_web2text.labelers.modern.labeler import ModernLabeler
from scrapy_web2text.labelers.weights import Model, find_model, load_model
from scrapy_web2text.labels.files import PageLabels
from scrapy_web2text.training.corpora import Track, corpus_facts, no_progress
from scrapy_web2text.training.export import write_model
from scrapy_web2text.training.fitting import draw_batches
from scrapy_web2text.training.modern.batches import collate
from scrapy_web2text.training.modern.data import MOST_BLOCKS, JudgedPage, page_word_scores, read_judged_page, use_labels
from scrapy_web2text.training.modern.decoding import decode_pages
from scrapy_web2text.training.modern.network import Member, TorchNetwork
from scrapy_web2text.training.modern.recipe import NetworkChoice
from scrapy_web2text.training.modern.train import batch_loss

# Of the rounds whose F1 is this close to the best, the first is taken, since it is the closest to the base model.
_CLOSE: Final = 0.001
_MOST_FOLDS: Final = 4
_WARM_UP: Final = 5
_LARGEST_GRADIENT: Final = 3.0
_FIXED: Final = ("names", "words", "style", "page_type.weight", "page_type.bias")


@dataclass(frozen=True, slots=True)
class TuningChoice:
    """The options for tuning a network.

    :param rounds: largest number of rounds; the network is scored after each round.
    :param patience: number of rounds without a better F1 after which the tuning ends.
    :param batch: number of labeled pages in a step.
    """

    rounds: int = 24
    patience: int = 3
    steps: int = 10
    batch: int = 4
    learning_rate: float = 5e-4


@dataclass(frozen=True, slots=True, eq=False)
class TunedModel:
    """The tuned weights, and the scores of the tuning.

    :param before: mean word F1 of the labeled pages by the base model.
    :param after: their mean word F1, where each page is scored by a network that was tuned without it.
    :param n_folds: number of folds; 1 for a single labeled page, which is not held out.
    """

    tensors: dict[str, AnyArray]
    before: float
    after: float
    n_folds: int
    rounds: int


def load_base(name: str) -> Model:
    """Return the base model.

    :raises ValueError: if the model is of a kind that cannot be tuned.
    """
    model = load_model(find_model(name))
    if model.manifest.get("labeler") != "modern":
        raise ValueError(f"--base: expected a model of the kind 'modern', got {model.manifest.get('labeler')!r}")
    ModernLabeler(model)  # so that errors come before pages are read
    return model


def read_own_page(html: bytes, given: PageLabels) -> JudgedPage:
    """Return a page with the labels *given*.

    :raises ValueError: if the page has no blocks or too many, or the labels do not fit it.
    """
    judged = read_judged_page(CorpusPage(given.id, html, ""), corpus_facts(given.corpus), 1.0)
    if judged is None:
        raise ValueError("the page has no blocks")
    labeled = use_labels(judged, given, by_certainty=True)
    if labeled is None:
        raise ValueError("the labels no longer fit the page")
    if not labeled.is_good:
        raise ValueError(f"expected at most {MOST_BLOCKS:,} blocks, got {labeled.page.n_blocks:,}")
    return labeled


def tune_model(
    model: Model, pages: Sequence[JudgedPage], *, choice: TuningChoice, seed: int = 0, track: Track = no_progress
) -> TunedModel:
    """Return *model* tuned to *pages*. The state of torch's own generator does not change.

    :param pages: labeled pages, one or more.
    :raises ValueError: if held-out pages do not get better scores.
    """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        curve, n_folds = _cross_validate(model, pages, choice, seed, track)
        rounds = _first_best(curve)
        if not rounds:
            which = "held-out pages" if n_folds > 1 else "the page"
            raise ValueError(f"F1 of {which} is {format_share(curve[0])}, and no round of tuning improves it")
        tuning = Adaptation(model, pages, choice, seed)
        for _ in track(range(rounds), rounds, title="all pages", unit="round"):
            tuning.advance()
    tensors = {**model.tensors, **tuning.network.to_arrays()}
    return TunedModel(tensors, curve[0], curve[rounds], n_folds, rounds)


def _cross_validate(
    model: Model, pages: Sequence[JudgedPage], choice: TuningChoice, seed: int, track: Track
) -> tuple[list[float], int]:
    """Return the scores of held-out pages after each round, and the number of folds.

    The folds are tuned side by side, so that all of them end when their scores no longer get better.
    """
    n_folds = min(len(pages), _MOST_FOLDS)
    order = np.random.default_rng(seed).permutation(len(pages)).tolist()
    folds = []
    for fold in range(n_folds):
        own = [pages[i] for i in order[fold::n_folds]]
        rest = [pages[i] for place, i in enumerate(order) if place % n_folds != fold]
        folds.append((Adaptation(model, rest or own, choice, seed + fold), own))
    curve = [_score_folds(folds)]
    for _ in track(range(choice.rounds), choice.rounds, title="held-out pages", unit="round"):
        for tuning, _ in folds:
            tuning.advance()
        curve.append(_score_folds(folds))
        if len(curve) > choice.patience + _first_best(curve):
            break
    return curve, n_folds


def _score_folds(folds: Sequence[tuple[Adaptation, Sequence[JudgedPage]]]) -> float:
    return float(np.mean([score for tuning, pages in folds for score in tuning.score(pages)]))


def _first_best(curve: Sequence[float]) -> int:
    """Return the first number of rounds that is about as good as the best."""
    return next(number for number, f1 in enumerate(curve) if f1 >= max(curve) - _CLOSE)


class Adaptation:
    """A network during its tuning, with the state of its optimizer."""

    def __init__(self, model: Model, pages: Sequence[JudgedPage], choice: TuningChoice, seed: int) -> None:
        self.network = _load_network(model)
        self._model = model
        self._choice = choice
        self._n_steps = 0
        random = np.random.default_rng(seed)
        # Without their types: the head of page types is not tuned.
        own = [replace(page.page, page_type=-1) for page in pages]
        self._batches = (batch for _ in count() for batch in draw_batches(own, choice.batch, random))
        self._members = [cast("Member", member) for member in self.network.members]
        self._weights = [
            weight
            for name, weight in self.network.named_parameters()
            if weight.requires_grad_(not name.endswith(_FIXED)).requires_grad
        ]
        self._optimizer = torch.optim.Adam(self._weights, choice.learning_rate)

    def advance(self) -> None:
        """Do the steps of one round."""
        self.network.train()
        for _ in range(self._choice.steps):
            self._step()
        self.network.eval()

    def score(self, pages: Sequence[JudgedPage]) -> list[float]:
        """Return the word F1 of each page."""
        answers = decode_pages(self._model, self.network.to_arrays(), pages)
        return [page_word_scores(page, answer.labels).f1 for page, answer in zip(pages, answers, strict=True)]

    def _step(self) -> None:
        for group in self._optimizer.param_groups:
            group["lr"] = self._choice.learning_rate * min(1.0, (self._n_steps + 1) / _WARM_UP)
        batch = collate(next(self._batches))
        loss = torch.stack([batch_loss(member, batch) for member in self._members]).sum()
        self._optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(self._weights, _LARGEST_GRADIENT)
        self._optimizer.step()
        self._n_steps += 1


def _load_network(model: Model) -> TorchNetwork:
    """Return the network of *model*, with less dropout than in its training."""
    tensors = model.tensors
    n_members, width, _ = tensors["unary.weight"].shape
    choice = NetworkChoice(
        width=width,
        embedding=tensors["names"].shape[1] // n_members,
        dilations=tuple(model.manifest["dilations"]),
        pooled=tuple(model.manifest["pooled"]),
        grouped=tuple(model.manifest["grouped"]),
        dropout=0.1,
        input_dropout=0.1,
        word_dropout=0.3,
        bag_dropout=0.15,
        without=(),
        members=n_members,
    )
    return TorchNetwork.from_arrays(tensors, choice)


def write_tuned(out: Path, base: Model, tuned: TunedModel, n_pages: int) -> None:
    """Write a tuned model to the folder *out*."""
    left_out = {"format_version", "weights", "corpora", "n_pages", "seeds", "scores"}  # they describe the base model
    manifest = {key: value for key, value in base.manifest.items() if key not in left_out}
    tuning = {
        "base": {"name": base.name, "sha256": base.manifest["weights"]["sha256"]},
        "n_pages": n_pages,
        "n_folds": tuned.n_folds,
        "rounds": tuned.rounds,
        "before": tuned.before,
        "after": tuned.after,
    }
    write_model(out, tuned.tensors, {**manifest, "name": out.resolve().name, "tuning": tuning}, {})
