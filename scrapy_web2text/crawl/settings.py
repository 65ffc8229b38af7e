"""The ``WEB2TEXT_*`` settings, the spider attribute ``web2text`` and the request meta key ``web2text``, typed."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from math import inf
from typing import TYPE_CHECKING, Any, Final, Literal

from scrapy_web2text.common.checks import POSITIVE_WHOLE, Rule, is_number, is_whole
from scrapy_web2text.common.option import Option, add_options_to_docstring, list_options, option
from scrapy_web2text.crawl.setting_values import (
    META_KEY,
    read_fields,
    read_statuses,
    refuse_old_names,
    setting_name,
    warn_of_attributes,
    warn_of_unknown,
)
from scrapy_web2text.extraction import FIELDS_OF_METADATA
from scrapy_web2text.options import DEFAULT_CHUNK_WORDS, OPTIONAL_PARTS, OPTIONS, PART_OPTIONS, Options
from scrapy_web2text.sources.sites import (
    SiteIndex,
    name_key,
    read_options,
    read_or_raise,
    read_sites,
    resolve_sites,
)
from scrapy_web2text.workers.processes import WORKER_MEMORY

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings

Executor = Literal["process", "thread", "inline"]
MissingFieldAction = Literal["skip", "error"]
EmptyAction = Literal["keep", "drop"]

# The default of WEB2TEXT_FIELDS; with a feed in Markdown, it also has the Markdown.
DEFAULT_FIELDS: Final = {"main_content": "text", "blocks": "blocks", "web2text": "summary"}
MARKDOWN_FORMAT: Final = "web2text-markdown"
PARQUET_FORMAT: Final = "web2text-parquet"
# Parts of an answer that are filled in only if an option asks for them -> the option, and its value.
_OPTION_OF_PART: Final[Mapping[str, tuple[str, Any]]] = {
    **dict.fromkeys(FIELDS_OF_METADATA, ("metadata", True)),
    **{name: (name, value) for name, value in PART_OPTIONS.items()},
}

# With less, a worker may not start: it needs 260 MB for an ordinary page, and more with more threads for arithmetic.
WORKER_MEMORY_RULE: Final = Rule(
    "at least 500,000,000 bytes", lambda n_bytes: is_whole(n_bytes) and n_bytes >= 500_000_000
)
# If the summary were logged more often, the event loop would do little else.
_SECONDS: Final = Rule(
    "None, 0 or a number of seconds from 0.01", lambda n: n is None or (is_number(n) and (n == 0 or 0.01 <= n < inf))
)

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
    :param defaults: the options of the page, which the request does not override.
    :param problems: option -> its value and what was expected, for options of the request that are ignored.
    """

    options: Options
    in_middleware: bool = False
    is_disabled: bool = False
    defaults: Options = field(default_factory=Options, compare=False)
    problems: Mapping[str, str] = field(default_factory=dict)


def _readable(expected: str) -> Rule:
    """Return the rule of a setting whose values are checked while they are read."""
    return Rule(expected, lambda value: value is not None)


def _name_executor(settings: Web2TextSettings) -> str:
    return f"`executor` is {settings.executor!r}"


