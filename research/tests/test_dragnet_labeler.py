"""Dragnet's features, compared with naive twins and computed by hand, and its labeler."""

from __future__ import annotations

import json
import shutil
import warnings

import naive_cetr as naive
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from places import PAGES
from safetensors.numpy import load_file
from strategies import html_trees

from research.dragnet import cetr
from research.dragnet.features import (
    FEATURE_SETS,
    BlockName,
    FeatureChoice,
    block_elements,
    block_names,
    cut_at_starts,
    find_names,
    measure_blocks,
)
from research.dragnet.labeler import DragnetLabeler
from scrapy_web2text.evaluation.scores import word_scores
from scrapy_web2text.exceptions import ModelError
from scrapy_web2text.extractor import Extractor
from scrapy_web2text.labelers.registry import get_labeler
from scrapy_web2text.labelers.weights import find_model, load_model
from scrapy_web2text.page.arrays import tree_to_page
from scrapy_web2text.page.blocks import block_texts
from scrapy_web2text.page.parse import to_tree
from scrapy_web2text.training.export import write_model

LINE = "The ferry left the harbor at noon, and no one on the quay was sorry to see it go again. "
WORDS = FeatureChoice(FEATURE_SETS, ids=("nav",), classes=("comment", "nav"))
small_numbers = st.floats(0, 1e4)
points = st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), min_size=1, max_size=40)


def page_of(html):
    return tree_to_page(to_tree(html))


def rows_of(html, choice):
    page = page_of(html)
    return measure_blocks(page, cut_at_starts(page), choice.sets).rows(choice)


def column_of(html, name, choice=WORDS):
    return rows_of(html, choice)[:, choice.names.index(name)].tolist()


def names_of(html):
    page = page_of(html)
    return block_names(page, block_elements(page, cut_at_starts(page)))


# CETR


@given(values=st.lists(small_numbers, min_size=1, max_size=30))
def test_smoothed_values_are_those_of_the_naive_twin(values):
    assert cetr.smooth(np.array(values)) == pytest.approx(naive.smooth(values), abs=1e-6)


@given(values=st.lists(small_numbers, min_size=1, max_size=30))
def test_the_derivative_is_that_of_the_naive_twin(values):
    assert cetr.absolute_derivative(np.array(values)) == pytest.approx(naive.absolute_derivative(values), abs=1e-6)


@given(points=points)
def test_the_clusters_with_the_least_error_of_a_few_starts_are_kept(points):
    generator = np.random.default_rng(cetr._SEED)
    errors = []
    for _ in range(cetr._N_STARTS):
        drawn = [points[i] for i in generator.integers(len(points), size=2).tolist()]
        errors.append(naive.squared_error(points, naive.clusters_from(points, [(0, 0), *drawn]), 3))
    found = cetr.cluster(np.array(points, dtype=float)).tolist()
    assert naive.squared_error(points, found, 3) == pytest.approx(min(errors))


@given(points=points, first=st.integers(0, 39), second=st.integers(0, 39))
def test_one_start_leads_to_the_clusters_of_the_naive_twin(points, first, second):
    centers = [(0, 0), points[first % len(points)], points[second % len(points)]]
    found, _ = cetr._run(np.array(points, dtype=float), np.array(centers, dtype=float))
    assert found.tolist() == naive.clusters_from(points, centers)


def test_clusters_end_after_a_fixed_number_of_rounds(monkeypatch):
    monkeypatch.setattr(cetr, "_MAX_ROUNDS", 1)
    points, centers = np.array([[1.0, 0], [9, 0], [10, 0]]), np.array([[0.0, 0], [2, 0], [3, 0]])
    assert cetr._run(points, centers.copy())[0].tolist() == [0, 2, 2]
    monkeypatch.setattr(cetr, "_MAX_ROUNDS", 50)
    assert cetr._run(points, centers.copy())[0].tolist() == [0, 2, 2]


def test_blocks_at_the_origin_are_boilerplate():
    points = np.array([[0.0, 1], [1, 0], [2, 1], [90, 80], [300, 10], [280, 20]])
    assert cetr.cetr_prediction(points).tolist() == [0, 0, 0, 1, 1, 1]
    assert cetr.cetr_prediction(np.zeros((0, 2))).tolist() == []
    assert cetr.cetr_prediction(np.zeros((4, 2))).tolist() == [0, 0, 0, 0]


# Names


def test_a_block_has_the_names_of_its_tags_and_of_the_tag_that_begins_it():
    html = """<body class=page><div id=main class=wrap><div class=post>a <b class=c1>b</b><i class=empty></i></div>
        <em class=after>c</em><p class=note>d</p></div>"""
    assert names_of(html) == [
        BlockName("class", "post", 0),
        BlockName("class", "c1", 0),
        BlockName("class", "empty", 0),
        BlockName("class", "after", 0),
        BlockName("class", "note", 1),
    ]


