"""Reads the file that a cross-validation writes."""

from __future__ import annotations

import json
import lzma
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["read_folds"]


def read_folds(path: Path) -> dict[str, Any]:
    """Return the plain data of a `CrossValidation`.

    :param path: a ``folds.json``, compressed if the name ends in ``.xz``.
    :raises OSError: if the file cannot be read.
    :raises ValueError: if it is another file.
    """
    try:
        with lzma.open(path) if path.suffix == ".xz" else path.open("rb") as file:
            folds = json.load(file)
    except (ValueError, lzma.LZMAError, EOFError):
        folds = None
    if not isinstance(folds, dict):
        raise ValueError(f"expected {path} to be a folds.json of web2text train --folds")
    return folds
