"""Measure how often the metadata of WCXB pages equals the gold metadata, and how long reading it takes.

Values are equal if they have the same words. "Exact" titles differ in case and whitespace at most.

python benchmarks/metadata.py --data DIR [--part val] [--show 20]

With --threads, the authors and the dates of posts are measured instead, by a JSON file of what a reader found in
threads: for each page, by its path under DIR, a list of posts: [words of the post, author, spellings of the date].
Authors are divided by semicolons if several are right; an empty list of dates is not judged. A post that is not found
has neither.

python benchmarks/metadata.py --data DIR --threads FILE

With --recipes, the titles and the authors of recipe pages are measured, and the share of their ingredients and of the
lines of their instructions that are in the text. The corpus has what the authors of a scraper wrote down.

python benchmarks/metadata.py --data DIR --recipes train

With --products, the product is measured by a JSON file of what a reader saw: a list of pages, each with "corpus", "id",
and "name", "price", "currency", "brand", "availability", "description" (its first words) where the page shows them.

python benchmarks/metadata.py --data DIR --products FILE
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import time
from collections import Counter
from pathlib import Path

from scrapy_web2text import Extractor
from scrapy_web2text.evaluation.corpora import open_corpus, read_split
from scrapy_web2text.metadata.read import read_metadata
from scrapy_web2text.page.arrays import tree_to_page
from scrapy_web2text.page.parse import to_tree
from scrapy_web2text.sources.files import read_whole_page

_RECIPES = "unlabelled/recipes_half"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", type=Path, default=os.environ.get("WEB2TEXT_DATA"), required=True)
    parser.add_argument("--part", default="val")
    parser.add_argument("--show", type=int, default=0, help="number of misses of each kind to print")
    parser.add_argument("--threads", type=Path, help="JSON file with the posts of threads")
    parser.add_argument("--recipes", metavar="PART", help="train or test: measure recipe pages")
    parser.add_argument("--products", type=Path, help="JSON file with the products of pages")
    args = parser.parse_args()
    if args.products is not None:
        measure_products(args.data, json.loads(args.products.read_text()), args.show)
        return
    if args.recipes is not None:
        measure_recipes(args.data, args.recipes, args.show)
        return
    if args.threads is not None:
        measure_threads(args.data, json.loads(args.threads.read_text()), args.show)
        return
    right: Counter[str] = Counter()
    wanted: Counter[str] = Counter()
    spent = extracting = 0.0
    extractor = Extractor(blocks="none")
    for source in open_corpus("wcxb", args.data).pages(read_split(args.data / "splits/wcxb-dev.json", None, args.part)):
        gold = json.loads((args.data / f"wcxb/dev/ground-truth/{source.id}.json").read_text())["ground_truth"]
        start = time.thread_time()
        extraction = extractor.extract(source.html)
        middle = time.thread_time()
        extracting += middle - start
        page = tree_to_page(to_tree(source.html))
        middle = time.thread_time()
        found = read_metadata(page, url=source.url, text=extraction.text)
        spent += time.thread_time() - middle
        for name, key in (("title", "title"), ("date", "publish_date"), ("author", "author")):
            if not gold.get(key):
                continue
            value = getattr(found, name)
            is_right = normalize(value or "") == normalize(gold[key])
            wanted[name] += 1
            right["exact title"] += name == "title" and fold(value or "") == fold(gold[key])
            right[name] += is_right
            if not is_right and wanted[name] - right[name] <= args.show:
                print(f"{source.id} {name}: {gold[key]!r}, found {value!r}", file=sys.stderr)
    for name, total in wanted.items():
        print(f"{name}: {right[name]} of {total} ({right[name] / total:.1%})")
    print(f"exact title: {right['exact title']} of {wanted['title']} ({right['exact title'] / wanted['title']:.1%})")
    print(f"cost relative to an extraction: {spent / extracting:.2f}")


def measure_threads(data: Path, threads: dict[str, list[tuple[str, str, list[str]]]], show: int) -> None:
    """Print the share of the posts with the right author, and that with the right date."""
    right: Counter[str] = Counter()
    wanted: Counter[str] = Counter()
    extractor = Extractor(blocks="none", posts=True)
    for path, truth in threads.items():
        left = [*extractor.extract(read_whole_page(data / path)).posts]
        for words, author, dates in truth:
            post = next((post for post in left if squeeze(words) in squeeze(post.text)), None)
            if post is not None:
                left.remove(post)
            found = {"author": post and post.author, "date": post and post.date}
            is_right = {
                "author": squeeze(found["author"] or "") in map(squeeze, author.split(";")),
                "date": any(squeeze(date) in squeeze(found["date"] or "") for date in dates),
            }
            for name in ("author", "date") if dates else ("author",):
                wanted[name] += 1
                right[name] += is_right[name]
                if not is_right[name] and wanted[name] - right[name] <= show:
                    print(f"{path} {name} of {words!r}: {author!r}, {dates}, found {found[name]!r}", file=sys.stderr)
    for name, total in wanted.items():
        print(f"{name}s of posts: {right[name]} of {total} ({right[name] / total:.1%}), on {len(threads)} pages")


def measure_recipes(data: Path, part: str, show: int) -> None:
    """Print the shares of titles and authors of recipes that are right, and of their lines that are in the text.

    The latter also of the lines that the blocks of the page show: authors wrote many lines of the data differently.
    """
    ids = set(json.loads((data / f"splits/{_RECIPES.replace('/', '-')}.json").read_text())[part])
    records = [json.loads(line) for line in (data / _RECIPES / "meta.jsonl").read_text().splitlines()]
    extractor = Extractor(metadata=True)
    names = ("title", "author", "ingredients", "instructions", "shown ingredients", "shown instructions")
    shares: dict[str, list[float]] = {name: [] for name in names}
    for record in records:
        if record["id"] not in ids:
            continue
        answer = extractor.extract((data / _RECIPES / "html" / f"{record['id']}.html").read_bytes())
        found, text, shown = answer.metadata, squeeze(answer.text), squeeze(" ".join(b.text for b in answer.blocks))
        for name in ("title", "author"):
            if record.get(name):
                shares[name].append(normalize(getattr(found, name) or "") == normalize(record[name]))
                if not shares[name][-1] and shares[name].count(False) <= show:
                    print(f"{record['id']} {name}: {record[name]!r}, found {getattr(found, name)!r}", file=sys.stderr)
        for name in ("ingredients", "instructions"):
            value = record.get(name) or []
            lines = value.splitlines() if isinstance(value, str) else value
            shares[f"shown {name}"] += [squeeze(line) in text for line in lines if squeeze(line) in shown]
            if lines:
                shares[name].append(sum(squeeze(line) in text for line in lines) / len(lines))
                if shares[name][-1] < 0.5:
                    print(f"{record['id']} {name}: {shares[name][-1]:.2f} in the text", file=sys.stderr)
    for name, values in shares.items():
        print(f"{name}: {sum(values) / len(values):.3f} of {len(values)}")


def measure_products(data: Path, truth: list[dict[str, str]], show: int) -> None:
    """Print the share of the values of products that are right, of those found, and of those that pages show."""
    right, found, wanted = Counter[str](), Counter[str](), Counter[str]()
    extractor = Extractor(blocks="none", metadata=True)
    for seen in truth:
        source = next(iter(open_corpus(seen["corpus"], data, needs_texts=False).pages([seen["id"]])))
        metadata = extractor.extract(source.html, url=source.url).metadata
        product = metadata and metadata.product
        for name in ("name", "price", "currency", "brand", "availability", "description"):
            value, expected = getattr(product, name, None), seen.get(name)
            found[name] += value is not None
            wanted[name] += expected is not None
            if value is None or expected is None:
                continue
            is_right = is_same_value(name, value, expected)
            right[name] += is_right
            if not is_right and found[name] - right[name] <= show:
                print(f"{seen['id']} {name}: {expected!r}, found {value!r}", file=sys.stderr)
    for name, total in wanted.items():
        print(f"{name}: {right[name]} right of {found[name]} found, and of {total} shown, on {len(truth)} pages")


def is_same_value(name: str, value: str, expected: str) -> bool:
    if name == "price":
        return float(value) == float(expected)
    words, seen = squeeze(value), squeeze(expected)
    return seen in words or (name != "availability" and words in seen)


def squeeze(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))


def normalize(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.lower()))


def fold(text: str) -> str:
    return " ".join(text.casefold().split())


if __name__ == "__main__":
    main()
