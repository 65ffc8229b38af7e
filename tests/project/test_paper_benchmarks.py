"""The experiments of the papers compute what they say, on values that can be checked by hand."""

from __future__ import annotations

import json
import re
import shutil

import numpy as np
import pytest
from corpora import write_cleaneval
from places import ROOT

pytest.importorskip("sklearn", reason="scikit-learn is not installed (extra train)")

NEWS = """<body><h1><span class="x-nc-sel1">Flood</span></h1><p><span class="x-nc-sel2">The river </span>
<a href="/x"><span class="x-nc-sel2">rose</span></a><span class="x-nc-sel2"> again in May.</span></p>
<ul><li class="x-nc-sel4">Home</ul></body>"""


@pytest.fixture(autouse=True)
def _benchmarks(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "benchmarks")


@pytest.fixture
def news(tmp_path):
    """A folder with two pages of news."""
    from news_classes import CORPUS

    (tmp_path / CORPUS).mkdir(parents=True)
    for name in ("1", "2"):
        (tmp_path / CORPUS / f"{name}.html").write_text(NEWS)
    return tmp_path


def many_pages(n_pages):
    """Blocks of pages that alternate between three words of boilerplate and forty of content, half of it comments."""
    from news_classes import TextClass
    from shallow_features import FREQUENCY, LOCAL, POSITIONS, NewsBlocks

    words = np.tile([3.0, 40.0, 3.0, 40.0], n_pages)
    columns = {name: np.zeros(len(words)) for name in (*LOCAL, *POSITIONS, FREQUENCY)}
    columns |= {"number of words": words, "text density": words / 3}
    classes = np.tile([TextClass.BOILERPLATE, TextClass.FULL_TEXT, TextClass.RELATED, TextClass.COMMENTS], n_pages)
    by_tree = {"numwords": (words > 16).astype(int), "density": (words > 16).astype(int)}
    return NewsBlocks(columns, by_tree, words.astype(int), classes, np.repeat(np.arange(n_pages), 4))


def test_the_shares_of_classes_are_printed_beside_those_of_the_paper(news, capsys):
    from kohlschuetter import print_shares
    from shallow_features import load_blocks

    blocks = load_blocks(news)
    assert blocks.words.tolist() == blocks.tokens.tolist() == [1, 6, 1] * 2
    assert blocks.columns["text frequency"].tolist() == [2, 2, 2] * 2
    print_shares(blocks)
    rows = [line.split(" | ") for line in capsys.readouterr().out.splitlines()]
    assert rows[0] == ["### Table 1, percent"]
    assert rows[6] == ["| full_text", "33.3 (12)", "75.0 (51)", "75.0 (42) |"]


def test_neighbors_beyond_the_ends_of_a_page_are_zero(news):
    from shallow_features import load_blocks

    names = [f"number of words ({place})" for place in "PCN"]
    assert load_blocks(news).select(names)[:3].tolist() == [[0, 1, 6], [1, 6, 1], [6, 1, 0]]
    assert load_blocks(news).columns["number of words quotient"][:3].tolist() == [0, 1 / 6, 6]
    assert load_blocks(news).columns["text density delta"][:3].tolist() == [1, 5, -5]


def test_features_of_texts_count_words_sentences_and_dates():
    from shallow_features import text_features

    length, sentence, start, start_share, full, full_share, stops, dates, bars = text_features(
        ["By ANN | May 3, 2008. It", "rained?"]
    )
    assert length == pytest.approx((2 + 3 + 3 + 2 + 5 + 2 + 7) / 7)
    assert (sentence, start, full, dates, bars) == (3.5, 4, 1, 2, 1)
    assert (start_share, full_share, stops) == pytest.approx((4 / 7, 1 / 7, 1 / 7))
    assert text_features(["|"]) == [0, 0, 0, 0, 0, 0, 0, 0, 1]


