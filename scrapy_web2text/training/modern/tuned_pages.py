"""What a tuning reads and writes: the base model, the labeled pages, pages of other sites, and the tuned model."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from scrapy_web2text.exceptions import PageError
from scrapy_web2text.labelers.modern import ModernLabeler
from scrapy_web2text.labelers.weights import Model, find_model, load_model
from scrapy_web2text.labels.files import read_labels
from scrapy_web2text.labels.pages import read_labeled_page
from scrapy_web2text.page.files import list_files, read_whole_page
from scrapy_web2text.training.export import write_model
from scrapy_web2text.training.modern.adaptation import label_by_model
from scrapy_web2text.training.modern.tuning_pages import judge_by_labels, plan_of, read_own_page, read_rehearsal

if TYPE_CHECKING:
    from scrapy_web2text.training.modern.data import JudgedPage
    from scrapy_web2text.training.modern.tuning import TunedModel, TuningScore

# Shows the progress of a loop, see `cli.output.show_progress`; reports a page that cannot be used.
Track: TypeAlias = Callable[..., Iterable[Any]]
Report: TypeAlias = Callable[[str], None]

# More pages of other sites would take long, and hardly say more.
MOST_KEPT: Final = 200


def load_base(name: str) -> Model:
    """Return the base model, which must be of the kind that can be tuned."""
    model = load_model(find_model(name))
    if model.manifest.get("labeler") != "modern":
        raise ValueError(f"--base: expected a model of the kind 'modern', got {model.manifest.get('labeler')!r}")
    ModernLabeler(model)  # so that errors come before pages are read
    return model


def read_labeled(labels: Path, folder: Path, base: Model, track: Track, report: Report) -> list[JudgedPage]:
    """Return the pages in *folder* whose labels are in the file *labels*; those that cannot be used are reported.

    :raises ValueError: if no page has labels that fit.
    """
    plan = plan_of(base)
    readings = [*read_labels(labels).values()]
    pages = _read_all(
        track(readings, len(readings)),
        report,
        lambda reading: reading.id,
        lambda reading: read_own_page(read_labeled_page(reading, folder), reading.id, reading, plan),
    )
    if not pages:
        raise ValueError(f"{labels}: expected labels that fit their pages, found none (see web2text labels check)")
    return pages


def read_kept(folder: Path | None, base: Model, seed: int, track: Track, report: Report) -> list[JudgedPage]:
    """Return pages of other sites: those that come with the base model, and those in *folder*."""
    kept = [judge_by_labels(page) for page in read_rehearsal(base)]
    if folder is None:
        return kept
    plan, files = plan_of(base), list_files(folder)
    if len(files) > MOST_KEPT:
        files = sorted(random.Random(seed).sample(files, MOST_KEPT))  # noqa: S311
    own = _read_all(
        track(files, len(files), title="kept"),
        report,
        str,
        lambda file: read_own_page(read_whole_page(folder / file), str(file), None, plan),
    )
    return kept + label_by_model(base, own)


def _read_all(
    sources: Iterable[Any], report: Report, name: Callable[[Any], str], read: Callable[[Any], JudgedPage]
) -> list[JudgedPage]:
    pages = []
    for source in sources:
        try:
            pages.append(read(source))
        except (OSError, ValueError, PageError) as error:
            report(f"{name(source)}: {error}")
    return pages


def write_tuned(out: Path, base: Model, tuned: TunedModel, n_pages: int) -> None:
    """Write a tuned model to the folder *out*."""
    left_out = {"format_version", "weights", "corpora", "n_pages", "seeds", "scores"}  # those of the base model
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
