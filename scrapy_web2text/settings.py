"""The ``WEB2TEXT_*`` settings, the spider attribute ``web2text`` and the request meta key ``web2text``, typed."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, Literal, Union, get_args, get_origin, get_type_hints

from scrapy_web2text.extraction import EXTRACTION_FIELDS
from scrapy_web2text.metadata import METADATA_FIELDS
from scrapy_web2text.options import Options

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings

__all__ = ["META_KEY", "Executor", "MissingFieldAction", "Web2TextSettings"]

META_KEY = "web2text"

Executor = Literal["thread", "process", "inline"]
MissingFieldAction = Literal["skip", "error"]

_PREFIX = "WEB2TEXT_"
_DEFAULT_FIELDS = {"main_content": "text", "blocks": "blocks", "web2text": "summary"}
_OPTION_TYPES = get_type_hints(Options)
# Parts of an answer that are filled in only if an option asks for them -> the option.
_FORMS = {
    **{name: "metadata" for name in METADATA_FIELDS if name != "title"},
    **{name: name for name in ("html", "markdown", "paragraphs", "metadata")},
}

logger = logging.getLogger(__name__)


def _n_cpus() -> int:
    """Return how many CPUs this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@dataclass(frozen=True, slots=True)
class Web2TextSettings:
    """The settings of one crawl, validated.

    Every option of :class:`~scrapy_web2text.options.Options` is a setting too: ``threshold`` is ``WEB2TEXT_THRESHOLD``.
    The text ``none`` and the empty text unset a setting, so that ``-s`` can set everything.

    :param enabled: ``WEB2TEXT_ENABLED``, the off switch.
    :param options: the options of requests that override none: spider attribute before settings, per value.
    :param fields: item field -> attribute of :class:`~scrapy_web2text.extraction.Extraction`.
    :param on_missing_field: what happens when an item class lacks one of these fields.
    :param url_field: item field that names the item's page; None where no item names it.
    :param html_field: item field that holds the page's HTML; None where no item holds it.
    :param in_middleware: whether the downloader middleware extracts every page before the callback.
    :param statuses: HTTP statuses of the pages that are extracted.
    :param executor: where the work is done: in ``thread``, in ``process`` or ``inline``, in the event loop.
    :param workers: number of threads or processes.
    """

    enabled: bool = True
    options: Options = field(default_factory=Options)
    fields: Mapping[str, str] = field(default_factory=_DEFAULT_FIELDS.copy)
    on_missing_field: MissingFieldAction = "skip"
    url_field: str | None = "url"
    html_field: str | None = None
    in_middleware: bool = False
    statuses: frozenset[int] = frozenset(range(200, 300))
    executor: Executor = "thread"
    workers: int = field(default_factory=_n_cpus)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Web2TextSettings:
        """Return the settings of *crawler* and of its spider's attribute ``web2text``.

        :raises ValueError: if a value is impossible; the message names the setting and what it may be.
        """
        return cls.from_settings(crawler.settings, getattr(crawler.spider, META_KEY, None))

    @classmethod
    def from_settings(cls, settings: BaseSettings, spider_options: object = None) -> Web2TextSettings:
        """Return the settings in *settings*, overridden by the spider attribute *spider_options*.

        :raises ValueError: if a value is impossible; the message names the setting and what it may be.
        """
        given = {name.removeprefix(_PREFIX).lower(): settings[name] for name in settings if name.startswith(_PREFIX)}
        values: dict[str, Any] = {}
        for name in given.keys() & _READERS:
            value = given.pop(name)
            if not _is_unset(value):
                values[name] = _read_setting(name, value)
            elif name in ("url_field", "html_field"):
                values[name] = None
        chosen = {name: given.pop(name) for name in given.keys() & _OPTION_TYPES}
        if given:
            unknown = ", ".join(sorted(_setting_name(name) for name in given))
            known = ", ".join(sorted(_setting_name(name) for name in (*_READERS, *_OPTION_TYPES)))
            logger.warning("No settings of scrapy-web2text, ignored: %s. There are %s", unknown, known)
        options, problems = _override(Options(), chosen)
        for name, problem in problems.items():
            raise ValueError(f"{_setting_name(name)}: {problem}")
        options = _with_spider_options(options, spider_options)
        return cls(options=_with_wanted_forms(options, values.get("fields", _DEFAULT_FIELDS)), **values)

    def options_for(self, request_meta: Mapping[str, Any]) -> Options:
        """Return the options of one request: its meta key ``web2text``, where that is a dict, wins per value.

        What :meth:`problems_with` finds is left out.
        """
        asked = request_meta.get(META_KEY)
        return _override(self.options, asked)[0] if isinstance(asked, Mapping) else self.options

    def problems_with(self, request_meta: Mapping[str, Any]) -> dict[str, str]:
        """Return what is wrong in the meta key ``web2text`` of one request: option -> expectation and value."""
        asked = request_meta.get(META_KEY)
        if isinstance(asked, Mapping):
            return _override(self.options, asked)[1]
        if asked is None or isinstance(asked, bool):
            return {}
        return {META_KEY: f"expected True, False or a dict of options, got {asked!r}"}


def _setting_name(name: str) -> str:
    return f"{_PREFIX}{name.upper()}"


