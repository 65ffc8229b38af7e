"""All documents, and the pages in their frames, judged by axe-core: it is in the package axe-playwright-python."""

from __future__ import annotations

from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import pytest
from places import ROOT
from view.browser import Viewer
from view.served import serve
from view.test_trial import serve as serve_trials

from scrapy_web2text import Options
from scrapy_web2text.cli.main import main
from scrapy_web2text.view.document import write_view
from scrapy_web2text.view.seen import see_page

NAMES = ("blog-many-comments.html", "product-tent.html", "cookie-wall.html")
AXE = find_spec("axe_playwright_python")
PAGES = ROOT / "tests" / "pages"
# What a frame has not: it is a part of the document, in the language and with the headings of the page.
OF_DOCUMENTS = ("document-title", "html-has-lang", "landmark-one-main", "page-has-heading-one", "region")

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(AXE is None, reason="axe-playwright-python is not installed"),
]


def read_axe():
    return Path(AXE.origin).with_name("axe.min.js").read_text(encoding="utf-8")


def find_violations(viewer, browser):
    """Return the rules that a document, or the page in its frame, violates, and where."""
    source = read_axe()
    # Timers do not run in the sandbox of the frame, so that its HTML is judged in a tab.
    copies = [browser.new_page(color_scheme=viewer.scheme) for _ in viewer.tab.frames[1:]]
    for copy, frame in zip(copies, viewer.tab.frames[1:], strict=True):
        copy.set_content(frame.content())
    found = []
    for tab in (viewer.tab, *copies):
        tab.evaluate(source)
        rules = {} if tab is viewer.tab else {name: {"enabled": False} for name in OF_DOCUMENTS}
        answer = tab.evaluate("(rules) => axe.run(document, {iframes: false, rules})", rules)
        assert answer["passes"]
        found += [
            (rule["id"], [node["html"][:120] for node in rule["nodes"]][:3], tab is viewer.tab)
            for rule in answer["violations"]
        ]
    for copy in copies:
        copy.close()
    return found


@pytest.fixture
def write(tmp_path):
    """Write a document of some pages, and return its URL."""

    def write(kind):
        path = tmp_path / "out.html"
        if kind == "diff":
            for model in ("bte", "web2text-2026"):
                feed = str(tmp_path / f"{model}.jsonl")
                main(
                    ["batch", str(PAGES / NAMES[0]), "--model", model, "--blocks", "all", "--jobs", "1", "--out", feed]
                )
            main(["diff", str(tmp_path / "bte.jsonl"), feed, "--out", str(path)])
            return path.as_uri()
        seen = [see_page((PAGES / name).read_bytes(), name, Options()) for name in NAMES]
        path.write_text(write_view(seen), encoding="utf-8")
        return path.as_uri()

    return write


@contextmanager
def opened(kind, write, tmp_path):
    """Give the URL of a document."""
    if kind != "editor":
        yield write(kind)
        return
    with serve(*(PAGES / name for name in NAMES[:1]), "--out", tmp_path / "labels.jsonl") as server:
        yield server.url


class Trial(Viewer):
    """The page of ``web2text serve``."""

    def wait(self, number=0):
        self.tab.wait_for_selector("#show")


@pytest.mark.parametrize(("scheme", "width"), [("light", 1440), ("dark", 390)])
@pytest.mark.parametrize("form", ["viewer", "Markdown"])
def test_axe_finds_no_violations_where_a_page_is_tried(browser, scheme, width, form):
    with serve_trials() as server:
        trial = Trial(browser, server.url, color_scheme=scheme, viewport={"width": width, "height": 900})
        trial.tab.fill("#input", (PAGES / NAMES[0]).read_text(encoding="utf-8"))
        trial.tab.click("#show")
        trial.tab.frame_locator("#frame").locator("body[data-ready]").wait_for()
        trial.tab.check(f"input[value={form}]")
        trial.tab.evaluate(read_axe())
        answer = trial.tab.evaluate("axe.run(document, {iframes: false})")
        assert answer["passes"]
        assert [rule["id"] for rule in answer["violations"]] == []
        trial.tab.close()


@pytest.mark.parametrize(("scheme", "width"), [("light", 1440), ("dark", 390)])
@pytest.mark.parametrize(
    ("kind", "keys"),
    [("viewer", "jj"), ("viewer", "l"), ("viewer", "?"), ("editor", "jf"), ("diff", "j")],
)
def test_axe_finds_no_violations(browser, write, tmp_path, kind, keys, scheme, width):
    with opened(kind, write, tmp_path) as url:
        viewer = Viewer(browser, url, color_scheme=scheme, viewport={"width": width, "height": 900})
        viewer.scheme = scheme
        viewer.press(*keys)
        viewer.wait()
        assert find_violations(viewer, browser) == []
        viewer.tab.close()
