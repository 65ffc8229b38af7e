"""The recipes of docs/frameworks.md for Dask and Ray run, where these are installed."""

from __future__ import annotations

import gzip
import json

import pytest
from documents import code_blocks
from mockserver import SENTENCE, article
from subprocesses import run_script

pytestmark = pytest.mark.slow
PAGES = [{"html": article(title=f"Page {n}"), "url": f"https://example.com/{n}"} for n in range(8)]


def run_recipe(library: str, folder):
    """Run the code of the recipe as a script in *folder*, whose processes can import it."""
    (block,) = (block for block in code_blocks("python", pages=("frameworks.md",)) if f"import {library}" in block.text)
    lines = "".join(f"    {line}\n" for line in block.text.splitlines())
    run_script(f"def main():\n{lines}\n\nif __name__ == '__main__':\n    main()\n", folder, RAY_USAGE_STATS_ENABLED="0")


def test_the_recipe_for_dask(tmp_path):
    pytest.importorskip("dask.bag", reason="needs dask")
    (tmp_path / "pages").mkdir()
    for name in ("a", "b"):
        lines = "".join(json.dumps(page) + "\n" for page in PAGES[slice(0, 4) if name == "a" else slice(4, 8)])
        (tmp_path / "pages" / f"{name}.jsonl.gz").write_bytes(gzip.compress(lines.encode()))
    run_recipe("dask", tmp_path)
    written = [gzip.decompress(path.read_bytes()) for path in sorted((tmp_path / "clean").iterdir())]
    answers = [json.loads(line) for data in written for line in data.splitlines()]
    assert [answer["url"] for answer in answers] == [page["url"] for page in PAGES]
    assert all(SENTENCE in answer["text"] for answer in answers)


def test_the_recipe_for_ray(tmp_path):
    pytest.importorskip("ray.data", reason="needs ray")
    from pyarrow import Table, parquet

    (tmp_path / "pages").mkdir()
    parquet.write_table(Table.from_pylist(PAGES), tmp_path / "pages" / "a.parquet")
    run_recipe("ray", tmp_path)
    rows = parquet.read_table(tmp_path / "clean").to_pylist()
    assert {row["url"] for row in rows} == {page["url"] for page in PAGES}
    assert all(SENTENCE in row["text"] for row in rows)
