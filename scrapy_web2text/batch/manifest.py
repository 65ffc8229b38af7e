"""The manifest of a run: what the run depends on, and how far it has come."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct, ValidationError, convert, to_builtins

from scrapy_web2text._version import __version__
from scrapy_web2text.common.files import replace_file
from scrapy_web2text.sources.inputs import PageFile
from scrapy_web2text.sources.remote import RemotePath

if TYPE_CHECKING:
    from scrapy_web2text.sources.inputs import BatchInput

_VERSION_KEYS: Final = {"etag", "lastmodified", "last_modified", "last-modified", "mtime", "updated"}  # fsspec's names


class RunDescription(Struct, frozen=True):
    """What a run depends on: digests of its inputs and of its options."""

    inputs: str
    options: str


class RunManifest(Struct, frozen=True):
    """How far a run has come.

    :param n_inputs: number of inputs that are finished.
    :param n_bytes: length of the answers of finished inputs in the part.
    :param n_seen_bytes: length of the list of earlier texts.
    :param counts: the counts of a :class:`~scrapy_web2text.batch.run.Tally`.
    """

    run: RunDescription
    n_inputs: int = 0
    n_bytes: int = 0
    n_seen_bytes: int = 0
    is_finished: bool = False
    counts: dict[str, Any] = {}

    def write(self, path: Path) -> None:
        """Replace the file *path* with this manifest."""
        replace_file(path, json.dumps(to_builtins(self)).encode())


def describe_run(inputs: Sequence[BatchInput], options: Mapping[str, Any], rules: bytes) -> RunDescription:
    """Return what the answers and their order depend on.

    Archives are described by their names, sizes and times or versions; page files are described by their names.

    :param options: the arguments of the command that change the answers.
    :param rules: the file with the options of sites.
    :raises ValueError: if standard input is among the inputs, which cannot be read again.
    """
    described: list[Any] = []
    for each in inputs:
        if isinstance(each, PageFile):
            described.append(str(each.path))
        elif each.path is None:
            raise ValueError("--resume: expected inputs that can be read again, got standard input")
        elif isinstance(each.path, RemotePath):
            version = sorted(f"{key} {value}" for key, value in each.path.info.items() if key.lower() in _VERSION_KEYS)
            described.append([each.name, each.kind, each.path.info.get("size"), *version])
        else:
            found = each.path.stat()
            described.append([each.name, each.kind, found.st_size, found.st_mtime_ns])
    chosen = _digest(repr((__version__, sorted(options.items()), rules)))
    return RunDescription(_digest(repr(described)), chosen)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def read_run_manifest(path: Path, run: RunDescription) -> RunManifest | None:
    """Return the manifest of *run*; None if no file exists.

    :raises ValueError: if the file is not a manifest, or it belongs to another run.
    """
    try:
        manifest = convert(json.loads(path.read_bytes()), RunManifest)
    except FileNotFoundError:
        return None
    except (ValueError, ValidationError) as error:
        raise ValueError(f"--resume: {path}: expected a manifest: {error}; --force starts anew") from error
    changed = [what for what in ("inputs", "options") if getattr(manifest.run, what) != getattr(run, what)]
    if changed:
        raise ValueError(f"--resume: {path} belongs to a run with other {' and '.join(changed)}; --force starts anew")
    return manifest
