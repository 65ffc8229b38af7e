"""The 128 block features and 25 edge features of CDOM leaves, including the bugs of the published model."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .cdom import Node

    Counts = dict[str, int]

PARENT_TAGS = "td div p tr table body ul span li blockquote b small a ol ul i form dl strong pre".split()
LEAF_TAGS = "a p td b li span i tr div strong em h3 h2 table h4 small sup h1 blockquote".split()


def block_features(leaves: list[Node]) -> list[list[float]]:
    """Return one row of 128 columns for each leaf of a page."""
    positions = relative_positions(leaves)
    return [
        duplicates(leaf, leaves)  # 0-2
        + leaf_features(leaf.counts, position)  # 3-26
        + parent_features(leaf, leaves)  # 27-67
        + grandparent_features(leaf, leaves)  # 68-88
        + node_features(path_to_root(leaf)[-1], leaves)  # 89-108
        + [sign(tag in leaf.tags) for tag in LEAF_TAGS]  # 109-127
        for leaf, position in zip(leaves, positions, strict=True)
    ]


def edge_features(leaves: list[Node]) -> list[list[float]]:
    """Return one row of 25 columns for each pair of neighboring leaves of a page."""
    rows = []
    for a, b in pairwise(leaves):
        ancestor, distance = common_ancestor(a, b)
        rows.append(
            [
                *(sign(distance == 2), sign(distance == 3), sign(distance == 4), sign(distance > 4)),
                float(a.breaks_after or b.breaks_before),
                *node_features(ancestor, leaves),
            ]
        )
    return rows


# The tree


def list_leaves(node: Node | None) -> list[Node]:
    """Return the leaves below a node; a leaf is its own only leaf."""
    if node is None:
        return []
    if not node.children:
        return [node]
    leaves = []
    for child in node.children:
        leaves += list_leaves(child)
    return leaves


def path_to_root(node: Node) -> list[Node]:
    """Return a node and its ancestors, the root last."""
    return [node] if node.parent is None else [node, *path_to_root(node.parent)]


def common_ancestor(a: Node, b: Node) -> tuple[Node, int]:
    """Return the lowest common ancestor of two leaves, and the number of steps from one to the other through it."""
    a_path, b_path = path_to_root(a), path_to_root(b)
    ancestor = next(node for node in a_path if node in b_path)
    return ancestor, a_path.index(ancestor) + b_path.index(ancestor)


def first_leaf(node: Node) -> Node:
    return first_leaf(node.children[0]) if node.children else node


def last_leaf(node: Node) -> Node:
    return last_leaf(node.children[-1]) if node.children else node


# Scales


def sign(flag: bool) -> float:
    return 1.0 if flag else -1.0


def clip(value: float, low: float, high: float) -> float:
    return min(max(value, low), high)


def z(value: float, mean: float, deviation: float) -> float:
    return (value - mean) / deviation


# Columns 0-2


def duplicates(leaf: Node, leaves: list[Node]) -> list[float]:
    n_same = sum(other.text == leaf.text for other in leaves)
    # The third divides integers, leaves of the same path by all leaves. It is taken as 0 unless there is a single leaf.
    return [sign(n_same > 1), sign(n_same > 10), 1.0 if len(leaves) == 1 else 0.0]


# Columns 3-26


def leaf_features(c: Counts, position: float) -> list[float]:
    return [
        z(sign(c["n_words"] > 0), 0.8255, 0.5643817),
        log_n_words(c),
        average_word_length(c),
        sign(c["n_stopwords"] > 0),
        stopword_ratio(c),
        z(clip(math.log(c["n_chars"]), 2.5, 5.5), 3.392, 1.06445),
        sign(c["n_punctuation"] > 0),
        z(clip(c["n_punctuation"], 0, 10), 0.06938, 0.4083676),
        log_punctuation_ratio(c),
        has_digit(c),
        digit_ratio(c),
        log_sentence_length(c),
        sign(c["n_sentences"] > 1),
        z(position, 0.5198038, 0.2996195),
        z(position**2, 0.3599672, 0.3157282),
        *text_flags(c),
        *capital_ratios(c),
    ]


def relative_positions(leaves: list[Node]) -> list[float]:
    """Return the middle of each leaf within the characters of the page, from 0 to 1.

    The original measures in source offsets, which lxml does not know.
    """
    total = sum(leaf.counts["n_chars"] for leaf in leaves)
    positions = []
    n_before = 0
    for leaf in leaves:
        positions.append((n_before + leaf.counts["n_chars"] / 2) / total)
        n_before += leaf.counts["n_chars"]
    return positions


def log_n_words(c: Counts) -> float:
    return 0.0 if c["n_words"] == 0 else z(clip(math.log(c["n_words"]), 0, 3.5), 1.5086, 1.205)


def average_word_length(c: Counts) -> float:
    # The division is one of integers. The -1 for no words is not standardized.
    return -1.0 if c["n_words"] == 0 else z(clip(c["n_word_chars"] // c["n_words"], 3, 15), 4.910001, 1.905709)


def stopword_ratio(c: Counts) -> float:
    return 0.0 if c["n_words"] == 0 else z(c["n_stopwords"] / c["n_words"], 0.374, 0.1529)


def log_punctuation_ratio(c: Counts) -> float:
    if c["n_punctuation"] == 0:
        return 0.0
    return z(clip(math.log(c["n_punctuation"] / c["n_chars"]), -4, -2.5), -3.338525, 0.6058926)


def has_digit(c: Counts) -> float:
    return z(sign(c["n_digits"] > 0), -0.5900983, 0.8073342)


def digit_ratio(c: Counts) -> float:
    return z(c["n_digits"] / c["n_chars"], 0.2655969, 0.3052819)


def log_sentence_length(c: Counts) -> float:
    # Integer division. A text has more characters than sentences.
    return z(clip(math.log(c["n_chars"] // c["n_sentences"]), 2, 5), 3.109, 1.011)


def text_flags(c: Counts) -> list[float]:
    names = "ends_with_punctuation ends_with_question_mark has_copyright has_email has_url has_year".split()
    return [sign(c[name]) for name in names]


def capital_ratios(c: Counts) -> list[float]:
    if c["n_words"] == 0:
        return [0.0, 0.0, 0.0]
    ratio = c["n_capitals"] / c["n_words"]
    return [
        z(ratio, 0.4475758, 0.4129316),
        z(ratio**2, 0.3708354, 0.4334037),
        z(ratio**3, 0.340843, 0.4404389),
    ]


# Columns 27-108


def parent_features(leaf: Node, leaves: list[Node]) -> list[float]:
    if leaf.parent is None:
        return [0.0] * 41
    tags = [sign(tag in leaf.parent.tags) for tag in PARENT_TAGS]
    return [1.0, *node_features(leaf.parent, leaves), *tags]


def grandparent_features(leaf: Node, leaves: list[Node]) -> list[float]:
    if leaf.parent is None or leaf.parent.parent is None:
        return [0.0] * 21
    return [1.0, *node_features(leaf.parent.parent, leaves)]


def node_features(node: Node, leaves: list[Node]) -> list[float]:
    """Return the 20 columns that describe a parent, a grandparent, the root or a common ancestor."""
    c = node.counts
    return [
        body_percentage(node, leaves),
        z(c["n_link_chars"] / c["n_chars"], 0.5, 0.5),
        average_word_length(c),
        sign(c["n_stopwords"] > 0),
        stopword_ratio(c),
        z(clip(math.log(c["n_chars"]), 2.5, 10), 6, 2.14),
        log_punctuation_ratio(c),
        has_digit(c),
        digit_ratio(c),
        log_sentence_length(c),
        *text_flags(c),
        *capital_ratios(c),
        sign(c["has_form"]),
    ]


def body_percentage(node: Node, leaves: list[Node]) -> float:
    # By an integer division in the original, 1 if the node covers all leaves of the page, else 0.
    return float(first_leaf(node) is leaves[0] and last_leaf(node) is leaves[-1])
