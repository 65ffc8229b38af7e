from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from places import MODELS
from random_models import change_manifest, make_tensors, write_model

import scrapy_web2text
from scrapy_web2text.exceptions import ModelError
from scrapy_web2text.labelers import weights
from scrapy_web2text.labelers.weights import (
    PACKAGED_MODELS,
    find_model,
    load_model,
    shipped_models,
)

posix = pytest.mark.skipif(os.name != "posix", reason="links and pipes of POSIX")


@pytest.fixture
def folder(tmp_path):
    return write_model(tmp_path / "model")


@pytest.fixture
def shelf(tmp_path, monkeypatch):
    """A folder of shipped models with the models ``a`` and ``b`` and a folder that is not a model."""
    for name in ("a", "b"):
        write_model(tmp_path / "shelf" / name, name=name)
    (tmp_path / "shelf" / "notes").mkdir()
    monkeypatch.setattr(weights, "_models_folder", lambda: tmp_path / "shelf")
    return tmp_path / "shelf"


def message(folder: Path) -> str:
    with pytest.raises(ModelError) as caught:
        load_model(folder)
    return str(caught.value)


def test_a_valid_folder_is_loaded(folder):
    model = load_model(folder)
    assert (model.name, model.folder, model.manifest["lam"]) == ("random", folder, 1.0)
    expected = make_tensors()
    assert set(model.tensors) == set(expected)
    assert all((model.tensors[name] == expected[name]).all() for name in expected)


def test_a_missing_folder_is_named(tmp_path):
    path = tmp_path / "none"
    assert message(path) == (
        f"{path}: expected a model folder, with manifest.json, or the name of a shipped model: "
        f"{', '.join(PACKAGED_MODELS)}"
    )


def test_a_shipped_model_with_a_similar_name_is_suggested(folder):
    assert message(folder.parent / "models" / "web2text-206").endswith(" (did you mean web2text-2026?)")


