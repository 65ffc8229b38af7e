"""Model folders: how they are found, and how a manifest and its weights are read and verified."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from itertools import zip_longest
from pathlib import Path
from typing import Any, Final

from safetensors import SafetensorError
from safetensors.numpy import load as load_tensors

from scrapy_web2text.arrays import FloatArray
from scrapy_web2text.exceptions import ModelError

__all__ = [
    "COMPARISON_MODELS",
    "FORMAT_VERSION",
    "MANIFEST_FILE",
    "PACKAGED_MODELS",
    "Model",
    "find_model",
    "load_model",
    "read_manifest",
    "shipped_models",
]

FORMAT_VERSION: Final = 1
MANIFEST_FILE: Final = "manifest.json"
# The models in the wheel. Their names are known even if their folders were deleted, which is then a `ModelError`.
# `shallow` is the table of the rules.
PACKAGED_MODELS: Final = ("shallow", "web2text-2018", "web2text-2026")
# The systems of other papers are in `models/` of the repository and in the sdist, not in the wheel.
COMPARISON_MODELS: Final = ("boilernet", "crf-2018", "dragnet-2013", "semtext")


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """A verified model folder: its manifest and its weights.

    :param tensors: weights by name, read-only float32 arrays.
    """

    folder: Path
    manifest: dict[str, Any]
    tensors: dict[str, FloatArray]

    @property
    def name(self) -> str:
        """The model's name."""
        return str(self.manifest["name"])

    def entry(self, key: str, kind: type | tuple[type, ...]) -> Any:
        """Return one value of the manifest.

        :raises ModelError: if it is missing or not of the *kind*.
        """
        value = self.manifest.get(key)
        if not isinstance(value, kind):
            expected = kind.__name__ if isinstance(kind, type) else " or ".join(k.__name__ for k in kind)
            raise ModelError(f"{self.folder / MANIFEST_FILE}: expected {key!r} to be {expected}, got {value!r}")
        return value

    def tensor(self, name: str, shape: tuple[int, ...]) -> FloatArray:
        """Return one tensor.

        :raises ModelError: if it is missing or of another shape.
        """
        found = self.tensors.get(name)
        if found is None or found.shape != shape:
            got = "none" if found is None else f"one of shape {found.shape}"
            raise ModelError(f"{self.folder}: expected a tensor {name} of shape {shape}, got {got}")
        return found

    def check_features(self, part: str, found: list[Any], expected: Sequence[str]) -> None:
        """Raise ModelError unless *part* of the model was trained on the *expected* feature columns, in their order."""
        for column, (name, other) in enumerate(zip_longest(expected, found)):
            if name != other:
                raise ModelError(
                    f"{self.folder}: expected column {column} of {part} to be {name!r}, got {other!r}: "
                    "the model was trained on other features"
                )


def shipped_models() -> dict[str, Path]:
    """Return the folders of the shipped models by name: those in the installed package, or all of a source tree."""
    return {path.parent.name: path.parent for path in sorted(_models_folder().glob(f"*/{MANIFEST_FILE}"))}


def find_model(name: str) -> Path:
    """Return the folder of a shipped model, or *name* as the path of a folder, which need not exist.

    :raises ValueError: if *name* is neither a shipped model nor looks like a path.
    """
    shipped = shipped_models()
    if name in shipped:
        return shipped[name]
    if name in PACKAGED_MODELS:
        return _models_folder() / name
    path = Path(name)
    if path.exists() or path.name != name:
        return path
    if name in COMPARISON_MODELS:
        raise ValueError(
            f"model {name!r} is not part of the package: clone the repository and pass the folder …/models/{name}"
        )
    expected = f"one of {', '.join(shipped)}, the path of a model folder, or rules (shallow:…, bte)"
    raise ValueError(f"unknown model {name!r}: expected {expected}")


def load_model(folder: Path) -> Model:
    """Return the model in *folder*, verified.

    :raises ModelError: if a file is missing, unreadable or different from what the manifest describes.
    """
    manifest = read_manifest(folder)
    weights = manifest.get("weights")
    if not isinstance(weights, dict) or not {"file", "sha256"} <= set(weights):
        raise ModelError(f"{folder / MANIFEST_FILE}: expected 'weights' with 'file' and 'sha256', got {weights!r}")
    path = folder / str(weights["file"])
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ModelError(f"{path}: cannot read the weights: {error.strerror}") from error
    digest = hashlib.sha256(content).hexdigest()
    if digest != weights["sha256"]:
        raise ModelError(f"{path}: expected weights with SHA-256 {weights['sha256']}, got {digest}")
    try:
        tensors = load_tensors(content)
    except (SafetensorError, ValueError) as error:
        raise ModelError(f"{path}: expected a safetensors file: {error}") from error
    return Model(folder, manifest, tensors)


def read_manifest(folder: Path) -> dict[str, Any]:
    """Return the manifest in *folder*.

    :raises ModelError: if it is missing, not a manifest, or in a format unknown to this release.
    """
    path = folder / MANIFEST_FILE
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ModelError(f"{path}: cannot read the manifest: {error.strerror}") from error
    except ValueError as error:
        raise ModelError(f"{path}: expected a JSON object: {error}") from error
    if not isinstance(manifest, dict):
        raise ModelError(f"{path}: expected a JSON object, got {type(manifest).__name__}")
    if manifest.get("format_version") != FORMAT_VERSION:
        raise ModelError(
            f"{path}: expected format_version {FORMAT_VERSION}, got {manifest.get('format_version')!r}; "
            "train the model again or install the release that made it"
        )
    if not isinstance(manifest.get("name"), str):
        raise ModelError(f"{path}: expected 'name' to be str, got {manifest.get('name')!r}")
    return manifest


def _models_folder() -> Path:
    """Return the folder of the shipped models: inside an installed package, or next to it in the source tree."""
    package = Path(str(files("scrapy_web2text")))
    inside = package / "models"
    return inside if inside.is_dir() else package.parent / "models"
