"""Each difference of the Web2Text paper from its program, on pages that can be checked by hand."""

from __future__ import annotations

import json
import sys
from math import log

import numpy as np
import pytest
from corpora import write_cleaneval
from places import MODELS, PAGES

from benchmarks.stages import STAGES
from research.web2text import written_features as variants
from research.web2text.running_times import PARTS, format_times
from research.web2text.written_columns import BINARY_BLOCKS, BINARY_EDGES, DIFFERENCES, written_features
from research.web2text.written_features import Answers, format_variants
from scrapy_web2text.features.cnn_hmm.columns import LEAF_SCALES, NODE_SCALES
from scrapy_web2text.features.cnn_hmm.page import BLOCK_FEATURE_NAMES, EDGE_FEATURE_NAMES, page_features
from scrapy_web2text.page.arrays import tree_to_page
from scrapy_web2text.page.blocks import TEXT_LEAVES, segment
from scrapy_web2text.page.parse import to_tree

PLACES = ("leaf", "parent", "grandparent", "root", "common_ancestor")


def read(html):
    page = tree_to_page(to_tree(html))
    return page, segment(page, TEXT_LEAVES)


def column(html, name, *differences):
    """Return a column of blocks as the paper has it, before its standardization."""

    values = written_features(*read(html), differences).blocks[:, BLOCK_FEATURE_NAMES.index(name)]
    place, _, plain = name.partition(".")
    scales = LEAF_SCALES if place == "leaf" else NODE_SCALES
    return (values * scales[plain].scale + scales[plain].mean).tolist()


def changed_columns(*differences):
    """Return the names of columns, without their places, that differ from the program's on any of the test pages."""

    changed = set()
    for path in PAGES:
        page = read(path.read_bytes())
        program, written = page_features(*page), written_features(*page, differences)
        for names, ours, theirs in (
            (BLOCK_FEATURE_NAMES, written.blocks, program.blocks),
            (EDGE_FEATURE_NAMES, written.edges, program.edges),
        ):
            changed |= {names[i].rpartition(".")[2] for i in np.flatnonzero((ours != theirs).any(axis=0))}
    return changed


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_without_differences_all_columns_are_those_of_the_program(path):
    page = read(path.read_bytes())
    program, written = page_features(*page), written_features(*page, ())
    assert np.array_equal(written.blocks, program.blocks)
    assert np.array_equal(written.edges, program.edges)
    assert np.array_equal(written.n_tokens, program.n_tokens)


@pytest.mark.parametrize(
    ("difference", "columns"),
    [
        ("standardization", set()),  # needs all training pages, see below
        ("constant columns", {"same_class_path_ratio", "body_percentage"}),
        ("stopwords", {"has_stopword", "stopword_ratio"}),
        ("fractions", {"average_word_length", "log_sentence_length"}),
        ("limits", {"log_n_words", "log_punctuation_ratio", "log_n_chars"}),
        ("tree", {"relative_position", "relative_position_squared", "link_density", "has_form"}),
        ("line breaks", {"line_break"}),
    ],
)
def test_a_difference_changes_no_other_columns(difference, columns):
    changed = changed_columns(difference)
    assert changed <= columns
    assert bool(changed) is bool(columns)


def test_a_page_with_a_single_leaf_can_have_all_differences():
    features = written_features(*read("<p><a><input>The</a>"), DIFFERENCES)
    assert features.blocks.shape == (1, 128)
    assert features.edges.shape == (0, 25)
    assert np.isfinite(features.blocks).all()


def test_shares_of_class_paths_and_of_the_text_are_not_rounded_down():
    html = "<body><ul><li><a class=x>one</a><li><a class=x>two</a><li><a class=y>six</a></ul><p>a bird</p>"
    assert column(html, "leaf.same_class_path_ratio", "constant columns") == pytest.approx([0.5, 0.5, 0.25, 0.25])
    assert column(html, "parent.body_percentage", "constant columns") == pytest.approx([9 / 15] * 3 + [1])
    assert column(html, "leaf.same_class_path_ratio") == [0] * 4
    assert column(html, "parent.body_percentage") == [0] * 3 + [1]


def test_stopwords_count_in_any_case():
    html = "<p>The cat<p>the CAT"
    assert column(html, "leaf.stopword_ratio", "stopwords") == pytest.approx([0.5, 0.5])
    assert column(html, "leaf.stopword_ratio") == pytest.approx([0, 0.5])
    assert column(html, "parent.stopword_ratio", "stopwords") == pytest.approx([0.5, 0.5])


