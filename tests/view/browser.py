"""Debian's chromium, or another one, for the tests of the viewer."""

from __future__ import annotations

import shutil
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest
from xss import VECTORS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)

# Tests wait for states. This long only ends a test that would never end: a busy machine takes a minute for a long page.
_MOST_MILLISECONDS = 600_000

_HOSTILE = """<html><head><title>{0}</title><meta http-equiv="refresh" content="0;url=https://evil.example/">
<base href="https://evil.example/"><link rel=stylesheet href=x.css><style>* {{ display: none }}</style></head>
<body onload="parent.document.title = 'taken'"><script>parent.document.title = "taken"; alert(1)</script>
<p>&lt;/script>&lt;script>alert(1)&lt;/script> \u2028 </script><!-- --> -->
<iframe srcdoc="<script>alert(1)</script>"></iframe><iframe src="https://evil.example/"></iframe>
<form action="https://evil.example/"><input autofocus onfocus=alert(1)><button>send this form now</button></form>
<img src="https://evil.example/i.png" onerror=alert(1) alt="</script>an image">
{1}</body></html>"""


def hostile_page() -> str:
    """Return a page that tries to run scripts, to send requests and to leave its frame."""
    vectors = "".join(f"<div>{vector} and more text of the page</div>" for vector in VECTORS)
    return _HOSTILE.format("&lt;/script>&lt;script>document.title = 'taken'&lt;/script>", vectors)


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
        self.tab.set_default_timeout(_MOST_MILLISECONDS)
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
        script = """() => [...document.querySelectorAll("#lines span")]
            .filter((part) => !part.hidden).map((part) => part.textContent).join("")"""
        text: str = self.tab.evaluate(script)
        return text

    def read(self, name: str) -> str:
        """Return the text of an element by its id, also where it is folded."""
        place = self.tab.locator(f"#{name}")
        text: str = place.inner_text() if place.is_visible() else place.text_content()
        return text


def contrast(first: Sequence[float], second: Sequence[float]) -> float:
    """Return the contrast of two colors by WCAG 2.2, section 1.4.3."""
    light, dark = sorted((luminance(first), luminance(second)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def luminance(color: Sequence[float]) -> float:
    linear = [value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in color]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


# Returns the colors of each text and of what is under it, as shares of red, green and blue.
COLORS = """(root) => {
    const canvas = new OffscreenCanvas(1, 1).getContext("2d", {willReadFrequently: true});
    const read = (color) => {
        canvas.clearRect(0, 0, 1, 1);
        canvas.fillStyle = color;
        canvas.fillRect(0, 0, 1, 1);
        return [...canvas.getImageData(0, 0, 1, 1).data].map((value) => value / 255);
    };
    const under = (element) => {
        for (let node = element; node; node = node.parentElement) {
            const style = getComputedStyle(node);
            const color = read(style.getPropertyValue("--fill") || style.backgroundColor); // of a label as it looks
            if (color[3] === 1) return color;
        }
        return [1, 1, 1];
    };
    const hasText = (element) => [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    return [...root.querySelectorAll("body *")].filter((element) => hasText(element) && element.checkVisibility())
        .map((element) => [element.textContent.trim().slice(0, 40), read(getComputedStyle(element).color),
            under(element)]);
}"""


def find_low_contrasts(tab: Any) -> list[tuple[str, float]]:
    """Return the texts of a document, and of the page in it, whose contrast is lower than WCAG AA asks for."""
    documents = "[document, document.getElementById('frame')?.contentDocument].filter(Boolean)"
    texts = [text for found in tab.evaluate(f"() => {documents}.map({COLORS})") for text in found]
    assert len(texts) > 15
    low = [(text, contrast(ink[:3], back[:3])) for text, ink, back in texts]
    return [found for found in low if found[1] < 4.5]
