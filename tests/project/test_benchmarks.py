"""The benchmarks find what they measure, and count it once."""

from __future__ import annotations

import json
import time
from xml.etree import ElementTree

import pytest

from benchmarks import capacity, folds, speed, structures
from benchmarks.chart import Point, draw_chart, find_front
from benchmarks.stages import ALL, FAMILIES, FEATURE_PARTS, STAGES, StageClock, measure_families, measure_stages
from benchmarks.timing import PARSE, TEN_BLOCKS, Sample, read_page_sets
from scrapy_web2text import Extractor


@pytest.fixture
def clock(monkeypatch):
    """A stage clock for functions that take a second for each unit of their argument."""

    now = iter(range(100))
    monkeypatch.setattr(time, "thread_time", lambda: float(next(now)))
    return StageClock()


def test_the_time_of_a_stage_within_another_counts_once(clock):
    inner = clock.wrap("inner", lambda: None)
    outer = clock.wrap("outer", lambda: [inner(), inner()])
    clock.wrap("all", outer)()
    assert clock.seconds == {"inner": 2.0, "outer": 3.0, "all": 2.0}


def test_the_time_of_a_stage_that_fails_counts(clock):
    with pytest.raises(ZeroDivisionError):
        clock.wrap("outer", clock.wrap("inner", lambda: 1 / 0))()
    assert clock.seconds == {"inner": 1.0, "outer": 2.0}


@pytest.mark.parametrize("model", ["web2text-2026", "web2text-2018", "shallow"])
def test_the_stages_of_each_model_take_time(model):
    seconds = measure_stages(Extractor(model=model), [Sample.of(TEN_BLOCKS.encode())], rounds=1)
    assert list(seconds) == [PARSE, *STAGES]
    idle = {stage for stage in STAGES if not seconds[stage]} - {"fragment"}
    assert idle <= ({"features", "decoding", "finish"} if model == "shallow" else {"finish"})


def test_each_family_of_features_has_a_cost():
    seconds = measure_families([Sample.of(TEN_BLOCKS.encode()), Sample.of(b"<p></p>")], rounds=3)
    assert list(seconds) == [PARSE, ALL, *FAMILIES, *FEATURE_PARTS]
    assert all(seconds[name] > 0 for name in (PARSE, ALL, *FEATURE_PARTS))
    assert 0 <= max(seconds[family] for family in FAMILIES) < seconds[ALL]


def test_the_tables_of_costs_are_printed_for_each_set_of_pages(capsys):
    sets = list(read_page_sets(None, 2))
    costs = speed.measure_models(speed.MODELS, sets, rounds=1)
    speed.print_costs(sets, costs)
    header, _, first, *rows = capsys.readouterr().out.splitlines()
    assert header.count(" ms |") == len(sets) == 2
    assert first.startswith(f"| {PARSE} | 1.00 |")
    assert [row.split(" | ")[0] for row in rows] == [f"| `{model}`" for model in speed.MODELS]


def test_an_unknown_table_is_refused(capsys):
    with pytest.raises(SystemExit):
        speed.main(["costs"])
    assert "got costs" in capsys.readouterr().err


def test_the_front_has_the_systems_that_none_is_better_than_for_less():
    cheap, same, dear = Point("a", 1, 0.7), Point("b", 1, 0.8), Point("c", 5, 0.9)
    points = [Point("d", 6, 0.9), dear, cheap, same, Point("e", 3, 0.8)]
    assert find_front(points) == [same, dear]
    chart = ElementTree.fromstring(draw_chart(points, with_front=True))
    texts = [text.text for text in chart.iter("{http://www.w3.org/2000/svg}text")]
    assert texts[-5:] == ["d", "c", "a", "b", "e"]
    assert texts[-7:-5] == ["other extractors", "no system that costs less is better"]  # the legend
    assert len(list(chart.iter("{http://www.w3.org/2000/svg}polyline"))) == 1


def test_each_input_of_a_batch_is_written_and_read(tmp_path):
    pytest.importorskip("fastwarc", reason="needs the extra warc")
    pytest.importorskip("pyarrow", reason="needs the extra parquet")
    from scrapy_web2text.sources.archives import Archive, archive_kind, read_archive
    from scrapy_web2text.sources.tables import Columns

    capacity.write_inputs(tmp_path / "all", [TEN_BLOCKS.encode()] * 2)
    rows = list(capacity.measure_reads(tmp_path, 2))
    names = [row[0].removeprefix("read ") for row in rows]
    assert names[-1] == "files"
    for name in names[:-1]:
        archive = Archive(name, archive_kind(name), tmp_path / "all" / name)
        assert len([*read_archive(archive, Columns(), None)]) == 2


def write_folds(folder, scores_by_seed):
    """Write a folds.json with a page of its own site for each score; every second one is a forum page."""
    pages = [
        {
            "id": str(i),
            "site": f"site{i}.example",
            "kind": "forum" if i % 2 else "article",
            "seed": seed,
            "f1": score,
            "published_f1": score - 0.25,
        }
        for seed, scores in scores_by_seed.items()
        for i, score in enumerate(scores)
    ]
    folder.mkdir()
    (folder / "folds.json").write_text(json.dumps({"pages": pages}))
    return str(folder / "folds.json")


def test_recipes_are_compared_by_the_means_of_their_seeds(tmp_path, monkeypatch, capsys):
    base = write_folds(tmp_path / "base", {0: [0.5, 0.5, 0.5, 0.5], 3: [1.0, 0.5, 1.0, 0.5]})
    other = write_folds(tmp_path / "other", {0: [1.0, 0.5, 1.0, 0.5]})
    monkeypatch.setattr("sys.argv", ["folds.py", base, other])
    folds.main()
    read, published = capsys.readouterr().out.split("\njudged by the published texts\n")
    lines = [line.split() for line in read.splitlines()[2:]]
    assert lines[1] == ["base", "article", "2", "0.7500", "±0.0000", "(0.5000", "to", "1.0000)"]
    assert lines[0][:4] == ["base", "all", "4", "0.6250"]
    assert 0 < float(lines[0][4].removeprefix("±")) <= 0.125
    assert lines[2] == ["base", "forum", "2", "0.5000", "±0.0000", "(0.5000", "to", "0.5000)"]
    assert lines[4] == ["other", "article", "2", "1.0000", "±0.0000", "+0.2500", "±", "0.0000"]
    # Two differences of .25 and two of 0 have a standard error of .125 / sqrt(4).
    assert lines[3][-3:] == ["+0.1250", "±", "0.0625"]
    assert published.split()[:4] == ["base", "all", "4", "0.3750"]


def test_formulas_code_and_cells_are_found_if_they_are_exact():
    markdown = "Let $x _1$ be.\n\n```python\nif a:\n    b  \n```\n\n| [c](/d) | *e* f |\n| --- | --- |\n"
    wanted = {"formulas": ["x_1", "x"], "code": ["if a:\n    b\n", "if a:"], "cells": ["c", "e f", "g"]}
    assert structures.find_missing(markdown, wanted) == [("formulas", "x"), ("code", "if a:"), ("cells", "g")]
