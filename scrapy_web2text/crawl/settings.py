"""The ``WEB2TEXT_*`` settings, the spider attribute ``web2text`` and the request meta key ``web2text``, typed."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from functools import partial
from math import inf
from typing import TYPE_CHECKING, Any, Final, Literal, get_args, get_type_hints

from scrapy_web2text.common.checks import POSITIVE_WHOLE, Rule, one_of
from scrapy_web2text.content.forms import OPTIONAL_PARTS
from scrapy_web2text.crawl.setting_values import (
    OPTION_TYPES,
    PREFIX,
    WORKER_MEMORY_RULE,
    is_unset,
    override,
    read_as,
    read_fields,
    read_statuses,
    refuse_old_names,
    setting_name,
    warn_of_unknown,
)
from scrapy_web2text.crawl.sites import SiteIndex, read_sites, resolve_sites
from scrapy_web2text.extraction import FIELDS_OF_METADATA
from scrapy_web2text.options import DEFAULT_CHUNK_WORDS, Options
from scrapy_web2text.workers.processes import WORKER_MEMORY

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings

META_KEY = "web2text"

Executor = Literal["process", "thread", "inline"]
MissingFieldAction = Literal["skip", "error"]
EmptyAction = Literal["keep", "drop"]

# The default of WEB2TEXT_FIELDS; with a feed in Markdown, it has that as well.
DEFAULT_FIELDS: Final = {"main_content": "text", "blocks": "blocks", "web2text": "summary"}
MARKDOWN_FORMAT: Final = "web2text-markdown"
# Parts of an answer that are filled in only if an option asks for them -> the option, and its value.
_OPTION_OF_PART: Final[Mapping[str, tuple[str, Any]]] = {
    **dict.fromkeys(FIELDS_OF_METADATA, ("metadata", True)),
    **{name: (name, True) for name in OPTIONAL_PARTS},
    "chunks": ("chunks", DEFAULT_CHUNK_WORDS),
    "comments": ("comments", "separate"),
}

_SNAPSHOT_BYTES = 1_000_000_000
# Two threads are about as fast as many, because of the GIL, and delay the event loop less.
_MOST_THREADS = 2
# With more, the event loop is the slowest part: a page takes about twice as long in a worker as it takes there.
_MOST_PROCESSES = 4


def n_cpus() -> int:
    """Return how many CPUs this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@dataclass(frozen=True, slots=True)
