"""The claims of SECURITY.md that can be read from the code: what the package never imports, calls or writes."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from documents import section
from places import ROOT

import scrapy_web2text

FOLDER = Path(scrapy_web2text.__file__).parent
# Libraries by what they do, and the modules that may import them.
LIBRARIES = {
    # A crawl sends tasks as pickles to its workers.
    "pickle": ("pickle marshal shelve dill cloudpickle joblib dbm", {"workers/process.py", "workers/worker.py"}),
    "start programs": (
        "subprocess multiprocessing pty ctypes webbrowser",
        {"workers/process.py", "cli/output.py"},
    ),
    "use the network": (
        "socket ssl http urllib.request urllib3 requests httpx aiohttp ftplib smtplib xmlrpc",
        {"view/server.py", "view/trial.py"},
    ),
}
BUILTINS = {"eval", "exec", "compile", "__import__", "breakpoint", "input"}
OF_THE_SYSTEM = re.compile(r"os\.(?:system|popen|fork|startfile|exec\w+|spawn\w+|posix_spawn\w*)")
WRITING = set(
    "write_text write_bytes mkdir makedirs unlink remove rename rmtree rmdir touch chmod symlink_to hardlink_to savez "
    "savez_compressed save save_file replacing replace_file remove_parts".split()
)
WRITING_PLACES = {
    *("batch", "cli", "training"),
    *(
        "common/files.py",
        "crawl/snapshot.py",
        "labels/files.py",
        "view/server.py",
    ),
    *("view/session.py", "view/sides.py", "view/store.py"),
}
LOADING_WITH_PICKLES = {"torch.load", "np.load"}


def calls(tree: ast.AST) -> list[ast.Call]:
    return [node for node in ast.walk(tree) if isinstance(node, ast.Call)]


def imports(tree: ast.AST) -> set[str]:
    """Return the names that a module imports, each with its packages: ``a.b`` gives ``a`` and ``a.b``."""
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            names.update(f"{node.module}.{alias.name}" for alias in node.names)
    return {name[: end.start()] for name in names for end in re.finditer(r"\.|$", name)}


def is_writing(call: ast.Call) -> bool:
    """Return whether *call* writes, creates, removes or moves a file."""
    name = ast.unparse(call.func).rpartition(".")[2]
    if name == "open":
        texts = [n.value for n in ast.walk(call) if isinstance(n, ast.Constant) and isinstance(n.value, str)]
        return any(re.fullmatch(r"[rwaxbt+]*[wax+][rwaxbt+]*", text) for text in texts)
    is_move = name == "replace" and len(call.args) == 1 and not call.keywords  # of a path; that of a text has two
    return name in WRITING or is_move


@pytest.fixture(scope="module")
def trees():
    """The syntax tree of each module of the package."""
    paths = sorted(FOLDER.rglob("*.py"))
    return {path.relative_to(FOLDER).as_posix(): ast.parse(path.read_text(encoding="utf-8")) for path in paths}


@pytest.mark.parametrize("what", LIBRARIES)
def test_only_the_named_modules_can(trees, what):
    names, allowed = LIBRARIES[what]
    assert {module for module, tree in trees.items() if imports(tree) & set(names.split())} == allowed


def test_nothing_is_evaluated(trees):
    names = {ast.unparse(call.func) for tree in trees.values() for call in calls(tree)}
    assert "len" in names
    assert names & BUILTINS == set()
    assert [name for name in names if OF_THE_SYSTEM.fullmatch(name)] == []


def test_only_workers_unpickle(trees):
    found = {
        module for module, tree in trees.items() for call in calls(tree) if "pickle.load" in ast.unparse(call.func)
    }
    assert found == {"workers/worker.py"}


def test_no_arrays_are_loaded_that_could_be_pickles(trees):
    found = [call for tree in trees.values() for call in calls(tree) if ast.unparse(call.func) in LOADING_WITH_PICKLES]
    assert found == []


def test_only_the_command_line_the_label_editor_snapshots_and_training_write_files(trees):
    writing = {module for module, tree in trees.items() if any(is_writing(call) for call in calls(tree))}
    assert {"batch/output.py", "training/export.py"} <= writing
    assert {module for module in writing if not {module, module.partition("/")[0]} & WRITING_PLACES} == set()


@pytest.mark.parametrize(
    "code",
    [
        "path.write_text(x)",
        "replace_file(path, data)",
        "path.open('wb')",
        "open(path, mode='a')",
        "a.replace(b)",
        "os.remove(x)",
        "np.savez(f, x)",
    ],
)
def test_writing_is_noticed(code):
    assert is_writing(ast.parse(code).body[0].value)


@pytest.mark.parametrize("code", ["path.open('rb')", "open(path)", "text.replace('a', 'b')", "gzip.open(path)"])
def test_reading_is_not_writing(code):
    assert not is_writing(ast.parse(code).body[0].value)


def test_links_of_the_policy_are_valid():
    text = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    files = [*re.findall(r"\]\((?!https)([^)#]+)", text), *re.findall(r"`(tests/[\w./]+)`", text)]
    assert len(files) > 1
    assert [file for file in files if not (ROOT / file).exists()] == []


def test_each_promise_has_a_test_that_exists():
    rows = re.findall(
        r"^\| [^|]+ \| `([\w/]+\.py)::(\w+)` \| [^|]+ \|$",
        section("changing.md", "Tests of the guarantees"),
        re.MULTILINE,
    )
    assert len(rows) >= 20
    texts = {file: (ROOT / "tests" / file).read_text(encoding="utf-8") for file, _ in rows}
    assert [name for file, name in rows if f"def {name}(" not in texts[file]] == []
