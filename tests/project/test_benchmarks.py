"""The benchmarks find what they measure, and count it once."""

from __future__ import annotations

import time
from xml.etree import ElementTree

import pytest
from places import ROOT


@pytest.fixture(autouse=True)
def _benchmarks(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "benchmarks")


@pytest.fixture
def clock(monkeypatch):
    """A stage clock for functions that take a second for each unit of their argument."""
    from stages import StageClock

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
    from stages import STAGES, measure_stages
    from timing import PARSE, TEN_BLOCKS, Sample

    from scrapy_web2text import Extractor

    seconds = measure_stages(Extractor(model=model), [Sample.of(TEN_BLOCKS.encode())], rounds=1)
    assert list(seconds) == [PARSE, *STAGES]
    idle = {stage for stage in STAGES if not seconds[stage]} - {"fragment"}
    assert idle <= ({"features", "decoding", "finish"} if model == "shallow" else {"finish"})


def test_each_family_of_features_has_a_cost():
    from feature_families import ALL, measure_families
    from stages import FEATURE_PARTS
    from timing import PARSE, TEN_BLOCKS, Sample

    from scrapy_web2text.features.modern import FAMILIES

    seconds = measure_families([Sample.of(TEN_BLOCKS.encode()), Sample.of(b"<p></p>")], rounds=3)
    assert list(seconds) == [PARSE, ALL, *FAMILIES, *FEATURE_PARTS]
    assert all(seconds[name] > 0 for name in (PARSE, ALL, *FEATURE_PARTS))
    assert 0 <= max(seconds[family] for family in FAMILIES) < seconds[ALL]


def test_the_tables_of_costs_are_printed_for_each_set_of_pages(capsys):
    import speed
    from timing import PARSE, read_page_sets

    sets = list(read_page_sets(None, 2))
    costs = speed.measure_models(speed.MODELS, sets, rounds=1)
    speed.print_costs(sets, costs)
    header, _, first, *rows = capsys.readouterr().out.splitlines()
    assert header.count(" ms |") == len(sets) == 2
    assert first.startswith(f"| {PARSE} | 1.00 |")
    assert [row.split(" | ")[0] for row in rows] == [f"| `{model}`" for model in speed.MODELS]


def test_an_unknown_table_is_refused(capsys):
    import speed

    with pytest.raises(SystemExit):
        speed.main(["costs"])
    assert "got costs" in capsys.readouterr().err


def test_the_front_has_the_systems_that_none_is_better_than_for_less():
    from chart import Point, draw_chart, find_front

    cheap, same, dear = Point("a", 1, 0.7), Point("b", 1, 0.8), Point("c", 5, 0.9)
    points = [Point("d", 6, 0.9), dear, cheap, same, Point("e", 3, 0.8)]
    assert find_front(points) == [same, dear]
    chart = ElementTree.fromstring(draw_chart(points, with_front=True))
    assert [text.text for text in chart.iter("{http://www.w3.org/2000/svg}text")][-5:] == ["d", "c", "a", "b", "e"]
    assert len(list(chart.iter("{http://www.w3.org/2000/svg}polyline"))) == 1


NEWS = """<body><h1><span class="x-nc-sel1">Flood</span></h1><p><span class="x-nc-sel2">The river </span>
<a href="/x"><span class="x-nc-sel2"><b><span class="x-nc-sel5">rose</span></b></span></a><span class="x-nc-sel2"> again
in May.</span></p><ul><li class="x-nc-sel4">Home</ul><!-- end --></body>"""


def test_marks_of_classes_are_removed_and_the_innermost_counts():
    import lxml.html
    from news_classes import remove_marks

    page, classes = remove_marks(lxml.html.document_fromstring(NEWS))
    assert ["".join(text.split()) for text in page.texts] == ["Flood", "Theriver", "rose", "againinMay.", "Home"]
    assert "span" not in page.names
    assert classes.tolist() == [1] * 5 + [2] * 8 + [5] * 4 + [2] * 11 + [0] * 4


def test_a_block_has_the_class_of_most_of_its_characters(tmp_path):
    from news_classes import CORPUS, TextClass, read_pages

    (tmp_path / CORPUS).mkdir(parents=True)
    (tmp_path / CORPUS / "1.html").write_text(NEWS.replace("<b>", "").replace("</b>", ""))
    (tmp_path / CORPUS / "2.html").write_text("<body></body>")
    first, second = read_pages(tmp_path)
    assert [TextClass(value) for value in first.classes] == [
        TextClass.HEADLINE,
        TextClass.FULL_TEXT,
        TextClass.BOILERPLATE,
    ]
    assert second.classes.tolist() == []


def test_each_input_of_a_batch_is_written_and_read(tmp_path):
    pytest.importorskip("fastwarc", reason="needs the extra warc")
    pytest.importorskip("pyarrow", reason="needs the extra parquet")
    import capacity
    from timing import TEN_BLOCKS

    from scrapy_web2text.archives.sources import Archive, Columns, archive_kind, read_archive

    capacity.write_inputs(tmp_path / "all", [TEN_BLOCKS.encode()] * 2)
    rows = list(capacity.measure_reads(tmp_path, 2))
    names = [row[0].removeprefix("read ") for row in rows]
    assert names[-1] == "files"
    for name in names[:-1]:
        archive = Archive(name, archive_kind(name), tmp_path / "all" / name)
        assert len([*read_archive(archive, Columns(), 0, None)]) == 2