def test_a_missing_folder_is_looked_for_in_the_working_directory(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert message(Path("a/b")).startswith(f"{tmp_path / 'a' / 'b'}: expected a model folder")
    assert "expected a model folder" in message(Path("a\0b") / "c")


def test_a_file_and_a_folder_without_a_manifest_are_not_model_folders(folder, tmp_path):
    for path in (folder / "manifest.json", tmp_path):
        assert message(path).startswith(f"{path}: expected a model folder, with manifest.json")


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe", b"[1, 2]", b'"text"', b"null"])
def test_a_manifest_that_is_not_a_json_object_is_named(folder, content):
    (folder / "manifest.json").write_bytes(content)
    assert message(folder).startswith(f"{folder / 'manifest.json'}: expected a JSON object")


PATHS = ("../outside", "/etc/passwd", "a/b", "..", "", ".hidden", "a\\b", "C:x", "a\0b", "a\nb", "x" * 200, 7)
UNPRINTABLE = ("", "x" * 101, "a\nb", "a\x1b[31m", "a\x9b31m")
NO_WEIGHTS = (None, "weights.safetensors", {"file": "weights.safetensors"}, {"sha256": "0"})
OTHER_VERSION = "expected format_version 1, got {!r}; train the model again or install the release that made it"
INVALID_ENTRIES = [
    *(("format_version", version, OTHER_VERSION) for version in (0, 2, "1", None)),
    *(("name", name, "expected 'name' to be 1 to 100 printable characters, got {!r}") for name in UNPRINTABLE),
    ("name", 7, "expected 'name' to be 1 to 100 printable characters, got '7'"),
    *(("weights", entry, "expected 'weights' with 'file' and 'sha256', got {!r}") for entry in NO_WEIGHTS),
    *(("weights.file", path, "expected the name of a file in the folder, got {!r}") for path in PATHS),
]


@pytest.mark.parametrize(("key", "value", "expected"), INVALID_ENTRIES, ids=ascii)
def test_an_invalid_entry_of_a_manifest_is_named_with_what_was_expected(folder, key, value, expected):
    (folder.parent / "outside").write_bytes((folder / "weights.safetensors").read_bytes())
    change_manifest(folder, *key.split("."), value=value)
    assert message(folder) == f"{folder / 'manifest.json'}: {expected.format(value)}"


@posix
@pytest.mark.parametrize(("name", "what"), [("weights.safetensors", "weights"), ("manifest.json", "manifest")])
@pytest.mark.parametrize("kind", ["link", "pipe", "folder", "loop"])
def test_files_of_a_model_are_regular_files_in_its_folder(folder, name, what, kind):
    path = folder / name
    expected = f"cannot read the {what}: expected a regular file"
    if kind == "link":
        path.rename(folder.parent / name)
        path.symlink_to(folder.parent / name)
        expected = f"expected the {what} to be in the folder, not a link out of it"
    else:
        path.unlink()
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    elif kind == "loop":
        path.symlink_to(path)
        expected = f"cannot read the {what}: "
    assert message(folder).startswith(f"{path}: {expected}")


@posix
def test_links_to_the_folder_and_within_it_are_followed(folder):
    (folder / "weights.safetensors").rename(folder / "real")
    (folder / "weights.safetensors").symlink_to("real")
    (folder.parent / "other").symlink_to(folder)
    assert load_model(folder.parent / "other").name == "random"


@pytest.mark.parametrize(("name", "limit"), [("weights", "_MOST_WEIGHT_BYTES"), ("manifest", "_MOST_MANIFEST_BYTES")])
def test_a_file_that_is_too_long_is_not_read(folder, monkeypatch, name, limit):
    monkeypatch.setattr(weights, limit, 100)
    assert f"expected the {name} to have at most 100 bytes, got " in message(folder)


def test_weights_with_too_many_names_are_not_read(tmp_path):
    folder = write_model(tmp_path, tensors={f"a{'b' * 90}{n}": np.zeros(0, np.float32) for n in range(8_000)})
    assert "expected a safetensors file with a header of at most 1,000,000 bytes" in message(folder)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("[" * 100_000, "maximum recursion depth exceeded"),
        ("NaN", "JSON is malformed"),
        ("-Infinity", "JSON is malformed"),
        ("1e999", "Number out of range"),
    ],
    ids=["nested", "nan", "infinite", "float"],
)
def test_what_python_cannot_hold_in_a_manifest_is_named(folder, value, expected):
    path = folder / "manifest.json"
    path.write_text(f'{{"lam": {value}, {path.read_text().removeprefix("{")}', encoding="utf-8")
    assert message(folder).startswith(f"{path}: expected a JSON object: {expected}")


@pytest.mark.parametrize("kind", ["int64", "float64", "bool"])
def test_weights_are_fractions_of_single_or_half_precision(tmp_path, kind):
    tensors = {**make_tensors(), "unary.2.bias": np.zeros(2, dtype=kind)}
    folder = write_model(tmp_path / "model", tensors=tensors)
    assert message(folder).endswith(f"expected unary.2.bias to be float16 or float32, got {kind}")


def test_missing_and_truncated_weights_and_a_wrong_hash_are_named(folder):
    path = folder / "weights.safetensors"
    whole = path.read_bytes()
    path.unlink()
    assert message(folder) == f"{path}: cannot read the weights: No such file or directory"
    path.write_bytes(whole[:-1000])
    expected, found = (hashlib.sha256(content).hexdigest() for content in (whole, whole[:-1000]))
    assert message(folder) == f"{path}: expected weights with SHA-256 {expected}, got {found}"


@pytest.mark.parametrize("content", [b"", b"not safetensors at all", b"\x08\0\0\0\0\0\0\0{}  "])
def test_weights_in_another_format_are_refused(folder, content):
    (folder / "weights.safetensors").write_bytes(content)
    change_manifest(folder, "weights", "sha256", value=hashlib.sha256(content).hexdigest())
    assert message(folder).startswith(f"{folder / 'weights.safetensors'}: expected a safetensors file")