def test_a_feature_that_separates_the_classes_has_all_information():
    from information_gain import entropy, information_gain

    labels = np.repeat([0, 1], 50)
    assert information_gain(labels * 2.0, labels, np.ones(100)) == (1.0, 2)
    assert information_gain(np.arange(100) % 2.0, labels, np.ones(100)) == (0.0, 1)
    assert entropy(np.array([[1.0, 1.0], [0.0, 4.0]])).tolist() == [1, 0]


def test_an_interval_must_save_more_bits_than_it_takes():
    from information_gain import information_gain

    labels, values = np.array([0, 1, 0, 1, 1, 1]), np.array([1.0, 2, 3, 4, 5, 6])
    assert information_gain(values, labels, np.ones(6))[1] == 1
    assert information_gain(values, labels, np.full(6, 100.0))[1] == 4  # as if each were there a hundred times


def test_means_over_the_classes_are_those_of_scikit_learn():
    from kohlschuetter import area_under_curve, class_means
    from sklearn.metrics import precision_recall_fscore_support

    counts = np.array([[3.0, 1.0, 0.0], [2.0, 4.0, 0.0], [1.0, 0.0, 5.0]])
    expected, answers = (each.ravel() for each in np.indices((3, 3)))
    scores = precision_recall_fscore_support(expected, answers, sample_weight=counts.ravel(), average="weighted")
    false = (3 / 12 * 4 + 1 / 10 * 6 + 0 * 6) / 16
    assert class_means(counts).tolist() == pytest.approx([*scores[:3], false])
    assert area_under_curve(np.eye(2), np.array([0, 1]), np.array([1.0, 2.0])) == 1


def test_comments_are_full_text_and_related_content_is_boilerplate():
    from kohlschuetter import label

    assert label(np.arange(6), 2).tolist() == [0, 1, 1, 1, 0, 1]
    assert label(np.arange(6), 4).tolist() == [0, 2, 1, 3, 0, 1]


def test_all_classifiers_separate_short_boilerplate_from_long_content():
    from kohlschuetter import format_scores, score_rows
    from shallow_classifiers import ROWS, by_margin, by_tree

    blocks = many_pages(400)
    names = ["number of words (C)"]
    for classify in (by_tree(names), by_tree(names, 2), by_margin(names)):
        answer = classify(blocks, blocks.by_tree["numwords"])
        assert answer.classes.tolist() == blocks.by_tree["numwords"].tolist()
        assert answer.n_leaves in (2, None)
    rows = {row.name: row for row in ROWS}
    assert len(rows) == 17
    lines = score_rows(blocks, 2, [rows["ZeroR"], rows["only number of words @15"]]).splitlines()
    assert re.fullmatch(r"\| only number .* 100.0 ±0.0 \(86.7\) \| 0.0 \(15.5\) .* \| 2 \(2\) \|", lines[3])
    assert format_scores([1.0] * 6, rows["number of words (P/C/N)"], 4, 0.5)[2:4] == ["1.0 ±0.5 (87.6)", "1.0"]


def test_lengths_that_were_drawn_from_a_mixture_give_its_parameters():
    from random_writer import fit, geometric, mixture

    x = np.arange(1, 80)
    found, adjusted, error = fit(mixture, x, mixture(x, 0.75, 0.4, 0.05), [0.8, 0.3, 0.1])
    assert found.tolist() == pytest.approx([0.75, 0.4, 0.05], abs=1e-4)
    assert (adjusted, error) == pytest.approx((1, 0), abs=1e-6)
    assert geometric(x, 0.5)[:3].tolist() == [0.5, 0.25, 0.125]


def test_words_by_density_are_those_of_the_blocks():
    from random_writer import words_by_density

    words = words_by_density(many_pages(1)).tolist()
    assert {density: row for density, row in enumerate(words, start=1) if any(row)} == {
        1: [3, 0, 3, 0, 0, 0, 0],
        13: [0, 0, 0, 0, 0, 40, 40],
    }


