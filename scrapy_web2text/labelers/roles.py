"""Options on the roles of blocks: they add blocks to the content by their role, or take blocks out of it."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from scrapy_web2text.common.arrays import BoolArray, IntArray
from scrapy_web2text.extraction import Label
from scrapy_web2text.labelers.base import Labeling
from scrapy_web2text.options import ROLE_OPTIONS, ROLES, Options, Role

# Blocks with this probability of a role or more are included. The values were chosen on the folds of
# `benchmarks/roles.py`. Leads are rare, so their value is low; with it, nine of ten leads were in the text.
LEAST_PROBABILITY: Final[dict[str, float]] = {"lead": 0.15, "byline": 0.3, "caption": 0.3, "comment": 0.3}


def include_roles(labeling: Labeling, options: Options) -> Labeling:
    """Return *labeling* with the blocks that *options* include by their role as content, if the page has content."""
    chosen = [role for name, role in ROLE_OPTIONS.items() if getattr(options, name) == "include"]
    if labeling.roles is None or not chosen or Label.CONTENT not in labeling.labels:
        return labeling
    labels, probabilities = labeling.labels.copy(), labeling.roles()
    for role in chosen:
        labels[probabilities[:, ROLES.index(role)] >= LEAST_PROBABILITY[role]] = Label.CONTENT
    return replace(labeling, labels=labels)


def exclude_roles(labeling: Labeling, options: Options) -> IntArray:
    """Return the labels of *labeling*, with BOILERPLATE for roles to exclude or write separately. *Shape:* ``(n,)``"""
    chosen = [role for name, role in ROLE_OPTIONS.items() if getattr(options, name) in ("exclude", "separate")]
    if labeling.roles is None or not chosen:
        return labeling.labels
    labels = labeling.labels.copy()
    for role in chosen:
        is_chosen = mark_comments(labeling) if role == "comment" else has_role(labeling, role)
        labels[is_chosen] = Label.BOILERPLATE
    return labels


def has_role(labeling: Labeling, *roles: str) -> BoolArray:
    """Return which blocks most likely have one of *roles*. *Shape:* ``(n,)``"""
    if labeling.roles is None:
        return np.zeros(len(labeling.labels), dtype=bool)
    return np.isin(labeling.roles().argmax(axis=1), [ROLES.index(role) for role in roles])


def name_roles(labeling: Labeling) -> list[Role] | None:
    """Return the most likely role of each block; None if the labeler has no roles."""
    if labeling.roles is None:
        return None
    return [ROLES[number] for number in labeling.roles().argmax(axis=1).tolist()]


def mark_comments(labeling: Labeling) -> BoolArray:
    """Return which blocks are comments, or names and dates of their authors. *Shape:* ``(n,)``"""
    comments = has_role(labeling, "comment")
    texts = (comments | has_role(labeling, "body")).nonzero()[0]
    if not len(texts):
        return comments
    # A post header belongs to the text after it. The last header of a page can belong to the text before it.
    following = np.minimum(texts.searchsorted(np.arange(len(comments))), len(texts) - 1)
    return comments | (has_role(labeling, "post_header") & comments[texts[following]])