@dataclass(frozen=True, slots=True)
class Web2TextSettings:
    """The settings of one crawl, validated.

    Every option of :class:`~scrapy_web2text.options.Options` is a setting too: ``threshold`` is ``WEB2TEXT_THRESHOLD``.
    The string ``none`` and the empty string unset a setting, so that ``-s`` can unset it too.

    Requests override rules for sites, rules override the spider attribute, and the attribute overrides settings:
    `from_settings` merges settings and spider attribute into the options that rules and requests then change.

    :param options: the options of requests without overrides.
    :param site_index: finds the options of *sites* by the URL of a page.
    :param sources: option -> where it was set, for messages; by default, in the setting with its name.
    """

    options: Options = field(default_factory=Options)
    site_index: SiteIndex = field(default_factory=partial(SiteIndex, {}), compare=False, repr=False)
    sources: Mapping[str, str] = field(default_factory=dict, compare=False, repr=False)
    enabled: bool = option(True, "whether the components are enabled")
    fields: Mapping[str, str] = option(
        DEFAULT_FIELDS,
        "item fields, each with the value that is written into it",
        rule=_readable("a dict, or a JSON object"),
        clean=read_fields,
    )
    on_missing_field: MissingFieldAction = option(
        "skip", 'what to do if an item class does not declare a field of `fields`: `"skip"` it, or raise an `"error"`'
    )
    on_empty: EmptyAction = option("keep", 'what to do with an item whose page has no text: `"keep"` or `"drop"` it')
    url_field: str | None = option("url", "item field with the URL of the item's page")
    html_field: str | None = option(None, "item field with the HTML that is extracted in place of the response")
    chunk_words: int = option(
        DEFAULT_CHUNK_WORDS,
        "maximum number of words of a chunk, for an item field with chunks",
        rule=POSITIVE_WHOLE,
        why_idle=lambda settings, _: "chunks" not in settings.fields.values() and "`fields` has no chunks",
    )
    in_middleware: bool = option(False, "whether the downloader middleware extracts every page before its callback")
    sites: Mapping[str, Any] = option(
        {},
        "options for the pages of a domain, or of a part of it",
        rule=_readable("a dict, a JSON object, or the path of a TOML file"),
        clean=read_sites,
    )
    statuses: frozenset[int] = option(
        frozenset(range(200, 300)),
        "HTTP statuses of the responses that are extracted",
        rule=_readable('a list of statuses and ranges, or a string such as "200,404-410"'),
        clean=read_statuses,
    )
    executor: Executor = option(
        "process", 'where pages are extracted: in a `"process"`, in a `"thread"`, or in the event loop (`"inline"`)'
    )
    workers: int | None = option(
        None,
        "number of processes or threads",
        rule=POSITIVE_WHOLE.or_none,
        why_idle=lambda settings, _: settings.executor == "inline" and _name_executor(settings),
    )
    worker_memory: int | None = option(
        WORKER_MEMORY,
        "address space of each worker process, in bytes, where the system can limit it",
        rule=WORKER_MEMORY_RULE.or_none,
        why_idle=lambda settings, _: settings.executor != "process" and _name_executor(settings),
    )
    log_interval: float | None = option(
        60.0, "seconds between two summaries in the log; with 0 or None, only one is logged, at the end", rule=_SECONDS
    )
    snapshot_dir: str | None = option(None, "folder in which the pages of the crawl are kept")
    snapshot_bytes: int | None = option(
        1_000_000_000,
        "largest size of the folder of `snapshot_dir`, in bytes",
        rule=POSITIVE_WHOLE.or_none,
        why_idle=lambda settings, _: settings.snapshot_dir is None and "`snapshot_dir` is not set",
    )

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Web2TextSettings:
        """Return the settings of *crawler* and of its spider's attribute ``web2text``, as :meth:`from_settings`."""
        warn_of_attributes(crawler.spider, _NAMES)
        return cls.from_settings(crawler.settings, getattr(crawler.spider, META_KEY, None))

    @classmethod
    def from_settings(cls, settings: BaseSettings, spider_options: object = None) -> Web2TextSettings:
        """Return the settings in *settings*, overridden by the spider attribute *spider_options*.

        :raises ValueError: if a value is impossible; the message names the setting and what was expected.
        """
        refuse_old_names(settings)
        warn_of_unknown(settings, SETTINGS)
        given = {name: settings[setting] for setting, name in SETTINGS.items() if setting in settings}
        attribute = {} if spider_options is None else spider_options
        if not isinstance(attribute, Mapping):
            raise ValueError(f"spider attribute {META_KEY}: expected a dict of options, got {attribute!r}")
        sources = {name: f"spider attribute {META_KEY}, key {name!r}" for name in map(str, attribute)}
        values = {
            **read_or_raise(given, {**OPTIONS, **CRAWL_SETTINGS}, setting_name),
            **read_or_raise(attribute, _OVERRIDABLE, sources.__getitem__),
        }
        if values.get("fields", DEFAULT_FIELDS) is DEFAULT_FIELDS and _has_markdown_feed(settings):
            values["fields"] = {**DEFAULT_FIELDS, "markdown": "markdown"}
        options = Options(**{name: values.pop(name) for name in OPTIONS if name in values})
        needed = _find_needed(options, values)
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
        return self.workers or min(_MOST_PROCESSES if self.executor == "process" else _MOST_THREADS, n_cpus())

    def name_source(self, option: str) -> str:
        """Return where *option* was set: the name of a setting, or the spider attribute."""
        return self.sources.get(option, setting_name(option))

    def _name_source_in(self, site: str, option: str) -> str:
        """Return where *option* was set for the pages of a site: in its rule, or for all pages."""
        if getattr(self.sites[site], option) == getattr(self.options, option):
            return f"WEB2TEXT_SITES, site {site!r}: {self.name_source(option)}"
        return name_key("WEB2TEXT_SITES", site, option)

    def list_options(self) -> Iterator[tuple[Options, Callable[[str], str]]]:
        """Yield the options of all pages and of each site, with a function that names the source of an option."""
        yield self.options, self.name_source
        for site, options in self.sites.items():
            yield options, partial(self._name_source_in, site)

    def read_meta(self, request_meta: Mapping[str, Any], url: str | None = None) -> RequestOptions:
        """Return the options of a request: these settings, overridden by its meta key ``web2text`` value by value.

        :param url: URL of the page; a rule for its site overrides these settings first.
        """
        asked, defaults = request_meta.get(META_KEY), self.site_index.find(url) or self.options
        misplaced = (name for name in request_meta if name != META_KEY and str(name).upper() in _NAMES)
        problems = dict.fromkeys(misplaced, f"expected a key of meta[{META_KEY!r}]")
        if isinstance(asked, Mapping):
            values, found = read_options(asked, _OVERRIDABLE)
            problems |= found
            in_middleware = values.pop("in_middleware", self.in_middleware)
            return RequestOptions(defaults.replace(**values), in_middleware, defaults=defaults, problems=problems)
        if isinstance(asked, bool):
            return RequestOptions(
                defaults, in_middleware=asked, is_disabled=not asked, defaults=defaults, problems=problems
            )
        if asked is not None:
            problems[META_KEY] = f"expected True, False or a dict of options, got {asked!r}"
        return RequestOptions(defaults, self.in_middleware, defaults=defaults, problems=problems)


