"""Pages to tune a model with: labeled pages of one's own, and rehearsal rows, with which it keeps what it knows.

Rehearsal rows are features and labels of pages of many sites, which a model folder can have in a file. They are numbers
(columns, hashes and labels), no text. The columns are rounded to one byte, by the mean and the deviation of each, which
are also in the file.
"""

from __future__ import annotations

import io
import lzma
from dataclasses import fields
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from scrapy_web2text.exceptions import ModelError
from scrapy_web2text.features.modern import (
    ColumnPlan,
    ModernFeatures,
    find_families,
    modern_features,
    plan_columns,
    read_hints,
)
from scrapy_web2text.labelers.modern.network import MAX_INPUT
from scrapy_web2text.labelers.modern.repeats import is_in_code_or_table
from scrapy_web2text.labels.fit import label_all
from scrapy_web2text.labels.pages import read_blocks
from scrapy_web2text.training.corpora import NPZ_ERRORS
from scrapy_web2text.training.modern.batches import TrainingPage
from scrapy_web2text.training.modern.data import MOST_BLOCKS, JudgedPage

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from scrapy_web2text.common.arrays import AnyArray, BoolArray, FloatArray, IntArray
    from scrapy_web2text.labelers.weights import Model
    from scrapy_web2text.labels.files import PageLabels


def plan_of(model: Model) -> ColumnPlan:
    """Return the plan of the dense columns of *model*."""
    return plan_columns(find_families(model.manifest["features"]))


def read_own_page(html: bytes, name: str, given: PageLabels | None, plan: ColumnPlan) -> JudgedPage:
    """Return a page with the labels *given*; without labels, all blocks are boilerplate.

    :raises PageError: if the page cannot be parsed.
    :raises ValueError: if it has no blocks or too many, or the labels do not fit it.
    """
    found = read_blocks(html)
    page, blocks = found.page, found.blocks
    if not 0 < blocks.n_blocks <= MOST_BLOCKS:
        raise ValueError(f"expected 1 to {MOST_BLOCKS:,} blocks, got {blocks.n_blocks:,}")
    labels: IntArray | None = np.zeros(blocks.n_blocks, dtype=np.int64)
    weight = 1.0
    if given is not None:
        labels, weight = label_all(given, found.texts), given.certainty
    if labels is None:
        raise ValueError("the labels no longer fit the page")
    features = modern_features(page, blocks, read_hints(page.document_landmarks), plan)
    own = TrainingPage(name, features, labels, weight=weight)
    return judge_by_labels(own, found.texts, is_in_code_or_table(page, blocks, np.arange(blocks.n_blocks)))


def judge_by_labels(
    page: TrainingPage, texts: Sequence[str] = (), is_exempt: BoolArray | None = None, *, site: str = ""
) -> JudgedPage:
    """Return *page* judged by its labels: each word of a block counts as found if the block is.

    :param texts: see `JudgedPage`; without them, the page has no repeats.
    :param is_exempt: which blocks are in code or tables. *Shape:* ``(n,)``
    """
    every = np.arange(page.n_blocks)
    n_words = page.features.n_tokens
    words = np.repeat(every, n_words)
    gold = np.where(page.labels, n_words, 0)
    return JudgedPage(
        page,
        texts=tuple(texts) or tuple(map(str, every)),
        is_in_code_or_table=np.zeros(page.n_blocks, dtype=bool) if is_exempt is None else is_exempt,
        words=words,
        n_words=n_words,
        gold=gold,
        published=gold,
        is_good=True,
        site=site,
    )


REHEARSAL_FILE: Final = "rehearsal.npz.xz"
_LABELS: Final = "labels"
_MOST_BYTES: Final = 100_000_000  # decompressed
# The largest input of a network becomes this number.
_MOST: Final = 127
_SCALE: Final = ("mean", "deviation")
# The axis along which the arrays of pages are joined, where it is not the first.
_AXES: Final = {"groups": 1}
_ARRAYS: Final = tuple(field.name for field in fields(ModernFeatures))


