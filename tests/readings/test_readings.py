"""Readings: labels of blocks by number and hash."""

from __future__ import annotations

import dataclasses
import json
import lzma

import pytest

from scrapy_web2text.readings.files import read_readings, write_readings
from scrapy_web2text.readings.fit import label_all
from scrapy_web2text.readings.reading import Reading, hash_text

TEXTS = [f"Block number {number}" for number in range(20)]
READING = Reading(
    "wcxb",
    "0001",
    content=((3, 5), (9, 9)),
    hashes=tuple(map(hash_text, TEXTS)),
    certainty=0.8,
    type="forum",
    published="partly",
    reader="a person",
    note="Größe",
)


def numbers_of(labels):
    return [number for number, label in enumerate(labels) if label]


def test_a_reading_labels_the_blocks_of_its_page():
    assert numbers_of(READING.labels) == [3, 4, 5, 9]
    assert numbers_of(label_all(READING, TEXTS)) == [3, 4, 5, 9]


def test_white_space_does_not_matter():
    assert hash_text(" Block\n number\t0 ") == hash_text("Block number 0") != hash_text("Blocknumber 0")


def test_a_tenth_of_the_texts_may_change():
    assert numbers_of(label_all(READING, ["new", *TEXTS[1:19], "new"])) == [3, 4, 5, 9]
    assert label_all(READING, ["new", "new", *TEXTS[2:19], "new"]) is None


def test_labels_move_with_their_blocks():
    assert numbers_of(label_all(READING, ["Inserted", *TEXTS])) == [4, 5, 6, 10]
    assert numbers_of(label_all(READING, TEXTS[2:])) == [1, 2, 3, 7]


def test_a_block_between_content_is_content():
    assert numbers_of(label_all(READING, [*TEXTS[:4], "Inserted", *TEXTS[4:]])) == [3, 4, 5, 6, 10]


def test_a_changed_block_at_a_border_is_in_doubt():
    assert label_all(READING, [*TEXTS[:3], "Inserted", *TEXTS[3:]]) is None


def test_a_lost_block_of_another_label_leaves_a_new_one_in_doubt():
    assert numbers_of(label_all(READING, [*TEXTS[:15], "new", *TEXTS[15:19]])) == [3, 4, 5, 9]
    assert label_all(READING, [*TEXTS[:9], *TEXTS[10:15], "new", "newer", *TEXTS[15:]]) is None


def test_another_page_does_not_fit():
    assert label_all(READING, ["Another text"] * 20) is None
    assert label_all(READING, []) is None
    assert label_all(READING, TEXTS[:9]) is None


def test_equal_texts_are_told_apart_by_their_place():
    same = Reading("wcxb", "1", ((1, 1),), (hash_text("a"),) * 3)
    assert numbers_of(label_all(same, ["a", "a", "a"])) == [1]


def test_a_page_without_content_has_a_reading():
    empty = Reading("wcxb", "1", (), (hash_text("Log in"),), kind="login")
    assert label_all(empty, ["Log in"]).tolist() == [0]


@pytest.mark.parametrize("name", ["readings.jsonl", "readings.jsonl.xz"])
def test_readings_survive_a_file(tmp_path, name):
    plain = dataclasses.replace(READING, id="0002", type=None, published=None, reader="", note="")
    write_readings(tmp_path / name, [READING, plain])
    assert read_readings(tmp_path / name) == {("wcxb", "0001"): READING, ("wcxb", "0002"): plain}


def test_the_later_reading_of_a_page_counts(tmp_path):
    later = dataclasses.replace(READING, content=())
    write_readings(tmp_path / "readings.jsonl", [READING, later])
    assert [*read_readings(tmp_path / "readings.jsonl").values()] == [later]


