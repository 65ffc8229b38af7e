"""What the commands have in common: the options of an extraction as arguments, and an exit status."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, get_args

from scrapy_web2text.options import BlocksExport, Decoder, Options, Preset

if TYPE_CHECKING:
    import argparse

__all__ = ["INTERRUPTED", "add_option_arguments", "arguments_to_options"]

# Exit status of a command that Ctrl-C has ended, as shells give it.
INTERRUPTED: Final = 130

_FORMS: Final = ("html", "markdown", "paragraphs", "metadata")


def add_option_arguments(parser: argparse.ArgumentParser, *, blocks: BlocksExport) -> None:
    """Add the arguments to *parser*; *blocks* is the default of ``--blocks``."""
    default = Options()
    parser.add_argument("--model", default=default.model, help="shipped model, folder or shallow:… (%(default)s)")
    parser.add_argument("--threshold", type=float, help="least content probability; default: the model's own")
    parser.add_argument("--preset", choices=get_args(Preset), help="a threshold by name, for models that have presets")
    parser.add_argument("--decoder", choices=get_args(Decoder), help="default: the model's own")
    parser.add_argument("--blocks", choices=get_args(BlocksExport), default=blocks, help="blocks in json (%(default)s)")
    for form in _FORMS:
        parser.add_argument(f"--{form}", action="store_true", help=f"{form} in json")


def arguments_to_options(args: argparse.Namespace) -> Options:
    """Return the options that the parsed arguments name.

    :raises ValueError: if a value is impossible.
    """
    return Options(
        model=args.model,
        threshold=args.threshold,
        preset=args.preset,
        decoder=args.decoder,
        blocks=args.blocks,
        **{form: getattr(args, form) for form in _FORMS},
    )
