from __future__ import annotations

import gc
import json
import logging
import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from lxml import etree, html
from mockserver import SENTENCE, article
from msgspec.structs import replace
from parsel import Selector
from places import PAGES, ROOT
from random_models import make_tensors, write_model
from slow_labeler import SlowLabeler
from strategies import html_trees

from scrapy_web2text import exceptions
from scrapy_web2text.answer import labels
from scrapy_web2text.content.content import Content
from scrapy_web2text.exceptions import ModelError, PageError
from scrapy_web2text.extraction import Extraction, Label
from scrapy_web2text.extractor import Extractor, extract
from scrapy_web2text.labelers import registry
from scrapy_web2text.labelers.registry import get_labeler, get_rules
from scrapy_web2text.options import DEFAULT_MODEL, Options
from scrapy_web2text.page.arrays import Page

RULES = "shallow:numwords"
handwritten = pytest.mark.parametrize("path", PAGES, ids=[path.stem for path in PAGES])


@pytest.fixture(scope="module")
def uniform(tmp_path_factory):
    """A model that gives every block the probability 0.5."""
    tensors = {name: np.zeros_like(tensor) for name, tensor in make_tensors().items()}
    return str(write_model(tmp_path_factory.mktemp("models") / "uniform", tensors=tensors, name="uniform"))


@pytest.fixture(scope="module")
def keeping(tmp_path_factory):
    """A model that labels every block CONTENT."""
    return str(write_model(tmp_path_factory.mktemp("models") / "keeping", content_odds=50.0, name="keeping"))


@pytest.fixture(scope="module")
def refusing(tmp_path_factory):
    """A model that labels every block BOILERPLATE, with high probability."""
    return str(write_model(tmp_path_factory.mktemp("models") / "refusing", content_odds=-50.0, lam=0, name="refusing"))


def answer_of(extraction: Extraction) -> dict[str, object]:
    return {**extraction.to_dict(), "elapsed": None, "encoding": None, "encoding_source": None}


# Answers


def test_the_rules_find_the_main_content_of_a_page():
    extraction = extract(article(), "http://example.com/", model=RULES)
    assert extraction.text == "\n".join(["The bridge", *[f"{SENTENCE} {SENTENCE}"] * 3])
    assert (extraction.title, extraction.url) == ("The bridge", "http://example.com/")
    assert (extraction.method, extraction.model, extraction.reason) == ("rules", RULES, None)
    assert (extraction.n_blocks, extraction.n_content) == (9, 4)
    assert 0.5 < extraction.confidence < 1
    assert {block.label: block.probability > 0.5 for block in extraction.blocks} == {
        Label.BOILERPLATE: False,
        Label.CONTENT: True,
    }
    assert extraction.elapsed > 0


def test_a_model_answers_with_probabilities_and_confidence(uniform):
    extraction = extract(article(), model=uniform, threshold=0.4)
    assert (extraction.method, extraction.model, extraction.reason) == ("model", "uniform", None)
    assert extraction.n_content == extraction.n_blocks == len(extraction.blocks) == 9
    assert [block.probability for block in extraction.blocks] == [0.5] * 9
    assert extraction.confidence == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<p>Hello world, this is a small page.</p>", "Hello world, this is a small page."),
        ("<article><h1>A title</h1><p>A short paragraph.</p></article>", "A short paragraph."),
        (
            "<ul><li><a href=/>Home</a><li><a href=/b>About</a></ul><p>No one objected to it.</p>",
            "No one objected to it.",
        ),
    ],
)
def test_tiny_pages_have_an_answer(html, text):
    assert text in extract(f"<html><body>{html}</body></html>").text


def test_an_answer_without_content_is_not_replaced_by_the_fallback(refusing):
    extraction = extract(article(), model=refusing)
    assert (extraction.text, extraction.method, extraction.reason) == ("", "model", None)
    assert extraction.confidence == pytest.approx(1, abs=1e-3)
    assert extraction.title == "The bridge"


