"""The items of a feed in JSON Lines, such as `web2text batch` and crawls write."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from scrapy_web2text.archives.json_lines import read_lines
from scrapy_web2text.archives.sources import archive_kind
from scrapy_web2text.archives.streams import decompressed

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["is_feed", "read_items"]

# An item with the blocks of a page of the largest size is shorter.
_LONGEST_LINE: Final = 200_000_000  # bytes


def is_feed(name: str) -> bool:
    """Return whether a file with this name is JSON Lines, plain or compressed."""
    return archive_kind(name) == "jsonl" and "://" not in name


def read_items(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield a name for each item of a feed, and the item.

    :param path: plain, or compressed by gzip or Zstandard.
    :raises ValueError: if a line is not a JSON object; the message names the file and the line.
    :raises OSError: if the file cannot be read or decompressed.
    """
    with path.open("rb") as stream, decompressed(stream) as file:
        for number, (line, is_whole) in enumerate(read_lines(file, _LONGEST_LINE), 1):
            if not line.strip():
                continue
            if not is_whole:
                raise ValueError(f"{path}:{number}: expected a line of at most {_LONGEST_LINE:,} bytes")
            try:
                item = json.loads(line, parse_constant=lambda _: None)  # NaN is not JSON
            except (ValueError, RecursionError) as error:
                raise ValueError(f"{path}:{number}: expected JSON, got {error}") from None
            if not isinstance(item, dict):
                raise ValueError(f"{path}:{number}: expected an object, got a {type(item).__name__}")
            yield next((str(item[key]) for key in ("path", "url") if item.get(key)), f"line {number}"), item
