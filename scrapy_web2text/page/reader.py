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
_NO_NATIVE: Final = "WEB2TEXT_NO_NATIVE"

logger = logging.getLogger(__name__)


def load_reader() -> ModuleType:
    """Return the module that reads pages."""
    return load_compiled(_COMPILED, python_reader)


def load_compiled(name: str, twin: ModuleType) -> ModuleType:
    """Return the compiled module *name*, or its *twin* in Python if there is none that works."""
    if os.environ.get(_NO_NATIVE) == "1" or find_spec(name) is None:
        return twin
    try:
        return import_module(name)
    except Exception as error:  # noqa: BLE001  what Cython raises differs: the library is not for this lxml or Python
        logger.warning("%s was not loaded, so extraction takes longer: %s", name, error)
        return twin


def _name_reader(reader: ModuleType) -> str:
    """Return what *reader* is, and why it is not the compiled one."""
    if reader is not python_reader:
        return "compiled reader"
    if os.environ.get(_NO_NATIVE) == "1":
        reason = f"as {_NO_NATIVE}=1 asks"
    else:
        reason = "as it was not compiled" if find_spec(_COMPILED) is None else "as the compiled one does not work here"
    return f"reader in Python, {reason}: a page takes 30 to 60 % longer"


READER: Final = load_reader()
READER_NAME: Final = _name_reader(READER)
