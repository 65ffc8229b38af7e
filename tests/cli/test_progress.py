from __future__ import annotations

import io
from contextlib import redirect_stderr

from scrapy_web2text.cli.output import show_progress
from scrapy_web2text.exceptions import say


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_items_are_counted_on_a_terminal():
    with redirect_stderr(Terminal()) as terminal:
        assert list(show_progress(iter(range(1200)), 1200)) == list(range(1200))
        assert terminal.getvalue().startswith("1 of 1,200 pages\r")
    with redirect_stderr(Terminal()) as terminal:
        list(show_progress(iter("a"), 2, title="epoch 1", unit="step"))
        assert terminal.getvalue().startswith("epoch 1: 1 of 2 steps\r")
    with redirect_stderr(Terminal()) as terminal:
        list(show_progress(iter("a"), None))
        assert terminal.getvalue() == "1 page\r      \r"
    with redirect_stderr(Terminal()) as terminal:
        list(show_progress(iter("a"), 1))
        assert terminal.getvalue().startswith("1 of 1 page\r")


def test_the_count_is_cleared_when_the_loop_is_interrupted():
    with redirect_stderr(Terminal()) as terminal:
        pages = show_progress(iter(range(9)), 9)
        next(pages)
        next(pages)
        pages.close()
    assert terminal.getvalue() == "1 of 9 pages\r" + " " * len("1 of 9 pages") + "\r"


def test_a_message_overwrites_the_count_and_is_wrapped_at_words(monkeypatch):
    monkeypatch.setenv("COLUMNS", "20")
    with redirect_stderr(Terminal()) as terminal:
        say("web2text: skipped a-very-long-name.html: no blocks")
    lines = terminal.getvalue().splitlines()
    assert lines == ["web2text: skipped", "  a-very-long-name.html:", "  no blocks"]


def test_a_message_is_one_line_without_a_terminal(capsys):
    say("word " * 50)
    assert capsys.readouterr().err == "word " * 50 + "\n"


def test_nothing_is_shown_without_a_terminal(capsys):
    assert list(show_progress(iter("ab"), 2)) == ["a", "b"]
    assert capsys.readouterr().err == ""
