"""Trained networks as a model folder: manifest and weights, and what they were made from."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any, Final

from safetensors.numpy import save

from scrapy_web2text.features.cnn_hmm import BLOCK_FEATURE_NAMES, EDGE_FEATURE_NAMES
from scrapy_web2text.labelers.weights import FORMAT_VERSION, MANIFEST_FILE

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from scrapy_web2text.training.cnn_hmm.networks import SequenceNetwork

__all__ = ["WEIGHTS_FILE", "describe_networks", "export_model", "networks_to_tensors", "write_model"]

WEIGHTS_FILE: Final = "weights.safetensors"


def export_model(
    folder: Path, unary: SequenceNetwork, pairwise: SequenceNetwork, manifest: dict[str, Any], files: dict[str, str]
) -> None:
    """Write a model folder that `weights.load_model` reads; files of the same names are replaced.

    :param manifest: all entries of the manifest that do not follow from the networks.
    :param files: texts that lie beside the model: recipe and split ids.
    """
    described = {**manifest, "networks": describe_networks(unary, pairwise)}
    write_model(folder, networks_to_tensors(unary, pairwise), described, files)


def networks_to_tensors(unary: SequenceNetwork, pairwise: SequenceNetwork) -> dict[str, Any]:
    """Return the weights of the two networks over the paper's features, as a model file names them."""
    networks = {"unary": unary, "pairwise": pairwise}
    return {
        f"{part}.{name}": array for part, network in networks.items() for name, array in network.to_arrays().items()
    }


def describe_networks(unary: SequenceNetwork, pairwise: SequenceNetwork) -> dict[str, Any]:
    """Return what a manifest says of the two networks over the paper's features."""
    return {"unary": _describe(unary, BLOCK_FEATURE_NAMES), "pairwise": _describe(pairwise, EDGE_FEATURE_NAMES)}


def write_model(folder: Path, tensors: dict[str, Any], manifest: dict[str, Any], files: dict[str, str]) -> None:
    """Write a model folder: weights, *files* beside them, and the *manifest* with version and checksum added."""
    folder.mkdir(parents=True, exist_ok=True)
    content = save(tensors)
    weights = {"file": WEIGHTS_FILE, "sha256": hashlib.sha256(content).hexdigest()}
    whole = {"format_version": FORMAT_VERSION, **manifest, "weights": weights}
    (folder / WEIGHTS_FILE).write_bytes(content)
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    (folder / MANIFEST_FILE).write_text(json.dumps(whole, indent=1) + "\n", encoding="utf-8")


def _describe(network: SequenceNetwork, features: Sequence[str]) -> dict[str, Any]:
    return {"features": list(features), "layers": [list(layer) for layer in network.layers]}