class RequestOptions:
    """The settings of one request.

    :param options: the options of its extraction.
    :param in_middleware: whether the downloader middleware extracts the page, before the callback.
    :param is_disabled: whether the page is not extracted at all.
    :param defaults: the options of the page without those of the request.
    :param problems: option -> its value and what was expected, for options of the request that are ignored.
    """

    options: Options
    in_middleware: bool = False
    is_disabled: bool = False
    defaults: Options = field(default_factory=Options, compare=False)
    problems: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Web2TextSettings:
    """The settings of one crawl, validated.

    Every option of :class:`~scrapy_web2text.options.Options` is a setting too: ``threshold`` is ``WEB2TEXT_THRESHOLD``.
    The string ``none`` and the empty string unset a setting, so that ``-s`` can unset it too.

    :param enabled: ``WEB2TEXT_ENABLED``, the off switch.
    :param options: the options of requests without overrides. The spider attribute overrides settings, value by value.
    :param fields: item field -> attribute of :class:`~scrapy_web2text.extraction.Extraction`.
    :param on_missing_field: whether to ``skip`` a field that an item class lacks, or to raise an ``error``.
    :param on_empty: whether items whose pages have no text are kept, or dropped.
    :param url_field: item field with the URL of the item's page; None if there is none.
    :param html_field: item field with the HTML of the item's page; None if there is none.
    :param chunk_words: most words of each chunk, if an item field has chunks.
    :param in_middleware: whether the downloader middleware extracts every page before the callback.
    :param sites: domain, or domain and path -> options of its pages.
    :param site_index: finds these options by the URL of a page.
    :param statuses: HTTP statuses of the responses that are extracted.
    :param executor: where extraction runs: in a ``process``, in a ``thread``, or ``inline`` in the event loop.
    :param workers: number of threads or processes; None for the default of the executor, :attr:`n_workers`.
    :param worker_memory: address space of a worker process, in bytes, where the system can limit it; None for no limit.
    :param log_interval: seconds between two summaries in the log; None or 0 for one at the end only.
    :param snapshot_dir: folder in which the pages that are extracted are kept; None for none.
    :param snapshot_bytes: the largest size of this folder, in bytes; None for no limit.
    :param sources: option -> where it was set, for messages; by default, in the setting with its name.
    """

    enabled: bool = True
    options: Options = field(default_factory=Options)
    fields: Mapping[str, str] = field(default_factory=DEFAULT_FIELDS.copy)
    on_missing_field: MissingFieldAction = "skip"
    on_empty: EmptyAction = "keep"
    url_field: str | None = "url"
    html_field: str | None = None
    chunk_words: int = DEFAULT_CHUNK_WORDS
    in_middleware: bool = False
    sites: Mapping[str, Options] = field(default_factory=dict)
    site_index: SiteIndex = field(default_factory=partial(SiteIndex, {}), compare=False, repr=False)
    statuses: frozenset[int] = frozenset(range(200, 300))
    executor: Executor = "process"
    workers: int | None = None
    worker_memory: int | None = WORKER_MEMORY
    log_interval: float | None = 60.0
    snapshot_dir: str | None = None
    snapshot_bytes: int | None = _SNAPSHOT_BYTES
    sources: Mapping[str, str] = field(default_factory=dict, compare=False, repr=False)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Web2TextSettings:
        """Return the settings of *crawler* and of its spider's attribute ``web2text``, as :meth:`from_settings`."""
        return cls.from_settings(crawler.settings, getattr(crawler.spider, META_KEY, None))

    @classmethod
    def from_settings(cls, settings: BaseSettings, spider_options: object = None) -> Web2TextSettings:
        """Return the settings in *settings*, overridden by the spider attribute *spider_options*.

        :raises ValueError: if a value is impossible; the message names the setting and what was expected.
        """
        given = {name.removeprefix(PREFIX).lower(): settings[name] for name in settings if name.startswith(PREFIX)}
        refuse_old_names(settings, OPTIONAL_PARTS)
        warn_of_unknown(settings, map(setting_name, (*_NAMES, *(OPTION_TYPES.keys() - OPTIONAL_PARTS.keys()))))
        values: dict[str, Any] = {}
        for name in given.keys() & _NAMES:
            try:
                values |= _read(name, given[name])
            except ValueError as e:
                raise ValueError(f"{setting_name(name)}: {e}") from None
        if "fields" not in values and _has_markdown_feed(settings):
            values["fields"] = {**DEFAULT_FIELDS, "markdown": "markdown"}
        attribute = {} if spider_options is None else spider_options
        if not isinstance(attribute, Mapping):
            raise ValueError(f"spider attribute {META_KEY}: expected a dict of options, got {attribute!r}")
        sources = {name: f"spider attribute {META_KEY}, key {name!r}" for name in map(str, attribute)}
        chosen = {name: given[name] for name in given.keys() & OPTION_TYPES}
        options, in_middleware, problems = override(Options(), values.get("in_middleware", False), chosen)
        for name, problem in problems.items():
            raise ValueError(f"{setting_name(name)}: {problem}")
        options, values["in_middleware"], problems = override(options, in_middleware, attribute)
        for name, problem in problems.items():
            raise ValueError(f"{sources[name]}: {problem}")
        parts = values.get("fields", DEFAULT_FIELDS).values()
        needed = dict(_OPTION_OF_PART[part] for part in parts if part in _OPTION_OF_PART)
        if "chunks" in needed:
            needed["chunks"] = options.chunks or values.get("chunk_words", DEFAULT_CHUNK_WORDS)
        if "comments" in needed and options.comments in ("include", "exclude"):
            name = sources.get("comments", setting_name("comments"))
            raise ValueError(f"{name}: expected 'separate' for the field of comments, got {options.comments!r}")
        sources |= {name: setting_name("fields") for name, value in needed.items() if getattr(options, name) != value}
        options = options.replace(**needed)
        values["sites"] = resolve_sites(values.get("sites", {}), options, setting_name("sites"))
        return cls(options=options, site_index=SiteIndex(values["sites"]), sources=sources, **values)

    @property
    def n_workers(self) -> int:
        """Number of threads or processes."""
        if self.workers is not None:
            return self.workers
        return min(_MOST_PROCESSES if self.executor == "process" else _MOST_THREADS, n_cpus())

    def name_source(self, option: str) -> str:
        """Return where *option* was set: the name of a setting, or the spider attribute."""
        return self.sources.get(option, setting_name(option))

    def find_idle(self) -> Iterator[tuple[str, str]]:
        """Yield the settings of the crawl that are set but have no effect, each with the reason."""
        why = f"{setting_name('executor')} is {self.executor!r}"
        if self.executor != "process" and self.worker_memory != WORKER_MEMORY:
            yield setting_name("worker_memory"), why
        if self.executor == "inline" and self.workers is not None:
            yield setting_name("workers"), why
        if self.chunk_words != DEFAULT_CHUNK_WORDS and "chunks" not in self.fields.values():
            yield setting_name("chunk_words"), f"{setting_name('fields')} has no chunks"
        if self.snapshot_dir is None and self.snapshot_bytes != _SNAPSHOT_BYTES:
            yield setting_name("snapshot_bytes"), f"{setting_name('snapshot_dir')} is not set"

    @property
    def unwritten_parts(self) -> tuple[str, ...]:
        """The parts of an answer that options ask for, but that no field of an item gets."""
        written = {_OPTION_OF_PART[part][0] for part in self.fields.values() if part in _OPTION_OF_PART}
        asked = [name for name in OPTIONAL_PARTS if getattr(self.options, name)]
        asked += ["comments"] * (self.options.comments == "separate")
        return tuple(name for name in asked if name not in written)

    def read_meta(self, request_meta: Mapping[str, Any], url: str | None = None) -> RequestOptions:
        """Return the options of a request: these settings, overridden by its meta key ``web2text`` value by value.

        :param url: URL of the page; a rule for its site overrides these settings first.
        """
        asked, defaults = request_meta.get(META_KEY), self.site_index.find(url) or self.options
        if isinstance(asked, Mapping):
            options, in_middleware, problems = override(defaults, self.in_middleware, asked)
            return RequestOptions(options, in_middleware, defaults=defaults, problems=problems)
        if isinstance(asked, bool):
            return RequestOptions(defaults, in_middleware=asked, is_disabled=not asked, defaults=defaults)
        problems = {} if asked is None else {META_KEY: f"expected True, False or a dict of options, got {asked!r}"}
        return RequestOptions(defaults, self.in_middleware, defaults=defaults, problems=problems)


