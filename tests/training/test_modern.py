"""The training of modern models: CRF, batches, network, and the command as a whole."""

from __future__ import annotations

import copy
import gzip
import itertools
import json
from dataclasses import replace

import numpy as np
import pytest
import torch
from places import MODELS

from scrapy_web2text.cli.main import main
from scrapy_web2text.evaluation.scores import word_scores
from scrapy_web2text.extractor import Extractor
from scrapy_web2text.features.modern import MODERN_FEATURE_NAMES, PageHints, modern_features
from scrapy_web2text.labelers.hmm import marginals
from scrapy_web2text.labelers.modern import ModernLabeler
from scrapy_web2text.labelers.modern import ModernNetwork as NumpyNetwork
from scrapy_web2text.labelers.weights import load_model
from scrapy_web2text.page.arrays import tree_to_page
from scrapy_web2text.page.blocks import MODERN_BLOCKS, segment
from scrapy_web2text.page.parse import to_tree
from scrapy_web2text.training.chain_loss import evaluate_chain
from scrapy_web2text.training.epochs import draw_batches
from scrapy_web2text.training.export import write_model
from scrapy_web2text.training.modern import teaching
from scrapy_web2text.training.modern.batches import TrainingPage, collate
from scrapy_web2text.training.modern.choice import choose, page_potentials
from scrapy_web2text.training.modern.data import load_pages, load_unlabeled, page_word_scores
from scrapy_web2text.training.modern.network import ModernNetwork
from scrapy_web2text.training.modern.recipe import read_modern_recipe
from scrapy_web2text.training.modern.teaching import label_by_teachers
from scrapy_web2text.training.modern.train import batch_loss, predict, train_modern
from scrapy_web2text.training.recipe import read_labeler

RECIPE = MODELS / "web2text-2026" / "recipe.toml"
LINE = "It was on the {} day of our journey that the river, which we had followed so far, left its valley. "
SMALL = (
    ("width = 64", "width = 8"),
    ("embedding = 24", "embedding = 3"),
    ("dilations = [1, 2, 4, 8, 16]", "dilations = [1, 2]"),
    ("pooled = [1, 3]", "pooled = [0]"),
    ("grouped = [0, 2]", "grouped = [1]"),
    ("epochs = 6", "epochs = 2"),
    ("warm_up = 100", "warm_up = 2"),
    ("teachers = 0", "teachers = 2"),
)


def story_of(number):
    return [LINE.format(f"{number}{i}th") * (1 + i % 3) for i in range(6)]


def html_of(number):
    links = "".join(f"<li class='nav item-{i}'><a href=/{i}>Link {i}</a>" for i in range(4 + number % 3))
    story = "".join(f"<p>{line}</p>" for line in story_of(number))
    return f"<title>Day {number}</title><body><ul>{links}</ul><h1>Day {number}</h1>{story}<p>Imprint</p></body>"


def training_page(number, **values):
    page = tree_to_page(to_tree(html_of(number)))
    blocks = segment(page, MODERN_BLOCKS)
    labels = np.array([int("journey" in page.texts[leaf]) for leaf in blocks.leaves[blocks.starts]])
    return TrainingPage(str(number), modern_features(page, blocks, PageHints(f"Day {number}")), labels, **values)


@pytest.fixture
def recipe(tmp_path):
    text = RECIPE.read_text(encoding="utf-8")
    for old, new in SMALL:
        assert old in text
        text = text.replace(old, new)
    path = tmp_path / "recipe.toml"
    path.write_text(text, encoding="utf-8")
    return read_modern_recipe(path)


@pytest.fixture
def network(recipe):
    with torch.random.fork_rng():
        torch.manual_seed(0)
        n = len(MODERN_FEATURE_NAMES)
        made = ModernNetwork(recipe.network, torch.rand(n), torch.rand(n) + 0.5, n_styles=9, n_types=7)
        for parameter in made.parameters():
            parameter.data += 0.05 * torch.randn_like(parameter)
    return made.eval()


