"""How ``web2text batch`` writes answers: JSON Lines, Parquet, WET, or a file for each text."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import os
import re
import shutil
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from glob import escape
from importlib.util import find_spec
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, Final, Literal
from urllib.parse import quote

from scrapy_web2text._version import __version__
from scrapy_web2text.batch.schema import DUPLICATE_COLUMNS, RECORD_COLUMNS, TableColumns, TableWriter, answer_columns
from scrapy_web2text.content.forms import ask_for_metadata, write_front_matter
from scrapy_web2text.exceptions import say
from scrapy_web2text.options import Options
from scrapy_web2text.sources.records import load_zstd
from scrapy_web2text.sources.remote import RemotePath, connect, explained, hide_secrets

FormatName = Literal["jsonl", "parquet", "wet", "markdown", "text"]
_GZIP_LEVEL: Final = 6  # as the program gzip
_OTHERS: Final = (".csv", ".tsv", ".xml", ".md", ".txt", "/")  # endings of formats that are not written, and of folders
_FILES: Final = {"markdown": ".md", "text": ".txt"}  # format with a file for each answer -> ending of the file names
# These characters would end a header or its line.
_FORBIDDEN: Final = re.compile(r"[\x00-\x20\x7f]")
# Characters that a file system forbids, and the sign of an escape. A part also needs an escape if it has only dots,
# ends in a dot or a space, or is the name of a device of Windows: it would lead elsewhere.
_UNSAFE: Final = re.compile(
    r"""[\x00-\x1f<>:"|?*\\/%\x7f\ud800-\udfff]|^\.(?=\.?$)|[. ]$|^(?=(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)).""",
    re.IGNORECASE,
)
_NUMBER: Final = re.compile(r"-\d{5,}")  # of a file in a series
_LONGEST_PART: Final = 200  # bytes; most file systems allow 255
_N_KEPT: Final = 40  # characters that are kept of a longer part


def _give_name(part: Path, path: Path) -> None:
    """Replace the file *path*, or the file that this link leads to. The mode of the file is kept."""
    path = path.resolve()
    if path.exists():
        shutil.copymode(path, part)
    part.replace(path)


@dataclass(frozen=True, slots=True)
class Output:
    """Where answers go, and how they become files. An answer is given as its line of JSON.

    :param name: the file, or the folder; ``-`` for standard output.
    :param shard_size: number of answers in each file; None for one file.
    :param encode: returns the bytes that an answer adds to a file; empty if the answer is not part of the file.
    :param compress: compresses a part of a file; several compressed parts in a row are a compressed file.
    :param can_stream: whether a file can be written from its beginning to its end, such as to standard output.
    :param finish: turns the file to which the parts were written into the final file. After an interruption, the call
        can be repeated.
    :param remote: the place in a remote storage where files are uploaded; None for files of this machine.
    """

    name: str
    shard_size: int | None = None
    encode: Callable[[str], bytes] = str.encode
    head: bytes = b""
    compress: Callable[[bytes], bytes] = bytes
    can_stream: bool = True
    is_folder: bool = False
    finish: Callable[[Path, Path], object] = _give_name
    remote: RemotePath | None = None

    @property
    def is_stream(self) -> bool:
        """Whether answers go to standard output, or to a device or a pipe."""
        path = Path(self.name)
        is_device = path.exists() and not path.is_file() and not path.is_dir()
        return self.can_stream and self.shard_size is None and (self.name == "-" or is_device)

    def place(self, ending: str) -> Path:
        """Return the path of a file beside the output, with another ending."""
        return Path(f"{Path(self.name)}.{ending}")

    def part(self, number: int) -> Path:
        """Return the path of a file while it is written."""
        return Path(f"{self.shard(number)}.part")

    def shard(self, number: int) -> Path:
        """Return the path of a file."""
        path = Path(self.name)
        stem, suffixes = self._split()
        return path if self.shard_size is None else path.with_name(f"{stem}-{number:05}{suffixes}")

    def list_older(self) -> Sequence[Path | RemotePath]:
        """Return the existing files that the files of a run would replace."""
        path = Path(self.name)
        if self.is_folder:
            return [path] if path.is_dir() and any(path.iterdir()) else []
        if self.shard_size is None:
            return self.remote.find() if self.remote is not None else [path] if path.exists() else []
        stem, suffixes = self._split()
        pattern = f"{escape(stem)}-*{escape(suffixes)}"
        found = path.parent.glob(pattern) if self.remote is None else self.remote.with_name(pattern).find()
        names = ((file, Path(str(file)).name.removeprefix(stem).removesuffix(suffixes)) for file in found)
        return [file for file, number in names if _NUMBER.fullmatch(number)]

    def _split(self) -> tuple[str, str]:
        """Return the name without its suffixes, and the suffixes: two if the last one names a compression."""
        path = Path(self.name)
        n_suffixes = 2 if path.suffix.lower() in (".gz", ".zst") else 1
        suffixes = "".join(path.suffixes[-n_suffixes:])
        return path.name.removesuffix(suffixes), suffixes


@contextmanager
def uploading(output: Output, remote: RemotePath) -> Iterator[Output]:
    """Give an output in a temporary folder. Each file is uploaded when it is whole; files that remain are named."""

    def finish(part: Path, path: Path) -> None:
        output.finish(part, path)
        with explained(f"--out: cannot upload {path}"):
            remote.fs.put_file(str(path), remote.with_name(path.name).path)
        path.unlink()

    with explained(f"--out: cannot write {remote}"):  # fails now, not after an hour
        remote.fs.put_file(os.devnull, probe := remote.with_name(f"{Path(output.name).name}.part").path)
        with suppress(Exception):  # without the right to remove files, the probe stays
            remote.fs.rm_file(probe)
    folder = Path(mkdtemp(prefix="web2text-"))
    try:
        yield replace(output, name=str(folder / Path(output.name).name), finish=finish)
    finally:
        if left := ", ".join(map(str, sorted(folder.iterdir()))):
            say(f"web2text batch: not uploaded to {remote}: {left}")
        else:
            folder.rmdir()


