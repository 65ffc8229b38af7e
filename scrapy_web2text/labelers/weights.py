"""Model folders: how they are found, and how a manifest and its weights are read, verified and shared."""

from __future__ import annotations

import hashlib
import os
import re
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from itertools import zip_longest
from pathlib import Path
from typing import Any, Final, get_args

import msgspec
import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load as load_tensors

from scrapy_web2text.common.arrays import FloatArray
from scrapy_web2text.common.checks import Rule
from scrapy_web2text.common.suggestions import did_you_mean
from scrapy_web2text.exceptions import ModelError
from scrapy_web2text.options import OTHER_RULES, RULE_NAMES, NamedThreshold, OptionError

FORMAT_VERSION: Final = 1
MANIFEST_FILE: Final = "manifest.json"
# The models in the wheel. If the folder of one was deleted, its name is still known, and loading it is a `ModelError`.
# `shallow` is the table of the rules.
PACKAGED_MODELS: Final = ("shallow", "web2text-2018", "web2text-2026")
# A model folder may come from anywhere, so file names and sizes are checked before a file is read. The bounds are
# several times the sizes of the shipped models.
_FILE_NAME: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}")
_MOST_MANIFEST_BYTES: Final = 1_000_000  # the limit for the header of the weights, too
_MOST_WEIGHT_BYTES: Final = 64_000_000
WIDEST: Final = 256  # columns of a layer, for all members of a network together
MOST_LAYERS: Final = 32
_LONGEST_NAME: Final = 100  # characters
_FLOATS: Final = ("float16", "float32")


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """A verified model folder: its manifest and its weights.

    :param tensors: weights by name, float16 or float32 arrays.
    """

    folder: Path
    manifest: dict[str, Any]
    tensors: dict[str, FloatArray]

    @property
    def name(self) -> str:
        """The model's name."""
        return str(self.manifest["name"])

    def entry(self, key: str, kind: type) -> Any:
        """Return one value of the manifest.

        :raises ModelError: if the value is missing or not of the *kind*.
        """
        return self.checked(key, Rule(f"a {kind.__name__}", lambda value: isinstance(value, kind)))

    def checked(self, key: str, rule: Rule) -> Any:
        """Return one value of the manifest that *rule* allows.

        :raises ModelError: if the value is missing or not allowed.
        """
        value = self.manifest.get(key)
        try:
            rule.check(value, key)
        except ValueError as error:
            raise ModelError(f"{self.folder / MANIFEST_FILE}: {error}") from None
        return value

    def tensor(self, name: str, shape: tuple[int, ...]) -> FloatArray:
        """Return one tensor.

        :raises ModelError: if the tensor is missing or of another shape.
        """
        found = self.tensors.get(name)
        if found is None or found.shape != shape:
            got = "none" if found is None else f"one of shape {found.shape}"
            raise ModelError(f"{self.folder}: expected a tensor {name} of shape {shape}, got {got}")
        return found

    def check_features(self, part: str, found: list[Any], expected: Sequence[str]) -> None:
        """Raise ModelError if *found*, the feature columns of *part* of the model, are not the *expected* columns."""
        for column, (name, other) in enumerate(zip_longest(expected, found)):
            if name != other:
                raise ModelError(
                    f"{self.folder}: expected column {column} of {part} to be {name!r}, got {other!r}: "
                    "the model was trained on other features"
                )


def shipped_models() -> dict[str, Path]:
    """Return the folders of the shipped models by name: the models in the installed package, or in a source tree."""
    return {path.parent.name: path.parent for path in sorted(_models_folder().glob(f"*/{MANIFEST_FILE}"))}


def find_model(name: str) -> Path:
    """Return the folder of a shipped model, or *name* as the path of a folder, which need not exist.

    :raises OptionError: if *name* is neither a shipped model nor looks like a path.
    """
    shipped = shipped_models()
    if name in shipped:
        return shipped[name]
    if name in PACKAGED_MODELS:
        return _models_folder() / name
    path = Path(name)
    if path.exists() or path.name != name:
        return path
    threshold = did_you_mean([name], get_args(NamedThreshold)).replace("mean ", "mean `threshold` ")
    hint = did_you_mean([name.partition(":")[0]], [*shipped, *OTHER_RULES]) or threshold
    expected = f"{', '.join(PACKAGED_MODELS)}, the path of a model folder, or rules ({RULE_NAMES})"
    raise OptionError(
        "model",
        f"unknown model {name!r}{hint}; expected {expected}. It looks like a name; {Path.cwd()} has no such folder",
    )


