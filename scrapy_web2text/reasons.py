"""Why the model's answer is missing or incomplete: the values of ``reason`` and their descriptions."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final, Literal

__all__ = ["REASONS", "Reason", "SkipReason", "describe_failure"]

# The page was skipped without an extraction; counted as web2text/skipped/<reason>.
SkipReason = Literal[
    "status", "empty_body", "not_html", "max_bytes", "no_response", "other_url", "disabled", "language"
]

Reason = Literal[
    SkipReason,
    # The rules answer, unless they fail too; counted as web2text/fallback/<reason>.
    "no_model",
    "too_large",
    "timeout",
    "model_error",
    "empty",
    "low_confidence",
    # The model answers. If it cannot answer, the reason for this failure replaces these reasons.
    "too_deep",
    "simplified",
    "lost_text",
    # The page has no answer: parsing it again could kill another process.
    "worker_died",
    # After most errors, the rules answer; otherwise the page has no answer.
    "error",
    "unreadable",
]

_QUOTED: Final = re.compile(r"`(\w+)`")


def name_options(text: str, spell: Callable[[str], str] = str) -> str:
    """Return *text* with each option, whose name is between backticks, replaced by the result of *spell*."""
    return _QUOTED.sub(lambda found: spell(found[1]), text)


# Backticks enclose names of options and of fields of `Web2TextSettings`. docs/fields.md repeats these descriptions.
MARKED_REASONS: Final[Mapping[Reason, str]] = {
    "no_model": "the model's folder is missing, damaged or made for other features",
    "too_large": "the page has more than `max_blocks` blocks, or would take more memory than 60 MB plus 25 times its "
    "size",
    "timeout": "the work on the page took longer than `timeout`",
    "model_error": "the model's weights give values that are not finite",
    "empty": "the model selected nothing but expected more than 50 words of content, or the page shows almost no text "
    "but contains it in a script",
    "low_confidence": "the model's confidence is below `min_confidence`",
    "too_deep": "the page nests more than 2,048 elements; the rest of it was not read",
    "simplified": "HTML or Markdown would be longer than four times the page plus 10,000 characters; links and markup "
    "that did not fit were left out",
    "lost_text": "the source has much text outside of tags and scripts, but the parsed page has hardly any of it: a "
    "quote or an end tag may be missing",
    "worker_died": "two worker processes died while they extracted the page",
    "status": "the HTTP status is not in `statuses`",
    "empty_body": "the page is empty, or only whitespace",
    "not_html": "the content is not HTML, by its type or by its first bytes",
    "max_bytes": "the page is longer than `max_bytes`",
    "no_response": "the response of the item is not known",
    "other_url": "the item has the URL of a page other than its response",
    "disabled": "extraction is switched off",
    "language": "the text is in a language that `languages` does not list",
    "error": "an unexpected error in scrapy-web2text",
    "unreadable": "the file cannot be read or decompressed",
}
REASONS: Final[Mapping[Reason, str]] = {reason: name_options(text) for reason, text in MARKED_REASONS.items()}

# Why a page has no main content, and what helps, by the kind of the page.
NO_CONTENT: Final[Mapping[str, str]] = {
    "index": "the page has links, and hardly anything else",
    "consent": "the page only asks for consent; send the cookies that the site sets after it",
    "challenge": "the site checks or refuses the visitor; crawl it more slowly, or ask for access",
    "login": "the page asks to sign in; send the cookies of a session",
    "error": "the page reports an error; check its URL",
    "script_shell": "the page needs JavaScript to show its text; render it, for example with scrapy-playwright",
    "empty": "the page shows no text of its own",
}


def explain_no_content(kind: str | None) -> str:
    """Return the end of a message that a page has no main content: the reason and the kind; empty if unknown."""
    return f": {NO_CONTENT[kind]} ({kind.replace('_', ' ')})" if kind and kind in NO_CONTENT else ""


def describe_failure(reason: Reason) -> str:
    """Return the message for a page that has no answer, with the names of options between backticks."""
    return f"no answer: {MARKED_REASONS[reason]} ({reason})"
