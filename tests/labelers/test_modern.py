"""The modern labeler, and all models on the handwritten pages."""

from __future__ import annotations

import json
import shutil

import numpy as np
import pytest
from places import PAGES, SITE
from safetensors.numpy import load_file

from scrapy_web2text.evaluation.scores import word_scores
from scrapy_web2text.exceptions import ModelError
from scrapy_web2text.extractor import Extractor
from scrapy_web2text.labelers.confidence import CONFIDENCE_STATISTICS
from scrapy_web2text.labelers.modern.labeler import ModernLabeler
from scrapy_web2text.labelers.modern.network import tensor_shapes
from scrapy_web2text.labelers.weights import find_model, load_model
from scrapy_web2text.training.export import write_model


@pytest.fixture
def folder(tmp_path):
    copy = tmp_path / "model"
    shutil.copytree(find_model("web2text-2026"), copy)
    return copy


def change(folder, *, tensors=None, **entries):
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8")) | entries
    write_model(folder, tensors or load_file(folder / "weights.safetensors"), manifest, {})


# Measured when they were trained: 0.981 and 0.8.
@pytest.mark.parametrize(
    ("model", "least"),
    [("web2text-2026", 0.96), ("web2text-2018", 0.77)],
)
def test_the_models_find_the_text_of_the_handwritten_pages(model, least):
    extractor = Extractor(model=model, fallback=None, blocks="none")
    scores = [
        word_scores(extractor.extract(path.read_bytes()).text, path.with_suffix(".txt").read_text(encoding="utf-8")).f1
        for path in PAGES
    ]
    assert np.mean(scores) >= least


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        (
            {"features": ["a"]},
            "expected column 0 of features to be .*, got 'a': the model was trained on other features",
        ),
        ({"dilations": [1, 2, 4, 8, 16, 1]}, "expected a tensor norm.5.weight"),
        ({"dilations": [1] * 33}, "dilations: expected numbers from 1 to 1024, got"),
        ({"page_types": [f"a{'b' * n}" for n in range(33)]}, "page_types: expected different words or None, got"),
        ({"pooled": None}, "pooled: expected different numbers of 5 layers, got None"),
        ({"dilations": [1, 2, 4, 8, 10**9]}, "dilations: expected numbers from 1 to 1024, got"),
        ({"dilations": [1, 2, 4, 8, -16]}, "dilations: expected numbers from 1 to 1024, got"),
        ({"pooled": [1, 7]}, "pooled: expected different numbers of 5 layers, got"),
        ({"grouped": [2, 2]}, "grouped: expected different numbers of 5 layers, got"),
        ({"presets": {"\x1b": 0.5}}, r"presets: expected thresholds between 0 and 1 .*, got {'\\x1b': 0.5}"),
        ({"presets": {"precision": True}}, "presets: expected thresholds between 0 and 1 .*, got {'precision': True}"),
        ({"presets": {"precision": 1.5}}, "presets: expected thresholds between 0 and 1 .*, got {'precision': 1.5}"),
        (
            {"confidence": dict.fromkeys(CONFIDENCE_STATISTICS, 1.7e308)},
            "confidence: expected a table of numbers, with constant",
        ),
        ({"confidence": {"constant": True}}, "confidence: expected a table of numbers, with constant, .*, got"),
        ({"page_types": ["article", 3]}, "page_types: expected different words or None, got \\['article', 3\\]"),
        ({"page_types": ["article", "article"]}, "page_types: expected different words or None, got"),
        ({"page_types": ["article", "forum"]}, "expected a tensor page_type.weight of shape"),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, dict) else "",
)
def test_an_invalid_manifest_raises_a_model_error(folder, entries, message):
    change(folder, **entries)
    with pytest.raises(ModelError, match=message):
        ModernLabeler(load_model(folder))


@pytest.mark.parametrize("name", ["page_type.weight", "unary.weight"], ids=["page-type", "weights"])
def test_what_is_not_finite_is_answered_by_the_rules(folder, name):
    tensors = load_file(folder / "weights.safetensors")
    tensors[name] = np.full(tensors[name].shape, 3e38, np.float32)
    change(folder, tensors=tensors)
    answer = Extractor(model=str(folder)).extract(PAGES[0].read_bytes())
    assert (answer.reason, answer.method, answer.page_type) == ("model_error", "rules", None)
    json.dumps(answer.to_dict(), allow_nan=False)


def test_the_type_of_a_page_is_told_with_its_probability():
    answer = Extractor().extract((PAGES[0].parent / "forum-thread.html").read_bytes())
    assert (answer.page_kind, answer.page_type) == ("content", "forum")
    assert 1 / 7 < answer.page_type_probability <= 1


def test_a_model_that_does_not_tell_types_answers_without_them(folder):
    expected = Extractor().extract(PAGES[0].read_bytes())
    change(folder, page_types=[])
    answer = Extractor(model=str(folder)).extract(PAGES[0].read_bytes())
    assert (answer.text, answer.confidence) == (expected.text, expected.confidence)
    assert (answer.page_type, answer.page_type_probability) == (None, None)


@pytest.mark.parametrize("name", ["names", "conv.0.weight", "pairwise.bias", "page_type.bias"])
def test_a_missing_tensor_raises_a_model_error(folder, name):
    tensors = load_file(folder / "weights.safetensors")
    del tensors[name]
    change(folder, tensors=tensors)
    with pytest.raises(ModelError, match="expected a tensor"):
        ModernLabeler(load_model(folder))


@pytest.mark.parametrize(("members", "width", "columns"), [(8_000, 1, 0), (257, 1, 257), (1, 257, 1), (1, 24, 257)])
def test_networks_of_any_size_are_refused(folder, members, width, columns):
    sizes = {"n_dense": 204, "n_layers": 5, "n_pooled": 2, "n_grouped": 2, "n_types": 7}
    shapes = tensor_shapes(n_members=members, width=width, bag_size=columns // members, **sizes)
    change(folder, tensors={name: np.zeros(shape, dtype=np.float16) for name, shape in shapes.items()})
    with pytest.raises(ModelError, match=f"expected at most 256 columns of all members, got {members} members of"):
        ModernLabeler(load_model(folder))


def test_a_network_of_roles_that_is_too_wide_is_refused(folder):
    change(folder, tensors=load_file(folder / "weights.safetensors") | {"roles.0.weight": np.zeros((406, 257), "f2")})
    with pytest.raises(ModelError, match=r"expected a tensor roles.0.weight of shape \(406, 256\)"):
        ModernLabeler(load_model(folder))


def test_text_is_found_inside_400_named_elements():
    path = PAGES[0].parent / "deep-wrappers.html"
    answer = Extractor(fallback=None).extract(path.read_bytes())
    assert word_scores(answer.text, path.with_suffix(".txt").read_text(encoding="utf-8")).f1 > 0.95


@pytest.mark.parametrize("body", ["", "<div id=app></div><p>Please enable JavaScript</p>"], ids=["empty", "shell"])
def test_a_page_without_main_content_gets_an_answer(body):
    answer = Extractor().extract(f"<body>{body}</body>")
    assert (answer.method, answer.text, answer.reason) == ("model", "", None)


def test_the_default_model_drops_the_cookie_banner_of_the_example_site():
    site = SITE
    text = Extractor(fallback=None).extract((site / "courier" / "night-ferry.html").read_bytes()).text
    assert "For eleven years the last boat out of Marrow Bay has been the quarter past seven." in text
    for around in ("cookies", "Accept all", "Subscribe", "Most read", "Advertisement"):
        assert around not in text
