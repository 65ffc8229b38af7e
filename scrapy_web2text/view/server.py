"""The server of the label editor, for the browser of this machine and no other program.

Other web sites can make a browser send requests to this machine. So each request needs the token in its path, names
this server as its ``Host`` (a site whose name leads to this machine sends another name), and comes from the document of
this server by its ``Origin`` and ``Sec-Fetch-Site``. No header allows other origins. Paths have numbers, never files.
"""

from __future__ import annotations

import json
import logging
import re
import secrets
import threading
import time
from contextlib import suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socket import SHUT_RD, socket
from typing import Any, Final

from msgspec import ValidationError, convert

from scrapy_web2text.exceptions import PageError
from scrapy_web2text.view.document import write_editor
from scrapy_web2text.view.session import ConflictError, LabelsMessage

logger = logging.getLogger(__name__)

_HOST: Final = "127.0.0.1"
_LONGEST_BODY: Final = 4_000_000  # bytes: one for each block, and a note
_SECONDS: Final = 20.0  # for a whole request to arrive, and for each part of an answer to leave
_SECONDS_IF_FULL: Final = 1.0  # for a whole request to arrive while all threads are taken
_MOST_THREADS: Final = 64  # one for each connection, of which a browser opens six
_PAGE: Final = re.compile(r"(pages|labels|rules)/(\d{1,7})", re.ASCII)
_LENGTH: Final = re.compile(r"[0-9]{1,12}")
HEADERS: Final = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


