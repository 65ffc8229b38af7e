"""Measure how many formulas, blocks of code and cells that a reader wrote down are exactly in the Markdown of pages.

    python benchmarks/structures.py TRUTH.json --data DIR [--others trafilatura.json …] [--show]

TRUTH maps the path of each page below DIR to its ``formulas`` as TeX, its ``code`` and some of its ``cells``. Each
other file maps the paths to the Markdown of another program.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from markdown_it import MarkdownIt

from benchmarks.formats import format_share, format_table
from scrapy_web2text import extract

MARKDOWN = MarkdownIt("commonmark")
KINDS = ("formulas", "code", "cells")
FORMULA = re.compile(r"\$\$(?:[^$\\]|\\.)+\$\$|\$(?:[^$\\]|\\.)+\$")
MARKS = re.compile(r"[\\*_`\[]|\]\([^)]*\)|</?su[bp]>")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("truth", type=Path)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--others", type=Path, nargs="*", default=())
    parser.add_argument("--show", action="store_true", help="print what is missing if the whole body is selected")
    args = parser.parse_args()
    truth = json.loads(args.truth.read_text(encoding="utf-8"))
    pages = {path: read_page(args.data / path) for path in truth}
    written = {
        "the model's selection": {path: extract(page, markdown=True).markdown for path, page in pages.items()},
        "the whole body": {path: extract(page, markdown=True, include="body").markdown for path, page in pages.items()},
        **{other.stem: json.loads(other.read_text(encoding="utf-8")) for other in args.others},
    }
    n = Counter(kind for wanted in truth.values() for kind in KINDS for _ in wanted.get(kind, ()))
    rows = []
    for name, markdown in written.items():
        missing = [
            (path, kind, part)
            for path, wanted in truth.items()
            for kind, part in find_missing(markdown.get(path) or "", wanted)
        ]
        n_missing = Counter(kind for _, kind, _ in missing)
        rows.append([name, *(format_share(1 - n_missing[kind] / n[kind]) if n[kind] else "" for kind in KINDS)])
        if args.show and name == "the whole body":
            print(*(f"{path}: {kind}: {part!r}" for path, kind, part in missing), sep="\n")
    print(format_table(["", *(f"{n[kind]} {kind}" for kind in KINDS)], rows))


def read_page(path: Path) -> bytes:
    return gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()


def find_missing(markdown: str, wanted: Mapping[str, list[str]]) -> list[tuple[str, str]]:
    """Return the parts that are not in *markdown*, each after its kind."""
    blocks = {strip_lines(token.content) for token in MARKDOWN.parse(markdown) if token.type in ("fence", "code_block")}
    formulas = {squeeze(formula).strip("$") for formula in FORMULA.findall(markdown)}
    lines = " ".join(MARKS.sub("", " ".join(line.split())) for line in markdown.split("\n") if "|" in line)
    return [
        *(("formulas", part) for part in wanted.get("formulas", ()) if squeeze(part) not in formulas),
        *(("code", part) for part in wanted.get("code", ()) if strip_lines(part) not in blocks),
        *(("cells", part) for part in wanted.get("cells", ()) if " ".join(part.split()) not in lines),
    ]


def strip_lines(code: str) -> str:
    """Return *code* without whitespace at the end of its lines, or empty lines around it."""
    return "\n".join(line.rstrip() for line in code.replace("\N{NO-BREAK SPACE}", " ").split("\n")).strip("\n")


def squeeze(tex: str) -> str:
    """Return a formula without whitespace."""
    return "".join(tex.split())


if __name__ == "__main__":
    main()
