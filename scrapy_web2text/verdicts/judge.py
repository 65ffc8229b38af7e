"""Says what a page is: content, or one of the pages that a crawl meets in its place."""

from __future__ import annotations

from collections.abc import Callable, Iterable
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
_FEW_WORDS: Final = 60
# Share of the words.
_MOSTLY: Final = 0.7


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
        return "index" if signs.n_linked_content > _MOSTLY * signs.n_content and signs.n_links >= 5 else "content"
    return "index" if signs.n_links >= 5 and signs.n_linked > 0.5 * signs.n_words else "empty"


def _is_challenge(signs: Signs) -> bool:
    if signs.n_words > 500 or signs.n_article >= 15:
        return False
    has_heading = signs.has_heading(phrases.CHALLENGE_HEADINGS)
    if not has_heading and (
        signs.n_content > _SOME_WORDS or signs.n_words > _MANY_WORDS or signs.has_heading(phrases.ERROR_HEADINGS)
    ):
        return False
    n_said = count_phrases(signs.text, phrases.CHALLENGE_SENTENCES)
    is_short = signs.n_words < 100 and signs.n_links < 10
    if not (has_heading or n_said or is_short):
        return False
    if (
        _has_any(vendors.CHALLENGE_NAMES, signs.names)
        or _has_any(vendors.CHALLENGE_ADDRESSES, signs.addresses)
        or _has_any(vendors.CHALLENGE_ADDRESSES, " ".join(signs.headings))
        or _has_any(vendors.CHALLENGE_CODE, signs.code)
    ):
        return True
    if signs.n_words > _SOME_WORDS:
        return False
    if _has_any(vendors.CAPTCHA_NAMES, signs.names) or _has_any(vendors.CAPTCHA_ADDRESSES, signs.addresses):
        return has_heading or n_said > 0 or (signs.n_words < 40 and not signs.n_fields)
    if n_said >= 2 or (n_said and has_heading):
        return signs.count_sentences_without(phrases.CHALLENGE_SENTENCES) < 35
    return has_heading and signs.n_content < 25


def _is_error(signs: Signs) -> bool:
    if signs.n_content > _SOME_WORDS or signs.n_article >= 15:
        return False
    is_named = vendors.ERROR_NAMES.search(signs.root_names) is not None
    if is_named or signs.has_heading(phrases.ERROR_HEADINGS):
        if signs.n_content < 15 or signs.count_content_without(phrases.ERROR_SENTENCES) < 40:
            return True
        return _has_any(vendors.ERROR_BOXES, signs.names)
    if signs.n_words > _SOME_WORDS or signs.n_content > _FEW_WORDS:
        return False
    # Such a sentence as the heading, or in a page of few words.
    if signs.says_in_heading(phrases.ERROR_SENTENCES):
        return signs.count_content_without(phrases.ERROR_SENTENCES) < 25
    if signs.n_words > _FEW_WORDS or not count_phrases(signs.text, phrases.ERROR_SENTENCES):
        return False
    return signs.count_sentences_without(phrases.ERROR_SENTENCES) < 25


def _is_login(signs: Signs) -> bool:
    if not signs.n_fields or signs.n_article >= 15:
        if signs.n_words > 100 or not count_phrases(signs.text, phrases.ACCOUNT_SENTENCES):
            return False
        return signs.count_sentences_without(phrases.ACCOUNT_SENTENCES) < 15
    has_heading = signs.has_heading(phrases.ACCOUNT_HEADINGS)
    if not signs.n_passwords:
        return has_heading and signs.n_content < _FEW_WORDS
    if has_heading:
        return True
    if signs.mentions_account:
        return signs.n_content < _SOME_WORDS
    if signs.n_content >= _FEW_WORDS or signs.n_content_outside_forms >= 15 or signs.n_free >= 100:
        return False
    return signs.n_passwords > 1 or signs.n_links < 20


def _is_consent(signs: Signs) -> bool:
    if signs.n_article >= 5 or not _has_any(phrases.CONSENT_WORDS, signs.text):
        return False
    if (
        signs.n_consent >= 8
        and signs.n_content_outside < 15
        and signs.n_free_outside < 20
        and signs.n_consent > signs.n_words / 3
    ):
        return True
    if signs.n_words > _MANY_WORDS:
        return False
    n_said = count_phrases(signs.text, phrases.CONSENT_WORDS)
    if n_said < 2:
        return False
    is_marked = _has_any(vendors.CONSENT_ADDRESSES, signs.addresses) or _has_any(vendors.CONSENT_CODE, signs.code)
    if is_marked:
        return signs.count_content_without(phrases.CONSENT_WORDS) < 25
    return n_said >= 3 and signs.count_content_without(phrases.CONSENT_WORDS) < 15


def _is_script_shell(signs: Signs) -> bool:
    if signs.n_content >= _FEW_WORDS and signs.n_free_content >= 15:
        return False
    if signs.n_noscript_content >= 40 or signs.n_article >= 5:
        return False
    if signs.n_free_content < 15 and signs.n_free < 25:
        if signs.has_mount_point or signs.n_in_noscript > _MOSTLY * signs.n_words:
            return True
        if signs.n_words < 15 and (signs.n_sources > 1 or signs.has_framework):
            return True
        if signs.n_words < _FEW_WORDS and _has_any(phrases.SCRIPT_SENTENCES, signs.text):
            return True
    if "{{" in signs.text and signs.count_content_without(("{{",)) < 15:
        return True
    return (
        signs.n_words < _FEW_WORDS
        and signs.has_mount_point
        and _has_any(phrases.SCRIPT_SENTENCES, signs.text)
        and signs.count_sentences_without(phrases.SCRIPT_SENTENCES) < 25
    )


def _is_paywall(signs: Signs) -> bool:
    if not signs.n_content:
        return False
    if _has_any(vendors.PAYWALL_CODE, signs.data):
        return True
    n_said = count_phrases(signs.text, phrases.PAYWALL_SENTENCES)
    return n_said > 0 and _has_any(vendors.PAYWALL_NAMES, signs.names)


def _has_any(marks: Iterable[str], text: str) -> bool:
    return any(mark in text for mark in marks)


_RULES: Final[tuple[tuple[PageKind, Callable[[Signs], bool]], ...]] = (
    ("challenge", _is_challenge),
    ("error", _is_error),
    ("login", _is_login),
    ("consent", _is_consent),
    ("script_shell", _is_script_shell),
    ("paywall", _is_paywall),
)
