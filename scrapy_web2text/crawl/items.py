"""Reads items: their URL, their HTML and the values of an answer, and shortens them for the log."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from itemadapter import ItemAdapter
from parsel import Selector, SelectorList
from scrapy.logformatter import LogFormatter

from scrapy_web2text.common.display import shorten
from scrapy_web2text.content.forms import FRONT_MATTER
from scrapy_web2text.crawl.settings import DEFAULT_FIELDS, Web2TextSettings
from scrapy_web2text.extraction import Extraction
from scrapy_web2text.page.encoding import decode_html
from scrapy_web2text.page.sniffing import is_response, stated_encoding

if TYPE_CHECKING:
    from scrapy.logformatter import LogFormatterResult

_LONGEST_ITEM: Final = 300  # characters of an item in the log
_LONGEST_VALUE: Final = 120  # characters of each value of a longer item

# Value -> the item field to read if the settings name no field for the value.
_USUAL_FIELDS: Final = {
    **{value: field for field, value in DEFAULT_FIELDS.items()},
    **{name: name for name in ("markdown", *FRONT_MATTER) if name != "title"},
}

_SUMMARY: Final = frozenset(Extraction().summary)


class ItemValues:
    """Finds the values of an answer in items.

    :param settings: settings that name the item field of each value; None for the default settings.
    :param chosen: value -> the item field that holds it, which overrides the settings; None to follow the settings.
    """

    def __init__(self, settings: Web2TextSettings | None, chosen: Mapping[str, str | None]) -> None:
        settings = settings or Web2TextSettings()
        fields: dict[str, list[str]] = {}
        # The field that the spider fills in comes before a field with the URL of the response.
        for field, value in ((settings.url_field, "url"), *settings.fields.items()):
            if field is not None:
                fields.setdefault(value, []).append(field)
        fields |= {value: [field] for value, field in chosen.items() if field is not None}
        self._filled = frozenset(fields)
        self._fields = {value: [field] for value, field in _USUAL_FIELDS.items()} | fields

    def can_find(self, value: str) -> bool:
        """Return whether settings or caller name an item field for *value*, or for the summary that has it."""
        return value in self._filled or (value in _SUMMARY and "summary" in self._filled)

    def fields_of(self, value: str) -> list[str]:
        """Return the item fields that may hold *value*, with the fields of the summary if it has *value*."""
        return [*self._fields.get(value, ()), *(self._fields["summary"] if value in _SUMMARY else ())]

    def has_field(self, item: Any, value: str) -> bool:
        """Return whether *item* has a field that may hold *value*, even if the field is empty."""
        return ItemAdapter.is_item(item) and any(field in ItemAdapter(item) for field in self.fields_of(value))

    def find(self, item: Any, value: str) -> Any:
        """Return *value* from a field of its own, the summary or the metadata; None if *item* does not have it."""
        if not ItemAdapter.is_item(item):
            return None
        adapter = ItemAdapter(item)
        found = [adapter.get(field) for field in self._fields.get(value, ())]
        parts = [adapter.get(field) for name in ("summary", "metadata") for field in self._fields.get(name, ())]
        found += [part[value] for part in parts if isinstance(part, Mapping) and value in part]
        return next((each for each in found if each is not None), None)


def list_values(value: object) -> list[Any]:
    """Return the values that a field holds, without empty values. Item loaders write lists of values."""
    values = value if isinstance(value, list | tuple) else [value]
    return [each for each in values if each is not None and each not in ("", b"")]


def read_url(item: Any, field: str | None) -> str | None:
    """Return the URL in *field* of an item, which may be the only value of a list; None if there is no URL."""
    if field is None or not ItemAdapter.is_item(item):
        return None
    url = ItemAdapter(item).get(field)
    values = list_values(url)
    return str(values[0] if len(values) == 1 else url) if values else None


class ItemHtml(NamedTuple):
    """The HTML in a field of an item.

    :param text: the HTML as text; empty if there is none, or *error* says why it cannot be read.
    :param source: the bytes of the HTML, or else its text.
    :param is_element: whether it consists of elements of a page.
    """

    text: str = ""
    source: str | bytes = ""
    is_element: bool = False
    error: TypeError | None = None


def read_html(value: Any) -> ItemHtml:
    """Return the HTML in *value*: text, bytes, a response, a Selector, an lxml tree, or a list of these."""
    try:
        values = list_values(value)
        if values and all(isinstance(part, Selector) for part in values):
            values = [SelectorList(values)]  # may overlap
        found = [*map(_read_part, values)]
    except TypeError as error:
        return ItemHtml(error=error)
    text, extents = "\n".join(markup for markup, _ in found), {extent for _, extent in found}
    return ItemHtml(
        text=text,
        source=value if isinstance(value, bytes) else text,
        is_element="element" in extents and "page" not in extents,
    )


def _read_part(part: Any) -> tuple[str, str]:
    """Return a part of the HTML as text, and how much of a page it is; for text, the extractor finds this out.

    :raises TypeError: if *part* is of another type.
    """
    if isinstance(part, str):
        return part, "text"
    if isinstance(part, bytes):
        return decode_html(part), "text"
    if is_response(part):
        return decode_html(part.body, stated_encoding(part)), "text"
    from scrapy_web2text.page.parse import serialize  # loads numpy

    return serialize(part)


class ItemLine:
    """An item as a log message shows it, with long texts shortened."""

    def __init__(self, item: Any) -> None:
        self._item = item

    def __str__(self) -> str:
        """Return a short item as it is, and the beginnings of the values of others."""
        text = str(self._item)
        if len(text) <= _LONGEST_ITEM or not ItemAdapter.is_item(self._item):
            return shorten(text, _LONGEST_ITEM)
        values = {name: shorten(repr(value), _LONGEST_VALUE) for name, value in ItemAdapter(self._item).items()}
        item_class = "" if isinstance(self._item, dict) else type(self._item).__name__
        return f"{item_class}{{{', '.join(f'{name!r}: {value}' for name, value in values.items())}}}"


class ShortLogFormatter(LogFormatter):
    """Scrapy's log formatter, with long texts of items shortened."""

    def scraped(self, item: Any, *args: Any, **kwargs: Any) -> LogFormatterResult:
        """Return the message for an item that was scraped."""
        return super().scraped(ItemLine(item), *args, **kwargs)

    def dropped(self, item: Any, *args: Any, **kwargs: Any) -> LogFormatterResult:
        """Return the message for an item that was dropped."""
        return super().dropped(ItemLine(item), *args, **kwargs)

    def item_error(self, item: Any, *args: Any, **kwargs: Any) -> LogFormatterResult:
        """Return the message for an item that failed."""
        return super().item_error(ItemLine(item), *args, **kwargs)