@pytest.mark.parametrize(
    ("blocks", "labels"),
    [
        ("none", []),
        ("content", [Label.CONTENT] * 4),
        ("all", [Label.BOILERPLATE] * 4 + [Label.CONTENT] * 4 + [Label.BOILERPLATE]),
    ],
)
def test_the_blocks_asked_for_are_listed(blocks, labels):
    extraction = extract(article(), model=RULES, blocks=blocks)
    assert [block.label for block in extraction.blocks] == labels
    assert (extraction.n_blocks, extraction.n_content) == (9, 4)


def test_block_texts_make_up_the_main_text_after_the_headline():
    extraction = extract(article(), model=RULES, blocks="content")
    assert "\n".join(block.text for block in extraction.blocks) == extraction.text
    extraction = extract(article(), model=RULES, blocks="content", title="exclude")
    headline, *others = (block.text for block in extraction.blocks)
    assert (headline, "\n".join(others)) == (extraction.title, extraction.text)


@pytest.mark.parametrize(("decoder", "n_content"), [("viterbi", 0), ("marginal", 9)])
def test_threshold_and_decoder_are_passed_to_the_model(uniform, decoder, n_content):
    # A probability equal to the threshold is boilerplate for Viterbi and content for marginals.
    extraction = extract(article(), model=uniform, decoder=decoder, threshold=0.5, fallback=None)
    assert extraction.n_content == n_content


def test_a_threshold_can_be_given_by_name():
    page = (ROOT / "tests" / "pages" / "faq.html").read_bytes()
    named = get_labeler(DEFAULT_MODEL).thresholds
    answers = {name: Extractor(threshold=name).extract(page) for name in named}
    assert set(answers) == {"precision", "balanced", "recall"}
    for name, answer in answers.items():
        assert answer.text == Extractor(threshold=named[name]).extract(page).text
    assert named["precision"] > named["balanced"] > named["recall"]
    assert answers["precision"].n_content <= answers["recall"].n_content
    assert Extractor(threshold=0.9).extract(page).n_content < answers["recall"].n_content


def test_a_model_without_the_named_threshold_is_an_error_and_rules_ignore_it(uniform):
    expected = "has no threshold 'precision'; expected a number, as it has no named thresholds"
    with pytest.raises(ValueError, match=expected):
        Extractor(model=uniform, threshold="precision")
    assert Extractor(model=RULES, threshold="precision").extract(ONE).text == Extractor(model=RULES).extract(ONE).text


def test_options_by_name_override_an_options_object():
    extractor = Extractor(Options(model=RULES, blocks="none"), max_bytes=7)
    assert extractor.options == Options(model=RULES, blocks="none", max_bytes=7)


def test_an_extraction_is_plain_data(uniform):
    extraction = extract(article(), "http://example.com/", model=uniform)
    assert pickle.loads(pickle.dumps(extraction)) == extraction
    assert json.loads(json.dumps(extraction.to_dict())) == extraction.to_dict()


def test_threads_share_an_extractor(uniform):
    extractor = Extractor(model=uniform)
    bodies = [path.read_bytes() for path in PAGES] * 3
    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(lambda body: answer_of(extractor.extract(body)), bodies))
    assert found == [answer_of(extractor.extract(body)) for body in bodies]


# Types of input


def parsed(source: str) -> dict[str, object]:
    """Return a page in every type of input."""
    return {
        "bytes": source.encode("utf-8"),
        "selector": Selector(text=source),
        "lxml.html": html.document_fromstring(source, parser=html.HTMLParser(huge_tree=True)),
        "tree": etree.HTML(source, etree.HTMLParser(huge_tree=True)).getroottree(),
    }


@given(source=html_trees(with_controls=False).map(lambda source: f"<html><body>x{source}y"))
def test_any_page_gives_equal_blocks_in_every_type(source):
    extractor = Extractor(model=RULES)
    expected = answer_of(extractor.extract(source))
    for form in parsed(source).values():
        assert answer_of(extractor.extract(form, encoding="utf-8")) == expected


def test_the_paths_of_blocks_can_be_left_out():
    page = f"<h1>Title</h1><div><p>{SENTENCE} <b>Bold.</b></div>"
    complete, without = (Extractor(model=RULES).extract(page, paths=paths).blocks for paths in (True, False))
    assert len(complete) == 2
    assert without == tuple(replace(block, path=None) for block in complete)


