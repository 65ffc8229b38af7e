from __future__ import annotations

import dataclasses
import errno
import json
import os
import tempfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext

import pytest

from scrapy_web2text.labels.files import PageLabels, read_labels, write_line
from scrapy_web2text.view import store
from scrapy_web2text.view.store import LabelStore

READING = PageLabels("", "a.html", ((0, 0),), ("0", "1"), note="Größe")
KEY = ("", "a.html")


def test_drafts_and_labels_are_on_the_disk(tmp_path):
    path = tmp_path / "labels.jsonl"
    store = LabelStore(path)
    assert store.find(KEY) == (None, "")
    store.save(READING, is_done=False)
    assert LabelStore(path).find(KEY) == (READING, "draft")
    assert not path.exists()
    store.save(READING, is_done=True)
    assert LabelStore(path).find(KEY) == store.find(KEY) == (READING, "done")
    assert store.n_done() == 1
    changed = dataclasses.replace(READING, content=())
    store.save(changed, is_done=False)
    assert LabelStore(path).find(KEY) == (changed, "draft")
    assert read_labels(path) == {KEY: READING}
    assert [file.name for file in sorted(tmp_path.iterdir())] == ["labels.jsonl", "labels.jsonl.drafts"]


def test_two_editors_of_one_file_lose_no_labels(tmp_path):
    path = tmp_path / "labels.jsonl"
    stores = [LabelStore(path), LabelStore(path)]

    def save_all(name, store):
        for i in range(50):
            store.save(dataclasses.replace(READING, id=f"{name}-{i}.html"), is_done=True)

    with ThreadPoolExecutor() as pool:
        list(pool.map(save_all, ("a", "b"), stores))
    assert len(read_labels(path)) == 100


def test_other_lines_and_their_keys_stay(tmp_path):
    path = tmp_path / "labels.jsonl"
    line = json.dumps({**json.loads(write_line(READING)), "id": "other", "mood": "good"})
    path.write_text(f"{line}\n", encoding="utf-8")
    LabelStore(path).save(READING, is_done=True)
    assert path.read_text(encoding="utf-8").splitlines() == [line, write_line(READING)]


def test_what_another_program_writes_meanwhile_stays(tmp_path):
    path = tmp_path / "labels.jsonl"
    first, second = LabelStore(path), LabelStore(path)
    first.save(READING, is_done=True)
    second.save(dataclasses.replace(READING, id="b.html"), is_done=True)
    assert {key[1] for key in read_labels(path)} == {"a.html", "b.html"}


def test_a_file_that_cannot_be_written_stays_as_it_was(tmp_path, monkeypatch):
    path = tmp_path / "labels.jsonl"
    store = LabelStore(path)
    store.save(READING, is_done=True)

    def fail(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="No space"):
        store.save(dataclasses.replace(READING, content=()), is_done=True)
    assert store.find(KEY) == (READING, "done")
    assert read_labels(path) == {KEY: READING}
    assert [file.name for file in tmp_path.iterdir()] == ["labels.jsonl"]


@pytest.mark.parametrize(
    ("name", "error", "message"),
    [
        ("labels.jsonl.xz", ValueError, "without compression"),
        ("labels.jsonl.gz", ValueError, "without compression"),
        ("missing/labels.jsonl", FileNotFoundError, "a folder that exists"),
        ("feed.jsonl", ValueError, "missing field `corpus`"),
    ],
)
def test_only_a_file_of_labels_in_a_folder_that_exists_is_opened(tmp_path, name, error, message):
    (tmp_path / "feed.jsonl").write_text('{"text": "a"}\n', encoding="utf-8")
    with pytest.raises(error, match=message):
        LabelStore(tmp_path / name)


def test_names_that_are_not_unicode_are_written(tmp_path):
    store = LabelStore(tmp_path / "labels.jsonl")
    odd = dataclasses.replace(READING, file="\udcff.html", note="\ud800")
    store.save(odd, is_done=True)
    assert LabelStore(tmp_path / "labels.jsonl").find(KEY)[0] == odd


def test_a_file_that_another_program_broke_is_not_overwritten(tmp_path):
    path = tmp_path / "labels.jsonl"
    store = LabelStore(path)
    path.write_text("mine", encoding="utf-8")
    with pytest.raises(OSError, match="expected JSON"):
        store.save(READING, is_done=True)
    assert path.read_text(encoding="utf-8") == "mine"


def test_a_private_file_stays_private_and_links_are_not_followed(tmp_path):
    path, victim = tmp_path / "labels.jsonl", tmp_path / "victim"
    victim.write_text("mine", encoding="utf-8")
    store = LabelStore(path)
    store.save(READING, is_done=True)
    path.chmod(0o600)
    (tmp_path / f"labels.jsonl.{os.getpid()}.part").symlink_to(victim)
    store.save(dataclasses.replace(READING, content=()), is_done=True)
    assert path.stat().st_mode & 0o777 == 0o600
    assert victim.read_text(encoding="utf-8") == "mine"
    assert [file.name for file in sorted(tmp_path.iterdir())] == ["labels.jsonl", "victim"]


def test_what_killed_programs_left_is_removed(tmp_path):
    names = ("labels.jsonl.1.part", "labels.jsonl.drafts.22.part", "labels.jsonl.mine.part", "other.jsonl.1.part")
    for name in names:
        (tmp_path / name).touch()
    LabelStore(tmp_path / "labels.jsonl")
    assert sorted(file.name for file in tmp_path.iterdir()) == [*names[2:]]


def test_a_folder_that_cannot_be_written_is_an_error_at_once(tmp_path, monkeypatch):
    def refuse(path: str, *args: object) -> int:
        raise PermissionError(errno.EACCES, "Permission denied", path)

    monkeypatch.setattr(tempfile._os, "open", refuse)  # tests may run as root
    monkeypatch.setattr(store, "locked", nullcontext)
    with pytest.raises(PermissionError, match=r"/labels\.jsonl\.\w+'$"):
        LabelStore(tmp_path / "labels.jsonl")
