"""Failed tests of crawls and browsers run once more, with fixtures set up anew; all others fail at once."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from places import ROOT

CONFTEST = """
from reruns import pytest_report_teststatus, pytest_runtest_protocol, pytest_terminal_summary
"""
MODULE = """
import pytest

runs, setups = [], []

def fail_first(name):
    runs.append(name)
    assert runs.count(name) > 1, f"the first run of {name}"

@pytest.fixture(scope="module")
def broken():
    setups.append("broken")
    assert len(setups) > 1, "the first setup"
    return len(setups)

@pytest.mark.crawl
def test_flaky():
    fail_first("flaky")

@pytest.mark.browser
def test_fixture(broken):
    assert broken == 2

@pytest.mark.crawl
def test_fixture_is_kept(broken):
    assert broken == 2

@pytest.mark.crawl
def test_broken():
    runs.append("broken")
    assert not runs, f"run {runs.count('broken')}"

def test_other():
    fail_first("other")
"""


@pytest.fixture(scope="module", params=["0", "1"], ids=["in one process", "in another process"])
def output(request, tmp_path_factory):
    """What pytest prints about tests that fail in their first run, or always."""
    folder = tmp_path_factory.mktemp("reruns")
    (folder / "conftest.py").write_text(CONFTEST, encoding="utf-8")
    (folder / "test_first.py").write_text(MODULE, encoding="utf-8")
    (folder / "pytest.ini").write_text(
        f"[pytest]\npythonpath = {ROOT / 'tests'}\nmarkers =\n    crawl\n    browser\n", encoding="utf-8"
    )
    command = [sys.executable, "-m", "pytest", "-q", "-p", "xdist", "--numprocesses", request.param]
    environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}  # they take seconds to load
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == pytest.ExitCode.TESTS_FAILED, done.stdout + done.stderr
    return done.stdout


def test_a_test_that_passes_when_it_is_run_again_is_flaky(output):
    summary = output.partition("flaky: failed, then passed")[2]
    assert "FLAKY test_first.py::test_flaky (call)" in summary
    assert "AssertionError: the first run of flaky" in summary
    assert "2 failed, 3 passed, 2 flaky" in summary


def test_fixtures_are_set_up_anew(output):
    assert "FLAKY test_first.py::test_fixture (setup)" in output
    assert "AssertionError: the first setup" in output


def test_a_test_that_fails_again_fails(output):
    assert "FAILED test_first.py::test_broken - AssertionError: run 2" in output


def test_other_tests_fail_at_once(output):
    assert "FAILED test_first.py::test_other - AssertionError: the first run of other" in output
