"""The quality signals of a text: small cases by hand, properties, and datatrove's own values."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mockserver import article
from places import PAGES
from steps import count_steps

from scrapy_web2text import Extractor
from scrapy_web2text.exceptions import WorkerRefused
from scrapy_web2text.extraction import Quality
from scrapy_web2text.features import quality
from scrapy_web2text.features.quality import measure_quality
from scrapy_web2text.features.texts import split_words
from scrapy_web2text.workers.answers import decode_answer, encode_answer

RULES = "shallow:numwords"
LIST = '- tea\n- tea\n* milk ...\nAll of it is with the #1 {cup}. "Is it?"\n\n- tea'
TEXTS = [
    LIST,
    "",
    "one",
    "the be to of and that " * 30,
    "a b a b a b a b a b a b a b",
    "Lorem ipsum\n" * 9,
    "Weather…\n\nWind…",
]
any_text = st.text() | st.text(alphabet="ab .\n#…-中。हि")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("n_words", 14),
        ("avg_word_length", 37 / 14),
        ("stop_word_ratio", 3 / 14),
        ("n_stop_words", 3),
        ("alpha_words_ratio", 13 / 14),
        ("symbol_word_ratio", 1 / 14),
        ("n_sentences", 3),
        ("n_lines", 5),
        ("short_line_ratio_chars_30", 4 / 5),
        ("lines_ending_with_terminal_mark_ratio", 2 / 5),
        ("bullet_point_lines_ratio", 4 / 5),
        ("ellipsis_lines_ratio", 1 / 5),
        ("line_duplicates", 2 / 5),
        ("line_char_duplicates", 10 / (15 + 10 + 40)),
        ("paragraph_duplicates", 0.0),
        ("top_2_gram", 7 / 70),
        ("curly_bracket", 1.0),
        ("lorem_ipsum", 0.0),
    ],
)
def test_a_small_text_has_the_signals_that_a_reader_counts(name, value):
    assert measure_quality(LIST)[name] == pytest.approx(value)


def test_repeated_runs_do_not_overlap_and_an_empty_text_has_no_signals():
    found = measure_quality("a b c d e a b c d e")
    assert found["duplicated_5_n_grams"] == 5 / 19
    assert found["duplicated_6_n_grams"] == 0
    assert found["top_2_gram"] == 6 / 19
    assert set(measure_quality("").values()) == {0}


def test_full_stops_and_words_of_other_scripts_count():
    found = measure_quality("今天下雨。明天也下雨！\n路很湿。")
    assert (found["n_words"], found["n_sentences"]) == (12, 3)
    assert found["lines_ending_with_terminal_mark_ratio"] == 1


@given(any_text)
def test_signals_are_finite_and_shares_are_between_0_and_1(text):
    found = measure_quality(text)
    assert [*found] == [*Quality.__annotations__]
    assert all(math.isfinite(value) and value >= 0 for value in found.values())
    shares = {name: value for name, value in found.items() if not name.startswith(("n_", "avg_", "symbol_"))}
    assert max(shares.values()) <= 1


def test_the_signals_of_a_long_text_are_those_of_its_beginning(monkeypatch):
    monkeypatch.setattr(quality, "_MOST_CHARACTERS", 10)
    assert measure_quality("It is so. And so on {…}\n" * 5) == measure_quality("It is so. ")


# test_patterns.py judges the regular expressions.
@pytest.mark.parametrize("text", ["a\n", "a b ", "a, b. ", "中文"])
def test_a_hostile_text_takes_linear_time(text):
    _, small, large = (count_steps(measure_quality, text * n) for n in (1, 100, 800))  # the first loads tables
    assert large < 12 * small  # 64 times if it were quadratic


def test_an_answer_has_the_signals_of_its_text_if_the_option_asks_for_them():
    extractor = Extractor(model=RULES, quality=True)
    answer = extractor.extract(article())
    assert answer.quality == measure_quality(answer.text)
    assert answer.to_dict()["quality"]["avg_word_length"] == round(answer.quality["avg_word_length"], 4)
    assert decode_answer(encode_answer(answer))[0] == answer
    assert "quality" not in Extractor(model=RULES).extract(article()).to_dict()
    assert extractor.extract(b"").quality is None


@pytest.mark.parametrize("forged", [{"n_words": 1}, dict.fromkeys(Quality.__annotations__, "1"), [1]])
def test_a_forged_answer_is_refused(forged):
    message = json.loads(encode_answer(Extractor(model=RULES, quality=True).extract(article())))
    message["extraction"]["quality"] = forged
    with pytest.raises(WorkerRefused, match="something other than an answer"):
        decode_answer(json.dumps(message).encode())


def by_datatrove(text, folder, monkeypatch):
    """Return datatrove's statistics of *text*, and the names of the rules that its filters would drop it by."""
    data = pytest.importorskip("datatrove.data", reason="needs datatrove")
    for module in ("tldextract", "tokenizers", "regex"):
        pytest.importorskip(module, reason=f"needs {module}")
    from datatrove.pipeline.filters import gopher_repetition_filter as repetition
    from datatrove.pipeline.stats import LineStats, ParagraphStats, WordStats, word_stats

    class Words:
        word_tokenize = staticmethod(split_words)

    monkeypatch.setattr(word_stats, "load_word_tokenizer", lambda _: Words)
    document = data.Document(text=text, id="a")
    found = {}
    for kind, options in ((WordStats, {}), (LineStats, {"ignore_empty_lines": True}), (ParagraphStats, {})):
        step = object.__new__(kind)
        with monkeypatch.context() as patch:
            patch.setattr("tldextract.TLDExtract", lambda: None)
            step.__init__(str(folder), **options)
        found |= step.extract_stats(document)
    words = split_words(text)
    for n in (2, 3, 4):
        runs = repetition.get_n_grams(words, n)
        top = repetition.find_top_duplicate(runs) if runs else 0
        found[f"top_{n}_gram"] = min(1, top / max(len(text), 1))
    for n in range(5, 11):
        found[f"duplicated_{n}_n_grams"] = repetition.find_all_duplicate(words, n) / max(len(text), 1)
    return found


@pytest.mark.parametrize("text", [*TEXTS, *(page.stem for page in PAGES[::9])])
def test_datatrove_has_the_same_values(text, tmp_path, monkeypatch):
    paths = {page.stem: page for page in PAGES}
    if text in paths:
        text = Extractor(model=RULES, text_layout="paragraphs").extract(paths[text].read_bytes()).text
    found, theirs = measure_quality(text), by_datatrove(text, tmp_path, monkeypatch)
    theirs["n_lines"] -= sum(not line.strip() for line in text.split("\n"))  # it counts those that are empty
    if any(mark in text for mark in "。！？｡؟۔।"):
        del theirs["lines_ending_with_terminal_mark_ratio"]  # it knows those of European languages only
    shared = found.keys() & theirs.keys()
    assert len(shared) > 15
    assert {name: found[name] for name in shared} == pytest.approx({name: theirs[name] for name in shared})