def _with_wanted_forms(options: Options, wanted: Mapping[str, str]) -> Options:
    """Return *options* with the forms of the content that *wanted*, item field -> attribute, names."""
    forms = {_FORMS[attribute] for attribute in wanted.values() if attribute in _FORMS}
    return options.replace(**dict.fromkeys(forms, True))


def _with_spider_options(options: Options, spider_options: object) -> Options:
    if spider_options is None:
        return options
    if not isinstance(spider_options, Mapping):
        raise ValueError(f"spider attribute {META_KEY}: expected a dict of options, got {spider_options!r}")
    options, problems = _override(options, spider_options)
    for name, problem in problems.items():
        raise ValueError(f"spider attribute {META_KEY}, key {name!r}: {problem}")
    return options


def _override(options: Options, overrides: Mapping[str, object]) -> tuple[Options, dict[str, str]]:
    """Return *options* with the possible ones of *overrides*, and what is wrong with each of the others."""
    problems = {}
    for key, value in overrides.items():
        name = str(key)
        try:
            options = options.replace(**{name: _read_option(name, value)})
        except ValueError as e:
            problems[name] = str(e)
    return options, problems


def _read_option(name: str, value: object) -> Any:
    """Return *value* in the type that the option has; None, or the default where None is no value, for unset."""
    if name not in _OPTION_TYPES:
        raise ValueError(f"unknown option; expected one of {', '.join(_OPTION_TYPES)}")
    hint = _OPTION_TYPES[name]
    kinds = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
    is_a_choice = any(value in get_args(kind) for kind in kinds if get_origin(kind) is Literal)
    if _is_unset(value) and not is_a_choice:
        return None if NoneType in kinds else getattr(Options(), name)
    if bool in kinds:
        return _read_bool(value)
    if float in kinds:
        return _read_number(value)
    if int in kinds:
        return _read_whole_number(value)
    return _read_text(value)


def _is_unset(value: object) -> bool:
    return value is None or (isinstance(value, str) and value.strip().lower() in ("", "none"))


def _read_setting(name: str, value: object) -> Any:
    try:
        return _READERS[name](value)
    except ValueError as e:
        raise ValueError(f"{_setting_name(name)}: {e}") from None


def _read_text(value: object) -> str:
    if not isinstance(value, (str, os.PathLike)):
        raise ValueError(f"expected a text, got {value!r}")
    return os.fspath(value).strip()


def _read_number(value: object) -> float:
    try:
        if isinstance(value, bool) or not isinstance(value, (int, float, str)):
            raise ValueError
        return float(value)
    except (ValueError, OverflowError):
        raise ValueError(f"expected a number, got {value!r}") from None


def _read_whole_number(value: object) -> int:
    number = _read_number(value)
    if not number.is_integer():
        raise ValueError(f"expected a whole number, got {value!r}")
    return int(number)


def _read_workers(value: object) -> int:
    workers = _read_whole_number(value)
    if workers < 1:
        raise ValueError(f"expected a whole number above 0, got {value!r}")
    return workers


def _read_bool(value: object) -> bool:
    known = {"true": True, "1": True, "false": False, "0": False}
    text = str(value).strip().lower()
    if text not in known:
        raise ValueError(f"expected True or False, got {value!r}")
    return known[text]


def _read_choice(*choices: str) -> Callable[[object], str]:
    def read(value: object) -> str:
        text = str(value).strip()
        if text not in choices:
            raise ValueError(f"expected one of {', '.join(map(repr, choices))}, got {value!r}")
        return text

    return read


def _read_fields(value: object) -> Mapping[str, str]:
    """Return item field -> attribute, from a dict or its JSON."""
    expected = f"expected a dict of item field: one of {', '.join(EXTRACTION_FIELDS)}"
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError:
            raise ValueError(f"{expected}, as JSON, got {value!r}") from None
    if not isinstance(value, Mapping):
        raise ValueError(f"{expected}, got {value!r}")
    for name, attribute in value.items():
        if not isinstance(name, str) or attribute not in EXTRACTION_FIELDS:
            raise ValueError(f"{expected}, got {name!r}: {attribute!r}")
    return dict(value)


def _read_statuses(value: object) -> frozenset[int]:
    """Return the statuses in a list such as ``[200, "400-499"]`` or a text such as ``200,400-499``."""
    parts = value.split(",") if isinstance(value, str) else value if isinstance(value, Iterable) else [value]
    statuses: set[int] = set()
    for part in parts:
        first, _, last = str(part).partition("-")
        try:
            statuses.update(range(int(first), int(last or first) + 1))
        except ValueError:
            raise ValueError(f"expected HTTP statuses such as 200,400-499, got {value!r}") from None
    if not statuses or min(statuses) < 100 or max(statuses) > 599:
        raise ValueError(f"expected HTTP statuses from 100 to 599, got {value!r}")
    return frozenset(statuses)


_READERS: dict[str, Callable[[object], Any]] = {
    "enabled": _read_bool,
    "fields": _read_fields,
    "on_missing_field": _read_choice(*get_args(MissingFieldAction)),
    "url_field": _read_text,
    "html_field": _read_text,
    "in_middleware": _read_bool,
    "statuses": _read_statuses,
    "executor": _read_choice(*get_args(Executor)),
    "workers": _read_workers,
}
