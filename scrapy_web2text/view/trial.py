"""What ``web2text serve`` answers: pages that are pasted or fetched, in worker processes that bound time and memory."""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Callable, Mapping
from concurrent.futures import CancelledError
from http import HTTPStatus
from itertools import count
from typing import Any, Final

from scrapy_web2text.batch.urls import find_url
from scrapy_web2text.exceptions import Web2TextError, WorkerDied, WorkerTimeout
from scrapy_web2text.labelers.registry import get_labeler
from scrapy_web2text.options import DEFAULT_MODEL, Options
from scrapy_web2text.view.document import write_trial, write_view
from scrapy_web2text.view.public import fetch_public
from scrapy_web2text.view.seen import see_page
from scrapy_web2text.view.server import HEADERS, EditorHandler
from scrapy_web2text.workers.processes import WorkerThreads, clock_limit
from scrapy_web2text.workers.worker import extract_page

_N_WORKERS: Final = 2
_MOST_KEPT: Final = 8  # pages, whose options can be changed, with their viewers
_FETCH_SECONDS: Final = 30  # by the clock, with all redirects
_MODELS: Final = (DEFAULT_MODEL, "web2text-2018", "shallow:numwords", "bte")
_ADDRESS: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[^\s<]+")


class Trials:
    """The last pages that were tried. Threads may share it.

    :param may_fetch: whether URLs of public addresses are fetched.
    """

    def __init__(self, options: Options, *, may_fetch: bool = False) -> None:
        self._options = options
        self._may_fetch = may_fetch
        self._numbers = count(1)
        self._kept: dict[str, tuple[tuple[Any, ...], str]] = {}
        self.models = {name: [*get_labeler(name).presets] for name in dict.fromkeys((options.model, *_MODELS))}
        self.workers = WorkerThreads(_N_WORKERS)

    def find(self, number: str) -> tuple[tuple[Any, ...], str]:
        """Return a page, its URL and its encoding; and its viewer."""
        if number not in self._kept:
            raise FileNotFoundError("This page is no longer kept. Show it again.")
        return self._kept[number]

    def answer(self, message: Mapping[str, Any]) -> dict[str, Any]:
        """Return the answer for a page, and the number of the page.

        :param message: HTML or a URL as ``input``, or the number of a ``page``; and the ``options`` that differ.
        """
        changes = message.get("options")
        if not isinstance(changes, dict) or changes.get("model") not in self.models:
            raise ValueError(f"options: expected a model, one of {', '.join(self.models)}")
        options = self._options.replace(**changes)
        page = self.find(str(message["page"]))[0] if "page" in message else self._read(message.get("input"))
        answer = self._run(show_page, options, *page, seconds=clock_limit(self._options.timeout))
        number = next(self._numbers)
        self._kept[str(number)] = page, answer.pop("document")
        self._kept.pop(str(number - _MOST_KEPT), None)
        return {**answer, "page": number}

    def _read(self, given: object) -> tuple[bytes, str | None, str | None]:
        if not isinstance(given, str) or not given.strip():
            raise ValueError("Paste the HTML of a page first.")
        if not _ADDRESS.fullmatch(given.strip()):
            return given.encode(errors="replace"), None, "utf-8"
        if not self._may_fetch:
            raise ValueError("To fetch URLs, start web2text serve with --fetch. Or paste the HTML of the page.")
        body, *known = self._run(fetch_public, given.strip(), self._options.max_bytes, seconds=_FETCH_SECONDS)
        return b64decode(body), *known

    def _run(self, function: Callable[..., Any], *args: Any, seconds: float | None) -> Any:
        """Return what *function* returns in a worker."""
        try:
            return self.workers.submit(self.workers.processes.run, function, *args, seconds=seconds).result()
        except WorkerTimeout as error:
            raise ValueError(f"The page took longer than {error.seconds:g} s.") from error
        except (WorkerDied, CancelledError) as error:
            raise ValueError("The page took too much memory, or crashed a library.") from error


class TrialHandler(EditorHandler):
    """Answers the document of `Trials`, which are the session of the server."""

    most_bytes = 25_000_000
    own_headers = HEADERS | {"Content-Security-Policy": "frame-ancestors 'self'", "X-Frame-Options": "SAMEORIGIN"}

    def _get(self, path: str) -> None:
        trials: Trials = self.server.session
        document = trials.find(path)[1] if path else write_trial(trials.models)
        self._send(HTTPStatus.OK, "text/html; charset=utf-8", document.encode())

    def _post(self, path: str) -> None:  # noqa: ARG002
        message = self._read_message()
        try:
            self._send_json(self.server.session.answer(message))
        except (ValueError, Web2TextError) as error:
            self._send_json({"error": str(error)}, HTTPStatus.BAD_REQUEST)


def show_page(options: Options, body: bytes, url: str | None, encoding: str | None) -> dict[str, Any]:
    """Return the answer for a page as plain data, why it is a fallback, and its viewer as a document."""
    url = url or find_url(("canonical", "og:url"), None, body, options, encoding=encoding)
    page = see_page(body, url or "page", options, url=url, encoding=encoding)
    answer = extract_page(options.replace(markdown=True), body, url, encoding)
    return {"document": write_view([page]), "reason": page["reason"], "answer": answer.to_dict()}
