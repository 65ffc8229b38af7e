"""What the charts of the benchmarks draw follows from the data."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import numpy as np
import pytest
from places import ROOT

from benchmarks.plot import WIDTH, Axis, Frame, Series, draw_plot
from research.kohlschuetter import __main__ as kohlschuetter
from research.kohlschuetter.charts import (
    GOLDS,
    draw_classes,
    draw_corpora,
    draw_densities,
    draw_gains,
    draw_lengths,
    draw_ranks,
    draw_scores,
)
from research.kohlschuetter.classes import LabeledBlocks, TextClass
from research.kohlschuetter.features import FLOW, FREQUENCY, LOCAL, POSITIONS, NewsBlocks
from research.kohlschuetter.information_gain import Gain
from research.kohlschuetter.random_writer import CLASSES, mixture
from research.kohlschuetter.rules import TextScores
from scrapy_web2text.page.arrays import tree_to_page
from scrapy_web2text.page.blocks import SHALLOW_BLOCKS, segment
from scrapy_web2text.page.parse import to_tree

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def frame():
    """A square of 500 pixels, on which a unit is 100 across and, up, a power of ten is 250."""

    up = Axis("up", 1, 100, {1: "one", 10: "ten <"}, is_logarithmic=True)
    return Frame(Axis("across", 0, 5, {0: "0", 5: "5"}), up, left=WIDTH - 20 - 500, height=20 + 500 + 50)


def read(chart):
    """Return the texts, the lines as points, the dots and the bars of a chart, in their order."""
    root = ElementTree.fromstring(chart)
    texts = [text.text for text in root.iter(f"{SVG}text")]
    lines = [
        [tuple(map(float, point.split(","))) for point in line.get("points").split()]
        for line in root.iter(f"{SVG}polyline")
    ]
    dots = [(float(dot.get("cx")), float(dot.get("cy"))) for dot in root.iter(f"{SVG}circle")]
    bars = [tuple(map(float, re.findall(r"[\d.]+", bar.get("d")))) for bar in root.iter(f"{SVG}path")]
    return texts, lines, dots, bars


def test_values_have_their_places_on_linear_and_logarithmic_axes(frame):
    assert frame.place(0, 1) == (240, 520)
    assert frame.place(2, 10) == (440, 270)
    assert frame.place(5, 100) == (740, 20)


def test_an_axis_whose_values_fall_begins_with_the_largest():
    axis = Axis("", 4, 0, {})
    assert [axis.find_share(value) for value in (4, 3, 0)] == [0, 0.25, 1]


def test_lines_dots_and_bars_are_at_the_places_of_their_points(frame):
    series = [
        Series("line", "#111", [(1, 1), (2, 10)]),
        Series("fit", "#222", [(3, 10), (4, 100)], "dashes"),
        Series("seen", "#333", [(5, 10)], "dots"),
        Series("R & D", "#444", [(2, 10)], "bars"),
    ]
    chart = draw_plot(frame, series, legend=(300, 40))
    texts, lines, dots, bars = read(chart)
    assert texts == ["0", "5", "one", "ten <", "across", "up", "line", "fit", "seen", "R & D"]
    assert lines == [[(340, 520), (440, 270)], [(540, 270), (640, 20)], [(304, 51), (328, 51)], [(304, 67), (328, 67)]]
    assert dots == [(740, 270), (316, 83)]
    assert bars == [(240, 270, 440), (304, 99, 328)]
    assert chart.count("stroke-dasharray") == 2


def test_each_color_of_a_committed_chart_can_be_read_on_a_dark_background():
    charts = [*ROOT.glob("docs/*.svg"), *ROOT.glob("research/docs/*.svg"), *ROOT.glob("models/*/*.svg")]
    assert len(charts) > 10
    for chart in charts:
        style, _, marks = chart.read_text(encoding="utf-8").partition("</style>")
        assert "@media (prefers-color-scheme:dark)" in style
        dark = re.findall(r"""\[(?:fill|stroke)=['"](.*?)['"]\]""", style)
        either = {"none", "#0bd", "#e90", "#999", "#ccc"}  # bright enough for both
        assert set(re.findall(r"""(?:fill|stroke)=['"](.*?)['"]""", marks)) <= {*dark, *either}, chart.name


def test_points_beyond_the_axes_are_omitted(frame):
    points = [(1, 0.5), (1, 1), (5, 100), (6, 10), (-1, 10)]
    _, _, dots, _ = read(draw_plot(frame, [Series("seen", "#111", points, "dots")], legend=(300, 40)))
    assert dots[:-1] == [(340, 520), (740, 20)]


def by_length(counts):
    """Blocks of 1, 2, … words, as many of each as *counts* says, as dense as they are long, with a class for each."""

    words = np.repeat(np.arange(1.0, len(counts) + 1), counts)
    columns = {"number of words": words, "text density": words, "link density": np.zeros(len(words))}
    classes = np.where(words < 10, TextClass.BOILERPLATE, TextClass.FULL_TEXT)
    return NewsBlocks(columns, {}, words.astype(int), classes, np.zeros(len(words), dtype=int))


COUNTS = [200, 300, 200, 100, 50, 40, 30, 20, 10, 20, 50, 120, 200, 150, 80, 30, 10, 5, 2, 0, 1]


def test_words_are_drawn_by_density_for_each_class_and_all():
    texts, lines, dots, _ = read(draw_densities(by_length(COUNTS)))
    assert texts[-len(CLASSES) - 2 :] == [*CLASSES, "all classes", "two betas and a normal"]
    assert texts[21:28] == ["0", "500", "1,000", "1,500", "2,000", "2,500", "3,000"]
    # The 2,600 words of density 13 are the most; words of density 21 are counted with those of 20.
    words = [density * COUNTS[density - 1] for density in range(1, 20)] + [21]
    places = [(round(70 + 33.5 * density, 1), round(410 - 0.13 * n, 1)) for density, n in enumerate(words, start=1)]
    assert dots[:-1] == places
    assert lines[0][:9] == places[:9]
    assert lines[0][9:] == [(x, 410) for x, _ in places[9:]]
    assert lines[6] == [(x, 410) for x, _ in places[:9]] + places[9:]
    fitted = lines[7]
    assert (fitted[0][0], fitted[-1][0]) == (103.5, 706.5)
    assert abs(min(y for _, y in fitted) - 72) < 40


def test_lengths_are_drawn_beside_the_random_writers_that_fit_them():
    x = np.arange(1, 121)
    shares = mixture(x, 0.75, 0.4, 0.05)
    texts, (one, two, *_), dots, _ = read(draw_lengths(by_length(np.rint(1e6 * shares).astype(int))))
    assert "words of a block (0.1 % of the blocks have more than 100)" in texts
    assert (
        [dot[0] for dot in dots[:-1]]
        == [round(70 + 6.7 * length, 1) for length in range(1, 101)]
        == [point[0] for point in two]
    )
    assert max(abs(dot[1] - point[1]) for dot, point in zip(dots[:-1], two, strict=True)) < 2
    # With one kind of text, long blocks are rare: the line leaves the chart at the bottom.
    assert len(one) < 50
    assert one[20][1] > two[20][1] + 100


def test_bars_show_the_gains_in_their_order_and_dots_those_of_the_paper():
    gains = [Gain("<a> (C)", (0.5, 2), (0.25, 2), None), Gain("number of words (C)", (0.4, 3), (0.1, 3), 0.45)]
    texts, _, dots, bars = read(draw_gains(gains))
    assert texts[:9] == [
        "0.0",
        "0.1",
        "0.2",
        "0.3",
        "0.4",
        "0.5",
        "<a> (C)",
        "number of words (C)",
        "information gain, bits",
    ]
    ends = [end for _, _, end in bars[:4]]
    assert ends == [740, 628, 460, 292]
    heights = [y for _, y, _ in bars[:4]]
    assert heights[0] < heights[2] < heights[1] < heights[3]
    assert dots[0] == (684, heights[1])


def read_news():
    """Return a page with a paragraph of the story, one of a comment, and a menu."""

    line = "The river, which we had followed so far, left its valley on the last day of the journey. "
    page = tree_to_page(to_tree(f"<ul><li>Home</ul><p>{line * 5}</p><div>{line * 4}</div>"))
    classes = np.array([TextClass.BOILERPLATE, TextClass.FULL_TEXT, TextClass.COMMENTS])
    return [LabeledBlocks(page, segment(page, SHALLOW_BLOCKS), classes)]


def test_bars_show_scores_and_dots_those_of_the_paper():
    pages = dict(zip(GOLDS, ([70.0, 90.0], [80.0, 100.0]), strict=True))
    texts, _, dots, bars = read(draw_scores([TextScores("bte", pages)]))
    assert "bte" in texts
    assert [end for _, _, end in bars[:2]] == [480, 610]  # halves and three quarters of the axis from 60 to 100
    assert dots[0][0] == pytest.approx(220 + 520 * (89.29 - 60) / 40, abs=0.1)
    assert bars[1][1] < dots[0][1] < bars[0][1]


def test_pages_are_ranked_for_each_rule_from_the_best():
    scores = [TextScores("bte", {"gold": [20, 100, 60]}), TextScores("shallow:numwords+largest", {"gold": [90] * 3})]
    chart = draw_ranks(scores, "gold")
    texts, lines, _, _ = read(chart)
    assert texts[-2:] == ["shallow:numwords+largest", "bte"]  # by their means
    assert {y for _, y in lines[0]} == {59}  # 90 % of 390 pixels above 410
    assert [lines[1][percent] for percent in (0, 50, 100)] == [(55, 20), (397.5, 176), (740, 332)]
    assert chart.count("stroke-dasharray") == 2  # the rule with a filter, and its sample


def test_the_words_of_each_corpus_are_drawn_by_density():
    corpora = {"a": (np.array([1.2, 3, 25]), np.array([10.0, 20, 10])), "b": (np.array([2.0]), np.array([7.0]))}
    texts, lines, _, _ = read(draw_corpora(corpora))
    assert texts[-2:] == ["a", "b"]
    shares = [25, 0, 50, *[0] * 16, 25]  # of 100; denser blocks are counted with those of density 20
    assert [y for _, y in lines[0]] == [410 - 3.9 * share for share in shares]
    assert lines[1][1] == (123.5, 20)


def test_blocks_are_drawn_by_length_for_content_and_boilerplate():
    texts, (boilerplate, content, *_), _, _ = read(draw_classes(by_length(COUNTS)))
    assert texts[-2:] == ["boilerplate", "content"]
    assert len(boilerplate) == 9  # blocks of up to nine words
    assert len(content) == 11  # of 10 to 21; there is none of 20
    assert content[-1] == (286.5, 410)  # a single block of 21 words
    assert boilerplate[0][1] == round(20 + 390 * (1 - np.log10(200) / 3), 1)


def test_the_option_writes_the_charts_and_prints_no_table(tmp_path, monkeypatch, capsys):
    blocks = by_length(COUNTS)
    for name in (*LOCAL, *POSITIONS, *FLOW, FREQUENCY):
        blocks.columns.setdefault(name, np.zeros(len(blocks.words)))
    monkeypatch.setattr(kohlschuetter, "load_blocks", lambda _: blocks)
    monkeypatch.setattr(kohlschuetter, "read_pages", lambda _: read_news())
    monkeypatch.setattr(kohlschuetter, "read_densities", lambda _: (np.array([9.0]), np.array([5.0])))
    scores = [TextScores("bte", {kohlschuetter.TEST_PAGES: [90.0]})]
    monkeypatch.setattr(kohlschuetter, "score_test_pages", lambda _: scores)
    monkeypatch.setattr("sys.argv", ["kohlschuetter.py", "--data", "DIR", "--charts", str(tmp_path)])
    kohlschuetter.main()
    assert capsys.readouterr().out == ""
    assert {path.name for path in tmp_path.iterdir()} == {
        "block-lengths.svg",
        "class-lengths.svg",
        "comments.svg",
        "corpus-densities.svg",
        "information-gain.svg",
        "ranked-cleaneval.svg",
        "ranked-news.svg",
        "text-density.svg",
    }
    texts, _, _, bars = read((tmp_path / "information-gain.svg").read_text())
    assert "number of words (C)" in texts
    assert bars[0][2] > bars[-3][2]
