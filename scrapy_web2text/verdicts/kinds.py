"""The kinds of pages, by what they hold."""

from __future__ import annotations

from typing import Final, get_args

from scrapy_web2text.extraction import PageKind

PAGE_KINDS: Final = get_args(PageKind)
# The types of pages that the shipped model tells.
PAGE_TYPES: Final = ("article", "documentation", "forum", "service", "listing", "collection", "product")
# A page of these kinds is not about the address that it was found at: its scripts have no content of it, either.
REFUSALS: Final[frozenset[PageKind]] = frozenset({"challenge", "login", "error"})
# The type of a page, such as an article, is told of these kinds only.
TYPED_KINDS: Final[frozenset[PageKind]] = frozenset({"content", "index", "paywall"})
# A page of these kinds has no main content, whatever its labels say.
TEXTLESS_KINDS: Final[frozenset[PageKind]] = frozenset(
    {"consent", "challenge", "login", "error", "script_shell", "empty"}
)
