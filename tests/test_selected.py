"""The options ``include``, ``exclude``, ``title_selector`` and ``languages`` of an extraction."""

from __future__ import annotations

import json
import pickle

import pytest
from fuzz.oracles import check_answer
from fuzz.targets import HOSTILE
from mockserver import SENTENCE

from scrapy_web2text import Extractor, Label, Options, extract
from scrapy_web2text import extractor as extractor_module
from scrapy_web2text.answer import trace
from scrapy_web2text.options import OptionError

GERMAN = "Die alte Brücke über den Fluss wurde im Frühjahr jenes Jahres von den Leuten der Stadt neu gebaut. " * 3
PAGE = f"""<html><head><title>The site</title></head><body><nav><a href=/>Home</a></nav><main><h1>A headline</h1>
<div class=story><p>A short note.</p><div class=promo>Buy it!</div><img src=/i.png alt=i><p>The end.</p></div></main>
<p>{SENTENCE} {SENTENCE} {SENTENCE}</p></body></html>"""


def test_the_text_is_that_of_the_included_elements():
    answer = extract(PAGE, include="main .story")
    assert (answer.method, answer.model, answer.confidence) == ("selector", None, None)
    assert answer.text == "A short note.\nBuy it!\nThe end."
    assert (answer.reason, answer.no_main_content, answer.n_content) == (None, False, 3)
    assert [block.text for block in answer.blocks if block.label is Label.CONTENT] == answer.text.split("\n")
    assert {block.probability for block in answer.blocks} == {None}


def test_excluded_elements_are_not_part_of_it():
    answer = extract(PAGE, include=["main .story"], exclude=".promo", markdown=True, html=True)
    assert answer.text == "A short note.\nThe end."
    assert "Buy" not in f"{answer.html}{answer.markdown}"
    assert '<img src="/i.png" alt="i">' in (answer.html or "")  # next to text that is not content


def test_included_elements_that_are_all_excluded_are_an_answer_without_content():
    answer = extract(PAGE, include=".story", exclude="main")
    assert (answer.method, answer.page_kind, answer.text) == ("selector", "empty", "")
    assert (answer.no_main_content, answer.summary["no_main_content"]) == (True, True)


def test_excluded_images_are_not_part_of_the_answer_of_the_model():
    page = f"<body><p>{SENTENCE * 3}</p><figure class=ad><img src=/a.png></figure><p>{SENTENCE * 4}</p></body>"
    assert "<img" in (extract(page, fragment=False, html=True).html or "")
    answer = extract(page, fragment=False, html=True, exclude=".ad")
    assert (answer.method, "<img" in (answer.html or "")) == ("model", False)


def test_images_without_a_source_are_not_selected():
    assert "<img" not in (extract("<div class=x>One.<img><img src=data:x></div>", include=".x", html=True).html or "")


def test_nested_matches_count_once_in_the_order_of_the_page():
    assert extract(PAGE, include=["//p", ".story"]).text.startswith("A short note.\nBuy it!\nThe end.\nThe old")


def test_the_model_answers_where_the_elements_are_missing():
    answer = extract(PAGE, include=".article")
    assert answer.method == "model"
    assert answer.text == extract(PAGE).text
    assert SENTENCE in answer.text


def test_included_elements_win_over_the_data_in_scripts():
    data = json.dumps({"@type": "Article", "articleBody": f"{SENTENCE} " * 6})
    head = f"<head><script type=application/ld+json>{data}</script></head>"
    page = f"<html>{head}<body><p class=x>Closed today.</p></body></html>"
    assert extract(page).method == "structured-data"
    assert extract(page, include=".x").text == "Closed today."


def test_a_fragment_can_be_selected_from():
    assert extract("<p>One.</p><p class=x>Two.</p>", include=".x").text == "Two."


def test_an_xpath_that_fails_on_a_page_costs_the_selection_only(monkeypatch):
    monkeypatch.setattr(trace, "RAISE_ERRORS", False)
    answer = extract(PAGE, include="//p[unknown()]")
    assert (answer.method, answer.reason, answer.error) == ("model", "error", "XPathEvalError")
    assert SENTENCE in answer.text


def test_the_title_is_selected():
    assert extract(PAGE).title == "The site"
    answer = extract(PAGE, title_selector="main h1", metadata=True)
    assert answer.title == "A headline"
    assert answer.metadata is not None
    assert answer.metadata.title == "A headline"


def test_a_title_that_is_not_there_is_found_without_the_selector():
    assert extract(PAGE, title_selector="h2").title == "The site"


