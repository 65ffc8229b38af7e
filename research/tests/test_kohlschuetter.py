"""The experiments of the papers compute what they say, on values that can be checked by hand."""

from __future__ import annotations

import re

import lxml.html
import numpy as np
import pytest
from corpora import write_cleaneval
from sklearn.metrics import precision_recall_fscore_support

from research.kohlschuetter.__main__ import (
    area_under_curve,
    class_means,
    format_scores,
    format_texts,
    label,
    print_shares,
    score_rows,
    score_texts,
)
from research.kohlschuetter.classes import CORPUS, TextClass, read_pages, remove_marks
from research.kohlschuetter.classifiers import ROWS, by_margin, by_tree
from research.kohlschuetter.features import FREQUENCY, LOCAL, POSITIONS, NewsBlocks, load_blocks, text_features
from research.kohlschuetter.information_gain import entropy, information_gain
from research.kohlschuetter.random_writer import fit, geometric, mixture, words_by_density
from research.kohlschuetter.rules import TEST_PAGES, read_densities, score_test_pages

NEWS = """<body><h1><span class="x-nc-sel1">Flood</span></h1><p><span class="x-nc-sel2">The river </span>
<a href="/x"><span class="x-nc-sel2">rose</span></a><span class="x-nc-sel2"> again in May.</span></p>
<ul><li class="x-nc-sel4">Home</ul></body>"""


@pytest.fixture
def news(tmp_path):
    """A folder with two pages of news."""

    (tmp_path / CORPUS).mkdir(parents=True)
    for name in ("1", "2"):
        (tmp_path / CORPUS / f"{name}.html").write_text(NEWS)
    return tmp_path


def many_pages(n_pages):
    """Blocks of pages that alternate between three words of boilerplate and forty of content, half of it comments."""

    words = np.tile([3.0, 40.0, 3.0, 40.0], n_pages)
    columns = {name: np.zeros(len(words)) for name in (*LOCAL, *POSITIONS, FREQUENCY)}
    columns |= {"number of words": words, "text density": words / 3}
    classes = np.tile([TextClass.BOILERPLATE, TextClass.FULL_TEXT, TextClass.RELATED, TextClass.COMMENTS], n_pages)
    by_tree = {"numwords": (words > 16).astype(int), "density": (words > 16).astype(int)}
    return NewsBlocks(columns, by_tree, words.astype(int), classes, np.repeat(np.arange(n_pages), 4))


def test_the_shares_of_classes_are_printed_beside_those_of_the_paper(news, capsys):
    blocks = load_blocks(news)
    assert blocks.words.tolist() == blocks.tokens.tolist() == [1, 6, 1] * 2
    assert blocks.columns["text frequency"].tolist() == [2, 2, 2] * 2
    print_shares(blocks)
    rows = [line.split(" | ") for line in capsys.readouterr().out.splitlines()]
    assert rows[0] == ["### Table 1, percent"]
    assert rows[6] == ["| full_text", "33.3 (12)", "75.0 (51)", "75.0 (42) |"]


def test_neighbors_beyond_the_ends_of_a_page_are_zero(news):
    names = [f"number of words ({place})" for place in "PCN"]
    assert load_blocks(news).select(names)[:3].tolist() == [[0, 1, 6], [1, 6, 1], [6, 1, 0]]
    assert load_blocks(news).columns["number of words quotient"][:3].tolist() == [0, 1 / 6, 6]
    assert load_blocks(news).columns["text density delta"][:3].tolist() == [1, 5, -5]


def test_features_of_texts_count_words_sentences_and_dates():
    length, sentence, start, start_share, full, full_share, stops, dates, bars = text_features(
        ["By ANN | May 3, 2008. It", "rained?"]
    )
    assert length == pytest.approx((2 + 3 + 3 + 2 + 5 + 2 + 7) / 7)
    assert (sentence, start, full, dates, bars) == (3.5, 4, 1, 2, 1)
    assert (start_share, full_share, stops) == pytest.approx((4 / 7, 1 / 7, 1 / 7))
    assert text_features(["|"]) == [0, 0, 0, 0, 0, 0, 0, 0, 1]


