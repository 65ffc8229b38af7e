"""Blocks that the data of a page state to be content: the ingredients and steps of recipes, and answered questions.

Search engines show these parts of JSON-LD, which publishers keep equal to what their readers see.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Final

import numpy as np

from scrapy_web2text.common.arrays import BoolArray
from scrapy_web2text.common.budget import watched
from scrapy_web2text.metadata.structured_data import is_json_ld, read_json_scripts, walk_json
from scrapy_web2text.metadata.title import fold_title
from scrapy_web2text.page.arrays import Page
from scrapy_web2text.page.blocks import BlockSequence, block_texts
from scrapy_web2text.page.invisible import replace_references

_KEYS: Final = frozenset({"recipeIngredient", "recipeInstructions", "acceptedAnswer"})
_PARTS: Final = _KEYS | {"", "itemListElement", "name", "text"}  # the keys of texts in such a value
_TAG: Final = re.compile(r"<[^<>]{0,1000}>")
_LEAST_PART: Final = 20  # letters of a block that is a part of a stated text
_MOST_BLOCKS: Final = 4  # side by side that are one stated text, such as an amount, its unit and an ingredient
# Bounds for hostile pages.
_MOST_VALUES: Final = 500
_MOST_STEPS: Final = 500  # in each value
_LONGEST_TEXT: Final = 5_000  # characters
_MOST_LETTERS: Final = 30_000  # of all texts


def find_stated(page: Page, blocks: BlockSequence) -> BoolArray:
    """Return which blocks have a text that the page states to be content. *Shape:* ``(n,)``"""
    is_stated = np.zeros(blocks.n_blocks, dtype=bool)
    scripts = [each for each in watched(page.document_landmarks.scripts) if is_json_ld(each)]
    if not any(key in (script.text or "") for script in scripts for key in _KEYS):  # as on most pages
        return is_stated
    texts = dict.fromkeys(_list_texts(page))  # in their order, so that the same texts fit in each run
    whole = "\0".join(texts)[:_MOST_LETTERS]
    folded_blocks = [*map(fold_title, watched(block_texts(page, blocks)))]
    for i, folded in enumerate(watched(folded_blocks)):
        is_stated[i] |= len(folded) >= _LEAST_PART and folded in whole
        joined = ""
        for end in range(i, min(i + _MOST_BLOCKS, blocks.n_blocks)):
            joined += folded_blocks[end]
            if joined in texts:
                is_stated[i : end + 1] = True
    return is_stated


def _list_texts(page: Page) -> Iterator[str]:
    """Yield the letters of the texts of recipes and answers, and of the names of answered questions."""
    values = (
        value if key in _KEYS else value.get("name")
        for document in read_json_scripts(page.document_root)
        for key, value in walk_json(document)
        if key in _KEYS or (isinstance(value, dict) and "acceptedAnswer" in value)
    )
    for value in islice(values, _MOST_VALUES):
        for key, part in islice(walk_json(value), _MOST_STEPS):
            if isinstance(part, str) and key in _PARTS:
                letters = fold_title(_TAG.sub(" ", replace_references(part[:_LONGEST_TEXT])))
                if letters:
                    yield letters
