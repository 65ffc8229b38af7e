"""Crawls the local site and shows its clean text: ``python example_project/demo.py``, or ``make demo``.

Exit status 1 means that a page of the site is not in the feed or has no answer.
"""

from __future__ import annotations

import argparse
import json
import sys
import unicodedata
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from example_project.server import SITE, serve_site
from scrapy.crawler import AsyncCrawlerProcess, Crawler
from scrapy.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy.statscollectors import StatsCollector

FEED = Path(__file__).resolve().parent / "clean.jsonl"
OTHER_SPIDERS = ("articles", "notes")
_COLUMNS = 100
_LINES_SHOWN = 3


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve and crawl the site, show the items, and return the exit status."""
    options = _parse_arguments(arguments)
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="replace")  # a console without Japanese shows "?" instead of a traceback
    feeds = {name: options.output.with_name(f"{name}.jsonl") for name in OTHER_SPIDERS}
    with serve_site() as url:
        print(f"Crawling the site in {_short(SITE)} at {url}\n", flush=True)
        stats = crawl(url, {"pages": options.output, **feeds}, dict(options.set))["pages"]
    items = read_feed(options.output)
    for item in sorted(items, key=lambda item: urlsplit(item["url"]).path):
        print("\n".join(describe_item(item)), end="\n\n")
    print(describe_crawl(items, stats), f"Feed: {_short(options.output)}", sep=" ")
    for name, feed in feeds.items():
        print("", *describe_other(name, read_feed(feed), feed), sep="\n")
    answered = {urlsplit(item["url"]).path for item in items if "web2text" in item}
    lost = sorted(site_paths() - answered)
    if lost:
        print(f"{len(lost)} of {len(site_paths())} pages have no answer: {', '.join(lost)}", file=sys.stderr)
    return 1 if lost else 0


def crawl(url: str, feeds: dict[str, Path], overrides: dict[str, str]) -> dict[str, StatsCollector]:
    """Run spiders of the project over the site at *url*, all at once, and return the stats of each.

    :param feeds: the file for the items of each spider, by name.
    :param overrides: settings that win over those of the project.
    :raises SystemExit: if a crawl does not start, for example because of an impossible setting.
    """
    settings = Settings()
    settings.setmodule("example_project.settings", priority="project")
    settings.setdict({"DOWNLOAD_DELAY": 0, "LOG_LEVEL": "WARNING", **overrides}, priority="cmdline")
    process = AsyncCrawlerProcess(settings)
    crawlers, crawls = {}, []
    for name, feed in feeds.items():
        own = settings.copy()
        own.set("FEEDS", {feed: {"format": "jsonlines", "encoding": "utf-8", "overwrite": True}}, priority="cmdline")
        crawlers[name] = Crawler(process.spider_loader.load(name), own)
        crawls.append(process.crawl(crawlers[name], url=url))
    process.start()
    errors = [error for error in [crawling.exception() for crawling in crawls] if error is not None]
    if errors:
        raise SystemExit(f"Could not start the crawl: {errors[0]}")
    return {name: crawler.stats for name, crawler in crawlers.items() if crawler.stats is not None}


def read_feed(feed: Path) -> list[dict[str, Any]]:
    """Return the items of a JSON Lines feed, in file order; an empty list if the file does not exist."""
    if not feed.exists():
        return []
    with feed.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def site_paths() -> set[str]:
    """Return the URL path of every HTML page in the site's folder."""
    pages = (path.relative_to(SITE).as_posix() for path in SITE.rglob("*.htm*"))
    return {"/" + page.removesuffix("index.html") for page in pages}


def describe_item(item: dict[str, Any]) -> list[str]:
    """Return the lines that describe one item."""
    summary = item.get("web2text", {})
    text = item.get("main_content", "")
    method = summary.get("method", "no answer")
    if summary.get("reason"):
        method += f" ({summary['reason']})"
    confidence = summary.get("confidence")
    facts = [
        urlsplit(item["url"]).path,
        method,
        "confidence " + ("—" if confidence is None else f"{confidence:.2f}"),
        f"{summary.get('n_content', 0)} of {summary.get('n_blocks', 0)} blocks",
        f"{len(text):,} characters",
    ]
    lines = [line for line in text.splitlines() if line.strip()] or ["(no main text)"]
    shown = [_cut(f"  | {line}", _COLUMNS) for line in lines[:_LINES_SHOWN]]
    return [_cut(summary.get("title") or "(no title)", _COLUMNS), "  " + " · ".join(facts), *shown]


def describe_other(name: str, items: list[dict[str, Any]], feed: Path) -> list[str]:
    """Return the lines that describe the crawl of another spider: its longest item, field by field."""
    longest = max(items, key=lambda item: len(str(item)), default={"url": ""})
    title = f"Spider {name}: {len(items)} items, such as {urlsplit(longest['url']).path}. Feed: {_short(feed)}"
    fields = {field: value for field, value in longest.items() if value is not None and field != "url"}
    return [title, *(_cut(f"  {field}: {' '.join(str(value).split())}", _COLUMNS) for field, value in fields.items())]


def describe_crawl(items: list[dict[str, Any]], stats: StatsCollector) -> str:
    """Return a line that describes the whole crawl."""
    methods = [item.get("web2text", {}).get("method", "no answer") for item in items]
    by_method = ", ".join(f"{method} {methods.count(method)}" for method in sorted(set(methods)))
    broken = stats.get_value("downloader/response_status_count/404", 0)
    forbidden = stats.get_value("robotstxt/forbidden", 0)
    found = f"{len(items)} items (by method: {by_method})" if items else "No items"
    return f"{found}, {broken} not found, {forbidden} skipped because of robots.txt."


def _parse_arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Crawl the example site and show the main text of its pages.")
    parser.add_argument("-o", "--output", type=Path, default=FEED, help="the feed to write (default: %(default)s)")
    parser.add_argument(
        "-s", "--set", type=_setting, action="append", default=[], metavar="NAME=VALUE", help="a Scrapy setting"
    )
    return parser.parse_args(arguments)


def _setting(argument: str) -> tuple[str, str]:
    name, equals, value = argument.partition("=")
    if not (name and equals):
        raise argparse.ArgumentTypeError(f"expected NAME=VALUE, got {argument!r}")
    return name, value


def _short(path: Path) -> str:
    """Return *path* relative to the current folder if it is inside that folder."""
    try:
        return str(path.resolve().relative_to(Path.cwd()))
    except ValueError:
        return str(path)


def _cut(text: str, columns: int) -> str:
    """Return *text*, shortened with an ellipsis to at most *columns* columns of a terminal."""
    widths = [2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in text]
    if sum(widths) <= columns:
        return text
    used = 0
    for index, width in enumerate(widths):
        used += width
        if used > columns - 1:
            return text[:index].rstrip() + "…"
    return text


if __name__ == "__main__":
    sys.exit(main())
