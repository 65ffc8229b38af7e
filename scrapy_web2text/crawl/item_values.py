"""Finds the values of an answer in an item: in the fields that ``WEB2TEXT_FIELDS`` fills in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from itemadapter import ItemAdapter

from scrapy_web2text.crawl.settings import DEFAULT_FIELDS
from scrapy_web2text.extraction import Extraction

if TYPE_CHECKING:
    from scrapy_web2text.crawl.settings import Web2TextSettings

__all__ = ["ItemValues"]

# Value -> the item field to read if the settings have none for it.
_USUAL_FIELDS: Final = {
    **{value: field for field, value in DEFAULT_FIELDS.items()},
    **{name: name for name in ("url", "markdown", "date", "language")},
}

_SUMMARY: Final = frozenset(Extraction().summary)


class ItemValues:
    """Finds the values of an answer in items.

    :param settings: the settings, which name the item field of each value; None for their defaults.
    :param chosen: value -> the item field that holds it, whatever the settings say; None to follow the settings.
    """

    def __init__(self, settings: Web2TextSettings | None, chosen: Mapping[str, str | None]) -> None:
        fields: dict[str, list[str]] = {}
        for field, value in (DEFAULT_FIELDS if settings is None else settings.fields).items():
            fields.setdefault(value, []).append(field)
        if settings is not None and settings.url_field is not None:
            # The field that the spider fills in comes before one with the URL of the response.
            fields.setdefault("url", []).insert(0, settings.url_field)
        fields |= {value: [field] for value, field in chosen.items() if field is not None}
        self._filled = frozenset(fields)
        self._fields = {value: [field] for value, field in _USUAL_FIELDS.items()} | fields

    def can_find(self, value: str) -> bool:
        """Return whether settings or caller name an item field for *value*, or for the summary that has it."""
        return value in self._filled or (value in _SUMMARY and "summary" in self._filled)

    def fields_of(self, value: str) -> list[str]:
        """Return the item fields that may hold *value*, those of the summary that has it too."""
        return [*self._fields.get(value, ()), *(self._fields["summary"] if value in _SUMMARY else ())]

    def has_field(self, item: Any, value: str) -> bool:
        """Return whether *item* has a field that may hold *value*, be it empty."""
        return ItemAdapter.is_item(item) and any(field in ItemAdapter(item) for field in self.fields_of(value))

    def find(self, item: Any, value: str) -> Any:
        """Return *value* from a field of its own, or else from the summary; None if *item* does not have it."""
        if not ItemAdapter.is_item(item):
            return None
        adapter = ItemAdapter(item)
        found = self._find_field(adapter, value)
        if found is not None:
            return found
        summary = self._find_field(adapter, "summary")
        return summary.get(value) if isinstance(summary, Mapping) else None

    def _find_field(self, adapter: ItemAdapter, value: str) -> Any:
        found = (adapter.get(field) for field in self._fields.get(value, ()))
        return next((content for content in found if content is not None), None)
