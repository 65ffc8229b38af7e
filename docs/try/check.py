"""Open the built page in a browser and extract a page there: ``python docs/try/check.py docs/_build/html``.

Prints the answer with its time and the size of what was loaded, and writes both into the page. If there is no answer,
prints why, and the exit status is 1.
"""

import shutil
import sys
import threading
import time
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from builder import write_site

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
PAGE = Path(__file__).parents[2] / "tests" / "pages" / "faq.html"
MILLISECONDS = 300_000


class Handler(SimpleHTTPRequestHandler):
    """Serves files without a line for each request."""

    def log_message(self, *args: object) -> None:
        """Print nothing."""


class Server(ThreadingHTTPServer):
    """Says nothing of connections that a browser closes."""

    def handle_error(self, request: object, client_address: object) -> None:
        """Print nothing."""


@contextmanager
def serve(folder, handler=Handler):
    """Serve *folder* to this machine; the value is its URL."""
    with Server(("127.0.0.1", 0), partial(handler, directory=str(folder))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


def try_page(tab, html):
    """Give *html* to the page in *tab*. Return what it then says, and whether that is a problem."""
    tab.set_default_timeout(MILLISECONDS)
    if tab.is_visible("#again"):
        tab.click("#again")
    tab.fill("#input", html)
    tab.click("#show")
    tab.wait_for_selector("#answer[aria-busy=false]", state="attached")
    is_problem = tab.is_visible("#error")
    if not is_problem:
        tab.frame_locator("#frame").locator("body[data-ready]").wait_for()
    return tab.inner_text("#error" if is_problem else "#status"), is_problem


def main() -> str | int:
    """Try a page, and return what :func:`sys.exit` takes."""
    from playwright.sync_api import sync_playwright

    n_bytes: dict[str, int] = {}
    html = PAGE.read_text("utf-8")
    with serve(sys.argv[1]) as url, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM)
        tab = browser.new_page()
        tab.on("requestfinished", lambda found: n_bytes.setdefault(found.url, found.sizes()["responseBodySize"]))
        tab.goto(f"{url}try/")
        times = [time.monotonic()]
        for _ in range(2):
            said, is_problem = try_page(tab, html)
            times.append(time.monotonic())
        browser.close()
    if is_problem:
        return said
    first, second = times[1] - times[0], times[2] - times[1]
    sizes = [f"{size:12,} bytes  {name}" for name, size in sorted(n_bytes.items(), key=lambda item: -item[1])]
    measured = f" ({sum(n_bytes.values()) / 1e6:.0f} MB, {first:.0f} s to the first answer when this was published)"
    print(said, *sizes, measured, f"{second:.1f} s to the second answer", sep="\n")  # noqa: T201
    write_site(Path(sys.argv[1]) / "try", measured=measured)
    return 0


if __name__ == "__main__":
    sys.exit(main())
