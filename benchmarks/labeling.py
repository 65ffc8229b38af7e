"""Count the keys and clicks that a page takes in the label editor, with a scripted reader in chromium.

    python benchmarks/labeling.py --data DIR [--site CORPUS:DOMAIN …] [--pages 8] [--enough 0.98] [--show]

The reader knows what is wanted of a site, or else the published text of each page. He always does what brings the most
words per key or click, and presses Enter once the word F1 is high enough. Two ways are counted: the former, by flips
and by drags that end on the screen on which they began; and the present one, with elements, drags that scroll, and the
labels that the rule of the site suggests. A drag is one click, and scrolling is free.
"""

from __future__ import annotations

import argparse
import gzip
import shutil
import sys
from contextlib import contextmanager
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory
from threading import Thread
from typing import TYPE_CHECKING, Any

from benchmarks.formats import format_table
from scrapy_web2text.alignment.tokens import cover_leaves, label_blocks
from scrapy_web2text.cli import label
from scrapy_web2text.evaluation.corpora import CorpusPage, open_corpus
from scrapy_web2text.labelers.registry import get_labeler
from scrapy_web2text.labels.pages import read_blocks
from scrapy_web2text.labels.site_rule import SiteRule, read_labeled_leaves
from scrapy_web2text.sources.sites import name_site
from scrapy_web2text.view.server import EditorServer
from scrapy_web2text.view.store import LabelStore

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

SITES = (
    "wcxb:store.steampowered.com",
    "wcxb:developer.mozilla.org",
    "more/forum_archives:forum.ragezone.com",
    "wcxb:ebay.com",
)
# What a reader wants of sites whose published texts differ from page to page. Pages without it are left out.
WANTED = {
    "store.steampowered.com": (".game_area_description",),
    "ebay.com": (".x-item-title", ".ux-layout-section-module"),
    "developer.mozilla.org": ("main",),
}
MOST_STEPS = 300  # of one page
SIZE = {"width": 1440, "height": 900}

