"""Compare the answers of two versions of the package, form by form; a refactoring must not change any.

    python benchmarks/answers.py write --data DIR --out before.jsonl    # in one checkout
    python benchmarks/answers.py write --data DIR --out after.jsonl     # in another
    python benchmarks/answers.py compare before.jsonl after.jsonl

``write`` extracts the handwritten pages of ``tests/pages`` and a fixed sample of the corpora with several models, and
stores a digest of every form of each answer. It uses only the public API, so that old checkouts can run it too.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import random
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import get_type_hints

from scrapy_web2text import Extraction, Extractor
from scrapy_web2text.answer import sequence

PAGES = Path(__file__).parent.parent / "tests" / "pages"
MODELS = ("web2text-2026", "web2text-2018", "shallow", "bte")
# Corpus -> pattern of its pages under the data folder, and its share of the sample.
CORPORA = {
    "wcxb": ("wcxb/dev/html/*.html.gz", 0.6),
    "cleaneval": ("cleaneval/orig/*.html", 0.2),
    "articles": ("articles/html/*.html", 0.2),
}
FORMS = ("text", *sequence.FORMS, "paragraphs", "metadata", "blocks", "summary")


def sample_pages(data: Path | None, n_pages: int) -> Iterator[tuple[str, bytes]]:
    """Yield the name and the bytes of each page: the handwritten ones, then *n_pages* of the corpora under *data*."""
    for path in sorted(PAGES.glob("*.html")):
        yield f"tests/{path.name}", path.read_bytes()
    if data is None:
        return
    for corpus, (pattern, share) in CORPORA.items():
        found = sorted(data.glob(pattern))
        sample = random.Random(0).sample(found, min(round(share * n_pages), len(found)))  # the same each time
        for path in sorted(sample):
            body = path.read_bytes()
            yield f"{corpus}/{path.name}", gzip.decompress(body) if path.suffix == ".gz" else body


def to_plain(answer: Extraction, form: str) -> object:
    """Return a form of *answer* as plain data: complete, and with all digits, which the package itself rounds."""
    if form in ("blocks", "paragraphs"):
        parts = getattr(answer, form)
        names = [*get_type_hints(type(parts[0]))] if parts else []  # of a record, or of a dataclass in old checkouts
        return [{name: getattr(part, name) for name in names} for part in parts]
    return answer.summary | {"confidence": answer.confidence} if form == "summary" else answer.field(form)


def digest(value: object) -> str:
    """Return a digest of plain data; floats count with all their digits."""
    return hashlib.sha256(json.dumps(value, ensure_ascii=True, sort_keys=True).encode()).hexdigest()[:16]


def write(out: Path, data: Path | None, n_pages: int) -> None:
    """Write one JSON line of digests for each page and model."""
    asked = dict.fromkeys((*sequence.FORMS, "paragraphs", "metadata"), True)
    extractors = [Extractor(model=model, **asked) for model in MODELS]
    with out.open("w", encoding="utf-8") as file:
        for name, body in sample_pages(data, n_pages):
            for model, extractor in zip(MODELS, extractors, strict=True):
                answer = extractor.extract(body, "https://example.com/a/page.html")
                digests = {form: digest(to_plain(answer, form)) for form in FORMS}
                file.write(json.dumps({"page": name, "model": model, "forms": digests}) + "\n")


def compare(before: Path, after: Path) -> int:
    """Print how many answers are equal in each form, and the pages where one is not; return the exit status."""
    old, new = (
        {(line["page"], line["model"]): line["forms"] for line in map(json.loads, path.read_text("utf-8").splitlines())}
        for path in (before, after)
    )
    if old.keys() != new.keys():
        print(f"Expected files of the same pages and models, got {len(old)} and {len(new)} answers")
        return 1
    equal: Counter[str] = Counter()
    for key, forms in old.items():
        different = [form for form in FORMS if forms[form] != new[key][form]]
        equal.update(form for form in FORMS if form not in different)
        if different:
            print(f"{' '.join(key)}: {', '.join(different)}")
    for form in FORMS:
        print(f"{form:12} {equal[form]} of {len(old)} answers equal")
    return 0 if all(equal[form] == len(old) for form in FORMS) else 1


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    writing = commands.add_parser("write")
    writing.add_argument("--data", type=Path, help="folder of the unpacked corpora; default: only tests/pages")
    writing.add_argument("--pages", type=int, default=300, help="pages of the corpora (%(default)s)")
    writing.add_argument("--out", type=Path, required=True)
    comparing = commands.add_parser("compare")
    comparing.add_argument("before", type=Path)
    comparing.add_argument("after", type=Path)
    args = parser.parse_args()
    if args.command == "compare":
        return compare(args.before, args.after)
    write(args.out, args.data, args.pages)
    return 0


if __name__ == "__main__":
    sys.exit(main())
