"""Convert the weights that the authors of Web2Text published to a model folder, uncalibrated, with ``lam`` 0.1.

python -m research.web2text.original DIR --out FOLDER    # DIR: the folder of one split in their program
"""

from __future__ import annotations

from argparse import ArgumentParser, RawDescriptionHelpFormatter
from pathlib import Path
from typing import Any, Final

import numpy as np

from research.labelers import register_labelers
from scrapy_web2text.cli.output import check_out_folder
from scrapy_web2text.common.arrays import FloatArray
from scrapy_web2text.features.cnn_hmm.page import BLOCK_FEATURE_NAMES, EDGE_FEATURE_NAMES
from scrapy_web2text.page.blocks import TEXT_LEAVES
from scrapy_web2text.training.export import write_model

_FILES: Final = {"unary": "unary.ckpt.data-00000-of-00001", "pairwise": "edge.ckpt.data-00000-of-00001"}
# Web2Text, section 3.3: four hidden layers, and the blocks that each of the five layers sees.
_CHANNELS: Final = (50, 50, 50, 10)
_KERNELS: Final = (1, 1, 3, 3, 3)
_FEATURES: Final = {"unary": BLOCK_FEATURE_NAMES, "pairwise": EDGE_FEATURE_NAMES}
_N_OUTPUTS: Final = {"unary": 2, "pairwise": 4}
# The weight of the pairwise term in the paper's experiments.
_LAM: Final = 0.1


def main() -> None:
    register_labelers()
    parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    what = "folder with unary.ckpt.data-* and edge.ckpt.data-* of a split"
    parser.add_argument("checkpoints", type=Path, metavar="DIR", help=what)
    parser.add_argument("--out", required=True, type=Path, metavar="FOLDER", help="the model folder to write")
    parser.add_argument("--force", action="store_true", help="replace the model in the folder of --out")
    args = parser.parse_args()
    check_out_folder(args.out, is_replaced=args.force)
    import_original(args.checkpoints, args.out)
    print(f"wrote {args.out}: the networks of {args.checkpoints}, lam 0.1, not calibrated")


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


if __name__ == "__main__":
    main()
