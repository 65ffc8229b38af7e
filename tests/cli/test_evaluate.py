"""``web2text evaluate``: which pages and labelers are scored, and how the scores are printed."""

from __future__ import annotations

import argparse
import json

import pytest
from corpora import write_cleaneval, write_plain, write_wcxb
from labeled_pages import write_labels
from random_models import write_model

from scrapy_web2text.cli import evaluate as command
from scrapy_web2text.evaluation import corpora
from scrapy_web2text.labels.files import PageLabels, hash_text
from scrapy_web2text.labels.pages import read_blocks


@pytest.fixture
def data(tmp_path):
    return write_plain(write_wcxb(write_cleaneval(tmp_path)), "more/valley")


@pytest.fixture
def run(data, capsys):
    """Run the command on a corpus, by default with the rules of `shallow`; return the lines that it prints."""

    def run(corpus, *arguments, model="shallow"):
        parser = argparse.ArgumentParser()
        command.add_arguments(parser)
        named = ("--corpus", corpus, "--data", data, *(("--model", model) if model else ()))
        assert command.run(parser.parse_args([*map(str, (*named, *arguments))])) == 0
        return capsys.readouterr().out.splitlines()

    return run


@pytest.fixture
def score(run):
    """Run the command on a corpus; return the results, or the whole answer."""

    def score(corpus, *arguments, whole=False, **values):
        answer = json.loads("\n".join(run(corpus, *arguments, "--format", "json", **values)))
        return answer if whole else answer["results"]

    return score


def ids_of(result):
    return [page["id"] for page in result["pages"]]


def test_scores_are_printed_as_a_table(run):
    lines = run("cleaneval", "--split", "web2text", "--part", "test", "--samples", 10)
    assert lines[0] == "cleaneval web2text test: 2 pages"
    assert lines[3].split() == ["word_precision", "word_recall", "word_f1"]
    assert lines[4].split()[:4] == ["shallow", ".962", "[.962,", ".962]"]


def test_scores_are_printed_as_json(score):
    answer = score("wcxb", "--part", "val", "--seed", 5, whole=True)
    assert (answer["corpus"], answer["split"], answer["part"], answer["seed"]) == ("wcxb", None, "val", 5)
    assert [(result["name"], result["n_pages"]) for result in answer["results"]] == [("shallow", 1)]


def test_peers_are_listed_with_models(run, score, monkeypatch):
    monkeypatch.setattr(command, "get_peer", lambda name: lambda html: name)
    lines = run("wcxb", "--peers", "one,two")
    assert [line.split()[0] for line in lines[4:7]] == ["shallow", "one", "two"]
    assert lines[10].split()[-1] == "time"
    assert lines[-1].startswith("two - shallow: -")
    assert [result["name"] for result in score("wcxb", "--peers", "one,two")] == ["shallow", "one", "two"]


@pytest.mark.parametrize(("columns", "is_wide"), [(200, True), (30, False)])
def test_a_table_that_is_wider_than_the_terminal_has_a_row_for_each_type(run, monkeypatch, columns, is_wide):
    monkeypatch.setattr(command, "get_peer", lambda name: lambda html: name)
    monkeypatch.setenv("COLUMNS", str(columns))
    lines = run("wcxb", "--peers", "one,two")
    table = [line.split() for line in lines[lines.index("") :][6:] if line and " - " not in line]
    names = ["shallow", "one", "two"]
    assert table[1] == names if not is_wide else [line[0] for line in table[2:]] == names
    assert (table[-1][0] == "time") is not is_wide


def test_a_sample_of_pages_is_drawn_by_the_seed(score):
    drawn = {seed: tuple(ids_of(score("cleaneval", "--pages", 2, "--seed", seed)[0])) for seed in (0, 0, 1, 2, 3)}
    assert {len(set(ids)) for ids in drawn.values()} == {2}
    assert len(set(drawn.values())) > 1
    assert score("cleaneval", "--pages", 99)[0]["n_pages"] == 3


def test_the_threshold_reaches_the_model(data, score):
    model = write_model(data / "random", content_odds=3.0)
    for threshold, recall in ((0.000001, 1), (0.999999, 0)):
        (result,) = score("cleaneval", "--threshold", threshold, "--decoder", "marginal", model=model)
        assert result["words"]["recall"] == recall


def test_page_ids_come_from_a_named_file(data, score):
    path = data / "mine.json"
    path.write_text('{"best": [10]}', encoding="utf-8")
    assert ids_of(score("cleaneval", "--splits", path, "--part", "best")[0]) == ["10"]


