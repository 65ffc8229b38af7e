"""The targets for calls of libraries that no page reaches by itself: selectors, URLs, labels, answers and requests."""

from __future__ import annotations

import json
import random
import re
import socket
import time
from contextlib import closing
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from lxml import etree
from places import PAGES

from fuzz.mutators import mutate_bytes, mutate_html
from fuzz.oracles import check_plain_data
from scrapy_web2text.crawl.addresses import read_address
from scrapy_web2text.exceptions import WorkerRefused
from scrapy_web2text.extraction import Extraction
from scrapy_web2text.extractor import Extractor
from scrapy_web2text.labels.files import read_line, write_line
from scrapy_web2text.labels.fit import fit_labels
from scrapy_web2text.options import Options
from scrapy_web2text.page.urls import join_url, web_url
from scrapy_web2text.sources.sites import SiteIndex, name_site
from scrapy_web2text.view.server import EditorHandler
from scrapy_web2text.workers.answers import decode_answer, encode_answer

if TYPE_CHECKING:
    from collections.abc import Callable

# Of CPU time for an input of `longest` bytes, with instrumentation: only growth without bounds takes this long.
MOST_SECONDS = 30
SELECTORS = (
    *("main .story > p:first-child", "p:lang(en), p:not(.a, :is(b, #c))", "h1 ~ p + p", "[class*='a' i]", "a|p", "*"),
    *(
        ":has(> p)",
        "p:nth-child(2n + 1 of .a)",
        "p:contains('a')",
        "p::text",
        "\\70 .\\61",
        "li:nth-last-of-type(-n+3)",
    ),
)
URLS = (
    *(
        "/a?b=c#d",
        "//a.example:80",
        "http://user:a@一.example/é",
        "http://[::1]:9/",
        "http://[",
        "javascript:a",
        "data:,a",
    ),
    *(
        f"http://{'一' * 60}.example/",
        f"http://{'a.' * 200}example/",
        "http://a.example/" + "../%2e%zz" * 9,
        "\ufdfa",
        " ",
    ),
)
REQUESTS = (
    *("GET /a/pages/0 HTTP/1.1\r\nHost: 127.0.0.1:1\r\n\r\n", "GET /\r\n\r\n", "PUT / HTTP/1.0\r\n\r\n", "\r\n"),
    "POST /a/labels/0 HTTP/1.1\r\nHost: 127.0.0.1:1\r\nOrigin: http://127.0.0.1:1\r\nContent-Length: 2\r\n\r\n{}",
    "GET /a HTTP/1.1\r\nHost: b\r\nExpect: 100-continue\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
)  # fmt: skip


def run_selectors(data: bytes) -> None:
    """Check that a selector of a user is refused, or that a page is answered with it in linear time. Input: both."""
    text, _, page = data.partition(b"\n")
    selector = text.decode("utf-8", "replace").lstrip("/.( ")  # XPath may take any time
    try:
        extractor = Extractor(Options(model="shallow:numwords", timeout=None, include=(selector,), exclude=(selector,)))
    except ValueError:
        return
    answer = _limit_time(lambda: extractor.extract(page))
    check_plain_data(answer)
    assert answer.error is None


def run_urls(data: bytes) -> None:
    """Check that what is read from a URL that a page states takes linear time and is safe. Input: its base, and it."""
    base, url = (part.decode("utf-8", "replace") for part in data.partition(b"\n")[::2])
    for read in (read_address, name_site, SiteIndex({"a.example": Options()}).find, lambda url: join_url(None, url)):
        _limit_time(lambda read=read: read(url))
    joined = _limit_time(lambda: join_url(base, url))
    assert joined is None or " " not in joined, f"expected a URL, got {joined!r}"
    found = _limit_time(lambda: web_url(base, url))
    assert found is None or re.fullmatch(r"(?i)https?://[^\s<>\"]+", found), f"expected a URL, got {found!r}"


def run_labels(data: bytes) -> None:
    """Check that a line of a file of labels is refused, or can be written, read again and fitted to a page."""
    try:
        given = read_line(data.decode("utf-8", "surrogatepass"), "a")
    except ValueError:
        return
    again = read_line(write_line(given), "a")  # an empty text is read as none
    assert (again.content, again.hashes, again.paths) == (given.content, given.hashes, given.paths)
    fit = _limit_time(lambda: fit_labels(given, ["a", "b", "a"], ["/a", "", "/b"]))
    assert fit.labels.shape == (3,)


def run_answers(data: bytes) -> None:
    """Check that a message of a worker is refused, or is an answer, plain data or an exception."""
    try:
        result, error, trace = decode_answer(data)
    except WorkerRefused:
        return
    assert isinstance(trace, str)
    assert error is None or isinstance(error, Exception)
    if error is None:
        assert decode_answer(encode_answer(result))[0] == result


def run_requests(data: bytes) -> None:
    """Check that requests without the token get errors only, whatever they are."""
    server = SimpleNamespace(hosts={"127.0.0.1:1"}, token="b" * 32, waiting={}, session=None)
    client, connection = socket.socketpair()
    with closing(client), closing(connection):
        client.sendall(data)
        client.shutdown(socket.SHUT_WR)
        _limit_time(lambda: EditorHandler(connection, ("", 0), server))
        connection.shutdown(socket.SHUT_WR)
        answer = client.recv(1 << 16)
    assert re.fullmatch(rb"((HTTP/1\.1 100 Continue\r\n[^\0]*?\r\n\r\n)?HTTP/1\.1 [45]\d\d [^\0]*)?", answer), answer
    assert not server.waiting


def _limit_time(run: Callable[[], Any]) -> Any:
    start = time.thread_time()
    result = run()
    seconds = time.thread_time() - start
    assert seconds < MOST_SECONDS, f"{seconds:.1f} s of CPU time"
    return result


def selector_seeds() -> list[bytes]:
    page = etree.tostring(etree.HTML(PAGES[0].read_bytes()), encoding="utf-8")[:2_000]
    return [selector.encode() + b"\n" + page for selector in SELECTORS]


def url_seeds() -> list[bytes]:
    return [f"{base}\n{url}".encode() for base in ("", "https://a.example/b/?c", "//b") for url in URLS]


def label_seeds() -> list[bytes]:
    labels = {"corpus": "", "id": "a", "content": [[0, 1]], "hashes": ["a", "b"], "words": [1, 2], "paths": ["/a", ""]}
    return [json.dumps(labels | {"certainty": 0.5, "kind": "content", "url": "a", "published": None}).encode()]


def answer_seeds() -> list[bytes]:
    answers = [(Extraction(text="a", reason="error"), None), ({"a": [1, None, 0.5]}, None), (None, ValueError("a"))]
    return [encode_answer(*answer) for answer in answers]


def request_seeds() -> list[bytes]:
    return [request.encode() for request in REQUESTS]


def mutate_lines(data: bytes, choice: random.Random) -> bytes:
    """Return *data* with changes of its first line or of the rest."""
    first, _, rest = data.partition(b"\n")
    if choice.random() < 0.7:
        return mutate_bytes(first, choice).replace(b"\n", b"") + b"\n" + rest
    return first + b"\n" + mutate_html(rest, choice)
