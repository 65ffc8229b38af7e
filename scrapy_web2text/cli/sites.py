"""The rules of ``--sites``: options for the pages of a domain, from a TOML file."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from scrapy_web2text.crawl.sites import SiteIndex, name_site_of_errors, read_sites, resolve_sites

if TYPE_CHECKING:
    from scrapy_web2text.options import Options

__all__ = ["add_sites_argument", "load_sites", "url_sources"]

_STATED: Final = ("canonical", "og:url")


def add_sites_argument(parser: argparse.ArgumentParser) -> None:
    """Add the argument to *parser*."""
    parser.add_argument(
        "--sites",
        metavar="FILE",
        help="TOML file with options by domain, as WEB2TEXT_SITES; they override those of the command. The URL of a "
        "file is from --url-from, by default from canonical and og:url",
    )


def load_sites(args: argparse.Namespace, options: Options) -> SiteIndex:
    """Return the rules that the parsed arguments name, each with *options* as defaults; none without ``--sites``.

    :raises ValueError: if the file cannot be read, or an option in it is impossible.
    """
    from scrapy_web2text.extractor import Extractor  # noqa: PLC0415

    if args.sites is None:
        return SiteIndex({})
    try:
        rules = read_sites(args.sites)
    except ValueError as error:
        raise ValueError(f"--sites: {error}") from error
    sites = resolve_sites(rules, options, f"--sites {args.sites}")
    for pattern, chosen in sites.items():
        with name_site_of_errors(f"--sites {args.sites}", pattern):
            Extractor(chosen)
    return SiteIndex(sites)


def url_sources(args: argparse.Namespace) -> Sequence[str]:
    """Return where the URLs of files are from: rules for sites need some."""
    return tuple(args.url_from) or (_STATED if args.sites is not None else ())
