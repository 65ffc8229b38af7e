"""Numbers and tables as Markdown."""

from __future__ import annotations

import math
from collections.abc import Sequence

from scrapy_web2text.common import display


def format_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table; all columns but the first have numbers."""
    lines = [header, ["---", *["---:"] * (len(header) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def format_estimate(share: float, interval: Sequence[float]) -> str:
    """Return a score and half the width of its interval, in one piece; nothing for NaN."""
    low, high = interval
    return "" if math.isnan(share) else f"{format_share(share)}\N{NO-BREAK SPACE}±{format_share((high - low) / 2)}"


def format_range(shares: Sequence[float]) -> str:
    """Return the least and the largest of several scores, in one piece; nothing for a single one."""
    return f"{format_share(min(shares))}–{format_share(max(shares))}" if len(shares) > 1 else ""


def format_share(share: float, digits: int = 3) -> str:
    """Return a share without the zero before its point; nothing for NaN."""
    return "" if math.isnan(share) else display.format_share(share, f".{digits}f")
