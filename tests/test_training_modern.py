"""The training of modern models: CRF, batches, network, and the command as a whole."""

from __future__ import annotations

import gzip
import itertools
import json
from pathlib import Path

import numpy as np
import pytest
import torch

from scrapy_web2text.blocks import MODERN_BLOCKS, segment
from scrapy_web2text.cli import main
from scrapy_web2text.dom import to_tree
from scrapy_web2text.evaluation.scores import word_scores
from scrapy_web2text.extractor import Extractor
from scrapy_web2text.features.modern import modern_feature_names, modern_features
from scrapy_web2text.hmm import marginals
from scrapy_web2text.labelers.base import Labelling
from scrapy_web2text.labelers.modern import ModernNetwork as NumpyNetwork
from scrapy_web2text.page import tree_to_page
from scrapy_web2text.training.modern import data as modern_data
from scrapy_web2text.training.modern.batches import TrainingPage, collate, draw_batches
from scrapy_web2text.training.modern.crf import chain
from scrapy_web2text.training.modern.data import corpus_ids, load_pages, load_pseudo_pages, page_word_scores
from scrapy_web2text.training.modern.network import ModernNetwork
from scrapy_web2text.training.modern.recipe import read_modern_recipe
from scrapy_web2text.training.modern.train import batch_loss, predict, train_modern
from scrapy_web2text.training.recipe import read_labeler

