"""Evidence that an element around a post is its author or its date.

Boards differ in their markup but not in their means: microdata, ``rel``, class names, links to profiles, ``time``
elements. Each is evidence. An element at the same place of each post counts more, and a text that is the same in each
post, such as "Original poster", counts less.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Final, NamedTuple

from lxml import etree

from scrapy_web2text.metadata.dates import read_epoch

LONGEST: Final = 120  # characters of an author, of a date, and of the names of an element
LONGEST_TIME: Final = 40  # characters of the value of an attribute with a time
_LEAST_EVIDENCE: Final = 2.0
_MOST_REPEATED: Final = 0.8  # share of the posts with a text; a more frequent text is a label, such as "Poster"
SIGNS: Final = " \t\n@:,;»«›|·•~–-()[]"  # that are dropped around an author or a date
_DIGITS: Final = re.compile(r"\d+")

_AUTHOR: Final = re.compile(
    r"author|auth\b|byline|user-?_?name|\buser\b|post-?_?user|poster|nick|\b(?:fn|who|by|name|member)\b|person|creator|commenter"
    r"|(?:display|member|message|owner|full|reviewer)[-_]?name|hnuser|(?:user|profile)[-_]?(?:link|info|text)",
    re.IGNORECASE,
)
_NOT_AUTHOR: Final = re.compile(
    r"title|\brank|role|status|group|count|join|stat(?:istic)?s|badge|label|location|posts\b|[-_](?:rank|time)\b|avatar"
    r"|permalink|number|date|reputation|flair|button|btn|icon|menu|starter|category|topic|subject|crumb|score",
    re.IGNORECASE,
)
_USERS: Final = r"(?:u|users?|members?|profiles?|people|authors?|accounts?)"
_PROFILE: Final = re.compile(
    rf"(?<![a-z]){_USERS}(?:\.php\?|[/=])[^/?#&]|(?<![a-z-]){_USERS}-[^/?#&]|/[@~][^/]"
    r"|viewprofile|userinfo|mod=space|space-uid|showuser|user_profile|user_?id=|member(?:list)?\.php\?|user\?id=",
    re.IGNORECASE,
)
_PROFILE_TITLE: Final = re.compile(r"profil|\buser\b", re.IGNORECASE)
_BY: Final = re.compile(r"(?:^|\s)(?:by|von|par|por|da|door|av|af|от|oleh|由)$", re.IGNORECASE)
CREDIT: Final = re.compile(r"\b(?:by|von|par|por)\s([^\n]{1,60}?)(?:\s(?:on|am|le|el|at|»|\|)\s|\Z)", re.IGNORECASE)
_NO_NAME: Final = re.compile(
    r"log ?in|sign (?:in|up)|register|作者|楼主|樓主"
    r"|re|view|reply|quote|posts?|report|share|link|permalink|likes?|member|guest|moderator|admin(?:istrator)?|op|author"
    r"|(?:original|topic|thread) (?:poster|author|starter)|o[nf]f?(?:line)?|edited|message|top|edit|said|wrote|says"
    r"|#?\d[\d.,]*k?(?:\s.*)?|.*:\s*\d.*|(?:\w+://|www\.).*",
    re.IGNORECASE | re.DOTALL,
)
_SEPARATED: Final = re.compile(r"[|•·–—] ?\w?\Z")  # as a name and a date in a line are
_EMPHASIS: Final = frozenset("a b cite dt h3 h4 h5 strong".split())

_DATE: Final = re.compile(r"date|time|\b(?:when|ago|age|posted|published|moment|created)\b", re.IGNORECASE)
_PUBLISHED: Final = re.compile(r"datePublished|dateCreated|commentTime|uploadDate")
_POSTED: Final = re.compile(r"(?:posted|wrote|said|asked|answered|commented|published|(?:^|\s)on|»)$", re.IGNORECASE)
_OF_MEMBER: Final = re.compile(
    r"join|regist|birth|since|last[-_ ]?(?:post|seen|visit|reply|active|login)|\bseit\b|inscri|enregistr|dołączył",
    re.IGNORECASE,
)
_OF_PROFILE: Final = re.compile(r"profile|user-?_?(?:info|details|extra)|\bpairs\b|postbit", re.IGNORECASE)
_CHANGED: Final = re.compile(r"(?<![a-z])edit(?!or)|modifi|updated|bearbeitet|geändert", re.IGNORECASE)
_AGO: Final = re.compile(
    r"\b(?:\d{1,3}\s?[^\W\d]{1,9},?\s){0,2}\d{1,3}\s?[^\W\d]{1,9}\s?(?:ago\b|前)|\A\d{1,3}\s?[a-z]{1,2}\Z"
    r"|\b(?:vor|il y a|hace|há) \d{1,3} [^\W\d]{2,9}"
)
_WEEKDAY: Final = (  # any word before the day, except these
    r"(?:\b(?!(?:on|at|am|le|el|the|by|op|em|il|den|um|of|seit|since|posted|erstellt|date|edited|发表于|发布于)\b)"
    r"[^\W\d]{2,9}\.?,? )?"
)
_CLOCK: Final = (
    r"(?:[T,\s|@·–-]{0,4}(?:at |um |à |a las )?\d{1,2}[:.h]\d\d(?:[:.]\d\d)?(?:\.\d{1,6})?"
    r"(?:Z|[+-]\d\d:?\d\d|\s?[ap]\.?m\b)?)?"
)
_DAY: Final = re.compile(
    rf"{_WEEKDAY}(?:\b(?:19|20)\d\d\s?[-./年년]\s?\d{{1,2}}\s?[-./月월]\s?\d{{1,2}}(?:\s?[日일]|\b|(?=T))"
    r"|\b\d{1,2}[./-]\d{1,2}[./-](?:(?:19|20)\d\d|\d\d)\b"
    r"|\b\d{1,2}\.?(?:st|nd|rd|th)?[\s.-]{1,2}(?:of |de )?[^\W\d]{3,12}\.?,?[\s.-](?:de )?(?:19|20)\d\d"
    rf"|\b[^\W\d]{{3,12}}\.?\s{{1,2}}\d{{1,2}}(?:st|nd|rd|th)?,?\s{{1,2}}(?:19|20)\d\d){_CLOCK}",
    re.IGNORECASE,
)
_SHORT_DAY: Final = re.compile(
    r"(?:\d{1,2}\.?\s)?(?:jan|feb|fév|mar|mär|apr|avr|abr|ma[iy]|ju[nil]|aug|aoû|ago|sep|o[ck]t|nov|de[cz]|déc|dic|ene)"
    r"[^\W\d]{0,7}\.?(?:\s'?\d{1,2})?",
    re.IGNORECASE,
)
_TIME: Final = re.compile(r"\d{1,2}[:.h]\d\d(?:[:.]\d\d)?\s?(?:[ap]\.?m\.?)?", re.IGNORECASE)

NAME_ATTRIBUTES: Final = ("data-author", "data-username", "data-author-name", "data-user", "data-user-card", "author")
_EPOCHS: Final = ("data-time", "data-timestamp", "data-utime")
_TITLES: Final = ("title", "data-tippy-content", "data-original-title", "data-bs-original-title", "aria-label")


class Candidate(NamedTuple):
    """What may be the author or the date of a post.

    :param evidence: how strong the evidence for the value is.
    :param kind: the kind of the element, by which posts are compared.
    :param leaf: the first text of the element; -1 for none.
    """

    value: str
    evidence: float
    kind: str
    leaf: int


class Candidates(NamedTuple):
    """What may be the author of a post, and what may be its date, in document order."""

    authors: list[Candidate]
    dates: list[Candidate]


class Part(NamedTuple):
    """An element around a post.

    :param names: its class names, and the values of microdata and ``rel``.
    :param outer: the same for its parent.
    :param scope: the properties of microdata of its parent and of the two elements around the parent.
    :param text: its text, with a line for each leaf; for ``meta``, its content.
    :param before: the end of the text before it.
    :param after: the beginning of the text after it.
    :param is_whole: whether *text* is all of its text.
    """

    node: etree._Element
    tag: str
    names: str
    outer: str
    scope: str
    text: str
    before: str
    after: str
    is_whole: bool

    def attribute(self, *names: str) -> str:
        """Return the first value of the attributes *names*; an empty text if there is none, or if it is long."""
        value = next(filter(None, (self.node.get(name) for name in names)), "")
        return value if len(value) <= LONGEST else ""

    @property
    def title(self) -> str:
        """The text that is shown when the mouse is over the element."""
        return self.attribute(*_TITLES)

    @property
    def text_before_date(self) -> str:
        """The text before the date in the element."""
        day = _find_day(self.text)
        return (self.text[: day.start()].rstrip() if day else "") or self.before

    @property
    def label(self) -> str:
        """The names and texts that tell what the date is of: the post, a change, or the profile of its author."""
        day = _find_day(self.text)
        own = self.text[: day.end()] if day else self.text
        return f"{self.names} {self.outer} {own} {'' if _DIGITS.search(self.before) else self.before}"


_Rules = tuple[tuple[float, Callable[[Part], object]], ...]
# The evidence for an author or, if it is below zero, against an author.
AUTHOR_RULES: Final[_Rules] = (
    (8, lambda part: part.node.get("itemprop") == "name" and "author" in part.scope),
    (6, lambda part: part.is_whole and {part.node.get("rel"), part.node.get("itemprop")} & {"author", "creator"}),
    (4, lambda part: _AUTHOR.search(part.attribute("class"))),
    (-6, lambda part: _NOT_AUTHOR.search(part.names)),
    (1.5, lambda part: _AUTHOR.search(part.outer) and not _NOT_AUTHOR.search(part.outer)),
    (3, lambda part: _PROFILE.search(part.attribute("href"))),
    (1.5, lambda part: _PROFILE_TITLE.search(part.title)),
    (3, lambda part: _BY.search(part.before)),
    (2, lambda part: CREDIT.search(part.text)),
    (-8, lambda part: _BY.search(part.before) and _CHANGED.search(part.before)),
    (-8, lambda part: CREDIT.search(part.text) and _CHANGED.search(part.text)),
    (0.5, lambda part: _find_day(part.after)),
    (1.5, lambda part: _SEPARATED.search(f"{part.text} {part.after[:1]}") and _find_day(part.after)),
    (4, lambda part: part.text and part.text.strip(SIGNS) == part.attribute(*NAME_ATTRIBUTES)),
    (0.5, lambda part: part.tag in _EMPHASIS),
)
DATE_RULES: Final[_Rules] = (
    (6, lambda part: _PUBLISHED.search(part.node.get("itemprop", ""))),
    (4, lambda part: _DIGITS.search(part.attribute("datetime"))),
    (3, lambda part: _DATE.search(part.names)),
    (1, lambda part: _DATE.search(part.outer)),
    (3, lambda part: _DAY.search(part.title) and (_DIGITS.search(part.text) or not part.text)),
    (3, lambda part: part.attribute(*_EPOCHS).isdecimal()),
    (3, lambda part: _find_day(part.text)),
    (1, lambda part: _SHORT_DAY.fullmatch(part.text.strip(SIGNS))),
    (1, lambda part: _POSTED.search(part.text_before_date.rstrip(": "))),
    (-1, lambda part: part.text_before_date.endswith(":")),
    (-1, lambda part: _OF_PROFILE.search(f"{part.names} {part.outer}")),
    (-5, lambda part: _CHANGED.search(part.label)),
    (-20, lambda part: _OF_MEMBER.search(part.label)),
)


def weigh(rules: _Rules, part: Part) -> float:
    """Return the sum of the weights of the *rules* that hold for a part."""
    return sum(weight for weight, holds in rules if holds(part))


def is_name(text: str) -> bool:
    """Return whether *text* can be a name."""
    is_short = 1 < len(text) <= LONGEST // 2 and len(text.split()) <= 6
    return is_short and any(map(str.isalpha, text)) and not _NO_NAME.fullmatch(text) and not _DAY.search(text)


def is_of_user(element: etree._Element, text: str) -> bool:
    """Return whether an element names a user by *text*: it leads to the profile, or has the name as an attribute.

    A link that a user wrote can lead to a profile elsewhere.
    """
    is_link = element.tag == "a" and _PROFILE.search(element.get("href", "")[:LONGEST]) is not None
    is_own = is_link and "ugc" not in element.get("rel", "")
    return (is_own or text in map(element.get, NAME_ATTRIBUTES)) and is_name(text)


def has_words(text: str) -> bool:
    """Return whether *text* has more than dates, times and numbers."""
    return any(map(str.isalpha, _TIME.sub("", _AGO.sub("", _DAY.sub("", text)))))


def read_date(part: Part) -> str:
    """Return the date of an element: its value, else the day in its title or its text; empty if there is none."""
    value = part.attribute("datetime", "content") if part.tag in ("time", "meta") or part.node.get("datetime") else ""
    if 0 < len(value) <= LONGEST_TIME and _DIGITS.search(value):
        return read_epoch(value) or value
    day, in_title = _find_day(part.text), _DAY.search(part.title)
    epoch = read_epoch(part.attribute(*_EPOCHS))
    text = " ".join(part.text.split()).strip(SIGNS)
    is_short = len(text) <= LONGEST_TIME and _DIGITS.search(text) and not _TIME.fullmatch(text)
    shown = text if is_short else ""
    shown = day[0] if day else shown
    return epoch or (in_title[0] if in_title else " ".join(shown.split()).strip(SIGNS))


def _find_day(text: str) -> re.Match[str] | None:
    return _DAY.search(text) or _AGO.search(text)


def choose(posts: Sequence[Sequence[Candidate]], *, is_repeatable: bool) -> list[Candidate | None]:
    """Return the candidate with the most evidence for each post, the first of equals; None if there is too little.

    :param is_repeatable: whether all posts can have the same value, such as a day.
    """
    values: defaultdict[str, dict[int, str]] = defaultdict(dict)
    for number, candidates in enumerate(posts):
        for each in candidates:
            values[each.kind].setdefault(number, each.value)
    extra = {kind: _compare([*of_post.values()], len(posts), is_repeatable) for kind, of_post in values.items()}
    chosen = []
    for candidates in posts:
        judged = [Candidate(each[0], each[1] + extra[each.kind], *each[2:]) for each in candidates]
        good = [each for each in judged if each.evidence >= _LEAST_EVIDENCE]
        best = max(good, key=attrgetter("evidence"), default=None)
        whole = (each for each in good if is_repeatable and best is not None and _is_cut(best.value, each.value))
        chosen.append(next(whole, best))
    return chosen


def _is_cut(value: str, other: str) -> bool:
    """Return whether *value* is the beginning of *other*, such as "Mar 9" of "Mar 9, 2024"."""
    rest = other.removeprefix(value)
    return rest != other and rest[:1] in (" ", ",") and _DIGITS.search(rest) is not None


def _compare(values: list[str], n_posts: int, is_repeatable: bool) -> float:
    """Return the evidence in *values*: the first value of a kind of elements in each post that has one."""
    counts = Counter(_DIGITS.sub("", value) for value in values)
    if len(values) > 2 and len(counts) == 1 and not is_repeatable:
        return -2.0
    is_label = max(counts.values()) > _MOST_REPEATED * len(values) and not is_repeatable
    return 2.5 if not is_label and n_posts > 1 and len(values) >= 0.8 * n_posts else 0.0
