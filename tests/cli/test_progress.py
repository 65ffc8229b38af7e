from __future__ import annotations

import io
import sys

import pytest

from scrapy_web2text.cli.output import show_progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_bar_is_shown_on_a_terminal():
    terminal = Terminal()
    assert list(show_progress(iter("abc"), 3, file=terminal)) == ["a", "b", "c"]
    assert "3/3" in terminal.getvalue()
    assert "100%" in terminal.getvalue()


def test_pages_are_counted_on_a_terminal_without_tqdm(monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm", None)
    terminal = Terminal()
    assert list(show_progress(iter(range(1200)), 1200, file=terminal)) == list(range(1200))
    shown = terminal.getvalue().split("\r")
    assert shown[1] == "1 of 1,200 pages"
    assert shown[-1] == "1,200 of 1,200 pages\n"


def test_a_loop_has_a_title_and_a_unit(monkeypatch):
    bar = Terminal()
    assert list(show_progress(iter("ab"), 2, title="epoch 1", unit="batches", file=bar)) == ["a", "b"]
    assert "epoch 1: 100%" in bar.getvalue()
    assert " batches/s" in bar.getvalue()
    monkeypatch.setitem(sys.modules, "tqdm", None)
    count = Terminal()
    assert list(show_progress(iter("ab"), 2, title="epoch 1", unit="steps", file=count)) == ["a", "b"]
    assert count.getvalue().endswith("epoch 1: 2 of 2 steps\n")


def test_the_count_ends_its_line_when_the_loop_is_interrupted(monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm", None)
    terminal = Terminal()
    pages = show_progress(iter(range(9)), 9, file=terminal)
    next(pages)
    next(pages)
    pages.close()
    assert terminal.getvalue().endswith("1 of 9 pages\n")


def test_nothing_is_shown_without_a_terminal(capsys):
    assert list(show_progress(iter("ab"), 2)) == ["a", "b"]
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("n_pages", [0, 2])
def test_standard_error_is_the_default(monkeypatch, n_pages):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    assert len(list(show_progress(range(n_pages), n_pages))) == n_pages
    assert f"{n_pages}/{n_pages}" in terminal.getvalue() or n_pages == 0
