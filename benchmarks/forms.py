"""Measure what text, Markdown and HTML lose of the content if every block has its gold label.

    python benchmarks/forms.py --data DIR [--show 10]

The labels come from the alignment of the val pages of WCXB with their gold text. So words are missing either because of
the form, or because only a part of a block is content. Costs are CPU seconds relative to the parse, the fastest of
three per page.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import re
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import lxml.html
import numpy as np
from markdown_it import MarkdownIt
from markdown_it.token import Token
from numpy.typing import NDArray

from scrapy_web2text.alignment.tokens import cover_leaves, label_blocks
from scrapy_web2text.content.builder import build_document
from scrapy_web2text.content.content import select_content
from scrapy_web2text.content.html import write_html
from scrapy_web2text.content.markdown import write_markdown
from scrapy_web2text.content.text import content_text
from scrapy_web2text.evaluation.corpora import open_corpus, read_split
from scrapy_web2text.evaluation.scores import word_scores, word_tokens
from scrapy_web2text.page.arrays import Page, tree_to_page
from scrapy_web2text.page.blocks import MODERN_BLOCKS, BlockSequence, mark_kept_leaves, segment
from scrapy_web2text.page.parse import to_tree

MARKDOWN = MarkdownIt("commonmark").enable("table").enable("strikethrough")
MARKER = re.compile(r"^\s*(?:[-*•·]|\d+[.)])\s+")
PLAIN = str.maketrans("‘’“”–—", "''\"\"--")
CONTAINERS = {"heading_open": "heading", "bullet_list_open": "list", "ordered_list_open": "list", "table_open": "table"}
TAGS = {"heading": "h1 h2 h3 h4 h5 h6", "list": "ul ol", "table": "table", "code": "pre"}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", type=Path, default=os.environ.get("WEB2TEXT_DATA"), required=True)
    parser.add_argument("--show", type=int, default=0, help="number of misses of each kind to print")
    args = parser.parse_args()
    counts: Counter[str] = Counter()
    misses: defaultdict[str, list[str]] = defaultdict(list)
    scores, costs = [], []
    for page_id, page, blocks, labels, html, truth in gold_pages(args.data):
        content = select_content(page, blocks, labels, url=truth.get("url"))
        text = content_text(content)
        document = build_document(content)
        markup, markdown = write_html(document), write_markdown(document)
        gold = truth["ground_truth"]
        scores.append(word_scores(text, gold["main_content"]).f1)
        flat = flatten(text)
        for snippet in gold.get("with") or ():
            what = f"{page_id}: {snippet!r}"
            note("snippets", flatten(snippet) in flat, counts, misses, what)
            note("snippets without whitespace", squeeze(snippet) in squeeze(flat), counts, misses, what)
        written = [*marked(markdown)]
        for kind, wanted in marked(gold.get("main_content_markdown") or ""):
            if kind == "plain":
                continue
            # WCXB joins the lines of an item.
            start = " ".join(wanted.split()[:6])
            kinds = {other for other, piece in written if start in piece}
            note(f"gold's {kind}", kind in kinds, counts, misses, f"{page_id}: {wanted[:90]!r}, here {kinds or 'lost'}")
        for kind, is_there in parsed_back(markup, markdown):
            note(f"parsed back: {kind}", is_there, counts, misses, page_id)
        made, lost = compare_words(page, blocks, labels, text)
        counts.update({"words made": len(made), "words lost": len(lost)})
        if made:
            misses["words made"].append(f"{page_id}: {', '.join(made)}")
        costs.append(measure(page, blocks, labels, html))
    print(f"{len(scores)} pages; mean word F1 of the text: {np.mean(scores):.4f}")
    for name in sorted({name.partition(":!")[0] for name in counts if ":!" in name}):
        total = counts[f"{name}:!"]
        print(f"{name}: {counts[name]} of {total} ({counts[name] / total:.1%})")
    print(
        f"words that are in no leaf: {counts['words made']}, words of leaves that are missing: {counts['words lost']}"
    )
    parse, as_text, as_html, as_markdown = np.sum(costs, axis=0)
    print(f"relative to the parse: text {as_text / parse:.2f}, html {as_html / parse:.2f}, ", end="")
    print(f"markdown from it {as_markdown / parse:.2f}")
    for name, examples in misses.items():
        print(f"\n{name}", *examples[: args.show], sep="\n  ", file=sys.stderr)


def gold_pages(data: Path) -> Iterator[tuple[str, Page, BlockSequence, NDArray[np.int64], str, dict[str, Any]]]:
    ids = read_split(data / "splits/wcxb-dev.json", None, "val")
    for source in open_corpus("wcxb", data).pages(ids):
        try:
            page = tree_to_page(to_tree(source.html))
        except ValueError:
            continue
        blocks = segment(page, MODERN_BLOCKS)
        coverage = cover_leaves(page.texts, source.text, mark_kept_leaves(page, blocks))
        if not source.text.strip() or not coverage.is_good:
            continue
        truth = json.loads((data / f"wcxb/dev/ground-truth/{source.id}.json").read_text())
        html = gzip.decompress((data / f"wcxb/dev/html/{source.id}.html.gz").read_bytes()).decode(errors="replace")
        yield source.id, page, blocks, label_blocks(blocks, coverage), html, truth


def note(name: str, is_good: bool, counts: Counter[str], misses: dict[str, list[str]], what: str) -> None:
    counts[f"{name}:!"] += 1
    counts[name] += is_good
    if not is_good:
        misses[name].append(what)


def flatten(text: str) -> str:
    """Return *text* in one line, without markers and with plain quotation marks and dashes, which vary in WCXB."""
    text = text.translate(PLAIN)
    return " ".join(" ".join(MARKER.sub("", line) for line in text.splitlines()).split())


def squeeze(text: str) -> str:
    return "".join(flatten(text).split())


def marked(markdown: str) -> Iterator[tuple[str, str]]:
    """Yield the kind and the words of each heading, list item, code block and paragraph of *markdown*."""
    tokens = MARKDOWN.parse(markdown)
    kinds: list[str] = []
    for token in tokens:
        if token.type in ("heading_open", "list_item_open"):
            kinds.append(token.type.partition("_")[0])
        elif token.type in ("heading_close", "list_item_close"):
            kinds.pop()
        elif token.type in ("fence", "code_block"):
            yield "code", words(token.content)
        elif token.type == "inline" and words(inline_text(token)):
            yield kinds[-1] if kinds else "plain", words(inline_text(token))


def inline_text(token: Token) -> str:
    children = [child for child in token.children or () if child.type != "html_inline"]  # tags are not words
    return "".join(" " if child.type == "softbreak" else child.content for child in children)


def words(text: str) -> str:
    return " ".join(word_tokens(text))


def parsed_back(markup: str, markdown: str) -> Iterator[tuple[str, bool]]:
    """Yield whether the parsed Markdown has each table, list, heading and code block of the HTML."""
    tokens = MARKDOWN.parse(markdown)
    back = Counter(CONTAINERS[token.type] for token in tokens if token.type in CONTAINERS)
    back["code"] = sum(token.type == "fence" for token in tokens)
    tree = lxml.html.fragment_fromstring(markup, create_parent="div")
    for kind, tags in TAGS.items():
        n = sum(1 for _ in tree.iter(*tags.split()))
        if kind in ("list", "table"):  # Markdown has neither in cells
            n -= sum(1 for _ in tree.xpath(" | ".join(f"//td//{tag} | //th//{tag}" for tag in tags.split())))
        if kind == "heading":
            n -= sum(1 for _ in tree.xpath(" | ".join(f"//td//{tag} | //th//{tag}" for tag in tags.split())))
        for i in range(n):
            yield kind, i < back[kind]


def compare_words(
    page: Page, blocks: BlockSequence, labels: NDArray[np.int64], text: str
) -> tuple[list[str], list[str]]:
    """Return the words of the text that are in no leaf, and the words of leaves that the text lacks."""
    content = select_content(page, blocks, labels)
    expected = Counter(token for leaf in content.leaves for token in word_tokens(page.texts[leaf]))
    got = Counter(word_tokens(flatten(text)))
    return [*(got - expected).elements()], [*(expected - got).elements()]


def measure(page: Page, blocks: BlockSequence, labels: NDArray[np.int64], html: str) -> list[float]:
    document = build_document(select_content(page, blocks, labels))
    steps: tuple[Callable[[], object], ...] = (
        lambda: lxml.html.fromstring(html),
        lambda: content_text(select_content(page, blocks, labels)),
        lambda: write_html(build_document(select_content(page, blocks, labels))),
        lambda: write_markdown(document),
    )
    fastest = [float("inf")] * len(steps)
    for _ in range(3):
        for i, step in enumerate(steps):
            start = time.thread_time()
            step()
            fastest[i] = min(fastest[i], time.thread_time() - start)
    return fastest


if __name__ == "__main__":
    main()