def test_keys_of_other_programs_are_ignored(tmp_path):
    path = tmp_path / "readings.jsonl"
    entry = {"corpus": "a", "id": "1", "content": [[0, 0]], "hashes": ["0"], "n_blocks": 1, "mood": "good"}
    path.write_text(json.dumps(entry) + "\n\n", encoding="utf-8")
    assert read_readings(path) == {("a", "1"): Reading("a", "1", ((0, 0),), ("0",))}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "expected JSON"),
        ("[" * 200_000, "expected JSON: maximum recursion"),
        ("[]", "expected an object, got a list"),
        ('{"corpus": "a", "id": "1", "content": [], "hashes": [null]}', "hashes: expected texts"),
        ('{"corpus": "a", "id": "1", "content": [], "hashes": ["0"], "words": [1e400]}', "words: expected whole"),
        (f'{{"corpus": "a", "id": "1", "content": [], "hashes": ["0"], "words": [{2**63}]}}', "words: expected whole"),
        ('{"corpus": "a", "id": "1", "content": [], "hashes": [], "certainty": true}', "certainty: unexpected bool"),
        ('{"corpus": "a", "id": "1", "content": [], "hashes": [], "certainty": NaN}', "from 0 to 1, got nan"),
        ('{"corpus": "a", "id": "1", "content": []}', "hashes is missing"),
        ('{"corpus": 1, "id": "1", "content": [], "hashes": []}', "corpus: unexpected int"),
        ('{"corpus": "a", "id": "1", "content": [3], "hashes": ["0"]}', "expected runs of two numbers"),
        ('{"corpus": "a", "id": "1", "content": [[0, 1]], "hashes": ["0"]}', "expected runs of blocks below 1"),
        ('{"corpus": "a", "id": "1", "content": [[1, 0]], "hashes": ["0", "0"]}', "in order"),
        ('{"corpus": "a", "id": "1", "content": [[-1, 0]], "hashes": ["0"]}', "expected runs of blocks below 1"),
        ('{"corpus": "a", "id": "1", "content": [], "hashes": [], "certainty": 2}', "from 0 to 1, got 2"),
    ],
)
def test_the_error_of_a_bad_line_names_the_place(tmp_path, line, message):
    path = tmp_path / "readings.jsonl"
    path.write_text('{"corpus": "a", "id": "1", "content": [], "hashes": []}\n' + line + "\n", encoding="utf-8")
    with pytest.raises(ValueError, match=f"readings.jsonl:2: .*{message}"):
        read_readings(path)


def test_a_byte_order_mark_from_an_editor_is_not_part_of_the_first_line(tmp_path):
    path = tmp_path / "readings.jsonl"
    write_readings(path, [READING])
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert read_readings(path) == {("wcxb", "0001"): READING}


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("none.jsonl", None, "cannot read the readings: No such file or directory"),
        ("none.jsonl.xz", None, "cannot read the readings: No such file or directory"),
        ("plain.jsonl.xz", b"{}", "expected JSON Lines, compressed if the name ends in .xz"),
        ("cut.jsonl.xz", lzma.compress(b"{}")[:-5], "expected JSON Lines, compressed if the name ends in .xz"),
        ("compressed.jsonl", lzma.compress(b"{}"), "expected JSON Lines, compressed if the name ends in .xz"),
    ],
)
def test_the_error_of_a_file_that_cannot_be_read_names_it(tmp_path, name, content, message):
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(ValueError, match=f"{name}: {message}"):
        read_readings(tmp_path / name)


@pytest.mark.parametrize("name", ["readings.jsonl", "readings.jsonl.xz"])
def test_a_file_that_decompresses_to_too_much_is_refused(tmp_path, monkeypatch, name):
    monkeypatch.setattr("scrapy_web2text.readings.files._MOST_BYTES", 100)
    path = tmp_path / name
    path.write_bytes(lzma.compress(b"\n" * 101) if path.suffix == ".xz" else b"\n" * 101)
    with pytest.raises(ValueError, match="expected readings of at most 100 bytes, decompressed"):
        read_readings(path)


def test_an_error_while_readings_are_written_leaves_the_old_file(tmp_path):
    path = tmp_path / "readings.jsonl"
    path.write_text("old", encoding="utf-8")
    with pytest.raises(TypeError):
        write_readings(path, [None])
    assert [(file.name, file.read_text(encoding="utf-8")) for file in tmp_path.iterdir()] == [("readings.jsonl", "old")]
