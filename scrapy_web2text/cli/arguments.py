"""Arguments that several commands have: the options of an extraction, the URLs of files, and rules for sites."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import fields
from functools import partial
from typing import Any, Final, NoReturn, TypeVar

from scrapy_web2text.common.checks import FRACTION, POSITIVE, POSITIVE_WHOLE, SHARE, Rule
from scrapy_web2text.content.forms import OPTIONAL_PARTS
from scrapy_web2text.crawl.sites import SiteIndex, name_key, name_source_of_errors, read_sites, resolve_sites
from scrapy_web2text.options import (
    BLOCK_FIELDS,
    CHOICES,
    NAMED_THRESHOLDS,
    RULES,
    BlocksExport,
    FragmentOption,
    Options,
)
from scrapy_web2text.page.urls import STATED
from scrapy_web2text.sources.urls import URL_FIELDS, is_url_source

_Value = TypeVar("_Value")
_DEFAULT: Final = Options()
_URL_FIELDS: Final = ", ".join(f"{{{name}}}" for name in URL_FIELDS)
_URL_SOURCE: Final = Rule(
    f"canonical, og:url or a template such as https://example.com/{{stem}} with {_URL_FIELDS}", is_url_source
)
_FRAGMENT: Final[dict[str, FragmentOption]] = {"auto": "auto", "true": True, "false": False}
# Option of the output -> its help.
_FORMS: Final = {
    "links": "links: keep them, write only their text, or drop both",
    "images": "images: keep them, write their descriptions as text, or drop them",
    "tables": "data tables: keep them, write rows as lines of text, or drop them",
    "math": "formulas: TeX between dollar signs, the TeX alone, or nothing",
    "title": "the title in the content: as labeled, never, or on top of it",
    "lead": "the standfirst of an article: as labeled, never or always in the content",
    "captions": "the same for captions",
    "bylines": "the same for authors and dates",
    "comments": "the same for comments of readers, or listed apart from the text, in json",
    "text_layout": "layout of the text: lines alone, empty lines between paragraphs, or also # before headings",
}


def add_option_arguments(
    parser: argparse.ArgumentParser, *, blocks: BlocksExport | None = None, has_text: bool = True
) -> None:
    """Add an argument for each of the `Options`, and those for URLs. Only ``--help-all`` describes them.

    :param blocks: default of ``--blocks``; None for a command that writes no JSON of pages.
    :param has_text: whether the command has a use for texts, and not for labels alone.
    """
    actions = parser._actions  # noqa: SLF001  argparse has no other list of them
    n_own = len(actions)
    _add_model(parser.add_argument_group("model"))
    _add_content(parser.add_argument_group("content"))
    if blocks is not None:
        _add_parts(parser.add_argument_group("parts of json"), blocks)
    if has_text:
        _add_forms(parser.add_argument_group("all formats"))
    _add_limits(parser.add_argument_group("limits of a page"))
    add_url_arguments(parser)
    descriptions = {action: action.help for action in actions[n_own:]}
    for action in descriptions:
        action.help = argparse.SUPPRESS
    whole = "show this help message with the options of the extraction, and exit"
    parser.add_argument(
        "--help-all", action=_HelpAll, nargs=0, const=descriptions, default=argparse.SUPPRESS, help=whole
    )


class _HelpAll(argparse.Action):
    """Prints the help with the options that ``--help`` leaves out, whose descriptions are in `const`."""

    def __call__(self, parser: argparse.ArgumentParser, *_args: Any) -> NoReturn:
        """Print the help, and exit."""
        for action, description in self.const.items():
            action.help = description
        parser.print_help()
        parser.exit()


def _add_parts(json: argparse._ArgumentGroup, blocks: BlocksExport) -> None:
    names = ",".join(BLOCK_FIELDS)
    _add(json, "blocks", "which blocks are listed (%(default)s)", default=blocks)
    what = f"what each block has, some of {names}; default: all but path, hidden and role"
    _add(json, "block_fields", what, type=split_names, metavar="NAMES")
    for name, description in OPTIONAL_PARTS.items():
        _add(json, name, description, **({"type": whole_number} if name == "chunks" else {"action": "store_true"}))


def _add_forms(forms: argparse._ArgumentGroup) -> None:
    for name, description in _FORMS.items():
        _add(forms, name, f"{description} (%(default)s)")
    exclude = "the same as --comments exclude"
    forms.add_argument("--no-comments", dest="comments", action="store_const", const="exclude", help=exclude)


def _add(group: argparse._ArgumentGroup, option: str, description: str, **details: Any) -> None:
    """Add the argument for *option* to *group*, with its default and choices unless *details* have others."""
    usual = {"default": getattr(_DEFAULT, option), "help": description}
    if option in CHOICES:
        usual["choices"] = [choice for choice in CHOICES[option] if choice is not None]
    group.add_argument(_argument(option), **{**usual, **details})


def _argument(option: str) -> str:
    return f"--{option.replace('_', '-')}"


def _add_model(group: argparse._ArgumentGroup) -> None:
    _add(group, "model", "shipped model, model folder, or rules: shallow:…, bte (%(default)s)")
    rules = "rules that answer where the model cannot (%(default)s), or none"
    _add(group, "fallback", rules, type=lambda text: None if text.lower() == "none" else text, metavar="RULES")
    missing = "what to do if the model folder is missing or damaged (%(default)s)"
    _add(group, "on_missing_model", missing)
    names = ", ".join(NAMED_THRESHOLDS)
    what = f"least probability of content, or {names}; default: the model's own"
    _add(group, "threshold", what, type=threshold, metavar="NUMBER")
    _add(group, "decoder", "how labels are chosen; default: the model's own")
    share = allowed(float, SHARE)
    _add(group, "min_confidence", "least confidence of an answer, from 0 to 1", type=share, metavar="NUMBER")
    low = (
        "what happens to answers below --min-confidence: keep (the default), drop leaves them out, flag marks them, "
        "fallback asks the rules"
    )
    _add(group, "on_low_confidence", low)


def _add_content(group: argparse._ArgumentGroup) -> None:
    for name, what in (("include", "are the content"), ("exclude", "are not content")):
        selected = f"the elements that {what}, by CSS or XPath; can be repeated"
        _add(group, name, selected, action="append", default=[], metavar="SELECTOR")
    _add(group, "title_selector", "the title, by CSS or XPath", metavar="SELECTOR")
    _add(group, "languages", "keep texts in these languages only, such as en,de", metavar="CODES")
    part = "whether the input is a part of a page, where everything but furniture is content (%(default)s)"
    _add(group, "fragment", part, choices=tuple(_FRAGMENT))
    unseen = "text that readers do not see: drop it if half the words remain, keep it, or always drop it (%(default)s)"
    _add(group, "hidden", unseen)
    walls = "keep the text of walls, logins, error pages and shells"
    group.add_argument("--no-page-kind", dest="page_kind", action="store_false", help=walls)


def _add_limits(group: argparse._ArgumentGroup) -> None:
    seconds = number(float, POSITIVE.or_none)
    _add(group, "timeout", "CPU time for one page (%(default)s), or none", type=seconds, metavar="SECONDS")
    limit = number(int, POSITIVE_WHOLE.or_none)
    _add(group, "max_bytes", "longest page, in bytes (%(default)s), or none", type=limit, metavar="N")
    blocks = "longest page that the model labels, in blocks (%(default)s), or none"
    _add(group, "max_blocks", blocks, type=limit, metavar="N")


def arguments_to_options(args: argparse.Namespace) -> Options:
    """Return the options that the parsed arguments name."""
    named: dict[str, Any] = {field.name: getattr(args, field.name, field.default) for field in fields(Options)}
    named["fragment"] = _FRAGMENT[args.fragment]
    return Options(**named)


def find_idle_arguments(args: argparse.Namespace, form: str) -> list[str]:
    """Return the arguments that only JSON shows, if *form* is another format."""
    if form == "json":
        return []
    named = [name for name in OPTIONAL_PARTS if getattr(args, name)]
    named += [name for name in ("blocks", "block_fields") if getattr(args, name) != getattr(_DEFAULT, name)]
    return [*map(_argument, named)]


def split_names(text: str) -> tuple[str, ...]:
    """Return the names in an argument, which are separated by commas, in order."""
    return tuple(name.strip() for name in text.split(","))


def add_url_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments for the URLs of files, and for rules that depend on them, to *parser*."""
    url = (
        "source of a page's URL, to resolve relative links: canonical or og:url (what the page "
        f"says), or a template such as https://example.com/{{stem}}, with the fields {_URL_FIELDS} of the file; can be "
        "repeated, and the first URL found counts"
    )
    parser.add_argument(
        "--url-from", action="append", default=[], type=allowed(str, _URL_SOURCE), metavar="SOURCE", help=url
    )
    sites = (
        "TOML file with options by domain, as WEB2TEXT_SITES; they override the options of the command. The URL of a "
        "file comes from --url-from, by default from canonical and og:url"
    )
    parser.add_argument("--sites", metavar="FILE", help=sites)


