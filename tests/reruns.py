"""Hooks of pytest: a failed test of a crawl or a browser runs once more, and is reported as flaky if it passes then."""

from __future__ import annotations

from typing import TYPE_CHECKING

from _pytest.runner import runtestprotocol

if TYPE_CHECKING:
    import pytest

MARKS = ("browser", "crawl")
FLAKY = "flaky"


def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """Run a test with one of `MARKS`; pytest itself runs the others."""
    if not any(map(item.get_closest_marker, MARKS)):
        return None
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    reports = runtestprotocol(item, log=False, nextitem=nextitem)
    failed = [report for report in reports if report.failed]
    if failed:
        item.session._setupstate.teardown_exact(None)  # a server or browser that is broken is started anew
        reports = runtestprotocol(item, log=False, nextitem=nextitem)
        if not any(report.failed for report in reports):
            for report in failed:
                report.outcome = FLAKY
            reports = [*failed, *reports]
    for report in reports:
        item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True


def pytest_report_teststatus(report: pytest.TestReport) -> tuple[str, str, str] | None:
    """Count a first run that failed as flaky."""
    return (FLAKY, "~", "FLAKY") if report.outcome == FLAKY else None


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print why the first runs of flaky tests failed."""
    reports = terminalreporter.getreports(FLAKY)
    if reports:
        terminalreporter.section("flaky: failed, then passed")
    for report in reports:
        terminalreporter.write_line(f"FLAKY {report.nodeid} ({report.when})")
        terminalreporter.write_line(report.longreprtext)
