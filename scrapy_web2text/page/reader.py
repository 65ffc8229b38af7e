"""The reader of pages: the compiled one if there is one that works, else the one in Python.

The environment variable ``WEB2TEXT_NO_NATIVE=1`` asks for the one in Python.
"""

from __future__ import annotations

import logging
import os
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Final

from scrapy_web2text.page import python_reader

__all__ = ["READER", "READER_NAME", "load_compiled", "load_reader"]

_COMPILED: Final = "scrapy_web2text.page._reader"

logger = logging.getLogger(__name__)


def load_reader() -> ModuleType:
    """Return the module that reads pages."""
    return load_compiled(_COMPILED, python_reader)


def load_compiled(name: str, twin: ModuleType) -> ModuleType:
    """Return the compiled module *name*, or its *twin* in Python if there is none that works."""
    if os.environ.get("WEB2TEXT_NO_NATIVE") == "1" or find_spec(name) is None:
        return twin
    try:
        return import_module(name)
    except Exception as error:  # noqa: BLE001  what Cython raises differs: the library is not for this lxml or Python
        logger.warning("%s was not loaded, so extraction takes longer: %s", name, error)
        return twin


READER: Final = load_reader()
READER_NAME: Final = (
    "reader in Python, which was not compiled: a page takes 30 to 60 % longer"
    if READER is python_reader
    else "compiled reader"
)