# Returns the next actions on the way to the labels that are wanted: a list of [action, block, …].
PLAN = (Path(__file__).parent / "labeling.js").read_text(encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--site", action="append", help=f"default: {', '.join(SITES)}")
    parser.add_argument("--pages", type=int, default=8)
    parser.add_argument("--enough", type=float, default=0.98, help="word F1 at which a page is done (%(default)s)")
    parser.add_argument("--show", action="store_true", help="print the actions of each page")
    args = parser.parse_args()
    from playwright.sync_api import sync_playwright

    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    rows = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for site in args.site or SITES:
            pages = find_pages(args.data, *site.split(":"))[: args.pages]
            counts = [count(browser, pages, args, is_new=is_new) for is_new in (False, True)]
            first, rest = counts[1][:2], counts[1][2:]
            means = [fmean(each) for each in (*counts, first, rest)]
            rows.append([site, str(len(pages)), *(f"{mean:.1f}" for mean in means)])
        browser.close()
    sys.stdout.write(f"{format_table(['site', 'pages', 'before', 'now', 'first two', 'the others'], rows)}\n")


def find_pages(data: Path, name: str, site: str) -> list[tuple[CorpusPage, list[int]]]:
    """Return the pages of a site in a corpus, and the right labels of each."""
    pages = [
        page for page in open_corpus(name, data).pages() if name_site(page.url or "") == name_site(f"http://{site}")
    ]
    labeled = [(page, find_labels(page, WANTED.get(site))) for page in sorted(pages, key=lambda page: page.id)]
    return [(page, labels) for page, labels in labeled if any(labels)]


def find_labels(page: CorpusPage, wanted: Sequence[str] | None) -> list[int]:
    """Return the right labels of a page: the blocks in elements that are wanted, or else in its published text."""
    if wanted:
        html = page.html.encode() if isinstance(page.html, str) else page.html
        leaves = read_labeled_leaves(html, None, get_labeler("web2text-2026"))
        return leaves.label_blocks(SiteRule(tuple(wanted))) if leaves.inside(wanted).any() else []
    found = read_blocks(page.html)
    return [int(each) for each in label_blocks(found.blocks, cover_leaves(found.page.texts, page.text))]


def count(
    browser: Any, pages: Sequence[tuple[CorpusPage, list[int]]], args: argparse.Namespace, *, is_new: bool
) -> list[int]:
    """Return the number of actions for each page, in the order in which the editor opens them."""
    counts = []
    with TemporaryDirectory() as name:
        folder = Path(name)
        for page, _ in pages:
            html = page.html.encode() if isinstance(page.html, str) else page.html
            (folder / f"{page.id}.html.gz").write_bytes(gzip.compress(html))
        wanted = {f"{page.id}.html.gz": labels for page, labels in pages}
        with serve(folder) as server:
            reader = Reader(browser, server.url, args.enough, is_new=is_new)
            for number, listed in enumerate(server.session.list_pages()):
                reader.wait(number)
                counts.append(reader.label(wanted[listed["name"]]))
                if args.show:
                    sys.stdout.write(f"{listed['name']}: {counts[-1]}: {' '.join(reader.actions)}\n")
            reader.tab.close()
    return counts


@contextmanager
def serve(folder: Path) -> Iterator[EditorServer]:
    parser = argparse.ArgumentParser()
    label.add_arguments(parser)
    args = parser.parse_args([str(folder), "--out", str(folder / "labels.jsonl")])
    session = label.open_session(args, LabelStore(args.out))
    with EditorServer(session) as server:
        thread = Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


class Reader:
    """A reader in a tab of the editor."""

    def __init__(self, browser: Any, url: str, enough: float, *, is_new: bool) -> None:
        self.tab = browser.new_page(viewport=SIZE)
        self.options = [enough, is_new]
        if not is_new:
            self.tab.route("**/rules/*", lambda route: route.abort())
        self.tab.goto(url)
        self.tab.evaluate("() => { isFolding = false; }")  # the plan names any block
        # The mouse of playwright runs a script in each frame while a button is pressed; the page's frame runs none.
        self.devtools = self.tab.context.new_cdp_session(self.tab)
        self.actions: list[str] = []

    def wait(self, number: int) -> None:
        self.tab.wait_for_function(f"() => document.body.dataset.ready === '{number}' && !isOpening")

    def label(self, wanted: list[int]) -> int:
        """Label the page that is open, and return the number of actions."""
        self.actions = []
        for _ in range(MOST_STEPS):
            plan = self.tab.evaluate(PLAN, [wanted, *self.options])
            if plan is None:
                break
            for name, *blocks in plan:
                if name == "drag":
                    self.drag(*blocks)
                elif name == "click":
                    self.click(blocks[0])
                else:
                    self.press(name)
        else:
            raise RuntimeError("the labels are not reached")
        self.press("Enter")
        return len(self.actions)

    def press(self, key: str) -> None:
        self.actions.append(key)
        self.tab.keyboard.press(key)

    def click(self, block: int) -> None:
        self.actions.append(f"click:{block}")
        place = self.find(block)
        self.send("mousePressed", place, 1)
        self.send("mouseReleased", place, 0)
        self.tab.wait_for_function(f"() => current === {block}")

    def drag(self, first: int, last: int) -> None:
        self.actions.append(f"drag:{first}-{last}")
        start = self.find(first)
        self.send("mousePressed", start, 1)
        self.send("mouseMoved", start, 1)
        end = self.find(last)
        self.send("mouseMoved", (end[0] + 6, end[1]), 1)
        self.send("mouseMoved", end, 1)
        self.send("mouseReleased", end, 0)

    def find(self, block: int) -> tuple[float, float]:
        """Scroll to a block, and return a place on it."""
        script = """(block) => {
            const element = spans.get(block).find((each) => each.getClientRects().length);
            element.scrollIntoView({block: "center"});
            const box = element.getClientRects()[0], outer = frame.getBoundingClientRect();
            return [outer.left + box.left + Math.min(3, box.width / 2), outer.top + box.top + box.height / 2];
        }"""
        x, y = self.tab.evaluate(script, block)
        return x, y

    def send(self, kind: str, place: tuple[float, float], buttons: int) -> None:
        event = {"type": kind, "x": place[0], "y": place[1], "button": "left", "buttons": buttons, "clickCount": 1}
        self.devtools.send("Input.dispatchMouseEvent", event)


if __name__ == "__main__":
    main()
