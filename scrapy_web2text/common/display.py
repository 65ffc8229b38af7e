"""Short forms of an answer for logs, shells and notebooks: lines, the beginning of a text, and rounded numbers."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any, Final

_LONGEST_LINE: Final = 80  # characters of a text in a log or shell
_LONGEST_TEXT: Final = 40_000  # characters of a text in a notebook
_TEXT_STYLE: Final = "white-space:pre-wrap;max-height:30em;overflow:auto"


def round_number(number: float | None) -> float | None:
    """Return *number* with four digits after the decimal point; None stays None."""
    return None if number is None else round(number, 4)  # probabilities are not more exact; 10 ms keep three digits


def format_share(share: float, form: str = ".3f") -> str:
    """Return *share*, a number from -1 to 1, as tables have it: three digits, without a zero before the point."""
    return f"{share:{form}}".replace("0.", ".", 1)


def shorten(text: str, length: int = _LONGEST_LINE) -> str:
    """Return *text*. If it is longer than *length* characters, its end is replaced by an ellipsis."""
    return text if len(text) <= length else f"{text[: length - 1]}…"


def show_facts(name: str, facts: Mapping[str, Any]) -> str:
    """Return a line such as ``<Extraction method='model' confidence=0.93>``. Facts that are None or empty are left out.

    :param name: name of the class.
    """
    parts = [
        f"{key}={(shorten(value) if isinstance(value, str) else value)!r}"
        for key, value in facts.items()
        if value not in (None, "")
    ]
    return f"<{' '.join([name, *parts])}>"


def show_text(caption: str, text: str) -> str:
    """Return HTML with *caption* and the beginning of *text*."""
    return f'<p><b>{escape(caption)}</b></p><pre style="{_TEXT_STYLE}">{escape(shorten(text, _LONGEST_TEXT))}</pre>'
