"""The pages in docs/, read as Markdown: their tables, code blocks and settings."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass

from markdown_it import MarkdownIt
from places import DOCS

_CODE = re.compile(r"`([^`]+)`")


@dataclass(frozen=True)
class CodeBlock:
    """A fenced code block.

    :param line: where it begins in its page.
    """

    page: str
    line: int
    language: str
    text: str

    @property
    def id(self) -> str:
        """A name for pytest, and for who looks for the block."""
        return f"{self.page}:{self.line}"


def read_page(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


def code_blocks(*languages: str, pages: tuple[str, ...] = ()) -> list[CodeBlock]:
    """Return the code blocks in some languages, of some pages or of all."""
    names = pages or tuple(sorted(path.name for path in DOCS.glob("*.md")))
    return [
        CodeBlock(name, token.map[0] + 1, token.info, token.content)
        for name in names
        for token in MarkdownIt().parse(read_page(name))
        if token.type == "fence" and token.info in languages
    ]


def section(page: str, heading: str) -> str:
    """Return the text below a heading, up to the next one of its own level or above."""
    tokens = MarkdownIt().parse(read_page(page))
    lines = read_page(page).splitlines(keepends=True)
    starts = [i for i, token in enumerate(tokens) if token.type == "heading_open"]
    headings = [(tokens[i].map[0], tokens[i].tag, tokens[i + 1].content) for i in starts]
    ((start, level),) = [(line, tag) for line, tag, title in headings if title == heading]
    ends = [line for line, tag, _ in headings if line > start and tag <= level]
    return "".join(lines[start + 1 : min(ends, default=len(lines))])


def first_column(text: str) -> list[str]:
    """Return the first code in the first cell of each row of the tables in *text*, without their heads."""
    cells = re.findall(r"^\|\s*`([^`]+)`[^|]*\|.*$(?!\n\|\s*-)", text, re.MULTILINE)
    assert cells
    return cells


@dataclass(frozen=True)
class SettingEntry:
    """What the reference says of a setting: the line with its values, and the default behind it."""

    values: list[str]
    default: str


def setting_entries(text: str) -> dict[str, SettingEntry]:
    """Return the entries of settings in *text* by name."""
    entries = {}
    for name, line in re.findall(r"^#+ (WEB2TEXT_\w+)\n\n(.*)$", text, re.MULTILINE):
        values, separator, default = line.partition(" Default: ")
        assert separator, f"{name}: expected 'Default: …' in {line!r}"
        assert name not in entries, f"{name} is there twice"
        entries[name] = SettingEntry(_CODE.findall(values), default.strip("`"))
    return entries


def is_settings(code: str) -> bool:
    """Return whether *code* is a piece of settings.py: nothing but assignments to names in capitals."""
    statements = ast.parse(code).body
    return bool(statements) and all(
        isinstance(statement, ast.Assign) and all(isinstance(t, ast.Name) and t.id.isupper() for t in statement.targets)
        for statement in statements
    )
