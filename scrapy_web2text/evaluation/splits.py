"""What an evaluation scores: the pages of a corpus that the models were not trained on."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from scrapy_web2text.evaluation.corpora import Corpus, read_split
from scrapy_web2text.labelers.weights import find_model, shipped_models

# Files of the page ids of a corpus: in the data folder, and in the folder of a shipped model.
_SPLIT_FILES: Final = {"cleaneval": "cleaneval.json", "wcxb": "wcxb-dev.json"}
_SHIPPED_SPLITS: Final = {"cleaneval": "web2text-2018"}


def find_ids(
    corpus: Corpus, data: Path, models: Sequence[str], *, split: str | None, part: str | None, path: Path | None
) -> tuple[str | None, tuple[str, ...]]:
    """Return the part of a corpus to score, and the ids of its pages.

    Unless the user chooses, a model is not scored on the pages that it was trained on.

    :param split: name of a split; None for the one named as the corpus.
    :param part: part of the split; None for ``test`` if *split* or *path* is given or a model has it, else all pages.
    :param path: file of page ids; None for the one of the corpus or of a model.
    """
    if part is None and split is None and path is None:
        path = _find_own_splits(models, corpus.name, "test")
        if path is None:
            return None, corpus.ids
    if part == "all":
        return part, corpus.ids
    part = part or "test"
    path = path or _find_split_file(corpus.name, data, () if split else models, part)
    return part, read_split(path, split, part, corpus=corpus.name)


def _find_split_file(corpus: str, data: Path, models: Sequence[str], part: str) -> Path:
    """Return the page ids in the data folder, in the folder of one of *models*, or in that of a shipped model."""
    path = data / "splits" / _SPLIT_FILES.get(corpus, f"{corpus.replace('/', '-')}.json")
    if path.exists():
        return path
    own = _find_own_splits(models, corpus, part)
    if own is not None:
        return own
    model = shipped_models().get(_SHIPPED_SPLITS.get(corpus, ""))
    if model is not None and (model / "splits.json").exists():
        return model / "splits.json"
    raise ValueError(
        f"corpus {corpus!r}: expected its page ids in {path}, which does not exist; --splits names another file"
    )


def _find_own_splits(models: Sequence[str], corpus: str, part: str) -> Path | None:
    """Return the first page ids in the folder of a model that list a *part* of *corpus*; None if none do."""
    for model in models:
        try:
            path = find_model(model) / "splits.json"
            table = json.loads(path.read_text(encoding="utf-8"))
        except (ValueError, OSError):  # rules, or a folder without them
            continue
        if isinstance(table, dict) and isinstance(table.get(corpus), dict) and part in table[corpus]:
            return path
    return None