def test_names_of_dropped_elements_do_not_count():
    html = "<p>a<script class=x>1</script><select id=y><option class=z>1</select><!-- <b class=w> --><b id=q></b>"
    assert names_of(html) == [BlockName("id", "q", 0)]


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("nav", {"nav"}),
        ("Main-Nav nav_2", {"main", "nav"}),
        ("postComment", {"post", "comment"}),
        ("NAVBar", {"nav", "bar"}),
        ("größe 导航", {"gr", "öß", "e", "导航"}),
        ("42 -- _", set()),
    ],
)
def test_a_name_is_split_into_words(value, words):
    assert BlockName("id", value, 0).words == words


def test_ids_and_classes_are_distinguished():
    names = [
        BlockName("id", "nav", 0),
        BlockName("class", "comment-nav", 1),
        BlockName("class", "comment-nav", 3),
        BlockName("class", "other", 2),
    ]
    rows = find_names(names, 4, WORDS.words)
    assert rows.tolist() == [[1, 0, 0], [0, 1, 1], [0, 0, 0], [0, 1, 1]]


# Columns


def test_names_are_in_the_order_of_the_columns():
    assert WORDS.names == (
        *("prev.text_density", "curr.text_density", "next.text_density"),
        *("prev.link_density", "curr.link_density", "next.link_density"),
        *("tag_ratio", "tag_ratio_change", "cetr"),
        *("id:nav", "class:comment", "class:nav"),
    )
    assert FeatureChoice(("ic", "st"), ids=("a",)).names == (*WORDS.names[:6], "id:a")
    assert FeatureChoice(("cetr",), ids=("a",)).names == WORDS.names[6:9]


def test_densities_are_those_of_the_block_and_its_neighbors():
    html = "<p>one two <a>three four</a></p><p>five</p><p><a>six seven</a></p>"
    assert column_of(html, "curr.text_density") == [4, 1, 2]
    assert column_of(html, "prev.text_density") == [0, 4, 1]
    assert column_of(html, "next.text_density") == [1, 2, 0]
    assert column_of(html, "curr.link_density") == [0.5, 0, 1]
    assert column_of(html, "prev.link_density") == [0, 0.5, 0]
    assert column_of(html, "next.link_density") == [0, 1, 0]


def test_the_tag_ratio_is_the_length_of_the_text_divided_by_the_number_of_tags():
    html = "<p>ten   chars\n</p><p>a <b>b</b> <i>c</i> d</p><p>xyz"
    ratios = [9.0, 7 / 3, 3.0]
    assert column_of(html, "tag_ratio") == pytest.approx(naive.smooth(ratios))
    assert column_of(html, "tag_ratio_change") == pytest.approx(naive.smooth(naive.absolute_derivative(ratios)))


def test_a_word_is_only_found_in_its_attribute():
    html = "<p id=top-nav>a<p class='nav comment'>b<p class=comments>c"
    assert rows_of(html, FeatureChoice(("ic",), ("nav",), ("comment", "nav"))).tolist() == [
        [1, 0, 0],
        [0, 1, 1],
        [0, 0, 0],
    ]


@given(source=html_trees(), sets=st.sets(st.sampled_from(FEATURE_SETS), min_size=1))
def test_columns_are_finite_and_do_not_depend_on_the_other_sets(source, sets):
    page = page_of(source)
    blocks = cut_at_starts(page)
    if not blocks.n_blocks:
        return
    choice = FeatureChoice(tuple(sets), WORDS.ids, WORDS.classes)
    rows, every = measure_blocks(page, blocks, sets).rows(choice), measure_blocks(page, blocks).rows(WORDS)
    assert rows.shape == (blocks.n_blocks, len(choice.names))
    assert np.isfinite(rows).all()
    assert (rows == every[:, [WORDS.names.index(name) for name in choice.names]]).all()


@given(source=html_trees())
def test_blocks_are_whole_leaves_in_order(source):
    page = page_of(source)
    blocks = cut_at_starts(page)
    assert (np.diff(blocks.leaves) > 0).all()
    assert len(block_texts(page, blocks)) == blocks.n_blocks
    assert blocks.leaf_blocks.tolist() == sorted(blocks.leaf_blocks.tolist())


# The labeler


@pytest.fixture
def folder(tmp_path):
    copy = tmp_path / "model"
    shutil.copytree(find_model("dragnet-2013"), copy)
    return copy


def change(folder, *, tensors=None, **entries):
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8")) | entries
    write_model(folder, tensors or load_file(folder / "weights.safetensors"), manifest, {})