@handwritten
def test_a_given_tree_is_not_changed(uniform, path):
    root = html.document_fromstring(path.read_bytes())
    before = [etree.tostring(node) for node in (root, *root.itersiblings())]
    extract(root, model=uniform)
    extract(Selector(root=root), model=RULES)
    assert [etree.tostring(node) for node in (root, *root.itersiblings())] == before


# Bad pages

ONE = f"<p>{SENTENCE}</p>"
EMPTY = {
    "empty-body": b"<html><head><title></title></head><body></body></html>",
    "no-text": b"<body><img src='x'><script>x</script><br><!-- x --></body>",
    "no-break-spaces": "<p>&nbsp;</p>\u2003",
    "doctype": b"<!DOCTYPE html>",
    "end-tags": b"</p></div></body></html>",
}
ODD = {
    "one-block": (ONE, SENTENCE),
    "no-tags": (SENTENCE, SENTENCE),
    "nested": ("<div>" * 2000 + ONE + "</div>" * 2000, SENTENCE),
    "unclosed": ("<div><b><i>" * 500 + ONE, SENTENCE),
    "long": (f"<p>{(SENTENCE + ' ') * 10_000}</p>", " ".join([SENTENCE] * 10_000)),
    "long-word": ("<p>" + "x" * 1_000_000 + " " + SENTENCE, "x" * 1_000_000 + " " + SENTENCE),
    "attributes": ("<p " + " ".join(f"a{i}='{'x' * 100}'" for i in range(2000)) + ">" + SENTENCE, SENTENCE),
    "after-html": (f"<html><body></body></html>{ONE}", SENTENCE),
}


@pytest.fixture(params=[RULES, "keeping"])
def any_model(request, keeping):
    """The rules and a model."""
    return keeping if request.param == "keeping" else request.param


@pytest.mark.parametrize("source", EMPTY.values(), ids=EMPTY)
def test_a_page_without_text_has_an_empty_answer(any_model, source):
    extraction = extract(source, model=any_model)
    assert (extraction.text, extraction.title, extraction.blocks, extraction.n_blocks) == ("", "", (), 0)
    assert extraction.method in {"model", "rules"}
    assert extraction.reason is None
    assert extraction.confidence == 0.5
    assert extraction.no_main_content


@pytest.mark.parametrize(
    "source",
    [
        *(b"", "", b" \r\n\t ", " \n\xa0", b"\0\0\0", "\ufeff", "\ufeff \n", b"\xef\xbb\xbf\n", b"\xff\xfe \0\n\0"),
        *(b"\xfe\xff", b" " * 5000, " " * 5000, Selector("").xpath("string()")[0]),
    ],
    ids=repr,
)
def test_an_empty_page_has_no_answer(any_model, source):
    extraction = extract(source, model=any_model, url="http://example.com/")
    expected = Extraction(page_kind="empty", reason="empty_body", url="http://example.com/", elapsed=extraction.elapsed)
    assert extraction == expected
    assert not extraction.no_main_content


@pytest.mark.parametrize("source", [b" " * 5000 + b"a", "\ufeff" + " " * 5000 + "a", b"\xff\xfea\0"], ids=repr)
def test_a_page_of_one_letter_is_not_empty(source):
    assert extract(source, model=RULES).n_blocks == 1


@pytest.mark.parametrize(("source", "text"), ODD.values(), ids=ODD)
def test_an_odd_page_is_read(any_model, source, text):
    extraction = extract(source, model=any_model)
    assert extraction.text == text
    assert extraction.reason is None


@pytest.mark.parametrize("model", [RULES, DEFAULT_MODEL])
def test_no_part_of_the_answer_holds_characters_that_xml_forbids(model):
    dirty = "The\x01 old&#x1F; bri\x1bdge\ufffe"
    page = f"<title>{dirty}</title><h1>{dirty}</h1>" + f"<p>{dirty} <img alt='{dirty}' src='/{dirty}'> {SENTENCE}" * 4
    answer = extract(page, "http://a.example/", model=model, html=True, markdown=True, paragraphs=True).to_dict()
    assert SENTENCE in answer["text"]
    etree.Element("answer").text = json.dumps(answer, ensure_ascii=False)  # raises ValueError otherwise
    assert "\\u00" not in json.dumps(answer, ensure_ascii=False)


