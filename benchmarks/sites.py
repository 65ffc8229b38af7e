"""Compare the model, the rule of a site and a tuned model on pages of many sites: tables of docs/experiments.md.

    python benchmarks/sites.py --data DIR --out FOLDER [--model MODEL] [--kinds KIND …] [--sites N]

For each site with enough pages, some pages are labeled by their clean texts, ``web2text rule`` and ``web2text tune``
are run on them, and the word F1 is measured on other pages of the site. Where a command has nothing
better, the model counts. The scores are appended to ``FOLDER/scores.jsonl``, and sites in this file are not run again.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import replace
from io import StringIO
from itertools import chain
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from scrapy_web2text.cli.main import main as run_command
from scrapy_web2text.evaluation.corpora import CorpusPage, open_corpus
from scrapy_web2text.evaluation.scores import word_scores
from scrapy_web2text.extractor import Extractor
from scrapy_web2text.labelers.registry import get_labeler
from scrapy_web2text.labels.files import PageLabels, find_runs, hash_text, read_labels, write_labels
from scrapy_web2text.labels.pages import read_labeled_page
from scrapy_web2text.labels.site_rule import SiteRule, find_rule, read_labeled_leaves, score_rules
from scrapy_web2text.options import DEFAULT_MODEL, Options
from scrapy_web2text.page.parse import to_tree
from scrapy_web2text.page.urls import stated_urls
from scrapy_web2text.training.corpora import corpus_facts, site_of
from scrapy_web2text.training.modern.data import JudgedPage, Sources

# Corpora with such sites, by their kind. Those of news and blogs are in no training of the default model.
KINDS: Final = {
    "news and blogs": ("more/daniel5", "more/utomo720", "seeds/dragnet1381", "seeds/l3s_gn1"),
    "Chinese finance news": ("more/wwwxmu_zh_news",),
    "portals": ("more/cleanportaleval",),
    "forums": ("more/forum_archives",),
    "documentation": ("more/docs_builders",),
}
# Each host of these domains is a site of its own.
SHARED: Final = frozenset({"blogspot.com", "google.com", "substack.com", "typepad.com", "wordpress.com"})
WAYS: Final = ("model", "rule", "tuned")
LEAST_LEAD: Final = 0.01
LEAST_HELD_OUT: Final = 4
# The corpus, the name and the pages of a site in random order, each with the labels that follow from its clean text.
Site = tuple[str, str, list[tuple[CorpusPage, JudgedPage]]]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="the folder of the corpora")
    parser.add_argument("--out", type=Path, required=True, help="the folder for scores, labels and models")
    parser.add_argument("--model", default=DEFAULT_MODEL, help="the model that is compared and tuned (%(default)s)")
    parser.add_argument("--kinds", nargs="+", default=[*KINDS], metavar="KIND", help="kinds of corpora (%(default)s)")
    parser.add_argument("--sites", type=int, help="random sites, at most (default: all)")
    parser.add_argument("--labeled", type=int, default=8, help="labeled pages of each site (%(default)s)")
    parser.add_argument("--held-out", type=int, default=20, help="pages that score a site, at most (%(default)s)")
    args = parser.parse_args()
    scores = args.out / "scores.jsonl"
    done = {(row["corpus"], row["site"]) for row in read_rows(scores)}
    sites = [site for kind in args.kinds for corpus in KINDS[kind] for site in find_sites(corpus, args)]
    random.Random(1).shuffle(sites)
    for corpus, name, pages in sites[: args.sites]:
        if (corpus, name) not in done:
            row = {"corpus": corpus, "site": name, **compare(pages, args.out / corpus / name, args)}
            with scores.open("a") as file:
                print(json.dumps(row), file=file)
    print_table([*read_rows(scores)])


def read_rows(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the rows of a file of scores; none if it does not exist."""
    if path.exists():
        yield from map(json.loads, path.read_text().splitlines())


def find_sites(corpus: str, args: argparse.Namespace) -> Iterator[Site]:
    """Yield the sites of *corpus* with enough pages that contain their clean texts."""
    opened, least = open_corpus(corpus, args.data), args.labeled + LEAST_HELD_OUT
    ids: dict[str, list[str]] = defaultdict(list)
    for page in opened.pages():
        if name := name_site(corpus, page):
            ids[name].append(page.id)
    for name, own in sorted(ids.items()):
        if len(own) >= least:
            judged = Sources(args.data).load(corpus, own)
            random.Random(5).shuffle(judged)
            pages = [*zip(opened.pages(each.page.id for each in judged), judged, strict=True)]
            if len(pages) >= least:
                yield corpus, name, pages