def test_the_crf_agrees_with_the_sum_over_all_labelings():
    generator = torch.Generator().manual_seed(0)
    unary, pairwise = torch.randn(2, 5, generator=generator), torch.randn(2, 4, 4, generator=generator)
    mask = torch.tensor([[True] * 5, [True] * 3 + [False] * 2])
    labels = torch.tensor([[0, 1, 1, 0, 1], [1, 0, 1, 0, 0]])
    log_odds, surprise = evaluate_chain(unary, pairwise, mask, labels)
    for page, n in ((0, 5), (1, 3)):
        scores = {
            candidate: sum(float(unary[page, i]) * candidate[i] for i in range(n))
            + sum(float(pairwise[page, i, 2 * candidate[i] + candidate[i + 1]]) for i in range(n - 1))
            for candidate in itertools.product([0, 1], repeat=n)
        }
        log_z = np.logaddexp.reduce(list(scores.values()))
        assert float(surprise[page]) == pytest.approx(log_z - scores[tuple(labels[page, :n].tolist())], abs=1e-4)
        row = unary[page, :n].numpy().astype(float)
        pairs = pairwise[page, : n - 1].numpy().astype(float).reshape(-1, 2, 2)
        expected = marginals(np.stack([np.zeros(n), row], axis=1), pairs)
        np.testing.assert_allclose(torch.sigmoid(log_odds[page, :n]).numpy(), expected, atol=1e-5)


def test_pages_in_a_batch_get_the_same_logits_as_alone(network):
    pages = [training_page(number) for number in (1, 2, 5)]
    with torch.inference_mode():
        unary, pairwise, _ = network(collate(pages))
    for i, page in enumerate(pages):
        alone_unary, alone_pairs = predict(network, page)
        np.testing.assert_allclose(unary[i, : page.n_blocks], alone_unary, atol=1e-5)
        np.testing.assert_allclose(pairwise[i, : page.n_blocks - 1], alone_pairs, atol=1e-5)


def test_the_numpy_network_agrees_with_the_torch_network(network):
    for table in (network.names, network.words):
        table.data = table.data.half().float()
    numpy_network = NumpyNetwork(
        network.to_arrays(),
        list(network.choice.dilations),
        list(network.choice.pooled),
        list(network.choice.grouped),
    )
    for number in (1, 2, 4):
        page = training_page(number)
        unary, pairs = predict(network, page)
        own_unary, own_pairs = numpy_network(page.features)
        np.testing.assert_allclose(own_unary, unary, atol=1e-4)
        np.testing.assert_allclose(own_pairs, pairs, atol=1e-4)


def test_each_page_is_drawn_once_an_epoch():
    pages = [training_page(number) for number in range(7)]
    batches = list(draw_batches(pages, 3, np.random.default_rng(0)))
    assert sorted(page.id for batch in batches for page in batch) == sorted(page.id for page in pages)
    assert max(len(batch) for batch in batches) <= 3


@pytest.mark.parametrize("averaged", ["0.998", "0.0"])
def test_a_training_keeps_the_best_epoch_and_the_state_of_torchs_generator(tmp_path, recipe, averaged):
    path = tmp_path / "recipe.toml"
    path.write_text(
        path.read_text(encoding="utf-8").replace("averaged = 0.998", f"averaged = {averaged}"), encoding="utf-8"
    )
    recipe = read_modern_recipe(path)
    pages = [training_page(number, page_type=number % 7) for number in range(8)]
    before = torch.get_rng_state()

    def negative_loss(network):
        with torch.inference_mode():
            return -float(batch_loss(network, collate(pages)))

    first, second = (train_modern(recipe, pages, negative_loss, seed=1) for _ in range(2))
    assert torch.equal(torch.get_rng_state(), before)
    assert not first.network.training
    assert first.curve == second.curve
    assert first.score == max(first.curve) == pytest.approx(negative_loss(first.network))
    assert first.curve[-1] > -5


