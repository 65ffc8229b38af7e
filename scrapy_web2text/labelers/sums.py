"""Sums over the blocks of a page, steps between the products of a network, and messages along the chain of blocks.

They are compiled if possible, else in Python.
"""

from __future__ import annotations

from typing import Final

from scrapy_web2text.labelers import python_sums
from scrapy_web2text.page.reader import load_compiled

__all__ = ["SUMS"]

SUMS: Final = load_compiled("scrapy_web2text.labelers._sums", python_sums)
