"""Crawls the local site and shows its clean text: ``python example_project/demo.py``, or ``make demo``.

Exit status 1 means that a page of the site is not in the feed or has no answer.
"""

from __future__ import annotations

import argparse
import json
import logging
import sys
import sysconfig
import unicodedata
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from example_project.server import SITE, serve_site
from scrapy import signals
from scrapy.crawler import AsyncCrawlerProcess, Crawler
from scrapy.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy.statscollectors import StatsCollector

FEED = Path(__file__).resolve().parent / "clean.jsonl"
OTHER_SPIDERS = ("articles", "notes")
# Pages of different kinds: news, a forum, a shop, a travel page in Japanese, a manual.
SHOWN = (
    "/courier/night-ferry.html",
    "/forum/thread-4182.html",
    "/shop/harbour-lamp.html",
    "/kawabe/yado.html",
    "/docs/tides.html",
)
_COLUMNS = 79
_REMOVED_COLUMNS = 20


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve and crawl the site, show some of its pages, and return the exit status."""
    options = _parse_arguments(arguments)
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="replace")  # a console without Japanese shows "?" instead of a traceback
    feeds = {name: options.output.with_name(f"{name}.jsonl") for name in OTHER_SPIDERS}
    with serve_site() as url:
        print(f"Crawling {_short(SITE)} at {url}\n", flush=True)
        stats = crawl(url, {"pages": options.output, **feeds}, dict(options.set))["pages"]
    items = {urlsplit(item["url"]).path: item for item in read_feed(options.output)}
    for path in SHOWN:
        if path in items:
            print("\n".join(describe_item(items[path])), end="\n\n")
    print("\n".join(describe_rest([item for path, item in items.items() if path not in SHOWN], stats)))
    print("\n".join(describe_files([options.output, *feeds.values()])))
    lost = sorted(path for path in site_paths() if "web2text" not in items.get(path, {}))
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
    logging.getLogger("scrapy_web2text.crawl.extractor").setLevel(logging.CRITICAL)  # the error is printed below
    process = AsyncCrawlerProcess(settings)
    crawlers, crawls = {}, []
    for name, feed in feeds.items():
        own = settings.copy()
        own.set("FEEDS", {feed: {"format": "jsonlines", "encoding": "utf-8", "overwrite": True}}, priority="cmdline")
        crawlers[name] = Crawler(process.spider_loader.load(name), own)
        if name == "pages" and sys.stderr.isatty():
            crawlers[name].signals.connect(_Progress().count, signals.item_scraped, weak=False)
        crawls.append(process.crawl(crawlers[name], url=url))
    process.start()
    if sys.stderr.isatty():
        sys.stderr.write(" " * _COLUMNS + "\r")
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
    """Return the lines that describe one item: its title, facts, the beginning of its text, and what was removed."""
    summary = item.get("web2text", {})
    text = " ".join(item.get("main_content", "").split())
    confidence = summary.get("confidence")
    facts = [
        urlsplit(item["url"]).path,
        "confidence " + ("—" if confidence is None else f"{confidence:.3f}".removeprefix("0")),
        f"{len(text):,} characters",
    ]
    removed = [block["text"] for block in item.get("blocks", []) if block["label"] != "content"]
    beginnings = dict.fromkeys(_cut(" ".join(removed_text.split()), _REMOVED_COLUMNS) for removed_text in removed)
    lines = [
        summary.get("title") or "(no title)",
        f"  {' · '.join(facts)}",
        f"  kept {summary.get('n_content', 0)} blocks: {text}",
        f"  removed {len(removed)} blocks: {' · '.join(beginnings)}",
    ]
    return [_cut(line, _COLUMNS) for line in lines]


def describe_rest(items: list[dict[str, Any]], stats: StatsCollector) -> list[str]:
    """Return the lines that sum up *items*, the pages that are not shown, and what the crawl skipped."""
    summaries = [item.get("web2text", {}) for item in items]
    pages = [item for item, summary in zip(items, summaries, strict=True) if summary.get("reason") != "not_html"]
    without = sorted(urlsplit(item["url"]).path for item in pages if not item.get("main_content"))
    confidences = [summary["confidence"] for summary in summaries if summary.get("confidence") is not None]
    best = f", confidence {min(confidences):.3f} to {max(confidences):.3f}".replace(" 0.", " .") if confidences else ""
    missing = stats.get_value("downloader/response_status_count/404", 0)
    forbidden = stats.get_value("robotstxt/forbidden", 0)
    lines = [
        f"{len(pages)} more pages: {len(pages) - len(without)} with main text{best}",
        f"  without main text: {', '.join(without) or 'none'}",
        f"  skipped: {len(items) - len(pages)} not HTML, {missing} not found, {forbidden} forbidden by robots.txt",
    ]
    return [_cut(line, _COLUMNS) for line in lines]


def describe_files(feeds: Sequence[Path]) -> list[str]:
    """Return the lines that name the feeds and the next commands."""
    web2text = _short(Path(sysconfig.get_path("scripts")) / "web2text")
    rows = [(f"{_short(feed)} ", f"{len(read_feed(feed))} items of the spider {spider}")
            for spider, feed in zip(("pages", *OTHER_SPIDERS), feeds, strict=True)]  # fmt: skip
    commands = [
        (f"{web2text} view {_short(SITE)} ", "show the labels, in view.html"),
        (f"{web2text} serve ", "try a page of your own"),
    ]
    lines = []
    for title, table in (("Written", rows), ("Next", commands)):
        width = max(len(name) for name, _ in table)
        lines += ["", f"{title}:", *(f"  {name:{width}} {what}" for name, what in table)]
    return lines


class _Progress:
    """Shows on a terminal how many pages are done."""

    def __init__(self) -> None:
        self.n_done = 0

    def count(self) -> None:
        """Show one page more."""
        self.n_done += 1
        sys.stderr.write(f"{self.n_done} {'page' if self.n_done == 1 else 'pages'}\r")
        sys.stderr.flush()


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
        return str(path.absolute().relative_to(Path.cwd()))
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
