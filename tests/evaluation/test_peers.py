"""Other extractors: their scores, and the errors if they are not installed."""

from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace

import pytest
from corpora import ARTICLE, ARTICLE_TEXT

from scrapy_web2text.evaluation.corpora import CorpusPage
from scrapy_web2text.evaluation.peers import get_peer
from scrapy_web2text.evaluation.run import evaluate_all
from scrapy_web2text.labelers.base import Labeling

PAGE = CorpusPage("1", ARTICLE, ARTICLE_TEXT, kind="article")


class Nothing:
    name = "nothing"

    def label(self, page, **options):
        from scrapy_web2text.page.blocks import TEXT_LEAVES, segment

        blocks = segment(page, TEXT_LEAVES)
        labels = blocks.starts * 0
        return Labeling(blocks, labels, None, labels)


def score(peer, *pages):
    ours, theirs = evaluate_all({"nothing": Nothing()}, pages or [PAGE], peers={"peer": peer})
    return ours, theirs


def test_a_peer_that_finds_the_clean_text_has_full_scores():
    ours, theirs = score(lambda html: ARTICLE_TEXT)
    assert theirs.name == "peer"
    assert theirs.words.f1 == 1
    assert theirs.word_f1_by_kind() == {"all": (1, 1), "not empty": (1, 1), "article": (1, 1)}
    assert ours.difference(theirs) == (1, 1, 1)
    assert theirs.difference(ours) == (-1, -1, -1)


def test_a_peer_gets_the_page_as_text():
    asked = []
    page = CorpusPage("1", "<body><p>Ärger</p></body>".encode("cp1252"), "Ärger")
    score(lambda html: asked.append(html) or "", page)
    assert asked == ["<body><p>Ärger</p></body>"]


def broken(html):
    raise RecursionError


@pytest.mark.parametrize(
    ("peer", "page", "error"),
    [(broken, PAGE, "RecursionError"), (lambda html: "x", CorpusPage("1", b"%PDF-1.7", "x"), "not_html")],
)
def test_the_error_of_a_peer_or_page_is_counted(peer, page, error):
    _, theirs = score(peer, page)
    assert theirs.words.f1 == 0
    assert [page.error for page in theirs.pages] == [error]


def test_an_empty_text_is_right_for_an_empty_page():
    empty = CorpusPage("2", "<body><p>Please wait</p></body>", "")
    _, theirs = score(lambda html: "", PAGE, empty)
    assert theirs.word_f1_by_kind() == {"all": (2, 0.5), "not empty": (1, 0), "article": (1, 0)}


def test_time_is_measured_in_parses():
    ours, theirs = score(lambda html: "", *[PAGE] * 20)
    assert ours.cost > theirs.cost >= 0


def test_an_unknown_peer_is_rejected():
    with pytest.raises(ValueError, match=r"expected one of trafilatura, trafilatura-no-comments, .*, got 'x'"):
        get_peer("x")


@pytest.mark.parametrize("name", ["trafilatura", "readability", "resiliparse", "html-text", "boilerpy3-article"])
def test_a_peer_that_is_not_installed_is_rejected(name, monkeypatch):
    for module in ("trafilatura", "readability", "resiliparse", "html_text", "boilerpy3"):
        monkeypatch.setitem(sys.modules, module, None)
    # readability-lxml asks for another chardet
    packages = "--no-deps readability-lxml" if name == "readability" else r"'scrapy-web2text\[bench\]'"
    with pytest.raises(ValueError, match=rf"--peers: {name} is not installed .*: pip install {packages}$"):
        get_peer(name)


def fake(name, **attributes):
    module = ModuleType(name)
    module.__dict__.update(attributes)
    return module


def say_options(html, **options):
    return " ".join(f"{name}={value}" for name, value in options.items())


class Document:
    def __init__(self, html):
        self.html = html

    def summary(self):
        return self.html


def fake_boilerpy3():
    """Modules whose extractors give their name, *raise_on_failure*, and the page."""

    def extractor(name):
        return lambda *, raise_on_failure: SimpleNamespace(get_content=lambda html: f"{name} {raise_on_failure} {html}")

    names = ("DefaultExtractor", "ArticleExtractor", "LargestContentExtractor")
    extractors = fake("e", **{name: extractor(name) for name in names})
    return {"boilerpy3": fake("b", extractors=extractors), "boilerpy3.extractors": extractors}


TRAFILATURA = {"trafilatura": fake("t", extract=say_options)}
READABILITY = {"readability": fake("r", Document=Document)}
RESILIPARSE = {
    "resiliparse": fake("r"),
    "resiliparse.extract": fake("e"),
    "resiliparse.extract.html2text": fake("h", extract_plain_text=lambda html, main_content: html * main_content),
}


@pytest.mark.parametrize(
    ("name", "modules", "html", "text"),
    [
        ("trafilatura", {"trafilatura": fake("t", extract=str.upper)}, "a", "A"),
        ("trafilatura", {"trafilatura": fake("t", extract=lambda html: None)}, "a", ""),
        ("trafilatura-no-comments", TRAFILATURA, "a", "include_comments=False"),
        ("trafilatura-precision", TRAFILATURA, "a", "favor_precision=True"),
        ("trafilatura-recall", TRAFILATURA, "a", "favor_recall=True"),
        ("readability", READABILITY, "<p>a <b>b</b></p>", "a b"),
        ("readability", READABILITY, "", ""),
        ("resiliparse", RESILIPARSE, "a", "a"),
        ("html-text", {"html_text": fake("h", extract_text=str.upper)}, "a", "A"),
        ("boilerpy3-default", fake_boilerpy3(), "<BODY>a", "DefaultExtractor False <html><BODY>a"),
        ("boilerpy3-article", fake_boilerpy3(), "<body id=x>a", "ArticleExtractor False <html><body id=x>a"),
        (
            "boilerpy3-largest",
            fake_boilerpy3(),
            "<p>anybody <bodyguard>",
            "LargestContentExtractor False <html><body><p>anybody <bodyguard></body></html>",
        ),
    ],
)
def test_peers_are_called_with_their_defaults_but_for_what_their_name_says(name, modules, html, text, monkeypatch):
    for module, replacement in modules.items():
        monkeypatch.setitem(sys.modules, module, replacement)
    assert get_peer(name)(html) == text


@pytest.mark.parametrize("kind", ["default", "article", "largest"])
@pytest.mark.parametrize("markup", ["<body>{}</body>", "{}</i></div>"], ids=["body", "no body, stray end tags"])
def test_boilerpy3_finds_a_long_text(kind, markup, caplog):
    pytest.importorskip("boilerpy3", reason="boilerpy3 is not installed (extra bench)")
    sentence = "When the river rose again in May, the whole valley heard of it, and people came to see it. "
    links = "<ul><li><a href='/a'>Home<a href='/b'>News</a></a></li></ul>"
    text = get_peer(f"boilerpy3-{kind}")(markup.format(f"{links}<p>{sentence * 5}</p><p>{sentence}</p>{links}"))
    assert (sentence * 5).strip() in text
    assert not caplog.records
