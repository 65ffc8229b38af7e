"""Serves the small site of the project on this machine: ``python -m example_project.server [PORT]``."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from socketserver import TCPServer
from threading import Thread
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["DEFAULT_URL", "SITE", "serve_site"]

SITE = Path(__file__).resolve().parent.parent / "site"
_HOST = "127.0.0.1"
_PORT = 8000
DEFAULT_URL = f"http://{_HOST}:{_PORT}/"


class _SiteHandler(SimpleHTTPRequestHandler):
    """Serves the folder of the site without a log. HTML pages declare their own encodings."""

    # Explicit, since the types that Python guesses depend on the machine (on Windows, on the registry).
    extensions_map = {  # noqa: RUF012  as in the base class
        "": "application/octet-stream",
        ".css": "text/css; charset=utf-8",
        ".htm": "text/html",
        ".html": "text/html",
        ".json": "application/json",
        ".svg": "image/svg+xml",
        ".txt": "text/plain; charset=utf-8",
    }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, directory=str(SITE), **kwargs)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  the name in the base class
        """Log nothing."""


class _SiteServer(ThreadingHTTPServer):
    def server_bind(self) -> None:
        """Bind, but skip the lookup of the full host name in HTTPServer, which can take seconds."""
        TCPServer.server_bind(self)
        self.server_name, self.server_port = _HOST, self.server_address[1]


@contextmanager
def serve_site(port: int = 0) -> Iterator[str]:
    """Serve the site in a thread and yield its URL.

    :param port: 0 for a free port.
    :raises OSError: if the port is in use.
    """
    with _SiteServer((_HOST, port), _SiteHandler) as server:
        thread = Thread(target=server.serve_forever, name="example-site", daemon=True)
        thread.start()
        try:
            yield f"http://{_HOST}:{server.server_port}/"
        finally:
            server.shutdown()
            thread.join()


def main() -> None:
    """Serve until Ctrl-C."""
    port = int(sys.argv[1]) if len(sys.argv) > 1 else _PORT
    with _SiteServer((_HOST, port), _SiteHandler) as server:
        print(f"Serving {SITE} at http://{_HOST}:{port}/ (Ctrl-C to stop)")
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            print()


if __name__ == "__main__":
    main()
