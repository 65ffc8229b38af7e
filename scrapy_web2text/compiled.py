"""The compiled modules of the package, each of which has a twin in Python with the same functions and results.

The environment variable ``WEB2TEXT_NO_NATIVE=1`` asks for the twins.
"""

from __future__ import annotations

import logging
import os
from importlib import import_module
from importlib.util import find_spec
from inspect import signature
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
        module = import_module(name)
        _check_functions(module, twin)
    except Exception as error:  # noqa: BLE001  what Cython raises differs: the library is not for this lxml or Python
        logger.warning("%s was not loaded, so extraction takes longer: %s", name, error)
        return twin
    return module


def _check_functions(module: ModuleType, twin: ModuleType) -> None:
    """Raise an ImportError if *module* lacks a function of *twin*: after an update, a clone has the old library."""
    functions = {name: function for name, function in vars(twin).items() if name in twin.__all__ and callable(function)}
    for name, expected in functions.items():
        function = getattr(module, name, None)
        if function is None:
            raise ImportError(f"it lacks {name}; compile it again: pip install --editable .")
        if [*signature(function).parameters] != [*signature(expected).parameters]:
            raise ImportError(f"its {name} takes other arguments; compile it again: pip install --editable .")


def reason_for_twin(name: str) -> str:
    """Return why the twin of the compiled module *name* works in its place."""
    if os.environ.get(_NO_NATIVE) == "1":
        return f"as {_NO_NATIVE}=1 asks"
    return "as it was not compiled" if find_spec(name) is None else "as the compiled one does not work here"
