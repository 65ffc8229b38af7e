"""``web2text diff``: what changed between two feeds of the same pages."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from scrapy_web2text.answer.summary import format_counts
from scrapy_web2text.cli.arguments import number, whole_number
from scrapy_web2text.cli.output import check_viewer, show_progress
from scrapy_web2text.common.checks import SHARE
from scrapy_web2text.common.display import format_share
from scrapy_web2text.content.escaping import escape_surrogates
from scrapy_web2text.exceptions import escape_line, say
from scrapy_web2text.sources.archives import is_feed

if TYPE_CHECKING:
    from scrapy_web2text.view.comparison import PageChanges
    from scrapy_web2text.view.sides import Side

# Exit status if the sides differ by more than the arguments allow.
DIFFERENT: Final = 3
_MOST_PAGES: Final = 20


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments to *parser*."""
    parser.description = (
        "Compare two feeds page by page. The exit status is 0 if the texts of all pages are equal, or similar enough "
        f"for --min-f1, and {DIFFERENT} otherwise."
    )
    add = parser.add_argument
    add("before", metavar="BEFORE", help="a feed in JSON Lines, plain or with .gz or .zst")
    add("after", metavar="AFTER", help="another feed of the same pages")
    add("--text-field", metavar="NAME", help="field of items with the text; default: text, main_content")
    add(
        "--min-f1",
        type=number(float, SHARE),
        default=1.0,
        metavar="F1",
        help="least mean word F1 between both sides for exit status 0, from 0 to 1 (default: 1, all texts are equal)",
    )
    add("--common", action="store_true", help="allow pages that only one side has")
    add(
        "--limit",
        type=whole_number,
        default=_MOST_PAGES,
        metavar="N",
        help="list the N most changed pages (default: %(default)s)",
    )
    add("--format", choices=("text", "json"), default="text", help="form of the output (default: %(default)s)")
    add("--out", type=Path, metavar="FILE", help="write an HTML file that shows the texts of these pages side by side")
    add("--force", action="store_true", help="overwrite the file of --out, whatever wrote it")


def run(args: argparse.Namespace) -> int:
    """Print what changed, and return the exit status."""
    # This loads numpy.
    from scrapy_web2text.view.sides import TEXT_FIELDS, Side, compare_settings, compare_sides, tell_apart, write_pages

    if args.out is not None:
        check_viewer(args.out, may_overwrite=args.force)
    for feed in (args.before, args.after):
        if not is_feed(feed):
            Path(feed).stat()  # if it does not exist, this is the error
            raise ValueError(f"{feed}: expected a feed in JSON Lines, as web2text batch {feed} --out FEED writes it")
    if Path(args.before).samefile(args.after):
        say(f"web2text diff: {args.before} and {args.after} are the same file")
    fields = TEXT_FIELDS if args.text_field is None else (args.text_field,)
    names = tell_apart(args.before, args.after)
    sides = Side(Path(args.before), fields, names[0]), Side(Path(args.after), fields, names[1])
    changes = compare_sides(*sides, args.limit, show_progress)
    if not changes.n_both:
        raise ValueError(_describe_nothing(sides, changes))
    skipped = {f"skipped_{name}": dict(side.skipped) for name, side in zip(("before", "after"), sides, strict=True)}
    totals = {"settings": compare_settings(*sides), **changes.to_dict(), **skipped}
    if args.out is not None:  # before what is printed, which a closed pipe may end
        say(f"web2text diff: {write_pages(args.out, sides, changes, totals)}")
    if args.format == "json":
        print(escape_surrogates(json.dumps(totals, ensure_ascii=False, allow_nan=False, indent=1)))
    else:
        print("\n".join(map(escape_line, _describe(sides, changes, totals["settings"]))))
    return 0 if _is_similar(args, sides, changes) else DIFFERENT


def _is_similar(args: argparse.Namespace, sides: tuple[Side, Side], changes: PageChanges) -> bool:
    """Return whether the sides differ by no more than the arguments allow."""
    n_only = changes.n_only_before + changes.n_only_after
    is_complete = not n_only and not any(side.skipped["without a text"] for side in sides)
    is_equal = not changes.n_changed if args.min_f1 == 1 else (changes.mean_f1 or 0.0) >= args.min_f1
    return is_equal and (is_complete or args.common)


def _describe(sides: tuple[Side, Side], changes: PageChanges, settings: Mapping[str, Sequence[Any]]) -> list[str]:
    layout = f" ({changes.n_layout:,} of them only in spacing or order)" if changes.n_layout else ""
    of_changed = f"; of changed pages {format_share(changes.changed_f1 or 0.0)}" if changes.n_changed else ""
    rows = [
        *((name, " -> ".join(map(_show_value, values))) for name, values in settings.items()),
        ("pages in both", f"{changes.n_both:,}"),
        ("equal", f"{changes.n_equal:,}"),
        ("changed", f"{changes.n_changed:,}{layout}"),
        *{  # one row if both sides are one file
            f"only in {sides[0].name}": f"{changes.n_only_before:,}",
            f"only in {sides[1].name}": f"{changes.n_only_after:,}",
        }.items(),
        *((f"skipped of {side.name}", format_counts(side.skipped)) for side in sides if side.skipped),
        ("word F1", f"mean {format_share(changes.mean_f1 or 0.0)}{of_changed}"),
        ("words", f"{changes.n_gained:,} gained, {changes.n_lost:,} lost"),
    ]
    for found in changes.lines:
        of_site = f" of {found['site']}" if found["site"] else ""
        pages = f"{found['pages']:,} of {found['of']:,} pages{of_site}"
        what = "gained" if found["gained"] else "lost"
        rows.append((f"line {what}", f"{found['line']} ({pages})"))
    width = max(len(name) for name, _ in rows)
    lines = [f"{name:{width}}  {value}" for name, value in rows]
    if changes.greatest:
        lines += ["", "   F1   gained     lost  page"]
    for each in changes.greatest:
        gained, lost = f"+{each.n_gained:,}", f"-{each.n_lost:,}"
        f1 = min(each.f1, 0.999) if each.n_gained or each.n_lost else each.f1  # other words are never shown as equal
        lines.append(f"{format_share(f1):>5}  {gained:>7}  {lost:>7}  {each.page}")
    return lines


def _show_value(value: Any) -> str:
    """Return the value of an option as the HTML file shows it."""
    return (", ".join(map(str, value)) or "none") if isinstance(value, list) else str(value)


def _describe_nothing(sides: tuple[Side, Side], changes: PageChanges) -> str:
    """Return the message for sides that have no page in common."""
    counts = (changes.n_only_before, changes.n_only_after)
    parts = []
    for side, count in zip(sides, counts, strict=True):
        skipped = "".join(f", {n:,} {cause}" for cause, n in side.skipped.items())
        if side.skipped["without a text"]:
            skipped += f" ({' or '.join(side.text_fields)}; --text-field names another)"
        parts.append(f"{side.name} has {count:,} page{'s' * (count != 1)}{skipped}")
    hint = ". Pages are matched by their url, else by their path; web2text batch --url-from gives files a URL"
    return f"expected the same pages on both sides, found none: {'; '.join(parts)}{hint if all(counts) else ''}"
