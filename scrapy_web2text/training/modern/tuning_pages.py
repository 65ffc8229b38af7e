"""The input and output of a tuning: the base model, labeled pages, pages of other sites, and the tuned model.

Some pages of other sites come with a model, as rehearsal rows: features and labels of pages of many sites. They are
numbers (columns, hashes and labels) without any text. Each column is rounded to one byte, after its mean is subtracted
and the rest is divided by its deviation. Means and deviations are also in the file, which `benchmarks/rehearsal.py`
writes.
"""

from __future__ import annotations

import io
import lzma
import math
import zlib
from collections.abc import Callable, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Final
from zipfile import BadZipFile

import numpy as np

from scrapy_web2text.common.arrays import AnyArray, BoolArray
from scrapy_web2text.exceptions import ModelError, PageError, explain
from scrapy_web2text.features.modern.columns import ColumnPlan
from scrapy_web2text.features.modern.page import ModernFeatures, find_families, plan_columns
from scrapy_web2text.labelers.modern.labeler import ModernLabeler
from scrapy_web2text.labelers.modern.members import Structures
from scrapy_web2text.labelers.modern.network import MAX_INPUT
from scrapy_web2text.labelers.modern.repeats import find_exempt
from scrapy_web2text.labelers.weights import Model, find_model, load_model
from scrapy_web2text.labels.files import PageLabels, read_labels
from scrapy_web2text.labels.fit import label_all
from scrapy_web2text.labels.pages import read_blocks, read_labeled_page
from scrapy_web2text.training.corpora import Track
from scrapy_web2text.training.export import write_model
from scrapy_web2text.training.modern.batches import TrainingPage
from scrapy_web2text.training.modern.data import MOST_BLOCKS, JudgedPage, planned_features
from scrapy_web2text.training.modern.tuning import TunedModel, TuningScore

Report = Callable[[str], None]  # reports a page that cannot be used


def load_base(name: str) -> Model:
    """Return the base model.

    :raises ValueError: if the model is of a kind that cannot be tuned.
    """
    model = load_model(find_model(name))
    if model.manifest.get("labeler") != "modern":
        raise ValueError(f"--base: expected a model of the kind 'modern', got {model.manifest.get('labeler')!r}")
    ModernLabeler(model)  # so that errors come before pages are read
    return model


def read_labeled(labels: Path, folder: Path, base: Model, track: Track, report: Report) -> list[JudgedPage]:
    """Return the pages in *folder* whose labels are in the file *labels*; pages that cannot be used are reported."""
    plan = plan_of(base)
    found = [*read_labels(labels).values()]
    pages = []
    for given in track(found, len(found)):
        try:
            pages.append(read_own_page(read_labeled_page(given, folder), given, plan))
        except (OSError, ValueError, PageError) as error:
            report(f"{given.id}: {explain(error, is_named=False)}")
    if not pages:
        raise ValueError(f"{labels}: expected labels that fit their pages, found none (see web2text labels check)")
    return pages


def read_kept(base: Model) -> list[JudgedPage]:
    """Return the pages of other sites that come with the base model."""
    return [to_judged_page(page) for page in read_rehearsal(base)]


def plan_of(model: Model) -> ColumnPlan:
    """Return the plan of the dense columns of *model*."""
    return plan_columns(find_families(model.manifest["features"]))


def read_own_page(html: bytes, given: PageLabels, plan: ColumnPlan) -> JudgedPage:
    """Return a page with the labels *given*.

    :raises PageError: if the page cannot be parsed.
    :raises ValueError: if the page has no blocks or too many, or the labels do not fit it.
    """
    found = read_blocks(html)
    page, blocks = found.page, found.blocks
    if not 0 < blocks.n_blocks <= MOST_BLOCKS:
        raise ValueError(f"expected 1 to {MOST_BLOCKS:,} blocks, got {blocks.n_blocks:,}")
    labels = label_all(given, found.texts)
    if labels is None:
        raise ValueError("the labels no longer fit the page")
    own = TrainingPage(given.id, planned_features(page, blocks, plan), labels, weight=given.certainty)
    return to_judged_page(own, found.texts, find_exempt(page, blocks, np.arange(blocks.n_blocks)))