def test_the_texts_of_rules_are_scored_with_comments_and_without(news):
    from kohlschuetter import format_texts, score_texts

    table = format_texts(score_texts(news))
    rows = {line.split(" | ")[0]: line.split(" | ")[1:] for line in table.splitlines()}
    assert rows["| `shallow:all`"] == ["93.33", "93.33", "68.30", "93.33", "93.33", "70.60 |"]


def test_the_pages_of_cleaneval_have_scores_by_rule_and_densities(tmp_path):
    from cleaneval_pages import TEST_PAGES, read_densities, score_test_pages

    data = write_cleaneval(tmp_path)
    scores = {each.name: each.pages[TEST_PAGES] for each in score_test_pages(data)}
    assert {len(pages) for pages in scores.values()} == {2}
    # The rule keeps the paragraph of 21 words, and drops the headline of four, the menu and the imprint.
    assert scores["shallow:min-words"][0] == pytest.approx(100 * 2 * 21 / (21 + 25))
    densities, words = read_densities(data)
    assert len(densities) == len(words)
    assert len(words) % 3 == 0  # the same article on three pages
    assert words.sum() > 3 * 10
    assert densities.max() > 8


@pytest.mark.parametrize(
    ("text", "script"),
    [
        ("Die Seite", "Latin script"),
        ("Новости дня", "Cyrillic script"),
        ("新闻 news", "Latin script"),
        ("今日新闻 OK", "Chinese"),
        ("今日のニュース", "Japanese"),
        ("12 | 3", "None script"),
    ],
)
def test_the_script_is_that_of_most_letters(text, script):
    from languages import find_script

    assert find_script(text) == script


def test_pages_are_grouped_by_language_and_spread_over_sites(tmp_path):
    from languages import format_scores, read_groups, spread, word_f1

    from scrapy_web2text.evaluation import evaluate_all
    from scrapy_web2text.labelers.registry import get_labeler

    folder = tmp_path / "news"
    for part in ("html", "text"):
        (folder / part).mkdir(parents=True)
    for i in range(4):
        (folder / "html" / f"{i}.html").write_text("<p>one two</p>")
        (folder / "text" / f"{i}.txt").write_text("one two")
    entries = [{"id": "0", "lang": "zh"}, {"id": "1", "lang": "Polish"}, {"id": "2"}]
    (folder / "meta.jsonl").write_text("\n".join(map(json.dumps, entries)))
    groups = read_groups(tmp_path, "news")
    ids = {name: [page.id for page in pages] for name, pages in groups.items()}
    assert ids == {"Chinese": ["0"], "Polish": ["1"], "Latin script": ["2", "3"]}
    assert spread("abcdefgh", 4) == ["a", "c", "e", "g"]
    assert spread("ab", None) == "ab"
    reports = evaluate_all({"shallow:all": get_labeler("shallow:all")}, groups["Latin script"])
    last = format_scores({"news": reports}, word_f1).splitlines()[-1]
    assert last.replace("\N{NO-BREAK SPACE}", " ") == "| `shallow:all` | 1.000 ±.000 |"


def test_lists_of_words_have_as_many_as_the_paper():
    from dragnet import MODEL, TABLE_1, list_words

    from scrapy_web2text.evaluation import LabeledPage
    from scrapy_web2text.training.dragnet.data import read_page
    from scrapy_web2text.training.dragnet.recipe import DragnetRecipe
    from scrapy_web2text.training.recipe import read_recipe

    names = [f"nav{letter}" for letter in "abcdefghijklmnopqrstuvwxyz"]
    items = "".join(f"<p class='{name}' id='{name}'>Home</p>" for name in names)
    menu = "<p class=navz>News</p>" * 4
    story = "<p class=story>one two</p>" * 30
    page = read_page(LabeledPage("1", items + menu + story, "one two " * 30))
    lists = list_words(read_recipe(DragnetRecipe, MODEL / "recipe.toml"), [page])
    sizes = [{key: len(words) for key, words in found.items()} for found in lists.values()]
    assert sizes == [{"id": 26, "class": 27}, {"id": 8, "class": 24}, {"id": 8, "class": 24}, {"id": 0, "class": 12}]
    assert lists["the 8 and 24 most frequent of them"]["class"][:2] == ("story", "navz")
    assert lists["the 12 classes that the paper prints"]["class"] == tuple(TABLE_1)


