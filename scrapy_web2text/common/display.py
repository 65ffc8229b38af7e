"""Short forms of an answer for logs, shells and notebooks: one line each, a table of blocks, and rounded numbers."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any, Final

_LONGEST_LINE: Final = 80  # characters of a text in a log or shell
_MOST_ROWS: Final = 500
_LONGEST_CELL: Final = 400  # characters
# A tint that light and dark themes show through.
_CONTENT_STYLE: Final = "background:rgba(0,114,178,.2)"
_CELL_STYLE: Final = "text-align:left;vertical-align:top"
_TEXT_STYLE: Final = "white-space:pre-wrap;max-width:50em"
_MOST_LINES: Final = 15  # of a text, above those that a click opens
_MOST_CODE: Final = 1_000  # lines
_CODE: Final = re.compile(r"/pre(?=[/[]|$)")  # in the path of a block
_HEADING: Final = re.compile("h[1-6]")


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


def write_answer_html(heading: str, facts: Mapping[str, Any], blocks: Sequence[Any], text: str) -> str:
    """Return HTML: the heading, the beginning of *text*, and the *facts* that are not empty.

    A click opens the rest of the text, and another one a table of *blocks*, in which content is highlighted. It has at
    most 500 blocks, with 400 characters each.
    """
    about = " · ".join(f"{name} {value}" for name, value in facts.items() if value not in (None, ""))
    headings = {block.text for block in blocks if block.label and _HEADING.fullmatch(block.tag)}
    lines = [
        f'<pre style="margin:.5em 0">{escape(line)}</pre>'
        if is_code
        else f'<p style="margin:.5em 0">{f"<b>{escape(line)}</b>" if line in headings else escape(line)}</p>'
        for line, is_code in _divide_text(shorten(text, _MOST_ROWS * _LONGEST_LINE), blocks)
        if line.strip()
    ]
    n_more = len(lines) - _MOST_LINES
    rest = f"<details><summary>{n_more:,} more lines</summary>{''.join(lines[_MOST_LINES:])}</details>"
    body = f'<div style="{_TEXT_STYLE}">{"".join(lines[:_MOST_LINES])}{rest if n_more > 0 else ""}</div>'
    shown = f"<p><b>{escape(heading)}</b></p>{body}<p><small>{escape(about)}</small></p>"
    if not blocks:
        return shown
    names = "".join(f'<th style="{_CELL_STYLE}">{name}</th>' for name in ("block", "probability", "tag", "text"))
    rows = "".join(map(_write_row, blocks[:_MOST_ROWS]))
    n_more = len(blocks) - _MOST_ROWS
    more = f"<p>… and {n_more:,} more blocks</p>" if n_more > 0 else ""
    table = f"<table><thead><tr>{names}</tr></thead><tbody>{rows}</tbody></table>"
    return f"{shown}<details><summary>{len(blocks):,} blocks</summary>{table}{more}</details>"


def _divide_text(text: str, blocks: Sequence[Any]) -> list[tuple[str, bool]]:
    """Return the lines of *text*, each with whether it is code. The lines of a block of code are one."""
    found = (block.text.split() for block in blocks if block.label and _CODE.search(block.path or ""))
    codes = deque(filter(None, found))
    lines = text.split("\n")
    parts, start = [], 0
    while start < len(lines):
        stop = _end_of_code(lines, start, codes[0]) if codes else start
        parts.append(("\n".join(lines[start : max(stop, start + 1)]), stop > start))
        if stop > start:
            codes.popleft()
        start = max(stop, start + 1)
    return parts


def _end_of_code(lines: Sequence[str], start: int, words: Sequence[str]) -> int:
    """Return the end of the lines from *start* on that have exactly *words*; *start* if no lines have them."""
    n = 0
    for end, line in enumerate(lines[start : start + _MOST_CODE], start + 1):
        own = line.split()
        if own != words[n : n + len(own)]:
            break
        n += len(own)
        if n == len(words):
            return end
    return start


def _write_row(block: Any) -> str:
    probability = "" if block.probability is None else format_share(block.probability)
    cells = (str(block.index), probability, block.tag, shorten(block.text, _LONGEST_CELL))
    style = f' style="{_CONTENT_STYLE}"' if block.label else ""
    written = "".join(f'<td style="{_CELL_STYLE}">{escape(cell)}</td>' for cell in cells)
    return f"<tr{style}>{written}</tr>"
