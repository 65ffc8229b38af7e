from __future__ import annotations

import pytest

from scrapy_web2text.content.links import has_allowed_scheme


@pytest.mark.parametrize(
    ("url", "is_allowed"),
    [("https://a.org/", True), ("MAILTO:a@b.org", True), ("/a:b", True), ("c", True), ("javascript:x", False)],
)
def test_links_are_kept_by_their_scheme(url, is_allowed):
    assert has_allowed_scheme(url) == is_allowed
