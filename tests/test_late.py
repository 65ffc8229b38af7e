"""Time that runs out, or an error, at any point of an extraction costs the part that is being written, and no more."""

from __future__ import annotations

import time
from functools import partial

import pytest

from scrapy_web2text.answer import sequence, trace
from scrapy_web2text.common import budget as budget_module
from scrapy_web2text.extraction import Extraction
from scrapy_web2text.extractor import Extractor

RULES = "shallow:min-words?n_words=4"
TIMEOUT = 1000
EVERYTHING = {"html": True, "markdown": True, "paragraphs": True, "metadata": True}
SENTENCE = "The old bridge over the river was rebuilt by the people of the town in spring, stone by stone. "
PAGE = f"""<html lang=en><head><title>The bridge - The site</title><meta name=author content="A. Writer">
<script type="application/ld+json">{{"@type": "Article", "datePublished": "2026-01-02", "author": "A"}}</script></head>
<body><nav><ul><li><a href=/a>Read our news about bridges here</a><li><a href=/b>More</a></ul></nav>
<main><h1>The bridge</h1><p>{SENTENCE * 3}<b>bold</b> <i>text</i></p><img src=/x.png><p>{SENTENCE * 3}
<ol><li>One stone for the bridge<li>Two stones for it</ol><pre>x = 1
y = 2</pre><table><tr><th>a<th>b<tr><td colspan=2>c</table>{SENTENCE * 2}<x-y>word</x-y></main>"""
# In the order in which they are written.
PARTS = ("title", "text", "page_kind", "blocks", "html", "markdown", "paragraphs", "metadata")
WRITERS = (
    *("find_headline", "content_text", "judge_page", "export_blocks"),
    *("html", "markdown", "write_paragraphs", "read_metadata"),
)


class Clock:
    """The CPU time of the thread, *seconds* more from a reading on; *error* is raised at that reading only."""

    def __init__(self, reading: int = 0, seconds: float = 0, error: Exception | None = None) -> None:
        self.n_readings = 0
        self._reading, self._seconds, self._error = reading, seconds, error

    def read(self) -> float:
        self.n_readings += 1
        if self.n_readings == self._reading and self._error is not None:
            raise self._error
        return time.thread_time() + self._seconds * (self.n_readings >= self._reading)


@pytest.fixture
def late(monkeypatch):
    """Return the answer for PAGE by a clock, and how often each part of it was begun."""
    begun: list[str] = []

    def record(name, function, *args, **options):
        begun.append(name)
        return function(*args, **options)

    for name in WRITERS:
        functions = sequence.FORMS if name in sequence.FORMS else vars(sequence)
        monkeypatch.setitem(functions, name, partial(record, name, functions[name]))
    monkeypatch.setattr(trace, "RAISE_ERRORS", False)
    monkeypatch.setattr(trace, "_logged_errors", {"LookupError"})
    monkeypatch.setattr(budget_module, "monotonic", lambda: float("inf"))  # so that the other clock is always read

    def extract(clock: Clock, page: str = PAGE, **options) -> tuple[Extraction, dict[str, int]]:
        begun.clear()
        monkeypatch.setattr(budget_module, "thread_time", clock.read)
        extractor = Extractor(fallback=RULES, timeout=TIMEOUT, **options)
        return extractor.extract(page, "http://a.example/"), {name: begun.count(name) for name in WRITERS}

    return extract


def parts_of(answer: Extraction) -> dict[str, object]:
    return {name: getattr(answer, name) for name in PARTS if getattr(answer, name) not in ("", (), None)}


def whole_answers(late) -> tuple[dict[str, Extraction], int]:
    """Return the answers by the model and by the rules, and how often the clock is read for the model's."""
    clock = Clock()
    by_model, begun = late(clock, **EVERYTHING)
    by_rules, _ = late(Clock(), **EVERYTHING, model=RULES)
    assert by_model.reason is None
    assert begun == dict.fromkeys(begun, 1)
    assert (*parts_of(by_model),) == (*parts_of(by_rules),) == PARTS
    assert by_model.text != by_rules.text
    return {"model": by_model, "rules": by_rules, "none": by_rules}, clock.n_readings


@pytest.mark.parametrize("seconds", [1.5 * TIMEOUT, 3 * TIMEOUT], ids=["the-rules-have-time", "none-is-left"])
def test_time_that_runs_out_anywhere_costs_the_parts_after_it(late, seconds):
    whole, n_readings = whole_answers(late)
    for reading in range(1, n_readings + 1):
        answer, begun = late(Clock(reading, seconds), **EVERYTHING)
        parts, expected = parts_of(answer), parts_of(whole[answer.method])
        assert max(begun.values()) <= 1
        assert parts.items() <= expected.items()
        assert (*parts,) == PARTS[: len(parts)]
        assert (answer.method == "none") == ("text" not in parts)
        is_late = seconds > 2 * TIMEOUT or answer.method == "rules"
        assert (answer.reason, answer.error) == ("timeout" if is_late else None, None)
        assert is_late or (*parts,) == PARTS


def test_an_error_anywhere_costs_one_part(late):
    whole, n_readings = whole_answers(late)
    all_lost = set()
    for reading in range(1, n_readings + 1):
        answer, begun = late(Clock(reading, error=LookupError("on purpose")), **EVERYTHING)
        parts, expected = parts_of(answer), parts_of(whole[answer.method])
        assert all(expected[name] == part for name, part in parts.items() if name != "metadata")
        assert max(count for name, count in begun.items() if name != "content_text") <= 1
        assert begun["content_text"] <= (2 if answer.method == "rules" else 1)
        lost = tuple(name for name in PARTS if name not in parts)
        all_lost.add(lost)
        # An error costs nothing in a stage without a part, and one value of the metadata while a library reads them.
        said, is_partial = (answer.reason, answer.error), bool(lost) or answer.method == "rules"
        assert said == ("error", "LookupError") or (said == (None, None) and not is_partial)
    # The page cannot be parsed, or an error costs one part, or the document and what is written from it.
    assert all_lost == {PARTS, (), ("html", "markdown", "paragraphs"), *((name,) for name in PARTS if name != "text")}
