"""The texts of other extractors beside ours."""

from __future__ import annotations

from threading import Event

import pytest
from mockserver import article

from scrapy_web2text import Options
from scrapy_web2text.evaluation.peers import get_peer
from scrapy_web2text.sources.source import Source
from scrapy_web2text.view import peers
from scrapy_web2text.view.document import write_view
from scrapy_web2text.view.peers import compare_peers
from scrapy_web2text.view.seen import see_page

OURS = [(-1, "One two\n"), (0, "three four five\n"), (1, "six")]
OUR_TEXT = "".join(text for _, text in OURS)


def broken(html):
    raise RecursionError("xxx")


def compare(text):
    (found,) = compare_peers({"peer": lambda html: text}, Source(b"<p>page</p>"), OUR_TEXT)
    return found


def test_the_text_of_a_peer_is_compared_with_ours():
    assert compare("One  two\r\n\n three four five \nsix") == {
        "name": "peer", "f1": 1, "rows": [([("One two\nthree four five\nsix", False)], None)],
    }  # fmt: skip
    found = compare("One two\nthree 4 five\nseven")
    assert found["f1"] == pytest.approx(2 / 3)
    assert found["rows"][0] == ([("One two", False)], None)


def test_a_peer_gets_the_page_and_may_fail():
    asked = []
    first, second = compare_peers(
        {"broken": broken, "peer": lambda html: asked.append(html) or ""}, Source(b"<p>page"), OUR_TEXT
    )
    assert first["error"].startswith("RecursionError: xxx")
    assert (second["f1"], asked) == (0, ["<p>page"])


@pytest.mark.parametrize("name", ["trafilatura", "readability", "resiliparse"])
def test_installed_peers_are_compared(name):
    pytest.importorskip("lxml_html_clean" if name == "readability" else name)
    pytest.importorskip(name)
    seen = see_page(article().encode(), "page", Options())
    (found,) = compare_peers(
        {name: get_peer(name)}, Source(article().encode()), "".join(text for _, text in seen["pieces"])
    )
    assert found["f1"] > 0.5


def test_a_peer_that_hangs_does_not_keep_the_others_waiting(monkeypatch):
    monkeypatch.setattr(peers, "_SECONDS", 0.5)
    end = Event()
    late, on_time = compare_peers({"late": lambda html: str(end.wait(20)), "peer": str}, Source(b"six"), "six")
    end.set()
    assert late == {"name": "late", "error": "TimeoutError: no text after 0.5 s"}
    assert on_time["f1"] == 1


@pytest.mark.browser
def test_columns_show_words_of_one_text_in_their_order(open_html):
    texts = ["One 2 two\nthree four\nsix seven eight", "", "One two\nthree four five\nsix", "<b>One</b> six"]
    peers = {f"p{i}": lambda html, text=text: text for i, text in enumerate(texts)}
    seen = see_page(article().encode(), "page", Options())
    page = {**seen, "pieces": OURS, "peers": compare_peers({**peers, "broken": broken}, Source(b""), OUR_TEXT)}
    viewer = open_html(write_view([page]), viewport={"width": 1440, "height": 900})
    columns = viewer.tab.locator("#peers section")
    assert [text.split("\n")[0] for text in columns.all_inner_texts()] == ["p0", "p1", "p2", "p3", "broken"]
    assert "word F1 0.714 with ours" in columns.first.inner_text()
    shown = columns.locator(".lines").evaluate_all("(all) => all.map((each) => each.innerHTML.trim())")
    new, gone = '<ins data-new="">', '<del data-gone="">'
    assert shown[0] == f"One {new}2 </ins>two\nthree four\n{gone}five</del> six {new}seven eight\n</ins>"
    assert shown[1] == f"{gone}One two\nthree four five\nsix\n</del>"
    assert shown[2] == "One two\nthree four five\nsix"
    assert "&lt;b&gt;" in shown[3]
    assert shown[4].startswith("It failed: RecursionError")
    assert viewer.reports == []
