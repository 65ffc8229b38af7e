"""Takes the screenshots of the viewer, the label editor and the comparison, with chromium: ``make screenshots``."""

from __future__ import annotations

import argparse
import shutil
import sys
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout
from importlib.util import find_spec
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Any

from scrapy_web2text.cli import label
from scrapy_web2text.cli.main import main as web2text
from scrapy_web2text.view.server import EditorServer
from scrapy_web2text.view.store import LabelStore

DOCS = Path(__file__).parent
PAGES = DOCS.parent / "tests" / "pages"
LIST = ("faq.html", "blog-many-comments.html", "product-tent.html", "cookie-wall.html")
SIZE = {"width": 960, "height": 520}
EDITOR_SIZE = {"width": 1080, "height": 600}
# The handwritten pages have hardly any style of their own.
STYLE = """
body { margin: 0; font: 16px/1.5 Georgia, serif; color: #222; background: #f6f2ea } a { color: #036 }
.gz-top, .gz-nav { display: flex; gap: 2em; padding: 12px 32px; background: #036; color: #fff }
.gz-top a, .gz-nav a { color: #fff; text-decoration: none } .gz-top a:first-child { font-size: 26px; flex: 1 }
.gz-nav { background: #0a4a80 } .gz-page { display: flex; gap: 40px; padding: 24px 32px } .gz-left { flex: 1 }
h1 { font-size: 34px; line-height: 1.15; margin: 0 } .gz-by { color: #666; margin: 8px 0 }
.gz-right, .gz-related { background: #fff; border-top: 4px solid #036; padding: 8px 20px; width: 280px }
.gz-related { float: right; margin: 0 0 1em 1.5em } .gz-ad { background: #fe9; padding: 16px; margin: 16px 0 }
button { background: #036; color: #fff; border: 0; padding: 6px 14px; margin-right: 8px }
"""
MOST_BYTES = 110_000  # of an image
# Returns an image as WebP, which takes half the space of PNG; both in base64.
TO_WEBP = """async (png) => {
  const image = new Image();
  image.src = `data:image/png;base64,${png}`;
  await image.decode();
  const canvas = Object.assign(document.createElement("canvas"), {width: image.width, height: image.height});
  canvas.getContext("2d").drawImage(image, 0, 0);
  return canvas.toDataURL("image/webp", 0.82).split(",")[1];
}"""
# Gray edges of letters take less space than colored ones.
ARGUMENTS = ("--no-sandbox", "--disable-lcd-text")


def main() -> None:
    """Write the screenshots next to this file, or say why not."""
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None or find_spec("playwright") is None:
        sys.stdout.write(f"screenshots: skipped, since {'playwright' if chromium else 'chromium'} is not installed\n")
        return
    from playwright.sync_api import sync_playwright  # not everywhere

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=[*ARGUMENTS])
        for name, opened, keys in (
            ("viewer", view("news-related-inside.html"), "j"),
            ("viewer-look", view("news-related-inside.html", style=STYLE), "lj"),
            ("editor", edit(*LIST), "njee+"),
            ("diff", compare("product-tent.html", "recipe-list-spans.html", "list-page.html"), "jjj"),
        ):
            with opened as url:
                for scheme in ("light", "dark"):
                    take(browser, DOCS / f"{name}-{scheme}.webp", scheme, url, keys)
        browser.close()


def take(browser: Any, path: Path, scheme: str, url: str, keys: str) -> None:
    """Write the screenshot of a document after some keys."""
    size = EDITOR_SIZE if path.stem.startswith("editor") else SIZE
    tab = browser.new_page(viewport=size, color_scheme=scheme, reduced_motion="reduce")
    tab.goto(url)
    tab.wait_for_selector("body[data-ready]")
    for key in keys:
        tab.keyboard.press(key)
        if key == "n":
            tab.wait_for_selector('body[data-ready="1"]')
    if path.stem in ("viewer-light", "viewer-dark"):
        tab.evaluate("openAtStart()")  # to choose a block has scrolled, and cut the heading
    if tab.locator("#saved").count():
        tab.wait_for_function("() => document.getElementById('saved').textContent.startsWith('draft saved')")
    image = b64encode(tab.screenshot()).decode()
    tab.goto("about:blank")
    path.write_bytes(b64decode(tab.evaluate(TO_WEBP, image)))
    tab.close()
    n_bytes = path.stat().st_size
    sys.stdout.write(f"{path.name}: {n_bytes:,} bytes{' (too large)' if n_bytes > MOST_BYTES else ''}\n")


@contextmanager
def copied(*names: str) -> Iterator[Path]:
    """Give a folder with copies of handwritten pages."""
    with TemporaryDirectory() as folder:
        for name in names:
            shutil.copy(PAGES / name, folder)
        yield Path(folder)


@contextmanager
def written(names: tuple[str, ...], command: Callable[[Path, Path], list[str]]) -> Iterator[str]:
    """Give the URL of the document that a command writes for some pages."""
    with copied(*names) as pages, TemporaryDirectory() as folder:
        out = Path(folder, "out.html")
        with chdir(folder), redirect_stdout(StringIO()), redirect_stderr(StringIO()):
            web2text(command(pages, out))
        yield out.as_uri()


def view(*names: str, style: str = "") -> Any:
    """Return a context with the URL of the viewer of some pages, with more *style* in each."""

    def command(pages: Path, out: Path) -> list[str]:
        for page in pages.iterdir():
            html = page.read_text(encoding="utf-8")
            page.write_text(html.replace("</style>", f"{style}</style>", 1), encoding="utf-8")
        return ["view", str(pages), "--out", str(out)]

    return written(names, command)


def compare(*names: str) -> Any:
    """Return a context with the URL of the comparison of two models on some pages."""

    def command(pages: Path, out: Path) -> list[str]:
        feeds = [f"{model}.jsonl" for model in ("bte", "web2text-2026")]
        for feed in feeds:
            web2text(["batch", str(pages), "--model", Path(feed).stem, "--blocks", "all", "--out", feed])
        return ["diff", *feeds, "--out", str(out)]

    return written(names, command)


@contextmanager
def edit(*names: str) -> Iterator[str]:
    """Give the URL of a label editor of some pages."""
    with copied(*names) as pages:
        parser = argparse.ArgumentParser()
        label.add_arguments(parser)
        args = parser.parse_args([str(pages), "--out", str(pages / "labels.jsonl"), "--reader", "anna"])
        session = label.open_session(args, LabelStore(Path(args.out)))
        with EditorServer(session) as server:
            thread = Thread(target=server.serve_forever, args=(0.01,))
            thread.start()
            try:
                yield server.url
            finally:
                server.shutdown()
                thread.join()


if __name__ == "__main__":
    main()
