"""Extract pages of the corpora in other spellings of the same document, and compare the texts.

    python -m benchmarks.spellings --data DIR --pages 300

A browser shows the same for each spelling: without the tags of html, head and body that have no attributes, with tags
in upper case, with other quotes, without whitespace between blocks, and as html5lib writes its own tree. The attributes
of html and body are evidence for the model, so texts without them may differ.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Final

import html5lib

from benchmarks.answers import sample_pages
from scrapy_web2text import Extractor
from scrapy_web2text.page.encoding import read_page

# What contains text that is no markup.
_RAW: Final = re.compile(
    r"(<(script|style|textarea|title|noscript|xmp|iframe)\b.*?</\2\s*>|<!--.*?-->)", re.IGNORECASE | re.DOTALL
)
_TAG: Final = re.compile(r"</?[a-zA-Z][^\s/>]*")
_OUTER_TAG: Final = re.compile(r"<(?:html|head|body)\s*>|</(?:html|head|body)\s*>", re.IGNORECASE)
_BLOCK: Final = r"</?(?:article|aside|div|footer|h[1-6]|header|li|main|nav|ol|p|section|table|tbody|td|tr|ul)\b[^>]*>"


def _outside_of_raw(change: Callable[[str], str]) -> Callable[[str], str]:
    """Return a function that applies *change* to a page outside of scripts, comments and the like."""

    def apply(html: str) -> str:
        parts = _RAW.split(html)  # text, raw element, its name, text, ...
        return "".join(change(part) if i % 3 == 0 else part for i, part in enumerate(parts) if i % 3 != 2 and part)

    return apply


def _drop_outer_tags(html: str) -> str:
    return _OUTER_TAG.sub("", html)


def _drop_outer_attributes(html: str) -> str:
    return re.sub(r"<(html|body)\s[^>]*>", r"<\1>", html, flags=re.IGNORECASE)


def _write_upper_case(html: str) -> str:
    return _TAG.sub(lambda tag: tag[0].upper(), html)


def _write_single_quotes(html: str) -> str:
    return re.sub(r"""(\s[\w-]+)="([^"'<>]*)"(?=[\s/>])""", r"\1='\2'", html)


def _drop_whitespace(html: str) -> str:
    return re.sub(rf"({_BLOCK})\s+(?={_BLOCK})", r"\1", html)


def _write_by_html5lib(html: str) -> str:
    tree = html5lib.parse(html)
    return str(html5lib.serialize(tree, omit_optional_tags=False, quote_attr_values="always"))


SPELLINGS: Final = {
    "outer tags": _outside_of_raw(_drop_outer_tags),
    "outer attributes": _outside_of_raw(_drop_outer_attributes),
    "upper case": _outside_of_raw(_write_upper_case),
    "quotes": _outside_of_raw(_write_single_quotes),
    "whitespace": _outside_of_raw(_drop_whitespace),
    "html5lib": _write_by_html5lib,
}


def main() -> None:
    """Print each page whose text differs by a spelling, and how many are equal."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder of the unpacked corpora")
    parser.add_argument("--pages", type=int, default=300, help="pages of the corpora (%(default)s)")
    args = parser.parse_args()
    extractor = Extractor()
    equal: Counter[str] = Counter()
    n_pages = 0
    for name, body in sample_pages(args.data, args.pages):
        html = read_page(body, None).page.decode("utf-8", "replace")
        expected = extractor.extract(html).text.split()
        n_pages += 1
        for spelling, write in SPELLINGS.items():
            found = extractor.extract(write(html)).text.split()
            equal[spelling] += found == expected
            if found != expected:
                shared = sum((Counter(found) & Counter(expected)).values())
                print(f"{name}, {spelling}: {len(expected)} words, {len(found)} found, {shared} of them the same")
    for spelling in SPELLINGS:
        print(f"{spelling:18} {equal[spelling]} of {n_pages} texts equal")


if __name__ == "__main__":
    main()
