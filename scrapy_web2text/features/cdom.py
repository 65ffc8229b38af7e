"""The collapsed DOM (CDOM) of Web2Text, section 3.1, as intervals of its leaves, the blocks.

In the CDOM, every element with a single kept child is merged with the child, so that each inner node branches. Two
elements are merged exactly if they cover the same leaves. An element covers an interval of leaves, so elements with
equal intervals form a node. A sum over the leaves of a node is the difference of two cumulative sums. `tests/naive`
builds the same tree node by node.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from scrapy_web2text.common.arrays import AnyArray, IntArray, mark_changes
from scrapy_web2text.common.budget import check_time
from scrapy_web2text.page import reader
from scrapy_web2text.page.arrays import Page
from scrapy_web2text.page.blocks import BlockSequence


@dataclass(frozen=True, slots=True, eq=False)
class Cdom:
    """The collapsed DOM over k leaves: g inner nodes in preorder, the root first, and the leaves.

    Inner nodes and leaves each have a *chain*: the elements that were merged into them, outermost first, as a run of
    `chain_elements`. The chain of a leaf is empty if its text is directly in a branching element.

    :param chain_elements: elements that cover at least one leaf, in preorder. *Shape:* ``(e,)``
    :param node_chains: first and one past the last position of each inner node's chain. *Shape:* ``(g, 2)``
    :param leaf_chains: the same positions for each leaf's chain; equal if the chain is empty. *Shape:* ``(k, 2)``
    :param first_leaves: first leaf under each inner node. *Shape:* ``(g,)``
    :param last_leaves: last leaf under each inner node. *Shape:* ``(g,)``
    :param node_parents: parent of each inner node, -1 for the root. *Shape:* ``(g,)``
    :param node_depths: number of inner nodes above each inner node. *Shape:* ``(g,)``
    :param leaf_parents: inner node above each leaf; -1 for none, as on a page with a single leaf. *Shape:* ``(k,)``
    :param common_ancestors: lowest inner node above each pair of neighboring leaves. *Shape:* ``(max(k - 1, 0),)``
    """

    chain_elements: IntArray
    node_chains: IntArray
    leaf_chains: IntArray
    first_leaves: IntArray
    last_leaves: IntArray
    node_parents: IntArray
    node_depths: IntArray
    leaf_parents: IntArray
    common_ancestors: IntArray

    @property
    def n_nodes(self) -> int:
        """Number of inner nodes."""
        return len(self.node_parents)

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return len(self.leaf_parents)

    @property
    def tree_distances(self) -> IntArray:
        """Number of steps between neighboring leaves, 2 for siblings. *Shape:* ``(max(k - 1, 0),)``"""
        if self.n_leaves < 2:
            return np.zeros(0, dtype=np.int64)
        depths = self.node_depths[self.leaf_parents] + 1
        return depths[:-1] + depths[1:] - 2 * self.node_depths[self.common_ancestors]

    def unite(self, element_flags: AnyArray, chains: IntArray) -> IntArray:
        """Return the bitwise union of *element_flags* over each of *chains*, 0 for an empty chain.

        *Shapes:* ``(n,)`` for the n elements of the page, ``(c, 2)`` -> ``(c,)``
        """
        flags = np.append(element_flags[self.chain_elements].astype(np.int64), 0)
        if not len(chains):
            return np.zeros(0, dtype=np.int64)
        united: IntArray = np.bitwise_or.reduceat(flags, chains.ravel().astype(np.intp))[::2]
        united[chains[:, 0] == chains[:, 1]] = 0
        return united


def collapse(page: Page, blocks: BlockSequence, transparent: Collection[str] = ()) -> Cdom:
    """Return the CDOM of *page* with its *blocks* as leaves.

    :param transparent: tags whose elements are ignored, since a block may extend over their ends.
    """
    check_time()
    first, stop = page.leaf_ranges(blocks.leaves)
    is_around = first < stop
    chain_elements = (is_around & ~page.tags_in(transparent) if transparent else is_around).nonzero()[0]
    leaf_blocks, k = blocks.leaf_blocks, blocks.n_blocks
    begins, ends = leaf_blocks[first[chain_elements]], leaf_blocks[stop[chain_elements] - 1] + 1
    # In preorder the elements with equal intervals are consecutive: a chain. The chains around several blocks are the
    # inner nodes.
    tops = (mark_changes(begins) | mark_changes(ends)).nonzero()[0]
    chains = np.empty((len(tops), 2), dtype=np.int64)
    chains[:, 0], chains[:-1, 1], chains[-1:, 1] = tops, tops[1:], len(begins)
    begins, ends = begins[tops], ends[tops]
    is_inner = ends - begins > 1
    leaf_chains = np.zeros((k, 2), dtype=np.int64)
    leaf_chains[begins[~is_inner]] = chains[~is_inner]
    begins, ends = begins[is_inner], ends[is_inner]
    return Cdom(chain_elements, chains[is_inner], leaf_chains, begins, ends - 1, *reader.nest(begins, ends, k))