def load_sites(args: argparse.Namespace, options: Options) -> tuple[SiteIndex, Sequence[str]]:
    """Return the rules of ``--sites``, each with *options* as defaults, and where the URLs of files are from."""
    from scrapy_web2text.extractor import Extractor

    if args.sites is None:
        return SiteIndex({}), tuple(args.url_from)
    try:
        rules = read_sites(args.sites)
    except ValueError as error:
        raise ValueError(f"--sites: {error}") from error
    source = f"--sites {args.sites}"
    sites = resolve_sites(rules, options, source)
    for pattern, chosen in sites.items():
        with name_source_of_errors(partial(name_key, source, pattern)):
            Extractor(chosen)
    return SiteIndex(sites), tuple(args.url_from) or STATED


def allowed(read: Callable[[str], _Value], rule: Rule) -> Callable[[str], _Value]:
    """Return a reader of arguments: what *read* returns, if *rule* allows it."""

    def check(text: str) -> _Value:
        try:
            value = read(text)
            rule.check(value)
        except ValueError:
            raise argparse.ArgumentTypeError(f"expected {rule.expected}, got {text!r}") from None
        return value

    return check


def number(kind: Callable[[str], _Value], rule: Rule) -> Callable[[str], _Value | None]:
    """Return a reader of arguments: what *kind* returns if *rule* allows it, and None for the word none."""
    return allowed(lambda text: None if text.lower() == "none" else kind(text), rule)


fraction: Final = allowed(float, FRACTION)
threshold: Final = allowed(lambda text: text if text in NAMED_THRESHOLDS else float(text), RULES["threshold"])
whole_number: Final = number(int, POSITIVE_WHOLE)
seed_number: Final = number(int, Rule("a whole number from 0 to 2**32 - 1", range(2**32).__contains__))
