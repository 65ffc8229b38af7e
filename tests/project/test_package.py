"""Which modules may import which, what an import costs, and what the package is made of."""

from __future__ import annotations

import ast
import re
import tomllib
from functools import cache
from graphlib import TopologicalSorter
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from documents import read_page, section
from places import ROOT
from subprocesses import loaded_by, run_python

import scrapy_web2text
from scrapy_web2text.labelers.weights import PACKAGED_MODELS
from scrapy_web2text.options import DEFAULT_MODEL

if TYPE_CHECKING:
    from collections.abc import Iterator

PACKAGE = "scrapy_web2text"
FOLDER = Path(scrapy_web2text.__file__).parent
# A module or folder imports only from those before it. The title of a page is a feature of its blocks, so `metadata`
# comes before `features`.
ROOMS = """
    _version reasons exceptions common options extraction page metadata features labelers verdicts content posts sources
    answer extractor adapters alignment labels evaluation workers crawl batch view training pipelines
    downloadermiddlewares spidermiddlewares exporters items contracts poet addon cli spark commands __main__
""".split()
SCRAPY_ROOMS = {
    *ROOMS[ROOMS.index("pipelines") : ROOMS.index("cli")],
    "crawl",
    "commands",
}
# They fetch a page for a command.
WITH_SCRAPY = {"sources.responses"}
# Loaded by `web2text batch`.
WITHOUT_SCRAPY = {f"crawl.{name}" for name in ("setting_values", "settings", "snapshot")}


def list_modules() -> dict[str, Path]:
    """Return the file of each module except ``__init__`` at the top, by its dotted name within the package."""
    paths = {path.relative_to(FOLDER).with_suffix("").parts: path for path in sorted(FOLDER.rglob("*.py"))}
    names = {".".join(part for part in parts if part != "__init__"): path for parts, path in paths.items()}
    return {name: path for name, path in names.items() if name}


MODULES = list_modules()


def test_the_names_that_benchmarks_import_exist():
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in (ROOT / "benchmarks").glob("*.py")]
    imports = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    ours = [(node.module, alias.name) for node in imports for alias in node.names if node.module.startswith(PACKAGE)]
    assert len(ours) > 40
    others = [(module, name) for module, name in ours if f"{module}.{name}".removeprefix(f"{PACKAGE}.") not in MODULES]
    assert [(module, name) for module, name in others if not hasattr(import_module(module), name)] == []


def room_of(module: str) -> str:
    return module.partition(".")[0]


@cache
def list_imports(name: str, *, types: bool = False) -> set[str]:
    """Return the dotted names that a module imports, at the top or in a function.

    :param types: whether to include what it imports for type checking alone.
    """
    return set(_walk_imports(ast.parse(MODULES[name].read_text(encoding="utf-8")), types=types))


