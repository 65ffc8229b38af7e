"""The page on which the extractor can be tried: its server, and the page in a real browser."""

from __future__ import annotations

import json
from base64 import b64encode
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest
from mockserver import SENTENCE, article
from places import ROOT
from view.browser import Viewer, find_low_contrasts, hostile_page
from view.served import ask, die, hang, run

from scrapy_web2text import Options, extract
from scrapy_web2text.cli.main import main
from scrapy_web2text.reasons import NO_CONTENT
from scrapy_web2text.view import trial
from scrapy_web2text.view.server import EditorServer
from scrapy_web2text.view.trial import TrialHandler, Trials

MODEL = {"model": "web2text-2026"}
FAQ = (ROOT / "tests" / "pages" / "faq.html").read_text(encoding="utf-8")


@contextmanager
def serve():
    trials = Trials(Options())
    with trials.workers, run(EditorServer(trials, 0, TrialHandler)) as server:
        yield server


@pytest.fixture(scope="module")
def server():
    with serve() as server:
        yield server


def post(server, headers=None, **message):
    """Return the status and the answer for a page."""
    status, _, body = ask(server, "POST", "", {"options": MODEL, **message}, headers)
    return status, json.loads(body)


def test_a_page_has_the_answer_of_extract_and_a_viewer(server):
    status, answer = post(server, input=article())
    assert status == 200
    found = extract(article().encode(), encoding="utf-8", markdown=True).to_dict()
    assert {**answer["answer"], "elapsed": 0} == json.loads(json.dumps({**found, "elapsed": 0}))
    assert SENTENCE in answer["document"]
    assert ask(server, "GET", "1")[0] == 404


def test_another_model_or_threshold_gives_another_answer(server):
    answer = post(server, input=FAQ, options={"model": "bte"})[1]
    assert (answer["answer"]["model"], answer["reason"]) == ("bte", None)
    sure = post(server, input=FAQ, options={**MODEL, "threshold": 0.9})[1]["answer"]
    assert sure["n_content"] < post(server, input=FAQ)[1]["answer"]["n_content"]


@pytest.mark.parametrize(
    ("message", "error"),
    [
        ({"input": "<p>a", "options": {"model": "/tmp"}}, "model: expected one of web2text-2026, web2text-2018, "),
        ({"input": "<p>a", "options": {**MODEL, "threshold": 2}}, "threshold: expected a number"),
        ({"input": "<p>a", "options": {"model": "web2text-2018", "threshold": "recall"}}, "threshold: "),
        ({"file": "a"}, "Invalid base64-encoded string"),
    ],
)
def test_problems_are_told(server, message, error):
    status, answer = post(server, **message)
    assert (status, answer["error"].startswith(error)) == (400, True), answer


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "evil.example"}, 421),
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": ""}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Content-Type": "text/plain"}, 415),
        ({"Content-Length": "25000001"}, 413),
    ],
)
def test_requests_from_elsewhere_are_refused(server, headers, status):
    assert post(server, headers, input=article())[0] == status
    assert ask(server, "GET", "", token="wrong")[0] == 404


def test_the_bytes_of_a_file_are_decoded_as_the_file_says(server):
    html = article(f"{SENTENCE} Café, déjà vu.").replace("<head>", '<head><meta charset="windows-1252">')
    status, answer = post(server, file=b64encode(html.encode("windows-1252")).decode())
    assert (status, "Café, déjà vu." in answer["answer"]["text"]) == (200, True)


def test_pages_that_are_tried_at_once_have_their_own_answers(server):
    texts = [f"{SENTENCE} Number {number}." for number in range(8)]
    with ThreadPoolExecutor(8) as threads:
        answers = [*threads.map(lambda text: post(server, input=article(text))[1]["answer"]["text"], texts)]
    assert [text in answer for text, answer in zip(texts, answers, strict=True)] == [True] * 8


