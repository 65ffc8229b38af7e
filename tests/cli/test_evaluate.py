from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING, Any

import pytest
from corpora import write_cleaneval, write_plain, write_wcxb
from random_models import write_model

from scrapy_web2text.cli import evaluate as command
from scrapy_web2text.cli.main import main
from scrapy_web2text.evaluation import splits
from scrapy_web2text.labels.files import PageLabels, hash_text, write_labels
from scrapy_web2text.labels.pages import read_blocks

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return write_plain(write_wcxb(write_cleaneval(tmp_path)), "more/valley")


def run(*arguments: object) -> int:
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    return command.run(parser.parse_args(list(map(str, arguments))))


def run_json(capsys: pytest.CaptureFixture[str], *arguments: object) -> dict[str, Any]:
    assert run(*arguments, "--format", "json") == 0
    answer: dict[str, Any] = json.loads(capsys.readouterr().out)
    return answer


def test_scores_are_printed_as_a_table(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ("--corpus", "cleaneval", "--split", "web2text", "--part", "test", "--model", "shallow")
    assert run(*arguments, "--data", data, "--samples", 10) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "cleaneval web2text test: 2 pages, 10 leaves, 40.0% of them content"
    assert lines[3].split() == ["accuracy", "precision", "recall", "f1", "word_f1"]
    assert lines[4].split()[:4] == ["shallow", "0.8000", "[0.800,", "0.800]"]


def test_the_command_line_has_the_command(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", "--corpus", "more/valley", "--data", str(data), "--model", "shallow"]) == 0
    assert capsys.readouterr().out.startswith("more/valley: 1 pages, 5 leaves")


def test_scores_are_printed_as_json(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answer = run_json(capsys, "--corpus", "wcxb", "--data", data, "--part", "val", "--model", "shallow", "--seed", 5)
    assert (answer["corpus"], answer["split"], answer["part"], answer["seed"]) == ("wcxb", None, "val", 5)
    assert [(result["name"], result["n_pages"]) for result in answer["results"]] == [("shallow", 1)]


def test_several_models_are_evaluated_side_by_side(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    eager = write_model(data / "eager", content_odds=50.0)
    shy = write_model(data / "shy", content_odds=-50.0)
    answer = run_json(capsys, "--corpus", "cleaneval", "--data", data, "--model", eager, "--model", shy)
    assert [result["name"] for result in answer["results"]] == [str(eager), str(shy)]
    assert [result["blocks"]["recall"] for result in answer["results"]] == [1, 0]


def test_peers_are_listed_with_models(
    data: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "get_peer", lambda name: lambda html: name)
    arguments = ("--corpus", "wcxb", "--data", data, "--model", "shallow", "--peers", "one,two")
    assert run(*arguments) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[4:7]] == ["shallow", "one", "two"]
    assert lines[11].split()[-4:] == ["wanted", "unwanted", "split", "time"]
    assert [line.split()[-2] for line in lines[12:15]] == ["0/0", "-", "-"]
    assert lines[-1].startswith("two - shallow: -")
    assert [result["name"] for result in run_json(capsys, *arguments)["results"]] == ["shallow", "one", "two"]


def test_a_sample_of_pages_is_drawn_by_the_seed(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ("--corpus", "cleaneval", "--data", data, "--model", "shallow", "--pages")
    drawn = {
        seed: tuple(page["id"] for page in run_json(capsys, *arguments, 2, "--seed", seed)["results"][0]["pages"])
        for seed in (0, 0, 1, 2, 3)
    }
    assert {len(set(ids)) for ids in drawn.values()} == {2}
    assert len(set(drawn.values())) > 1
    assert run_json(capsys, *arguments, 99)["results"][0]["n_pages"] == 3


def test_lam_is_overridden(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = write_model(data / "random")
    answer = run_json(
        capsys, "--corpus", "cleaneval", "--data", data, "--model", model, "--lam", 0, "--lam", 0.1, "--lam", 1
    )
    assert [result["name"] for result in answer["results"]] == [f"{model} lam={lam}" for lam in ("0", "0.1", "1")]


def test_the_threshold_reaches_the_model(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ("--corpus", "cleaneval", "--data", data, "--model", write_model(data / "random", content_odds=3.0))
    recalls = [
        run_json(capsys, *arguments, "--threshold", threshold, "--decoder", "marginal")["results"][0]["blocks"][
            "recall"
        ]
        for threshold in (0.000001, 0.999999)
    ]
    assert recalls == [1, 0]


def test_page_ids_come_from_a_named_file(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = data / "mine.json"
    path.write_text('{"best": [10]}', encoding="utf-8")
    arguments = ("--corpus", "cleaneval", "--data", data, "--splits", path, "--part", "best", "--model", "shallow")
    (result,) = run_json(capsys, *arguments)["results"]
    assert [page["id"] for page in result["pages"]] == ["10"]


@pytest.mark.parametrize("arguments", [("--split", "mine"), ()], ids=["named", "named as the corpus"])
def test_the_test_part_of_a_split_is_scored_by_default(
    data: Path, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...]
) -> None:
    path = data / "mine.json"
    split = {"train": [1, 2], "test": [10]}
    path.write_text(json.dumps({"cleaneval": split, "mine": split}), encoding="utf-8")
    given = ("--corpus", "cleaneval", "--data", data, "--splits", path, "--model", "shallow", *arguments)
    answer = run_json(capsys, *given)
    assert answer["part"] == "test"
    assert [page["id"] for page in answer["results"][0]["pages"]] == ["10"]
    assert run_json(capsys, *given, "--part", "all")["results"][0]["n_pages"] == 3


def test_a_model_is_scored_on_its_own_test_pages_by_default(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = write_model(data / "random")
    arguments = ("--corpus", "cleaneval", "--data", data, "--model", "shallow", "--model", model)
    assert run_json(capsys, *arguments)["results"][0]["n_pages"] == 3
    split = {"cleaneval": {"train": [1, 2], "val": [2], "test": [10]}}
    (model / "splits.json").write_text(json.dumps(split), encoding="utf-8")
    assert run(*arguments) == 0
    assert capsys.readouterr().out.startswith("cleaneval test: 1 pages, ")
    assert run_json(capsys, *arguments, "--part", "all")["results"][0]["n_pages"] == 3
    (data / "splits" / "cleaneval.json").unlink()
    assert [page["id"] for page in run_json(capsys, *arguments, "--part", "val")["results"][0]["pages"]] == ["2"]


def test_json_counts_leaves(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (result,) = run_json(capsys, "--corpus", "more/valley", "--data", data, "--model", "shallow")["results"]
    assert (result["n_leaves"], result["n_content_leaves"]) == (5, 2)


def test_page_ids_come_from_a_shipped_model_if_the_data_have_none(
    data: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    model = data / "shipped"
    model.mkdir()
    (data / "splits" / "cleaneval.json").rename(model / "splits.json")
    monkeypatch.setattr(splits, "shipped_models", lambda: {"web2text-2018": model})
    arguments = ("--corpus", "cleaneval", "--data", data, "--split", "original", "--part", "train")
    (result,) = run_json(capsys, *arguments, "--model", "shallow")["results"]
    assert [page["id"] for page in result["pages"]] == ["1"]


def test_pages_without_an_answer_are_reported(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (data / "more" / "valley" / "html" / "valley.example_1.html").write_bytes(b"%PDF-1.7")
    assert run("--corpus", "more/valley", "--data", data, "--model", "shallow") == 0
    assert "no answer for 1 of the pages" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--corpus", "nowhere"), "corpus 'nowhere': expected pages"),
        (("--corpus", "more/valley", "--part", "test"), r"expected its page ids in .*more-valley\.json"),
        (("--corpus", "wcxb", "--split", "dev"), "split 'dev' does not exist, found train, val"),
        (("--corpus", "cleaneval", "--part", "test"), "part 'test' does not exist, found web2text, original"),
        (("--corpus", "cleaneval", "--lam", "-1"), "--lam: expected a number from 0, got -1"),
        (("--corpus", "cleaneval", "--lam", "0.1"), "--lam: expected models with a pairwise term, got shallow"),
        (("--corpus", "cleaneval", "--threshold", "2"), "threshold: expected a number between 0 and 1"),
        (("--corpus", "cleaneval", "--pages", "0"), "--pages: expected a number above 0, got 0"),
        (("--corpus", "cleaneval", "--peers", "x"), "--peers: expected one of"),
        (("--corpus", "cleaneval", "--samples", "0"), "--samples: expected a number above 0, got 0"),
    ],
    ids=[
        "corpus",
        "split file",
        "split",
        "split left out",
        "lam",
        "rules with lam",
        "threshold",
        "pages",
        "peers",
        "samples",
    ],
)
def test_impossible_arguments_are_reported(data: Path, arguments: tuple[str, ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        run(*arguments, "--data", data, "--model", "shallow")


def test_the_default_model_is_that_of_the_package(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def find(name: str) -> None:
        asked.append(name)
        raise ValueError(name)

    monkeypatch.setattr(splits, "get_labeler", find)
    with pytest.raises(ValueError, match="web2text-2026"):
        run("--corpus", "cleaneval", "--data", data)
    assert asked == ["web2text-2026"]


def test_a_progress_bar_is_shown_on_a_terminal(
    data: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("tqdm")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert run("--corpus", "cleaneval", "--data", data, "--model", "shallow") == 0
    assert "3/3" in capsys.readouterr().err


def test_pages_are_counted_without_tqdm(
    data: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setitem(sys.modules, "tqdm", None)
    assert run("--corpus", "cleaneval", "--data", data, "--model", "shallow") == 0
    assert capsys.readouterr().err.endswith("3 of 3 pages\n")


def test_pages_can_be_judged_by_labels(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    data = write_plain(tmp_path, "more/valley")
    page = next((data / "more/valley/html").iterdir())
    hashes = tuple(map(hash_text, read_blocks(page.read_bytes()).texts))
    write_labels(data / "labels.jsonl", [PageLabels("more/valley", page.stem, ((0, 0),), hashes)])
    arguments = ("--corpus", "more/valley", "--data", data, "--model", "shallow")
    published = run_json(capsys, *arguments)
    read = run_json(capsys, *arguments, "--labels", data / "labels.jsonl")
    assert (published["labels"], read["labels"]) == (None, "labels.jsonl")
    assert published["results"][0]["words"] != read["results"][0]["words"]
    assert "more/valley: 1 of 1 pages are judged by labels; 0 labels do not fit" in caplog.text


def test_labels_of_other_pages_and_of_unreadable_ones_are_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    folder = tmp_path / "unlabeled"
    folder.mkdir()
    for name, body in (("changed", b"<p>Something else"), ("binary", b"%PDF-1.7"), ("unread", b"<p>Text")):
        (folder / f"{name}.html").write_bytes(body)
    readings = [PageLabels("unlabeled", name, (), ("0123456789",)) for name in ("changed", "binary")]
    write_labels(tmp_path / "labels.jsonl", readings)
    answer = run_json(
        capsys,
        *("--corpus", "unlabeled", "--data", tmp_path, "--model", "shallow"),
        *("--labels", tmp_path / "labels.jsonl"),
    )
    assert answer["results"][0]["n_pages"] == 3
    assert "unlabeled: 0 of 3 pages are judged by labels; 2 labels do not fit" in caplog.text
