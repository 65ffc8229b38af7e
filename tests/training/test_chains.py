"""Chain models from a recipe to a folder: the loss, and the trained model of each kind."""

from __future__ import annotations

import itertools
import json
import shutil
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import torch
from labeled_pages import TINY_SPLITS, make_page, write_tiny_corpus
from places import MODELS
from random_models import change_manifest

from scrapy_web2text.cli.main import main
from scrapy_web2text.exceptions import ModelError
from scrapy_web2text.extractor import Extractor
from scrapy_web2text.features.cnn_hmm import PageFeatures
from scrapy_web2text.labelers.hmm import marginals
from scrapy_web2text.labelers.registry import get_labeler
from scrapy_web2text.labelers.weights import load_model
from scrapy_web2text.page.arrays import tree_to_page
from scrapy_web2text.page.parse import to_tree
from scrapy_web2text.research.torch_chain import torch_threads
from scrapy_web2text.training.chains.build import chain_loss, leaf_f1, page_potentials, read_chain_recipe
from scrapy_web2text.training.chains.crf import CrfNetwork
from scrapy_web2text.training.chains.data import ChainPage
from scrapy_web2text.training.epochs import EpochChoice, fit_epochs
from scrapy_web2text.training.export import write_model
from scrapy_web2text.training.networks import describe_networks, networks_to_tensors
from scrapy_web2text.training.recipe import NetworkChoice

LINEAR = NetworkChoice(channels=(), kernels=(1,), bias=True, deviation=0.3)
DEEP = NetworkChoice(channels=(6,), kernels=(3, 3), bias=True, deviation=0.3)


def crf_page(n_blocks, seed=0):
    rows = make_page(n_blocks, seed)
    features = PageFeatures(rows.block_features, rows.edge_features, np.ones(n_blocks, dtype=np.int64))
    return ChainPage(features, rows.labels, np.arange(n_blocks), rows.labels)


def crf(choice=LINEAR, seed=0):
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        return CrfNetwork(choice)


@pytest.mark.parametrize("choice", [LINEAR, DEEP], ids=["linear", "cnn"])
def test_the_loss_is_the_likelihood_of_the_labeling_among_all_labelings(choice):
    pages = [crf_page(5), crf_page(1, seed=1), crf_page(3, seed=2)]
    network = crf(choice)
    expected = 0.0
    for page in pages:
        unary, pairwise = (part[0].tolist() for part in network([page.features]))
        totals = {
            labels: sum(unary[i] for i, label in enumerate(labels) if label)
            + sum(pairwise[i][2 * a + b] for i, (a, b) in enumerate(itertools.pairwise(labels)))
            for labels in itertools.product((0, 1), repeat=page.n_blocks)
        }
        expected += np.logaddexp.reduce(list(totals.values())) - totals[tuple(page.labels.tolist())]
    assert chain_loss(network, pages).item() == pytest.approx(expected / 9, rel=1e-4)


@pytest.mark.parametrize("part", ["unary", "pairwise"])
def test_a_gradient_step_of_either_network_increases_the_likelihood(part):
    network, pages = crf(), [crf_page(6), crf_page(4, seed=1)]
    before = chain_loss(network, pages)
    before.backward()
    with torch.no_grad():
        for weights in getattr(network, part).parameters():
            assert weights.grad.abs().max() > 0
            weights.sub_(0.003 * weights.grad)
    assert chain_loss(network, pages).item() < before.item()


def test_the_loop_learns_and_keeps_the_best_epoch():
    network, pages, val = crf(DEEP), [crf_page(20, seed) for seed in range(12)], [crf_page(40, 99)]
    choice = EpochChoice(epochs=8, batch=4, learning_rate=0.02, warm_up=2, weight_decay=0.0, averaged=0.0)
    curve = fit_epochs(
        network, pages, lambda drawn: chain_loss(network, drawn), lambda each: leaf_f1(each, val), choice, seed=0
    )
    assert curve.score > 0.95
    assert len(curve.scores) == 8
    assert leaf_f1(network, val) == curve.score == curve.scores[curve.epoch - 1]


def test_the_first_of_equal_epochs_is_kept():
    network, scores = crf(), iter([0.5, 0.7, 0.7])
    choice = EpochChoice(epochs=3, batch=4, learning_rate=0.02, warm_up=2, weight_decay=0.0, averaged=0.0)
    seen = []

    def score(judged):
        seen.append(judged.unary.weights[0].detach().clone())
        return next(scores)

    curve = fit_epochs(network, [crf_page(9)], lambda drawn: chain_loss(network, drawn), score, choice, seed=0)
    assert (curve.epoch, curve.score) == (2, 0.7)
    assert torch.equal(network.unary.weights[0], seen[1])


