"""Readers for the pages in docs/: code blocks, sections, tables and settings."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.token import Token
from places import DOCS

_CODE = re.compile(r"`([^`]+)`")


@dataclass(frozen=True)
class CodeBlock:
    """A fenced code block.

    :param line: its first line in the page.
    """

    page: str
    line: int
    language: str
    text: str

    @property
    def id(self) -> str:
        """The place of the block, as its name in pytest."""
        return f"{self.page}:{self.line}"


def read_page(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


@cache
def parse_page(name: str) -> list[Token]:
    return MarkdownIt().parse(read_page(name))


def code_blocks(*languages: str, pages: tuple[str, ...] = ()) -> list[CodeBlock]:
    """Return the code blocks in *languages*, of some pages or of all."""
    names = pages or tuple(sorted(path.name for path in DOCS.glob("*.md")))
    return [
        CodeBlock(name, token.map[0] + 1, token.info, token.content)
        for name in names
        for token in parse_page(name)
        if token.type == "fence" and token.info in languages
    ]


def section(page: str, heading: str) -> str:
    """Return the text under a heading, up to the next heading of the same or a higher level."""
    tokens = parse_page(page)
    lines = read_page(page).splitlines(keepends=True)
    starts = [i for i, token in enumerate(tokens) if token.type == "heading_open"]
    headings = [(tokens[i].map[0], tokens[i].tag, tokens[i + 1].content) for i in starts]
    ((start, level),) = [(line, tag) for line, tag, title in headings if title == heading]
    ends = [line for line, tag, _ in headings if line > start and tag <= level]
    return "".join(lines[start + 1 : min(ends, default=len(lines))])


def first_column(text: str) -> list[str]:
    """Return the code at the start of each row of the tables in *text*, without header rows."""
    cells = re.findall(r"^\|\s*`([^`]+)`[^|]*\|.*$(?!\n\|\s*-)", text, re.MULTILINE)
    assert cells
    return cells


def is_settings(code: str) -> bool:
    """Return whether *code* is part of a settings.py: only assignments to upper-case names."""
    statements = ast.parse(code).body
    return bool(statements) and all(
        isinstance(statement, ast.Assign) and all(isinstance(t, ast.Name) and t.id.isupper() for t in statement.targets)
        for statement in statements
    )
