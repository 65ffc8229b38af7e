"""Files of rehearsal rows."""

from __future__ import annotations

import io
import lzma
from dataclasses import fields, replace

import numpy as np
import pytest
from modern_training import training_page

from benchmarks.rehearsal import write_rehearsal
from scrapy_web2text.exceptions import ModelError
from scrapy_web2text.labelers.modern.network import MAX_INPUT
from scrapy_web2text.labelers.weights import load_model
from scrapy_web2text.training.modern.tuning_pages import REHEARSAL_FILE, read_rehearsal


@pytest.fixture
def model(base):
    return load_model(base)


def test_a_model_without_the_file_has_no_rehearsal_rows(model):
    assert read_rehearsal(model) == []


def test_rows_are_read_as_they_were_written_but_for_the_last_digits(model):
    pages = [training_page(number) for number in (1, 2, 5)]
    write_rehearsal(model.folder / REHEARSAL_FILE, pages, model.tensors)
    mean, deviation = model.tensors["mean"], model.tensors["deviation"]
    for page, read in zip(pages, read_rehearsal(model), strict=True):
        np.testing.assert_array_equal(read.labels, page.labels)
        for field in fields(page.features):
            was, now = getattr(page.features, field.name), getattr(read.features, field.name)
            assert now.dtype == was.dtype, field.name
            if field.name != "dense":
                np.testing.assert_array_equal(now, was, err_msg=field.name)
        inputs = [
            np.clip((rows - mean) / deviation, -MAX_INPUT, MAX_INPUT)
            for rows in (page.features.dense, read.features.dense)
        ]
        np.testing.assert_allclose(*inputs, atol=0.02)


def test_removed_columns_have_their_mean(model):
    tensors = {**model.tensors, "deviation": np.full_like(model.tensors["deviation"], np.inf)}
    write_rehearsal(model.folder / REHEARSAL_FILE, [training_page(1)], tensors)
    (page,) = read_rehearsal(replace(model, tensors=tensors))
    np.testing.assert_array_equal(page.features.dense, np.broadcast_to(tensors["mean"], page.features.dense.shape))


def _save(save, *arrays, **named):
    content = io.BytesIO()
    save(content, *arrays, **named)
    return lzma.compress(content.getvalue())


@pytest.mark.parametrize(
    "content", [b"", b"text", lzma.compress(b"text"), lzma.compress(b"PK\x03\x04"), _save(np.save, np.zeros(3))]
)
def test_other_files_are_refused(model, content):
    (model.folder / REHEARSAL_FILE).write_bytes(content)
    with pytest.raises(ModelError, match="expected rehearsal rows"):
        read_rehearsal(model)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("names", 10**6, "names: expected numbers from 0 to 8191"),
        ("title_words", -5, "title_words: expected numbers from 0 to"),
        ("labels", 7, "labels: expected numbers from 0 to 1"),
        ("names", "a", ""),
    ],
)
def test_rows_that_a_network_cannot_take_are_refused(model, name, value, message):
    path = model.folder / REHEARSAL_FILE
    write_rehearsal(path, [training_page(1), training_page(2)], model.tensors)
    stored = dict(np.load(io.BytesIO(lzma.decompress(path.read_bytes()))))
    path.write_bytes(_save(np.savez, **{**stored, name: np.full(stored[name].size or 1, value)}))
    with pytest.raises(ModelError, match=f"expected rehearsal rows: {message}"):
        read_rehearsal(model)


def test_rows_for_other_features_are_refused(model):
    write_rehearsal(model.folder / REHEARSAL_FILE, [training_page(1)], model.tensors)
    tensors = {**model.tensors, "mean": model.tensors["mean"][:-1]}
    with pytest.raises(ModelError, match="they were written for other features"):
        read_rehearsal(replace(model, tensors=tensors))


def test_the_shipped_rows_are_few_and_fit_the_shipped_model():
    from places import MODELS

    folder = MODELS / "web2text-2026"
    assert (folder / REHEARSAL_FILE).stat().st_size <= 300_000
    assert len(read_rehearsal(load_model(folder))) >= 50