def test_the_loss_of_an_empty_page_grows_with_the_selected_text(network):
    page = training_page(1)
    empty = TrainingPage("e", page.features, np.zeros_like(page.labels))
    with torch.inference_mode():
        network.unary.bias.data += 5
        many = float(batch_loss(network, collate([empty])))
        network.unary.bias.data -= 10
        assert float(batch_loss(network, collate([empty]))) < many


@pytest.fixture
def data(tmp_path):
    """WCXB's layout with twelve pages, and a folder of pages without texts."""
    html, truth = tmp_path / "data" / "wcxb" / "dev" / "html", tmp_path / "data" / "wcxb" / "dev" / "ground-truth"
    html.mkdir(parents=True)
    truth.mkdir(parents=True)
    for number in range(12):
        text = "" if number == 11 else "\n".join(story_of(number))
        text = "Quite another text. " * 30 if number == 10 else text
        (html / f"{number:04}.html.gz").write_bytes(gzip.compress(html_of(number).encode()))
        entry = {"ground_truth": {"main_content": text}, "_internal": {"page_type": {"primary": "article"}}}
        (truth / f"{number:04}.json").write_text(json.dumps(entry), encoding="utf-8")
    unlabeled = tmp_path / "data" / "unlabelled" / "some"
    unlabeled.mkdir(parents=True)
    for number in range(3):
        (unlabeled / f"{number}.html").write_text(html_of(20 + number), encoding="utf-8")
    (unlabeled / "3.html").write_bytes(b"%PDF-1.7")
    (unlabeled / "4.html").write_text("<body></body>", encoding="utf-8")
    return tmp_path / "data"


def test_pages_that_do_not_belong_to_their_text_are_skipped(data, tmp_path):
    ids = [f"{number:04}" for number in range(8, 12)]
    pages = load_pages("wcxb", ids, data, tmp_path / "cache", weight=0.5)
    assert [page.page.id for page in pages] == ["0008", "0009", "0011"]
    assert [(page.page.style, page.page.page_type, page.page.weight) for page in pages] == [(0, 0, 0.5)] * 3
    assert [page.is_good for page in load_pages("wcxb", ids, data, tmp_path / "cache", keep_all=True)] == [1, 1, 0, 1]
    assert pages[0].page.labels.sum() == 6
    assert not pages[2].page.labels.any()


def test_words_are_scored_as_in_an_evaluation(data, tmp_path):
    (page,) = load_pages("wcxb", ["0001"], data, tmp_path / "cache")
    half = page.page.labels.copy()
    half[np.flatnonzero(half)[3:]] = 0
    half[0] = 1
    expected = word_scores("\n".join(["Link 0", *story_of(1)[:3]]), "\n".join(story_of(1)))
    assert page_word_scores(page, half).f1 == pytest.approx(expected.f1)
    assert page_word_scores(page, np.zeros_like(half)).f1 == 0


def test_pages_that_the_teachers_are_sure_of_are_used(data, network, monkeypatch):
    unlabeled = load_unlabeled(data / "unlabelled" / "some", weight=0.3)
    assert [(page.id, page.labels.any(), page.weight) for page in unlabeled] == [(str(i), False, 0.3) for i in range(3)]
    for least, expected in ((0.0, 3), (1.1, 0)):
        monkeypatch.setattr(teaching, "_LEAST_CONFIDENCE", least)
        assert len(label_by_teachers([network], unlabeled)) == expected
    monkeypatch.setattr(teaching, "_LEAST_CONFIDENCE", 0.0)
    network.unary.bias.data += 50
    sure = label_by_teachers([network], unlabeled)[0]
    assert sure.labels.all()
    assert sure.targets == pytest.approx(np.ones(sure.n_blocks), abs=1e-3)
    other = copy.deepcopy(network)
    other.unary.bias.data -= 100
    assert label_by_teachers([network, other], unlabeled)[0].targets == pytest.approx(
        0.5 * np.ones(sure.n_blocks), abs=1e-3
    )


def test_a_folder_without_pages_is_an_error(data):
    with pytest.raises(ValueError, match="expected HTML files in it"):
        load_unlabeled(data / "nothing", weight=1)


