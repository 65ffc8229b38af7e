"""The page of ``web2text serve`` as static files: what is in its archive, and how it loads Python in a browser."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from zipfile import ZipFile

import pytest
from places import ROOT
from view.browser import hostile_page
from view.test_axe import AXE, read_axe
from view.test_trial import Page

from scrapy_web2text import Options, extract
from scrapy_web2text.view.trial import MODELS

sys.path.append(str(ROOT / "docs" / "try"))
import builder
import check
from answer import answer as answer_here
from builder import COMPILED, write_site

FAQ = (ROOT / "tests" / "pages" / "faq.html").read_text(encoding="utf-8")
# Runs Python as Pyodide has it, with the archive and the compiled packages alone.
ALONE = """
import json, sys, time
from importlib.machinery import PathFinder
folder, elsewhere, compiled, missing, *messages = json.loads(sys.stdin.read())

class Finder:
    def find_spec(self, name, path=None, target=None):
        top = name.partition(".")[0]
        if top in missing:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return PathFinder.find_spec(name, elsewhere, target) if path is None and top in compiled else None

sys.meta_path.insert(0, Finder())
sys.path.insert(0, folder)
del time.thread_time
from answer import answer
print(json.dumps([json.loads(answer(json.dumps(message))) for message in messages]))
print(json.dumps(sorted({name.partition(".")[0] for name in sys.modules} - sys.stdlib_module_names)))
"""
# What Python's own library lacks in Pyodide 314.
MISSING = (
    "_hashlib _interpreters _multiprocessing _posixshmem _uuid curses dbm grp pwd readline resource syslog".split()
)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    write_site(folder, "pyodide/")
    return folder


@pytest.fixture(scope="module")
def answer(site, tmp_path_factory):
    """Return the answers to messages, and the packages that were loaded for them."""
    folder = tmp_path_factory.mktemp("unpacked")
    ZipFile(site / "web2text.zip").extractall(folder)
    elsewhere = sorted({str(ROOT.joinpath(find_spec(name).origin).parents[1]) for name in COMPILED})

    def answer(*messages):
        given = json.dumps([str(folder), elsewhere, COMPILED, MISSING, *messages])
        command = [sys.executable, "-I", "-S", "-c", ALONE]
        done = subprocess.run(command, input=given, capture_output=True, text=True, check=True)
        return [json.loads(line) for line in done.stdout.splitlines()]

    return answer


def test_the_archive_and_the_packages_of_pyodide_answer_as_extract(answer):
    messages = [{"input": FAQ, "options": {"model": model, "threshold": None}} for model in MODELS]
    answers, packages = answer(*messages)
    for model, found in zip(MODELS, answers, strict=True):
        expected = extract(FAQ.encode(), encoding="utf-8", markdown=True, model=model).to_dict()
        assert {**found["answer"], "elapsed": 0} == json.loads(json.dumps({**expected, "elapsed": 0}))
        assert found["document"].startswith("<!doctype html>")
    assert {*COMPILED} < {*packages}
    assert not {"scrapy", "twisted", "itemadapter"} & {*packages}


@pytest.mark.parametrize(
    ("message", "error"),
    [
        ({"input": "<p>a", "options": {"threshold": 2}}, "threshold: expected a number"),
        ({"input": "<p>\ud800", "options": {"model": "web2text-2018", "threshold": "recall"}}, "threshold: "),
    ],
)
def test_wrong_options_are_told(answer, message, error):
    assert answer(message)[0][0]["error"].startswith(error)


def test_two_builds_are_the_same(site, tmp_path):
    write_site(tmp_path / "try", "pyodide/")
    assert {path.name: path.read_bytes() for path in site.iterdir()} == {
        path.name: path.read_bytes() for path in (tmp_path / "try").iterdir()
    }


def test_the_page_loads_code_from_its_own_site_and_pyodide_only(site):
    policy = (site / "index.html").read_text("utf-8").partition('Policy" content="')[2].partition('"')[0]
    kinds = dict(part.split(" ", 1) for part in policy.split("; "))
    assert kinds["default-src"] == "'none'"
    assert kinds["worker-src"] == "'self'"
    assert "unsafe" not in policy
    assert "connect-src" not in kinds
    assert Options().model == next(iter(MODELS))


def test_the_page_says_how_much_it_loads_unless_that_was_measured(site, tmp_path):
    archive = (site / "web2text.zip").stat().st_size / 1e6
    assert f" (about {builder.PYODIDE_MB + archive:.0f} MB)" in (site / "index.html").read_text("utf-8")
    write_site(tmp_path, measured=" (15 MB)")
    text = (tmp_path / "index.html").read_text("utf-8")
    assert (" (15 MB)" in text, "(about" in text) == (True, False)


# In place of Pyodide: the answers are those of this process.
STAND_IN = """
export const loadPyodide = async ({packages}) => ({
  loadedPackages: Object.fromEntries(packages.map((name) => [name, "default channel"])),
  runPython: () => ({toJs: () => ["/site-packages"]}),
  unpackArchive() {},
  pyimport: () => ({answer(message) {
    while (message.includes("this never ends"));
    const request = new XMLHttpRequest();
    request.open("POST", "/answer", false);
    request.send(message);
    return request.responseText;
  }}),
});
"""


@pytest.fixture(scope="module")
def url(tmp_path_factory):
    """Serve the page with a stand-in for Pyodide; the value is its URL."""

    class Handler(check.Handler):
        def do_POST(self):  # noqa: N802  the name that http.server calls
            message = self.rfile.read(int(self.headers["Content-Length"])).decode()
            self.send_response(200)
            self.end_headers()
            self.wfile.write(answer_here(message).encode())

    folder = tmp_path_factory.mktemp("page")
    write_site(folder, "pyodide/", seconds=5)
    (folder / "pyodide").mkdir()
    (folder / "pyodide" / "pyodide.mjs").write_text(STAND_IN, "utf-8")
    with check.serve(folder, Handler) as url:
        yield url


@pytest.fixture
def page(browser, url):
    page = Page(browser, url, viewport={"width": 390, "height": 844})
    yield page
    page.tab.close()


@pytest.mark.browser
def test_a_user_tries_a_page_without_a_server(page, url):
    assert page.requests == [url]  # nothing more before the click
    page.show(FAQ)
    assert page.read_form("text") == extract(FAQ).text
    page.tab.check("input[value=viewer]")
    page.wait_for_answer(lambda: page.tab.frame_locator("#frame").locator("#threshold").fill("0.99"))
    assert page.read_form("settings").splitlines()[1:] == ["WEB2TEXT_THRESHOLD = 0.99", 'WEB2TEXT_DECODER = "marginal"']
    page.tab.click("#options summary")
    page.wait_for_answer(lambda: page.tab.select_option("#model", "bte"))
    assert page.read("status").startswith("bte: ")
    page.tab.check("input[value=viewer]")
    page.wait_for_answer(lambda: page.tab.set_input_files("#file", ROOT / "tests" / "pages" / "faq.html"))
    page.wait_for_answer(lambda: page.tab.select_option("#model", MODELS[0]))
    assert page.read_form("text") == extract(FAQ).text
    page.tab.check("input[value=viewer]")
    page.show(hostile_page())
    assert page.tab.title() == "Try it - web2text"
    assert page.reports == []
    assert {request for request in page.requests if not request.startswith((url, "about:"))} == set()


@pytest.mark.browser
@pytest.mark.parametrize(
    ("html", "error"),
    [
        (" ", "Paste the HTML of a page, or choose a file."),
        ("https://example.com/", "URLs are not fetched. Paste the HTML of the page."),
        ("<p>this never ends", "The page took more than 5 seconds."),
    ],
)
def test_a_problem_is_told_and_the_next_page_has_an_answer(page, html, error):
    assert check.try_page(page.tab, html) == (error, True)
    assert "blocks are content" in check.try_page(page.tab, FAQ)[0]


@pytest.mark.browser
@pytest.mark.parametrize(
    ("theme", "scheme", "is_dark"),
    [("dark", "light", True), ("light", "dark", False), ("auto", "dark", True), (None, "light", False)],
)
def test_the_theme_of_the_documentation_holds_for_the_page_and_the_viewer(page, theme, scheme, is_dark):
    page.tab.emulate_media(color_scheme=scheme)
    if theme:
        page.tab.evaluate("(theme) => { localStorage.theme = theme; }", theme)
        page.tab.reload()
    page.show(FAQ)
    script = "getComputedStyle(document.body).backgroundColor"
    backs = [frame.evaluate(script) for frame in page.tab.frames]
    page.tab.evaluate("localStorage.clear()")
    assert backs == ["rgb(21, 23, 27)" if is_dark else "rgb(255, 255, 255)"] * 3
    assert page.reports == []


@pytest.mark.browser
def test_a_host_that_does_not_answer_is_named(browser, tmp_path):
    write_site(tmp_path, "nowhere/")
    with check.serve(tmp_path) as url:
        page = Page(browser, url)
        said, is_problem = check.try_page(page.tab, FAQ)
        assert (said.startswith("Python could not be loaded from 127.0.0.1:"), is_problem) == (True, True)
        page.tab.close()


@pytest.mark.browser
def test_a_page_that_is_opened_from_a_file_says_to_open_it_over_http(browser, site):
    page = Page(browser, (site / "index.html").as_uri())
    expected = "Open this page over http: browsers run no workers from a file."
    for _ in range(2):
        assert check.try_page(page.tab, FAQ) == (expected, True)
    page.tab.close()


@pytest.mark.browser
@pytest.mark.skipif(AXE is None, reason="axe-playwright-python is not installed")
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_violations(page, scheme):
    page.tab.emulate_media(color_scheme=scheme)
    for html in ("", FAQ):
        check.try_page(page.tab, html)
        page.tab.evaluate(read_axe())
        found = page.tab.evaluate("axe.run(document, {iframes: false})")
        assert found["passes"]
        assert [rule["id"] for rule in found["violations"]] == []


# The package of npm is Pyodide without numpy and lxml: .ci/run unpacks it here.
PYODIDE = Path(os.environ.get("WEB2TEXT_PYODIDE", ROOT / "build" / "pyodide" / "package"))


@pytest.mark.browser
@pytest.mark.skipif(not (PYODIDE / "pyodide.mjs").exists(), reason="no package pyodide of npm in build/pyodide")
def test_python_starts_in_the_browser_and_missing_packages_are_named(browser, tmp_path):
    write_site(tmp_path, "pyodide/")
    (tmp_path / "pyodide").symlink_to(PYODIDE, target_is_directory=True)
    with check.serve(tmp_path) as url:
        page = Page(browser, url)
        said, is_problem = check.try_page(page.tab, FAQ)
        assert is_problem
        assert said.startswith("numpy, lxml, msgspec, safetensors could not be loaded from 127.0.0.1:")
        assert f"{url}pyodide/python_stdlib.zip" in page.requests
        page.tab.close()
