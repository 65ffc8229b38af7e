"""Answers the pages that a user gives to ``web2text serve``, in worker processes that bound time and memory."""

from __future__ import annotations

from concurrent.futures import CancelledError
from http import HTTPStatus
from itertools import count
from typing import Any, Final

from scrapy_web2text.exceptions import Web2TextError
from scrapy_web2text.labelers.registry import get_labeler
from scrapy_web2text.options import DEFAULT_MODEL, Options
from scrapy_web2text.view.document import write_trial
from scrapy_web2text.view.seen import read_input, show_page
from scrapy_web2text.view.server import HEADERS, EditorHandler
from scrapy_web2text.workers.processes import WorkerThreads, clock_limit

_MOST_KEPT: Final = 8  # pages whose options can still be changed, with their viewers
MODELS: Final = (DEFAULT_MODEL, "web2text-2018", "shallow:numwords", "bte")
# Bytes, and their encoding if it is known.
_Input = tuple[bytes, str | None]


class Trials:
    """The last pages that were tried. Threads may share them."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self._numbers = count(1)
        self._kept: dict[str, tuple[_Input, str]] = {}
        self.models = {name: [*get_labeler(name).thresholds] for name in dict.fromkeys((options.model, *MODELS))}
        self.workers = WorkerThreads(n_workers=2)

    def find(self, number: str) -> tuple[_Input, str]:
        """Return a page with its encoding, and its viewer."""
        if number not in self._kept:
            raise FileNotFoundError("This page is no longer kept. Show it again.")
        return self._kept[number]

    def answer(self, message: dict[str, Any]) -> dict[str, Any]:
        """Return the answer with ``options`` for the page in *message* (see `read_input`), or for a kept ``page``."""
        options = self._options.replace(**message["options"])
        if options.model not in self.models:
            raise ValueError(f"model: expected one of {', '.join(self.models)}, got {options.model!r}")
        page = self.find(str(message["page"]))[0] if "page" in message else read_input(message)
        run = self.workers.processes.run
        seconds = clock_limit(self._options.timeout)
        answer = self.workers.submit(run, show_page, options, *page, seconds=seconds).result()
        number = next(self._numbers)
        self._kept[str(number)] = page, answer.pop("document")
        self._kept.pop(str(number - _MOST_KEPT), None)
        return {"page": number, **answer}


class TrialHandler(EditorHandler):
    """Answers requests about the `Trials` that are the session of the server."""

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