def choose_format(
    name: str,
    format_name: FormatName | None,
    options: Options,
    *,
    front_matter: bool = False,
    shard_size: int | None = None,
    has_marks: bool = False,
) -> tuple[Output, Options]:
    """Return the output, and *options* with the parts of an answer that its format needs.

    :param format_name: the format; None for the format that the ending of *name* says.
    :param has_marks: whether answers say what text they repeat.
    """
    remote = connect(name)
    name = hide_secrets(name)
    output = partial(Output, name, shard_size, remote=remote)
    form = format_name or _format_of(name)
    if front_matter and form != "markdown":
        raise ValueError(f"--front-matter: expected --format markdown, got {form}")
    if form in _FILES:
        if shard_size is not None:
            raise ValueError(f"--shard-size: expected an output of one file, got {form}, which is a file for each page")
        if "://" in name:
            raise ValueError(f"--out: expected a folder of this machine for {form}, got {name}")
        options = options.replace(markdown=True) if form == "markdown" else options
        options = ask_for_metadata(options) if front_matter else options
        write = partial(_write_text, Path(name), form=form, front_matter=front_matter)
        return output(encode=write, can_stream=False, is_folder=True, finish=lambda part, _: part.unlink()), options
    if form == "parquet":
        if find_spec("pyarrow") is None:
            raise ValueError(f"--out: {name} needs pip install 'scrapy-web2text[parquet]'")
        columns = {**RECORD_COLUMNS, **(DUPLICATE_COLUMNS if has_marks else {}), **answer_columns(options)}
        return output(can_stream=False, finish=partial(_finish_table, columns)), options
    compress = _choose_compression(name)
    if form == "wet":
        # Each record is a member of its own.
        head = compress(write_file_info(Path(name).name))
        return output(encode=partial(_encode_conversion, compress), head=head), options
    return output(compress=compress), options


def _choose_compression(name: str) -> Callable[[bytes], bytes]:
    """Return the function that compresses a part of the file *name*."""
    if name.lower().endswith(".gz"):
        return partial(gzip.compress, compresslevel=_GZIP_LEVEL, mtime=0)  # equal answers make equal files
    if not name.lower().endswith(".zst"):
        return bytes
    zstd = load_zstd()
    if zstd is None:
        raise ValueError(f"--out: {name}: expected backports.zstd to be installed")
    compress: Callable[[bytes], bytes] = zstd.compress
    return compress


def _format_of(out: str) -> FormatName:
    name = out.lower().removesuffix(".gz").removesuffix(".zst")
    if name.endswith((".wet", ".warc")):
        return "wet"
    if name.endswith(_OTHERS):
        raise ValueError(f"--out: expected a name that ends in .jsonl, .parquet or .wet, or --format, got {out!r}")
    return "parquet" if out.lower().endswith(".parquet") else "jsonl"


def _encode_conversion(compress: Callable[[bytes], bytes], line: str) -> bytes:
    values = json.loads(line)
    return compress(write_conversion(values)) if values["text"] else b""


def _finish_table(columns: TableColumns, lines: Path, path: Path) -> None:
    new = path.with_name(f"{path.name}.new")
    table = TableWriter(new, columns)
    with lines.open("rb") as file:
        for line in file:
            table.add(json.loads(line))
    table.close()
    with new.open("rb+") as file:
        os.fsync(file.fileno())
    _give_name(new, path)
    lines.unlink()


def _write_text(folder: Path, line: str, *, form: FormatName, front_matter: bool) -> bytes:
    """Write the text of an answer to its own file in *folder*, and return nothing for a file of all answers."""
    values = json.loads(line)
    text = values.get(form)
    if not text:
        return b""
    if front_matter:
        text = f"{write_front_matter((values.get('metadata') or {}) | values)}\n{text}"
    path = folder / name_of_text(values, _FILES[form])
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{text}\n", encoding="utf-8", newline="\n")
    return b""


def name_of_text(values: Mapping[str, Any], suffix: str) -> str:
    """Return a path for the text of an answer. Each page has its own path, which does not lead out of the folder."""
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
    """Return the first record of a file, with the program that wrote the file, and the *name* of the file."""
    fields = f"software: scrapy-web2text/{__version__}\r\nformat: WARC File Format 1.0\r\n".encode()
    return _write_record("warcinfo", {"WARC-Filename": name}, "application/warc-fields", fields, None)


def write_conversion(values: Mapping[str, Any]) -> bytes:
    """Return the text of an answer as a record; *values* are the values of its line.

    If the page comes from a WARC record, the new record refers to the old one and has its date. A page without a URL
    gets one from its path and its place in an archive.
    """
    headers = {"WARC-Target-URI": values.get("url") or _name_place(values)}
    if values.get("warc_record_id"):
        headers["WARC-Refers-To"] = values["warc_record_id"]
    return _write_record("conversion", headers, "text/plain", values["text"].encode(), values.get("warc_date"))


def _name_place(values: Mapping[str, Any]) -> str:
    """Return a URL for a page without a URL. Each page gets its own."""
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
    lines = [f"{name}: {_FORBIDDEN.sub(_escape, value)}\r\n" for name, value in all_headers.items()]
    head = f"WARC/1.0\r\n{''.join(lines)}\r\n".encode(errors="backslashreplace")
    return head + block + b"\r\n\r\n"