def name_site(corpus: str, page: CorpusPage) -> str | None:
    """Return the site of a page by the corpus, or else by what the page says; None if it is unknown."""
    facts = corpus_facts(corpus)
    if page.url is None:
        page = replace(page, url=next(iter(stated_urls(to_tree(page.html)).values()), None))
    site = site_of(facts, page)
    if site in SHARED:
        return urlsplit(page.url or "").hostname
    return None if site == facts.name else site


def compare(pages: Sequence[tuple[CorpusPage, JudgedPage]], folder: Path, args: argparse.Namespace) -> dict[str, float]:
    """Return the scores of a site, and on how many pages they were measured."""
    label_pages(folder, pages[: args.labeled])
    held_out = [page for page, _ in pages[args.labeled : args.labeled + args.held_out]]
    ways = [Options(model=args.model), find_rule_of(folder, args.model), tune(folder, args.model)]
    f1 = dict(zip(WAYS, (score(options, held_out) for options in ways), strict=True))
    return {"pages": len(held_out), **f1}


def label_pages(folder: Path, pages: Sequence[tuple[CorpusPage, JudgedPage]]) -> None:
    """Write *pages* and a file of their labels, as a user would have them."""
    folder.mkdir(parents=True, exist_ok=True)
    labels = []
    for number, (page, judged) in enumerate(pages):
        (folder / f"{number}.html").write_bytes(page.html if isinstance(page.html, bytes) else page.html.encode())
        content = find_runs(judged.page.labels.tolist())
        hashes = tuple(map(hash_text, judged.texts))
        labels.append(PageLabels("", page.id, content, hashes, file=f"{number}.html"))
    write_labels(folder / "labels.jsonl", labels)


def find_rule_of(folder: Path, model: str) -> Options:
    """Return the options of the rule that ``web2text rule`` finds by the labels in *folder*, if any."""
    labeler = get_labeler(model)
    labels = read_labels(folder / "labels.jsonl").values()
    pages = [read_labeled_leaves(read_labeled_page(each, folder), each, labeler) for each in labels]
    scores = score_rules(pages)
    rule = find_rule(pages) if scores.rule > scores.model else SiteRule()
    return Options(model=model, include=rule.include, exclude=rule.exclude)


def tune(folder: Path, model: str) -> Options:
    """Return the options of the model that is tuned to the labels in *folder*; those of *model* if it is refused."""
    out = folder / "model"
    command = ["tune", str(folder / "labels.jsonl"), "--out", str(out), "--base", model, "--force"]
    with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
        status = run_command(command)
    return Options(model=model if status else str(out))


def score(options: Options, pages: Sequence[CorpusPage]) -> float:
    """Return the mean word F1 of the text that is extracted with *options*, by the clean texts of *pages*."""
    extractor = Extractor(options)
    return statistics.fmean(word_scores(extractor.extract(page.html).text, page.text).f1 for page in pages)


def print_table(rows: Sequence[dict[str, Any]]) -> None:
    """Print the mean of each way, and the share of sites where it leads, for the corpora of each kind."""
    print("\n| sites | number | " + " | ".join(WAYS) + " | " + " | ".join(f"{way} best" for way in WAYS) + " |")
    print("|---|---:|" + "---:|" * 2 * len(WAYS))
    for title, corpora in {**KINDS, "all": tuple(chain(*KINDS.values()))}.items():
        own = [row for row in rows if row["corpus"] in corpora]
        if own:
            means = [f"{statistics.fmean(row[way] for row in own):.3f}" for way in WAYS]
            shares = [f"{statistics.fmean(leads(way, row) for row in own):.0%}" for way in WAYS]
            print(f"| {title} | {len(own)} | " + " | ".join(means + shares) + " |")


def leads(way: str, row: dict[str, Any]) -> bool:
    """Return whether a way is better than each of the others by `LEAST_LEAD`."""
    others = (row[other] for other in WAYS if other != way)
    return bool(row[way] >= max(others) + LEAST_LEAD)


if __name__ == "__main__":
    main()