def test_leaves_take_the_labels_of_their_blocks():
    page = crf_page(3)
    merged = ChainPage(page.features, page.labels, np.array([0, 0, 1, 2]), np.array([1, 0, 1, 1]))
    network = crf()
    with torch.no_grad():
        for weights in network.parameters():
            weights.zero_()
        network.unary.biases[0][1] = 1.0  # every block is content
    assert leaf_f1(network, [merged]) == pytest.approx(2 * 3 / (4 + 3))


# --- from a recipe to a folder

_LOUD = [("warm_up = 50", "warm_up = 3"), ("averaged = 0.99", "averaged = 0.0")]
SMALL = {
    "crf-2018": [
        ("epochs = 40", "epochs = 10"),
        ("warm_up = 50", "warm_up = 3"),
        ("learning_rate = 2e-3", "learning_rate = 5e-2"),
    ],
    "boilernet": [
        *_LOUD,
        ("epochs = 14", "epochs = 10"),
        ("learning_rate = 2e-3", "learning_rate = 2e-2"),
        ("width = 96", "width = 12"),
        ("units = 96", "units = 8"),
    ],
    "semtext": [
        *_LOUD,
        ("epochs = 12", "epochs = 14"),
        ("learning_rate = 1e-3", "learning_rate = 2e-2"),
        ("buckets = 8192", "buckets = 200"),
        ("size = 32 ", "size = 8"),
        ("filters = [128, 128, 256]", "filters = [8, 8, 8]"),
        ("units = 128", "units = 8"),
        ("dropout = 0.5", "dropout = 0.0"),
    ],
}
KINDS = list(SMALL)


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data")
    write_tiny_corpus(folder / "tiny")
    return folder


def write_recipe(folder, name, *changes):
    text = (MODELS / name / "recipe.toml").read_text(encoding="utf-8")
    for old, new in [('name = "cleaneval"', 'name = "tiny"'), *SMALL[name], *changes]:
        assert old in text
        text = text.replace(old, new)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "recipe.toml").write_text(text, encoding="utf-8")
    (folder / "splits.json").write_text(json.dumps(TINY_SPLITS), encoding="utf-8")
    return folder / "recipe.toml"


def train(recipe, data, out, *seeds):
    return main(["train", str(recipe), "--data", str(data), "--out", str(out), "--seed", *map(str, seeds or (0,))])


@pytest.fixture(scope="module")
def folders(data, tmp_path_factory):
    """Return the folder of a kind, trained on first use."""

    @cache
    def make(kind):
        folder = tmp_path_factory.mktemp(kind)
        assert train(write_recipe(folder, kind), data, folder / "out") == 0
        return folder / "out"

    return make


@pytest.fixture(params=KINDS)
def trained(request, folders):
    return folders(request.param)


def test_a_trained_folder_has_the_scores_of_its_manifest(trained, data, capsys):
    manifest = load_model(trained).manifest
    val = manifest["scores"]["val"]
    assert val["leaf_f1"] > 0.9
    assert val["leaf_f1"] == max(val["epochs"]) == val["epochs"][val["epoch"] - 1]
    arguments = ["--corpus", "tiny", "--data", str(data), "--model", str(trained)]
    splits = ["--splits", str(trained / "splits.json"), "--split", "web2text", "--part", "val"]
    assert main(["evaluate", *arguments, *splits, "--format", "json"]) == 0
    (result,) = json.loads(capsys.readouterr().out)["results"]
    assert result["blocks"]["f1"] == pytest.approx(val["leaf_f1"], abs=2e-3)


def test_a_trained_folder_has_its_recipe_and_its_seeds(trained):
    manifest = load_model(trained).manifest
    assert manifest["corpora"] == [{"name": "tiny", "split": "web2text", "train": "train", "val": "val"}]
    assert manifest["seeds"] == [0]
    assert manifest["n_weights"] == sum(tensor.size for tensor in load_model(trained).tensors.values())
    assert manifest["training_minutes"] >= 0
    assert (trained / "recipe.toml").read_text(encoding="utf-8").count('name = "tiny"') == 1


def test_a_page_can_have_a_single_block(trained):
    answer = get_labeler(str(trained)).label(tree_to_page(to_tree("<p>Imprint</p>")))
    assert (len(answer.labels), answer.n_tokens.tolist()) == (1, [1])


