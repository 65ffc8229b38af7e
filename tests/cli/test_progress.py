from __future__ import annotations

import io
import sys

from scrapy_web2text.cli.output import show_progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_bar_is_shown_on_a_terminal():
    bar = Terminal()
    assert list(show_progress(iter("abc"), 3, title="epoch 1", unit="batches", file=bar)) == ["a", "b", "c"]
    assert all(part in bar.getvalue() for part in ("epoch 1: 100%", "3/3", " batches/s"))


def test_items_are_counted_on_a_terminal_without_tqdm(monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm", None)
    pages, steps = Terminal(), Terminal()
    assert list(show_progress(iter(range(1200)), 1200, file=pages)) == list(range(1200))
    assert pages.getvalue().startswith("\r1 of 1,200 pages")
    assert pages.getvalue().endswith("\r1,200 of 1,200 pages\n")
    list(show_progress(iter("ab"), 2, title="epoch 1", unit="steps", file=steps))
    assert steps.getvalue().endswith("epoch 1: 2 of 2 steps\n")


def test_the_count_ends_its_line_when_the_loop_is_interrupted(monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm", None)
    terminal = Terminal()
    pages = show_progress(iter(range(9)), 9, file=terminal)
    next(pages)
    next(pages)
    pages.close()
    assert terminal.getvalue().endswith("1 of 9 pages\n")


def test_standard_error_is_the_default_and_shows_nothing_unless_it_is_a_terminal(capsys, monkeypatch):
    assert list(show_progress(iter("ab"), 2)) == ["a", "b"]
    assert capsys.readouterr().err == ""
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    assert list(show_progress("ab", 2)) == ["a", "b"]
    assert "2/2" in terminal.getvalue()
