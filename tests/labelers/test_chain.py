from __future__ import annotations

from dataclasses import replace
from itertools import pairwise, product
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from places import ROOT

from scrapy_web2text.exceptions import PageError
from scrapy_web2text.labelers import sums
from scrapy_web2text.labelers.chain import _log_odds, _ratios, decode, marginals
from scrapy_web2text.labelers.registry import get_labeler
from scrapy_web2text.page.arrays import tree_to_page
from scrapy_web2text.page.parse import to_tree

if TYPE_CHECKING:
    from scrapy_web2text.common.arrays import DoubleArray


class Chain(NamedTuple):
    """Log-potentials of n blocks."""

    unary: DoubleArray
    pairwise: DoubleArray

    @property
    def n_blocks(self) -> int:
        return len(self.unary)

    def with_lam(self, lam: float) -> Chain:
        return Chain(self.unary, lam * self.pairwise)

    def total(self, labels: tuple[int, ...]) -> float:
        total = sum(self.unary[i, label] for i, label in enumerate(labels))
        return total + sum(self.pairwise[i, a, b] for i, (a, b) in enumerate(pairwise(labels)))

    def totals(self) -> dict[tuple[int, ...], float]:
        """Return the total log-potential of every labeling."""
        return {labels: self.total(labels) for labels in product((0, 1), repeat=self.n_blocks)}


def chains(min_size: int = 1, max_size: int = 7, largest: float = 10.0) -> st.SearchStrategy[Chain]:
    numbers = st.floats(-largest, largest)

    def of_size(n: int) -> st.SearchStrategy[Chain]:
        unary = st.lists(numbers, min_size=2 * n, max_size=2 * n).map(lambda x: np.reshape(x, (n, 2)))
        n_pairs = max(n - 1, 0)
        pairs = st.lists(numbers, min_size=4 * n_pairs, max_size=4 * n_pairs)
        return st.builds(Chain, unary, pairs.map(lambda x: np.reshape(x, (n_pairs, 2, 2)).astype(float)))

    return st.integers(min_size, max_size).flatmap(of_size)


def max_marginal_log_odds(unary, pairwise):
    return _log_odds(*_ratios(unary, pairwise), sums.pass_max_messages)


def viterbi(unary, pairwise):
    return decode(unary, pairwise, decoder="viterbi", threshold=0.5)[0].astype(int)


brute_force = settings(max_examples=100)
lams = st.sampled_from([0.0, 0.1, 1.0, 3.0])


@brute_force
@given(chain=chains(), lam=lams)
def test_viterbi_is_as_good_as_trying_every_labeling(chain, lam):
    chain = chain.with_lam(lam)
    totals = chain.totals()
    best = [labels for labels, total in totals.items() if total > max(totals.values()) - 1e-6]
    found = viterbi(*chain).tolist()
    # If several labelings are best, each block is decided alone.
    assert all(label in options for label, options in zip(found, zip(*best, strict=True), strict=True))


@brute_force
@given(chain=chains(), lam=lams)
def test_max_marginals_are_differences_of_the_best_labelings(chain, lam):
    chain = chain.with_lam(lam)
    totals = chain.totals()
    expected = [
        max(total for labels, total in totals.items() if labels[i] == 1)
        - max(total for labels, total in totals.items() if labels[i] == 0)
        for i in range(chain.n_blocks)
    ]
    assert max_marginal_log_odds(*chain).tolist() == pytest.approx(expected, abs=1e-6)


@brute_force
@given(chain=chains(), lam=lams)
def test_marginals_are_shares_of_all_labelings(chain, lam):
    chain = chain.with_lam(lam)
    totals = chain.totals()
    largest = max(totals.values())
    weights = {labels: np.exp(total - largest) for labels, total in totals.items()}
    expected = [
        sum(weight for labels, weight in weights.items() if labels[i] == 1) / sum(weights.values())
        for i in range(chain.n_blocks)
    ]
    assert marginals(*chain).tolist() == pytest.approx(expected, abs=1e-9)


@given(chain=chains(max_size=30))
def test_without_pairs_each_block_is_decoded_alone(chain):
    chain = chain.with_lam(0)
    odds = chain.unary[:, 1] - chain.unary[:, 0]
    np.testing.assert_allclose(max_marginal_log_odds(*chain), odds, atol=1e-9)
    np.testing.assert_allclose(marginals(*chain), 1 / (1 + np.exp(-odds)), atol=1e-12)
    assert viterbi(*chain).tolist() == (max_marginal_log_odds(*chain) > 0).tolist()