@pytest.mark.parametrize("arguments", [("--split", "mine"), ()], ids=["named", "named as the corpus"])
def test_the_test_part_of_a_split_is_scored_by_default(data, score, arguments):
    path = data / "mine.json"
    split = {"train": [1, 2], "test": [10]}
    path.write_text(json.dumps({"cleaneval": split, "mine": split}), encoding="utf-8")
    answer = score("cleaneval", "--splits", path, *arguments, whole=True)
    assert (answer["part"], ids_of(answer["results"][0])) == ("test", ["10"])
    assert score("cleaneval", "--splits", path, *arguments, "--part", "all")[0]["n_pages"] == 3


def test_a_model_is_scored_on_its_own_test_pages_by_default(data, run, score):
    model = write_model(data / "random")
    assert score("cleaneval", "--model", model)[0]["n_pages"] == 3
    split = {"cleaneval": {"train": [1, 2], "val": [2], "test": [10]}}
    (model / "splits.json").write_text(json.dumps(split), encoding="utf-8")
    assert run("cleaneval", "--model", model)[0].startswith("cleaneval test: 1 pages")
    assert score("cleaneval", "--model", model, "--part", "all")[0]["n_pages"] == 3
    (data / "splits" / "cleaneval.json").unlink()
    assert ids_of(score("cleaneval", "--model", model, "--part", "val")[0]) == ["2"]


def test_page_ids_come_from_a_shipped_model_if_the_data_have_none(data, score, monkeypatch):
    model = data / "shipped"
    model.mkdir()
    (data / "splits" / "cleaneval.json").rename(model / "splits.json")
    monkeypatch.setattr(corpora, "shipped_models", lambda: {str(model): model})
    assert ids_of(score("cleaneval", "--split", "original", "--part", "train")[0]) == ["1"]


def test_pages_without_an_answer_are_reported(data, run):
    (data / "more" / "valley" / "html" / "valley.example_1.html").write_bytes(b"%PDF-1.7")
    assert "no answer for 1 of the pages" in "\n".join(run("more/valley"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("nowhere",), "corpus 'nowhere': expected pages"),
        (("more/valley", "--part", "test"), r"expected its page ids in .*more-valley\.json"),
        (("wcxb", "--split", "dev"), "split 'dev' does not exist, found train, val"),
        (("cleaneval", "--part", "test"), "part 'test' does not exist, found web2text, original"),
        (("cleaneval", "--peers", "x"), "--peers: expected one of"),
    ],
)
def test_impossible_arguments_are_reported(run, arguments, message):
    with pytest.raises(ValueError, match=message):
        run(*arguments)


def test_the_default_model_is_that_of_the_package(run, monkeypatch):
    def find(name):
        raise ValueError(f"asked for {name}")

    monkeypatch.setattr(command, "get_labeler", find)
    with pytest.raises(ValueError, match="asked for web2text-2026"):
        run("cleaneval", model=None)


def test_pages_can_be_judged_by_labels(data, score, caplog):
    page = next((data / "more/valley/html").iterdir())
    hashes = tuple(map(hash_text, read_blocks(page.read_bytes()).texts))
    write_labels(data / "labels.jsonl", [PageLabels("more/valley", page.stem, ((0, 0),), hashes)])
    published = score("more/valley", whole=True)
    read = score("more/valley", "--labels", data / "labels.jsonl", whole=True)
    assert (published["labels"], read["labels"]) == (None, "labels.jsonl")
    assert published["results"][0]["words"] != read["results"][0]["words"]
    assert "more/valley: 1 of 1 pages are judged by labels; 0 labels do not fit" in caplog.text


def test_labels_of_other_pages_and_of_unreadable_ones_are_counted(data, score, caplog):
    folder = data / "unlabeled"
    folder.mkdir()
    for name, body in (("changed", b"<p>Something else"), ("binary", b"%PDF-1.7"), ("unread", b"<p>Text")):
        (folder / f"{name}.html").write_bytes(body)
    readings = [PageLabels("unlabeled", name, (), ("0123456789",)) for name in ("changed", "binary")]
    write_labels(data / "labels.jsonl", readings)
    assert score("unlabeled", "--labels", data / "labels.jsonl")[0]["n_pages"] == 3
    assert "unlabeled: 0 of 3 pages are judged by labels; 2 labels do not fit" in caplog.text
