"""No regular expression of the package takes quadratic time: the search would hold the interpreter's lock.

The patterns are found in the code, so that a new one is tested too. Texts of 100,000 characters are made for each from
its own repetitions. A process with a limit of CPU time per text runs them: linear time is a hundredth of the limit.
"""

from __future__ import annotations

import re
import signal
import subprocess
import sys

import pytest
from adversaries import FOLDER, SEARCHING, adversaries, list_calls, list_uses
from places import ROOT

# Patterns that are not constants of a module, and why.
ELSEWHERE = {("training/corpora.py", "match"): "the recipe of a training run holds the pattern"}
QUADRATIC = [
    (r"\s*\n\s*", "split"),
    (r"\s+[|-]+\s+", "sub"),
    (r"<text\b[^>]*?\bid=", "search"),
    (r".*\barchive/\w+", "findall"),
    (r"(\w+)+!", "match"),
]


def run_on_adversaries(code: str) -> tuple[int, str]:
    """Return the exit status of a program that runs patterns, and the last line that it wrote."""
    command = [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(ROOT / 'tests')!r})\n{code}"]
    process = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    return process.returncode, (process.stdout.splitlines() or [process.stderr])[-1]


@pytest.mark.slow
def test_every_pattern_of_the_package_is_linear():
    assert run_on_adversaries("import adversaries; adversaries.main()") == (0, "done")


@pytest.mark.parametrize(("pattern", "method"), QUADRATIC)
def test_the_adversaries_find_a_quadratic_pattern(pattern, method):
    code = f"""
import re
from adversaries import adversaries, run
pattern = re.compile({pattern!r})
for text in adversaries(pattern):
    run(pattern, {method!r}, text)
"""
    assert run_on_adversaries(code)[0] == -signal.SIGVTALRM


def test_every_pattern_is_a_constant_of_a_module():
    assert set(list_calls()) == set(ELSEWHERE)


def test_the_patterns_are_found_with_the_methods_that_the_code_calls():
    uses = {use.place: use for use in list_uses()}
    assert uses["metadata/hidden_content.py:_LINES:0"].methods == ("split",)
    assert uses["content/links.py:_TINY:0"].methods == ("fullmatch",)
    assert uses["metadata/structured_data.py:_ARTICLES:0"].methods == SEARCHING  # the value of a variable
    assert uses["page/sniffing.py:_HTML_TAG:0"].pattern.flags & re.IGNORECASE
    texts = [path.read_text(encoding="utf-8") for path in FOLDER.rglob("*.py")]
    assert len(uses) >= sum(text.count("re.compile(") for text in texts)


def test_an_adversary_repeats_what_the_pattern_repeats():
    texts = [*adversaries(re.compile(r"<a\s[^>]*x"), 100)]
    assert "<a " * 33 in texts
    assert any(text.startswith("<a " + "1" * 90) for text in texts)
    assert all(isinstance(text, bytes) for text in adversaries(re.compile(rb"\s+x"), 100))
