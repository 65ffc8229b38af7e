"""How ``web2text batch`` writes answers: JSON Lines, Parquet, WET, or a file for each text."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, Literal
from urllib.parse import quote

from scrapy_web2text._version import __version__
from scrapy_web2text.batch.records import choose_compression
from scrapy_web2text.batch.schema import DUPLICATE_COLUMNS, RECORD_COLUMNS, TableColumn, answer_columns, write_table
from scrapy_web2text.content.forms import ask_for_front_matter, write_front_matter
from scrapy_web2text.options import Options

FormatName = Literal["jsonl", "parquet", "wet", "markdown", "text"]
_FILES: Final = {"markdown": ".md", "text": ".txt"}  # formats with a file for each answer, by the ends of their names
# They would end a header, or its line.
_FORBIDDEN: Final = re.compile(r"[\x00-\x20\x7f]")
# What a file system forbids, and the sign of an escape. A part of only dots, or one that ends in a dot or a space, or
# that Windows takes for a device, is another place than its name says.
_UNSAFE: Final = re.compile(
    r"""[\x00-\x1f<>:"|?*\\/%\x7f\ud800-\udfff]|^\.(?=\.?$)|[. ]$|^(?=(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)).""",
    re.IGNORECASE,
)
_LONGEST_PART: Final = 200  # bytes; most file systems allow 255
_N_KEPT: Final = 40  # characters of a part that is longer


@dataclass(frozen=True, slots=True)
class FileFormat:
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
    format: FileFormat
    shard_size: int | None = None

    def place(self, ending: str) -> Path:
        """Return the path of a file beside the output that has another ending."""
        path = Path(self.name)
        return path.with_name(f"{path.name}.{ending}")

    def part(self, number: int) -> Path:
        """Return the path of a file while it is written."""
        path = self.shard(number)
        return path.with_name(f"{path.name}.part")

    def shard(self, number: int) -> Path:
        """Return the path of a file."""
        path = Path(self.name)
        if self.shard_size is None:
            return path
        stem, suffixes = self._split()
        return path.with_name(f"{stem}-{number:05}{suffixes}")

    def list_older(self) -> list[Path]:
        """Return the files that exist where those of a run will be."""
        path = Path(self.name)
        if self.format.is_folder:
            return [path] if path.is_dir() and any(path.iterdir()) else []
        if self.shard_size is None:
            return [path] if path.exists() else []
        return [file for file in path.parent.iterdir() if self._is_shard(file.name)]

    def _is_shard(self, name: str) -> bool:
        stem, suffixes = self._split()
        number = name[len(stem) + 1 : len(name) - len(suffixes)]
        return name == f"{stem}-{number}{suffixes}" and number.isdecimal() and len(number) >= 5

    def _split(self) -> tuple[str, str]:
        """Return the name without its suffixes, and these: two if the last says how the file is compressed."""
        name = Path(self.name).name
        packed = next((end for end in (".gz", ".zst") if name.lower().endswith(end)), "")
        rest = name[: len(name) - len(packed)]
        suffix = Path(rest).suffix
        return rest[: len(rest) - len(suffix)], suffix + name[len(rest) :]


@dataclass(frozen=True, slots=True)
class NamedOutput:
    """What a user names as the output.

    :param name: a file or a folder; ``-`` for standard output.
    :param format_name: None for the format that *name* says.
    :param front_matter: whether files of Markdown begin with YAML front matter.
    :param shard_size: number of answers in each file; None for one file.
    """

    name: str
    format_name: FormatName | None = None
    front_matter: bool = False
    shard_size: int | None = None


def choose_format(chosen: NamedOutput, options: Options, *, has_marks: bool = False) -> tuple[Output, Options]:
    """Return where answers go, and *options* with what their format needs.

    :param has_marks: whether answers say what text they repeat.
    :raises ValueError: if *chosen* contradicts itself, or an extra is not installed.
    """
    name = chosen.format_name or _format_of(chosen.name)
    if chosen.front_matter and name != "markdown":
        raise ValueError(f"--front-matter: expected --out-format markdown, got {name}")
    if name in _FILES and chosen.shard_size is not None:
        raise ValueError(f"--shard-size: expected an output of one file, got {name}, which is a file for each page")
    if name == "markdown":
        options = options.replace(markdown=True)
    if chosen.front_matter:
        options = ask_for_front_matter(options)
    return Output(chosen.name, _make_format(chosen, name, options, has_marks=has_marks), chosen.shard_size), options


def _make_format(chosen: NamedOutput, name: FormatName, options: Options, *, has_marks: bool) -> FileFormat:
    if name in _FILES:
        write = partial(_write_text, Path(chosen.name), name=name, front_matter=chosen.front_matter)
        return FileFormat(write, is_stream=False, is_folder=True, finish=_drop_part)
    if name == "parquet":
        if find_spec("pyarrow") is None:
            raise ValueError(f"--out: {chosen.name} needs pip install 'scrapy-web2text[parquet]'")
        columns = (*RECORD_COLUMNS, *(DUPLICATE_COLUMNS if has_marks else ()), *answer_columns(options))
        return FileFormat(is_stream=False, finish=partial(_finish_table, columns))
    compress = choose_compression(chosen.name)
    if name == "wet":
        head = compress(write_file_info(Path(chosen.name).name))
        return FileFormat(partial(_encode_conversion, compress), head, is_packed=True)
    return FileFormat(compress=compress)


