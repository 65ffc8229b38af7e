"""Model folders (manifest, weights, recipe and page ids), written from a training or from the authors' checkpoints."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from safetensors.numpy import save

from scrapy_web2text.common.files import replace_file
from scrapy_web2text.features.cnn_hmm import BLOCK_FEATURE_NAMES, EDGE_FEATURE_NAMES
from scrapy_web2text.labelers.weights import FORMAT_VERSION, MANIFEST_FILE
from scrapy_web2text.page.blocks import TEXT_LEAVES

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from scrapy_web2text.common.arrays import AnyArray, FloatArray

WEIGHTS_FILE: Final = "weights.safetensors"


def write_model(folder: Path, tensors: Mapping[str, AnyArray], manifest: dict[str, Any], files: dict[str, str]) -> None:
    """Write a model folder that `labelers.weights.load_model` reads; files of the same names are replaced.

    The manifest is the last. If the disk is full before, or the process is killed, no folder with weights that are cut
    off passes for a model.

    :param manifest: the manifest without format version and checksum of the weights, which are added.
    :param files: texts of further files in the folder, by file name: recipe and page ids.
    """
    folder.mkdir(parents=True, exist_ok=True)
    content = save(dict(tensors))
    weights = {"file": WEIGHTS_FILE, "sha256": hashlib.sha256(content).hexdigest()}
    replace_file(folder / WEIGHTS_FILE, content)
    write_manifest(folder, {**manifest, "weights": weights}, files)


def write_manifest(folder: Path, manifest: dict[str, Any], files: dict[str, str]) -> None:
    """Write the files of a model folder besides its weights, the manifest last.

    :param manifest: the manifest without its format version, which is added.
    :param files: see `write_model`.
    """
    folder.mkdir(parents=True, exist_ok=True)
    whole = {"format_version": FORMAT_VERSION, **manifest}
    for name, text in files.items():
        replace_file(folder / name, text.encode())
    replace_file(folder / MANIFEST_FILE, f"{json.dumps(whole, allow_nan=False, indent=1)}\n".encode())


_FILES: Final = {"unary": "unary.ckpt.data-00000-of-00001", "pairwise": "edge.ckpt.data-00000-of-00001"}
# Web2Text, section 3.3: four hidden layers, and the blocks that each of the five layers sees.
_CHANNELS: Final = (50, 50, 50, 10)
_KERNELS: Final = (1, 1, 3, 3, 3)
_FEATURES: Final = {"unary": BLOCK_FEATURE_NAMES, "pairwise": EDGE_FEATURE_NAMES}
_N_OUTPUTS: Final = {"unary": 2, "pairwise": 4}
# The weight of the pairwise term in the paper's experiments.
_LAM: Final = 0.1


def import_original(checkpoints: Path, out: Path) -> dict[str, Any]:
    """Write the networks in a folder of checkpoints as the model folder *out*, and return its manifest.

    The temperature is 1: the probabilities are those of the program, uncalibrated.

    :param checkpoints: folder of the original program with the data files of the networks ``unary`` and ``edge``.
    :raises ValueError: if a file is missing, or its size is not that of the paper's network.
    """
    tensors: dict[str, FloatArray] = {}
    networks: dict[str, Any] = {}
    for part, features in _FEATURES.items():
        sizes = (len(features), *_CHANNELS, _N_OUTPUTS[part])
        layers = [*zip(sizes[:-1], sizes[1:], _KERNELS, strict=True)]
        tensors |= _read_network(checkpoints / _FILES[part], part, layers)
        networks[part] = {"features": list(features), "layers": [list(layer) for layer in layers]}
    manifest = {
        "name": out.resolve().name,
        "labeler": "cnn-hmm",
        "segmentation": TEXT_LEAVES.name,
        "lam": _LAM,
        "decoder": "viterbi",
        "threshold": 0.5,
        "temperature": 1.0,
        "corpora": [],
        "seeds": [],
        "scores": {},
        "networks": networks,
    }
    write_model(out, tensors, manifest, {})
    return manifest


def _read_network(path: Path, part: str, layers: list[tuple[int, int, int]]) -> dict[str, FloatArray]:
    if not path.is_file():
        raise ValueError(f"{path}: expected the data file of a checkpoint, found none")
    content = path.read_bytes()
    n_weights = sum(n_in * n_out * kernel for n_in, n_out, kernel in layers)
    if len(content) != 4 * n_weights:
        raise ValueError(
            f"{path}: expected {n_weights:,} weights in {4 * n_weights:,} bytes, got {len(content):,} bytes"
        )
    weights = np.frombuffer(content, dtype="<f4").astype(np.float32)
    if not np.isfinite(weights).all():
        raise ValueError(f"{path}: expected finite weights")
    tensors: dict[str, FloatArray] = {}
    start = 0
    for number, (n_in, n_out, kernel) in enumerate(layers):
        end = start + n_in * n_out * kernel
        tensors[f"{part}.{number}.weight"] = weights[start:end].reshape(kernel, n_in, n_out).copy()
        tensors[f"{part}.{number}.bias"] = np.zeros(n_out, dtype=np.float32)
        start = end
    return tensors