@pytest.mark.parametrize(
    "page", [ONE, ONE.encode(), *(ONE + x * 50 for x in ("é", "日", "\U0001f600", "\ud800"))], ids=ascii
)
def test_a_page_of_more_than_max_bytes_is_not_read(page):
    n_bytes = len(page) if isinstance(page, bytes) else len(page.encode(errors="surrogatepass"))
    for limit in (n_bytes, None):
        extraction = extract(page, model=RULES, max_bytes=limit)
        assert (extraction.text.split("\n")[0], extraction.reason) == (SENTENCE, None)
    extraction = extract(page, model=RULES, max_bytes=n_bytes - 1)
    assert (extraction.text, extraction.method, extraction.reason) == ("", "none", "max_bytes")


def test_a_function_takes_the_encoding_of_bytes_too():
    body = f"<meta charset=utf-8><p>Größe {SENTENCE}".encode("cp1252")
    assert extract(body, model=RULES, encoding="cp1252").text == f"Größe {SENTENCE}"


def test_arguments_of_other_types_are_errors_that_name_the_expected_ones():
    for value in (None, 7, {"html": ONE}, Selector(text='{"a": {"b": 1}}', type="json").jmespath("a")):
        with pytest.raises(TypeError, match="expected bytes, str, a response, a Selector or an lxml tree"):
            extract(value, model=RULES)
    for options in ({"threshold": 0.5}, {}, "shallow", 5):
        with pytest.raises(ValueError, match=r"^options: expected Options, or options by name .* got "):
            Extractor(options)


@pytest.mark.parametrize(
    ("html", "hint"),
    [
        ("https://example.com/story?a=1", "a URL; fetch it first"),
        (" https://example.com/story\n", "a URL; fetch it first"),
        (r"C:\pages\story.htm", "a path; read the file first"),
        (f"https://example.com/ {SENTENCE}", None),
        ("<p>story.html", None),
        ("https://example.com<br>Boats", None),
    ],
    ids=["url", "url-in-spaces", "path", "text", "markup", "markup-after-url"],
)
def test_a_url_or_a_path_instead_of_a_page_is_one_warning(html, hint, caplog):
    exceptions.warn_once.cache_clear()
    for _ in range(2):
        extract(html, model=RULES)
    assert caplog.messages == ([f"html looks like {hint} and pass its HTML"] if hint else [])


def test_words_that_could_not_be_decoded_lower_the_confidence(any_model):
    """The replacement character as such: no other encoding can read the page."""
    broken = article().replace("harbour", "harb\ufffdur").replace(" the ", " th\ufffd ")
    whole, read = extract(article(), model=any_model), extract(broken, model=any_model)
    words = read.text.split()
    n_unread = sum("\ufffd" in word for word in words)
    assert 0 < n_unread < len(words)
    least = {"min_confidence": (read.confidence + whole.confidence) / 2, "on_low_confidence": "flag"}
    assert read.confidence == pytest.approx(whole.confidence * (1 - n_unread / len(words)), rel=0.1)
    assert extract(broken, model=any_model, **least).low_confidence
    assert not extract(article(), model=any_model, **least).low_confidence


# Fallbacks


@pytest.fixture
def bad_folder(tmp_path):
    return str(tmp_path / "missing")


@pytest.mark.parametrize(
    "options", [{}, {"fallback": None}, {"fallback": None, "on_missing_model": "fallback"}], ids=str
)
def test_a_model_that_cannot_be_loaded_is_an_error_which_names_the_rules_if_there_are_any(bad_folder, options):
    with pytest.raises(ModelError, match="expected") as caught:
        Extractor(model=bad_folder, **options)
    assert bad_folder in str(caught.value)
    assert str(caught.value).endswith('. For answers by rules, set on_missing_model="fallback"') == (not options)
    assert ("on_missing_model" in str(caught.value)) == (not options)


