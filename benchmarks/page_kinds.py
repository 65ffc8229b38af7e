"""Recall and false alarms of the page kinds, as Markdown tables.

    python benchmarks/page_kinds.py --data DIR [--corpora wcxb cleaneval …]

The first table has the pages of the corpora that have content by their clean texts or, where there is one, by the
reading of the page: how many lose their text, because they are taken for another kind. The second has forms of sites
without a clean text; what they are is told from their addresses, which the package does not look at. The third has the
handwritten pages of ``tests/pages/walls``, and the fourth those of ``tests/pages/held_out_walls``, by which no rule was
written or chosen.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

from scrapy_web2text import Extractor
from scrapy_web2text.evaluation.corpora import open_corpus
from scrapy_web2text.verdicts.kinds import PAGE_KINDS, TEXTLESS_KINDS

PAGES = Path(__file__).parent.parent / "tests" / "pages"
WALLS = (PAGES / "walls", PAGES / "held_out_walls")
READINGS = Path("readings", "readings.jsonl")
CORPORA = (
    *("wcxb", "cleaneval", "articles", "more/cleanportaleval", "more/magic_html_forum", "more/magic_html_article"),
    *("more/docs_builders", "more/forum_archives", "more/misinfo_crawler", "more/utomo720", "more/wwwxmu_zh_news"),
    *("more/daniel5", "seeds/google_trends", "seeds/l3s_gn1", "seeds/dragnet1381"),
)
SITES = ("unlabelled/formasaurus", "unlabelled/autopager", "unlabelled/product_benchmark")
FORMS = {
    "login": r"log-?_?in|sign-?_?in|logon|auth|anmeld|connexion|entrar|acceso|iniciar|wp-admin",
    "register": r"regist|sign-?_?up|join|create.?account|subscribe|newuser|/account",
    "password": r"password|passwd|lost|forgot|remind|recover|reset",
    "search": r"search|such|busca",
    "contact": r"contact|kontakt|contato|feedback",
    "home": r"^/?$",
}


def read_sites(data: Path, corpus: str) -> Iterator[tuple[str, str, bytes]]:
    """Yield the id, the address and the body of each page of a corpus without clean texts."""
    folder = data / corpus
    for line in (folder / "meta.jsonl").read_bytes().splitlines():
        entry = json.loads(line)
        path = folder / "html" / f"{entry['id']}.html"
        if path.exists():
            yield entry["id"], entry["url"], path.read_bytes()


def find_form(url: str) -> str:
    """Return what a page is by its address."""
    parts = urlsplit(url)
    address = f"{parts.path}?{parts.query}".rstrip("?").lower()
    return next((form for form, pattern in FORMS.items() if re.search(pattern, address)), "other")


def read_contents(data: Path) -> dict[tuple[str, str], bool]:
    """Return whether a page has content, for each page that was read block by block."""
    entries = map(json.loads, (data / READINGS).read_bytes().splitlines())
    return {(entry["corpus"], str(entry["id"])): bool(entry["content"]) for entry in entries}


def print_row(*cells: object) -> None:
    """Print a row of a table."""
    print("| " + " | ".join(map(str, cells)) + " |")


def format_counts(counts: Counter[str | None]) -> str:
    """Return the kinds with their counts, the most frequent first."""
    return ", ".join(f"{kind} {n}" for kind, n in counts.most_common())


def measure_corpora(extractor: Extractor, data: Path, corpora: list[str]) -> None:
    """Print how many pages with content lose their text, and the kinds of the pages without content."""
    contents = read_contents(data)
    lost, without = [], Counter[str | None]()
    print_row("corpus", "pages with content", "lose their text", "per 1,000")
    print_row(*4 * ("---",))
    total = 0
    for corpus in corpora:
        kinds: Counter[str | None] = Counter()
        pages = (
            ((page_id, body, None) for page_id, _, body in read_sites(data, corpus))
            if corpus in SITES
            else ((page.id, page.html, page.text) for page in open_corpus(corpus, data).pages())
        )
        for page_id, html, text in pages:
            has_content = contents.get((corpus, page_id), None if text is None else bool(text.strip()))
            if has_content is None:
                continue
            answer = extractor.extract(html)
            if not has_content:
                without[answer.page_kind] += 1
                continue
            kinds[answer.page_kind] += 1
            if answer.page_kind in TEXTLESS_KINDS:
                lost.append(f"{corpus} {page_id}: {answer.page_kind}, {answer.title!r}")
        n_lost, n = sum(kinds[kind] for kind in TEXTLESS_KINDS), kinds.total()
        total += n
        if n:
            print_row(corpus, f"{n:,}", n_lost, f"{1000 * n_lost / n:.1f}")
    print_row("all", f"{total:,}", len(lost), f"{1000 * len(lost) / max(1, total):.1f}")
    print(f"\nPages without content: {format_counts(without)}\n")
    print("\n".join(lost), "\n")


def measure_forms(extractor: Extractor, data: Path) -> None:
    """Print the kinds of forms of sites."""
    kinds: defaultdict[str, Counter[str | None]] = defaultdict(Counter)
    empty: Counter[str] = Counter()
    for _, url, body in read_sites(data, "unlabelled/formasaurus"):
        answer = extractor.extract(body)
        kinds[find_form(url)][answer.page_kind] += 1
        empty[find_form(url)] += not answer.text
    print_row("by its address", "pages", "without text", "kinds")
    print_row(*4 * ("---",))
    for form in (*FORMS, "other"):
        print_row(form, kinds[form].total(), empty[form], format_counts(kinds[form]))
    print()


def measure_walls(extractor: Extractor, folder: Path) -> None:
    """Print recall and precision of each kind on the handwritten pages in *folder*."""
    found: defaultdict[str, Counter[str | None]] = defaultdict(Counter)
    for entry in json.loads((folder / "index.json").read_text(encoding="utf-8")):
        answer = extractor.extract((folder / entry["file"]).read_bytes())
        found[entry["kind"]][answer.page_kind] += 1
    print(f"\n{folder.name}\n")
    print_row("kind", "pages", "recall", "false alarms", "taken for")
    print_row(*5 * ("---",))
    for kind in PAGE_KINDS:
        n, n_right = found[kind].total(), found[kind][kind]
        n_false = sum(counts[kind] for other, counts in found.items() if other != kind)
        others = Counter({other: n for other, n in found[kind].items() if other != kind})
        print_row(kind, n, f"{n_right / max(1, n):.2f}", n_false, format_counts(others))


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="folder with the corpora; without it, only the handwritten pages")
    parser.add_argument("--corpora", nargs="*", default=[*CORPORA, *SITES[1:]], metavar="NAME", help="%(default)s")
    parser.add_argument("--model", default=Extractor().options.model, help="%(default)s")
    args = parser.parse_args()
    extractor = Extractor(model=args.model, blocks="none")
    if args.data is not None:
        measure_corpora(extractor, args.data, args.corpora)
        measure_forms(extractor, args.data)
    for folder in WALLS:
        measure_walls(extractor, folder)


if __name__ == "__main__":
    main()
