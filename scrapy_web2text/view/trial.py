"""What ``web2text serve`` answers: pages that are pasted or fetched, in worker processes that bound time and memory.

A name is resolved once, and the connection is made to the address that was checked: a name that leads elsewhere a
moment later (DNS rebinding) gains nothing.
"""

from __future__ import annotations

import re
import socket
import ssl
from base64 import b64decode, b64encode
from concurrent.futures import CancelledError
from contextlib import closing
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from ipaddress import ip_address, ip_network
from itertools import count
from typing import Any, Final
from urllib.parse import SplitResult, urljoin, urlsplit

from w3lib.encoding import http_content_type_encoding
from w3lib.url import safe_url_string

from scrapy_web2text.exceptions import Web2TextError
from scrapy_web2text.labelers.registry import get_labeler
from scrapy_web2text.options import DEFAULT_MODEL, Options
from scrapy_web2text.view.document import write_trial
from scrapy_web2text.view.seen import show_page
from scrapy_web2text.view.server import HEADERS, EditorHandler
from scrapy_web2text.workers.processes import WorkerThreads, clock_limit

_MOST_KEPT: Final = 8  # pages, whose options can be changed, with their viewers
MODELS: Final = (DEFAULT_MODEL, "web2text-2018", "shallow:numwords", "bte")
_ADDRESS: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[^\s<]+")
_MOST_REDIRECTS: Final = 5
_SECONDS, _FETCH_SECONDS = 10, 30  # for a connection, and for each part of a response; for all of them
_HEADERS: Final = {"User-Agent": "web2text serve", "Accept": "text/html, */*;q=0.1", "Accept-Encoding": "identity"}
# What `is_global` allows: gateways, IPv6 that holds an address of IPv4, and IPv6 that is not in use.
_SPECIAL: Final = (*map(ip_network, ("192.0.0.0/24", "2002::/16", "::/3", "4000::/2", "8000::/1")),)


class Trials:
    """The last pages that were tried; with *may_fetch*, URLs of public addresses, too. Threads may share it."""

    def __init__(self, options: Options, *, may_fetch: bool = False) -> None:
        self._options, self._may_fetch = options, may_fetch
        self._numbers, self._kept = count(1), dict[str, tuple[tuple[Any, ...], str]]()
        self.models = {name: [*get_labeler(name).thresholds] for name in dict.fromkeys((options.model, *MODELS))}
        self.workers = WorkerThreads(n_workers=2)

    def find(self, number: str) -> tuple[tuple[Any, ...], str]:
        """Return a page, its URL and its encoding; and its viewer."""
        if number not in self._kept:
            raise FileNotFoundError("This page is no longer kept. Show it again.")
        return self._kept[number]

    def answer(self, message: dict[str, Any]) -> dict[str, Any]:
        """Return the answer for the HTML or URL in ``input``, or for a kept ``page``, with other ``options``."""
        options = self._options.replace(**message["options"])
        if options.model not in self.models:
            raise ValueError(f"model: expected one of {', '.join(self.models)}, got {options.model!r}")
        page = self.find(str(message["page"]))[0] if "page" in message else self._read(message["input"].strip())
        answer = self._run(show_page, options, *page, seconds=clock_limit(self._options.timeout))
        number = next(self._numbers)
        self._kept[str(number)] = page, answer.pop("document")
        self._kept.pop(str(number - _MOST_KEPT), None)
        return {"page": number, **answer}

    def _read(self, given: str) -> tuple[Any, ...]:
        if not given:
            raise ValueError("Paste the HTML of a page first.")
        if not _ADDRESS.fullmatch(given):
            return given.encode(errors="replace"), None, "utf-8"
        if not self._may_fetch:
            raise ValueError("To fetch URLs, start web2text serve with --fetch. Or paste the HTML of the page.")
        body, *known = self._run(fetch_public, given, self._options.max_bytes, seconds=_FETCH_SECONDS)
        return b64decode(body), *known

    def _run(self, function: Any, *args: Any, seconds: float | None) -> Any:
        return self.workers.submit(self.workers.processes.run, function, *args, seconds=seconds).result()


class TrialHandler(EditorHandler):
    """Answers the document of `Trials`, which are the session of the server."""

    most_bytes = 25_000_000
    own_headers = HEADERS | {"Content-Security-Policy": "frame-ancestors 'self'", "X-Frame-Options": "SAMEORIGIN"}

    def _get(self, path: str) -> None:
        document = self.server.session.find(path)[1] if path else write_trial(self.server.session.models)
        self._send(HTTPStatus.OK, "text/html; charset=utf-8", document.encode())

    def _post(self, path: str) -> None:  # noqa: ARG002
        message = self._read_message()
        try:
            self._send_json(self.server.session.answer(message))
        except (ValueError, Web2TextError, CancelledError) as error:
            self._send_json({"error": str(error)}, HTTPStatus.BAD_REQUEST)


def fetch_public(url: str, max_bytes: int) -> tuple[str, str, str | None]:
    """Return the bytes of a page in base64, its URL after redirects, and the encoding that its server states.

    The caller bounds the time: a server may send a byte every few seconds.
    """
    for _ in range(_MOST_REDIRECTS + 1):
        parts = urlsplit(safe_url_string(url))
        if parts.scheme not in ("http", "https") or not parts.hostname or "@" in parts.netloc:
            raise ValueError(f"expected an http or https URL without a user name, got {url!r:.200}")
        try:
            with closing(_connect(parts)) as connection:
                connection.request("GET", f"{parts.path or '/'}{parts.query and f'?{parts.query}'}", headers=_HEADERS)
                response = connection.getresponse()
                if response.status == 200:
                    encoding = http_content_type_encoding(response.getheader("Content-Type", ""))
                    return b64encode(response.read(max_bytes + 1)).decode(), parts.geturl(), encoding
        except (OSError, HTTPException) as error:
            raise ValueError(f"{parts.hostname}: {getattr(error, 'strerror', None) or error}") from error
        place = response.getheader("Location")
        if not 300 < response.status < 400 or place is None:
            raise ValueError(f"{parts.hostname}: expected a page, got the status {response.status}")
        url = urljoin(parts.geturl(), place.encode("latin-1").decode("utf-8", "replace"))
    raise ValueError(f"{url}: expected at most {_MOST_REDIRECTS} redirects")


def is_public(address: str) -> bool:
    """Return whether *address* is on the public internet: neither this machine nor another of its network."""
    found = ip_address(address)
    return found.is_global and not found.is_multicast and not any(found in network for network in _SPECIAL)


def _connect(parts: SplitResult) -> HTTPConnection:
    host, is_safe = parts.hostname or "", parts.scheme == "https"
    port = parts.port or (443 if is_safe else 80)
    addresses = [str(found[4][0]) for found in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]
    if private := [address for address in addresses if not is_public(address)]:
        raise ValueError(f"{host}: expected a public address, got {private[0]}")
    connection = HTTPSConnection(host, port) if is_safe else HTTPConnection(host, port)
    connection.sock = socket.create_connection((addresses[0], port), _SECONDS)
    if is_safe:
        connection.sock = ssl.create_default_context().wrap_socket(connection.sock, server_hostname=host)
    return connection