def test_the_rules_answer_with_one_warning_if_the_options_say_so(bad_folder, caplog):
    for _ in range(3):
        extraction = extract(article(), model=bad_folder, on_missing_model="fallback")
        assert (extraction.method, extraction.model, extraction.reason) == ("rules", RULES, "no_model")
        assert extraction.n_content == 4
    (record,) = caplog.records
    assert record.levelno == logging.WARNING
    assert bad_folder in record.getMessage()
    assert record.getMessage().startswith(f"The option model cannot be loaded, and the rules {RULES} answer: ")


@pytest.fixture
def overflowing_model(tmp_path):
    tensors = make_tensors()
    tensors["unary.0.weight"][:] = 3e38
    return str(write_model(tmp_path / "overflowing", tensors=tensors))


@pytest.fixture
def slow_model(monkeypatch):
    def get_labeler(name: str) -> SlowLabeler:
        assert name == "slow"
        return SlowLabeler()

    monkeypatch.setattr(registry, "get_labeler", get_labeler)
    return "slow"


TIMEOUT = 60  # seconds, more than a page takes on any machine
CASES = {
    "too_large": ("uniform", {"max_blocks": 8}),
    "model_error": ("overflowing_model", {}),
    "timeout": ("slow_model", {"timeout": TIMEOUT}),
    "empty": ("uniform", {}),
    "low_confidence": ("uniform", {"threshold": 0.4, "min_confidence": 0.7, "on_low_confidence": "fallback"}),
}


@pytest.mark.parametrize(("reason", "case"), CASES.items(), ids=CASES)
def test_the_rules_answer_with_the_reason_if_the_model_cannot_and_without_rules_the_text_is_empty(
    request, reason, case
):
    name, options = case
    model = request.getfixturevalue(name)
    extraction = extract(article(), model=model, **options)
    assert (extraction.method, extraction.model, extraction.reason) == ("rules", RULES, reason)
    assert extraction.text.count(SENTENCE) == 6
    assert (extraction.confidence > 0.8, extraction.low_confidence) == (True, False)
    assert len(extraction.blocks) == extraction.n_blocks == 9
    extraction = extract(article(), model=model, fallback=None, **options)
    assert (extraction.method, extraction.model, extraction.reason) == ("none", None, reason)
    assert (extraction.text, extraction.blocks, extraction.title) == ("", (), "The bridge")


def test_the_text_is_empty_if_the_rules_take_too_long_too(slow_model, monkeypatch):
    monkeypatch.setattr(registry, "get_rules", lambda name: SlowLabeler())
    extraction = extract(article(), model=slow_model, timeout=TIMEOUT)
    assert (extraction.text, extraction.method, extraction.reason) == ("", "none", "timeout")
    assert extraction.title == "The bridge"


def test_an_empty_answer_with_few_expected_words_is_kept(uniform):
    extraction = extract("<body><p>" + "word " * 99, model=uniform)
    assert (extraction.text, extraction.method, extraction.reason) == ("", "model", None)


@pytest.mark.parametrize(
    ("least", "action", "is_low"),
    [(0.7, "flag", True), (0.7, "drop", True), (0.7, "keep", False), (0.6, "fallback", False)],
)
def test_an_answer_below_the_least_confidence_is_flagged_unless_it_is_kept(uniform, least, action, is_low):
    extraction = extract(article(), model=uniform, threshold=0.4, min_confidence=least, on_low_confidence=action)
    plain = extract(article(), model=uniform, threshold=0.4)
    assert (extraction.method, extraction.text) == ("model", plain.text)
    assert extraction.low_confidence == extraction.summary.get("low_confidence", False) == is_low


@pytest.mark.parametrize(("model", "answering", "reason"), [("shallow", RULES, None), ("bte", RULES, "low_confidence")])
def test_rules_of_low_confidence_fall_back_to_other_rules_only(model, answering, reason):
    extraction = extract(article(), model=model, min_confidence=1, on_low_confidence="fallback")
    assert (extraction.method, extraction.model) == ("rules", answering)
    assert (extraction.low_confidence, extraction.reason) == (True, reason)


def test_rules_without_a_table_answer_without_probabilities(monkeypatch):
    monkeypatch.setattr(get_rules(RULES), "group_probabilities", None)
    extraction = extract(article(), model=RULES, min_confidence=0.5)
    assert (extraction.n_content, extraction.confidence, extraction.low_confidence) == (4, None, False)
    assert {block.probability for block in extraction.blocks} == {None}


