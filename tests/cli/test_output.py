from __future__ import annotations

import os
import sys

import pytest

from scrapy_web2text import Extraction
from scrapy_web2text.cli.output import BROKEN_PIPE, print_answer, run_until_closed
from scrapy_web2text.reasons import describe_failure


def test_a_text_is_printed(capsys):
    print_answer("web2text extract", "a.html", Extraction("text", method="model", n_content=1), "text")
    assert capsys.readouterr() == ("text\n", "")


def test_a_page_without_main_content_is_reported(capsys):
    print_answer("web2text extract", "a.html", Extraction(method="model"), "")
    assert capsys.readouterr() == ("", "web2text extract: a.html: no main content\n")


def test_the_kind_of_a_page_without_main_content_is_named(capsys):
    print_answer("web2text extract", "a.html", Extraction(method="model", page="consent"), "")
    assert capsys.readouterr() == ("", "web2text extract: a.html: no main content (consent)\n")


def test_a_failure_is_described_by_its_reason():
    assert describe_failure("max_bytes") == "no answer: the page is longer than max_bytes (max_bytes)"


@pytest.mark.parametrize("status", [0, 1])
def test_the_status_of_a_command_is_returned(status):
    assert run_until_closed(lambda: status) == status


def test_a_closed_pipe_is_its_own_status_and_the_rest_goes_nowhere(monkeypatch):
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w") as stdout:
        monkeypatch.setattr(sys, "stdout", stdout)
        assert run_until_closed(lambda: 0 * sys.stdout.write("never read")) == BROKEN_PIPE
        stdout.write("discarded")  # with the rest of the buffer, without an error when the file is closed
