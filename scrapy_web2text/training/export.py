"""Writes model folders (manifest, weights, recipe and page ids) after training."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from safetensors.numpy import save

from scrapy_web2text.common.arrays import AnyArray
from scrapy_web2text.common.files import replace_file
from scrapy_web2text.labelers.weights import FORMAT_VERSION, MANIFEST_FILE

WEIGHTS_FILE: Final = "weights.safetensors"


def write_model(folder: Path, tensors: Mapping[str, AnyArray], manifest: dict[str, Any], files: dict[str, str]) -> None:
    """Write a model folder that `labelers.weights.load_model` reads; files of the same names are replaced.

    The manifest is written last. So a folder without all weights, after a full disk or a killed process, is not taken
    for a model.

    :param tensors: weights by name; empty for a model without a file of weights.
    :param manifest: the manifest, to which the format version and the checksum of the weights are added.
    """
    folder.mkdir(parents=True, exist_ok=True)
    whole = {"format_version": FORMAT_VERSION, **manifest}
    if tensors:
        content = save(dict(tensors))
        whole["weights"] = {"file": WEIGHTS_FILE, "sha256": hashlib.sha256(content).hexdigest()}
        replace_file(folder / WEIGHTS_FILE, content)
    for name, text in files.items():
        replace_file(folder / name, text.encode())
    replace_file(folder / MANIFEST_FILE, f"{json.dumps(whole, allow_nan=False, indent=1)}\n".encode())