# No main content

BANNER = "<p>We and our partners use cookies to store information on your device, and you may change this at any time."
LINKS = "<body><ul>" + "<li><a href='/x'>Some words of a link</a></li>" * 40 + "</ul>"


@pytest.mark.parametrize("page", [LINKS, LINKS + BANNER], ids=["nothing", "banner"])
def test_the_answer_for_an_empty_page_is_not_its_cookie_banner(uniform, page):
    extraction = extract(page, model=uniform)
    assert (extraction.text, extraction.method, extraction.model) == ("", "model", "uniform")
    assert extraction.reason is None
    assert extraction.no_main_content
    assert extraction.summary["no_main_content"] is True
    assert extraction.confidence == 0


def test_an_answer_of_low_confidence_is_not_replaced_by_a_cookie_banner(uniform):
    options = {"threshold": 0.4, "min_confidence": 0.9, "on_low_confidence": "fallback"}
    extraction = extract(LINKS + BANNER, model=uniform, **options)
    assert (extraction.method, extraction.low_confidence, extraction.no_main_content) == ("model", True, False)


def test_the_answer_of_the_model_is_kept_if_the_rules_take_too_long(uniform, monkeypatch):
    monkeypatch.setattr(registry, "get_rules", lambda name: SlowLabeler())
    extraction = extract(article(), model=uniform, timeout=TIMEOUT)
    assert (extraction.method, extraction.no_main_content, extraction.reason) == ("model", True, "timeout")


def test_an_answer_with_text_and_a_missing_answer_are_not_no_main_content():
    assert not extract(article(), model=RULES).no_main_content
    extraction = extract(b"%PDF-1.7", model=RULES)
    assert (extraction.no_main_content, extraction.reason) == (False, "not_html")
    assert "no_main_content" not in extraction.summary


def test_rules_can_answer_that_a_page_has_no_main_content():
    extraction = extract(LINKS, model="shallow:density+largest", fallback=None)
    assert (extraction.method, extraction.no_main_content, extraction.reason) == ("rules", True, None)


# Other reasons


def test_a_page_of_60000_blocks_is_too_large(keeping):
    extraction = extract("<body>" + "<p>a" * 60_000 + ONE, model=keeping, blocks="content")
    assert (extraction.method, extraction.reason) == ("rules", "too_large")
    assert (extraction.text, extraction.n_blocks) == (f"a\n{SENTENCE}", 60_001)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"model": "none"}, "unknown model 'none'"),
        ({"model": "shallow:none"}, "unknown rules 'shallow:none'"),
        ({"model": RULES, "fallback": "none"}, "unknown rules 'none'"),
    ],
    ids=["model", "rules", "fallback"],
)
def test_an_invalid_option_is_an_error_when_the_extractor_is_made(options, message):
    with pytest.raises(ValueError, match=message):
        Extractor(**options)


def test_the_reason_of_a_page_error_is_kept(monkeypatch, slow_model):
    def fail(*_: object, **__: object) -> None:
        raise PageError("too_odd", "no")

    monkeypatch.setattr(SlowLabeler, "label", fail)
    assert extract(article(), model=slow_model).reason == "too_odd"


@pytest.mark.parametrize("model", ["shallow", "web2text-2026"])
def test_the_tree_is_freed_with_the_answer_and_not_by_the_garbage_collector(model):
    extractor = Extractor(model=model, html=True, markdown=True, paragraphs=True)
    page = (ROOT / "tests" / "pages" / "blog-many-comments.html").read_bytes()

    def count_kept() -> int:
        # Not isinstance: it reads `__class__`, and torch warns about its deprecated objects then.
        return sum(issubclass(type(kept), (etree._Element, Page, Content)) for kept in gc.get_objects())

    extractor.extract(page)
    gc.collect()
    gc.disable()
    try:
        before = count_kept()
        extractor.extract(page)
        assert count_kept() == before
    finally:
        gc.enable()


