"""Compiled modules take the place of functions in Python that do the same, as in the standard library (PEP 399).

The functions in Python are written to be read: they say what the results are, work where nothing is compiled, and judge
the compiled ones in tests. The environment variable ``WEB2TEXT_NO_NATIVE=1`` asks for them.
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
    """Replace *functions* of a module in Python by those of the compiled one beside it, ``_NAME``, if that works.

    :param module: the name of the module in Python, whose last line calls this.
    :returns: the functions in Python, as attributes.
    """
    name = "._".join(module.rsplit(".", 1))
    if is_compiled(module):
        try:
            found = import_module(name)
            compiled = {function.__name__: getattr(found, function.__name__) for function in functions}
        # What Cython raises differs if a module is for another lxml or Python, or is older than the package.
        except Exception as error:  # noqa: BLE001
            logger.warning("%s was not loaded, so extraction takes longer: %s", name, error)
        else:
            vars(sys.modules[module]).update(compiled)
    return SimpleNamespace(**{function.__name__: function for function in functions})


def is_compiled(module: str) -> bool:
    """Return whether there is a compiled module, which may be used, beside *module*."""
    return os.environ.get(_NO_NATIVE) != "1" and find_spec("._".join(module.rsplit(".", 1))) is not None


def reason_for_python(module: str) -> str:
    """Return why no compiled module takes the place of *module*."""
    if os.environ.get(_NO_NATIVE) == "1":
        return f"as {_NO_NATIVE}=1 asks"
    return "as the compiled one does not work here" if is_compiled(module) else "as it was not compiled"
