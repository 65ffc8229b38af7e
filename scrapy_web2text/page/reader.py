"""The reader of pages: the compiled one if there is one that works, else the one in Python."""

from __future__ import annotations

from typing import Final

from scrapy_web2text.compiled import load_compiled, reason_for_twin
from scrapy_web2text.page import python_reader

__all__ = ["READER", "READER_COST", "READER_NAME"]

_COMPILED: Final = "scrapy_web2text.page._reader"

READER: Final = load_compiled(_COMPILED, python_reader)
READER_NAME: Final = "reader in Python" if READER is python_reader else "compiled reader"
# All modules are compiled together, or none, so the reader speaks for the others.
READER_COST: Final = f"{reason_for_twin(_COMPILED)}: a page takes 40 to 80 % longer" if READER is python_reader else ""