@pytest.mark.parametrize(
    ("name", "value", "stored"),
    [
        ("include", "main .story", ("main .story",)),
        ("include", ["main", "//p"], ("main", "//p")),
        ("exclude", (), ()),
        ("languages", "en", ("en",)),
        ("languages", "EN, de-AT,en", ("en", "de")),
        ("languages", ["en", "pt_BR"], ("en", "pt")),
        ("languages", "", ()),
        ("title_selector", "//h1/text()", "//h1/text()"),
    ],
)
def test_selectors_and_languages_are_stored_in_one_form(name, value, stored):
    options = Options(**{name: value})
    assert getattr(options, name) == stored
    assert pickle.loads(pickle.dumps(options)) == options
    assert hash(options) == hash(Options(**{name: stored}))


@pytest.mark.parametrize(
    ("name", "value", "problem"),
    [
        ("include", "main[", r"expected a CSS selector or an XPath, got 'main\['"),
        ("exclude", ["p", "p::text"], "a pseudo-element"),
        ("exclude", "//a/@href", "expected a selector of elements"),
        ("include", 5, "expected a selector or a list of selectors, got 5"),
        ("include", [5], "expected a selector or a list of selectors, got"),
        ("include", [" "], "expected a selector or a list of selectors, got"),
        ("include", {"a": "b"}, "expected a selector or a list of selectors, got"),
        ("include", b"p", "expected a selector or a list of selectors, got"),
        ("title_selector", "", "expected a selector or None, got ''"),
        ("title_selector", "(1)", "expected a selector of elements"),
        ("languages", "english", "expected ISO 639 codes such as 'en', got 'english'"),
        ("languages", [1], "expected ISO 639 codes"),
        ("languages", 7, "expected ISO 639 codes"),
    ],
)
def test_an_invalid_selector_or_language_is_an_error_that_names_the_option(name, value, problem):
    with pytest.raises(OptionError, match=f"^{name}: .*{problem}"):
        Options(**{name: value})


def test_a_text_in_another_language_is_left_out():
    page = f"<html lang=en><title>Die Brücke</title><body><p>{GERMAN}</p></body></html>"
    answer = extract(page, languages="en", html=True)
    assert (answer.text, answer.html, answer.blocks, answer.n_content) == ("", None, (), 0)
    assert (answer.method, answer.model, answer.confidence, answer.reason) == ("none", None, None, "language")
    assert answer.title == "Die Brücke"
    assert answer.field("language") == "de"
    assert not answer.no_main_content


def test_metadata_of_a_text_in_another_language_are_whole():
    page = f"<html><head><meta name=author content='Ada Penn'></head><body><p>{GERMAN}</p></body></html>"
    answer = extract(page, languages=["en", "fr"], metadata=True)
    assert answer.metadata is not None
    assert (answer.metadata.language, answer.metadata.author) == ("de", "Ada Penn")
    assert answer.reason == "language"


@pytest.mark.parametrize("text", [GERMAN, "Kurz.", "1234567890 " * 20], ids=["the-language", "short", "no-words"])
def test_texts_in_the_language_or_in_none_are_kept(text):
    answer = extract(f"<html><body><p>{text}</p></body></html>", languages="de", include="p")
    assert answer.text == text.strip()
    assert (answer.method, answer.reason) == ("selector", None)


def test_languages_need_the_extra(monkeypatch):
    monkeypatch.setattr(extractor_module, "find_spec", lambda name: None)
    with pytest.raises(OptionError, match=r"^languages: needs pip install 'scrapy-web2text\[metadata\]'"):
        Extractor(languages="en")


def test_an_unknown_language_is_an_error_that_lists_the_known_ones():
    with pytest.raises(OptionError, match=r"^languages: expected some of .*, en, .*, got qq, xx$"):
        Extractor(languages="en,xx,qq")


HOSTILE_PAGES = sorted(HOSTILE.glob("*.html"))


@pytest.mark.parametrize("path", HOSTILE_PAGES, ids=[path.stem for path in HOSTILE_PAGES])
def test_elements_of_a_hostile_page_give_a_safe_answer(path):
    page = path.read_bytes()
    forms = {"html": True, "markdown": True, "paragraphs": True, "metadata": True}
    for include, exclude in (("body", "a, p > b"), ("div ~ div, p, td", "//*[@class]"), ((), "div div, p + p")):
        answer = Extractor(include=include, exclude=exclude, **forms).extract(page, "https://a.example/x")
        check_answer(answer, page)
