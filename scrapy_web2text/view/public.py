"""Fetches a page from a public address, for ``web2text serve --fetch``.

A name is resolved once, and the connection is made to the address that was checked: a name that leads elsewhere a
moment later (DNS rebinding) gains nothing. No cookies, credentials or proxies are used, and nothing is decompressed.
"""

from __future__ import annotations

import socket
import ssl
from base64 import b64encode
from contextlib import closing
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from ipaddress import ip_address, ip_network
from typing import Final
from urllib.parse import SplitResult, urljoin, urlsplit

from w3lib.encoding import http_content_type_encoding
from w3lib.url import safe_url_string

_SECONDS: Final = 10  # for a connection, and for each part of a response
_MOST_REDIRECTS: Final = 5
_HEADERS: Final = {"User-Agent": "web2text serve", "Accept": "text/html, */*;q=0.1", "Accept-Encoding": "identity"}
# What `is_global` allows: gateways, IPv6 that holds an address of IPv4, and IPv6 that is not in use.
_SPECIAL: Final = (*map(ip_network, ("192.0.0.0/24", "2002::/16", "::/3", "4000::/2", "8000::/1")),)


def fetch_public(url: str, max_bytes: int) -> tuple[str, str, str | None]:
    """Return the bytes of a page in base64, its URL after redirects, and the encoding that its server states.

    The caller bounds the time: a server may send a byte every few seconds.

    :raises ValueError: if the URL, or one that it redirects to, is not public, or there is no page.
    """
    for _ in range(_MOST_REDIRECTS + 1):
        parts = urlsplit(safe_url_string(url))
        if parts.scheme not in ("http", "https") or not parts.hostname or "@" in parts.netloc:
            raise ValueError(f"expected an http or https URL without a user name, got {url!r:.200}")
        try:
            with closing(_connect(parts)) as connection:
                connection.request("GET", f"{parts.path or '/'}{parts.query and f'?{parts.query}'}", headers=_HEADERS)
                response = connection.getresponse()
                place = response.getheader("Location") if 300 < response.status < 400 else None
                if place is None and response.status != 200:
                    raise ValueError(f"{parts.hostname}: expected a page, got the status {response.status}")
                body = b"" if place else response.read(max_bytes + 1)
        except (OSError, HTTPException) as error:
            raise ValueError(f"{parts.hostname}: {getattr(error, 'strerror', None) or error}") from error
        if place is None:
            encoding = http_content_type_encoding(response.getheader("Content-Type", ""))
            return b64encode(body).decode(), parts.geturl(), encoding
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
    for address in addresses:
        if not is_public(address):
            raise ValueError(f"{host}: expected a public address, got {address}")
    connection = HTTPSConnection(host, port) if is_safe else HTTPConnection(host, port)
    connection.sock = socket.create_connection((addresses[0], port), _SECONDS)
    if is_safe:
        connection.sock = ssl.create_default_context().wrap_socket(connection.sock, server_hostname=host)
    return connection