def test_targets_replace_labels(network):
    page = training_page(1)
    wrong = replace(page, targets=1 - page.labels.astype(np.float32))
    same = replace(page, targets=page.labels.astype(np.float32))
    with torch.inference_mode():
        losses = [float(batch_loss(network, collate([each]))) for each in (page, same, wrong)]
    assert losses[0] == losses[1] != losses[2]


@pytest.mark.parametrize("part", ["bags", "pages", "groups", "pairs", "up", "page."])
def test_a_removed_part_has_no_influence(recipe, part):
    choice = replace(recipe, network=replace(recipe.network, without=(part,)))
    pages = [training_page(number) for number in range(4)]
    trained = train_modern(choice, pages, None, seed=0).network
    page = training_page(7)
    features = page.features
    if part == "bags":
        changed = replace(features, names=features.names[::-1].copy(), words=features.words[::-1].copy())
    elif part == "groups":
        changed = replace(features, groups=np.zeros_like(features.groups))
    else:
        dense = features.dense.copy()
        dense[:, [name.startswith(part) for name in MODERN_FEATURE_NAMES]] += 3
        changed = replace(features, dense=dense)
    before, after = predict(trained, page), predict(trained, replace(page, features=changed))
    assert all(torch.equal(*both) for both in zip(before, after, strict=True))
    if part == "pairs":
        assert not before[1].any()
    if part == "pages":
        assert not any(parameter.any() for parameter in trained.pool.parameters())


def test_answers_are_those_of_the_labeler(data, recipe, tmp_path):
    pages = load_pages("wcxb", [f"{number:04}" for number in range(8)], data, tmp_path / "cache")
    trained = train_modern(recipe, [page.page for page in pages], None, seed=0)
    potentials = page_potentials(trained.network, pages)
    choice = choose(recipe.decoding, potentials, pages)
    manifest = {
        "name": "small",
        "segmentation": "modern-blocks",
        "features": list(MODERN_FEATURE_NAMES),
        **{name: list(getattr(recipe.network, name)) for name in ("dilations", "pooled", "grouped")},
        "lam": 1.0,
        **choice.to_manifest(),
    }
    write_model(tmp_path / "small", trained.network.to_arrays(), manifest, {})
    labeler = ModernLabeler(load_model(tmp_path / "small"))
    for number, (page, answer) in enumerate(zip(pages, choice.answers(potentials, pages), strict=True)):
        labeling = labeler.label(tree_to_page(to_tree(html_of(number).encode())))
        assert labeling.labels.tolist() == answer.labels.tolist()
        np.testing.assert_allclose(labeling.probabilities, answer.probabilities, atol=1e-3)
        assert labeling.confidence == pytest.approx(choice.predict_f1(page, answer), abs=1e-2)


@pytest.fixture
def project(data, recipe, tmp_path):
    text = (tmp_path / "recipe.toml").read_text(encoding="utf-8")
    head, _, rest = text.partition("corpora = [")
    network = rest[rest.index("[network]") :]
    corpora = 'corpora = [{ name = "wcxb", part = "train", weight = 1.0 }]\n'
    pseudo = 'pseudo = [{ folder = "unlabelled/some", weight = 0.5 }]\n'
    (tmp_path / "recipe.toml").write_text(head + corpora + pseudo + network, encoding="utf-8")
    parts = {"train": [f"{i:04}" for i in range(8)], "val": ["0008", "0009"]}
    (tmp_path / "splits.json").write_text(json.dumps({"wcxb": parts}), encoding="utf-8")
    return tmp_path


def train(project, out, *arguments):
    folders = ["--data", str(project / "data"), "--cache", str(project / "cache"), "--out", str(project / out)]
    return main(["train", str(project / "recipe.toml"), *folders, *arguments])


