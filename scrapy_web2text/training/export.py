"""Writes a trained model as a folder: manifest, weights, recipe and page ids."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any, Final

from safetensors.numpy import save

from scrapy_web2text.labelers.weights import FORMAT_VERSION, MANIFEST_FILE

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from scrapy_web2text.arrays import AnyArray

__all__ = ["WEIGHTS_FILE", "write_model"]

WEIGHTS_FILE: Final = "weights.safetensors"


def write_model(folder: Path, tensors: Mapping[str, AnyArray], manifest: dict[str, Any], files: dict[str, str]) -> None:
    """Write a model folder that `labelers.weights.load_model` reads; files of the same names are replaced.

    :param manifest: the manifest without format version and checksum of the weights, which are added.
    :param files: texts of further files in the folder, by file name: recipe and page ids.
    """
    folder.mkdir(parents=True, exist_ok=True)
    content = save(dict(tensors))
    weights = {"file": WEIGHTS_FILE, "sha256": hashlib.sha256(content).hexdigest()}
    whole = {"format_version": FORMAT_VERSION, **manifest, "weights": weights}
    (folder / WEIGHTS_FILE).write_bytes(content)
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    (folder / MANIFEST_FILE).write_text(json.dumps(whole, allow_nan=False, indent=1) + "\n", encoding="utf-8")
