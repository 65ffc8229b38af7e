"""Print the size of each room of the package, in statements, and of the folders beside the package.

    python benchmarks/size.py

Imports and docstrings do not count, and lines of Cython are counted apart. A second table has the density, which shows
whether statements were saved by longer ones; then come the modules and functions above the limits of the house.
"""

from __future__ import annotations

import ast
import io
import tokenize
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]
PACKAGE: Final = ROOT / "scrapy_web2text"
BESIDE: Final = ("research", "benchmarks", "example_project")
MAX_MODULE: Final = 150
MAX_FUNCTION: Final = 25

_TOKENS: Final = {tokenize.NAME, tokenize.NUMBER, tokenize.STRING, tokenize.OP}
# From Python 3.12 on, an f-string is several tokens.
_F_STRING_START: Final = getattr(tokenize, "FSTRING_START", None)
_F_STRING_END: Final = getattr(tokenize, "FSTRING_END", None)


@dataclass(frozen=True, slots=True)
class Size:
    """The size of a Python file.

    :param statements: without imports and docstrings.
    :param nodes: nodes of the syntax tree.
    :param tokens: names, numbers, strings and operators; an f-string is one token.
    :param functions: statements of each function that has more than 25, without its first line, by qualified name.
    """

    statements: int
    nodes: int
    tokens: int
    functions: dict[str, int]


def measure(source: str) -> Size:
    """Return the size of the Python code *source*."""
    tree = ast.parse(source)
    nodes = sum(1 for _ in ast.walk(tree))
    long = {name: size for name, size in _measure_functions(tree, "") if size > MAX_FUNCTION}
    return Size(_count_statements(tree), nodes, _count_tokens(source), long)


def _count_statements(tree: ast.AST) -> int:
    return sum(isinstance(node, ast.stmt) and not _is_free(node) for node in ast.walk(tree))


def _is_free(statement: ast.stmt) -> bool:
    """Return whether a statement is an import or a docstring."""
    if isinstance(statement, ast.Expr):
        return isinstance(statement.value, ast.Constant) and isinstance(statement.value.value, str)
    return isinstance(statement, ast.Import | ast.ImportFrom)


def _measure_functions(node: ast.AST, prefix: str) -> Iterator[tuple[str, int]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            name = prefix + child.name
            if not isinstance(child, ast.ClassDef):
                yield name, _count_statements(child) - 1
            yield from _measure_functions(child, f"{name}.")
        else:
            yield from _measure_functions(child, prefix)


def _count_tokens(source: str) -> int:
    total = depth = 0
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == _F_STRING_START:
            total += not depth
            depth += 1
        elif token.type == _F_STRING_END:
            depth -= 1
        elif not depth:
            total += token.type in _TOKENS
    return total


def count_cython(source: str) -> int:
    """Return the lines of code of the Cython code *source*, without blank lines, comments and docstrings."""
    n_lines, in_docstring = 0, False
    for line in map(str.strip, source.splitlines()):
        n_quotes = line.count('"""')
        if in_docstring or line.startswith('"""'):
            in_docstring ^= n_quotes == 1
        elif line and not line.startswith("#"):
            n_lines += 1
    return n_lines


def measure_files(folder: Path) -> dict[str, Size]:
    """Return the sizes of the Python files in *folder* by their paths there, tests aside."""
    paths = {path.relative_to(folder).as_posix(): path for path in sorted(folder.rglob("*.py"))}
    return {name: measure(path.read_text(encoding="utf-8")) for name, path in paths.items() if "tests/" not in name}


def measure_cython() -> dict[str, int]:
    """Return the lines of code of the Cython files of the package by their paths there."""
    paths = [*PACKAGE.rglob("*.pyx"), *PACKAGE.rglob("*.pxi")]
    return {path.relative_to(PACKAGE).as_posix(): count_cython(path.read_text(encoding="utf-8")) for path in paths}


def total_statements(sizes: Iterable[Size]) -> int:
    """Return the sum of statements."""
    return sum(size.statements for size in sizes)


def sum_rooms(sizes: dict[str, Size]) -> Counter[str]:
    """Return the statements of each room; *sizes* are those of the files of the package."""
    rooms: Counter[str] = Counter()
    for name, size in sizes.items():
        rooms[name.partition("/")[0].removesuffix(".py")] += size.statements
    return rooms


def main() -> None:
    package = measure_files(PACKAGE)
    statements = total_statements(package.values())
    print("| room | statements |\n|---|---:|")
    for room, size in sorted(sum_rooms(package).items()):
        print(f"| {room} | {size:,} |")
    print(f"| all | {statements:,} |")
    for folder in BESIDE:
        print(f"| {folder}/ | {total_statements(measure_files(ROOT / folder).values()):,} |")
    nodes = sum(size.nodes for size in package.values())
    tokens = sum(size.tokens for size in package.values())
    print("\n| density of the package | |\n|---|---:|")
    print(f"| modules | {len(package)} |")
    print(f"| nodes of the syntax trees | {nodes:,} |")
    print(f"| tokens for each statement | {tokens / statements:.2f} |")
    print(f"| lines of Cython | {sum(measure_cython().values()):,} |")
    print(f"\n| above {MAX_MODULE} or {MAX_FUNCTION} | statements |\n|---|---:|")
    for name, measured in package.items():
        if measured.statements > MAX_MODULE:
            print(f"| {name} | {measured.statements} |")
        for function, size in measured.functions.items():
            print(f"| {name} {function} | {size} |")


if __name__ == "__main__":
    main()