def test_a_feature_that_separates_the_classes_has_all_information():
    labels = np.repeat([0, 1], 50)
    assert information_gain(labels * 2.0, labels, np.ones(100)) == (1.0, 2)
    assert information_gain(np.arange(100) % 2.0, labels, np.ones(100)) == (0.0, 1)
    assert entropy(np.array([[1.0, 1.0], [0.0, 4.0]])).tolist() == [1, 0]


def test_an_interval_must_save_more_bits_than_it_takes():
    labels, values = np.array([0, 1, 0, 1, 1, 1]), np.array([1.0, 2, 3, 4, 5, 6])
    assert information_gain(values, labels, np.ones(6))[1] == 1
    assert information_gain(values, labels, np.full(6, 100.0))[1] == 4  # as if each were there a hundred times


def test_means_over_the_classes_are_those_of_scikit_learn():

    counts = np.array([[3.0, 1.0, 0.0], [2.0, 4.0, 0.0], [1.0, 0.0, 5.0]])
    expected, answers = (each.ravel() for each in np.indices((3, 3)))
    scores = precision_recall_fscore_support(expected, answers, sample_weight=counts.ravel(), average="weighted")
    false = (3 / 12 * 4 + 1 / 10 * 6 + 0 * 6) / 16
    assert class_means(counts).tolist() == pytest.approx([*scores[:3], false])
    assert area_under_curve(np.eye(2), np.array([0, 1]), np.array([1.0, 2.0])) == 1


def test_comments_are_full_text_and_related_content_is_boilerplate():
    assert label(np.arange(6), 2).tolist() == [0, 1, 1, 1, 0, 1]
    assert label(np.arange(6), 4).tolist() == [0, 2, 1, 3, 0, 1]


def test_all_classifiers_separate_short_boilerplate_from_long_content():
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
    x = np.arange(1, 80)
    found, adjusted, error = fit(mixture, x, mixture(x, 0.75, 0.4, 0.05), [0.8, 0.3, 0.1])
    assert found.tolist() == pytest.approx([0.75, 0.4, 0.05], abs=1e-4)
    assert (adjusted, error) == pytest.approx((1, 0), abs=1e-6)
    assert geometric(x, 0.5)[:3].tolist() == [0.5, 0.25, 0.125]


def test_words_by_density_are_those_of_the_blocks():
    words = words_by_density(many_pages(1)).tolist()
    assert {density: row for density, row in enumerate(words, start=1) if any(row)} == {
        1: [3, 0, 3, 0, 0, 0, 0],
        13: [0, 0, 0, 0, 0, 40, 40],
    }


def test_the_texts_of_rules_are_scored_with_comments_and_without(news):
    table = format_texts(score_texts(news))
    rows = {line.split(" | ")[0]: line.split(" | ")[1:] for line in table.splitlines()}
    assert rows["| `shallow:all`"] == ["93.33", "93.33", "68.30", "93.33", "93.33", "70.60 |"]


def test_the_pages_of_cleaneval_have_scores_by_rule_and_densities(tmp_path):
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


MARKED = """<body><h1><span class="x-nc-sel1">Flood</span></h1><p><span class="x-nc-sel2">The river </span>
<a href="/x"><span class="x-nc-sel2"><b><span class="x-nc-sel5">rose</span></b></span></a><span class="x-nc-sel2"> again
in May.</span></p><ul><li class="x-nc-sel4">Home</ul><!-- end --></body>"""


def test_marks_of_classes_are_removed_and_the_innermost_counts():

    page, classes = remove_marks(lxml.html.document_fromstring(MARKED))
    assert ["".join(text.split()) for text in page.texts] == ["Flood", "Theriver", "rose", "againinMay.", "Home"]
    assert "span" not in page.names
    assert classes.tolist() == [1] * 5 + [2] * 8 + [5] * 4 + [2] * 11 + [0] * 4


def test_a_block_has_the_class_of_most_of_its_characters(tmp_path):
    (tmp_path / CORPUS).mkdir(parents=True)
    (tmp_path / CORPUS / "1.html").write_text(MARKED.replace("<b>", "").replace("</b>", ""))
    (tmp_path / CORPUS / "2.html").write_text("<body></body>")
    first, second = read_pages(tmp_path)
    assert [TextClass(value) for value in first.classes] == [
        TextClass.HEADLINE,
        TextClass.FULL_TEXT,
        TextClass.BOILERPLATE,
    ]
    assert second.classes.tolist() == []
