"""The versions of lxml whose trees the compiled reader can read."""

from __future__ import annotations

from typing import Final

from lxml import etree

__all__ = ["check_lxml"]

# The reader relies on the layout of elements in lxml 6 and of nodes in libxml2 2. Before these change, run the tests
# with the new version, and change pyproject.toml as well.
_LXML: Final = 6
_LIBXML2: Final = 2


def check_lxml() -> None:
    """Raise an ImportError unless the installed lxml has the layout of elements and nodes that the reader knows."""
    if (etree.LXML_VERSION[0], etree.LIBXML_VERSION[0]) != (_LXML, _LIBXML2):
        libxml2 = ".".join(map(str, etree.LIBXML_VERSION))
        raise ImportError(f"expected lxml {_LXML} with libxml2 {_LIBXML2}, got {etree.__version__} with {libxml2}")
