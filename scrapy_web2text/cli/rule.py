"""``web2text rule``: finds selectors for a site by labeled pages, and says how good they are on pages held out."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy_web2text.cli.labeled import add_label_arguments, read_labeled_pages
from scrapy_web2text.common.display import format_share
from scrapy_web2text.common.files import check_out_file, replace_file
from scrapy_web2text.exceptions import say

if TYPE_CHECKING:
    import argparse

    from scrapy_web2text.labels.site_rule import LabeledLeaves


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments to *parser*."""
    parser.description = (
        "Find selectors that mark the content of a site, by labels of some of its pages, and write them as TOML for "
        "WEB2TEXT_SITES. Pages are held out to see whether the rule beats the model; if not, nothing is written."
    )
    add = parser.add_argument
    add_label_arguments(parser)
    add("--out", type=Path, metavar="TOML", help="file to write; default: standard output")
    add("--force", action="store_true", help="overwrite the file of --out if it exists")
    add(
        "--model",
        default="web2text-2026",
        metavar="MODEL",
        help=(
            "the model that the rule has to beat, and that answers where the rule finds nothing (default: %(default)s)"
        ),
    )


def run(args: argparse.Namespace) -> int:
    """Write the rule of each site in the file of labels, and return the exit status: 1 if none has a rule."""
    from scrapy_web2text.extractor import Extractor  # loads numpy
    from scrapy_web2text.labels.site_rule import read_labeled_leaves
    from scrapy_web2text.sources.sites import name_site

    if args.out is not None:
        check_out_file(args.out, may_overwrite=args.force)
    sites: dict[str, list[LabeledLeaves]] = {}
    extractor = Extractor(model=args.model, warns=False)
    for labels, page in read_labeled_pages(args, partial(read_labeled_leaves, extractor=extractor)):
        sites.setdefault(name_site(labels.url or labels.id), []).append(page)
    found = [_find(site, pages) for site, pages in sorted(sites.items())]
    rules = "\n".join(filter(None, found))
    if rules and args.out is not None:
        replace_file(args.out, rules.encode())
    else:
        print(rules, end="")
    return int(not rules)


def _find(site: str, pages: list[LabeledLeaves]) -> str:
    """Return the rule of *site* as TOML, and report its scores; an empty string if it is not better than the model."""
    from scrapy_web2text.labels.site_rule import find_rule, score_rules
    from scrapy_web2text.sources.sites import UNKNOWN_SITE, rule_to_toml

    rule, score = find_rule(pages), score_rules(pages)
    how = "each held out once" if len(pages) > 1 else "not held out: label more pages"
    say(f"web2text rule: {site}: labeled pages: {len(pages):,}, {how}")
    by_model, by_rule = format_share(score.model), format_share(score.rule)
    if not (rule.include or rule.exclude) or score.rule <= score.model:
        why = f"F1 of the model {by_model}, and rules are not better ({by_rule})"
        say(f"web2text rule: {site}: {why if score.model < 1 else 'no corrections yet, so no rule is needed'}")
        return ""
    say(f"web2text rule: {site}: F1 of the model {by_model}, with a rule {by_rule}")
    if rule.is_unstable:
        say(f"web2text rule: {site}: classes that style or are generated may not last: label more pages")
    if site == UNKNOWN_SITE:
        say(f"web2text rule: the labels have no URL: write the domain of the site in place of {UNKNOWN_SITE}")
    return rule_to_toml(site, {"include": rule.include, "exclude": rule.exclude})