@pytest.mark.parametrize("kind", KINDS)
def test_a_training_is_repeatable_and_the_best_of_several_seeds_is_written(kind, data, tmp_path):
    recipe = write_recipe(tmp_path, kind)
    for out, seeds in (("a", (1,)), ("b", (1,)), ("both", (1, 0))):
        assert train(recipe, data, tmp_path / out, *seeds) == 0
    a, b, both = (load_model(tmp_path / out) for out in ("a", "b", "both"))
    assert all(np.array_equal(a.tensors[name], b.tensors[name]) for name in a.tensors)
    by_seed = both.manifest["scores"]["val_leaf_f1_by_seed"]
    assert set(by_seed) == {"0", "1"}
    assert by_seed[str(both.manifest["seeds"][0])] == max(by_seed.values())


def test_pages_without_blocks_are_skipped(data, tmp_path, capsys):
    for number, html in ((9, ""), (10, "<body><script>no text</script></body>"), (11, None)):
        source = data / "tiny" / "html" / f"{number}.html"
        copy = tmp_path / "data" / "tiny"
        for part in ("html", "text"):
            (copy / part).mkdir(parents=True, exist_ok=True)
        (copy / "html" / source.name).write_text(source.read_text() if html is None else html, encoding="utf-8")
        (copy / "text" / f"{number}.txt").write_text(
            (data / "tiny" / "text" / f"{number}.txt").read_text(encoding="utf-8"), encoding="utf-8"
        )
    recipe = write_recipe(tmp_path / "model", "crf-2018")
    parts = {"web2text": {"train": [9, 11], "val": [10]}}
    (tmp_path / "model" / "splits.json").write_text(json.dumps(parts), encoding="utf-8")
    assert train(recipe, tmp_path / "data", tmp_path / "out") == 1
    assert "expected one or more pages with blocks, found none" in capsys.readouterr().err
    parts["web2text"]["val"] = [11]
    (tmp_path / "model" / "splits.json").write_text(json.dumps(parts), encoding="utf-8")
    assert train(recipe, tmp_path / "data", tmp_path / "out") == 0


def test_a_training_that_diverges_writes_no_model(data, tmp_path, capsys):
    recipe = write_recipe(tmp_path / "model", "crf-2018")
    text = recipe.read_text(encoding="utf-8")
    assert "learning_rate = 5e-2" in text
    recipe.write_text(text.replace("learning_rate = 5e-2", "learning_rate = 1e38"), encoding="utf-8")
    assert train(recipe, data, tmp_path / "out") == 1
    assert "expected a smaller training.learning_rate" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_folds_are_for_modern_models_only(data, tmp_path, capsys):
    recipe = write_recipe(tmp_path, "crf-2018")
    assert main(["train", str(recipe), "--data", str(data), "--out", str(tmp_path / "out"), "--folds", "3"]) == 1
    assert "several seeds a modern or a chain model, got the kind 'crf'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("kind", "change", "message"),
    [
        ("crf-2018", ('name = "crf-2018"', 'name = ""'), "name: expected a name, got ''"),
        (
            "crf-2018",
            ("averaged = 0.0", "averaged = 1.0"),
            r"training.averaged: expected a number in \[0, 1\), got 1.0",
        ),
    ],
)
def test_a_recipe_out_of_range_is_rejected(tmp_path, kind, change, message):
    recipe = write_recipe(tmp_path, kind, change)
    with pytest.raises(ValueError, match=message):
        read_chain_recipe(recipe, kind.partition("-")[0])


# --- systems that run with torch


@pytest.fixture(params=["boilernet", "semtext"])
def research_folder(request, folders):
    return folders(request.param)


def test_weights_have_half_precision(research_folder):
    model = load_model(research_folder)
    assert {tensor.dtype for tensor in model.tensors.values()} == {np.dtype(np.float16)}


@pytest.mark.parametrize("threads", [1, 4])
def test_several_threads_get_equal_answers(research_folder, threads):
    labeler = get_labeler(str(research_folder))
    page = tree_to_page(to_tree("<h1>Title</h1>" + "<p>Some text of the journey.</p><div>x</div>" * 9))
    with ThreadPoolExecutor(threads) as pool:
        answers = list(pool.map(lambda _: labeler.label(page).probabilities.tolist(), range(8)))
    assert answers == [answers[0]] * 8


def test_a_page_takes_one_thread_and_the_number_of_torch_is_restored(research_folder):
    labeler, seen = get_labeler(str(research_folder)), []
    hook = labeler._network.register_forward_hook(lambda *_: seen.append(torch.get_num_threads()))
    with torch_threads(3):
        labeler.label(tree_to_page(to_tree("<h1>Title</h1><p>Some text</p>")))
        seen.append(torch.get_num_threads())
    hook.remove()
    assert seen == [1, 3]


