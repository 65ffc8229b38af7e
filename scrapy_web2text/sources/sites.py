"""The rules of WEB2TEXT_SITES: options for the pages of a domain, or of a part of it; how they are read and written."""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Final, get_args
from urllib.parse import urlsplit

from scrapy_web2text.common.option import Option
from scrapy_web2text.exceptions import ModelError, explain
from scrapy_web2text.options import OPTIONS, Choice, OptionError, Options, hint_at_option
from scrapy_web2text.page.urls import has_long_host
from scrapy_web2text.reasons import name_options

# Pattern -> option -> value, as the user wrote them.
Rules = Mapping[str, Mapping[str, object]]

_EXPECTED: Final = "expected a dict from domains to dicts of options, its JSON, or the path of a TOML file"
_HOST: Final = re.compile(r"[^\s./:*?#@\[\]\\]+(?:\.[^\s./:*?#@\[\]\\]+)*(?::\d{1,5})?")
_TITLE_PLACES: Final = get_args(Choice)
# The domain of pages without a URL.
UNKNOWN_SITE: Final = "example.com"
# The characters of a literal string of TOML, which needs no escapes.
_LITERAL: Final = re.compile(r"[ -&(-~]*")


def read_sites(value: object) -> dict[str, dict[str, object]]:
    """Return the rules in *value*: a dict, its JSON, or the path of a TOML file. The options are not checked.

    :raises ValueError: if *value* is anything else, or a pattern is neither a domain nor a domain with a path.
    """
    given = _read_text(value) if isinstance(value, str | os.PathLike) else value
    if not isinstance(given, Mapping):
        raise ValueError(f"{_EXPECTED}, got {value!r}")
    rules = {}
    for pattern, rule in given.items():
        _read_pattern(pattern)
        if not isinstance(rule, Mapping) or any(isinstance(part, Mapping) for part in rule.values()):
            raise ValueError(
                f"site {pattern!r}: expected a dict of options, got {rule!r}. TOML needs quotes around a domain: "
                '["example.com"]'
            )
        rules[pattern] = {str(name): part for name, part in rule.items()}
    return rules


