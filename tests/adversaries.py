"""Texts on which a regular expression takes quadratic time, if it can; and the patterns of the package.

Run as a program, it matches each pattern on its adversaries, each within a limit of CPU time. A signal ends the process
at the first pattern that takes too long; the last line of the output names it.
"""

from __future__ import annotations

import ast
import re
import signal
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from re import _compiler as compiler
from re import _constants as codes
from re import _parser as parser
from typing import Any, NamedTuple

import scrapy_web2text

N_CHARACTERS = 40_000
# Seconds of CPU time. Linear matching takes 1 ms, or 40 ms for the slowest pattern; quadratic matching 4 s or more.
LIMIT = 1.0
SEARCHING = ("search", "findall", "split", "sub")
FOLDER = Path(scrapy_web2text.__file__).parent
_UNBOUNDED = 300
_REPEATS = (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT)
_CANDIDATES = "a1 \n_-\"'<>/.,:;A\u00e9\u3042"


class Use(NamedTuple):
    """A pattern of the package, and the methods of it that the code calls."""

    place: str
    pattern: re.Pattern[Any]
    methods: tuple[str, ...]


def list_uses() -> list[Use]:
    """Return all patterns that modules of the package compile, with the methods that they call."""
    return [use for path in sorted(FOLDER.rglob("*.py")) for use in _uses_in(path)]


def list_calls() -> list[tuple[str, str]]:
    """Return the place of each call of a function of `re` other than a `re.compile` of a constant of a module."""
    calls = []
    for path in sorted(FOLDER.rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        compiled = {id(call) for _, call in _compilations(tree)}
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module == "re":
                calls.append((path.relative_to(FOLDER).as_posix(), "import"))
            if _is_call_of_re(node) and id(node) not in compiled:
                calls.append((path.relative_to(FOLDER).as_posix(), node.func.attr))
    return calls


def _is_call_of_re(node: ast.AST) -> bool:
    function = node.func if isinstance(node, ast.Call) else None
    return isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name) and function.value.id == "re"


def _compilations(tree: ast.Module) -> Iterator[tuple[str, ast.Call]]:
    """Yield the name of each constant of a module and each `re.compile` in its value."""
    for statement in tree.body:
        if isinstance(statement, ast.Assign | ast.AnnAssign) and statement.value is not None:
            target = statement.target if isinstance(statement, ast.AnnAssign) else statement.targets[0]
            for node in ast.walk(statement.value):
                if _is_call_of_re(node) and node.func.attr == "compile":
                    yield target.id, node


def _uses_in(path: Path) -> Iterator[Use]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    names = dict.fromkeys(name for name, _ in _compilations(tree))
    if not names:
        return
    module = import_module(".".join(["scrapy_web2text", *path.relative_to(FOLDER).with_suffix("").parts]))
    for name in names:
        value = getattr(module, name)
        methods = _methods_of(tree, name)
        for number, pattern in enumerate(_patterns_in(value)):
            yield Use(f"{path.relative_to(FOLDER).as_posix()}:{name}:{number}", pattern, methods)


def _patterns_in(value: object) -> Iterator[re.Pattern[Any]]:
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, tuple | list):
        for part in value:
            yield from _patterns_in(part)


def _methods_of(tree: ast.Module, name: str) -> tuple[str, ...]:
    """Return the methods of the constant that a module calls; those that search if it is also used otherwise."""
    parents = {id(child): node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
    loads = [
        parents[id(node)]
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load)
    ]
    methods = {parent.attr for parent in loads if isinstance(parent, ast.Attribute)}
    if not loads or not all(isinstance(parent, ast.Attribute) for parent in loads):
        return SEARCHING
    return tuple(sorted(methods))


def adversaries(pattern: re.Pattern[Any], n_characters: int = N_CHARACTERS) -> Iterator[Any]:
    """Yield texts for *pattern*: what each of its repetitions takes, many times, after what comes before it."""
    is_text = isinstance(pattern.pattern, str)
    source = pattern.pattern if is_text else pattern.pattern.decode("latin-1")
    seen = set()
    for before, repeated in _repetitions(parser.parse(source, pattern.flags & ~re.DEBUG)):
        for unit, start in ((repeated, before), (before + repeated, ""), (before, ""), (repeated + " ", before)):
            if not unit:
                continue
            for end in ("", "\x02", "\x02z"):
                text = start + unit * (n_characters // len(unit)) + end
                if text not in seen:
                    seen.add(text)
                    yield text if is_text else text.encode("latin-1", "replace")


def _repetitions(tree: Any) -> Iterator[tuple[str, str]]:
    """Yield an example of the text before each unbounded repetition, and examples of the repeated text."""
    yield from _walk(tree, "")
    for start in (" ", "\n", "a", "1", "<", "a "):
        yield "", start


def _walk(tree: Any, before: str) -> Iterator[tuple[str, str]]:
    for operation, argument in tree:
        if operation in _REPEATS:
            _, most, inner = argument
            if most >= _UNBOUNDED:
                yield from ((before, repeated) for repeated in _examples(inner))
            yield from _walk(inner, before)
        elif operation is codes.BRANCH:
            for choice in argument[1]:
                yield from _walk(choice, before)
        elif operation in (codes.SUBPATTERN, codes.ASSERT, codes.ASSERT_NOT):
            yield from _walk(argument[-1], before)
        elif operation is codes.ATOMIC_GROUP:
            yield from _walk(argument, before)
        before += _parts(operation, argument)[0]


def _examples(tree: Any) -> list[str]:
    """Return some texts that match *tree*, at least one."""
    texts = [""]
    for operation, argument in tree:
        parts = _parts(operation, argument)
        texts = [text + part for text in texts for part in parts][:5]
    return texts


def _parts(operation: Any, argument: Any) -> list[str]:
    if operation is codes.LITERAL:
        return [chr(argument)]
    if operation in (codes.IN, codes.NOT_LITERAL, codes.ANY):
        return _members(operation, argument) or [" "]
    if operation in _REPEATS:
        return [example * max(1, min(argument[0], 5)) for example in _examples(argument[2])]
    if operation is codes.BRANCH:
        return [example for choice in argument[1] for example in _examples(choice)]
    if operation is codes.SUBPATTERN:
        return _examples(argument[3])
    if operation is codes.ATOMIC_GROUP:
        return _examples(argument)
    return [""]  # assertions


def _members(operation: Any, argument: Any) -> list[str]:
    """Return a few different characters of a class."""
    probe = compiler.compile(parser.SubPattern(parser.State(), [(operation, argument)]), re.DOTALL | re.UNICODE)
    literals = [chr(value) for kind, value in argument if kind is codes.LITERAL] if operation is codes.IN else []
    return [sign for sign in dict.fromkeys([*_CANDIDATES, *literals]) if probe.match(sign)][:5]


def run(pattern: re.Pattern[Any], method: str, text: Any) -> None:
    """Call *method*; the process ends if that takes longer than the limit."""
    signal.setitimer(signal.ITIMER_VIRTUAL, LIMIT)
    if method in ("sub", "subn"):
        getattr(pattern, method)(text[:0], text)
    else:
        result = getattr(pattern, method)(text)
        if method == "finditer":
            for _ in result:
                pass
    signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def main() -> None:
    """Match all patterns of the package."""
    for use in list_uses():
        for method in use.methods:
            print(f"{use.place}:{method}", flush=True)  # noqa: T201  its progress
            for text in adversaries(use.pattern):
                run(use.pattern, method, text)
    print("done", flush=True)  # noqa: T201  its progress


if __name__ == "__main__":
    main()
