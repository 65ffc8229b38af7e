"""Groups of the kinds and types of pages."""

from __future__ import annotations

from typing import Final, get_args

from scrapy_web2text.extraction import PageKind

PAGE_KINDS: Final = get_args(PageKind)
# The types of pages that the shipped model distinguishes.
PAGE_TYPES: Final = ("article", "documentation", "forum", "service", "listing", "collection", "product")
# A page of these kinds is sent in place of the page at its URL, so its scripts have no content of that page, either.
REFUSALS: Final[frozenset[PageKind]] = frozenset({"challenge", "login", "error"})
# Only pages of these kinds have a type, such as an article.
TYPED_KINDS: Final[frozenset[PageKind]] = frozenset({"content", "index", "paywall"})
# A page of these kinds has no main content, whatever its labels say.
TEXTLESS_KINDS: Final[frozenset[PageKind]] = frozenset(
    {"consent", "challenge", "login", "error", "script_shell", "empty"}
)
