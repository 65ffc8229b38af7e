"""Tiny synthetic corpora for tests, in the layouts of the real ones."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

SENTENCE = "The river rose by two metres over the night, and by noon the lower town stood under water, the mayor said."
ARTICLE_TEXT = f"Flood in the valley\n{SENTENCE}"
ARTICLE = f"""<html><head><title>Flood</title></head><body>
<ul><li><a href="/">Home</a></li><li><a href="/w">Weather</a></li>
</ul><h1>Flood in the valley</h1><p>{SENTENCE}</p><p>Imprint</p></body></html>"""
WRAPPER = '<text id="http://valley.example/{}" title="x" encoding="unset">'


def write_cleaneval(data: Path, ids: tuple[int, ...] = (1, 2, 10)) -> Path:
    """Write CleanEval's layout with an article on each page, and a split with its parts; return *data*."""
    orig, clean, splits = data / "cleaneval" / "orig", data / "cleaneval" / "clean", data / "splits"
    for folder in (orig, clean, splits):
        folder.mkdir(parents=True, exist_ok=True)
    for page_id in ids:
        (orig / f"{page_id}.html").write_text(f"{WRAPPER.format(page_id)}\n{ARTICLE}\n</text>", encoding="utf-8")
        text = f"URL: http://valley.example/{page_id}\n\n  <h>Flood in the valley\n\n  <p>{SENTENCE}\n"
        (clean / f"{page_id}.txt").write_text(text, encoding="utf-8")
    split = {"train": list(ids[:1]), "test": list(ids[1:])}
    (splits / "cleaneval.json").write_text(json.dumps({"web2text": split, "original": split}), encoding="utf-8")
    return data


def write_wcxb(data: Path) -> Path:
    """Write WCXB's layout with an article and a shell without content; return *data*."""
    html, truth = data / "wcxb" / "dev" / "html", data / "wcxb" / "dev" / "ground-truth"
    html.mkdir(parents=True)
    truth.mkdir(parents=True)
    shell = {"ground_truth": {"title": "Shell", "main_content": None}}
    article = {
        "url": "http://valley.example/flood",
        "_internal": {"page_type": {"primary": "article"}},
        "ground_truth": {"title": "Flood", "main_content": ARTICLE_TEXT},
    }
    for page_id, page, entry in (("0001", ARTICLE, article), ("0002", "<body><p>Log in</p></body>", shell)):
        (html / f"{page_id}.html.gz").write_bytes(gzip.compress(page.encode()))
        (truth / f"{page_id}.json").write_text(json.dumps(entry), encoding="utf-8")
    (data / "splits").mkdir(exist_ok=True)
    split = {"train": ["0001"], "val": ["0002"]}
    (data / "splits" / "wcxb-dev.json").write_text(json.dumps(split), encoding="utf-8")
    return data


def write_plain(data: Path, name: str, *, with_meta: bool = False) -> Path:
    """Write a folder of pages and texts with one article, whose id contains a dot; return *data*."""
    folder = data / name
    (folder / "html").mkdir(parents=True)
    (folder / "text").mkdir()
    (folder / "html" / "valley.example_1.html").write_text(ARTICLE, encoding="utf-8")
    (folder / "html" / "without-text.html").write_text(ARTICLE, encoding="utf-8")
    (folder / "text" / "valley.example_1.txt").write_text(ARTICLE_TEXT, encoding="utf-8")
    if with_meta:
        entry = {"id": "valley.example_1", "url": "http://valley.example/1", "type": "article"}
        (folder / "meta.jsonl").write_text(json.dumps(entry) + "\n", encoding="utf-8")
    return data
