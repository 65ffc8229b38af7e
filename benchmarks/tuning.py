"""Tune the default model to sites that its training left out, and compare the F1 of each site before and after.

    python benchmarks/tuning.py --bases FOLDER --data DIR --out FOLDER [--sites NAME …] [--site-only]

``--bases`` is the folder of models that ``benchmarks/left_out.py`` has written. For each site, some pages are labeled
by their clean texts, ``web2text tune`` is run on them as a user would, and the result is scored on other pages of the
site, and on pages of other sites from corpora that are in no training. If nothing was written, the base model counts.
The columns "rule" have the same scores for the rules that ``web2text rule`` finds by the same labels, and "labels" is
the score of the labels themselves: clean texts can have words that no block has.
"""

from __future__ import annotations

import argparse
import random
import shutil
import statistics
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import compress
from pathlib import Path
from typing import Final

from benchmarks.left_out import KINDS, NEVER
from scrapy_web2text.cli.main import main as run_command
from scrapy_web2text.evaluation.corpora import LabeledPage, open_corpus
from scrapy_web2text.evaluation.scores import word_scores
from scrapy_web2text.extractor import Extractor
from scrapy_web2text.labelers.registry import get_labeler
from scrapy_web2text.labelers.weights import find_model
from scrapy_web2text.labels.files import PageLabels, find_runs, hash_text, read_labels, write_labels
from scrapy_web2text.labels.pages import read_labeled_page
from scrapy_web2text.labels.site_rule import SiteRule, find_rule, read_labeled_leaves, score_rules
from scrapy_web2text.options import DEFAULT_MODEL, Options
from scrapy_web2text.training.corpora import corpus_facts, site_of
from scrapy_web2text.training.modern.data import Sources
from scrapy_web2text.training.modern.tuning_pages import REHEARSAL_FILE

CORPORA: Final = {
    "more/forum_archives": "forums",
    "more/docs_builders": "documentation",
    "more/wwwxmu_zh_news": "articles",
    "more/cleanportaleval": "articles",
    "more/daniel5": None,  # in no training
}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--bases", type=Path, required=True, help="the models of benchmarks/left_out.py")
    parser.add_argument("--data", type=Path, required=True, help="the folder of the corpora")
    parser.add_argument("--out", type=Path, required=True, help="an empty or a new folder for labels and models")
    parser.add_argument("--sites", nargs="+", help="only these sites, such as opendcl (default: all with enough pages)")
    parser.add_argument("--labeled", type=int, nargs="+", default=[5, 10, 20], help="numbers of labeled pages")
    parser.add_argument("--held-out", type=int, default=20, help="pages that score a site, at most (%(default)s)")
    parser.add_argument("--site-only", action="store_true", help="as for web2text tune")
    args = parser.parse_args()
    others = [*draw_others(args.data)]
    columns = [column for n in args.labeled for column in (f"{n}: rule", "tuned, others, s")]
    print("| site | pages | labels | base | " + " | ".join(columns) + " |")
    print("|---|---:|---:|---:|" + "---|" * len(columns))
    for corpus, kind in CORPORA.items():
        base = prepare_base(args, kind)
        for site, ids in group_by_site(corpus, args):
            print(compare_site(args, corpus, site, ids, base, others), flush=True)


def draw_others(data: Path) -> Iterator[LabeledPage]:
    """Yield pages of other sites."""
    for corpus in NEVER:
        if corpus not in CORPORA:
            opened = open_corpus(corpus, data)
            yield from opened.pages(random.Random(1).sample(sorted(opened.ids), 40))


def prepare_base(args: argparse.Namespace, kind: str | None) -> Path:
    """Return the folder of the model that was trained without a kind of corpora, with the shipped rehearsal rows."""
    assert kind is None or kind in KINDS
    shipped = find_model(DEFAULT_MODEL)
    if kind is None:
        return shipped
    folder: Path = args.out / f"without-{kind}"
    if not folder.exists():
        shutil.copytree(args.bases / folder.name, folder)
        shutil.copy(shipped / REHEARSAL_FILE, folder)
    return folder