def _walk_imports(node: ast.AST, *, types: bool) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        assert node.level == 0
        yield from (f"{node.module}.{alias.name}" for alias in node.names)
    elif types or not (isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"):
        for child in ast.iter_child_nodes(node):
            yield from _walk_imports(child, types=types)


def list_own_imports(name: str, *, types: bool = False) -> set[str]:
    """Return the modules of the package that a module imports."""
    found = set()
    for imported in list_imports(name, types=types):
        package, _, rest = imported.partition(".")
        if package != PACKAGE:
            continue
        rest = scrapy_web2text._HOMES.get(rest, rest)  # a public name of the package
        found.update(module for module in (rest, rest.rpartition(".")[0]) if module in MODULES)
    return found - {name}


def test_every_module_has_a_room():
    assert {room_of(name) for name in MODULES} - set(ROOMS) == set()


def test_the_rooms_of_the_documentation_are_those_of_the_package():
    first_cells = re.findall(r"^\| (`.*?) \|", section("architecture.md", "Rooms"), re.MULTILINE)
    assert re.findall(r"`(\w+)`", " ".join(first_cells)) == ROOMS


def test_the_documentation_for_developers_names_files_that_exist():
    roots = (ROOT, FOLDER)
    pages = "".join(map(read_page, ("architecture.md", "changing.md", "releasing.md")))
    spans = set(re.findall(r"`([\w./-]+/[\w.-]*)`", pages))
    named = {
        span for span in spans if not re.search(r"NAME|FORM|\bID\b|NOUN|^(?:web2text|html|text|dist|\.fuzz)/", span)
    }
    assert len(named) > 20
    assert sorted(name for name in named if not any((root / name).exists() for root in roots)) == []


def test_a_module_imports_only_from_rooms_before_its_own_types_included():
    upward = {
        (name, imported)
        for name in MODULES
        for imported in list_own_imports(name, types=True)
        if ROOMS.index(room_of(imported)) > ROOMS.index(room_of(name))
    }
    assert upward == set()


def test_no_modules_import_each_other():
    graph = {name: list_own_imports(name) for name in MODULES}
    assert len(list(TopologicalSorter(graph).static_order())) == len(MODULES)


def importers_of(*packages: str) -> set[str]:
    """Return the modules that import one of *packages*."""
    return {name for name in MODULES if {imported.partition(".")[0] for imported in list_imports(name)} & {*packages}}


def users_of(room: str) -> set[str]:
    """Return the rooms whose modules import from *room*."""
    return {room_of(name) for name in MODULES if any(room_of(module) == room for module in list_own_imports(name))}


def test_only_scrapy_components_import_scrapy():
    allowed = {name for name in MODULES if room_of(name) in SCRAPY_ROOMS} - WITHOUT_SCRAPY | WITH_SCRAPY
    assert importers_of("scrapy", "twisted") - allowed == set()


def test_only_training_imports_torch_and_scikit_learn():
    assert {room_of(name) for name in importers_of("torch", "sklearn")} == {"training"}


def test_the_viewer_and_the_command_for_one_page_read_pages_through_sources():
    assert "view" not in users_of("batch")
    assert {room_of(module) for module in list_own_imports("cli.extract")} & {"batch", "crawl", "view"} == set()


def test_nothing_in_the_package_imports_research():
    assert importers_of("research") == set()


def test_only_the_command_line_imports_training():
    assert users_of("training") <= {"training", "cli"}


def test_the_folders_of_training_do_not_import_each_other():
    folders = {name.split(".")[1] for name, path in MODULES.items() if path.parent.parent == FOLDER / "training"}
    for name in MODULES:
        if room_of(name) == "training":
            used = {module.split(".")[1] for module in list_own_imports(name) if module.startswith("training.")}
            assert used & folders <= {*name.split(".")[1:2]}, name


def test_importing_the_package_loads_none_of_its_dependencies():
    assert loaded_by("import scrapy_web2text", "lxml", "numpy", "parsel", "scrapy", "torch", "twisted", "w3lib") == ""


def test_options_without_selectors_load_neither_lxml_nor_numpy():
    assert loaded_by("from scrapy_web2text.options import Options; Options(threshold=0.5)", "lxml", "numpy") == ""


@pytest.mark.parametrize("model", ["shallow", "web2text-2026"])
def test_extracting_loads_neither_scrapy_nor_torch(model):
    code = f"import scrapy_web2text; scrapy_web2text.extract('<p>x', model={model!r})"
    assert loaded_by(code, "scrapy", "torch", "twisted", "numpy") == "numpy"


EXTRACTING_ALONE = """
import os, sys
os.environ["WEB2TEXT_NO_NATIVE"] = "1"
class Blocked:
    def find_spec(self, name, *_):
        if name.partition(".")[0] in {names} or name.rpartition(".")[2] in {compiled}:
            raise ModuleNotFoundError(name=name)
sys.meta_path.insert(0, Blocked())
from scrapy_web2text import Options, extract
from scrapy_web2text.view.document import write_view
from scrapy_web2text.view.seen import see_page
assert extract(b"<html><h1>x</h1><p>y").model == "web2text-2026" and write_view([see_page(b"<p>y", "y", Options())])
"""


def test_extractor_and_viewer_work_without_scrapy_sockets_processes_and_compiled_modules():
    names = ["scrapy", "twisted", "torch", "multiprocessing", "ssl"]
    run_python(EXTRACTING_ALONE.format(names=names, compiled=[path.stem for path in FOLDER.rglob("*.pyx")]))


def test_the_command_line_loads_dependencies_on_first_use():
    assert loaded_by("import scrapy_web2text.cli.main", "lxml", "numpy", "scrapy", "torch") == ""


def test_public_names_are_sorted():
    names = scrapy_web2text.__all__
    assert names == sorted(set(names))


@pytest.mark.parametrize("name", scrapy_web2text._HOMES)
def test_a_public_name_can_be_imported(name):
    found = getattr(scrapy_web2text, name)
    assert found.__name__ == name
    assert found.__module__ == f"{PACKAGE}.{scrapy_web2text._HOMES[name]}"


def test_public_names_are_listed():
    assert set(scrapy_web2text.__all__) <= set(dir(scrapy_web2text))
    assert set(scrapy_web2text.__all__) == {*scrapy_web2text._HOMES, "__version__"}


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'scrapy_web2text' has no attribute 'extrakt'"):
        scrapy_web2text.extrakt  # noqa: B018


def test_the_wheel_has_the_models_that_a_crawl_uses():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    included = project["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    assert included == {f"models/{name}": f"{PACKAGE}/models/{name}" for name in PACKAGED_MODELS}
    assert DEFAULT_MODEL in PACKAGED_MODELS


def test_the_citation_names_this_version():
    (version,) = re.findall(r"^version: (.+)$", (ROOT / "CITATION.cff").read_text(encoding="utf-8"), re.MULTILINE)
    assert version == scrapy_web2text.__version__


def uses_blas(name: str) -> bool:
    tree = ast.parse(MODULES[name].read_text(encoding="utf-8"))
    products = [node for node in ast.walk(tree) if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult)]
    called = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    return bool(products or called & {"dot", "inner", "linalg", "matmul", "tensordot", "vdot"})


def test_a_single_module_uses_blas():
    crawling = {name for name in MODULES if room_of(name) not in {"training", "evaluation"}}
    assert {name for name in crawling if uses_blas(name)} == {"labelers.numeric"}
