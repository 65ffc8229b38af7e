"""The page on which the extractor can be tried: its server, what it fetches, and the page in a real browser."""

from __future__ import annotations

import gzip
import json
import socket
from base64 import b64decode
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest
from mockserver import SENTENCE, article
from places import ROOT
from view.browser import Viewer, find_low_contrasts, hostile_page
from view.served import ask, die, hang, run

from scrapy_web2text import Options, extract
from scrapy_web2text.cli.main import main
from scrapy_web2text.view import trial
from scrapy_web2text.view.server import EditorServer
from scrapy_web2text.view.trial import TrialHandler, Trials, fetch_public, is_public

MODEL = {"model": "web2text-2026"}
FAQ = (ROOT / "tests" / "pages" / "faq.html").read_text(encoding="utf-8")
PRIVATE = (
    "0.0.0.0 10.1.2.3 100.64.0.1 127.0.0.1 169.254.169.254 172.16.0.1 192.0.0.9 192.168.1.1 198.18.0.1 224.0.0.1 "
    "240.0.0.1 255.255.255.255 :: ::1 ::127.0.0.1 ::ffff:127.0.0.1 ::ffff:8.8.8.8 64:ff9b::7f00:1 64:ff9b:1::1 100::1 "
    "2001::1 2001:db8::1 2002:7f00:1::1 5f00::1 fc00::1 fe80::1 fe80::1%1 fec0::1 ff02::1"
).split()


@contextmanager
def serve(**options):
    trials = Trials(Options(), **options)
    with trials.workers, run(EditorServer(trials, 0, TrialHandler)) as server:
        yield server


@pytest.fixture(scope="module")
def server():
    with serve(may_fetch=True) as server:
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
    status, headers, body = ask(server, "GET", str(answer["page"]), headers={"Origin": ""})
    assert (status, headers["content-security-policy"]) == (200, "frame-ancestors 'self'")
    assert SENTENCE in body.decode()


def test_another_model_or_threshold_answers_for_the_same_page(server):
    number = post(server, input=FAQ)[1]["page"]
    answer = post(server, page=number, options={"model": "bte"})[1]
    assert (answer["answer"]["model"], answer["reason"]) == ("bte", None)
    sure = post(server, page=number, options={**MODEL, "threshold": 0.99})[1]["answer"]
    assert sure["n_content"] < post(server, page=number)[1]["answer"]["n_content"]


def test_the_oldest_pages_are_forgotten(server, monkeypatch):
    monkeypatch.setattr(trial, "_MOST_KEPT", 2)
    first, *_ = [post(server, input=article())[1]["page"] for _ in range(4)]
    assert "no longer kept" in post(server, page=first)[1]["error"]
    assert ask(server, "GET", str(first))[0] == 500


