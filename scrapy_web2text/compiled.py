"""The compiled modules of the package, each of which has a twin in Python with the same functions and results.

The environment variable ``WEB2TEXT_NO_NATIVE=1`` asks for the twins.
"""

from __future__ import annotations

import logging
import os
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from types import ModuleType

__all__ = ["load_compiled", "reason_for_twin"]

_NO_NATIVE: Final = "WEB2TEXT_NO_NATIVE"

logger = logging.getLogger(__name__)


def load_compiled(name: str, twin: ModuleType) -> ModuleType:
    """Return the compiled module *name*, or its *twin* in Python if there is none that works."""
    if os.environ.get(_NO_NATIVE) == "1" or find_spec(name) is None:
        return twin
    try:
        return import_module(name)
    except Exception as error:  # noqa: BLE001  what Cython raises differs: the library is not for this lxml or Python
        logger.warning("%s was not loaded, so extraction takes longer: %s", name, error)
        return twin


def reason_for_twin(name: str) -> str:
    """Return why the twin of the compiled module *name* works in its place."""
    if os.environ.get(_NO_NATIVE) == "1":
        return f"as {_NO_NATIVE}=1 asks"
    return "as it was not compiled" if find_spec(name) is None else "as the compiled one does not work here"
