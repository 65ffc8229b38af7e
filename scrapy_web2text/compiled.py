"""The compiled modules of the package, each of which has a twin in Python with the same functions and results.

The environment variable ``WEB2TEXT_NO_NATIVE=1`` asks for the twins.
"""

from __future__ import annotations

import logging
import os
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import ModuleType

__all__ = ["load_compiled"]

logger = logging.getLogger(__name__)


def load_compiled(name: str, twin: ModuleType) -> ModuleType:
    """Return the compiled module *name*, or its *twin* in Python if there is none that works."""
    if os.environ.get("WEB2TEXT_NO_NATIVE") == "1" or find_spec(name) is None:
        return twin
    try:
        return import_module(name)
    except Exception as error:  # noqa: BLE001  what Cython raises differs: the library is not for this lxml or Python
        logger.warning("%s was not loaded, so extraction takes longer: %s", name, error)
        return twin
