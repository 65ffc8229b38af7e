"""Measure how often the metadata of WCXB pages equals the gold metadata, and how long reading it takes.

Values are equal if they have the same words. "Exact" titles differ in case and whitespace at most.

python benchmarks/metadata.py --data DIR [--part val] [--show 20]
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
from scrapy_web2text.page.parse import to_tree


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", type=Path, default=os.environ.get("WEB2TEXT_DATA"), required=True)
    parser.add_argument("--part", default="val")
    parser.add_argument("--show", type=int, default=0, help="number of misses of each kind to print")
    args = parser.parse_args()
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
        root = to_tree(source.html)
        middle = time.thread_time()
        found = read_metadata(root, url=source.url, text=extraction.text)
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


def normalize(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.lower()))


def fold(text: str) -> str:
    return " ".join(text.casefold().split())


if __name__ == "__main__":
    main()
