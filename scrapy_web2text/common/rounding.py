"""Rounding of the numbers that leave Python: in items, feeds, JSON and on the command line."""

from __future__ import annotations

from typing import Final

# A probability is not known more exactly, and ten milliseconds keep three digits.
_N_DIGITS: Final = 4


def round_number(number: float | None) -> float | None:
    """Return *number* with four digits after the decimal point; None stays None."""
    return None if number is None else round(number, _N_DIGITS)