def test_every_stage_is_in_one_part_of_the_running_times():
    from running_times import PARTS, format_times
    from stages import STAGES

    sums = {"parsing and features together", "all of the paper's"}
    stages = [stage for part, (found, _) in PARTS.items() if part not in sums for stage in found]
    assert sorted(stages) == sorted(STAGES)
    rows = format_times({"web2text-2018": dict.fromkeys(STAGES, 0.5)}, 100).splitlines()
    assert rows[4] == "| parsing and features together | 20.00 | 35 |"
    assert rows[6] == "| all of the paper's | 30.00 | 54 |"


def test_blocks_are_counted_with_ids_and_without():
    from semtext_blocks import count_page, format_counts

    from scrapy_web2text.evaluation import LabeledPage

    html = "<body><h1>Flood</h1><p>It <i>rose</i> again.</p><p id=end>Then it fell.</p><ul><li>Home</ul></body>"
    counts = count_page(LabeledPage("1", html, "It rose again. Then it fell."))
    assert counts.sizes.tolist() == [6, 4, 3]
    assert counts.best.tolist() == [4, 0, 0, 2]
    assert format_counts([counts, counts]) == ["12", "8", "6", "1.000"]


def test_f1_over_blocks_counts_each_block_once():
    from scs_scores import format_scores, score_blocks

    from scrapy_web2text.evaluation import LabeledPage
    from scrapy_web2text.labelers.registry import get_labeler

    html = "<body><h1>Flood</h1><p>It <i>rose</i> again.</p><p id=end>Then it fell.</p><ul><li>Home</ul></body>"
    page = LabeledPage("1", html.encode(), "It rose again. Then it fell.")
    counts = score_blocks({"all": get_labeler("shallow:all")}, {"peer": lambda _: "It rose again."}, [page])
    assert counts["all"].tolist() == [[[2, 2, 0, 0], [4, 2, 0, 0]]]
    assert counts["peer"].tolist() == [[[1, 0, 1, 2], [3, 0, 1, 2]]]
    rows = format_scores({"both": [counts["all"], counts["peer"]]}, {"both": (0.5, 0.75, 1.0)}).splitlines()
    assert rows[2].replace("\N{NO-BREAK SPACE}", " ") == (
        "| `both` | .750 (.50) | .750 (.75) | .667 ±.000 (1.00) | .667–.667 | .829 |"
    )


def test_a_failure_of_unfluff_is_an_empty_answer():
    from unfluff import format_report, score

    from scrapy_web2text.evaluation import LabeledPage

    pages = [LabeledPage(str(i), f"<p>one two</p><p>Home</p><!-- {i} -->", "one two") for i in range(2)]
    report = score(pages, ["one two", None])
    assert (report.blocks.precision, report.blocks.recall) == (1, 0.5)
    cells = format_report(report, (0.71, 0.9, 0.57, 0.7))
    assert cells[:3] == ["0.750 (0.71)", "1.000 (0.90)", "0.500 (0.57)"]
    assert cells[-1] == "1"


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_the_program_for_node_reads_all_pages(tmp_path):
    from unfluff import extract_all

    module = "module.exports = page => { if (!page) throw Error(); return {text: page.toUpperCase()}; };"
    (tmp_path / "unfluff.js").write_text(module)
    assert extract_all(["one", "", "zwei ü"], tmp_path) == ["ONE", None, "ZWEI Ü"]
