"""Small random models for tests: valid folders, which a test may damage."""

from __future__ import annotations

import hashlib
import json
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from safetensors.numpy import save

from scrapy_web2text.features.cnn_hmm.page import BLOCK_FEATURE_NAMES, EDGE_FEATURE_NAMES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray


KERNELS = (1, 3, 3)
UNARY_CHANNELS = (len(BLOCK_FEATURE_NAMES), 8, 6, 2)
PAIRWISE_CHANNELS = (len(EDGE_FEATURE_NAMES), 6, 5, 4)
MANIFEST = {
    "format_version": 1,
    "name": "random",
    "labeler": "cnn-hmm",
    "segmentation": "text-leaves",
    "lam": 1.0,
    "decoder": "viterbi",
    "threshold": 0.5,
    "temperature": 1.0,
}


def make_tensors(seed: int = 0) -> dict[str, NDArray[np.float32]]:
    """Return random weights for both networks, by name."""
    random = np.random.default_rng(seed)
    tensors = {}
    for part, channels in (("unary", UNARY_CHANNELS), ("pairwise", PAIRWISE_CHANNELS)):
        for i, ((n_in, n_out), kernel) in enumerate(zip(pairwise(channels), KERNELS, strict=True)):
            weight = random.normal(size=(kernel, n_in, n_out)) / np.sqrt(kernel * n_in)
            tensors[f"{part}.{i}.weight"] = weight.astype(np.float32)
            tensors[f"{part}.{i}.bias"] = random.normal(size=n_out).astype(np.float32)
    return tensors


def write_model(
    folder: Path, *, tensors: Mapping[str, NDArray[np.float32]] | None = None, content_odds: float = 0.0, **changes: Any
) -> Path:
    """Write a model folder and return it.

    :param tensors: the weights; None for random ones.
    :param content_odds: added to the logit of CONTENT of every block.
    :param changes: entries that replace those of a valid manifest.
    """
    weights = dict(make_tensors() if tensors is None else tensors)
    if content_odds:
        weights["unary.2.bias"] = weights["unary.2.bias"] + np.array([0, content_odds], dtype=np.float32)
    content = save(weights)
    manifest = {
        **MANIFEST,
        "networks": {
            "unary": {"features": list(BLOCK_FEATURE_NAMES), "layers": _layers(UNARY_CHANNELS)},
            "pairwise": {"features": list(EDGE_FEATURE_NAMES), "layers": _layers(PAIRWISE_CHANNELS)},
        },
        "weights": {"file": "weights.safetensors", "sha256": hashlib.sha256(content).hexdigest()},
        **changes,
    }
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "weights.safetensors").write_bytes(content)
    (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    return folder


def change_manifest(folder: Path, *keys: str, value: Any) -> Path:
    """Set the entry of the manifest at the path *keys*, or delete it if *value* is None; return the folder."""
    path = folder / "manifest.json"
    manifest = json.loads(path.read_text(encoding="utf-8"))
    entry = manifest
    for key in keys[:-1]:
        entry = entry[key]
    if value is None:
        del entry[keys[-1]]
    else:
        entry[keys[-1]] = value
    path.write_text(json.dumps(manifest), encoding="utf-8")
    return folder


def _layers(channels: tuple[int, ...]) -> list[list[int]]:
    return [[n_in, n_out, kernel] for (n_in, n_out), kernel in zip(pairwise(channels), KERNELS, strict=True)]