def test_content_that_the_options_leave_out_is_not_sought_in_scripts():
    rows = "<tr><td>Lamps on the north pier<td>a jug of oil, filled to the brim</tr>" * 8
    script = json.dumps({"@type": "Article", "articleBody": f"{SENTENCE} " * 9})
    head = f"<head><script type=application/ld+json>{script}</script></head>"
    page = f"<html>{head}<body><p>Each night.</p><table>{rows}</table></body></html>"
    answers = [extract(page, model="shallow:all", tables=tables) for tables in ("keep", "drop")]
    assert [answer.method for answer in answers] == ["rules", "rules"]
    assert answers[1].text == "Each night."


# Fragments

QUESTIONS = "<h2>How do I return an item?</h2><p>Send it back within 30 days.</p><h2>Who pays?</h2><p>We do.</p>"
ANSWERS = "How do I return an item?\nSend it back within 30 days.\nWho pays?\nWe do."


def test_a_fragment_is_answered_with_everything_that_a_reader_sees():
    extraction = extract(QUESTIONS)
    assert (extraction.text, extraction.method, extraction.model) == (ANSWERS, "fragment", None)
    assert (extraction.confidence, extraction.reason) == (None, None)
    assert (extraction.n_blocks, extraction.n_content) == (4, 4)
    assert [block.probability for block in extraction.blocks] == [None] * 4
    assert not extraction.no_main_content


def test_elements_and_selectors_below_the_body_are_fragments():
    page = Selector(
        text=f"<html><head><title>t</title></head><body><nav>No</nav><main>{QUESTIONS}</main></body></html>"
    )
    for part in (page.css("main"), page.css("main")[0], page.css("main")[0].root, page.css("main").get()):
        extraction = extract(part)
        assert (extraction.text, extraction.method) == (ANSWERS, "fragment")
    assert extract(page.css("h2, p")).text == ANSWERS
    assert extract(page.css("h2::text")).text == "How do I return an item? Who pays?"
    assert extract(page.css("h2::text")[1]).text == "Who pays?"
    assert extract(page.css("article")).reason == "empty_body"
    assert extract(page, model=RULES).method == extract(page.css("body"), model=RULES).method == "rules"
    assert extract(page.css("body, nav"), model=RULES).method == "rules"


def test_all_forms_of_a_fragment_are_written():
    forms = {"html": True, "markdown": True, "paragraphs": True, "metadata": True}
    extraction = extract(f"<h1>Returns</h1>{QUESTIONS}", title="include", **forms)
    assert extraction.title == "Returns"
    assert extraction.html is not None
    assert extraction.html.replace("\n", "") == f"<h1>Returns</h1>{QUESTIONS}"
    assert extraction.markdown is not None
    assert extraction.markdown.startswith("# Returns\n\n## How do I return an item?\n\nSend it")
    assert [paragraph.kind for paragraph in extraction.paragraphs] == ["heading", *["heading", "paragraph"] * 2]
    assert {paragraph.probability for paragraph in extraction.paragraphs} == {None}
    assert extraction.metadata is not None
    assert extraction.metadata.title == "Returns"


def test_the_option_fragment_decides():
    page = f"<html><body><nav>No</nav>{QUESTIONS}</body></html>"
    assert extract(page, model=RULES).method == "rules"
    assert (extract(page, fragment=True).method, extract(page, fragment=True).text) == ("fragment", ANSWERS)
    assert extract(QUESTIONS, model=RULES, fragment=False).method == "rules"
    (element,) = Selector(text=page).css("p:last-child")
    assert extract(element, model=RULES, fragment=False).method == "rules"


def test_a_short_fragment_is_not_answered_with_the_scripts_of_its_document():
    body = json.dumps({"@type": "Article", "articleBody": f"{SENTENCE} " * 20})
    page = Selector(text=f'<html><script type="application/ld+json">{body}</script><p>Who pays?</p></html>')
    assert extract(page, model=RULES).method == "structured-data"
    assert extract(page.css("p")).text == "Who pays?"


def test_a_fragment_that_takes_too_long_is_answered_by_others(monkeypatch, slow_model):
    monkeypatch.setattr(labels, "FRAGMENT", SlowLabeler())
    extraction = extract(article(), model=slow_model, fragment=True, timeout=TIMEOUT)
    assert (extraction.method, extraction.reason) == ("rules", "timeout")
