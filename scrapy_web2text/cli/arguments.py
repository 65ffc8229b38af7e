"""Arguments that several commands have: the options of an extraction, the URLs of files, and rules for sites."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from functools import partial
from typing import Any, Final, NoReturn, TypeVar

from scrapy_web2text.common.checks import FRACTION, POSITIVE_WHOLE, Rule
from scrapy_web2text.common.option import Option
from scrapy_web2text.common.suggestions import did_you_mean
from scrapy_web2text.exceptions import say
from scrapy_web2text.options import OPTIONS, BlocksExport, Options
from scrapy_web2text.page.urls import STATED
from scrapy_web2text.reasons import name_options
from scrapy_web2text.sources.pages import PageSources
from scrapy_web2text.sources.sites import SiteIndex, name_key, name_source_of_errors, read_sites, resolve_sites
from scrapy_web2text.sources.urls import is_url_source

_Value = TypeVar("_Value")
_URL_SOURCE: Final = Rule("canonical, og:url or a template such as https://example.com/{path}", is_url_source)
_PARTS: Final = "parts of json"
_FORMS: Final = "all formats"
# First option of each group in the help -> the title of the group.
_GROUPS: Final = {
    "model": "model",
    "include": "content",
    "blocks": _PARTS,
    "links": _FORMS,
    "timeout": "limits of a page",
}
_QUOTED: Final = re.compile(r"'(.*?)'")
_WITHOUT_QUOTES: Final = str.maketrans("", "", '`"')
_BASIC: Final = {name for name, each in OPTIONS.items() if each.level == "basic"}


def add_option_arguments(
    parser: argparse.ArgumentParser, *, blocks: BlocksExport | None = None, has_text: bool = True
) -> None:
    """Add an argument for each of the `Options`, and those for URLs. Only ``--help-all`` describes most of them.

    :param blocks: default of ``--blocks``; None for a command that writes no JSON of pages.
    :param has_text: whether the command uses texts, not only labels.
    """
    actions = parser._actions  # noqa: SLF001  argparse has no other list of them
    n_own = len(actions)
    left_out = set()
    if blocks is None:
        left_out.add(_PARTS)
    if not has_text:
        left_out.add(_FORMS)
    for name, each in OPTIONS.items():
        if name in _GROUPS:
            group = parser.add_argument_group(_GROUPS[name])
        if group.title not in left_out:
            _add_option(group, name, each, blocks if name == "blocks" else each.default)
    if blocks is not None:
        parser.set_defaults(blocks=blocks)
    add_url_arguments(parser)
    descriptions = {action: action.help for action in actions[n_own:] if action.dest not in _BASIC}
    for action in descriptions:
        action.help = argparse.SUPPRESS
    parser.add_argument(
        "--help-all",
        action=_HelpAll,
        nargs=0,
        const=descriptions,
        default=argparse.SUPPRESS,
        help="show this help message with all options of the extraction, and exit",
    )


class _HelpAll(argparse.Action):
    """Prints the help with the options that ``--help`` leaves out, whose descriptions are in `const`."""

    def __call__(self, parser: argparse.ArgumentParser, *_args: Any) -> NoReturn:
        """Print the help, and exit."""
        for action, description in self.const.items():
            action.help = description
        parser.print_help()
        parser.exit()


def _add_option(group: argparse._ArgumentGroup, name: str, each: Option, default: object) -> None:
    """Add the argument for an option to *group*. If it is not given, the parsed arguments do not have the option."""
    add = partial(group.add_argument, dest=name, default=argparse.SUPPRESS)
    description = _describe(each, default)
    if bool in each.types and not each.choices:
        action = argparse.BooleanOptionalAction if default else "store_true"
        add(argument_name(name), action=action, help=description)
    else:
        action = "append" if isinstance(default, tuple) else "store"
        add(argument_name(name), action=action, type=option_type(each), metavar=_name_value(each), help=description)
    if name == "comments":
        add("--no-comments", action="store_const", const="exclude", help="the same as --comments exclude")


def _describe(each: Option, default: object) -> str:
    """Return the help of an option, with the names of arguments, and with its default."""
    text = name_options(each.help, argument_name)
    text = text.translate(_WITHOUT_QUOTES).replace("%", "%%")
    if isinstance(default, bool) or default in (None, ()):
        return text
    shown = ",".join(default) if isinstance(default, tuple) else default
    return f"{text} (default: {shown}{', or none' if each.rule.allows(None) else ''})"


def _name_value(each: Option) -> str | None:
    """Return what the help calls the value of an option; None for its name."""
    if each.metavar is not None:
        return each.metavar
    if float in each.types:
        return "NUMBER"
    if int in each.types:
        return "N"
    return f"{{{','.join(each.choices)}}}" if each.choices else None


def argument_name(option: str) -> str:
    """Return the argument for an option; any other name as it is."""
    return f"--{option.replace('_', '-')}" if option in OPTIONS else option


def option_type(each: Option) -> Callable[[str], Any]:
    """Return the reader of the argument for an option."""
    return allowed(each.convert, each.rule)


def arguments_to_options(args: argparse.Namespace) -> Options:
    """Return the options that the parsed arguments name."""
    return Options(**{name: value for name, value in vars(args).items() if name in OPTIONS})


def add_url_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments for the URLs of files, and for rules that depend on them, to *parser*."""
    parser.add_argument(
        "--url-from",
        action="append",
        default=[],
        type=allowed(str, _URL_SOURCE),
        metavar="SOURCE",
        help=(
            "source of a page's URL, to resolve relative links: canonical or og:url (what the page says), or a "
            "template such as https://example.com/{path}, with the path of the file; can be repeated, and the first "
            "URL found counts"
        ),
    )
    parser.add_argument(
        "--sites",
        metavar="FILE",
        help=(
            "TOML file with options by domain, as WEB2TEXT_SITES; they override the options of the command. The URL "
            "of a file comes from --url-from, by default from canonical and og:url"
        ),
    )


