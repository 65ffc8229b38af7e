"""The kinds of pages, by what they hold."""

from __future__ import annotations

from typing import Final, Literal, get_args

PageKind = Literal[
    "content",
    "index",  # links alone
    "consent",  # asks for consent to cookies
    "challenge",  # checks for robots, or refuses them
    "login",  # asks to sign in, to sign up or for a lost password
    "error",  # not found, broken, forbidden
    "script_shell",  # a script or a redirect would bring the content
    "paywall",  # the beginning of a text for subscribers
    "empty",  # no main content, for none of these reasons
]
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
