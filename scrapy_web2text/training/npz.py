"""The errors of reading an ``.npz`` file."""

from __future__ import annotations

import zlib
from typing import Final
from zipfile import BadZipFile

__all__ = ["NPZ_ERRORS"]

# Those of the system, numpy, zipfile and zlib for a file that is missing, damaged or without an array.
NPZ_ERRORS: Final = (OSError, EOFError, BadZipFile, KeyError, NotImplementedError, ValueError, zlib.error)
