"""Label editors that are served in this process."""

from __future__ import annotations

import argparse
import http.client
import json
import os
import time
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

from scrapy_web2text.cli import label
from scrapy_web2text.view.server import EditorServer
from scrapy_web2text.view.store import LabelStore

if TYPE_CHECKING:
    from collections.abc import Iterator


_STORY = "The bus leaves the valley at seven, and the driver waits for those who are late, since there is no other one."


def write_site_page(number: int) -> str:
    """Return a page of a site, with a letter that rules take for content, and with the page's URL."""
    paragraphs = "".join(f"<p>{number}, {part}: {_STORY}</p>" for part in "abc")
    return (
        f'<html><head><link rel="canonical" href="https://www.valley.example/{number}"></head><body>'
        f'<div class="story">{paragraphs}</div><div class="promo"><p>Letter {number}: {_STORY}</p></div></body></html>'
    )


def open_session(*arguments: object) -> Any:
    """Return the session that the command would serve with *arguments*."""
    parser = argparse.ArgumentParser()
    label.add_arguments(parser)
    args = parser.parse_args([*map(str, arguments)])
    return label.open_session(args, LabelStore(Path(args.out)))


@contextmanager
def serve(*arguments: object, port: int = 0) -> Iterator[EditorServer]:
    """Serve the session of the command with *arguments*."""
    with run(EditorServer(open_session(*arguments), port)) as server:
        yield server


@contextmanager
def run(server: EditorServer) -> Iterator[EditorServer]:
    """Run a server in a thread, and close it in the end."""
    with server:
        thread = Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


def ask(
    server: Any, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None, *, token: str = ""
) -> tuple[int, dict[str, str], bytes]:
    """Send a request as the editor's own document does, but for what is given."""
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=10)
    own = {"Host": f"127.0.0.1:{server.server_port}", "Origin": f"http://127.0.0.1:{server.server_port}"}
    sent = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
    if sent is not None:
        own |= {"Content-Type": "application/json", "Content-Length": str(len(sent))}
    connection.putrequest(method, f"/{token or server.token}/{path}", skip_host=True, skip_accept_encoding=True)
    for name, value in {**own, **(headers or {})}.items():
        if value:
            connection.putheader(name, value)
    connection.endheaders(sent)
    response = connection.getresponse()
    answer = response.status, {name.lower(): value for name, value in response.getheaders()}, response.read()
    connection.close()
    return answer


def hang(*_page: Any) -> None:
    """Take too long in a worker process."""
    time.sleep(60)


def die(*_page: Any) -> None:
    """Crash a worker process."""
    os._exit(1)