def load_model(folder: Path) -> Model:
    """Return the model in *folder*, verified.

    :raises ModelError: if a file is missing, unreadable or different from what the manifest describes.
    """
    _check_folder(folder)
    manifest = read_manifest(folder)
    weights = manifest.get("weights")
    if not isinstance(weights, dict) or not {"file", "sha256"} <= set(weights):
        raise ModelError(f"{folder / MANIFEST_FILE}: expected 'weights' with 'file' and 'sha256', got {weights!r}")
    name = weights["file"]
    if not isinstance(name, str) or _FILE_NAME.fullmatch(name) is None:
        raise ModelError(f"{folder / MANIFEST_FILE}: expected the name of a file in the folder, got {name!r}")
    path = folder / name
    content = _read_file(path, "weights", _MOST_WEIGHT_BYTES)
    digest = hashlib.sha256(content).hexdigest()
    if digest != weights["sha256"]:
        raise ModelError(f"{path}: expected weights with SHA-256 {weights['sha256']}, got {digest}")
    if int.from_bytes(content[:8], "little") > _MOST_MANIFEST_BYTES:
        raise ModelError(f"{path}: expected a safetensors file with a header of at most {_MOST_MANIFEST_BYTES:,} bytes")
    try:
        tensors = load_tensors(content)
    except (SafetensorError, ValueError, KeyError) as error:  # KeyError: a type that numpy lacks
        raise ModelError(f"{path}: expected a safetensors file: {error}") from error
    for key, tensor in tensors.items():
        if tensor.dtype.name not in _FLOATS:
            raise ModelError(f"{path}: expected {key} to be {' or '.join(_FLOATS)}, got {tensor.dtype}")
        if not np.isfinite(tensor).all():
            raise ModelError(f"{path}: expected finite numbers in {key}")
    return Model(folder, manifest, tensors)


def _check_folder(folder: Path) -> None:
    """Raise a ModelError if *folder* has no manifest. The message says what was expected."""
    if os.path.lexists(folder / MANIFEST_FILE):
        return
    where, shipped = folder.absolute(), shipped_models()
    if folder.parent == _models_folder():
        raise ModelError(f"{where}: the shipped model {folder.name} is missing; install scrapy-web2text again")
    raise ModelError(
        f"{where}: expected a model folder, with {MANIFEST_FILE}, or the name of a shipped model: "
        f"{', '.join(PACKAGED_MODELS)}{did_you_mean([folder.name], shipped)}"
    )


def read_manifest(folder: Path) -> dict[str, Any]:
    """Return the manifest in *folder*.

    :raises ModelError: if the manifest is missing, invalid, or in a format unknown to this release.
    """
    path = folder / MANIFEST_FILE
    content = _read_file(path, "manifest", _MOST_MANIFEST_BYTES)
    try:
        manifest = msgspec.json.decode(content, type=dict[str, Any])
    except (RecursionError, ValueError, msgspec.DecodeError) as error:
        raise ModelError(f"{path}: expected a JSON object: {error}") from error
    if manifest.get("format_version") != FORMAT_VERSION:
        raise ModelError(
            f"{path}: expected format_version {FORMAT_VERSION}, got {manifest.get('format_version')!r}; "
            "train the model again or install the release that made it"
        )
    name = manifest.get("name")
    if not isinstance(name, str) or not is_model_name(name):
        expected = f"expected 'name' to be 1 to {_LONGEST_NAME} printable characters"
        raise ModelError(f"{path}: {expected}, got {str(name)[:200]!r}")
    return manifest


def is_model_name(name: str) -> bool:
    """Return whether a manifest may have *name* as the name of its model."""
    return 0 < len(name) <= _LONGEST_NAME and name.isprintable()


def _read_file(path: Path, what: str, most_bytes: int) -> bytes:
    """Return the content of a file of a model folder.

    :raises ModelError: if the file cannot be read, is not a regular file inside its folder, or is too long. A named
        pipe could block forever, and a link could lead to any file.
    """
    try:
        if path.resolve(strict=True).parent != path.parent.resolve():
            raise ModelError(f"{path}: expected the {what} to be in the folder, not a link out of it")
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise ModelError(f"{path}: cannot read the {what}: expected a regular file")
        if status.st_size > most_bytes:
            raise ModelError(
                f"{path}: expected the {what} to have at most {most_bytes:,} bytes, got {status.st_size:,}"
            )
        return path.read_bytes()
    except (OSError, RuntimeError) as error:  # RuntimeError: a loop of links, up to Python 3.12
        raise ModelError(f"{path}: cannot read the {what}: {getattr(error, 'strerror', error)}") from error


def _models_folder() -> Path:
    """Return the folder of the shipped models: inside an installed package, or next to it in the source tree."""
    package = Path(str(files("scrapy_web2text")))
    inside = package / "models"
    return inside if inside.is_dir() else package.parent / "models"
