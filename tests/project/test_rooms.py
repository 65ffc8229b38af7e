"""The budgets of docs/architecture.md: a room that grows past its own is a decision, not an accident."""

from __future__ import annotations

import re

from documents import section
from places import ROOT

PACKAGE = ROOT / "scrapy_web2text"
MOST_LINES, MOST_MODULES, MOST_AT_THE_TOP = 27_000, 240, 18
# What is still past its budget, and the most lines it may have until it is within.
STILL_OVER = {
    "package": 32_560,
    "page": 4_190,
    "content": 3_082,
    "answer": 590,
}


def sources(folder):
    return [path for path in sorted(folder.rglob("*")) if path.suffix in {".py", ".pyx", ".pxi"}]


def count_lines(paths):
    return sum(len(path.read_text(encoding="utf-8").splitlines()) for path in paths)


def files_of(room):
    """Return the files of a room: a folder, or a module at the top."""
    return sources(PACKAGE / room) if (PACKAGE / room).is_dir() else [PACKAGE / f"{room}.py"]


def read_table():
    """Yield the rooms of each row of the table, their lines and their budget."""
    rows = re.findall(r"^\| (`.*?) \| ([\d,]+) \| ([\d,]+) \|", section("architecture.md", "Rooms"), re.MULTILINE)
    assert len(rows) > 15
    for rooms, lines, budget in rows:
        yield re.findall(r"`(\w+)`", rooms), int(lines.replace(",", "")), int(budget.replace(",", ""))


def test_no_room_grows_past_its_budget():
    for rooms, _, budget in read_table():
        lines = count_lines(path for room in rooms for path in files_of(room))
        most = STILL_OVER.get(rooms[0], budget)
        assert lines <= most, f"{', '.join(rooms)}: {lines:,} lines, budget {most:,}"
        assert rooms[0] not in STILL_OVER or lines > budget, f"{rooms[0]} is within its budget"


def test_the_table_says_how_large_the_rooms_are():
    for rooms, documented, _ in read_table():
        lines = count_lines(path for room in rooms for path in files_of(room))
        assert abs(lines - documented) <= max(0.1 * lines, 30), f"{', '.join(rooms)}: {lines:,} lines"


def test_the_package_keeps_its_budget():
    files = sources(PACKAGE)
    assert count_lines(files) <= STILL_OVER.get("package", MOST_LINES)
    assert len(files) <= STILL_OVER.get("modules", MOST_MODULES)
    assert len([*PACKAGE.glob("*.py")]) <= MOST_AT_THE_TOP