def test_a_late_page_and_one_that_crashes_are_told_and_the_next_page_has_an_answer(monkeypatch):
    with serve() as server:
        for function, seconds, told in ((hang, 1.0, "killed after 1 s"), (die, 60.0, "died")):
            with monkeypatch.context() as patch:
                patch.setattr(trial, "show_page", function)
                patch.setattr(trial, "clock_limit", lambda timeout, seconds=seconds: seconds)
                status, answer = post(server, input=article())
            assert (status, told in answer["error"]) == (400, True), answer
        assert post(server, input=article())[0] == 200


def test_the_page_is_served_until_it_is_interrupted(monkeypatch, capsys):
    def interrupt(server):
        raise KeyboardInterrupt

    opened = []
    monkeypatch.setattr(EditorServer, "serve_forever", interrupt)
    monkeypatch.setattr("webbrowser.open", opened.append)
    assert main(["serve", "--model", "bte"]) == 0
    captured = capsys.readouterr()
    assert f"open {opened[0]} (Ctrl-C ends)" in captured.out
    assert captured.err == "\nweb2text serve: ended\n"


class Page(Viewer):
    """The page in a tab."""

    def wait(self, number=0):
        self.tab.wait_for_selector("#show")

    def paste(self, page):
        if self.tab.is_visible("#again"):
            self.tab.click("#again")
        self.tab.fill("#input", page)

    def show(self, page):
        self.paste(page)
        self.tab.focus("#input")
        self.press("Control+Enter")
        self.tab.frame_locator("#frame").locator("body[data-ready]").wait_for()

    def wait_for_answer(self, act):
        """Do something, and wait for the answer after the one that is shown."""
        number = int(self.tab.get_attribute("body", "data-page"))
        act()
        self.tab.wait_for_selector(f'body[data-page="{number + 1}"]')

    def read_form(self, name):
        self.tab.check(f"input[value={name}]")
        return self.tab.text_content("#shown")


@pytest.fixture
def open_page(browser, server):
    pages = []

    def open_page(**options):
        pages.append(Page(browser, server.url, **options))
        return pages[-1]

    yield open_page
    for page in pages:
        page.tab.close()


@pytest.mark.browser
def test_a_user_tries_a_page(open_page):
    page = open_page()
    page.show(FAQ)
    assert "blocks are content" in page.read("status")
    text = page.read_form("text")
    assert text == extract(FAQ).text
    assert json.loads(page.read_form("JSON"))["text"] == text
    assert page.read_form("settings") == 'ADDONS = {"scrapy_web2text.Addon": 300}'
    page.tab.check("input[value=viewer]")
    viewer = page.tab.frame_locator("#frame")
    page.wait_for_answer(lambda: viewer.locator("#threshold").fill("0.9"))
    assert len(page.read_form("text")) < len(text)
    assert page.read_form("settings").splitlines()[1:] == ["WEB2TEXT_THRESHOLD = 0.9", 'WEB2TEXT_DECODER = "marginal"']
    page.tab.check("input[value=viewer]")
    page.wait_for_answer(viewer.locator("#reset").click)
    assert viewer.locator("#facts").is_hidden()
    assert page.read_form("text") == text
    page.wait_for_answer(lambda: page.tab.select_option("#threshold", "recall"))
    assert page.read_form("settings").endswith('\nWEB2TEXT_THRESHOLD = "recall"')
    page.wait_for_answer(lambda: page.tab.select_option("#model", "bte"))
    assert page.read("status").startswith("bte: ")
    assert page.tab.is_disabled("#threshold")
    assert page.reports == []


@pytest.mark.browser
def test_a_problem_is_told_in_place_of_the_answer(open_page):
    page = open_page()
    page.show(article())
    for given, problem in (("http://127.0.0.1/", "URLs are not fetched."), (" ", "Paste the HTML of a page,")):
        page.paste(given)
        page.tab.click("#show")
        page.tab.wait_for_selector("#error:not([hidden])")
        assert page.read("error").startswith(problem)
        assert page.tab.is_hidden("#answer")
        page.show(article())
        assert page.tab.is_hidden("#error")


