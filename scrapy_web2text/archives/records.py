"""What a reader yields for each record of an archive."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

from scrapy_web2text.content.display import shorten

__all__ = ["Broken", "Damage", "Item", "Record", "Skipped", "list_names", "read_limit"]

# How a page is incomplete: cut by the crawler or by the end of the file, or with wrong chunks or compressed data.
Damage = Literal["truncated", "chunked", "compressed"]

# A body with its chunk sizes can be longer than the page in it.
_TRANSFERRED_PER_BYTE = 2
_MOST_NAMES: Final = 10
_LONGEST_NAME: Final = 60  # characters


@dataclass(frozen=True, slots=True)
class Record:
    """A page as an archive holds it.

    :param html: the body as it was sent, compressed and chunked as the next fields say; or text.
    :param url: URL of the page.
    :param encoding: encoding that the header states.
    :param transfer_encoding: value of the header Transfer-Encoding.
    :param content_encoding: value of the header Content-Encoding.
    :param damage: how the record is damaged, as far as its reader knows.
    :param fields: what else the line of the page says about the record.
    """

    html: bytes | str
    url: str | None = None
    encoding: str | None = None
    transfer_encoding: str = ""
    content_encoding: str = ""
    damage: Damage | None = None
    fields: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Skipped:
    """A record that is not a page; *kind* names its type."""

    kind: str


@dataclass(frozen=True, slots=True)
class Broken:
    """A record that cannot be read.

    :param is_gap: whether a part of the input cannot be read, so that more records may be missing.
    """

    error: str
    is_gap: bool = False


Item: TypeAlias = Record | Skipped | Broken


def read_limit(max_bytes: int | None) -> int:
    """Return how many bytes of a body are read, for the option *max_bytes*; -1 for all.

    It is enough to see that the page is longer.
    """
    return -1 if max_bytes is None else _TRANSFERRED_PER_BYTE * max_bytes + 1


def list_names(names: Sequence[str]) -> str:
    """Return the first names of columns, for a message on a terminal: an archive may name them as it likes."""
    shown = [shorten(name, _LONGEST_NAME) for name in names[:_MOST_NAMES]]
    listed = ", ".join(name if name.isprintable() else repr(name) for name in shown)
    n_more = len(names) - len(shown)
    return f"{listed} and {n_more:,} more" if n_more else listed