RECIPE = Path(__file__).parents[1] / "models" / "web2text-2026" / "recipe.toml"
LINE = "It was on the {} day of our journey that the river, which we had followed so far, left its valley. "
SMALL = (
    ("width = 64", "width = 8"),
    ("embedding = 24", "embedding = 3"),
    ("dilations = [1, 2, 4, 8, 16, 32, 1]", "dilations = [1, 2]"),
    ("pooled = [2, 5]", "pooled = [0]"),
    ("epochs = 6", "epochs = 2"),
    ("warm_up = 100", "warm_up = 2"),
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
    return TrainingPage(str(number), modern_features(page, blocks, f"Day {number}"), labels, **values)


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
        n = len(modern_feature_names())
        made = ModernNetwork(recipe.network, torch.rand(n), torch.rand(n) + 0.5, n_styles=9, n_types=7)
        for parameter in made.parameters():
            parameter.data += 0.05 * torch.randn_like(parameter)
    return made.eval()


def test_the_crf_is_what_all_labellings_say():
    generator = torch.Generator().manual_seed(0)
    unary, pairwise = torch.randn(2, 5, generator=generator), torch.randn(2, 4, 4, generator=generator)
    mask = torch.tensor([[True] * 5, [True] * 3 + [False] * 2])
    labels = torch.tensor([[0, 1, 1, 0, 1], [1, 0, 1, 0, 0]])
    log_odds, surprise = chain(unary, pairwise, mask, labels)
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


def test_pages_in_one_batch_get_what_they_get_alone(network):
    pages = [training_page(number) for number in (1, 2, 5)]
    with torch.inference_mode():
        unary, pairwise, _ = network(collate(pages))
    for i, page in enumerate(pages):
        alone_unary, alone_pairs = predict(network, page)
        np.testing.assert_allclose(unary[i, : page.n_blocks], alone_unary, atol=1e-5)
        np.testing.assert_allclose(pairwise[i, : page.n_blocks - 1], alone_pairs, atol=1e-5)


def test_the_numpy_network_says_what_the_torch_network_says(network):
    for table in (network.names, network.words):
        table.data = table.data.half().float()
    numpy_network = NumpyNetwork(network.to_arrays(), list(network.choice.dilations), list(network.choice.pooled))
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
def test_a_training_lowers_the_loss_and_leaves_torch_s_generator_alone(tmp_path, recipe, averaged):
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

    first, second = (train_modern(recipe, pages, negative_loss, n_styles=9, n_types=7, seed=1) for _ in range(2))
    assert torch.equal(torch.get_rng_state(), before)
    assert not first.network.training
    assert first.curve == second.curve
    assert first.score == max(first.curve) == pytest.approx(negative_loss(first.network))
    assert first.curve[-1] > -5


def test_an_empty_page_is_worse_the_more_is_selected(network):
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
    unlabelled = tmp_path / "data" / "unlabelled" / "some"
    unlabelled.mkdir(parents=True)
    for number in range(3):
        (unlabelled / f"{number}.html").write_text(html_of(20 + number), encoding="utf-8")
    (unlabelled / "3.html").write_bytes(b"%PDF-1.7")
    (unlabelled / "4.html").write_text("<body></body>", encoding="utf-8")
    return tmp_path / "data"


def test_pages_that_do_not_belong_to_their_text_are_left_out(data, tmp_path):
    ids = [f"{number:04}" for number in range(8, 12)]
    pages = load_pages("wcxb", ids, data, tmp_path / "cache", page_types=("forum", "article"))
    assert [page.page.id for page in pages] == ["0008", "0009", "0011"]
    assert [(page.page.style, page.page.page_type) for page in pages] == [(0, 1)] * 3
    assert pages[0].page.labels.sum() == 6
    assert not pages[2].page.labels.any()


def test_words_are_scored_as_in_evaluations(data, tmp_path):
    (page,) = load_pages("wcxb", ["0001"], data, tmp_path / "cache")
    half = page.page.labels.copy()
    half[np.flatnonzero(half)[3:]] = 0
    half[0] = 1
    expected = word_scores("\n".join(["Link 0", *story_of(1)[:3]]), "\n".join(story_of(1)))
    assert page_word_scores(page, half).f1 == pytest.approx(expected.f1)
    assert page_word_scores(page, np.zeros_like(half)).f1 == 0


class Teacher:
    def __init__(self, *, sure):
        self.sure = sure

    def label(self, page):
        blocks = segment(page, MODERN_BLOCKS)
        probabilities = np.array([0.95 if "journey" in page.texts[leaf] else 0.02 for leaf in blocks.leaves])
        probabilities = probabilities if self.sure else np.full(blocks.n_blocks, 0.4)
        return Labelling(blocks, (probabilities > 0.5).astype(int), probabilities, np.full(blocks.n_blocks, 10))


def test_pages_of_which_the_teachers_are_sure_are_used(data):
    folder = data / "unlabelled" / "some"
    pages = load_pseudo_pages(folder, [Teacher(sure=True)], weight=0.3)
    assert [(page.id, int(page.labels.sum()), page.weight) for page in pages] == [(str(i), 6, 0.3) for i in range(3)]
    assert load_pseudo_pages(folder, [Teacher(sure=False)], weight=0.3) == []
    with pytest.raises(ValueError, match="expected HTML files below it"):
        load_pseudo_pages(data / "nothing", [], weight=1)


def test_parts_come_from_the_split_file_or_from_the_sites(data, tmp_path):
    splits = tmp_path / "splits.json"
    splits.write_text(json.dumps({"wcxb": {"train": ["0001"]}}), encoding="utf-8")
    assert corpus_ids("wcxb", "train", data, splits) == ("0001",)
    articles = data / "articles"
    for kind, suffix in (("html", "html"), ("text", "txt")):
        (articles / kind).mkdir(parents=True)
        for number in range(5):
            (articles / kind / f"readability-site{number}.{suffix}").write_text("A text.", encoding="utf-8")
    parts = {part: corpus_ids("articles", part, data, splits) for part in ("train", "val", "test", "all")}
    assert sorted(parts["all"]) == sorted(parts["train"] + parts["val"] + parts["test"])
    with pytest.raises(ValueError, match="corpus articles: expected part all, train, val, test, got 'dev'"):
        corpus_ids("articles", "dev", data, splits)


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


def test_the_command_makes_a_folder_that_labels_pages_and_teaches(project, capsys, monkeypatch):
    monkeypatch.setattr(modern_data, "_LEAST_CONFIDENCE", 0.0)
    assert train(project, "teacher", "--seed", "1") == 0
    assert "word_f1" in json.loads(capsys.readouterr().out)["val"]
    answer = Extractor(model=str(project / "teacher")).extract(html_of(3))
    assert answer.n_blocks > 6
    assert train(project, "student", "--teacher", str(project / "teacher")) == 0
    manifest = json.loads((project / "student" / "manifest.json").read_text(encoding="utf-8"))
    assert (manifest["n_teachers"], manifest["n_pages"]) == (1, 11)


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
def test_impossible_recipes_name_the_field(recipe, tmp_path, old, new, message):
    path = tmp_path / "recipe.toml"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(ValueError, match=message):
        read_modern_recipe(path)


@pytest.mark.parametrize(
    ("text", "message"), [("labeler = 'tree'", "expected one of cnn-hmm, modern"), ("[", "recipe")]
)
def test_a_recipe_of_no_known_kind_is_told(tmp_path, text, message):
    path = tmp_path / "recipe.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=message):
        read_labeler(path)
