"""Sums over the blocks of a page, steps between the products of a network, and messages along the chain of blocks.

They are compiled if possible, else in Python.
"""

from __future__ import annotations

from typing import Final

from scrapy_web2text.compiled import load_compiled
from scrapy_web2text.labelers import python_sums

__all__ = ["SUMS"]

SUMS: Final = load_compiled("scrapy_web2text.labelers._sums", python_sums)
