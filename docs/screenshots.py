"""Takes the screenshots of the viewer, with chromium: ``make screenshots``."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import sync_playwright

from scrapy_web2text import Options
from scrapy_web2text.cli.seen import see_page
from scrapy_web2text.view.document import write_view

DOCS = Path(__file__).parent
PAGES = DOCS.parent / "tests" / "pages"
SHOTS = {
    "viewer-light.png": ("light", ["blog-many-comments.html"], ["j"] * 9),
    "viewer-dark.png": (
        "dark",
        ["faq.html", "blog-many-comments.html", "product-tent.html", "cookie-wall.html"],
        ["j"] * 17,
    ),
}


def main() -> None:
    """Write the screenshots next to this file."""
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        sys.exit("screenshots: chromium is not installed")
    with sync_playwright() as playwright, TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for name, (scheme, pages, keys) in SHOTS.items():
            path = Path(folder, "view.html")
            seen = [see_page((PAGES / page).read_bytes(), page, Options()) for page in pages]
            path.write_text(write_view(seen), encoding="utf-8")
            tab = browser.new_page(viewport={"width": 1280, "height": 760}, color_scheme=scheme)
            tab.goto(path.as_uri())
            tab.wait_for_selector("body[data-ready]")
            for key in keys:
                tab.keyboard.press(key)
            tab.screenshot(path=DOCS / name)
            tab.close()
        browser.close()


if __name__ == "__main__":
    main()
