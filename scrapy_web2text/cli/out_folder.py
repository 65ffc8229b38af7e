"""Checks the model folder of ``--out`` before a command does its work."""

from __future__ import annotations

import os
import tempfile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["check_out_folder"]


def check_out_folder(out: Path, *, is_replaced: bool) -> None:
    """Raise an error if a command cannot write *out*, or it cannot be used as a model.

    :param is_replaced: whether an older model may be replaced.
    :raises ValueError: if its name is that of a shipped model, or none that a model can have.
    :raises FileExistsError: if it exists and may not be replaced.
    :raises OSError: if it cannot be written.
    """
    from scrapy_web2text.labelers.weights import (  # noqa: PLC0415  loads numpy
        PACKAGED_MODELS,
        is_model_name,
        shipped_models,
    )

    name = out.resolve().name
    if name in {*PACKAGED_MODELS, *shipped_models()}:
        raise ValueError(f"--out: {name!r} is the name of a shipped model; expected another name")
    if not is_model_name(name):
        raise ValueError(f"--out: expected a folder whose name has 1 to 100 printable characters, got {name!r}")
    parent = next(path for path in (out, *out.absolute().parents) if os.path.lexists(path))
    if not parent.is_dir():
        raise NotADirectoryError(f"--out: {parent}: expected a folder")
    if out.exists() and not is_replaced:
        raise FileExistsError(f"--out: {out} exists; --force replaces it")
    try:
        with tempfile.TemporaryFile(dir=parent):
            pass
    except OSError as error:
        raise OSError(f"--out: cannot write to {parent}: {error.strerror}") from error