def to_judged_page(page: TrainingPage, texts: Sequence[str] = (), is_exempt: BoolArray | None = None) -> JudgedPage:
    """Return *page* with its labels as the truth: all words of a CONTENT block are content.

    :param texts: see `JudgedPage`; without texts, no block counts as a repeat.
    :param is_exempt: see `find_exempt`. *Shape:* ``(n,)``
    """
    every = np.arange(page.n_blocks)
    n_words = page.features.n_tokens
    gold = np.where(page.labels, n_words, 0)
    texts = tuple(texts) or tuple(map(str, every))
    is_exempt = np.zeros(page.n_blocks, dtype=bool) if is_exempt is None else is_exempt
    none = np.full(page.n_blocks, -1)
    nowhere = Structures(none, none > 0, none)
    return JudgedPage(page, texts, is_exempt, nowhere, np.repeat(every, n_words), n_words, gold, gold)


REHEARSAL_FILE: Final = "rehearsal.npz.xz"
LABELS: Final = "labels"
# The arrays of `ModernFeatures`, and the axis along which the arrays of all pages are joined.
AXES: Final = {field.name: int(field.name == "groups") for field in fields(ModernFeatures)}
# The byte for the largest input of a network.
MOST: Final = 127
_MOST_BYTES: Final = 100_000_000  # decompressed
# The embedding tables that the hashes are row numbers of.
_TABLES: Final = {"names": "names", "page_names": "names", "words": "words", "title_words": "words"}
# The exceptions that a damaged file, or a file that lacks an array, can raise.
_ERRORS: Final = (
    *(OSError, EOFError, BadZipFile, KeyError, NotImplementedError, TypeError, ValueError),
    *(lzma.LZMAError, zlib.error),
)


def read_rehearsal(model: Model) -> list[TrainingPage]:
    """Return the rehearsal pages in the folder of *model*; none if it has no such file.

    :raises ModelError: if the file cannot be read, or was written for other columns than *model* has.
    """
    path = model.folder / REHEARSAL_FILE
    if not path.exists():
        return []
    try:
        with lzma.open(path) as file, np.load(io.BytesIO(file.read(_MOST_BYTES))) as npz:
            stored = dict(npz)
        ends = {LABELS: 2, **{name: len(model.tensors[table]) for name, table in _TABLES.items()}}
        for name, end in ends.items():
            if stored[name].min(initial=0) < 0 or stored[name].max(initial=0) >= end:
                raise ValueError(f"{name}: expected numbers from 0 to {end - 1}")
        mean, deviation = stored["mean"], stored["deviation"]
        if len(mean) != len(model.tensors["mean"]):
            raise ValueError(f"{len(mean)} columns: they were written for other features")
        scale = np.where(np.isfinite(deviation), deviation, np.float32(0))
        inputs = stored["dense"].astype(np.float32) * np.float32(MAX_INPUT / MOST)
        stored["dense"] = inputs * scale + mean
        columns: list[list[AnyArray]] = []
        for name, axis in {**AXES, LABELS: 0}.items():
            kind = {"dense": np.float32, "has_copies": np.bool_}.get(name, np.int64)
            bounds = np.cumsum(stored[f"{name}.lengths"])[:-1]
            columns.append(np.split(stored[name].astype(kind), bounds, axis=axis))
        return [
            TrainingPage(f"rehearsal {number}", ModernFeatures(*arrays), labels)
            for number, (*arrays, labels) in enumerate(zip(*columns, strict=True))
        ]
    except _ERRORS as error:
        raise ModelError(f"{path}: expected rehearsal rows: {error}") from error


def write_tuned(out: Path, base: Model, tuned: TunedModel, n_pages: int) -> None:
    """Write a tuned model to the folder *out*."""
    left_out = {"format_version", "weights", "corpora", "n_pages", "seeds", "scores"}  # they describe the base model
    manifest = {key: value for key, value in base.manifest.items() if key not in left_out}
    tuning = {
        "base": {"name": base.name, "sha256": base.manifest["weights"]["sha256"]},
        "n_pages": n_pages,
        "n_folds": tuned.n_folds,
        "rounds": tuned.rounds,
        "before": _to_json(tuned.before),
        "after": _to_json(tuned.after),
    }
    write_model(out, tuned.tensors, {**manifest, "name": out.resolve().name, "tuning": tuning}, {})


def _to_json(score: TuningScore) -> dict[str, float | None]:
    return {"own": score.own, "kept": None if math.isnan(score.kept) else score.kept}