OTHER_FEATURES = "{folder}: expected column {} of unary to be {}, got {}: the model was trained on other features"


@pytest.mark.parametrize(
    ("method", "args", "expected"),
    [
        ("entry", ("lam", str), "{manifest}: lam: expected a str, got 1.0"),
        ("entry", ("nothing", dict), "{manifest}: nothing: expected a dict, got None"),
        (
            *("tensor", ("unary.2.bias", (3,))),
            "{folder}: expected a tensor unary.2.bias of shape (3,), got one of shape (2,)",
        ),
        ("tensor", ("unary.9.bias", (3,)), "{folder}: expected a tensor unary.9.bias of shape (3,), got none"),
        ("check_features", ("unary", ["b", "a"], ("a", "b")), ["0", "'a'", "'b'"]),
        ("check_features", ("unary", ["a"], ("a", "b")), ["1", "'b'", "None"]),
        ("check_features", ("unary", ["a", "b", "c"], ("a", "b")), ["2", "None", "'c'"]),
    ],
    ids=str,
)
def test_entries_tensors_and_features_that_a_model_does_not_have_are_refused(folder, method, args, expected):
    with pytest.raises(ModelError) as caught:
        getattr(load_model(folder), method)(*args)
    template, values = (expected, ()) if isinstance(expected, str) else (OTHER_FEATURES, expected)
    assert str(caught.value) == template.format(*values, folder=folder, manifest=folder / "manifest.json")


def test_shipped_models_are_the_folders_with_a_manifest(shelf):
    assert shipped_models() == {"a": shelf / "a", "b": shelf / "b"}


def test_a_name_is_that_of_a_shipped_model_or_else_of_a_folder_in_the_working_directory(shelf, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert find_model("b") == shelf / "b"
    for name in ("b", "mine"):
        (tmp_path / name).mkdir()
    assert (find_model("b"), find_model("mine")) == (shelf / "b", Path("mine"))


@pytest.mark.parametrize("name", ["./none", "models/none", "/none"], ids=["dot", "relative", "absolute"])
def test_a_name_that_looks_like_a_path_is_one_even_if_nothing_exists_there(shelf, name):
    assert find_model(name) == Path(name)


@pytest.mark.parametrize("name", PACKAGED_MODELS)
def test_a_shipped_model_that_was_deleted_is_missing_and_not_unknown(shelf, name):
    assert find_model(name) == shelf / name
    with pytest.raises(ModelError, match=f"the shipped model {name} is missing; install scrapy-web2text again$"):
        load_model(find_model(name))


def test_the_error_for_an_unknown_name_lists_the_models_that_can_be_loaded(shelf, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    expected = (
        "model: unknown model 'web2text'; expected shallow, web2text-2018, web2text-2026, the path of a model folder, "
        f"or rules (shallow:…, bte). It looks like a name; {tmp_path} has no such folder"
    )
    with pytest.raises(ValueError, match=f"^{re.escape(expected)}$"):
        find_model("web2text")


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("web2text_2062", "web2text-2026"),
        ("WEB2TEXT-2018", "web2text-2018"),
        ("shalow:numwords", "shallow"),
        ("bt", "bte"),
        ("precise", "threshold precision"),
    ],
)
def test_the_error_for_an_unknown_name_suggests_a_similar_one(name, meant):
    with pytest.raises(ValueError, match=rf"^model: unknown model '{name}' \(did you mean {meant}\?\); expected"):
        find_model(name)


def test_a_source_tree_ships_all_models():
    assert {*shipped_models()} == {*PACKAGED_MODELS, "boilernet", "crf-2018", "dragnet-2013", "semtext"}
    assert shipped_models()["semtext"] == MODELS / "semtext"


def test_shipped_models_are_found_inside_an_installed_package(tmp_path):
    package = tmp_path / "scrapy_web2text"
    shutil.copytree(Path(scrapy_web2text.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    write_model(package / "models" / "inside")
    code = "from scrapy_web2text.labelers.weights import find_model; print(find_model('inside'))"
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == str(package / "models" / "inside")