def test_words_of_all_scripts_count():
    html = "<p>Été à Nîmes<p>Привет мир<p>東京 is"
    names = ("leaf.log_n_words", "leaf.average_word_length", "leaf.capital_ratio")
    words, lengths, capitals = (column(html, name, "scripts") for name in names)
    assert words == pytest.approx([log(3), log(2), log(3)], abs=1e-5)
    assert lengths == pytest.approx([3, 4, 3])  # (3 + 1 + 5) // 3, (6 + 3) // 2, (1 + 1 + 2) // 3, clipped
    assert capitals == pytest.approx([2 / 3, 1 / 2, 0])
    assert column(html, "leaf.log_n_words")[0] == pytest.approx(log(3), abs=1e-5)  # t, N and mes
    assert column(html, "leaf.capital_ratio")[0] == pytest.approx(1 / 3)


def test_binary_columns_are_0_and_1():
    page = read("<div><p>Are 3 birds here? <a>Yes</a></div><p>No")
    program, written = page_features(*page), written_features(*page, {"flags"})
    for is_binary, ours, theirs in (
        (BINARY_BLOCKS, written.blocks, program.blocks),
        (BINARY_EDGES, written.edges, program.edges),
    ):
        assert {*np.unique(ours[:, is_binary])} == {0, 1}
        assert np.array_equal(ours[:, is_binary] == 1, theirs[:, is_binary] > 0)
        assert np.array_equal(ours[:, ~is_binary], theirs[:, ~is_binary])
    names = np.array(BLOCK_FEATURE_NAMES)
    assert {name.partition(".")[2] for name in names[~BINARY_BLOCKS]} == {
        *("same_class_path_ratio", "log_n_words", "average_word_length", "stopword_ratio", "log_n_chars"),
        *("n_punctuation", "log_punctuation_ratio", "digit_ratio", "log_sentence_length", "relative_position"),
        *("relative_position_squared", "capital_ratio", "capital_ratio_squared", "capital_ratio_cubed"),
        *("body_percentage", "link_density"),
    }


def test_the_logarithm_of_nothing_is_clipped():
    html = "<div><p>...<p>" + "word " * 100 + "</div><p>end"
    assert column(html, "leaf.log_n_words", "limits") == pytest.approx([0, 3.5, 0], abs=1e-5)
    assert column(html, "leaf.log_punctuation_ratio", "limits") == pytest.approx([-2.5, -4, -4])
    assert column(html, "leaf.log_punctuation_ratio")[1] == pytest.approx(LEAF_SCALES["log_punctuation_ratio"].mean)


def test_lengths_of_nodes_have_the_limits_of_leaves():
    page = read("<div><p>one<p>" + "word " * 100 + "</div><p>end")
    values = written_features(*page, {"limits"}).blocks[:, BLOCK_FEATURE_NAMES.index("parent.log_n_chars")]
    assert values.tolist() == pytest.approx([LEAF_SCALES["log_n_chars"].standardize(np.array(5.5))] * 3)


def test_links_and_controls_count_wherever_they_are_in_the_chain():
    # The div is in the link. The select does not count as an input. The input is in the chain of the section, but not
    # in its innermost element.
    html = "<body><p>a</p><a><div>link<i>ed</i></div></a><form><p>x<b>y</b></p></form><section><input><p>z<b>w</b></p>"
    assert column(html, "parent.link_density", "tree") == pytest.approx([6 / 11, 1, 1, 0, 0, 0, 0])
    assert column(html, "parent.has_form", "tree") == [1, 0, 0, 1, 1, 1, 1]
    assert column(html, "parent.has_form") == [1, 0, 0, 0, 0, 0, 0]
    nested = "<a><div><p>one<i>two</i></p><p>six</p></div></a><p>end"
    assert column(nested, "parent.link_density", "tree") == pytest.approx([1, 1, 1, 9 / 12])
    assert column(nested, "parent.link_density") == pytest.approx([0, 0, 1, 9 / 12])


def test_the_position_of_a_block_is_where_it_begins():
    html = "<p>abc<p>d<p>efghij"
    assert column(html, "leaf.relative_position", "tree") == pytest.approx([0, 0.3, 0.4], abs=1e-6)
    assert column(html, "leaf.relative_position_squared", "tree") == pytest.approx([0, 0.09, 0.16], abs=1e-6)
    assert column(html, "leaf.relative_position") == pytest.approx([0.15, 0.35, 0.7], abs=1e-6)