@pytest.mark.browser
def test_an_example_is_one_click_away_and_the_input_folds_after_an_answer(open_page):
    page = open_page()
    page.tab.click("#example")
    page.tab.frame_locator("#frame").locator("body[data-ready]").wait_for()
    assert not page.tab.is_visible("#input")
    assert page.read("source") == "the example"
    text = page.read_form("text")
    assert text.startswith("For eleven years the last boat")
    assert "cookies" not in text
    page.tab.click("#again")
    assert page.tab.is_visible("#input")


# Drops a file on the form: Playwright cannot drag one.
DROP = """
([name, text]) => {
  const dataTransfer = new DataTransfer();
  dataTransfer.items.add(new File([text], name, {type: "text/html"}));
  const drop = (kind) => new DragEvent(kind, {dataTransfer, bubbles: true, cancelable: true});
  const input = document.getElementById("input");
  return ["dragover", "drop"].map((kind) => input.dispatchEvent(drop(kind)));
}
"""


@pytest.mark.browser
def test_a_file_is_chosen_or_dropped_in_place_of_the_pasted_text(open_page):
    page = open_page()
    page.show(article())
    page.wait_for_answer(lambda: page.tab.set_input_files("#file", ROOT / "tests" / "pages" / "faq.html"))
    assert page.read_form("text") == extract(FAQ).text
    assert page.tab.input_value("#input") == ""
    page.wait_for_answer(lambda: page.tab.evaluate(DROP, ["a.html", article(title="A page that is dropped")]))
    assert SENTENCE in page.read_form("text")
    assert page.tab.evaluate("document.getElementById('file').files[0].name") == "a.html"
    page.wait_for_answer(lambda: page.tab.select_option("#model", "bte"))
    assert SENTENCE in page.read_form("text")
    page.paste(FAQ)
    assert page.tab.evaluate("document.getElementById('file').files.length") == 0
    page.wait_for_answer(lambda: page.tab.click("#show"))
    assert page.read_form("text") == extract(FAQ, model="bte").text
    assert page.reports == []


@pytest.mark.browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_hostile_page_stays_in_its_frame_and_all_texts_can_be_read(open_page, server, scheme):
    page = open_page(color_scheme=scheme, viewport={"width": 390, "height": 844})
    page.show(hostile_page())
    assert find_low_contrasts(page.tab) == []
    for form in ("text", "Markdown", "JSON", "settings"):
        assert page.read_form(form)
    assert page.tab.evaluate("document.documentElement.scrollWidth") <= 390
    assert page.tab.title() == "Try it - web2text"
    assert page.reports == []
    assert not [url for url in page.requests if not url.startswith((server.url, "about:"))]


@pytest.mark.browser
def test_options_fold_on_a_narrow_screen_and_take_one_row_on_a_wide_one(open_page):
    narrow = open_page(viewport={"width": 390, "height": 844})
    assert not narrow.tab.is_visible("#model")
    narrow.tab.click("#options summary")
    assert narrow.tab.is_visible("#model")
    for width in (1440, 1024):
        wide = open_page(viewport={"width": width, "height": 844})
        assert not wide.tab.is_visible("#options summary")
        boxes = [wide.tab.locator(name).bounding_box() for name in ("#show", "#model", "#threshold")]
        assert len({round(box["y"] + box["height"] / 2) for box in boxes}) == 1


@pytest.mark.browser
def test_a_page_without_text_has_a_reason_in_place_of_numbers(open_page):
    page = open_page()
    page.show(
        '<html><head><title>App</title></head><body><div id="root"></div><script src="/js/main.js"></script></body>'
    )
    assert page.read("status") == f"kind of page: script shell · no text: {NO_CONTENT['script_shell']}"
    assert not page.tab.frame_locator("#frame").locator("#reason").is_visible()