def group_by_site(corpus: str, args: argparse.Namespace) -> Iterator[tuple[str, list[str]]]:
    """Yield each site with enough pages, and the ids of its pages in random order."""
    facts = corpus_facts(corpus)
    sites: dict[str, list[str]] = defaultdict(list)
    for page in open_corpus(corpus, args.data).pages():
        sites[site_of(facts, page)].append(page.id)
    for site, ids in sorted(sites.items()):
        if len(ids) >= max(args.labeled) + 5 and (not args.sites or site in args.sites):
            random.Random(5).shuffle(ids)
            yield site, ids


def compare_site(
    args: argparse.Namespace, corpus: str, site: str, ids: Sequence[str], base: Path, others: Sequence[LabeledPage]
) -> str:
    """Return the row of a site."""
    most = max(args.labeled)
    opened = open_corpus(corpus, args.data)
    labeled, held_out = [*opened.pages(ids[:most])], [*opened.pages(ids[most : most + args.held_out])]
    before, others_before = score(Options(model=str(base)), held_out), score(Options(model=str(base)), others)
    cells = [site, f"{len(held_out)}", f"{score_labels(corpus, held_out, args.data):.3f}", f"{before:.3f}"]
    for n in args.labeled:
        folder = args.out / site / str(n)
        label_pages(folder, corpus, labeled[:n], args.data)
        rule = find_rule_of(folder, base)
        names = ", ".join((*rule.include, *(f"not {name}" for name in rule.exclude)))
        cells.append(f"{score(rule, held_out):.3f} `{names}`" if names else "none")
        cells.append(tune(args, folder, base, held_out, others, others_before))
    return "| " + " | ".join(cells) + " |"


def tune(
    args: argparse.Namespace,
    folder: Path,
    base: Path,
    held_out: Sequence[LabeledPage],
    others: Sequence[LabeledPage],
    others_before: float,
) -> str:
    """Return the cell of a tuning to the labels in *folder*."""
    started = time.monotonic()
    only = ["--site-only"] if args.site_only else []
    command = ["tune", f"{folder / 'labels.jsonl'}", "--out", f"{folder / 'model'}", "--base", f"{base}", *only]
    status = run_command([*command, "--force"])
    seconds = time.monotonic() - started
    if status:
        return f"refused, {seconds:.0f}"
    tuned = Options(model=str(folder / "model"))
    return f"{score(tuned, held_out):.3f}, {score(tuned, others) - others_before:+.4f}, {seconds:.0f}"


def find_rule_of(folder: Path, base: Path) -> Options:
    """Return the options of the rule that ``web2text rule`` finds by the labels in *folder*, if any."""
    labeler = get_labeler(str(base))
    readings = read_labels(folder / "labels.jsonl").values()
    pages = [read_labeled_leaves(read_labeled_page(each, folder), each, labeler) for each in readings]
    score = score_rules(pages)
    rule = find_rule(pages) if score.rule > score.model else SiteRule()
    return Options(model=str(base), include=rule.include, exclude=rule.exclude)


def score_labels(corpus: str, pages: Sequence[LabeledPage], data: Path) -> float:
    """Return the mean word F1 of the content blocks of the labels, which is as good as an answer can be."""
    texts = {page.id: page.text for page in pages}
    judged = Sources(data).load(corpus, [*texts])
    return statistics.fmean(
        word_scores(" ".join(compress(each.texts, each.page.labels)), texts[each.page.id]).f1 for each in judged
    )


def score(options: Options, pages: Sequence[LabeledPage]) -> float:
    """Return the mean word F1 of the text that is extracted with *options*, by the clean texts of *pages*."""
    extractor = Extractor(options)
    return statistics.fmean(word_scores(extractor.extract(page.html).text, page.text).f1 for page in pages)


def label_pages(folder: Path, corpus: str, pages: Sequence[LabeledPage], data: Path) -> None:
    """Write *pages* and a file of their labels, as a user would have them."""
    folder.mkdir(parents=True, exist_ok=True)
    judged = {each.page.id: each for each in Sources(data).load(corpus, [page.id for page in pages])}
    readings = []
    for number, page in enumerate(pages):
        if page.id in judged:
            html = page.html if isinstance(page.html, bytes) else page.html.encode()
            (folder / f"{number}.html").write_bytes(html)
            content = find_runs(judged[page.id].page.labels.tolist())
            hashes = tuple(map(hash_text, judged[page.id].texts))
            readings.append(PageLabels("", page.id, content, hashes, file=f"{number}.html"))
    write_labels(folder / "labels.jsonl", readings)


if __name__ == "__main__":
    main()
