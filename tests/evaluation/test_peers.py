"""Other extractors: their scores, and the errors if they are not installed."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING

import pytest
from corpora import ARTICLE, ARTICLE_TEXT

from scrapy_web2text.evaluation import LabeledPage, evaluate_all
from scrapy_web2text.evaluation.peers import get_peer
from scrapy_web2text.labelers.base import Labeling

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy_web2text.evaluation.report import Report

PAGE = LabeledPage(
    "1", ARTICLE, ARTICLE_TEXT, kind="article", with_snippets=(ARTICLE_TEXT[:20],), without_snippets=("no such thing",)
)


class Nothing:
    name = "nothing"

    def label(self, page: object, **options: object) -> Labeling:
        from scrapy_web2text.page.blocks import TEXT_LEAVES, segment

        blocks = segment(page, TEXT_LEAVES)  # type: ignore[arg-type]
        labels = blocks.starts * 0
        return Labeling(blocks, labels, None, labels)


def score(peer: Callable[[str], str], *pages: LabeledPage) -> tuple[Report, Report]:
    ours, theirs = evaluate_all({"nothing": Nothing()}, pages or [PAGE], peers={"peer": peer})  # type: ignore[dict-item]
    return ours, theirs


def test_a_peer_that_finds_the_clean_text_has_full_scores() -> None:
    ours, theirs = score(lambda html: ARTICLE_TEXT)
    assert theirs.name == "peer"
    assert theirs.words.f1 == theirs.blocks.f1 == 1
    assert theirs.snippets == (1, 0)
    assert theirs.word_f1_by_kind() == {"all": (1, 1), "not empty": (1, 1), "article": (1, 1)}
    assert ours.difference(theirs) == (1, 1, 1)
    assert theirs.difference(ours) == (-1, -1, -1)


def test_a_peer_gets_the_page_as_text() -> None:
    asked = []
    page = LabeledPage("1", "<body><p>Ärger</p></body>".encode("cp1252"), "Ärger")
    score(lambda html: asked.append(html) or "", page)
    assert asked == ["<body><p>Ärger</p></body>"]


def test_the_error_of_a_peer_is_counted() -> None:
    def broken(html: str) -> str:
        raise RecursionError

    _, theirs = score(broken)
    assert theirs.words.f1 == 0
    assert [page.error for page in theirs.pages] == ["RecursionError"]


def test_pages_that_are_not_html_have_no_answer() -> None:
    _, theirs = score(lambda html: "x", LabeledPage("1", b"%PDF-1.7", "x"))
    assert [page.error for page in theirs.pages] == ["not_html"]


def test_an_empty_text_is_right_for_an_empty_page() -> None:
    empty = LabeledPage("2", "<body><p>Please wait</p></body>", "")
    _, theirs = score(lambda html: "", PAGE, empty)
    assert theirs.word_f1_by_kind() == {"all": (2, 0.5), "not empty": (1, 0), "article": (1, 0)}
    assert theirs.snippets == (0, 0)


def test_time_is_measured_in_parses() -> None:
    ours, theirs = score(lambda html: "", *[PAGE] * 20)
    assert ours.cost > theirs.cost >= 0


def test_an_unknown_peer_is_rejected() -> None:
    with pytest.raises(ValueError, match="expected one of trafilatura, readability, resiliparse, html-text, got 'x'"):
        get_peer("x")


@pytest.mark.parametrize(
    ("name", "packages"),
    [
        ("trafilatura", r"'scrapy-web2text\[bench\]'"),
        ("readability", "--no-deps readability-lxml"),  # it asks for another chardet
        ("resiliparse", r"'scrapy-web2text\[bench\]'"),
        ("html-text", r"'scrapy-web2text\[bench\]'"),
    ],
)
def test_a_peer_that_is_not_installed_is_rejected(name: str, packages: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("trafilatura", "readability", "resiliparse", "html_text"):
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ValueError, match=rf"--peers: {name} is not installed .*: pip install {packages}$"):
        get_peer(name)


def fake(name: str, **attributes: object) -> ModuleType:
    module = ModuleType(name)
    module.__dict__.update(attributes)
    return module


class Document:
    def __init__(self, html: str) -> None:
        self.html = html

    def summary(self) -> str:
        return self.html


@pytest.mark.parametrize(
    ("name", "modules", "html", "text"),
    [
        ("trafilatura", {"trafilatura": fake("t", extract=str.upper)}, "a", "A"),
        ("trafilatura", {"trafilatura": fake("t", extract=lambda html: None)}, "a", ""),
        ("readability", {"readability": fake("r", Document=Document)}, "<p>a <b>b</b></p>", "a b"),
        ("readability", {"readability": fake("r", Document=Document)}, "", ""),
        (
            "resiliparse",
            {
                "resiliparse": fake("r"),
                "resiliparse.extract": fake("e"),
                "resiliparse.extract.html2text": fake(
                    "h", extract_plain_text=lambda html, main_content: html if main_content else ""
                ),
            },
            "a",
            "a",
        ),
        ("html-text", {"html_text": fake("h", extract_text=str.upper)}, "a", "A"),
    ],
)
def test_peers_are_called_with_their_own_defaults(
    name: str, modules: dict[str, ModuleType], html: str, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module, replacement in modules.items():
        monkeypatch.setitem(sys.modules, module, replacement)
    assert get_peer(name)(html) == text
