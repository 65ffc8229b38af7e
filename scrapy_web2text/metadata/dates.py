"""The days of publication and of the last change of a page.

Structured data and meta elements state them. If not, they are looked for after words such as "Published" and "Updated",
then by htmldate, which comes with the extra ``metadata``, and then, by dateparser, which comes with htmldate, in
elements whose class tells of a date. That search is slow, so it is skipped on large pages.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable
from copy import deepcopy
from itertools import islice
from typing import Final

from lxml import etree

from scrapy_web2text.metadata.authors import is_in_comments
from scrapy_web2text.metadata.structured_data import Item, plain_texts, safely
from scrapy_web2text.page.tree import iter_texts

_PUBLISHED_KEYS: Final = ("datePublished", "dateCreated", "uploadDate")
_PUBLISHED_NAMES: Final = tuple(
    """article:published_time og:article:published_time datepublished date pubdate publishdate publish_date
    publication_date dc.date.issued dcterms.created dc.date dcterms.date parsely-pub-date sailthru.date
    citation_publication_date""".split()
)
_MODIFIED_KEYS: Final = ("dateModified",)
_MODIFIED_NAMES: Final = tuple(
    """article:modified_time og:article:modified_time datemodified og:updated_time dcterms.modified dc.date.modified
    last-modified""".split()
)
DATE_NAMES: Final = frozenset(_PUBLISHED_NAMES + _MODIFIED_NAMES)  # in lower case
_MODIFIED: Final = re.compile("|".join(_MODIFIED_NAMES), re.IGNORECASE)
_ISO_DATE: Final = re.compile(r"\s*((?:19|20)\d\d)[-/.]?([01]\d)[-/.]?([0-3]\d)(?!\d)")
# "Thu, 04 Mar 2021 …", "March 4, 2021" and "Thu, 03/04/2021 - 10:00", which Drupal writes with the month first.
_WEEKDAY: Final = r"\s*(?:[^\W\d]{2,10}\.?,?\s)?"
_DAY_FIRST: Final = re.compile(rf"{_WEEKDAY}(\d{{1,2}})\.?[\s-]([^\W\d]{{3,12}})\.?,?[\s-]((?:19|20)\d\d)\b")
_MONTH_FIRST: Final = re.compile(rf"{_WEEKDAY}([^\W\d]{{3,12}}|[01]\d)[.\s/]\s?(\d{{1,2}})(?:,\s|/)((?:19|20)\d\d)\b")
_LABELED: Final = re.compile(
    r"\b(?:((?:first |originally )?published|posted|veröffentlicht|publié|publicado|pubblicato|gepubliceerd)"
    r"|(?:last )?(?:updated?|modified|edited)|aktualisiert|mis à jour|actualizado|aggiornato|bijgewerkt)\b[\s:]{0,3}"
    r"(?:(?:on|am|le|el|il|op)\s)?(?:[^\W\d]{2,10},\s)?"
    r"(?:([^\W\d]{3,10})\.?\s(\d{1,2})(?:st|nd|rd|th)?,\s|(\d{1,2})(?:\.|st|nd|rd|th|º)?\s(?:de\s)?([^\W\d]{3,10})\.?,?\s(?:de\s)?"
    r"|(\d{1,2})\.(\d{1,2})\.)((?:19|20)\d\d)\b",
    re.IGNORECASE,
)
# The first letters of months in English, French, German, Dutch, Spanish, Portuguese and Italian.
_NAMES: Final = """jan ene gen|feb fév fev|mar mär maa|apr avr abr|may mai mei mag|jun giu|jul lug|aug aoû ago|sep set
    |oct okt out ott|nov|dec dez déc dic"""
_MONTHS: Final = {name: number for number, names in enumerate(_NAMES.split("|"), 1) for name in names.split()}
# A day in words: "3 марта 2021", "3 de marzo de 2021", "marca 3, 2021", "2021年3月3日".
_WRITTEN: Final = re.compile(
    r"(?<![\w.])\d{1,2}(?:\.|º)?\s(?:de\s)?[^\W\d]{3,14}\.?,?\s(?:de\s)?(?:19|20)\d\d(?!\d)"
    r"|(?<!\w)[^\W\d]{3,14}\.?\s\d{1,2},?\s(?:19|20)\d\d(?!\d)"
    r"|(?<!\d)(?:19|20)\d\d ?[年년] ?\d{1,2} ?[月월] ?\d{1,2} ?[日일]"
)
_NUMBER: Final = re.compile(r"\d+")
_DATED: Final = re.compile(
    r"(?<![a-z])(?:byline|date(?:line|time)?|meta|posted|pub(?:date|lished)?|time(?:stamp)?)(?![a-z])", re.IGNORECASE
)
_MOST_DATED: Final = 10  # elements with such a class
_FIRST_YEAR: Final = 1995  # as htmldate has it
_MOST_TEXTS: Final = 20  # texts of such an element
_ONLY_DAYS: Final = {
    "PARSERS": ["absolute-time"],
    "REQUIRE_PARTS": ["day", "month", "year"],
    "STRICT_PARSING": True,
    "RETURN_AS_TIMEZONE_AWARE": False,
}
_LONGEST: Final = 1000  # characters of a text
_MOST_ELEMENTS: Final = 6000  # htmldate takes too long on larger pages
_SILENT: Final = frozenset({"script", "style", "noscript", "template"})

Metas = dict[str, list[str]]


def find_dates(
    root: etree._Element, items: list[Item], metas: Metas, url: str | None, language: str | None, *, search: bool
) -> tuple[str | None, str | None]:
    """Return the day of publication and the day of the last change, as YYYY-MM-DD.

    :param items: the structured data, the main item first.
    :param language: the language of the page, for the names of months.
    :param search: whether to look for a day that neither structured data nor meta elements state.
    """
    date = _find_stated(items, _PUBLISHED_KEYS, metas, _PUBLISHED_NAMES)
    modified = _find_stated(items, _MODIFIED_KEYS, metas, _MODIFIED_NAMES)
    elements = [*islice(root.iter(etree.Element), _MOST_ELEMENTS + 1)] if search and date is None else []
    if not 0 < len(elements) <= _MOST_ELEMENTS:
        return date, modified
    shown = _read_labeled(elements)
    modified = modified or shown.get(False)
    date = shown.get(True) or safely(lambda: _search_date(root, url))
    date = date or safely(lambda: _search_written(elements, language or "en"))
    return None if date == shown.get(False) and True not in shown else date, modified


def _find_stated(items: list[Item], keys: tuple[str, ...], metas: Metas, names: tuple[str, ...]) -> str | None:
    """Return the first day in the *keys* of *items*, else in the meta elements called *names*."""
    stated = [item.get(key) for key in keys for item in items]
    values = (*stated, *(metas.get(name) for name in names))
    return next(filter(None, (_read_day(text) for value in values for text in plain_texts(value))), None)


def _read_day(text: str) -> str | None:
    """Return the day that *text* begins with; None for a day that does not exist, such as a placeholder."""
    if iso := _ISO_DATE.match(text):
        return _write_day(*iso.groups())
    if day_first := _DAY_FIRST.match(text):
        day, month, year = day_first.groups()
    elif month_first := _MONTH_FIRST.match(text):
        month, day, year = month_first.groups()
    else:
        return None
    return _write_day(year, _MONTHS.get(month[:3].lower(), month), day)


def _write_day(*parts: str | int) -> str | None:
    try:
        return datetime.date(*map(int, parts)).isoformat()
    except ValueError:
        return None


def _read_labeled(elements: Iterable[etree._Element]) -> dict[bool, str]:
    """Return the first days that the text labels as published (key True) and as updated (key False)."""
    texts = (text for each in elements for text in ("" if each.tag in _SILENT else each.text, each.tail) if text)
    found: dict[bool, str] = {}
    for match in _LABELED.finditer(" ".join(" ".join(text[:_LONGEST].split()) for text in texts)):
        published, month, day, other_day, other_month, german_day, german_month, year = match.groups()
        name = (month or other_month or "")[:3].lower()
        written = _write_day(year, german_month or _MONTHS.get(name, 0), day or other_day or german_day)
        if written:
            found.setdefault(published is not None, written)
    return found


def _search_date(root: etree._Element, url: str | None) -> str | None:
    from htmldate import find_date  # slow to import
    from lxml import html

    # htmldate accepts only trees of lxml.html, and edits them. A copy takes a fifth of the time of parsing again.
    holder = html.Element("html")
    holder.append(deepcopy(root))
    page = holder[0]  # an element of lxml.html by now
    del holder[0]
    etree.strip_tags(page, etree.ProcessingInstruction)
    if next(islice(page.iter(etree.Comment), _MOST_ELEMENTS, None), None) is not None:
        etree.strip_tags(page, etree.Comment)  # `itertext` would take quadratic time
    for element in [*page.iter("meta", "time")]:
        # htmldate could take the day of a change, of a comment or of another page for the first one.
        is_change = any(map(_MODIFIED.fullmatch, element.attrib.values()))
        in_card = len(next(element.iterancestors("a"), ())) > 1 or is_in_comments(element)
        if is_change or (element.tag == "time" and in_card):
            element.drop_tree()
    found: str | None = find_date(page, extensive_search=False, original_date=True, url=url)
    return found


def _search_written(elements: Iterable[etree._Element], language: str) -> str | None:
    """Return the first day that an element tells in words of *language*, if its class tells of a date."""
    import dateparser  # slow to import; to guess the language would take up to half a minute

    marked = (each for each in elements if _DATED.search(each.get("class", "")[:_LONGEST]))
    for element in islice(marked, _MOST_DATED):
        is_own = not is_in_comments(element)
        text = " ".join("".join(islice(iter_texts(element), _MOST_TEXTS if is_own else 0))[:_LONGEST].split())
        written = _WRITTEN.search(text)
        found = written and dateparser.parse(written[0], languages=[language], settings=_ONLY_DAYS)
        if not written or not found or not _FIRST_YEAR <= found.year <= datetime.datetime.now().year:
            continue
        if found.day in map(int, _NUMBER.findall(written[0])):  # dateparser reads the 99th of March as the 9th
            day: datetime.date = found.date()
            return day.isoformat()
    return None
