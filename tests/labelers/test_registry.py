from __future__ import annotations

import os
import re
import threading

import pytest
from random_models import change_manifest, write_model

from scrapy_web2text.exceptions import ModelError
from scrapy_web2text.labelers import registry, weights
from scrapy_web2text.labelers.registry import RULES, get_labeler, get_rules
from scrapy_web2text.options import OTHER_RULES, RULE_NAMES


@pytest.fixture
def folder(tmp_path):
    return write_model(tmp_path / "model")


@pytest.fixture
def loads(monkeypatch):
    """The folders that were loaded."""
    loaded = []

    def load(folder):
        loaded.append(folder)
        return weights.load_model(folder)

    monkeypatch.setattr(registry, "load_model", load)
    return loaded


@pytest.mark.parametrize(
    ("name", "full_name"),
    [
        ("shallow", "shallow:numwords"),
        ("shallow:numwords", "shallow:numwords"),
        ("shallow+largest", "shallow:numwords+largest"),
        ("shallow?n_words=9", "shallow:numwords?n_words=9"),
        ("shallow:density+main-content", "shallow:density+main-content"),
        ("bte", "bte"),
    ],
)
@pytest.mark.parametrize("get", [get_labeler, get_rules])
def test_rules_are_found_by_their_names(get, name, full_name):
    labeler = get(name)
    assert (labeler.name, labeler.method) == (full_name, "rules")
    assert get(name) is labeler


def test_messages_name_all_rules():
    assert {*RULES} == {*OTHER_RULES}
    with pytest.raises(ValueError, match=re.escape(RULE_NAMES)):
        get_labeler("no-rules")


def test_a_folder_whose_name_begins_like_rules_is_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_model(tmp_path / "shallow-mine")
    assert get_labeler("shallow-mine").method == "model"


def test_the_name_of_a_model_is_not_that_of_rules(folder):
    with pytest.raises(ValueError, match="unknown rules"):
        get_rules(str(folder))


def test_a_shipped_model_is_found_by_its_name(tmp_path, monkeypatch):
    write_model(tmp_path / "shipped", name="from the manifest")
    monkeypatch.setattr(weights, "_models_folder", lambda: tmp_path)
    labeler = get_labeler("shipped")
    assert (labeler.name, labeler.method) == ("from the manifest", "model")


def test_a_folder_is_loaded_once(folder, loads):
    assert get_labeler(str(folder)) is get_labeler(str(folder))
    assert loads == [folder]


def test_a_retrained_model_is_loaded_again(folder):
    before = get_labeler(str(folder))
    change_manifest(folder, "name", value="again")
    manifest = folder / "manifest.json"
    os.utime(manifest, ns=(0, manifest.stat().st_mtime_ns + 1_000_000_000))
    assert (before.name, get_labeler(str(folder)).name) == ("random", "again")


def test_many_threads_get_the_same_labeler(folder, loads):
    barrier = threading.Barrier(8)
    labelers = []

    def get() -> None:
        barrier.wait(10)
        labelers.append(get_labeler(str(folder)))

    threads = [threading.Thread(target=get) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert [labeler is labelers[0] for labeler in labelers] == [True] * 8
    assert loads == [folder]


def test_a_folder_can_be_repaired_after_an_error(tmp_path):
    with pytest.raises(ModelError, match="expected a model folder"):
        get_labeler(str(tmp_path / "late"))
    write_model(tmp_path / "late")
    assert get_labeler(str(tmp_path / "late")).method == "model"


def test_an_unknown_kind_of_labeler_raises_a_model_error_that_says_where_others_are(folder):
    change_manifest(folder, "labeler", value="crf")
    with pytest.raises(ModelError, match=r"expected labeler 'cnn-hmm' or 'modern', got 'crf'.* python -m research"):
        get_labeler(str(folder))
