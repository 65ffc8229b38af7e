"""The options of an extraction as arguments of the commands."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Final, TypeVar, get_args

from scrapy_web2text.content.forms import OPTIONAL_PARTS
from scrapy_web2text.options import (
    BLOCK_FIELDS,
    BlocksExport,
    Decoder,
    FragmentOption,
    LowConfidenceAction,
    MissingModelAction,
    Options,
    Preset,
    Switch,
    TextLayout,
    TitlePlace,
)

__all__ = ["add_option_arguments", "arguments_to_options", "find_idle_arguments", "number_or_none"]

_FRAGMENT: Final[dict[str, FragmentOption]] = {"auto": "auto", "true": True, "false": False}
# Option of the output -> its choices and its help.
_SWITCHES: Final = {
    "links": (get_args(Switch), "links: keep them, write only their text, or drop both"),
    "images": (get_args(Switch), "images: keep them, write their descriptions as text, or drop both"),
    "tables": (get_args(Switch), "data tables: keep them, write rows as lines of text, or drop both"),
    "title": (
        get_args(TitlePlace),
        "the title in the content: as labeled, never, or on top of it",
    ),
    "text_layout": (get_args(TextLayout), "empty lines between paragraphs of the text, and # marks of headings"),
}
_Number = TypeVar("_Number", int, float)


def add_option_arguments(parser: argparse.ArgumentParser, *, blocks: BlocksExport) -> None:
    """Add the arguments to *parser*; *blocks* is the default of ``--blocks``."""
    default = Options()
    parser.add_argument(
        "--model", default=default.model, help="shipped model, model folder, or rules: shallow:…, bte (%(default)s)"
    )
    parser.add_argument("--threshold", type=float, help="least content probability; default: the model's own")
    parser.add_argument("--preset", choices=get_args(Preset), help="a threshold by name, for models with presets")
    parser.add_argument("--decoder", choices=get_args(Decoder), help="how labels are chosen; default: the model's own")
    parser.add_argument(
        "--min-confidence", type=float, metavar="NUMBER", help="least confidence of an answer, from 0 to 1"
    )
    parser.add_argument(
        "--on-low-confidence",
        choices=get_args(LowConfidenceAction),
        help="what happens to answers below --min-confidence: drop (the default) leaves them out, flag marks them, "
        "fallback asks the rules",
    )
    parser.add_argument("--blocks", choices=get_args(BlocksExport), default=blocks, help="blocks in json (%(default)s)")
    for name, what in (("include", "are the content"), ("exclude", "are not content")):
        parser.add_argument(
            f"--{name}",
            action="append",
            default=[],
            metavar="SELECTOR",
            help=f"the elements that {what}, by CSS or XPath; can be repeated",
        )
    parser.add_argument("--title-selector", metavar="SELECTOR", help="the title, by CSS or XPath")
    parser.add_argument(
        "--languages", default="", metavar="CODES", help="keep texts in these languages only, such as en,de"
    )
    parser.add_argument(
        "--fragment",
        choices=("auto", "true", "false"),
        default=default.fragment,
        help="whether the input is a part of a page, where everything but furniture is content (%(default)s)",
    )
    parser.add_argument(
        "--fallback",
        default=default.fallback,
        metavar="RULES",
        help="rules that answer where the model cannot (%(default)s), or none",
    )
    parser.add_argument(
        "--on-missing-model",
        choices=get_args(MissingModelAction),
        default=default.on_missing_model,
        help="what to do if the model folder is missing or damaged (%(default)s)",
    )
    parser.add_argument(
        "--block-fields",
        type=_split,
        default=default.block_fields,
        metavar="NAMES",
        help=f"what json has of each block, some of {','.join(BLOCK_FIELDS)}; default: all but path",
    )
    parser.add_argument(
        "--timeout",
        type=number_or_none(float, "a number of seconds"),
        default=default.timeout,
        metavar="SECONDS",
        help="CPU time for one page (%(default)s), or none",
    )
    for name, what in (("bytes", "longest page"), ("blocks", "longest page that the model labels")):
        parser.add_argument(
            f"--max-{name}",
            type=number_or_none(int, "a whole number"),
            default=getattr(default, f"max_{name}"),
            metavar="N",
            help=f"{what}, in {name} (%(default)s), or none",
        )
    for name, (choices, description) in _SWITCHES.items():
        argument, text = f"--{name.replace('_', '-')}", f"{description} (%(default)s)"
        parser.add_argument(argument, choices=choices, default=getattr(default, name), help=text)
    parser.add_argument(
        "--no-page-verdict",
        dest="page_verdict",
        action="store_false",
        help="keep the text of walls, logins, error pages and shells",
    )
    for name, description in OPTIONAL_PARTS.items():
        parser.add_argument(f"--{name}", action="store_true", help=f"add to json: {description}")


def arguments_to_options(args: argparse.Namespace) -> Options:
    """Return the options that the parsed arguments name.

    :raises ValueError: if a value is impossible.
    """
    return Options(
        min_confidence=args.min_confidence,
        on_low_confidence=_read_action(args),
        model=args.model,
        fallback=None if args.fallback.lower() == "none" else args.fallback,
        on_missing_model=args.on_missing_model,
        threshold=args.threshold,
        preset=args.preset,
        decoder=args.decoder,
        include=args.include,
        exclude=args.exclude,
        title_selector=args.title_selector,
        languages=args.languages,
        fragment=_FRAGMENT[args.fragment],
        blocks=args.blocks,
        block_fields=args.block_fields,
        timeout=args.timeout,
        max_bytes=args.max_bytes,
        max_blocks=args.max_blocks,
        page_verdict=args.page_verdict,
        **{name: getattr(args, name) for name in (*_SWITCHES, *OPTIONAL_PARTS)},
    )


def _read_action(args: argparse.Namespace) -> LowConfidenceAction:
    """Return what happens to answers with a low confidence."""
    action: LowConfidenceAction | None = args.on_low_confidence
    if action is not None and args.min_confidence is None:
        raise ValueError("--on-low-confidence: expected --min-confidence, too")
    return action or ("keep" if args.min_confidence is None else "drop")


def find_idle_arguments(args: argparse.Namespace, form: str) -> list[str]:
    """Return the arguments that only JSON shows, if *form* is another format."""
    if form == "json":
        return []
    default = Options()
    named = [name for name in OPTIONAL_PARTS if getattr(args, name)]
    named += [name for name in ("blocks", "block_fields") if getattr(args, name) != getattr(default, name)]
    return [f"--{name.replace('_', '-')}" for name in named]


def _split(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(","))


def number_or_none(number: Callable[[str], _Number], expected: str) -> Callable[[str], _Number | None]:
    """Return a reader of arguments: the word none, or what *number* returns; *expected* describes that."""

    def read(text: str) -> _Number | None:
        if text.lower() == "none":
            return None
        try:
            return number(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"expected {expected}, or none, got {text!r}") from None

    return read
