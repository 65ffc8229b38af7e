"""How ``web2text batch`` writes answers: JSON Lines, Parquet, WET, or a file for each text."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Final, Literal, get_args

from scrapy_web2text.archives.conversions import write_conversion, write_file_info
from scrapy_web2text.archives.tables import write_table
from scrapy_web2text.cli.arguments import ask_for_front_matter, whole_number
from scrapy_web2text.cli.feed import choose_compression
from scrapy_web2text.cli.text_files import write_text_file
from scrapy_web2text.options import Options
from scrapy_web2text.schema import DUPLICATE_COLUMNS, RECORD_COLUMNS, Column, answer_columns

__all__ = ["Format", "Output", "add_format_arguments", "choose_format"]

_Name = Literal["jsonl", "parquet", "wet", "markdown", "text"]
_NAMES: Final[tuple[_Name, ...]] = get_args(_Name)
_FILES: Final = {"markdown": ".md", "text": ".txt"}  # formats with a file for each answer, by the ends of their names


@dataclass(frozen=True, slots=True)
class Format:
    """How answers become files. An answer is the JSON of its line.

    :param encode: returns what an answer adds to a file; nothing if it has no place there.
    :param head: what each file begins with.
    :param compress: compresses a part of a file; compressed parts one after another are a compressed file.
    :param is_packed: whether *encode* compresses answers.
    :param is_stream: whether a file can be written from its beginning to its end, such as to standard output.
    :param is_folder: whether the output is a folder, in which *encode* writes.
    :param finish: makes the file from that to which the parts were written; it may be interrupted and be repeated.
    """

    encode: Callable[[str], bytes] = str.encode
    head: bytes = b""
    compress: Callable[[bytes], bytes] = bytes
    is_packed: bool = False
    is_stream: bool = True
    is_folder: bool = False
    finish: Callable[[Path, Path], object] = field(default=lambda part, path: part.replace(path.resolve()))


@dataclass(frozen=True, slots=True)
class Output:
    """Where answers go.

    :param name: the file, or the folder.
    :param shard_size: number of answers in each file; None for one file.
    """

    name: str
    format: Format
    shard_size: int | None = None

    def place(self, ending: str) -> Path:
        """Return the path of a file beside the output that has another ending."""
        path = Path(self.name)
        return path.with_name(f"{path.name}.{ending}")

    def shard(self, number: int) -> Path:
        """Return the path of a file."""
        path = Path(self.name)
        if self.shard_size is None:
            return path
        stem, suffixes = self._split()
        return path.with_name(f"{stem}-{number:05}{suffixes}")

    def _shard_of(self, number: str) -> Path | None:
        return self.shard(int(number)) if number.isdecimal() else None

    def list_older(self) -> list[Path]:
        """Return the files that exist where those of a run will be."""
        path = Path(self.name)
        if self.format.is_folder:
            return [path] if path.is_dir() and any(path.iterdir()) else []
        if self.shard_size is None:
            return [path] if path.exists() else []
        stem, suffixes = self._split()
        files = [file for file in path.parent.iterdir() if file.name.startswith(f"{stem}-")]
        numbers = [file.name.removeprefix(f"{stem}-").removesuffix(suffixes) for file in files]
        return [file for file, number in zip(files, numbers, strict=True) if file == self._shard_of(number)]

    def _split(self) -> tuple[str, str]:
        """Return the name without its suffixes, and these: two if the last says how the file is compressed."""
        name = Path(self.name).name
        packed = next((end for end in (".gz", ".zst") if name.lower().endswith(end)), "")
        rest = name[: len(name) - len(packed)]
        suffix = Path(rest).suffix
        return rest[: len(rest) - len(suffix)], suffix + name[len(rest) :]


def add_format_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments to *parser*."""
    parser.add_argument(
        "--out",
        required=True,
        metavar="FILE",
        help="file to write: .parquet; .wet or .warc, plain or with .gz or .zst; else JSON Lines, compressed if its "
        "name ends in .gz or .zst; - for standard output",
    )
    parser.add_argument(
        "--out-format",
        choices=_NAMES,
        help="what FILE is, if its name does not say so; markdown and text write a file for each page in a folder FILE",
    )
    parser.add_argument("--front-matter", action="store_true", help="begin files of Markdown with YAML front matter")
    parser.add_argument(
        "--shard-size",
        type=whole_number,
        metavar="N",
        help="begin a file after each N answers: FILE-00000.jsonl, FILE-00001.jsonl, …",
    )


def choose_format(args: argparse.Namespace, options: Options) -> tuple[Format, Options]:
    """Return the format of the output, and *options* with what it needs.

    :raises ValueError: if arguments contradict each other, or an extra is not installed.
    """
    name = args.out_format or _format_of(args.out)
    if args.front_matter and name != "markdown":
        raise ValueError(f"--front-matter: expected --out-format markdown, got {name}")
    if name in _FILES:
        return _choose_files(args, options, name)
    if name == "parquet":
        if find_spec("pyarrow") is None:
            raise ValueError(f"--out: {args.out} needs pip install 'scrapy-web2text[parquet]'")
        marks = DUPLICATE_COLUMNS if args.duplicates == "mark" else ()
        columns = (*RECORD_COLUMNS, *marks, *answer_columns(options))
        return Format(is_stream=False, finish=partial(_finish_table, columns)), options
    compress = choose_compression(args.out)
    if name == "wet":
        encode = partial(_encode_conversion, compress)
        head = compress(write_file_info(Path(args.out).name))
        return Format(encode, head, is_packed=True), options
    return Format(compress=compress), options


def _format_of(out: str) -> _Name:
    name = out.lower().removesuffix(".gz").removesuffix(".zst")
    if name.endswith((".wet", ".warc")):
        return "wet"
    return "parquet" if out.lower().endswith(".parquet") else "jsonl"


def _choose_files(args: argparse.Namespace, options: Options, name: _Name) -> tuple[Format, Options]:
    if args.shard_size is not None:
        raise ValueError(f"--shard-size: expected an output of one file, got {name}, which is a file for each page")
    if name == "markdown":
        options = options.replace(markdown=True)
    if args.front_matter:
        options = ask_for_front_matter(options)
    write = partial(write_text_file, Path(args.out), name=name, suffix=_FILES[name], front_matter=args.front_matter)
    return Format(partial(_encode_nothing, write), is_stream=False, is_folder=True, finish=_drop_part), options


def _encode_conversion(compress: Callable[[bytes], bytes], line: str) -> bytes:
    values = json.loads(line)
    return compress(write_conversion(values)) if values["text"] else b""


def _encode_nothing(write: Callable[[str], object], line: str) -> bytes:
    """Write the answer elsewhere, so that it has no place in the file of all answers."""
    write(line)
    return b""


def _finish_table(columns: tuple[Column, ...], lines: Path, path: Path) -> None:
    new = path.with_name(f"{path.name}.new")
    write_table(lines, new, columns)
    with new.open("rb+") as file:
        os.fsync(file.fileno())
    new.replace(path.resolve())
    lines.unlink()


def _drop_part(part: Path, folder: Path) -> None:  # noqa: ARG001  the files are in the folder already
    part.unlink()