def test_the_command_teaches_and_writes_the_best_of_several_seeds(project, capsys, monkeypatch):
    monkeypatch.setattr(teaching, "_LEAST_CONFIDENCE", 0.0)
    assert train(project, "model", "--seed", "0", "1") == 0
    scores = json.loads(capsys.readouterr().out)
    assert scores["val"]["word_f1"] == max(scores["val_word_f1_by_seed"].values())
    assert set(scores["val_word_f1_by_seed"]) == {"0", "1"}
    manifest = json.loads((project / "model" / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["n_pages"] == 8 + 3
    answer = Extractor(model=str(project / "model")).extract(html_of(3))
    assert answer.n_blocks > 6
    assert 0 < answer.confidence < 1


def test_folds_answer_every_page_once(project, capsys):
    recipe = project / "recipe.toml"
    recipe.write_text(recipe.read_text(encoding="utf-8").replace("teachers = 2", "teachers = 1"), encoding="utf-8")
    metadata = {f"{i:04}": {"url": f"https://site{i}.example/", "domain": f"site{i}.example"} for i in range(12)}
    (project / "data" / "wcxb" / "metadata.json").write_text(json.dumps({"files": metadata}), encoding="utf-8")
    pages = project / "data" / "wcxb" / "dev" / "ground-truth"
    for path in pages.glob("*.json"):
        entry = json.loads(path.read_text(encoding="utf-8"))
        path.write_text(json.dumps(entry | {"url": f"https://site{path.stem}.example/"}), encoding="utf-8")
    (project / "data" / "wcxb" / "dev" / "html" / "0000.html.gz").write_bytes(gzip.compress(b"<body></body>"))
    assert train(project, "folds", "--folds", "3") == 0
    summary = json.loads(capsys.readouterr().out)
    report = json.loads((project / "folds" / "folds.json").read_text(encoding="utf-8"))
    assert {key: report[key] for key in summary} == summary
    assert sorted(page["id"] for page in report["pages"]) == [f"{number:04}" for number in range(12)]
    assert len({page["fold"] for page in report["pages"]}) > 2
    (without_blocks,) = (page for page in report["pages"] if page["fold"] == -1)
    assert (without_blocks["id"], without_blocks["f1"]) == ("0000", 0)
    assert summary["word_f1"]["all"]["pages"] == 12
    assert summary["word_f1"]["not empty"]["pages"] == 11
    words, expected, content = (np.array(report["bins"][name]) for name in ("words", "expected", "content"))
    assert (content <= words).all()
    assert summary["expected_calibration_error"] == pytest.approx(
        np.abs(expected - content).sum() / words.sum(), abs=1e-3
    )


def test_pages_of_one_site_cannot_be_folded(project, capsys):
    assert train(project, "folds", "--folds", "3") == 1
    assert "corpus wcxb: expected sites in 3 folds, got one fold" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--folds", "1"], "--folds: expected a number above 1, got 1"),
        (["--seed", "0", "-1"], "--seed: expected numbers from 0, got -1"),
    ],
)
def test_invalid_arguments_are_rejected(project, capsys, arguments, message):
    assert train(project, "folds", *arguments) == 1
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("width = 8", "width = 0", "network.width: expected a number above 0"),
        ("pooled = [0]", "pooled = [2]", "network.pooled: expected numbers of layers"),
        ("bag_dropout = 0.3", "bag_dropout = 1.0", r"network.bag_dropout: expected a number in \[0, 1\)"),
        ("averaged = 0.998", "averaged = 1.0", "training.averaged: expected"),
        ("epochs = 2", 'epochs = "two"', "training.epochs: expected a value of type int"),
        ("weight = 1.0 }", "weight = 0.0 }", "corpora.weight: expected a number above 0"),
    ],
)
def test_the_error_of_an_invalid_recipe_names_the_field(recipe, tmp_path, old, new, message):
    path = tmp_path / "recipe.toml"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(ValueError, match=message):
        read_modern_recipe(path)


@pytest.mark.parametrize(("text", "message"), [("labeler = 'tree'", "expected one of cnn-hmm, crf"), ("[", "recipe")])
def test_a_recipe_of_an_unknown_kind_is_rejected(tmp_path, text, message):
    path = tmp_path / "recipe.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=message):
        read_labeler(path)