def write_rehearsal(path: Path, pages: Sequence[TrainingPage], tensors: dict[str, FloatArray]) -> None:
    """Write the features and labels of *pages*.

    :param tensors: those of a model, with the mean and the deviation of each column.
    """
    scale = {name: tensors[name] for name in _SCALE}
    stored: dict[str, Any] = {**scale}
    for name in (*_ARRAYS, _LABELS):
        parts = [page.labels if name == _LABELS else getattr(page.features, name) for page in pages]
        joined = np.concatenate(parts, axis=_AXES.get(name, 0))
        rounded = _round(joined, **scale) if name == "dense" else joined.astype(_smallest_type(joined))
        stored |= {name: rounded, f"{name}.lengths": np.array([part.shape[_AXES.get(name, 0)] for part in parts])}
    content = io.BytesIO()
    np.savez(content, **stored)
    path.write_bytes(lzma.compress(content.getvalue(), preset=9 | lzma.PRESET_EXTREME))


def read_rehearsal(model: Model) -> list[TrainingPage]:
    """Return the rehearsal pages in the folder of *model*; none if it has no such file.

    :raises ModelError: if the file cannot be read, or was written for other columns.
    """
    path = model.folder / REHEARSAL_FILE
    if not path.exists():
        return []
    try:
        with lzma.open(path) as file, np.lib.npyio.NpzFile(io.BytesIO(file.read(_MOST_BYTES))) as stored:
            _check_values(stored, model)
            scale = {name: stored[name] for name in _SCALE}
            parts = {name: _split(stored, name) for name in (*_ARRAYS, _LABELS)}
    except (*NPZ_ERRORS, lzma.LZMAError, TypeError) as error:  # TypeError: an array of strings
        raise ModelError(f"{path}: expected rehearsal rows: {error}") from error
    n_columns = len(model.tensors["mean"])
    if len(scale["mean"]) != n_columns:
        raise ModelError(f"{path}: expected rows of {n_columns} columns; they were written for other features")
    labels = parts.pop(_LABELS)
    parts["dense"] = [_restore(rows, **scale) for rows in parts["dense"]]
    return [
        TrainingPage(f"rehearsal {number}", _make_features(page), labels[number].astype(np.int64))
        for number, page in enumerate(zip(*(parts[name] for name in _ARRAYS), strict=True))
    ]


def _round(rows: FloatArray, mean: FloatArray, deviation: FloatArray) -> AnyArray:
    inputs = np.clip((rows - mean) / deviation, -MAX_INPUT, MAX_INPUT)
    rounded: AnyArray = np.rint(inputs * (_MOST / MAX_INPUT)).astype(np.int8)
    return rounded


def _restore(rows: AnyArray, mean: FloatArray, deviation: FloatArray) -> FloatArray:
    inputs = rows.astype(np.float32) * np.float32(MAX_INPUT / _MOST)
    restored: FloatArray = inputs * np.where(np.isfinite(deviation), deviation, np.float32(0)) + mean
    return restored


def _smallest_type(values: AnyArray) -> type[np.integer[Any]]:
    """Return the smallest type that holds all *values*, whole numbers from -1."""
    most = int(values.max(initial=0))
    return next(kind for kind in (np.int8, np.int16, np.int32, np.int64) if most <= np.iinfo(kind).max)


def _check_values(stored: Any, model: Model) -> None:
    """Raise ValueError if a number is none that a network can take, for which torch would have its own errors."""
    tables = {"names": "names", "page_names": "names", "words": "words", "title_words": "words"}
    ends = {_LABELS: 2, **{name: len(model.tensors[table]) for name, table in tables.items()}}
    for name, end in ends.items():
        least, most = int(stored[name].min(initial=0)), int(stored[name].max(initial=0))
        if least < 0 or most >= end:
            raise ValueError(f"{name}: expected numbers from 0 to {end - 1}, got {least} to {most}")
    if not np.isfinite(stored["mean"]).all():
        raise ValueError("mean: expected finite numbers")


def _split(stored: Any, name: str) -> list[AnyArray]:
    """Return the array *name* of each page."""
    axis, lengths, array = _AXES.get(name, 0), stored[f"{name}.lengths"], stored[name]
    if lengths.sum() != array.shape[axis]:
        raise ValueError(f"{name}: expected lengths of pages whose sum is {array.shape[axis]}, got {lengths.sum()}")
    return [*np.split(array, np.cumsum(lengths)[:-1], axis=axis)]


def _make_features(page: tuple[AnyArray, ...]) -> ModernFeatures:
    values = dict(zip(_ARRAYS, page, strict=True))
    kinds: dict[str, type] = {"dense": np.float32, "has_copies": np.bool_}
    return ModernFeatures(**{name: array.astype(kinds.get(name, np.int64)) for name, array in values.items()})
