"""Answers the pages that a user gives to ``web2text serve``, in worker processes that bound time and memory."""

from __future__ import annotations

from concurrent.futures import CancelledError
from http import HTTPStatus
from typing import Any, Final

from scrapy_web2text.exceptions import Web2TextError
from scrapy_web2text.labelers.registry import get_labeler
from scrapy_web2text.options import DEFAULT_MODEL, OTHER_RULES, Options
from scrapy_web2text.view.document import write_trial
from scrapy_web2text.view.seen import read_input, show_page
from scrapy_web2text.view.server import EditorHandler
from scrapy_web2text.workers.processes import WorkerThreads, clock_limit

MODELS: Final = (DEFAULT_MODEL, "web2text-2018", "shallow:numwords", *OTHER_RULES)


class Trials:
    """Extracts the pages that users try. Threads may share it."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self.models = {name: [*get_labeler(name).thresholds] for name in dict.fromkeys((options.model, *MODELS))}
        self.workers = WorkerThreads(n_workers=2)

    def answer(self, message: dict[str, Any]) -> dict[str, Any]:
        """Return the answer with ``options`` for the page in *message*, see `read_input`."""
        options = self._options.replace(**message["options"])
        if options.model not in self.models:
            raise ValueError(f"model: expected one of {', '.join(self.models)}, got {options.model!r}")
        run, page = self.workers.processes.run, read_input(message)
        seconds = clock_limit(self._options.timeout)
        return self.workers.submit(run, show_page, options, *page, seconds=seconds).result()


class TrialHandler(EditorHandler):
    """Answers requests about the `Trials` that are the session of the server."""

    most_bytes = 25_000_000

    def _get(self, path: str) -> None:
        if path:
            self.send_error(HTTPStatus.NOT_FOUND)
            return
        self._send(HTTPStatus.OK, "text/html; charset=utf-8", write_trial(self.server.session.models).encode())

    def _post(self, path: str) -> None:  # noqa: ARG002
        message = self._read_message()
        try:
            self._send_json(self.server.session.answer(message))
        except (ValueError, Web2TextError, CancelledError) as error:
            self._send_json({"error": str(error)}, HTTPStatus.BAD_REQUEST)
