"""How a training reports its progress: each long loop passes its items through a function."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["Track", "no_progress"]

_T = TypeVar("_T")


class Track(Protocol):
    """A function that shows how many items of a loop are done."""

    def __call__(self, items: Iterable[_T], n_items: int, /, *, title: str = ..., unit: str = ...) -> Iterable[_T]:
        """Return *items* unchanged.

        :param title: name of the loop.
        :param unit: name of the items, in the plural.
        """
        ...


def no_progress(items: Iterable[_T], _n_items: int, /, *, title: str = "", unit: str = "pages") -> Iterable[_T]:  # noqa: ARG001
    """Return *items* without showing progress."""
    return items
