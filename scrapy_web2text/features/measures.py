"""The measures of blocks: by the compiled module if there is one that works, else in Python."""

from __future__ import annotations

from typing import Final

from scrapy_web2text.compiled import load_compiled
from scrapy_web2text.features import python_measures

__all__ = ["MEASURES"]

MEASURES: Final = load_compiled("scrapy_web2text.features._measures", python_measures)
