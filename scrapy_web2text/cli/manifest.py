"""The manifest of a run of ``web2text batch``: how far the run has come, and what it depends on."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from scrapy_web2text._version import __version__
from scrapy_web2text.cli.inputs import Pages
from scrapy_web2text.cli.steps import START, Position
from scrapy_web2text.replacement import replace_file

if TYPE_CHECKING:
    import argparse

    from scrapy_web2text.cli.inputs import Source

__all__ = ["Manifest", "describe_run", "read_manifest", "write_manifest"]

# Arguments that do not change the answers.
_OF_THE_RUN: Final = {"command", "files_from", "force", "inputs", "jobs", "out", "resume", "run", "worker_memory"}


@dataclass(frozen=True, slots=True)
class Manifest:
    """How far a run has come.

    :param run: digests of what the run depends on, see :func:`describe_run`.
    :param position: the pages before it are finished.
    :param ahead: those after it that are finished, too, if answers are written as they come.
    :param n_shards: number of files before the one that is being written.
    :param n_answers: number of answers in that.
    :param n_bytes: its length.
    :param n_seen_bytes: length of the list of texts that have been seen.
    :param is_closed: whether all its answers are in it, so that it gets its name.
    :param is_finished: whether it is the last one.
    :param counts: what has been counted.
    """

    run: Mapping[str, str]
    position: Position = START
    ahead: Sequence[Position] = ()
    n_shards: int = 0
    n_answers: int = 0
    n_bytes: int = 0
    n_seen_bytes: int = 0
    is_closed: bool = False
    is_finished: bool = False
    counts: Mapping[str, Any] = field(default_factory=dict)


def describe_run(args: argparse.Namespace, sources: Sequence[Source]) -> dict[str, str]:
    """Return digests of what the answers and their order depend on: the inputs, and the other arguments.

    Archives are described by their names, sizes and times, page files by their names.

    :raises ValueError: if standard input is among the inputs, which cannot be read again.
    """
    inputs: list[Any] = []
    for source in sources:
        if isinstance(source, Pages):
            inputs.append([str(source.folder), *map(str, source.paths)])
        elif source.path is None:
            raise ValueError("--resume: expected inputs that can be read again, got standard input")
        else:
            found = source.path.stat()
            inputs.append([source.name, source.kind, found.st_size, found.st_mtime_ns])
    options = {name: value for name, value in vars(args).items() if name not in _OF_THE_RUN}
    rules = b"" if args.sites is None else Path(args.sites).read_bytes()
    return {"inputs": _digest(repr(inputs)), "options": _digest(repr((__version__, sorted(options.items()), rules)))}


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def read_manifest(path: Path, run: Mapping[str, str]) -> Manifest | None:
    """Return the manifest of *run*; None if there is none.

    :raises ValueError: if it is that of another run, or cannot be read.
    """
    try:
        values = json.loads(path.read_bytes())
        places = {"position": Position(*values["position"]), "ahead": [Position(*place) for place in values["ahead"]]}
        manifest = Manifest(**{**values, **places})
    except FileNotFoundError:
        return None
    except (ValueError, TypeError, KeyError) as error:
        raise ValueError(f"--resume: {path}: expected a manifest: {error}; --force begins anew") from error
    changed = [what for what in run if manifest.run.get(what) != run[what]]
    if changed:
        raise ValueError(f"--resume: {path} is of a run with other {' and '.join(changed)}; --force begins anew")
    return manifest


def write_manifest(path: Path, manifest: Manifest) -> None:
    """Replace the manifest at once: a process that is killed leaves the old one or the new one."""
    replace_file(path, json.dumps(asdict(manifest)).encode())
