"""The paper's trees: rules for single blocks at their limits, and naive twins of the two algorithms."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_web2text.extraction import Label
from scrapy_web2text.labelers.shallow.measures import ShallowBlocks
from scrapy_web2text.labelers.shallow.trees import TREES, Tree

NO, YES = Label.BOILERPLATE, Label.CONTENT
# Link density, words, text density of one block.
Block = tuple[float, int, float]
START_AND_END: Block = (0.0, 0, 0.0)


def measures_of(blocks: list[Block]) -> ShallowBlocks:
    columns = np.array(blocks, dtype=np.float64).reshape(-1, 3)
    return ShallowBlocks(columns[:, 1].astype(np.int64), columns[:, 0], columns[:, 2])


def classify(tree: Tree, blocks: list[Block]) -> list[int]:
    return tree.labels[tree.find_leaves(measures_of(blocks))].tolist()


@pytest.mark.parametrize(
    ("name", "block", "label"),
    [
        ("density-1r", (1.0, 0, 10.5), YES),
        ("density-1r", (0.0, 99, 10.49), NO),
        ("cleaneval", (0.35, 0, 7.0), YES),
        ("cleaneval", (0.351, 0, 7.0), NO),
        ("cleaneval", (0.0, 0, 6.99), NO),
        ("min-words", (1.0, 10, 0.0), YES),
        ("min-words", (0.0, 9, 0.0), NO),
        ("all", (1.0, 0, 0.0), YES),
    ],
)
def test_rules_for_single_blocks_at_their_limits(name, block, label):
    assert classify(TREES[name], [block]) == [label]


def _algorithm_1(previous: Block, current: Block, following: Block) -> int:
    """Return the leaf of the tree in the paper, from top to bottom."""
    if current[0] > 0.333333:
        return 7
    if previous[0] > 0.555556:
        return 6 if following[2] > 11 else 5
    if current[2] > 9:
        return 4 if following[2] > 0 else 3
    if following[2] > 10:
        return 2
    return 1 if previous[2] > 4 else 0


def _algorithm_2(previous: Block, current: Block, following: Block) -> int:
    if current[0] > 0.333333:
        return 7
    if previous[0] > 0.555556:
        if current[1] > 40:
            return 6
        return 5 if following[1] > 17 else 4
    if current[1] > 16:
        return 3
    if following[1] > 15:
        return 2
    return 1 if previous[1] > 4 else 0


@pytest.mark.parametrize(
    ("name", "twin", "labels"),
    [
        ("density", _algorithm_1, [NO, YES, YES, NO, YES, NO, YES, NO]),
        ("numwords", _algorithm_2, [NO, YES, YES, YES, NO, YES, YES, NO]),
    ],
)
@given(
    blocks=st.lists(
        st.tuples(
            st.sampled_from([0.0, 0.333333, 1 / 3, 0.555556, 5 / 9, 0.555557, 1.0]),
            st.sampled_from([0, 4, 5, 15, 16, 17, 18, 40, 41]),
            st.sampled_from([0.0, 1.0, 4.0, 4.1, 9.0, 9.1, 10.0, 10.1, 11.0, 11.1]),
        ),
    )
)
def test_a_page_is_classified_block_by_block(name, twin, labels, blocks):
    padded = [START_AND_END, *blocks, START_AND_END]
    expected = [twin(*three) for three in zip(padded, padded[1:], padded[2:], strict=False)]
    tree = TREES[name]
    assert tree.find_leaves(measures_of(blocks)).tolist() == expected
    assert tree.labels.tolist() == labels


@pytest.mark.parametrize("name", TREES)
def test_every_line_of_a_tree_is_parsed(name):
    tree = TREES[name]
    assert len(tree._lines) == len(tree.text.strip().split("\n"))
    assert tree.text.count(" : ") == len(tree.labels)


def test_other_thresholds_give_another_tree():
    blocks = [(0.0, 7, 0.0), (0.0, 4, 0.0)]
    assert classify(TREES["min-words"].with_thresholds(n_words=5), blocks) == [YES, NO]
    assert classify(TREES["min-words"], blocks) == [NO, NO]


@pytest.mark.parametrize(("name", "expected"), [("cleaneval", "text_density, link_density"), ("all", "none")])
def test_an_unknown_threshold_raises_an_error(name, expected):
    with pytest.raises(ValueError, match=f"unknown threshold n_cats; expected some of {expected}"):
        TREES[name].with_thresholds(n_cats=1)


@pytest.mark.parametrize("name", TREES)
def test_each_condition_but_one_that_always_holds_is_followed_by_its_opposite(name):
    opposites = {"<=": ">", "<": ">=", "=": ">"}  # densities are at least 0
    lines = [line.split() for line in TREES[name].text.strip().split("\n")]
    by_place = {}
    for words in lines:
        level = words.count("|")
        assert all(place <= level for place in by_place)
        block, sign, limit = words[level : level + 3]
        if level in by_place:
            assert by_place.pop(level) == (block, sign, limit)
        else:
            by_place[level] = (block, opposites.get(sign), limit)
    assert name == "all" or not by_place
