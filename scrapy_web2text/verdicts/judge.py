"""Judges the kind of a page: content, or a page that a crawl gets in place of content, such as an error or a login."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from scrapy_web2text.extraction import PageKind
from scrapy_web2text.verdicts import phrases
from scrapy_web2text.verdicts.phrases import count_phrases, has_any
from scrapy_web2text.verdicts.signs import ERROR_NAMES, Signs

if TYPE_CHECKING:
    from scrapy_web2text.labelers.base import Labeling
    from scrapy_web2text.page.arrays import Page


_MANY_WORDS: Final = 250
_SOME_WORDS: Final = 150
_FEW_WORDS: Final = 60
_LONGEST_CHALLENGE: Final = 500  # words
_MOSTLY: Final = 0.7  # share of the words


def judge_page(page: Page, labeling: Labeling) -> PageKind:
    """Return the kind of *page*.

    :param labeling: the labels of the page's blocks, by a model or by rules.
    """
    signs = Signs(page, labeling)
    if signs.is_frameset:
        return "empty"
    if signs.n_content <= _MANY_WORDS:
        for kind, holds in _RULES:
            if holds(signs):
                return kind
    if signs.n_content:
        return "index" if signs.n_links >= 5 and signs.n_linked_content > _MOSTLY * signs.n_content else "content"
    return "index" if signs.n_links >= 5 and signs.n_linked > 0.5 * signs.n_words else "empty"


# Challenges.


def _is_challenge(signs: Signs) -> bool:
    has_heading = signs.has_heading(phrases.CHALLENGE_HEADINGS)
    if signs.n_article >= 15 or not (has_heading or _can_be_challenge(signs)):
        return False
    n_said = count_phrases(signs.text, phrases.CHALLENGE_SENTENCES)
    if signs.n_words <= _LONGEST_CHALLENGE and (has_heading or n_said or _is_short(signs)) and _has_protection(signs):
        return True
    return signs.n_words <= _SOME_WORDS and (
        _asks_for_captcha(signs, is_said=has_heading or n_said > 0) or _says_challenge(signs, has_heading, n_said)
    )


def _can_be_challenge(signs: Signs) -> bool:
    """Return whether a page can be a challenge although it has no heading of challenges."""
    is_small = signs.n_content <= _SOME_WORDS and signs.n_words <= _MANY_WORDS
    return is_small and not signs.has_heading(phrases.ERROR_HEADINGS)


def _is_short(signs: Signs) -> bool:
    return signs.n_words < 100 and signs.n_links < 10


def _has_protection(signs: Signs) -> bool:
    """Return whether a page has the marks of a service that protects sites from bots."""
    return (
        has_any(phrases.CHALLENGE_NAMES, signs.names)
        or has_any(phrases.CHALLENGE_ADDRESSES, signs.addresses)
        or has_any(phrases.CHALLENGE_ADDRESSES, " ".join(signs.headings))
        or has_any(phrases.CHALLENGE_CODE, signs.code)
    )


def _asks_for_captcha(signs: Signs, *, is_said: bool) -> bool:
    """Return whether a page has a test that ordinary forms have, too, and hardly anything else.

    :param is_said: whether the page says that it is a challenge.
    """
    # An ordinary form, such as one for messages, asks for more than the answer to the test, and has text around it.
    if signs.n_fields > 1 or not (_says_little_else(signs) if is_said else signs.n_words < 40 and not signs.n_fields):
        return False
    if has_any(phrases.CAPTCHA_NAMES, signs.names):
        return True
    # The scripts of an application can load a test for its forms, so the addresses of tests do not count there.
    return has_any(phrases.CAPTCHA_ADDRESSES, signs.addresses) and not signs.has_mount_point


def _says_little_else(signs: Signs) -> bool:
    return signs.count_sentences_without(phrases.CHALLENGE_SENTENCES) < 25


def _says_challenge(signs: Signs, has_heading: bool, n_said: int) -> bool:
    if n_said and signs.n_words < _FEW_WORDS and signs.is_unindexed:
        return True
    if n_said >= 2 and signs.n_content < _FEW_WORDS and has_any(phrases.BOT_PROTECTIONS, signs.text):
        return True
    if n_said >= 2 or (n_said and has_heading):
        return _says_little_else(signs)
    return has_heading and signs.n_content < (8 if signs.has_only_word(phrases.CHALLENGE_HEADINGS) else 15)


# Errors.


def _is_error(signs: Signs) -> bool:
    is_named = ERROR_NAMES.search(signs.root_names) is not None
    # A page with both signs is an error page, even if it has much text: it recommends other stories.
    if is_named and signs.has_heading(phrases.ERROR_HEADINGS):
        return True
    if signs.n_content > _SOME_WORDS or signs.n_article >= 15:
        return False
    if is_named or signs.has_heading(phrases.ERROR_HEADINGS):
        n_others = signs.count_content_without(phrases.ERROR_SENTENCES)
        # A page whose only sign of an error is a heading such as "Maintenance" may be about bicycles.
        is_plain = is_named or n_others < signs.n_content or not signs.has_only_word(phrases.ERROR_HEADINGS)
        return n_others < (40 if is_plain else 8) or has_any(phrases.ERROR_BOXES, signs.names)
    return signs.n_words <= _SOME_WORDS and signs.n_content <= _FEW_WORDS and _says_error(signs)


def _says_error(signs: Signs) -> bool:
    """Return whether a page has a sentence of error pages as its heading, or hardly any other sentence."""
    if signs.says_in_heading(phrases.ERROR_SENTENCES):
        return signs.count_content_without(phrases.ERROR_SENTENCES) < 25
    is_said = signs.n_words <= _FEW_WORDS and has_any(phrases.ERROR_SENTENCES, signs.text)
    return is_said and (signs.is_unindexed or signs.count_sentences_without(phrases.ERROR_SENTENCES) < 15)


# Logins.


def _is_login(signs: Signs) -> bool:
    if not signs.n_fields or signs.n_article >= 15:
        is_said = signs.n_words <= 100 and has_any(phrases.ACCOUNT_SENTENCES, signs.text)
        return is_said and signs.count_sentences_without(phrases.ACCOUNT_SENTENCES) < 15
    if signs.has_heading(phrases.ACCOUNT_HEADINGS):
        if signs.n_passwords or signs.n_content >= _FEW_WORDS:
            return signs.n_passwords > 0
        # A page whose only sign of a login is a heading such as "Registration" may be about a workshop.
        return signs.n_content_outside_forms < 15 or not signs.has_only_word(phrases.ACCOUNT_HEADINGS)
    if signs.n_passwords and signs.mentions_account:
        return signs.n_content < _SOME_WORDS
    return signs.n_passwords > 0 and _is_only_form(signs)


def _is_only_form(signs: Signs) -> bool:
    """Return whether a page consists of a form with a password and a few links."""
    if signs.n_content >= _FEW_WORDS or signs.n_content_outside_forms >= 15 or signs.n_free >= 100:
        return False
    return signs.n_passwords > 1 or signs.n_links < 20


# Consent.


def _is_consent(signs: Signs) -> bool:
    if signs.n_article >= 5 or not has_any(phrases.CONSENT_WORDS, signs.text):
        return False
    return _is_consent_box(signs) or (signs.n_words <= _MANY_WORDS and _says_consent(signs))


def _is_consent_box(signs: Signs) -> bool:
    """Return whether a page consists of a box that asks for consent, and links."""
    # If long content does not mention consent, it is not the text of a box. This test comes first since the others read
    # the names of all elements.
    if signs.n_content >= _FEW_WORDS and signs.count_content_without(phrases.CONSENT_WORDS) == signs.n_content:
        return False
    is_large = signs.n_consent >= 8 and signs.n_consent > signs.n_words / 3
    if not is_large or signs.n_content_outside >= 15 or signs.n_free_outside >= 20:
        return False
    # A recipe can be in a box named "cookie", so a name alone is not enough.
    return (
        has_any(phrases.CONSENT_VENDORS, signs.names) or count_phrases(signs.consent_text, phrases.CONSENT_WORDS) >= 2
    )


def _says_consent(signs: Signs) -> bool:
    n_said = count_phrases(signs.text, phrases.CONSENT_WORDS)
    if n_said < 2:
        return False
    n_others = signs.count_content_without(phrases.CONSENT_WORDS)
    if has_any(phrases.CONSENT_ADDRESSES, signs.addresses) or has_any(phrases.CONSENT_CODE, signs.code):
        return n_others < 25
    return n_said >= 3 and n_others < 15 and signs.has_button


# Shells.


def _is_script_shell(signs: Signs) -> bool:
    if signs.n_noscript_content >= 40 or signs.n_article >= 5:
        return False
    is_bare = signs.n_free_content < 15 and signs.n_free < 25
    if signs.n_content >= _FEW_WORDS and signs.n_free_content >= 15:
        return False
    return (is_bare and _waits_for_script(signs)) or _asks_for_script(signs)


def _waits_for_script(signs: Signs) -> bool:
    """Return whether a page with hardly any text has an element for text, or scripts that write text."""
    if signs.has_mount_point or (signs.n_words < 15 and (signs.n_sources > 1 or signs.has_framework)):
        return True
    if signs.n_words >= _FEW_WORDS:
        return False
    return has_any(phrases.SCRIPT_SENTENCES, signs.text) or has_any(phrases.SCRIPT_SENTENCES, signs.noscript)


def _asks_for_script(signs: Signs) -> bool:
    """Return whether a page shows templates, or tells its readers to switch on scripts."""
    if "{{" in signs.text and signs.count_content_without(("{{",)) < 15:
        return True
    is_said = signs.n_words < _FEW_WORDS and has_any(phrases.SCRIPT_SENTENCES, signs.text)
    return is_said and signs.has_mount_point and signs.count_sentences_without(phrases.SCRIPT_SENTENCES) < 25


# Paywalls.


def _is_paywall(signs: Signs) -> bool:
    if not signs.n_content:
        return False
    if has_any(phrases.PAYWALL_CODE, signs.data):
        return True
    # The sentences come first: the names of all elements are read only for the few pages that have one.
    return has_any(phrases.PAYWALL_SENTENCES, signs.text) and has_any(phrases.PAYWALL_NAMES, signs.names)


_RULES: Final[tuple[tuple[PageKind, Callable[[Signs], bool]], ...]] = (
    ("challenge", _is_challenge),
    ("error", _is_error),
    ("login", _is_login),
    ("consent", _is_consent),
    ("script_shell", _is_script_shell),
    ("paywall", _is_paywall),
)