def test_a_block_is_content_if_its_columns_outweigh_the_bias(folder):
    choice = FeatureChoice(("st",))
    weight = np.array([0, 1, 0, 0, -5, 0], dtype=np.float32)
    change(
        folder,
        tensors={"weight": weight, "bias": np.array([-2], dtype=np.float32)},
        features=list(choice.names),
        feature_sets=["st"],
        ids=[],
        classes=[],
    )
    page = page_of("<p>one two three four</p><p>one</p><p><a>one two three four</a></p>")
    labeler = DragnetLabeler(load_model(folder))
    for decoder in ("marginal", "viterbi"):
        answer = labeler.label(page, decoder=decoder)
        assert answer.labels.tolist() == [1, 0, 0]
        assert answer.probabilities == pytest.approx(1 / (1 + np.exp([-2, 1, 3])))
        assert answer.n_tokens.tolist() == [4, 1, 4]
        assert labeler.label(page, decoder=decoder, threshold=0.9).labels.tolist() == [0, 0, 0]


def test_a_signaling_nan_is_an_error_and_no_warning(folder):
    tensors = load_file(folder / "weights.safetensors")
    tensors["weight"].view(np.uint32)[:] = 0x7F800001
    change(folder, tensors=tensors)
    with warnings.catch_warnings(action="error"), pytest.raises(ModelError, match="finite numbers in weight"):
        Extractor(model=str(folder), fallback=None)


def test_the_model_finds_the_text_of_the_handwritten_pages():
    extractor = Extractor(model="dragnet-2013", fallback=None, blocks="none")
    scores = [
        word_scores(extractor.extract(path.read_bytes()).text, path.with_suffix(".txt").read_text(encoding="utf-8")).f1
        for path in PAGES
    ]
    assert np.mean(scores) >= 0.75  # 0.789 when it was trained


def test_the_model_folder_is_small_and_has_only_words_of_names():
    folder = find_model("dragnet-2013")
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    assert (folder / "weights.safetensors").stat().st_size < 200_000
    assert [corpus["name"] for corpus in manifest["corpora"]] == ["wcxb", "cleaneval"]
    assert all(word.islower() or not word.isascii() for word in [*manifest["ids"], *manifest["classes"]])


@pytest.mark.parametrize("html", ["<p></p>", "<body><p>word", "<select><option>x</select>"])
def test_small_pages_get_an_answer(html):
    extraction = Extractor(model="dragnet-2013", fallback=None).extract(html)
    assert extraction.method == "model"
    assert len(extraction.blocks) == html.count("word")


def test_pages_with_many_names_and_blocks_get_an_answer():
    html = "<div class='" + "nav-item " * 20_000 + "'>" + "<p class=c id=i>x" * 5_000 + "<b>" * 300 + LINE * 2_000
    labeling = get_labeler("dragnet-2013").label(page_of(html))
    assert labeling.blocks.n_blocks == 5_000
    assert np.isfinite(labeling.probabilities).all()


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ({"features": ["a"]}, "expected column 0 of features to be 'prev.text_density', got 'a'"),
        ({"segmentation": "shallow"}, "segmentation: expected one of 'dragnet'"),
        ({"feature_sets": ["st", "css"]}, "expected feature_sets from st, cetr, ic, got"),
        ({"feature_sets": []}, "expected feature_sets from st, cetr, ic, got"),
        ({"ids": None}, "ids: expected a list"),
        ({"classes": [1]}, r"expected classes to be strings, got \[1\]"),
        ({"tensors": {"bias": np.zeros(1, dtype=np.float32)}}, "expected a tensor weight"),
        ({"tensors": {"weight": np.zeros(3, dtype=np.float32)}}, "expected a tensor weight"),
    ],
    ids=["features", "segmentation", "unknown set", "no set", "ids", "classes", "no weight", "short weight"],
)
def test_an_invalid_folder_raises_a_model_error(folder, entries, message):
    change(folder, **entries)
    with pytest.raises(ModelError, match=message):
        DragnetLabeler(load_model(folder))


def cut(html):
    page = page_of(html)
    return block_texts(page, cut_at_starts(page))


@pytest.mark.parametrize(
    ("html", "texts"),
    [
        (
            "a<p>b</p><h1>c</h1><div>d<div>e</div></div><table><tr><td>f</td><td>g</td></tr></table><ul><li>h</ul>",
            ["a", "b", "c", "d", "e", "fgh"],
        ),
        ("<div>a <div>b <em>c</em></div> d<br>e</div> f<p>g", ["a", "b c de f", "g"]),
    ],
    ids=["each tag of the set begins a block", "a block continues after an end tag"],
)
def test_blocks_are_cut_as_dragnet_cuts_them(html, texts):
    assert cut(html) == texts
