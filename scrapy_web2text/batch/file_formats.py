"""How ``web2text batch`` writes answers: JSON Lines, Parquet, or a file for each text."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final, Literal, get_args

from scrapy_web2text.batch.schema import DUPLICATE_COLUMNS, RECORD_COLUMNS, TableColumns, TableWriter, answer_columns
from scrapy_web2text.common.checks import require
from scrapy_web2text.common.files import move_into_place, sync
from scrapy_web2text.content.forms import ask_for_metadata, write_front_matter
from scrapy_web2text.options import Options
from scrapy_web2text.sources.records import load_zstd
from scrapy_web2text.sources.remote import hide_secrets

FormatName = Literal["jsonl", "parquet", "markdown", "text"]
_GZIP_LEVEL: Final = 6  # as the program gzip
# Endings of unsupported formats, and of folders.
_OTHERS: Final = (".csv", ".tsv", ".xml", ".md", ".txt", ".wet", ".warc", "/")
_FILES: Final = {"markdown": ".md", "text": ".txt"}  # format with a file for each answer -> ending of the file names
# Characters that a file system forbids, and the sign of an escape. A part also needs an escape if it has only dots,
# ends in a dot or a space, or is the name of a device of Windows: it would lead elsewhere.
_UNSAFE: Final = re.compile(
    r"""[\x00-\x1f<>:"|?*\\/%\x7f\ud800-\udfff]|^\.(?=\.?$)|[. ]$|^(?=(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)).""",
    re.IGNORECASE,
)
_LONGEST_PART: Final = 200  # bytes; most file systems allow 255
_N_KEPT: Final = 40  # characters that are kept of a longer part


@dataclass(frozen=True, slots=True)
class Output:
    """Where answers go, and how they become files. An answer is given as its line of JSON.

    :param name: the file, or the folder; ``-`` for standard output.
    :param encode: returns the bytes that an answer adds to the file; empty if the answer is not part of the file.
    :param compress: compresses a part of the file; several compressed parts in a row are a compressed file.
    :param can_stream: whether the file can be written from its beginning to its end, such as to standard output.
    :param finish: turns the file to which the parts were written into the final file. After an interruption, the call
        can be repeated.
    """

    name: str
    encode: Callable[[str], bytes] = str.encode
    compress: Callable[[bytes], bytes] = bytes
    can_stream: bool = True
    is_folder: bool = False
    finish: Callable[[Path, Path], object] = move_into_place

    @property
    def path(self) -> Path:
        """The path of the file or folder."""
        return Path(self.name)

    @property
    def is_stream(self) -> bool:
        """Whether answers go to standard output, or to a device or a pipe."""
        is_device = self.path.exists() and not self.path.is_file() and not self.path.is_dir()
        return self.can_stream and (self.name == "-" or is_device)

    @property
    def is_used(self) -> bool:
        """Whether an older output would be replaced."""
        return any(self.path.iterdir()) if self.is_folder and self.path.is_dir() else self.path.exists()

    def place(self, ending: str) -> Path:
        """Return the path of a file beside the output, with another ending."""
        return Path(f"{self.path}.{ending}")


def choose_format(
    name: str,
    format_name: FormatName | None,
    options: Options,
    *,
    front_matter: bool = False,
    has_marks: bool = False,
) -> tuple[Output, Options]:
    """Return the output, and *options* with the parts of an answer that its format needs.

    :param format_name: the format; None for the format of the ending of *name*.
    :param has_marks: whether answers name the text that they repeat.
    """
    if "://" in name:
        raise ValueError(f"--out: expected a path on this machine, got {hide_secrets(name)}")
    form = format_name or _format_of(name)
    if front_matter and form != "markdown":
        raise ValueError(f"--front-matter: expected --format markdown, got {form}")
    if form in _FILES:
        options = options.replace(markdown=True) if form == "markdown" else options
        options = ask_for_metadata(options) if front_matter else options
        write = partial(_write_text, Path(name), form=form, front_matter=front_matter)
        return Output(name, write, can_stream=False, is_folder=True, finish=lambda part, _: part.unlink()), options
    if form == "parquet":
        require("pyarrow", "parquet", f"--out: {name}")
        columns = {**RECORD_COLUMNS, **(DUPLICATE_COLUMNS if has_marks else {}), **answer_columns(options)}
        return Output(name, can_stream=False, finish=partial(_finish_table, columns)), options
    return Output(name, compress=_choose_compression(name)), options


def _choose_compression(name: str) -> Callable[[bytes], bytes]:
    """Return the function that compresses a part of the file *name*."""
    if name.lower().endswith(".gz"):
        return partial(gzip.compress, compresslevel=_GZIP_LEVEL, mtime=0)  # equal answers make equal files
    if not name.lower().endswith(".zst"):
        return bytes
    zstd = load_zstd()
    if zstd is None:
        raise ValueError(f"--out: {name}: needs pip install backports.zstd")
    return zstd.compress


def _format_of(out: str) -> FormatName:
    name = out.lower()
    is_other = name.removesuffix(".gz").removesuffix(".zst").endswith(_OTHERS)
    if is_other or Path(name).name in {*get_args(FormatName), "json", "md", "txt"}:
        raise ValueError(f"--out: expected a name that ends in .jsonl or .parquet, or --format, got {out!r}")
    return "parquet" if name.endswith(".parquet") else "jsonl"


def _finish_table(columns: TableColumns, lines: Path, path: Path) -> None:
    new = path.with_name(f"{path.name}.new")
    table = TableWriter(new, columns)
    with lines.open("rb") as file:
        for line in file:
            table.add(json.loads(line))
    table.close()
    with new.open("rb+") as file:
        sync(file)
    move_into_place(new, path)
    lines.unlink()


def _write_text(folder: Path, line: str, *, form: FormatName, front_matter: bool) -> bytes:
    """Write the text of an answer to its own file in *folder*. Return no bytes, since no file has all answers."""
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
