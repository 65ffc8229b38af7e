from __future__ import annotations

import os
import sys

import pytest

from scrapy_web2text import Extraction
from scrapy_web2text.cli.output import BROKEN_PIPE, print_answer, run_until_closed
from scrapy_web2text.reasons import NO_CONTENT


@pytest.mark.parametrize(
    ("answer", "printed"),
    [
        (Extraction(text="text", method="model", n_content=1), ("text\n", "")),
        (Extraction(method="model"), ("", "web2text extract: a.html: no main content\n")),
        (
            Extraction(method="model", page_kind="consent"),
            ("", f"web2text extract: a.html: no main content: {NO_CONTENT['consent']} (consent)\n"),
        ),
        (
            Extraction(method="model", page_kind="script_shell"),
            ("", f"web2text extract: a.html: no main content: {NO_CONTENT['script_shell']} (script shell)\n"),
        ),
        (Extraction(method="model", page_kind="content"), ("", "web2text extract: a.html: no main content\n")),
    ],
    ids=["text", "none", "kind", "shell", "content"],
)
def test_a_text_is_printed_and_a_page_without_main_content_reported(capsys, answer, printed):
    print_answer("web2text extract", "a.html", answer, answer.text)
    assert capsys.readouterr() == printed


def test_a_closed_pipe_is_its_own_status_and_the_rest_goes_nowhere(monkeypatch):
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w") as stdout:
        monkeypatch.setattr(sys, "stdout", stdout)
        assert run_until_closed(lambda: 0 * sys.stdout.write("never read")) == BROKEN_PIPE
        stdout.write("discarded")  # with the rest of the buffer, without an error when the file is closed
