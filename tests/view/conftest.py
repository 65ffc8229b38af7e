from __future__ import annotations

import pytest
from view.browser import Viewer


@pytest.fixture
def open_html(browser, tmp_path):
    """Open a document in the browser."""
    opened = []

    def open_html(html, **options):
        path = tmp_path / "view.html"
        path.write_text(html, encoding="utf-8")
        opened.append(Viewer(browser, path, **options))
        return opened[-1]

    yield open_html
    for viewer in opened:
        viewer.tab.close()