def page_sources(args: argparse.Namespace, options: Options) -> PageSources:
    """Return the rules of ``--sites``, each with *options* as defaults, and where the URLs of pages are from.

    :raises ValueError: if no page can be extracted with an option.
    """
    from scrapy_web2text.extractor import Extractor

    for option, problem in Extractor(options, warns=False).warnings:  # once, before pages are read
        say(f"web2text {args.command}: {name_options(f'`{option}` {problem}', argument_name)}")
    if args.sites is None:
        return PageSources(options, url_sources=args.url_from)
    try:
        rules = read_sites(args.sites)
    except ValueError as error:
        raise ValueError(f"--sites: {error}") from error
    source = f"--sites {args.sites}"
    sites = resolve_sites(rules, options, source)
    for pattern, chosen in sites.items():
        with name_source_of_errors(partial(name_key, source, pattern)):
            Extractor(chosen, warns=False)
    return PageSources(options, SiteIndex(sites), args.url_from or STATED)


def allowed(read: Callable[[str], _Value], rule: Rule) -> Callable[[str], _Value]:
    """Return a reader of arguments: what *read* returns, if *rule* allows it."""

    def check(text: str) -> _Value:
        try:
            value = read(text)
            rule.check(value)
        except ValueError:
            hint = did_you_mean([text], _QUOTED.findall(rule.expected))
            expected = rule.expected.replace("'", "").replace("None", "none")
            raise argparse.ArgumentTypeError(f"expected {expected}, got {text!r}{hint}") from None
        return value

    return check


def number(kind: Callable[[str], _Value], rule: Rule) -> Callable[[str], _Value | None]:
    """Return a reader of arguments: what *kind* returns if *rule* allows it, and None for the word none."""
    return allowed(lambda text: None if text.lower() == "none" else kind(text), rule)


fraction: Final = allowed(float, FRACTION)
whole_number: Final = number(int, POSITIVE_WHOLE)
port_number: Final = allowed(int, Rule("a whole number from 0 to 65535", range(2**16).__contains__))
seed_number: Final = number(int, Rule("a whole number from 0 to 2**32 - 1", range(2**32).__contains__))