@pytest.mark.parametrize(
    ("message", "error"),
    [
        ({"input": " "}, "Paste the HTML"),
        ({"input": "<p>a", "options": {"model": "/tmp"}}, "model: expected one of web2text-2026, web2text-2018, "),
        ({"input": "<p>a", "options": {**MODEL, "threshold": 2}}, "threshold: expected a number"),
        ({"input": "<p>a", "options": {"model": "web2text-2018", "threshold": "recall"}}, "threshold: "),
        ({"input": "file:///etc/passwd"}, "expected an http or https URL"),
        ({"input": "javascript:alert(1)"}, "expected an http or https URL"),
        ({"input": "http://localhost:1/"}, "localhost: expected a public address, got "),
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


def test_urls_are_fetched_only_if_asked_for():
    with serve() as server:
        status, answer = post(server, input="https://example.com/")
        assert (status, "--fetch" in answer["error"]) == (400, True)


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


@pytest.mark.parametrize("address", PRIVATE)
def test_addresses_of_this_machine_and_its_network_are_not_public(address):
    assert not is_public(address)


@pytest.mark.parametrize("address", ["8.8.8.8", "1.1.1.1", "2606:4700:4700::1111", "2a00:1450:4001:81b::200e"])
def test_addresses_of_the_internet_are_public(address):
    assert is_public(address)


@pytest.fixture
def names(monkeypatch):
    """Resolve names: one address of this machine passes as public. Returns what was looked up."""
    looked_up = []
    resolve = socket.getaddrinfo

    def look_up(host, port, *args, **kwargs):
        looked_up.append(host)
        address = {"public.example": "127.0.0.1", "inner.example": "127.0.0.2"}.get(host, host)
        return resolve(address, port, *args, **kwargs)

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    monkeypatch.setattr(trial, "is_public", lambda address: address == "127.0.0.1")
    return looked_up


def public(url):
    return url.replace("127.0.0.1", "public.example")


def test_a_page_is_fetched_from_the_address_that_was_checked(site, names):
    site.add("/moved", status=302, Location="/page?a=b#c")
    site.add("/page", article(), content_type="text/html; charset=koi8-r")
    body, url, encoding = fetch_public(public(site.url("/moved")), 1_000_000)
    assert (b64decode(body).decode(), url, encoding) == (article(), public(site.url("/page?a=b#c")), "koi8-r")
    assert names == ["public.example", "127.0.0.1"] * 2  # no name is resolved again for the connection


@pytest.mark.parametrize(
    "place",
    [
        "http://127.0.0.2/", "//127.0.0.2/", "http://inner.example/", "http://[::1]/", "http://127.2/",
        "http://user:password@public.example/", "javascript:alert(1)", "file:///etc/passwd", "data:text/html,a",
        "ftp://public.example/", "http://public.example:99999/", "/loop",
    ],
)  # fmt: skip
def test_a_fetch_reaches_public_addresses_only(site, names, place):
    site.add("/loop", status=301, Location=place)
    expected = "public address|an http or https URL|at most 5 redirects|Port out of range"
    with pytest.raises(ValueError, match=expected):
        fetch_public(public(site.url("/loop")), 1_000_000)
    assert len(names) <= 2 * 6 + 1


def test_only_the_bytes_of_a_page_are_read(site, names):
    assert len(b64decode(fetch_public(public(site.add("/long", "a" * 5_000_000)), 1_000)[0])) == 1_001
    bomb = gzip.compress(bytes(50_000_000))
    site.add("/bomb", bomb, **{"Content-Encoding": "gzip"})
    assert b64decode(fetch_public(public(site.url("/bomb")), 1_000_000)[0]) == bomb  # which is not HTML
    with pytest.raises(ValueError, match=r"public.example: expected a page, got the status 404"):
        fetch_public(public(site.url("/missing")), 1_000)
    with pytest.raises(ValueError, match=r"public.example: .*[Cc]onnection"):
        fetch_public(public(site.add_raw("/reset", None, b"")), 1_000)


def test_the_page_is_served_until_it_is_interrupted(monkeypatch, capsys):
    def interrupt(server):
        raise KeyboardInterrupt

    opened = []
    monkeypatch.setattr(EditorServer, "serve_forever", interrupt)
    monkeypatch.setattr("webbrowser.open", opened.append)
    assert main(["serve", "--model", "bte"]) == 0
    captured = capsys.readouterr()
    assert f"open {opened[0]} (Ctrl-C ends)" in captured.out
    assert captured.err == "web2text serve: ended\n"
    assert main(["serve", "--port", "65536"]) == 1
    assert "expected a number from 0 to 65535" in capsys.readouterr().err


class Page(Viewer):
    """The page in a tab."""

    def wait(self, number=0):
        self.tab.wait_for_selector("#show")

    def show(self, page):
        self.tab.fill("#input", page)
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
    page.wait_for_answer(lambda: viewer.locator("#threshold").fill("0.99"))
    assert len(page.read_form("text")) < len(text)
    assert page.read_form("settings").splitlines()[1:] == ["WEB2TEXT_THRESHOLD = 0.99", 'WEB2TEXT_DECODER = "marginal"']
    page.tab.check("input[value=viewer]")
    page.wait_for_answer(viewer.locator("#reset").click)
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
    page.tab.fill("#input", "http://127.0.0.1/")
    page.tab.click("#show")
    page.tab.wait_for_selector("#error:not([hidden])")
    assert "expected a public address" in page.read("error")
    assert page.tab.is_hidden("#answer")
    page.show(article())
    assert page.tab.is_hidden("#error")


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
