"""Lay out the pages of public repositories that were read, as corpora; their licenses are in each repository.

    python benchmarks/repositories.py --data DIR

Each repository is cloned, and the files that ``models/readings/repositories.jsonl.xz`` lists are written to
``DIR/<corpus>/html``. This takes git and a network.
"""

from __future__ import annotations

import argparse
import json
import lzma
import subprocess
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import Final

FILES: Final = Path(__file__).parent.parent / "models" / "readings" / "repositories.jsonl.xz"
HOST: Final = "https://github.com"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="the folder of the corpora")
    parser.add_argument("--host", default=HOST, help="what precedes the names of repositories (%(default)s)")
    args = parser.parse_args()
    by_repository = defaultdict[str, list[dict[str, str]]](list)
    for line in lzma.decompress(FILES.read_bytes()).decode().splitlines():
        page = json.loads(line)
        by_repository[page["repository"]].append(page)
    urls = defaultdict[str, list[str]](list)
    for repository, pages in by_repository.items():
        with tempfile.TemporaryDirectory() as clone:
            subprocess.run(["git", "clone", "--quiet", "--no-checkout", f"{args.host}/{repository}", clone], check=True)
            for page in pages:
                write_page(page, Path(clone), args.data / page["corpus"])
                urls[page["corpus"]].append(json.dumps({"id": page["id"], "url": page["url"]}) + "\n")
        print(f"{repository}: {len(pages)} pages", flush=True)
    for corpus, lines in urls.items():
        (args.data / corpus / "meta.jsonl").write_text("".join(lines), encoding="utf-8")


def write_page(page: dict[str, str], clone: Path, folder: Path) -> None:
    """Write one page into the *folder* of its corpus."""
    command = ["git", "-C", str(clone), "show", f"{page['commit']}:{page['path']}"]
    body = subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout
    if page["path"].endswith(".response"):  # with its headers
        body = body.replace(b"\r\n", b"\n").partition(b"\n\n")[2]
    (folder / "html").mkdir(parents=True, exist_ok=True)
    (folder / "html" / f"{page['id']}.html").write_bytes(body)


if __name__ == "__main__":
    main()
