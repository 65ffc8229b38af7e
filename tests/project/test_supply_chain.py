"""Versions: the Pythons and dependencies that are declared are those that are tested; the audit of the pinned ones."""

from __future__ import annotations

import re
import runpy
import tomllib

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.version import Version
from places import ROOT

from scrapy_web2text.page import reader

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
OLDEST = "3.11"
# Their oldest versions are not tested: torch and Spark for their size, the others since nothing of a crawl needs them.
UNTESTED_EXTRAS = {"bench", "docs", "spark"}
UNTESTED = {"torch"}
EXTRAS = PROJECT["project"]["optional-dependencies"]
TESTED_EXTRAS = [lines for name, lines in EXTRAS.items() if name not in UNTESTED_EXTRAS]
DECLARED = [*PROJECT["project"]["dependencies"], *(line for lines in TESTED_EXTRAS for line in lines)]


def read(name):
    return (ROOT / name).read_text(encoding="utf-8")


def normalize(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def pins(name):
    """Return the version that a file of constraints pins for each package."""
    lines = [Requirement(line) for line in read(name).splitlines() if line and not line.startswith("#")]
    return {normalize(line.name): line.specifier for line in lines}


def version_of(specifier):
    (one,) = specifier
    assert one.operator == "=="
    return Version(one.version)


@pytest.mark.parametrize("line", sorted({*DECLARED}))
def test_the_lower_bound_of_a_dependency_is_tested(line):
    requirement = Requirement(line)
    bounds = {bound.operator: bound for bound in requirement.specifier}
    bound = bounds.pop(">=")
    assert set(bounds) == ({"<"} if requirement.name == "lxml" else set())
    if requirement.name not in UNTESTED:
        assert version_of(pins("constraints-min.txt")[normalize(requirement.name)]) == Version(bound.version)


@pytest.mark.parametrize("line", sorted({*DECLARED, *(line for name in UNTESTED_EXTRAS for line in EXTRAS[name])}))
def test_the_pinned_version_of_a_dependency_is_supported(line):
    requirement = Requirement(line)
    assert version_of(pins("constraints.txt")[normalize(requirement.name)]) in requirement.specifier


def test_the_compiled_reader_is_built_and_run_with_the_versions_of_lxml_that_it_can_read():
    of_build, of_run = (
        next(line for line in map(Requirement, lines) if line.name == "lxml").specifier
        for lines in (PROJECT["build-system"]["requires"], PROJECT["project"]["dependencies"])
    )
    assert of_build == of_run == SpecifierSet(f">={reader._LXML},<{reader._LXML + 1}")


def test_a_wheel_is_published_only_if_its_reader_is_compiled(monkeypatch):
    monkeypatch.setenv("WEB2TEXT_NO_NATIVE", "1")
    found = runpy.run_path(reader.__file__, run_name=reader.__name__)
    version_in_python = f"{found['READER_NAME']}, {found['READER_COST']}"
    configuration = PROJECT["tool"]["cibuildwheel"]
    for command in (configuration["test-command"], configuration["windows"]["test-command"]):
        (wanted,) = re.findall(r"""['"](.+)['"]$""", command)
        assert wanted == "compiled reader"  # test_the_name_of_the_reader_is_that_of_the_one_in_use
        assert wanted not in version_in_python


def test_the_supported_versions_of_python_are_the_same_everywhere():
    project, tools = PROJECT["project"], PROJECT["tool"]
    classifiers = re.findall(
        r"^Programming Language :: Python :: (3\.\d+)$", "\n".join(project["classifiers"]), re.MULTILINE
    )
    (matrix,) = re.findall(r"python: \[(.+)\]", read(".github/workflows/tests.yml"))
    assert project["requires-python"] == f">={OLDEST}"
    assert classifiers[0] == tools["mypy"]["python_version"] == OLDEST
    assert tools["ruff"]["target-version"] == "py" + OLDEST.replace(".", "")
    assert re.findall(r"[\d.]+", matrix) == classifiers
    for page in ("README.md", "docs/quickstart.md"):
        assert re.findall(r"Python (3\.\d+) or later", read(page)) == [OLDEST]
    assert f"version_info >= {tuple(map(int, OLDEST.split('.')))}" in read("Makefile")


def entry(*findings):
    return {
        "name": "lxml",
        "version": "1.0",
        "vulns": [{"id": each, "fix_versions": ["1.1"]} for each in findings],
    }


@pytest.mark.parametrize(
    ("report", "status", "status_or_skip", "output"),
    [
        ([entry(), entry()], 0, 0, "0 known vulnerabilities in 2 versions"),
        ([entry(), entry("PYSEC-1")], 1, 1, "lxml 1.0: PYSEC-1, fixed in 1.1"),
        ([entry("PYSEC-1"), {"name": "x", "skip_reason": "not found"}], 1, 1, "lxml 1.0: PYSEC-1, fixed in 1.1"),
        ([{"name": "x", "skip_reason": "not found"}], 1, 0, "the advisory service answered for 0 of 1 versions"),
        ([], 1, 0, "no route"),
    ],
    ids=["clean", "finding", "finding and no answer", "no answer", "no service"],
)
def test_an_audit_fails_on_findings_and_may_skip_missing_answers(report, status, status_or_skip, output, capsys):
    judge = runpy.run_path(str(ROOT / ".ci" / "audit.py"))["judge"]
    assert judge(report, "no route", or_skip=False) == status
    assert output in capsys.readouterr().out
    assert judge(report, "no route", or_skip=True) == status_or_skip
    assert ("skipped: " in capsys.readouterr().out) == any("vulns" not in each for each in report or [{}])
