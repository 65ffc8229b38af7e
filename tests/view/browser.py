"""Debian's chromium, or another one, for the tests of the viewer."""

from __future__ import annotations

import shutil
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


@contextmanager
def open_browser() -> Iterator[Any]:
    """Start chromium; skip the tests where there is none."""
    if CHROMIUM is None:
        pytest.skip("chromium is not installed")
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


class Viewer:
    """A viewer in a tab of the browser, and everything that it reports or asks the network for."""

    def __init__(self, browser: Any, page: Path | str, **options: Any) -> None:
        self.tab = browser.new_page(**options)
        self.reports: list[str] = []
        self.requests: list[str] = []
        self.tab.on("console", lambda message: self.reports.append(message.text))
        self.tab.on("pageerror", lambda error: self.reports.append(str(error)))
        self.tab.on("dialog", lambda dialog: self.reports.append(f"dialog {dialog.message}"))
        self.tab.on("request", lambda request: self.requests.append(request.url))
        # What the content security policy refuses never leaves the browser.
        self.tab.on("requestfailed", self._forget_refused)
        self.tab.goto(page if isinstance(page, str) else page.as_uri())
        self.wait()

    def _forget_refused(self, request: Any) -> None:
        if request.failure == "csp":
            self.requests.remove(request.url)

    def wait(self, number: int = 0) -> None:
        """Wait until a page is shown."""
        self.tab.wait_for_selector(f'body[data-ready="{number}"]')

    def press(self, *keys: str) -> None:
        """Press keys one after another."""
        for key in keys:
            self.tab.keyboard.press(key)

    @property
    def labels(self) -> list[int]:
        """The label of each block, as the page in the frame shows it."""
        script = """() => {
            const found = {};
            for (const span of document.getElementById("frame").contentDocument.querySelectorAll("[data-b]"))
                found[span.dataset.b] = Number(span.dataset.l);
            return Object.values(found);
        }"""
        labels: list[int] = self.tab.evaluate(script)
        return labels

    @property
    def text(self) -> str:
        """The text beside the page, without what is hidden."""
        script = """() => [...document.getElementById("lines").childNodes]
            .filter((part) => !part.hidden).map((part) => part.textContent).join("")"""
        text: str = self.tab.evaluate(script)
        return text

    def read(self, name: str) -> str:
        """Return the text of an element by its id."""
        text: str = self.tab.inner_text(f"#{name}")
        return text
