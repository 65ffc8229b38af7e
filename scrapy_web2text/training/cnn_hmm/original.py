"""The weights that the authors of Web2Text published, as a model folder.

Their program stores each network as a TensorFlow checkpoint, whose data file holds the weights of the layers one after
another, as little-endian 32-bit floats in the order kernel, inputs, outputs. It has no biases: the program trains
them, but does not save them, and runs without them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from scrapy_web2text.features.cnn_hmm import BLOCK_FEATURE_NAMES, EDGE_FEATURE_NAMES
from scrapy_web2text.page.blocks import TEXT_LEAVES
from scrapy_web2text.training.export import write_model

if TYPE_CHECKING:
    from pathlib import Path

    from scrapy_web2text.arrays import FloatArray

__all__ = ["import_original"]

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
