"""Rounding of the numbers that leave Python: in items, feeds, JSON and on the command line."""

from __future__ import annotations


def round_number(number: float | None) -> float | None:
    """Return *number* with four digits after the decimal point; None stays None."""
    return None if number is None else round(number, 4)  # probabilities are not more exact; 10 ms keep three digits