def _format_of(out: str) -> FormatName:
    name = out.lower().removesuffix(".gz").removesuffix(".zst")
    if name.endswith((".wet", ".warc")):
        return "wet"
    return "parquet" if out.lower().endswith(".parquet") else "jsonl"


def _encode_conversion(compress: Callable[[bytes], bytes], line: str) -> bytes:
    values = json.loads(line)
    return compress(write_conversion(values)) if values["text"] else b""


def _finish_table(columns: tuple[TableColumn, ...], lines: Path, path: Path) -> None:
    new = path.with_name(f"{path.name}.new")
    write_table(lines, new, columns)
    with new.open("rb+") as file:
        os.fsync(file.fileno())
    new.replace(path.resolve())
    lines.unlink()


def _drop_part(part: Path, folder: Path) -> None:  # noqa: ARG001  the files are in the folder already
    part.unlink()


def _write_text(folder: Path, line: str, *, name: FormatName, front_matter: bool) -> bytes:
    """Write the text of an answer to its file in *folder*, so that it has no place in the file of all answers.

    :param line: the answer as JSON; an empty text has no file.
    """
    values = json.loads(line)
    text = values.get(name)
    if not text:
        return b""
    if front_matter:
        found = values.get("metadata") or {}
        facts = {key: values.get(key) for key in ("url", "title", "confidence")}
        text = f"{write_front_matter(**facts, date=found.get('date'), language=found.get('language'))}\n{text}"
    path = folder / name_of_text(values, _FILES[name])
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{text}\n", encoding="utf-8", newline="\n")
    return b""


def name_of_text(values: Mapping[str, Any], suffix: str) -> str:
    """Return a path for the text of an answer: another for each page, within the folder that it is relative to.

    It is made of the ``path`` of the page, and of its ``record`` in an archive.
    """
    parts = [*Path(values["path"]).parts]
    if "record" in values:
        parts.append(f"{values['record']:08}")
    return "/".join([*map(_escape_part, parts[:-1]), _escape_part(f"{parts[-1]}{suffix}")])


def _escape_part(part: str) -> str:
    safe = _UNSAFE.sub(_escape, part)
    if len(safe.encode()) <= _LONGEST_PART:
        return safe
    digest = hashlib.sha256(part.encode(errors="surrogateescape")).hexdigest()[:16]
    return f"{safe[:_N_KEPT].rstrip('. ')}%{digest}{Path(safe).suffix[:10]}"


def _escape(match: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in match[0].encode(errors="surrogateescape"))


def write_file_info(name: str) -> bytes:
    """Return the record with which a file begins: what wrote it, and its *name*."""
    fields = f"software: scrapy-web2text/{__version__}\r\nformat: WARC File Format 1.0\r\n".encode()
    return _write_record("warcinfo", {"WARC-Filename": name}, "application/warc-fields", fields, None)


def write_conversion(values: Mapping[str, Any]) -> bytes:
    """Return the text of an answer as a record; *values* are those of its line.

    The date is that of the page's own record, if it has one, and the record refers to that. The URL of a page without
    one is made of its path, and of its place in an archive.
    """
    headers = {"WARC-Target-URI": values.get("url") or _name_place(values)}
    if values.get("warc_record_id"):
        headers["WARC-Refers-To"] = values["warc_record_id"]
    return _write_record("conversion", headers, "text/plain", values["text"].encode(), values.get("warc_date"))


def _name_place(values: Mapping[str, Any]) -> str:
    """Return a URL for a page without one: another for each page."""
    path = quote(values["path"].encode(errors="surrogateescape"))
    return f"file:{path}#{values['record']}" if "record" in values else f"file:{path}"


def _write_record(kind: str, headers: Mapping[str, str], media_type: str, block: bytes, date: str | None) -> bytes:
    digest = base64.b32encode(hashlib.sha1(block, usedforsecurity=False).digest()).decode()
    all_headers = {
        "WARC-Type": kind,
        **headers,
        "WARC-Date": date or datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "WARC-Record-ID": f"<urn:uuid:{uuid.uuid4()}>",
        "WARC-Block-Digest": f"sha1:{digest}",
        "Content-Type": media_type,
        "Content-Length": str(len(block)),
    }
    lines = [f"{name}: {_FORBIDDEN.sub(_escape_header, value)}\r\n" for name, value in all_headers.items()]
    head = f"WARC/1.0\r\n{''.join(lines)}\r\n".encode(errors="backslashreplace")
    return head + block + b"\r\n\r\n"


def _escape_header(match: re.Match[str]) -> str:
    return f"%{ord(match[0]):02X}"
