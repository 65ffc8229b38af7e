"""Says what a page is: content, or one of the pages that a crawl meets in its place."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from scrapy_web2text.verdicts import phrases, vendors
from scrapy_web2text.verdicts.kinds import PageKind
from scrapy_web2text.verdicts.phrases import count_phrases
from scrapy_web2text.verdicts.signs import Signs

if TYPE_CHECKING:
    from scrapy_web2text.labelers.base import Labeling
    from scrapy_web2text.page.arrays import Page

__all__ = ["judge_page"]

_MANY_WORDS: Final = 250
_SOME_WORDS: Final = 150


def judge_page(page: Page, labeling: Labeling) -> PageKind:
    """Return the kind of *page*.

    :param labeling: the labels of its blocks, by a model or by rules.
    """
    signs = Signs(page, labeling)
    if signs.n_content <= _MANY_WORDS:
        for kind, holds in _RULES:
            if holds(signs):
                return kind
    if signs.n_content:
        return "content"
    return "index" if signs.n_links >= 10 and signs.n_linked > 0.5 * signs.n_words else "empty"


def _is_challenge(signs: Signs) -> bool:
    if signs.n_words > 500:
        return False
    has_heading = signs.has_heading(phrases.CHALLENGE_HEADINGS)
    if not has_heading and signs.n_content > _SOME_WORDS:
        return False
    is_marked = (
        any(name in signs.names for name in vendors.CHALLENGE_NAMES)
        or any(address in signs.addresses for address in vendors.CHALLENGE_ADDRESSES)
        or any(word in signs.code for word in vendors.CHALLENGE_CODE)
    )
    n_said = count_phrases(signs.text, phrases.CHALLENGE_SENTENCES)
    if has_heading:
        return is_marked or n_said > 0 or signs.n_words < 60
    if is_marked:
        return (signs.n_words <= 30 and signs.n_fields <= 1) or (n_said > 0 and signs.n_words < 250)
    return n_said >= 2 and signs.n_words < 150


def _is_error(signs: Signs) -> bool:
    if signs.n_content > _SOME_WORDS:
        return False
    is_named = vendors.ERROR_NAMES.search(signs.root_names) is not None
    if signs.has_heading(phrases.ERROR_HEADINGS) or is_named:
        return signs.n_content < 60 or count_phrases(signs.text, phrases.ERROR_SENTENCES) > 0
    return signs.n_words < 60 and count_phrases(signs.text, phrases.ERROR_SENTENCES) > 0


def _is_login(signs: Signs) -> bool:
    if signs.n_content > _SOME_WORDS or not signs.n_fields:
        return False
    has_heading = signs.has_heading(phrases.ACCOUNT_HEADINGS)
    return has_heading and signs.n_passwords > 0


def _is_consent(signs: Signs) -> bool:
    return signs.n_consent >= 8 and signs.n_content_outside < 15 and signs.n_free_outside < 20 and signs.n_consent > signs.n_words / 3


def _is_script_shell(signs: Signs) -> bool:
    if signs.n_free_content >= 15 or signs.n_free >= 15:
        return False
    return signs.has_mount_point


def _is_paywall(signs: Signs) -> bool:
    if any(word in "".join(signs.code.split()) for word in vendors.PAYWALL_CODE):
        return True
    is_named = any(name in signs.names for name in vendors.PAYWALL_NAMES)
    return is_named and count_phrases(signs.text, phrases.PAYWALL_SENTENCES) > 0


_RULES: Final[tuple[tuple[PageKind, Callable[[Signs], bool]], ...]] = (
    ("challenge", _is_challenge),
    ("error", _is_error),
    ("login", _is_login),
    ("consent", _is_consent),
    ("script_shell", _is_script_shell),
    ("paywall", _is_paywall),
)
