"""The days of publication and of the last change of a page.

Structured data and meta elements state them. If not, they are looked for after words such as "Published" and "Updated",
then near the headline, then by htmldate, which comes with the extra ``metadata``, and then in elements whose class
tells of a date. That search is slow, so it is skipped on large pages.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable
from copy import deepcopy
from itertools import islice
from typing import Final, TypeGuard

from lxml import etree

from scrapy_web2text.metadata.authors import is_in_comments
from scrapy_web2text.metadata.structured_data import DataItem, plain_texts, safely
from scrapy_web2text.page.tree import iter_texts

_PUBLISHED_KEYS: Final = ("datePublished", "dateCreated", "uploadDate")
_PUBLISHED_NAMES: Final = tuple(
    """article:published_time og:article:published_time og:published_time datepublished date pubdate publishdate
    publish_date publication_date dc.date.issued dcterms.created dc.date dcterms.date parsely-pub-date sailthru.date
    citation_publication_date cxenseparse:recs:publishtime""".split()
)
_MODIFIED_KEYS: Final = ("dateModified",)
_MODIFIED_NAMES: Final = tuple(
    """article:modified_time og:article:modified_time datemodified og:updated_time dcterms.modified dc.date.modified
    last-modified""".split()
)
DATE_NAMES: Final = frozenset(_PUBLISHED_NAMES + _MODIFIED_NAMES)  # in lower case
_MODIFIED: Final = re.compile("|".join(_MODIFIED_NAMES) + r"|(?!.*publish)(?:.*\s)?updated(?:\s.*)?", re.IGNORECASE)
_ISO_DATE: Final = re.compile(
    r"\s*(?!1970-01-01)((?:19|20)\d\d)(?:[-/.]?(?=\d\d[-/.]?\d\d(?!\d))|\s?[-/.年년]\s?)([01]?\d)"
    r"(?:\s?[-/.月월]\s?|(?=\d\d(?!\d)))([0-3]?\d)(?!\d)"
)
_LABELED: Final = re.compile(
    r"\b(?:((?:first |originally )?published|posted|veröffentlicht|erstellt|publié|publicado|pubblicato|gepubliceerd)"
    r"|(?:last )?(?:updated?|modified|edited)|aktualisiert|stand|mis à jour|actualizado|aggiornato|bijgewerkt)"
    r"\b[\s:]{0,3}"
    r"(?:(?:on|am|le|el|il|op)\s)?(?:[^\W\d]{2,10},\s)?"
    r"(?:([^\W\d]{3,10})\.?\s(\d{1,2})(?:st|nd|rd|th)?,\s|(\d{1,2})(?:\.|st|nd|rd|th|º)?\s(?:de\s)?([^\W\d]{3,10})\.?,?\s(?:de\s)?"
    r"|(\d{1,2})\.(\d{1,2})\.)((?:19|20)\d\d)\b",
    re.IGNORECASE,
)
# The first letters of months, in the languages of Europe, Arabic and Thai.
_NAMES: Final = """jan ene gen ian янв ιαν oca sty led січ ينا มกร|feb fév fev фев φεβ şub úno lut лют فبر กุม
    |mar mär maa мар μαρ μάρ бер bře مار มีน|apr avr abr апр απρ nis kwi dub кві أبر ابر เมษ
    |may mai mei mag maj май мая μαΐ μαϊ μάι máj kvě тра ماي พฤษ|jun giu iun июн ιουν haz cze čer чер يون มิถ
    |jul lug iul июл ιουλ tem lip červenec července лип يول กรก|aug aoû ago agu авг αυγ αύγ ağu sie srp сер أغس اغس สิง
    |sep set сен σεπ eyl wrz zář вер سبت กัน|oct okt out ott окт οκτ eki paź říj жов أكت اكت ตุล
    |nov noi ноя νοε νοέ kas lis лис نوف พฤศ|dec dez déc dic des дек δεκ ara gru pro гру ديس ธัน"""
_MONTHS: Final = {name: number for number, names in enumerate(_NAMES.split("|"), 1) for name in names.split()}
_MONTH: Final = r"[^\W\d][\w\u0e30-\u0e4e]{2,13}"  # Thai vowels are not letters
# "Thu, 04 Mar 2021 …", "March 4, 2021" and "Thu, 03/04/2021 - 10:00", which Drupal writes with the month first.
_WEEKDAY: Final = r"\s*(?:[^\W\d]{2,10}\.?,?\s)?"
_DAY_FIRST: Final = re.compile(
    rf"{_WEEKDAY}(\d{{1,2}})(?:\.|º|st|nd|rd|th)?[\s-](?:de |of )?({_MONTH})\.?,?[\s-](?:de )?((?:19|20|25)\d\d)(?!\d)"
)
_MONTH_FIRST: Final = re.compile(
    rf"{_WEEKDAY}({_MONTH}|[01]\d)[.\s/]\s?(\d{{1,2}})(?:st|nd|rd|th)?(?:,?\s|/)((?:19|20)\d\d)(?!\d)"
)
# A day in words: "3 марта 2021", "3 de marzo de 2021", "marca 3, 2021", "2021年3月3日".
_WRITTEN: Final = re.compile(
    rf"(?<![\w.])\d{{1,2}}(?:\.|º)?\s(?:de\s)?{_MONTH}\.?,?\s(?:de\s)?(?:19|20|25)\d\d(?!\d)"
    rf"|(?<!\w){_MONTH}\.?\s\d{{1,2}},?\s(?:19|20)\d\d(?!\d)"
    r"|(?<!\d)(?:19|20)\d\d ?[./年년] ?\d{1,2} ?[./月월] ?\d{1,2}(?!\d)"
)
_DIGITS: Final = str.maketrans("٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹", "0123456789" * 2)  # of Arabic and Persian
_BUDDHIST: Final = 543  # years between the calendars
_DATED: Final = re.compile(
    r"(?<![a-z])(?:byline|date(?:line|time)?|datum|fecha|meta|posted|pub(?:date|lished)?|time(?:stamp)?)(?![a-z])",
    re.IGNORECASE,
)
_MOST_DATED: Final = 10  # elements with such a class
_EPOCH: Final = re.compile(r"1\d{9}(?:\d{3})?")  # seconds or milliseconds
_NUMBERS: Final = re.compile(r"(\d{1,2})/(\d{1,2})/((?:19|20)\d\d)(?!\d)")
_AFTER_HEADLINE: Final = 25  # elements after the headline, and before it, that may tell the day of the page
_BEFORE_HEADLINE: Final = 6
_LONGEST_SHOWN: Final = 60  # characters of a text with such a day
_FIRST_YEAR: Final = 1995  # as htmldate has it
_MOST_TEXTS: Final = 20  # texts of such an element
_LONGEST: Final = 1000  # characters of a text
_MOST_ELEMENTS: Final = 6000  # htmldate takes too long on larger pages
_SILENT: Final = frozenset({"script", "style", "noscript", "template"})

Metas = dict[str, list[str]]


def find_dates(
    root: etree._Element, items: list[DataItem], metas: Metas, url: str | None, *, search: bool
) -> tuple[str | None, str | None]:
    """Return the day of publication and the day of the last change, as YYYY-MM-DD.

    :param items: the structured data, the main item first.
    :param search: whether to look for a day that neither structured data nor meta elements state.
    """
    date = _find_stated(items, _PUBLISHED_KEYS, metas, _PUBLISHED_NAMES)
    modified = _find_stated(items, _MODIFIED_KEYS, metas, _MODIFIED_NAMES)
    elements = [*islice(root.iter(etree.Element), _MOST_ELEMENTS + 1)] if search and date is None else []
    if not 0 < len(elements) <= _MOST_ELEMENTS:
        return date, modified
    shown = _read_labeled(elements)
    modified = modified or shown.get(False)
    date = shown.get(True) or _search_near(elements, is_american=root.get("lang", "").lower() == "en-us")
    date = date or safely(lambda: _search_date(root, url))
    date = date or _search_written(elements)
    return None if date == shown.get(False) and True not in shown else date, modified


def _find_stated(items: list[DataItem], keys: tuple[str, ...], metas: Metas, names: tuple[str, ...]) -> str | None:
    """Return the first day in the *keys* of *items*, else in the meta elements called *names*."""
    stated = [item.get(key) for key in keys for item in items]
    values = (*stated, *(metas.get(name) for name in names))
    texts = (text for value in values for text in plain_texts(str(value) if isinstance(value, int) else value))
    return next(filter(None, map(_read_day, texts)), None)


def _read_day(text: str) -> str | None:
    """Return the day that *text* begins with; None for a day that does not exist, such as a placeholder."""
    if iso := _ISO_DATE.match(read_epoch(text) if _EPOCH.fullmatch(text) else text):
        return _write_day(*iso.groups())
    if day_first := _DAY_FIRST.match(text):
        day, month, year = day_first.groups()
    elif month_first := _MONTH_FIRST.match(text):
        month, day, year = month_first.groups()
    else:
        return None
    beginnings = (month[:n].lower() for n in (8, 4, 3))
    number = next((_MONTHS[name] for name in beginnings if name in _MONTHS), month)
    return _write_day(int(year) - _BUDDHIST if year.startswith("25") else year, number, day)


def read_epoch(text: str) -> str:
    """Return the time that is *text* seconds or milliseconds after 1970."""
    if not (text.isdecimal() and 9 <= len(text) <= 13):
        return ""
    return datetime.datetime.fromtimestamp(int(text[:10]), datetime.UTC).isoformat()


def _is_recent(day: str | None) -> TypeGuard[str]:
    """Return whether a page can be of this *day*."""
    return day is not None and _FIRST_YEAR <= int(day[:4]) <= datetime.datetime.now().year


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


def is_change(element: etree._Element) -> bool:
    """Return whether an attribute of an element says that its day is the day of a change."""
    return any(map(_MODIFIED.fullmatch, element.attrib.values()))


def _is_of_another(element: etree._Element) -> bool:
    """Return whether an element is about a comment, or about another page to which it leads."""
    return len(next(element.iterancestors("a"), ())) > 1 or is_in_comments(element)


def _search_near(elements: list[etree._Element], *, is_american: bool) -> str | None:
    """Return the first day near the headline that a short text begins with."""
    headline = next((i for i, element in enumerate(elements) if element.tag == "h1"), -_AFTER_HEADLINE)
    for element in elements[max(headline - _BEFORE_HEADLINE, 0) : max(headline + _AFTER_HEADLINE, 0)]:
        shown = element.get("datetime") or element.text or ""
        text = " ".join(shown[:_LONGEST].translate(_DIGITS).split())
        day = _read_shown(text, is_american=is_american) if len(text) <= _LONGEST_SHOWN else None
        if _is_recent(day) and element.tag not in _SILENT and not is_change(element) and not _is_of_another(element):
            return day
    return None


def _read_shown(text: str, *, is_american: bool) -> str | None:
    """Return the day that *text*, which people read, begins with; None if its month could be its day."""
    numbers = _NUMBERS.match(text)
    if numbers is None:
        return _read_day(text)
    first, second, year = numbers.groups()
    month_first = _write_day(year, first, second)
    day_first = _write_day(year, second, first)
    if is_american or day_first in (None, month_first):
        return month_first
    return day_first if month_first is None else None


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
        if is_change(element) or (element.tag == "time" and _is_of_another(element)):
            element.drop_tree()
    return find_date(page, extensive_search=False, original_date=True, url=url)


def _search_written(elements: Iterable[etree._Element]) -> str | None:
    """Return the first day written in words in an element whose class is the class of a date."""
    marked = (each for each in elements if _DATED.search(each.get("class", "")[:_LONGEST]))
    for element in islice(marked, _MOST_DATED):
        is_own = not is_in_comments(element)
        text = "".join(islice(iter_texts(element), _MOST_TEXTS if is_own else 0))[:_LONGEST].translate(_DIGITS)
        written = _WRITTEN.search(" ".join(text.split()))
        day = _read_day(written[0]) if written else None
        if _is_recent(day):
            return day
    return None
