"""Measure the calls of other libraries whose input a page chooses: the longest input, its time, and how that grows.

    python -m benchmarks.called_libraries

The inputs are the worst known of each call. Each is measured at its longest and at a quarter of that.
"""

from __future__ import annotations

import json
import math
import time
import unicodedata
from collections.abc import Callable
from typing import NamedTuple

import py3langid
from cssselect import parse
from htmldate import find_date
from lxml import etree, html

from benchmarks.formats import format_table
from scrapy_web2text.common.selectors import compile_selector
from scrapy_web2text.crawl.addresses import read_address
from scrapy_web2text.page.invisible import replace_references
from scrapy_web2text.page.parse import to_tree
from scrapy_web2text.page.urls import join_url

LABEL = "\u4e00" * 63


class Call(NamedTuple):
    """A call.

    :param name: the functions, and the worst input.
    :param longest: the largest size of the input, and what it counts.
    :param make: returns the input of a size.
    """

    name: str
    longest: int
    unit: str
    make: Callable[[int], object]
    run: Callable[[object], object]


def swallow(run: Callable[..., object]) -> Callable[[object], object]:
    """Return *run* for input that it may refuse."""

    def call(value: object) -> object:
        try:
            return run(value)
        except (ValueError, RecursionError, SyntaxError):
            return None

    return call


def dated(n: int) -> etree._Element:
    times = "".join(f"<p>on {i % 28 + 1}.{i % 12 + 1}.20{i % 90 + 10}" for i in range(n - 4))
    return html.document_fromstring(f"<html><body>{times}</body></html>")


CALLS = (
    Call(
        "`urljoin`, `safe_url_string` (w3lib): ligatures in a path",
        100_000,
        "characters",
        lambda n: "/" + "\ufdfa" * (n - 1),
        lambda url: join_url("http://a.example/", str(url)),
    ),
    Call(
        "the same: labels of Chinese characters in a host",
        253,
        "characters",
        lambda n: "http://" + ".".join([LABEL] * max(n // 64, 1)) + "/",
        lambda url: join_url(None, str(url)),
    ),
    Call(
        "`canonicalize_url` (w3lib): parameters of a query",
        100_000,
        "characters",
        lambda n: "http://a.example/?" + "&".join(f"a{i}" for i in range(n // 6)),
        lambda url: read_address(str(url)),
    ),
    Call(
        "`json.loads`: nested lists and numbers",
        5_000_000,
        "characters",
        lambda n: "[" * 900 + "1," * (n // 2) + "1" + "]" * 900,
        swallow(lambda text: json.loads(text, strict=False)),
    ),
    Call("`json.loads`: digits", 5_000_000, "characters", lambda n: "1" * n, swallow(json.loads)),
    Call(
        "`html.unescape`: long references",
        5_000_000,
        "characters",
        lambda n: "&#x" + "1" * n,
        lambda text: replace_references(str(text)),
    ),
    Call(
        "`html.unescape`: names",
        5_000_000,
        "characters",
        lambda n: "&notit;" * (n // 7),
        lambda text: replace_references(str(text)),
    ),
    Call(
        "`unicodedata.normalize`: ligatures",
        10_000,
        "characters",
        lambda n: "\ufdfa" * n,
        lambda text: unicodedata.normalize("NFKC", str(text)),
    ),
    Call(
        "`py3langid.rank`",
        2_000,
        "characters",
        lambda n: "abc \u4e00" * (n // 5),
        lambda text: py3langid.rank(str(text)),
    ),
    Call(
        "`find_date` (htmldate): a date in each element",
        6_000,
        "elements",
        dated,
        lambda page: find_date(page, extensive_search=False, original_date=True),
    ),
    Call(
        "`parse` (cssselect): classes in a style sheet",
        200,
        "characters",
        lambda n: ".a" * (n // 2),
        swallow(lambda text: parse(str(text))),
    ),
    Call(
        "`parse` (cssselect): nested negations",
        200,
        "characters",
        lambda n: ":not(" * (n // 6) + "a" + ")" * (n // 6),
        swallow(lambda text: parse(str(text))),
    ),
    Call(
        "`XPath` (lxml): a selector of a user on nested elements",
        1_000_000,
        "characters of the page",
        lambda n: to_tree("<div class=a>" * 1_500 + "<p>One two three" * (n // 16)),
        compile_selector("div.a > p:first-child")[0][-1].find,
    ),
)


def seconds(call: Call, size: int) -> float:
    """Return the least CPU time of three calls."""
    times = []
    for _ in range(3):
        value = call.make(size)
        start = time.process_time()
        call.run(value)
        times.append(time.process_time() - start)
    return min(times)


def main() -> None:
    rows = []
    for call in CALLS:
        seconds(call, max(call.longest // 16, 1))  # the first call loads what the library needs
        short, long = seconds(call, call.longest // 4), seconds(call, call.longest)
        exponent = math.log(long / short, 4) if min(short, long) > 1e-4 else math.nan
        growth = "" if math.isnan(exponent) else f"{exponent:.2f}"
        rows.append([call.name, f"{call.longest:,} {call.unit}", f"{long * 1e3:.3g}", growth])
    print(format_table(["call, and its worst input", "longest", "ms", "exponent"], rows))


if __name__ == "__main__":
    main()