def test_averages_keep_their_fractions():
    html = "<p>seven words</p><p>It rained again. It poured.</p><p>?"
    assert column(html, "leaf.average_word_length", "fractions")[:2] == pytest.approx([5, 21 / 5])
    assert column(html, "parent.average_word_length", "fractions")[0] == pytest.approx(31 / 7)
    assert column(html, "parent.average_word_length")[0] == pytest.approx(4)
    lengths = column(html, "leaf.log_sentence_length", "fractions")
    assert lengths == pytest.approx([log(11), log(27 / 2), 2])
    assert column(html, "leaf.log_sentence_length")[1] == pytest.approx(log(13))
    words = "leaf.average_word_length"
    assert column(html, words, "fractions")[2] == column(html, words)[2]  # without words as in the program


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        pytest.param("<p>a<b>b</b> c</p>", [0, 0], id="inline"),
        pytest.param("<p>a<br>b</p>c", [1, 1], id="break and end of a paragraph"),
        pytest.param("<dl><dt>a<dt>b<dd>c</dl>", [1, 1], id="terms"),
        pytest.param("<table><tr><td>a<td>b<tr><td>c</table>", [0, 1], id="cells and rows"),
        pytest.param("<span>a</span><div></div><span>b</span>", [1], id="empty block"),
        pytest.param("a<span><span><p>b</p></span></span>", [1], id="inner block"),
    ],
)
def test_lines_break_as_in_an_unstyled_page(html, expected):
    edges = written_features(*read(html), {"line breaks"}).edges
    assert edges[:, EDGE_FEATURE_NAMES.index("line_break")].tolist() == expected


@pytest.fixture
def small(tmp_path, monkeypatch):
    """A folder of corpora with three pages of CleanEval, and a recipe with four steps."""

    write_cleaneval(tmp_path)
    model = tmp_path / "model"
    model.mkdir()
    splits = {name: {"train": [1], "val": [2], "test": [10]} for name in variants.SETS}
    (model / "splits.json").write_text(json.dumps(splits))
    text = (MODELS / "web2text-2018" / "recipe.toml").read_text(encoding="utf-8")
    for old, new in (("steps = 5000", "steps = 4"), ("eval_every = 100", "eval_every = 2"), ("t = 9 ", "t = 3 ")):
        assert old in text
        text = text.replace(old, new)
    (model / "recipe.toml").write_text(text, encoding="utf-8")
    monkeypatch.setattr(variants, "MODEL", model)
    return tmp_path


def test_columns_are_standardized_on_the_training_pages(small):
    pages = variants.read_rows(small, "web2text")
    program, rows = pages.parts["train"].block_features, pages.vary({"standardization"})
    train = rows["train"].block_features
    assert np.abs(train[:, ~BINARY_BLOCKS].mean(axis=0)).max() < 1e-6
    deviations = train[:, ~BINARY_BLOCKS].std(axis=0)
    assert deviations[deviations > 1e-6].tolist() == pytest.approx([1] * int((deviations > 1e-6).sum()))
    assert np.array_equal(train[:, BINARY_BLOCKS], program[:, BINARY_BLOCKS])
    # All pages are the same here, so the scales of the training page standardize the others.
    assert np.array_equal(rows["test"].block_features, train)


def test_each_variant_is_trained_once_and_compared_with_the_program(small, monkeypatch, capsys):
    chosen = ("--variant", "line breaks", "--variant", "paper")
    argv = ["written_features.py", "--data", str(small), "--out", str(small / "out"), "--seeds", "2", *chosen]
    monkeypatch.setattr(sys, "argv", argv)
    variants.main()
    table = capsys.readouterr().out
    rows = [line.split(" | ") for line in table.splitlines()]
    assert [row[0] for row in rows] == ["| features", "| ---", "| program", "| line breaks", "| paper"]
    assert [len(row) for row in rows] == [7] * 5
    assert sorted(path.stem for path in (small / "out" / "original").glob("*seed 0.npy")) == [
        *("line breaks, edges, seed 0", "paper, blocks, seed 0", "paper, edges, seed 0"),
        *("program, blocks, seed 0", "program, edges, seed 0"),
    ]
    monkeypatch.setattr(variants, "train", None)
    variants.main()
    assert capsys.readouterr().out == table


def test_one_seed_gives_no_standard_error(small, monkeypatch, capsys):
    argv = ["written_features.py", "--data", str(small), "--out", str(small / "out"), "--seeds", "1"]
    monkeypatch.setattr(sys, "argv", argv)
    with pytest.raises(SystemExit):
        variants.main()
    assert "--seeds: expected 2 or more" in capsys.readouterr().err


def test_differences_are_means_over_seeds_and_pages():
    half, all_right = [1, 1, 1, 1], [2, 0, 0, 2]
    found = {
        "program": Answers(np.array([[half, half], [half, all_right]])),
        "paper": Answers(np.array([[all_right, all_right], [half, all_right]])),
    }
    last = format_variants({"web2text": found}).splitlines()[-1]
    assert last == "| paper | .875 (.750 to 1.000) | +0.250 ± 0.250 | +0.250 to +0.250 |"


def test_every_stage_is_in_one_part_of_the_running_times():
    sums = {"parsing and features together", "all of the paper's"}
    stages = [stage for part, (found, _) in PARTS.items() if part not in sums for stage in found]
    assert sorted(stages) == sorted(STAGES)
    rows = format_times({"web2text-2018": dict.fromkeys(STAGES, 0.5)}, 100).splitlines()
    assert rows[4] == "| parsing and features together | 20.00 | 35 |"
    assert rows[6] == "| all of the paper's | 30.00 | 54 |"