@given(chain=chains(max_size=30), lam=lams)
def test_a_reversed_chain_has_the_same_answers(chain, lam):
    chain = chain.with_lam(lam)
    backwards = Chain(chain.unary[::-1], chain.pairwise[::-1].transpose(0, 2, 1))
    np.testing.assert_allclose(max_marginal_log_odds(*backwards)[::-1], max_marginal_log_odds(*chain), atol=1e-6)
    np.testing.assert_allclose(marginals(*backwards)[::-1], marginals(*chain), atol=1e-9)


@given(chain=chains(max_size=30, largest=1e30))
def test_extreme_potentials_give_finite_answers(chain):
    assert np.isfinite(max_marginal_log_odds(*chain)).all()
    probabilities = marginals(*chain)
    assert ((probabilities >= 0) & (probabilities <= 1)).all()


@pytest.mark.parametrize("sign", [1, -1])
def test_long_runs_do_not_add_up(sign):
    n = 50_000
    unary = np.tile([0.0, sign * 5.0], (n, 1))
    pairs = np.tile([[3.0, 0.0], [0.0, 3.0]], (n - 1, 1, 1))
    log_odds = max_marginal_log_odds(unary, pairs) * sign
    assert log_odds.min() > 5
    assert log_odds.max() < 20
    assert np.isfinite(marginals(unary, pairs)).all()


def test_ties_are_decided_for_each_block_alone():
    chain = Chain(np.array([[0.0, 1.0], [0.0, 0.0]]), np.array([[[0.0, 1.0], [0.0, 0.0]]]))
    assert chain.totals() == {(0, 0): 0, (0, 1): 1, (1, 0): 1, (1, 1): 1}
    assert viterbi(*chain).tolist() == [0, 0]


def test_pairs_lead_from_the_first_label_to_the_second():
    unary = np.array([[0.0, -50.0], [0.0, 0.0]])
    pairs = np.array([[[0.0, 1.0], [0.0, 0.0]]])  # 0 is followed by 1
    assert viterbi(unary, pairs).tolist() == [0, 1]


def test_an_empty_chain_has_no_labels():
    chain = Chain(np.zeros((0, 2)), np.zeros((0, 2, 2)))
    assert viterbi(*chain).tolist() == marginals(*chain).tolist() == []


def test_float32_potentials_are_accepted():
    chain = Chain(np.array([[0, 1], [1, 0]], dtype=np.float32), np.zeros((1, 2, 2), dtype=np.float32))
    assert viterbi(*chain).tolist() == [1, 0]
    assert marginals(*chain).dtype == np.float64


@pytest.mark.parametrize(
    ("unary", "pairs"),
    [((3, 2), (3, 2, 2)), ((3, 2), (2, 4)), ((3, 3), (2, 2, 2)), ((0, 2), (1, 2, 2)), ((3,), (2, 2, 2))],
    ids=["pairs", "flat-pairs", "labels", "no-blocks", "flat"],
)
def test_shapes_that_do_not_agree_raise_an_error(unary, pairs):
    with pytest.raises(ValueError, match="expected shapes"):
        decode(np.zeros(unary), np.zeros(pairs), decoder="viterbi", threshold=0.5)


# What a trained labeler says about its own decoding, which the viewer repeats with other settings


@pytest.mark.parametrize("options", [{}, {"threshold": 0.8, "decoder": "viterbi"}, {"decoder": "marginal"}])
@pytest.mark.parametrize("model", ["web2text-2026", "web2text-2018"])
def test_the_chain_of_a_labeling_gives_its_probabilities(model, options):
    page = tree_to_page(to_tree((ROOT / "tests" / "pages" / "faq.html").read_bytes()))
    labeling = get_labeler(model).label(page, **options)
    chain = labeling.chain
    assert chain.blocks is labeling.blocks
    own = {"threshold": chain.threshold, "decoder": chain.decoder}
    assert own | options == own
    is_content, probabilities = decode(*chain.potentials, decoder=chain.decoder, threshold=chain.threshold)
    np.testing.assert_allclose(labeling.probabilities, probabilities)
    assert (is_content >= labeling.labels).all()


def test_rules_have_no_chain():
    page = tree_to_page(to_tree("<p>words</p>"))
    assert get_labeler("bte").label(page).chain is None


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
def test_a_probability_that_json_does_not_have_raises_a_page_error(value):
    labeling = get_labeler("bte").label(tree_to_page(to_tree("<p>words</p>")))
    with pytest.raises(PageError, match="the probability of the page type is not finite"):
        replace(labeling, page_type=("article", value))
