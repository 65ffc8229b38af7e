"""Checks the file of ``--out`` before a command does its work."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["check_out_file"]


def check_out_file(path: Path, *, may_overwrite: bool) -> None:
    """Raise an error if a command cannot write *path*.

    :param may_overwrite: whether an older file may be replaced.
    :raises IsADirectoryError: if it is a folder.
    :raises FileNotFoundError: if its folder does not exist.
    :raises FileExistsError: if it exists and may not be replaced.
    """
    if path.is_dir():
        raise IsADirectoryError(f"--out: {path}: expected a file, got a folder")
    if not path.resolve().parent.is_dir():
        raise FileNotFoundError(f"--out: {path}: expected a file in a folder that exists")
    if path.exists() and not may_overwrite:
        raise FileExistsError(f"--out: {path} exists; --force overwrites it")