def _read_text(value: str | os.PathLike[str]) -> Any:
    """Return the data in *value*: JSON, or the path of a TOML file."""
    text = os.fspath(value).strip()
    try:
        if text.startswith("{"):
            return json.loads(text)
        return tomllib.loads(Path(text).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        shown = f"{_EXPECTED}, got {repr(text) if text.startswith('{') else Path(text).absolute()}"
        raise ValueError(f"{shown}: {explain(error, is_named=False)}") from error


def resolve_sites(rules: Rules, options: Options, source: str) -> dict[str, Options]:
    """Return the options of each site: *options*, overridden by its rule value by value.

    The value of the key ``title`` is a value of the option ``title``, or else a selector.

    :param source: where the rules come from, for messages.
    :raises ValueError: if an option is unknown or its value is invalid; the message names the site and the key.
    """
    sites = {}
    for pattern, rule in rules.items():
        keys = {_to_option(key, value): key for key, value in rule.items()}
        given = {name: rule[key] for name, key in keys.items()}
        places = {name: name_key(source, pattern, key) for name, key in keys.items()}
        sites[pattern] = options.replace(**read_or_raise(given, OPTIONS, places.__getitem__))
    return sites


def read_options(given: Mapping[Any, object], known: Mapping[str, Option]) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the values in *given* in the types of the *known* settings, and the problems of the invalid values.

    An unset value is None, or the default of a setting that cannot be None.
    """
    values, problems = {}, {}
    for name, value in given.items():
        try:
            values[name] = _read_value(name, value, known)
        except ValueError as error:
            problems[str(name)] = str(error)
    return values, problems


def read_or_raise(
    given: Mapping[Any, object], known: Mapping[str, Option], name_source: Callable[[str], str]
) -> dict[str, Any]:
    """Return the values in *given* in the types of the *known* settings.

    :param name_source: returns where a setting was set.
    :raises ValueError: if a name is unknown or a value is invalid; the message says where it was set.
    """
    values, problems = read_options(given, known)
    for name, problem in problems.items():
        raise ValueError(f"{name_source(name)}: {problem}")
    return values


def _read_value(name: object, value: object, known: Mapping[str, Option]) -> Any:
    if name not in known:
        raise ValueError(f"unknown option{hint_at_option([str(name)], known)}")
    setting = known[str(name)]
    converted = setting.convert(value)
    if converted is None and not setting.rule.allows(None):
        return setting.default
    return setting.check(converted)


def _to_option(key: str, value: object) -> str:
    return "title_selector" if key == "title" and value not in _TITLE_PLACES else key


def name_key(source: str, pattern: str, key: str) -> str:
    """Return where an option of a rule was set, for messages."""
    return f"{source}, site {pattern!r}, key {key!r}"


@contextmanager
def name_source_of_errors(name_source: Callable[[str], str]) -> Iterator[None]:
    """Begin errors of the block with the place where the option was set. An :class:`OptionError` becomes a ValueError.

    :param name_source: returns where an option was set.
    """
    try:
        yield
    except OptionError as error:
        raise ValueError(name_options(error.marked, name_source)) from error
    except ModelError as error:
        raise ModelError(f"{name_source('model')}: {name_options(error.marked, name_source)}") from error


def _read_pattern(pattern: object) -> tuple[str, str | None]:
    """Return the host of *pattern*, perhaps with a port, and its path, where ``*`` is any text; None for all paths.

    :raises ValueError: if *pattern* is neither a domain nor a domain with a path.
    """
    host, slash, path = pattern.partition("/") if isinstance(pattern, str) else ("", "", "")
    try:
        if not _HOST.fullmatch(host):
            raise ValueError
        return _to_ascii(host), slash + path if slash else None
    except ValueError:
        raise ValueError(
            "expected a domain such as 'example.com', which includes its subdomains, or 'example.com/blog/*', "
            f"got {pattern!r}"
        ) from None


class SiteIndex:
    """Finds the options of a page by its URL.

    :param options: pattern -> options. One rule applies to a page: the rule of the longest domain, and of several rules
        for a domain, the rule with the longest path.
    """

    def __init__(self, options: Mapping[str, Options]) -> None:
        self.by_host: dict[str, list[tuple[str, str | None, Options]]] = {}
        self.has_pages: dict[str, bool] = {}
        """Whether a pattern has applied to a page, for the patterns of the hosts of all pages so far."""
        for pattern in sorted(options, key=len, reverse=True):
            host, path = _read_pattern(pattern)
            self.by_host.setdefault(host, []).append((pattern, path, options[pattern]))

    def find(self, url: str | None) -> Options | None:
        """Return the options for the page at *url*; None if no rule applies to it."""
        if not self.by_host or url is None:
            return None
        try:
            parts = urlsplit(url)
            host, port = _to_ascii(parts.hostname or ""), parts.port
        except ValueError:
            return None
        text = parts.path or "/"
        texts = (text, f"{text}?{parts.query}") if parts.query else (text,)
        labels = host.rstrip(".").split(".")
        for i in range(len(labels)):
            domain = ".".join(labels[i:])
            for name in (f"{domain}:{port}", domain):
                for pattern, path, options in self.by_host.get(name, ()):
                    if path is None or any(fnmatchcase(text, path) for text in texts):
                        self.has_pages[pattern] = True
                        return options
                    self.has_pages.setdefault(pattern, False)
        return None


def _to_ascii(host: str) -> str:
    """Return *host* in lower case, with the labels of other scripts as in the DNS.

    :raises ValueError: if it is not a host.
    """
    if has_long_host(f"//{host}"):  # to encode or to divide it takes quadratic time
        raise ValueError("expected a host that DNS allows")
    return host.lower() if host.isascii() else host.encode("idna").decode().lower()


def name_site(url: str) -> str:
    """Return the domain of *url*, which may have a port; ``example.com`` if no rule can name the domain."""
    try:
        parts = urlsplit(url)
        host = (parts.hostname or "").rstrip(".").removeprefix("www.")
        site = f"{host}:{parts.port}" if parts.port else host
        _read_pattern(site)  # refuses an IPv6 address, among others
    except ValueError:
        return UNKNOWN_SITE
    return site if parts.scheme in {"http", "https"} else UNKNOWN_SITE


def rule_to_toml(site: str, rule: Mapping[str, Sequence[str]]) -> str:
    """Return a rule as a table of TOML, without its empty lists."""
    lines = [f"{key} = [{', '.join(map(_quote, selectors))}]\n" for key, selectors in rule.items() if selectors]
    return "".join([f"[{_quote(site)}]\n", *lines])


def _quote(text: str) -> str:
    """Return *text* as a string of TOML: as a literal string if this is easier to read."""
    if '"' in text and _LITERAL.fullmatch(text):
        return f"'{text}'"
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")  # JSON does not escape this character
