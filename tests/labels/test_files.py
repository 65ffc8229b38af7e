"""Files of labels, by number and hash of blocks; the files in the repository."""

from __future__ import annotations

import dataclasses
import json
import lzma

import pytest
from labeled_pages import write_labels
from places import MODELS

from scrapy_web2text.labels.files import PageLabels, hash_text, read_labels
from scrapy_web2text.labels.fit import label_all

TEXTS = [f"Block number {number}" for number in range(20)]
READING = PageLabels(
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


def test_white_space_does_not_matter():
    assert hash_text(" Block\n number\t0 ") == hash_text("Block number 0") != hash_text("Blocknumber 0")


CHANGED = {
    "the same page": (TEXTS, [3, 4, 5, 9]),
    "a tenth of the texts changed": (["new", *TEXTS[1:19], "new"], [3, 4, 5, 9]),
    "more texts changed": (["new", "new", *TEXTS[2:19], "new"], None),
    "moved down": (["Inserted", *TEXTS], [4, 5, 6, 10]),
    "moved up": (TEXTS[2:], [1, 2, 3, 7]),
    "a block between content is content": ([*TEXTS[:4], "Inserted", *TEXTS[4:]], [3, 4, 5, 6, 10]),
    "a block at a border is in doubt": ([*TEXTS[:3], "Inserted", *TEXTS[3:]], None),
    "a block for a lost one": ([*TEXTS[:15], "new", *TEXTS[15:19]], [3, 4, 5, 9]),
    "a block for a lost one of another label": ([*TEXTS[:9], *TEXTS[10:15], "new", "newer", *TEXTS[15:]], None),
    "another page": (["Another text"] * 20, None),
    "no blocks": ([], None),
    "half of the page": (TEXTS[:9], None),
}


@pytest.mark.parametrize(("texts", "expected"), CHANGED.values(), ids=CHANGED)
def test_labels_are_fitted_to_a_changed_page_unless_in_doubt(texts, expected):
    labels = label_all(READING, texts)
    assert (None if labels is None else numbers_of(labels)) == expected


def test_equal_texts_are_told_apart_by_their_place():
    same = PageLabels("wcxb", "1", ((1, 1),), (hash_text("a"),) * 3)
    assert numbers_of(label_all(same, ["a", "a", "a"])) == [1]


@pytest.mark.parametrize("name", ["readings.jsonl", "readings.jsonl.xz"])
def test_readings_survive_a_file(tmp_path, name):
    plain = dataclasses.replace(READING, id="0002", type=None, published=None, reader="", note="")
    write_labels(tmp_path / name, [READING, plain])
    assert read_labels(tmp_path / name) == {("wcxb", "0001"): READING, ("wcxb", "0002"): plain}


def test_the_later_reading_of_a_page_counts(tmp_path):
    later = dataclasses.replace(READING, content=())
    write_labels(tmp_path / "readings.jsonl", [READING, later])
    assert [*read_labels(tmp_path / "readings.jsonl").values()] == [later]


def test_keys_of_other_programs_are_ignored(tmp_path):
    path = tmp_path / "readings.jsonl"
    entry = {"corpus": "a", "id": "1", "content": [[0, 0]], "hashes": ["0"], "n_blocks": 1, "mood": "good"}
    path.write_text(json.dumps(entry) + "\n\n", encoding="utf-8")
    assert read_labels(path) == {("a", "1"): PageLabels("a", "1", ((0, 0),), ("0",))}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "expected JSON"),
        ("[" * 200_000, "expected JSON: maximum recursion"),
        ("[]", "expected `object`, got `array`"),
        ('{"corpus": "a", "id": "1", "content": [], "hashes": [null]}', "hashes\\[0\\]: expected `str`, got `null`"),
        (
            '{"corpus": "a", "id": "1", "content": [], "hashes": ["0"], "words": [1e400]}',
            "words\\[0\\]: expected `int`",
        ),
        ('{"corpus": "a", "id": "1", "content": [], "hashes": ["0"], "words": [-1]}', "words\\[0\\]: expected `int`"),
        (
            f'{{"corpus": "a", "id": "1", "content": [], "hashes": ["0"], "words": [{2**63}]}}',
            "words\\[0\\]: expected `int`",
        ),
        (
            '{"corpus": "a", "id": "1", "content": [], "hashes": [], "certainty": true}',
            "certainty: expected `float`, got `bool`",
        ),
        ('{"corpus": "a", "id": "1", "content": [], "hashes": [], "certainty": NaN}', "from 0 to 1, got nan"),
        ('{"corpus": "a", "id": "1", "content": []}', "missing field `hashes`"),
        ('{"corpus": 1, "id": "1", "content": [], "hashes": []}', "corpus: expected `str`, got `int`"),
        ('{"corpus": "a", "id": "1", "content": [3], "hashes": ["0"]}', "content\\[0\\]: expected `array`, got `int`"),
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
        read_labels(path)


def test_a_byte_order_mark_from_an_editor_is_not_part_of_the_first_line(tmp_path):
    path = tmp_path / "readings.jsonl"
    write_labels(path, [READING])
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert read_labels(path) == {("wcxb", "0001"): READING}


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("none.jsonl", None, "cannot read the labels file: No such file or directory"),
        ("none.jsonl.xz", None, "cannot read the labels file: No such file or directory"),
        ("plain.jsonl.xz", b"{}", "expected JSON Lines, compressed if the name ends in .xz"),
        ("cut.jsonl.xz", lzma.compress(b"{}")[:-5], "expected JSON Lines, compressed if the name ends in .xz"),
        ("compressed.jsonl", lzma.compress(b"{}"), "expected JSON Lines, compressed if the name ends in .xz"),
    ],
)
def test_the_error_of_a_file_that_cannot_be_read_names_it(tmp_path, name, content, message):
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(ValueError, match=f"{name}: {message}"):
        read_labels(tmp_path / name)


@pytest.mark.parametrize("name", ["readings.jsonl", "readings.jsonl.xz"])
def test_a_file_that_decompresses_to_too_much_is_refused(tmp_path, monkeypatch, name):
    monkeypatch.setattr("scrapy_web2text.labels.files._MOST_BYTES", 100)
    path = tmp_path / name
    path.write_bytes(lzma.compress(b"\n" * 101) if path.suffix == ".xz" else b"\n" * 101)
    with pytest.raises(ValueError, match="expected labels of at most 100 bytes, decompressed"):
        read_labels(path)


@pytest.mark.slow
def test_the_readings_are_complete_and_hold_no_text():
    first, second = (read_labels(MODELS / "readings" / f"{name}.jsonl.xz") for name in ("readings", "second"))
    assert (len(first), len(second)) == (1917, 86)
    assert all(first[key].hashes[:1] == second[key].hashes[:1] for key in second)
    readings = [*first.values(), *second.values()]
    assert {reading.kind for reading in readings} <= {"content", "login", "contact", "error", "empty", "shell"}
    assert all(reading.reader for reading in readings)
    assert all(len(digits) == 10 for reading in readings for digits in reading.hashes)