CRAWL_SETTINGS: Final[Mapping[str, Option]] = list_options(Web2TextSettings)
# Name of each setting -> name of the option, or of the field of `Web2TextSettings`.
SETTINGS: Final = {setting_name(name): name for name in (*OPTIONS, *CRAWL_SETTINGS) if name not in OPTIONAL_PARTS}
# Names that look like options in attributes of a spider and in the meta of a request, in any case.
_NAMES: Final = {META_KEY.upper(), *map(setting_name, (*OPTIONS, *CRAWL_SETTINGS))}
# The options that a spider and a request can override.
_OVERRIDABLE: Final = {**OPTIONS, "in_middleware": CRAWL_SETTINGS["in_middleware"]}
add_options_to_docstring(Web2TextSettings)


def _find_needed(options: Options, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that the fields of items need, with their values."""
    parts = values.get("fields", DEFAULT_FIELDS).values()
    needed = dict(_OPTION_OF_PART[part] for part in parts if part in _OPTION_OF_PART)
    if "chunks" in needed:
        needed["chunks"] = options.chunks or values.get("chunk_words", DEFAULT_CHUNK_WORDS)
    return needed


def _has_markdown_feed(settings: BaseSettings) -> bool:
    """Return whether a feed needs the Markdown of the content, in the usual item field."""
    feeds = settings.getdict("FEEDS").values()
    arguments = [feed.get("item_export_kwargs") or {} for feed in feeds if feed.get("format") == MARKDOWN_FORMAT]
    return any(given.get("text_field") is None for given in arguments)