class EditorServer(ThreadingHTTPServer):
    """A server of one session on the loopback interface; port 0 is any free one. *handler* answers its requests."""

    daemon_threads = True

    def __init__(self, session: Any, port: int = 0, handler: type[EditorHandler] | None = None) -> None:
        try:
            super().__init__((_HOST, port), handler or EditorHandler)
        except OSError as error:
            raise OSError(f"--port: cannot listen at {port} ({error.strerror}); 0 takes any free port") from error
        self.session = session
        self.token = secrets.token_urlsafe(24)
        self.hosts = frozenset(f"{name}:{self.server_port}" for name in (_HOST, "localhost"))
        self.waiting: dict[socket, float] = {}  # since when each connection has waited for a request

    @property
    def url(self) -> str:
        """The address of the editor, with the token."""
        return f"http://{_HOST}:{self.server_port}/{self.token}/"

    def verify_request(self, request: Any, client_address: Any) -> bool:  # noqa: ARG002
        """Return whether a connection is accepted: idle connections must not exhaust the threads."""
        return threading.active_count() < _MOST_THREADS

    def service_actions(self) -> None:
        """Stop reading from connections whose request does not arrive: a byte now and then could keep them open."""
        is_full = threading.active_count() >= _MOST_THREADS
        latest = time.monotonic() - (_SECONDS_IF_FULL if is_full else _SECONDS)
        for connection, since in [*self.waiting.items()]:
            if since < latest:
                with suppress(OSError):
                    connection.shutdown(SHUT_RD)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Log an error of a connection, such as a browser that has closed it."""
        logger.debug("Connection %s of %s failed", request, client_address, exc_info=True)


class _Refusal(Exception):
    """A request that is answered with an error."""

    def __init__(self, status: HTTPStatus, message: str = "") -> None:
        super().__init__(message or status.phrase)
        self.status = status


class EditorHandler(BaseHTTPRequestHandler):
    """Answers requests with the document of a label editor; subclasses answer with other documents."""

    server: EditorServer
    most_bytes = _LONGEST_BODY
    protocol_version = "HTTP/1.1"
    default_request_version = "HTTP/1.0"  # a request that cannot be read gets headers, too
    timeout = _SECONDS

    def handle_one_request(self) -> None:
        """Answer a request. If it does not arrive in time, `service_actions` closes the connection."""
        self.server.waiting[self.connection] = time.monotonic()
        try:
            super().handle_one_request()
        finally:
            del self.server.waiting[self.connection]

    def do_GET(self) -> None:
        """Answer with the document, a page, or the rule of its site."""
        self._handle(self._get)

    def do_POST(self) -> None:
        """Save the labels of a page."""
        self._handle(self._post)

    def _get(self, path: str) -> None:
        if not path:
            document = write_editor(self.server.session.list_pages(), self.server.session.describe())
            self._send(HTTPStatus.OK, "text/html; charset=utf-8", document.encode())
            return
        what, number = self._find_number(path, "pages", "rules")
        session = self.server.session
        self._send_json(session.read(number) if what == "pages" else session.read_rule(number))

    def _post(self, path: str) -> None:
        _, number = self._find_number(path, "labels")
        message = self._read_message()
        try:
            answer = self.server.session.save(number, convert(message, LabelsMessage))
        except ConflictError as error:
            raise _Refusal(HTTPStatus.CONFLICT, str(error)) from error
        except (ValueError, ValidationError) as error:
            raise _Refusal(HTTPStatus.BAD_REQUEST, str(error)) from error
        self._send_json(answer)

    def _handle(self, answer: Any) -> None:
        try:
            answer(self._check())
        except (ConnectionError, TimeoutError):
            raise
        except Exception as error:  # the boundary between one page and bugs of this package
            is_known = isinstance(error, _Refusal | OSError | PageError)
            if not is_known:
                logger.exception("Cannot answer a request")
            self.close_connection = True  # its body may not have been read
            status = getattr(error, "status", HTTPStatus.INTERNAL_SERVER_ERROR)
            self._send_json({"error": str(error) if is_known else repr(error)}, status)

    def _check(self) -> str:
        """Return the path after the token; refuse a request that is not from the document of this server."""
        hosts = self.headers.get_all("Host", [])
        if len(hosts) != 1 or hosts[0].lower() not in self.server.hosts:
            raise _Refusal(HTTPStatus.MISDIRECTED_REQUEST)
        origin = self.headers.get_all("Origin", [])
        if origin not in ([], [f"http://{hosts[0].lower()}"]):
            raise _Refusal(HTTPStatus.FORBIDDEN)
        if self.headers.get("Sec-Fetch-Site", "none") not in ("none", "same-origin"):
            raise _Refusal(HTTPStatus.FORBIDDEN)
        _, _, rest = self.path.partition("/")
        token, slash, path = rest.partition("/")
        is_token = secrets.compare_digest(token.encode("utf-8", "replace"), self.server.token.encode())
        if not is_token or not slash:
            raise _Refusal(HTTPStatus.NOT_FOUND)
        return path

    def _find_number(self, path: str, *allowed: str) -> tuple[str, int]:
        match = _PAGE.fullmatch(path)
        if match is None or match[1] not in allowed or int(match[2]) >= len(self.server.session):
            raise _Refusal(HTTPStatus.NOT_FOUND)
        return match[1], int(match[2])

    def _read_message(self) -> dict[str, Any]:
        if self.headers.get("Origin") is None:
            raise _Refusal(HTTPStatus.FORBIDDEN)
        if self.headers.get_content_type() != "application/json":
            raise _Refusal(HTTPStatus.UNSUPPORTED_MEDIA_TYPE)
        lengths = self.headers.get_all("Content-Length", [])
        if "Transfer-Encoding" in self.headers or len(lengths) != 1 or not _LENGTH.fullmatch(lengths[0]):
            raise _Refusal(HTTPStatus.LENGTH_REQUIRED)
        if int(lengths[0]) > self.most_bytes:
            raise _Refusal(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
        try:
            message = json.loads(self.rfile.read(int(lengths[0])))
        except (ValueError, RecursionError):
            raise _Refusal(HTTPStatus.BAD_REQUEST, "expected JSON") from None
        if not isinstance(message, dict):
            raise _Refusal(HTTPStatus.BAD_REQUEST, "expected an object")
        return message

    def _send_json(self, value: object, status: HTTPStatus = HTTPStatus.OK) -> None:
        self._send(status, "application/json", json.dumps(value, allow_nan=False).encode())

    def _send(self, status: HTTPStatus, content_type: str, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)

    def end_headers(self) -> None:
        """End the headers. This also applies to errors that the base class answers."""
        for name, value in HEADERS.items():
            self.send_header(name, value)
        super().end_headers()

    def version_string(self) -> str:
        """Return the name of the server."""
        return "web2text"

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  the name in http.server
        """Log a request without its line, whose path has the token."""
        logger.debug("Request: %s", args[1] if len(args) > 1 else format)
