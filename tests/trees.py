"""Trees that a compiled module and its twin must read alike: those of the handwritten pages and of hostile ones."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest
from families import FAMILIES
from lxml import etree
from places import PAGES

from scrapy_web2text.page.parse import parse, to_tree

_N_BYTES = 5_000


def _read(path: Path) -> etree._Element:
    return to_tree(path.read_bytes())


def _write(name: str) -> etree._Element:
    return parse(FAMILIES[name].write(_N_BYTES))[0]


every_tree = pytest.mark.parametrize(
    "make_tree",
    [
        *(pytest.param(partial(_read, path), id=path.stem) for path in PAGES),
        *(pytest.param(partial(_write, name), id=name) for name in sorted({*FAMILIES} - {"control"})),  # not a page
    ],
)
