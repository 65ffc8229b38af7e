from __future__ import annotations

import sys
from importlib.util import find_spec
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings
from mockserver import MockSite, article
from places import ROOT
from reruns import pytest_report_teststatus, pytest_runtest_protocol, pytest_terminal_summary  # noqa: F401  hooks
from view.browser import open_browser

from scrapy_web2text.answer import trace

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import Any


class _Skip:
    """Skips the tests that import an optional library, at the top or in a function, where it is not installed.

    Other libraries, such as PySpark, look for them and do without.
    """

    LIBRARIES = frozenset(name for name in ("sklearn", "torch") if find_spec(name) is None)

    def find_spec(self, name: str, *_: object) -> None:
        library = name.partition(".")[0]
        if library in self.LIBRARIES and _is_imported_here():
            pytest.skip(f"{library} is not installed", allow_module_level=True)


def _is_imported_here() -> bool:
    """Return whether a module of the package or of its tests imports what is being looked for."""
    frame = sys._getframe(2)
    while frame.f_back is not None and frame.f_code.co_filename.startswith("<frozen importlib"):
        frame = frame.f_back
    return "site-packages" not in frame.f_code.co_filename and frame.f_code.co_filename.startswith(str(ROOT))


sys.meta_path.append(_Skip())

# Based on the default profile of hypothesis, whose examples are always the same on a CI server. Without a deadline, no
# test depends on the clock.
settings.register_profile("web2text", settings(), deadline=None, max_examples=20)
settings.load_profile("web2text")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--large", action="store_true", help="use the large sizes of each night where tests have two")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark tests by what they use: a local site is crawled, and worker processes take seconds to start and die."""
    marks = {"site": "crawl", "fate": "slow"}
    for item in items:
        for name in marks.keys() & set(getattr(item, "fixturenames", ())):
            item.add_marker(marks[name])


@pytest.fixture(scope="session", autouse=True)
def _raise_errors() -> Iterator[None]:
    """Let the exceptions of extractions in this process fail tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trace, "RAISE_ERRORS", True)
        yield


@pytest.fixture(scope="session")
def is_large(request: pytest.FixtureRequest) -> bool:
    """Whether tests use their large sizes: `make coverage` asks for them each night."""
    return bool(request.config.getoption("--large"))


@pytest.fixture(scope="session")
def _server() -> Iterator[MockSite]:
    site = MockSite()
    yield site
    site.close()


@pytest.fixture
def site(_server: MockSite) -> MockSite:
    """A local site with one article at ``/article``."""
    _server.add("/article", article())
    return _server


@pytest.fixture
def file(tmp_path: Path) -> str:
    """The path of a file with one article."""
    path = tmp_path / "page.html"
    path.write_text(article(), encoding="utf-8")
    return str(path)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A browser for the tests of one module, which are skipped where there is none."""
    with open_browser() as opened:
        yield opened
