from __future__ import annotations

import io
from contextlib import redirect_stderr

from scrapy_web2text.cli.output import show_progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_items_are_counted_on_a_terminal():
    with redirect_stderr(Terminal()) as terminal:
        assert list(show_progress(iter(range(1200)), 1200)) == list(range(1200))
        assert terminal.getvalue().startswith("\r1 of 1,200 pages")
        assert terminal.getvalue().endswith("\r1,200 of 1,200 pages\n")
        list(show_progress(iter("ab"), 2, title="epoch 1", unit="steps"))
        assert terminal.getvalue().endswith("\repoch 1: 2 of 2 steps\n")
        list(show_progress(iter("ab"), None))
        assert terminal.getvalue().endswith("\r2 pages\n")


def test_the_count_ends_its_line_when_the_loop_is_interrupted():
    with redirect_stderr(Terminal()) as terminal:
        pages = show_progress(iter(range(9)), 9)
        next(pages)
        next(pages)
        pages.close()
    assert terminal.getvalue().endswith("1 of 9 pages\n")


def test_nothing_is_shown_without_a_terminal(capsys):
    assert list(show_progress(iter("ab"), 2)) == ["a", "b"]
    assert capsys.readouterr().err == ""
