"""A file for the text or the Markdown of each answer, in a folder."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from scrapy_web2text.content.front_matter import write_front_matter

__all__ = ["name_of_text", "write_text_file"]

# What a file system forbids, and the sign of an escape. A part of only dots, or one that ends in a dot or a space, or
# that Windows takes for a device, is another place than its name says.
_UNSAFE: Final = re.compile(
    r"""[\x00-\x1f<>:"|?*\\/%\x7f\ud800-\udfff]|^\.(?=\.?$)|[. ]$|^(?=(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)).""",
    re.IGNORECASE,
)
_LONGEST_PART: Final = 200  # bytes; most file systems allow 255
_N_KEPT: Final = 40  # characters of a part that is longer


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


def write_text_file(folder: Path, line: str, name: str, suffix: str, *, front_matter: bool) -> None:
    """Write the text of an answer to its file; an empty text has none.

    :param line: the answer as JSON.
    :param name: ``text`` or ``markdown``.
    """
    values = json.loads(line)
    text = values.get(name)
    if not text:
        return
    if front_matter:
        found = values.get("metadata") or {}
        facts = {key: values.get(key) for key in ("url", "title", "confidence")}
        text = f"{write_front_matter(**facts, date=found.get('date'), language=found.get('language'))}\n{text}"
    path = folder / name_of_text(values, suffix)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{text}\n", encoding="utf-8", newline="\n")
