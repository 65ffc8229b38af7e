"""What is done with whole files of labels: they are checked against their pages, and merged."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from scrapy_web2text.exceptions import PageError
from scrapy_web2text.labels.files import PageLabels, read_lines, write_labels
from scrapy_web2text.labels.fit import fit_labels
from scrapy_web2text.labels.pages import read_blocks
from scrapy_web2text.page.files import read_whole_page


def read_labeled_page(labels: PageLabels, folder: Path) -> bytes:
    """Return the page that *labels* labels, whose file is relative to *folder*.

    :raises ValueError: if it cannot be read; the message says why.
    """
    if labels.file is None:
        raise ValueError("no file is named")
    if labels.record is not None:
        raise ValueError("the page is in a WARC file, which is not read")
    return read_whole_page(folder / labels.file)


def find_problem(labels: PageLabels, folder: Path) -> str:
    """Return what does not fit between labels and their page in *folder*; an empty string if all does."""
    try:
        found = read_blocks(read_labeled_page(labels, folder))
        fit = fit_labels(labels, found.texts, found.paths)
    except (ValueError, PageError) as error:
        return str(error)
    if fit.is_complete:
        return ""
    if len(fit.lost) == labels.n_blocks:
        return "another page: none of its blocks was labeled"
    n_blocks = len(found.texts)
    return f"{fit.n_unknown} of {n_blocks} blocks have no label; {len(fit.lost)} labeled ones are no longer there"


@dataclass(frozen=True, slots=True)
class MergedFiles:
    """What merged files of labels held.

    :param n_pages: number of labeled pages.
    :param n_both: number of labels beyond the first of each page.
    :param n_different: how many of these were not as the ones before.
    """

    n_pages: int
    n_both: int
    n_different: int


def merge_files(paths: Sequence[Path], out: Path) -> MergedFiles:
    """Write one file with the labels of several; of two labels of a page, it has the more certain or later ones.

    :raises OSError: if a file cannot be read or written.
    :raises ValueError: if a file has other lines than labels.
    """
    merged: dict[tuple[str, str], PageLabels] = {}
    n_both = n_different = 0
    for path in paths:
        for labels, _ in read_lines(path):
            moved = _move(labels, path.parent, out.parent)
            key = labels.corpus, labels.id
            before = merged.get(key)
            if before is not None:
                n_both += 1
                n_different += (before.hashes, before.content) != (moved.hashes, moved.content)
            if before is None or moved.certainty >= before.certainty:
                merged[key] = moved
    write_labels(out, merged.values())
    return MergedFiles(len(merged), n_both, n_different)


def _move(labels: PageLabels, before: Path, after: Path) -> PageLabels:
    """Return *labels* with its file relative to the folder *after* in place of the folder *before*."""
    if labels.file is None or before.resolve() == after.resolve():
        return labels
    return replace(labels, file=Path(os.path.relpath(before / labels.file, after)).as_posix())
