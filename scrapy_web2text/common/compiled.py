"""Loads compiled modules, whose functions replace equivalent functions in Python (PEP 399).

The functions in Python define the results, and run where nothing is compiled. Tests compare the compiled functions with
them. The environment variable ``WEB2TEXT_NO_NATIVE=1`` asks for the functions in Python.
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from types import SimpleNamespace
from typing import Any, Final

_NO_NATIVE: Final = "WEB2TEXT_NO_NATIVE"

logger = logging.getLogger(__name__)


def use_compiled(module: str, *functions: Callable[..., Any]) -> SimpleNamespace:
    """Replace *functions* of the Python module ``NAME`` by the compiled module ``_NAME``, if it can be loaded.

    :param module: the name of the module in Python, whose last line calls this function.
    :returns: the functions in Python, as attributes.
    """
    name = "._".join(module.rsplit(".", 1))
    if is_compiled(module):
        try:
            found = import_module(name)
            compiled = {function.__name__: getattr(found, function.__name__) for function in functions}
        # The class of the exception depends on whether the module is for another lxml or Python, or is too old.
        except Exception as error:  # noqa: BLE001
            logger.warning("%s was not loaded, so extraction takes longer: %s", name, error)
        else:
            vars(sys.modules[module]).update(compiled)
    return SimpleNamespace(**{function.__name__: function for function in functions})


def is_compiled(module: str) -> bool:
    """Return whether a compiled module exists beside *module*, and may be used."""
    return os.environ.get(_NO_NATIVE) != "1" and find_spec("._".join(module.rsplit(".", 1))) is not None


def reason_for_python(module: str) -> str:
    """Return why no compiled module replaces the functions of *module*, as a clause."""
    if os.environ.get(_NO_NATIVE) == "1":
        return f"as {_NO_NATIVE}=1 asks"
    return "as the compiled module does not work here" if is_compiled(module) else "as it was not compiled"
