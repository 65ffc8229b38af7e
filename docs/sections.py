"""The sections of the pages, for the search: read from their Markdown, so that the search can be tested without Sphinx.

``conf.py`` writes them as a script beside the built pages, where ``_static/search.js`` ranks them. A script can also be
loaded by a page that was opened from the disk.
"""

import json
import re
from collections import Counter
from pathlib import Path

DOCS = Path(__file__).parent
TOCTREE = r"```\{toctree\}\n((?::[^\n]*\n)*)\n?(.*?)```"
FENCE = r"(?ms)^( *)(`{3,})[^\n]*\n(.*?)^\1\2$"


def write_sections(file):
    """Write the sections of all pages as a script that sets the variable ``SECTIONS``."""
    file.write_text(f"const SECTIONS = {json.dumps(list_sections(), ensure_ascii=False)};\n", encoding="utf-8")


def list_sections():
    """Return a record for each section: the name and the title of its page, its heading, anchor, prose and code."""
    return [section for name in list_pages("index") for section in read_sections(name)]


def list_pages(name):
    """Return the names of the pages in the navigation below a page, and its own first."""
    names = [name]
    for _, entries in re.findall(TOCTREE, (DOCS / f"{name}.md").read_text("utf-8"), re.DOTALL):
        for entry in entries.splitlines():
            if entry and "<" not in entry:  # a link to another site
                names += list_pages((Path(name).parent / entry).as_posix())
    return names


def read_sections(name):
    """Return the sections of a page, or of the file that it includes."""
    file = DOCS / f"{name}.md"
    text = file.read_text("utf-8")
    if included := re.match(r"```\{include\} (\S+)", text):
        text = (file.parent / included[1]).read_text("utf-8")
    text = re.sub(TOCTREE, "", text, flags=re.DOTALL)
    # A heading is a line of its own outside of code.
    codes = []
    text = re.sub(FENCE, lambda found: codes.append(found[3]) or f"\n\0{len(codes) - 1}\0\n", text)
    _, *parts = re.split(r"(?m)^#{1,4} (.+)$", text)
    headings = [clean(heading) for heading in parts[::2]]
    repeated = {anchor for anchor, n in Counter(map(to_anchor, headings)).items() if n > 1}
    sections = []
    for heading, body in zip(headings, parts[1::2], strict=True):
        anchor = to_anchor(heading) if sections else ""
        code = " ".join(codes[int(i)] for i in re.findall("\0(\\d+)\0", body))
        sections.append(
            {
                "page": name,
                "title": headings[0],
                "heading": heading,
                "anchor": "" if anchor in repeated else anchor,
                "text": clean(re.sub("\0\\d+\0", "", body)),
                "code": " ".join(code.split()),
            }
        )
    return sections


def clean(text):
    """Return Markdown as plain text."""
    text = re.sub(r"!\[[^\]]*\]\([^)]*\)", "", text)  # images
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)  # links
    text = re.sub(r"(?m)^\|[-:| ]+\|$|^:::.*$|</?\w+[^>]*>|\{kbd\}", " ", text)
    return " ".join(re.sub(r"[`|*]+|(?m:^[-:] )", " ", text).split())


def to_anchor(heading):
    """Return the id that docutils gives to a section."""
    return re.sub(r"^[\d-]+|-+$", "", re.sub("[^a-z0-9]+", "-", heading.lower()))