def _has_markdown_feed(settings: BaseSettings) -> bool:
    """Return whether a feed needs the Markdown of the content, in the usual item field."""
    feeds = settings.getdict("FEEDS").values()
    arguments = [feed.get("item_export_kwargs") or {} for feed in feeds if feed.get("format") == MARKDOWN_FORMAT]
    return any(given.get("text_field") is None for given in arguments)


# Settings that are read in a way of their own; the others, by their types.
_READERS: Final[Mapping[str, Callable[[object], Any]]] = {
    "fields": read_fields,
    "sites": read_sites,
    "statuses": read_statuses,
}
_RULES: Final = {
    "on_missing_field": one_of(*get_args(MissingFieldAction)),
    "on_empty": one_of(*get_args(EmptyAction)),
    "executor": one_of(*get_args(Executor)),
    "chunk_words": POSITIVE_WHOLE,
    "workers": POSITIVE_WHOLE.or_none,
    "worker_memory": WORKER_MEMORY_RULE.or_none,
    # More often, the event loop would do little else.
    "log_interval": Rule("None, 0 or a number of seconds from 0.01", lambda n: not n or 0.01 <= n < inf),
    "snapshot_bytes": POSITIVE_WHOLE.or_none,
}
_TYPES: Final = get_type_hints(Web2TextSettings)
_DEFAULTS: Final = {each.name: each.default for each in fields(Web2TextSettings)}
_NAMES: Final = _TYPES.keys() - {"options", "site_index", "sources"}


def _read(name: str, value: object) -> dict[str, Any]:
    """Return *value* in the type of the setting *name*, by this name; nothing if that means the default."""
    if name in _READERS:
        return {} if is_unset(value) else {name: _READERS[name](value)}
    found = read_as(_TYPES[name], value, _DEFAULTS[name])
    if name in _RULES:
        _RULES[name].check(found)
    return {name: found}
