"""The training of Dragnet: labels, words of names, the regression, and the command as a whole."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from corpora import write_plain
from leaf_reports import report_on
from places import MODELS

from research.__main__ import main
from research.dragnet.__main__ import MODEL, TABLE_1, list_words
from research.dragnet.data import load_pages, mean_token_f1, read_page
from research.dragnet.fit import DragnetRecipe, NamesChoice, choose_names, count_names, fit_dragnet, odds_ratio
from research.dragnet.labeler import DragnetLabeler
from research.dragnet.training import make_model
from scrapy_web2text.evaluation.corpora import CorpusPage, read_split
from scrapy_web2text.labelers.weights import find_model, load_model
from scrapy_web2text.page.arrays import tree_to_page
from scrapy_web2text.page.parse import to_tree
from scrapy_web2text.training.recipe import read_recipe

SHIPPED = MODELS / "dragnet-2013"
LINE = "It was on the {} day of our journey that the river, which we had followed so far, left its valley. "
SMALL = (
    ('name = "dragnet-2013"', 'name = "tiny-dragnet"'),
    ('val = "wcxb"', 'val = "tiny"'),
    ('{ name = "wcxb", part = "train" },', '{ name = "tiny", part = "train" },'),
    ('    { name = "cleaneval", part = "train" },\n', ""),
    ("folds = 5 ", "folds = 3 "),
    ("[1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0]", "[1e-2, 1.0]"),
)


def read(html, clean):
    return read_page(CorpusPage("1", html, clean))


def html_of(number):
    links = "".join(f"<div class='nav-item'><a href=/{i}>Link {i}</a></div>" for i in range(4 + number % 3))
    story = "".join(f"<p class=story>{line}</p>" for line in story_of(number))
    return f"<body>{links}<h1>Day {number}</h1>{story}<p>Imprint</p></body>"


def story_of(number):
    return [LINE.format(f"{number}{i}th") * (1 + i % 3) for i in range(5)]


def tiny_pages(n=9):
    return [read(html_of(number), "\n".join(story_of(number))) for number in range(n)]


@pytest.fixture
def recipe():
    return read_recipe(DragnetRecipe, SHIPPED / "recipe.toml")


@pytest.fixture
def project(tmp_path):
    """A small corpus, and a recipe for it."""
    for folder in ("html", "text"):
        (tmp_path / "data" / "tiny" / folder).mkdir(parents=True)
    for number in range(12):
        (tmp_path / "data" / "tiny" / "html" / f"{number}.html").write_text(html_of(number), encoding="utf-8")
        (tmp_path / "data" / "tiny" / "text" / f"{number}.txt").write_text(
            "\n".join(story_of(number)), encoding="utf-8"
        )
    text = (SHIPPED / "recipe.toml").read_text(encoding="utf-8")
    for old, new in SMALL:
        assert old in text
        text = text.replace(old, new)
    (tmp_path / "recipe.toml").write_text(text, encoding="utf-8")
    splits = {"tiny": {"train": list(range(9)), "val": [9, 10, 11]}}
    (tmp_path / "splits.json").write_text(json.dumps(splits), encoding="utf-8")
    return tmp_path


def train(project, out="out", *arguments):
    recipe, data = str(project / "recipe.toml"), str(project / "data")
    return main(["train", recipe, "--data", data, "--out", str(project / out), *arguments])


# Labels


def test_a_block_is_content_if_more_than_a_share_of_its_tokens_is_in_the_text():
    page = read("<p>Home News<p>one two three four five<p>six seven a b c d e f", "one two three four six seven")
    assert page.n_tokens.tolist() == [2, 5, 8]
    assert page.n_found.tolist() == [0, 4, 2]
    assert page.labels(0.1).tolist() == [0, 1, 1]
    assert page.labels(0.25).tolist() == [0, 1, 0]
    assert page.labels(0).tolist() == [0, 1, 1]


def test_the_position_of_a_word_matters():
    page = read("<p>one two three four<p>five six<p>one two three four", "one two three four five six")
    assert page.token_f1(np.array([1, 1, 0])) == 1
    assert page.token_f1(np.array([1, 1, 1])) == pytest.approx(2 * 6 / (10 + 6))
    assert page.token_f1(np.array([0, 1, 1])) == pytest.approx(2 * 2 / (6 + 6))
    assert page.token_f1(np.array([0, 0, 0])) == 0


def test_pages_without_a_clean_text_have_no_score():
    full, empty = read("<p>one two", "one two"), read("<p>one two", "")
    assert mean_token_f1([full, empty], [np.array([1]), np.array([1])]) == 1


@pytest.mark.parametrize("html", [b"%PDF-1.7", "<p></p>"], ids=["not HTML", "no text"])
def test_pages_without_blocks_are_skipped(html):
    assert read(html, "text") is None


def test_comments_of_readers_are_content(tmp_path):
    write_plain(tmp_path, "seeds/dragnet1381")
    folder = tmp_path / "seeds" / "dragnet1381"
    ids = ["valley.example_1"]
    (without,) = load_pages("seeds/dragnet1381", ids, tmp_path)
    (folder / "text_comments").mkdir()
    (folder / "text_comments" / "valley.example_1.txt").write_text("Imprint", encoding="utf-8")
    (with_comments,) = load_pages("seeds/dragnet1381", ids, tmp_path)
    assert without.labels(0.1).tolist()[-1] == 0
    assert with_comments.labels(0.1).tolist()[-1] == 1


# Words of ids and classes


def test_blocks_are_counted_once_for_each_word():
    page = read("<p class='nav nav-x'>Home<p class=nav>News<p id=nav>one two<p class=x>three", "one two three")
    counts, n_blocks = count_names([page, page], 0.1)
    assert n_blocks.tolist() == [4, 4]
    assert {key: found.tolist() for key, found in counts.items()} == {
        ("class", "nav"): [4, 0],
        ("class", "x"): [2, 2],
        ("id", "nav"): [0, 2],
    }


def test_the_odds_ratio_compares_blocks_with_and_without_the_word():
    assert odds_ratio(np.array([1, 4]), np.array([10, 10])) == pytest.approx((4.5 / 1.5) / (6.5 / 9.5))
    assert odds_ratio(np.array([0, 0]), np.array([10, 10])) == 1


@pytest.mark.parametrize(
    ("odds", "share", "ids", "classes"),
    [
        (2.5, 0.01, ("nav",), ("nav",)),
        (2.5, 0.6, (), ("nav",)),
        (2.5, 0.99, (), ("nav",)),
        (20.0, 0.01, (), ("nav",)),
        (200.0, 0.01, (), ()),
    ],
)
def test_words_are_chosen_by_odds_and_share(odds, share, ids, classes):
    page = read("<p class='nav nav-x'>Home<p class=nav>News<p id=nav>one two<p class=x>three", "one two three")
    assert choose_names([page, page], 0.1, NamesChoice(odds, share)) == {"id": ids, "class": classes}


# The regression


@pytest.mark.parametrize("sets", [("st",), ("ic",), ("cetr",), ("st", "ic"), ("st", "ic", "cetr")], ids="+".join)
def test_each_feature_set_learns(recipe, sets):
    pages = tiny_pages()
    choice = replace(recipe.regression, strengths=(1.0,))
    fitted = fit_dragnet(replace(recipe, features=sets, regression=choice), pages, seed=0)
    assert mean_token_f1(pages, map(fitted.labels, pages)) > 0.9
    assert fitted.choice.ids == ()
    assert ("story" in fitted.choice.classes) == ("ic" in sets)


def test_words_can_be_given(recipe):
    fitted = fit_dragnet(replace(recipe, features=("ic",)), tiny_pages(), seed=0, words={"class": ("menu", "story")})
    assert fitted.choice.names == ("class:menu", "class:story")


def test_the_strength_with_the_least_loss_is_chosen_in_any_order(recipe):
    pages = tiny_pages()
    found = []
    for strengths in ((1e-6, 1.0), (1.0, 1e-6)):
        choice = replace(recipe.regression, strengths=strengths)
        fitted = fit_dragnet(replace(recipe, regression=choice), pages, seed=0)
        assert fitted.losses[1.0] < fitted.losses[1e-6]
        found.append(fitted.strength)
    assert found == [1.0, 1.0]


def test_the_labeler_agrees_with_the_training(recipe, tmp_path):
    pages = tiny_pages()
    fitted = fit_dragnet(recipe, pages, seed=0)
    labeler = DragnetLabeler(make_model(recipe, fitted, tmp_path))

    for threshold in (0.3, 0.5, 0.8):
        for number, page in enumerate(pages):
            answer = labeler.label(tree_to_page(to_tree(html_of(number))), threshold=threshold)
            assert answer.labels.tolist() == fitted.labels(page, threshold).tolist()


def test_long_blocks_weigh_more_up_to_a_limit(recipe):
    pages = tiny_pages()
    sets, fitted = ("cetr",), []
    for most_words in (1, 200, 10_000):
        choice = replace(recipe.regression, strengths=(1.0,), most_words=most_words)
        fitted.append(fit_dragnet(replace(recipe, features=sets, regression=choice), pages, seed=0).bias)
    assert fitted[0] != fitted[1]
    assert fitted[1] == fitted[2]


def test_too_few_pages_are_rejected(recipe):
    with pytest.raises(ValueError, match="expected at least 5 pages, one for each fold, got 4"):
        fit_dragnet(recipe, tiny_pages(4), seed=0)


def test_pages_with_one_label_are_rejected(recipe):
    with pytest.raises(ValueError, match="found only one"):
        fit_dragnet(recipe, [read("<p>one two", "one two")] * 6, seed=0)


# The command


def test_a_trained_folder_has_the_scores_of_its_manifest(project, capsys):
    assert train(project, "out", "--seed", "3") == 0
    manifest = load_model(project / "out").manifest
    assert json.loads(capsys.readouterr().out) == manifest["scores"]
    assert (manifest["name"], manifest["seeds"], manifest["n_pages"]) == ("tiny-dragnet", [3], 9)
    assert manifest["corpora"] == [{"name": "tiny", "part": "train"}]
    assert manifest["strength"] in (0.01, 1.0)
    assert manifest["scores"]["val"]["word_f1"] > 0.9
    for name in ("recipe.toml", "splits.json"):
        assert (project / "out" / name).read_bytes() == (project / name).read_bytes()
    arguments = ["--corpus", "tiny", "--data", str(project / "data"), "--model", str(project / "out")]
    splits = ["--splits", str(project / "splits.json"), "--split", "tiny", "--part", "val"]
    assert main(["evaluate", *arguments, *splits, "--format", "json"]) == 0
    (result,) = json.loads(capsys.readouterr().out)["results"]
    assert result["words"]["f1"] == pytest.approx(manifest["scores"]["val"]["word_f1"], abs=1e-4)
    assert report_on([*arguments, *splits]).blocks.f1 == pytest.approx(manifest["scores"]["val"]["f1"], abs=1e-4)


def test_the_same_seed_gives_the_same_weights(project):
    for out in ("a", "b"):
        assert train(project, out) == 0
    assert (project / "a" / "weights.safetensors").read_bytes() == (project / "b" / "weights.safetensors").read_bytes()


def test_several_seeds_are_refused(project, capsys):
    assert train(project, "out", "--seed", "0", "1") == 1
    assert "--seed: expected one seed for a model of this kind, got 2" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('name = "dragnet-2013"', 'name = ""', "name: expected a name"),
        ('labeler = "dragnet"', 'labeler = "modern"', "labeler: expected one of 'dragnet'"),
        ('"ic", "cetr"]', '"css"]', "features: expected some of st, cetr, ic"),
        ('["st", "ic", "cetr"]', "[]", "features: expected some of st, cetr, ic"),
        ("least_share = 0.1", "least_share = 1", "least_share: expected a number in"),
        ("threshold = 0.5", "threshold = 1", "threshold: expected a number between 0 and 1"),
        ('"cleaneval", part = "train"', '"cleaneval"', r"corpora\[\d\]: missing field `part`"),
        ('"cleaneval", part = "train"', '"wcxb", part = "train"', "corpora: expected each corpus and part once"),
        ('"cleaneval", part = "train"', '"wcxb", part = "val"', "corpora: expected no pages of wcxb val"),
        ('"cleaneval", part = "train"', '"wcxb", part = "all"', "corpora: expected no pages of wcxb val"),
        ("odds = 2.5", "odds = 1", "names.odds: expected a number above 1"),
        ("share = 0.01", "share = -0.1", "names.share: expected a number in"),
        ("folds = 5", "folds = 1", "regression.folds: expected a number above 1"),
        ("1.0, 10.0]", "0.0]", "regression.strengths: expected one or more numbers above 0"),
        ("[1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0]", "[]", "regression.strengths: expected one or more numbers"),
        ("most_words = 200", "most_words = 0", "regression.most_words: expected a number above 0"),
    ],
)
def test_an_invalid_recipe_is_rejected(tmp_path, old, new, message):
    text = (SHIPPED / "recipe.toml").read_text(encoding="utf-8")
    assert old in text
    (tmp_path / "recipe.toml").write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(ValueError, match=message):
        read_recipe(DragnetRecipe, tmp_path / "recipe.toml")


def test_the_folder_agrees_with_its_recipe(recipe):
    model = load_model(find_model("dragnet-2013"))
    assert [corpus["name"] for corpus in model.manifest["corpora"]] == [corpus.name for corpus in recipe.corpora]
    assert tuple(model.manifest["feature_sets"]) == recipe.features
    for corpus, n_pages in (("wcxb", 1140), ("cleaneval", 531)):
        assert len(read_split(SHIPPED / "splits.json", corpus, "train")) == n_pages


def test_lists_of_words_have_as_many_as_the_paper():
    names = [f"nav{letter}" for letter in "abcdefghijklmnopqrstuvwxyz"]
    items = "".join(f"<p class='{name}' id='{name}'>Home</p>" for name in names)
    menu = "<p class=navz>News</p>" * 4
    story = "<p class=story>one two</p>" * 30
    page = read_page(CorpusPage("1", items + menu + story, "one two " * 30))
    lists = list_words(read_recipe(DragnetRecipe, MODEL / "recipe.toml"), [page])
    sizes = [{key: len(words) for key, words in found.items()} for found in lists.values()]
    assert sizes == [{"id": 26, "class": 27}, {"id": 8, "class": 24}, {"id": 8, "class": 24}, {"id": 0, "class": 12}]
    assert lists["the 8 and 24 most frequent of them"]["class"][:2] == ("story", "navz")
    assert lists["the 12 classes that the paper prints"]["class"] == tuple(TABLE_1)
