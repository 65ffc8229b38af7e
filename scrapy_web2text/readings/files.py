"""Files of readings: JSON Lines, one page a line, whose keys are the parameters of `Reading`; optionally with xz."""

from __future__ import annotations

import json
import lzma
from contextlib import nullcontext
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

from scrapy_web2text.readings.reading import Reading
from scrapy_web2text.replacement import replacing

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

__all__ = ["read_line", "read_lines", "read_readings", "write_line", "write_readings"]

# A file of a few kilobytes can decompress to any size. That of ten thousand long pages is smaller.
_MOST_BYTES: Final = 1_000_000_000


def read_readings(path: Path) -> dict[tuple[str, str], Reading]:
    """Return the readings in a file by corpus and page id; of two readings of a page, the later one.

    :param path: JSON Lines; compressed if its name ends in ``.xz``.
    :raises ValueError: if the file cannot be read, or a line is not a reading; the message names the file, the line and
        the field.
    """
    return {(reading.corpus, reading.id): reading for reading, _ in read_lines(path)}


def read_lines(path: Path) -> list[tuple[Reading, str]]:
    """Return each reading in a file with its line, which can have keys of other programs.

    :raises ValueError: see `read_readings`.
    """
    try:
        with lzma.open(path) if path.suffix == ".xz" else path.open("rb") as file:
            data = file.read(_MOST_BYTES + 1)
        lines = data.decode("utf-8-sig").split("\n")
    except OSError as error:
        raise ValueError(f"{path}: cannot read the readings: {error.strerror}") from None
    except (lzma.LZMAError, EOFError, UnicodeDecodeError) as error:
        raise ValueError(f"{path}: expected JSON Lines, compressed if the name ends in .xz: {error}") from None
    if len(data) > _MOST_BYTES:
        raise ValueError(f"{path}: expected readings of at most {_MOST_BYTES:,} bytes, decompressed")
    numbered = enumerate(lines, 1)
    return [(read_line(line, f"{path}:{number}"), line.strip()) for number, line in numbered if line.strip()]


def write_readings(path: Path, readings: Iterable[Reading]) -> None:
    """Write *readings* to a file, which is compressed if its name ends in ``.xz``; without keys that say nothing.

    An older file is replaced at once.
    """
    with replacing(path) as file, lzma.open(file, "wb") if path.suffix == ".xz" else nullcontext(file) as packed:
        packed.writelines(f"{write_line(reading)}\n".encode() for reading in readings)


def write_line(reading: Reading) -> str:
    """Return *reading* as JSON, without keys that say nothing."""
    entry = {key: value for key, value in asdict(reading).items() if value not in (None, "", ()) or key in _NEEDED}
    line = json.dumps(entry, ensure_ascii=False, separators=(",", ":"))
    try:
        line.encode()
    except UnicodeEncodeError:  # names of files that are not UTF-8
        return json.dumps(entry, separators=(",", ":"))
    return line


_TYPES: Final[dict[str, type | tuple[type, ...]]] = {
    "corpus": str,
    "id": str,
    "content": list,
    "hashes": list,
    "certainty": (int, float),
    "type": str,
    "kind": str,
    "url": str,
    "file": str,
    "published": str,
    "reader": str,
    "note": str,
    "record": str,
    "words": list,
    "paths": list,
}
_MOST_WORDS: Final = 2**31 - 1  # of a block; sums of these fit into arrays
_NEEDED: Final = ("corpus", "id", "content", "hashes")


def read_line(line: str, where: str) -> Reading:
    """Return the reading of a line.

    :param where: file and line, for messages.
    :raises ValueError: if it is not a reading.
    """
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{where}: expected JSON: {error}") from None
    if not isinstance(entry, dict):
        raise ValueError(f"{where}: expected an object, got a {type(entry).__name__}")
    known: dict[str, Any] = {key: entry[key] for key in _TYPES if key in entry}
    for key in _NEEDED:
        if key not in known:
            raise ValueError(f"{where}: {key} is missing")
    for key, value in known.items():
        if not isinstance(value, _TYPES[key]) or isinstance(value, bool):
            raise ValueError(f"{where}: {key}: unexpected {type(value).__name__}")
    _check_columns(known, where)
    known["content"] = tuple((first, last) for first, last in known["content"])
    known |= {key: tuple(known.get(key, ())) for key in ("hashes", "words", "paths")}
    try:
        return Reading(**known)
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None


def _check_columns(known: dict[str, Any], where: str) -> None:
    if not all(isinstance(run, list) and [*map(type, run)] == [int, int] for run in known["content"]):
        raise ValueError(f"{where}: content: expected runs of two numbers, got {known['content']}")
    if not all(type(count) is int and count <= _MOST_WORDS for count in known.get("words", ())):
        raise ValueError(f"{where}: words: expected whole numbers from 0 to {_MOST_WORDS}, got {known['words']}")
    for key in ("hashes", "paths"):
        if not all(isinstance(value, str) for value in known.get(key, ())):
            raise ValueError(f"{where}: {key}: expected texts")