@pytest.mark.parametrize(
    ("kind", "keys", "value", "message"),
    [
        ("boilernet", ("words",), [-1], "expected 'words' to be one or more 64-bit hashes"),
        ("boilernet", ("words",), [], "expected 'words' to be one or more 64-bit hashes"),
        ("boilernet", ("network", "units"), 0, "expected network.units to be a number from 1 to [0-9]+, .*, got 0"),
        ("boilernet", ("network", "units"), 10**30, "expected network.units to be a number from 1 to"),
        ("boilernet", ("network", "units"), 1000, "expected a tensor lstm.* of shape"),
        ("boilernet", ("tags",), [["p"]], "expected 'tags' to be tag names"),
        ("boilernet", ("network", "width"), 3, "expected a tensor dense.weight of shape"),
        ("semtext", ("strings",), ["ids"], "expected 'strings' to be some of text, tags, classes, in this order, got"),
        ("semtext", ("strings",), [["text"], "tags"], "expected 'strings' to be some of"),
        ("semtext", ("strings",), ["classes", "tags", "text"], "expected 'strings' to be some of"),
        ("semtext", ("strings",), ["text", "text"], "expected 'strings' to be some of"),
        ("semtext", ("filters",), [8, 8], "expected 'filters' to be 3 numbers from 1 to 65536, got"),
        ("semtext", ("filters",), [10**9] * 3, "expected 'filters' to be 3 numbers from 1 to 65536, got"),
        ("semtext", ("network", "size"), "8", "expected network.size to be a number from 1 to [0-9]+, .*, got '8'"),
        ("semtext", ("segmentation",), "text-leaves", "expected segmentation 'semtext', got 'text-leaves'"),
    ],
)
def test_a_manifest_that_does_not_fit_is_rejected(folders, tmp_path, kind, keys, value, message):
    folder = Path(shutil.copytree(folders(kind), tmp_path / "copy"))
    change_manifest(folder, *keys, value=value)
    with pytest.raises(ModelError, match=message):
        get_labeler(str(folder))


def test_an_extractor_can_use_them(research_folder):
    html = "<ul><li>Link 1</ul>" + "".join(f"<p>{'On the day of our journey the river left its valley. ' * 2}</p>" * 4)
    extraction = Extractor(model=str(research_folder), fallback=None).extract(html)
    assert extraction.method == "model"
    assert all(0 <= block.probability <= 1 for block in extraction.blocks)


# --- crf


@pytest.mark.parametrize("choice", [LINEAR, DEEP], ids=["linear", "cnn"])
def test_the_numpy_labeler_agrees_with_the_torch_crf(tmp_path, choice):
    network, page = crf(choice), crf_page(30)
    parts = network.unary, network.pairwise
    manifest = {"name": "tiny", "labeler": "crf", "segmentation": "text-leaves", "lam": 1.0, "temperature": 1.0}
    manifest |= {"threshold": 0.5, "decoder": "viterbi", "networks": describe_networks(*parts)}
    write_model(tmp_path, networks_to_tensors(*parts), manifest, {})
    unary, pairwise = get_labeler(str(tmp_path)).potentials(page.features)
    expected = page_potentials(network, [page])
    np.testing.assert_allclose(unary[:, 1] - unary[:, 0], expected.unary[0][:, 1], atol=1e-4)
    np.testing.assert_allclose(
        marginals(unary, pairwise), marginals(expected.unary[0], expected.pairwise[0]), atol=1e-4
    )


def test_the_shipped_crf_finds_the_story_of_a_page():
    labeler = get_labeler("crf-2018")
    story = "".join(
        f"<p>On the {i}th day of the journey, we left the river and went on into the hills.</p>" for i in range(9)
    )
    links = "".join(f"<li><a href=/{i}>Link {i}</a></li>" for i in range(12))
    page = tree_to_page(to_tree(f"<body><ul>{links}</ul><div>{story}</div><ul>{links}</ul></body>"))
    assert labeler.label(page).labels.tolist() == [0] * 12 + [1] * 9 + [0] * 12


# --- semtext


def test_the_shipped_semtext_finds_the_story_between_links_and_imprint():
    opening = (
        "We left the river at dawn and went on into the hills.",
        "No one in the village had heard of the bridge.",
    )
    story = "".join(f"<p>{one} {other}</p>" for one in opening for other in opening)
    links = " | ".join(f"<a href=/{i}>Link {i}</a>" for i in range(12))
    imprint = "Copyright 2007. All rights reserved. <a href=/>Home</a> Contact Privacy"
    html = f"<div class=menu>{links}</div><h1>The journey</h1>{story}<div class=footer>{imprint}</div>"
    answer = get_labeler("semtext").label(tree_to_page(to_tree(f"<body>{html}</body>")))
    assert answer.labels.tolist() == [0, 1, 1, 0]  # the paragraphs are one block
