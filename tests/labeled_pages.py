"""A tiny corpus for the tests of training, and files of labels."""

from __future__ import annotations

import lzma
from collections.abc import Iterable
from pathlib import Path

from scrapy_web2text.labels.files import PageLabels, write_line

TINY_SPLITS = {"web2text": {"train": list(range(9)), "val": [9, 10, 11]}}
_LINE = "It was on the {} day of our journey that the river, which we had followed so far, left its valley. "


def write_tiny_corpus(folder: Path) -> None:
    """Write the pages of `TINY_SPLITS`, each a story between links and an imprint."""
    for name in ("html", "text"):
        (folder / name).mkdir(parents=True)
    for number in range(12):
        story = [_LINE.format(f"{number}{i}th") * (1 + i % 3) for i in range(8)]
        links = "".join(f"<li><a href=/{i}>Link {i}</a>" for i in range(5 + number))
        html = f"<body><ul>{links}</ul>{''.join(f'<p>{line}</p>' for line in story)}<p>Imprint</p>"
        (folder / "html" / f"{number}.html").write_text(html, encoding="utf-8")
        (folder / "text" / f"{number}.txt").write_text("\n".join(story), encoding="utf-8")


def write_labels(path: Path, labels: Iterable[PageLabels]) -> None:
    """Write *labels* to a file, compressed if its name ends in ``.xz``."""
    data = "".join(f"{write_line(each)}\n" for each in labels).encode()
    path.write_bytes(lzma.compress(data) if path.suffix == ".xz" else data)
