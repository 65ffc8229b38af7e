"""``web2text tune`` from labels to a model folder."""

from __future__ import annotations

import functools
import importlib.util
import sys
from dataclasses import replace

import pytest
from labeled_pages import write_labels
from modern_training import html_of

from scrapy_web2text.cli.main import main
from scrapy_web2text.labelers.registry import get_labeler
from scrapy_web2text.labels.files import PageLabels, find_runs, hash_text
from scrapy_web2text.labels.pages import read_blocks
from scrapy_web2text.page.arrays import tree_to_page
from scrapy_web2text.page.parse import to_tree

pytestmark = pytest.mark.train
needs_torch = pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="needs torch")


@pytest.fixture
def labels(tmp_path):
    """Labels of four pages of a site where links are content, and stories are not."""
    readings = []
    for number in range(4):
        (tmp_path / f"{number}.html").write_text(html_of(number), encoding="utf-8")
        blocks = read_blocks(html_of(number))
        texts, paths = blocks.texts, blocks.paths
        content = find_runs(text.startswith("Link") for text in texts)
        readings.append(
            PageLabels("", f"page {number}", content, tuple(map(hash_text, texts)), file=f"{number}.html", paths=paths)
        )
    write_labels(tmp_path / "labels.jsonl", readings)
    return readings


@pytest.fixture
def run(tmp_path, capsys, monkeypatch):
    """Run the command on the labels with few and long steps; return its status, its output and its messages."""
    if importlib.util.find_spec("torch"):
        from scrapy_web2text.training.modern import tuning

        choice = tuning.TuningChoice

    def run(*arguments, labels="labels.jsonl", rounds=1, steps=1):
        if importlib.util.find_spec("torch"):
            made = functools.partial(choice, rounds=rounds, patience=rounds, steps=steps, learning_rate=3e-3)
            monkeypatch.setattr(tuning, "TuningChoice", made)
        status = main(["tune", str(tmp_path / labels), "--out", str(tmp_path / "my-site"), *map(str, arguments)])
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return run


@needs_torch
def test_the_tuned_model_works_by_its_folder(run, labels, tmp_path):
    from scrapy_web2text import extract

    model = tmp_path / "my-site"
    status, out, err = run(rounds=3, steps=16)
    assert (status, err) == (0, "")
    assert "labeled pages    4, each held out once, in 4 parts\n" in out
    assert f"written          {model}, after " in out
    before, after = out.partition("their F1         ")[2].split("\n")[0].split(" -> ")
    assert float(before) < 0.5 < float(after)
    extraction = extract(html_of(9), model=str(model))
    assert extraction.model == "my-site"
    assert "Link 0" in extraction.text
    assert "journey" not in extraction.text


@needs_torch
@pytest.mark.parametrize("folder", [(), ("--pages",)], ids=["default", "named"])
def test_pages_are_found_by_the_folder_that_was_labeled(run, labels, tmp_path, folder):
    pages = tmp_path / "saved_pages"
    pages.mkdir()
    for each in labels:
        (tmp_path / each.file).rename(pages / each.file)
    write_labels(tmp_path / "labels.jsonl", [replace(each, file=f"saved_pages/{each.file}") for each in labels])
    status, out, err = run(*folder, *([pages] if folder else []), rounds=3, steps=16)
    assert (status, err) == (0, "")
    assert "labeled pages    4, " in out


@needs_torch
def test_a_single_page_is_not_held_out(run, labels, tmp_path):
    write_labels(tmp_path / "labels.jsonl", labels[:1])
    status, out, _ = run(rounds=3, steps=16)
    assert status == 0
    assert "labeled pages    1, not held out: label more pages\n" in out


@needs_torch
def test_a_model_that_is_not_better_is_not_written(run, labels, tmp_path):
    labeler = get_labeler("web2text-2026")
    answers = [labeler.label(tree_to_page(to_tree(html_of(number)))) for number in range(len(labels))]
    right = [
        replace(reading, content=find_runs(answer.labels.tolist()))
        for reading, answer in zip(labels, answers, strict=True)
    ]
    write_labels(tmp_path / "labels.jsonl", right)
    status, out, err = run()
    assert (status, out) == (1, "")
    assert err.startswith(f"web2text tune: {tmp_path / 'my-site'} was not written: F1 of held-out pages is 1.000, and")
    assert not (tmp_path / "my-site").exists()


@needs_torch
def test_pages_that_cannot_be_used_are_reported(run, labels, tmp_path):
    (tmp_path / "0.html").unlink()
    (tmp_path / "1.html").write_text("<body></body>", encoding="utf-8")
    (tmp_path / "2.html").write_text("<p>Another page.</p>", encoding="utf-8")
    write_labels(tmp_path / "labels.jsonl", [*labels[:3], replace(labels[3], id="\x1b[2Jclear", file="gone.html")])
    status, _, err = run()
    assert status == 1
    assert "skipped \\x1b[2Jclear: " in err
    assert "skipped page 0: " in err
    assert "skipped page 1: the page has no blocks" in err
    assert "skipped page 2: the labels no longer fit the page" in err
    assert "expected labels that fit their pages, found none" in err


@needs_torch
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--base", "web2text-2018"], "--base: expected a model of the kind 'modern', got 'cnn-hmm'"),
    ],
)
def test_wrong_arguments_are_refused(run, labels, arguments, message):
    status, _, err = run(*arguments)
    assert status == 1
    assert message in err


def test_an_existing_folder_is_replaced_only_by_force(run, labels, tmp_path):
    (tmp_path / "my-site").mkdir()
    status, _, err = run()
    assert status == 1
    assert "my-site exists; --force replaces it" in err


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("web2text-2026", "--out: 'web2text-2026' is the name of a shipped model; expected another name"),
        ("n" * 101, "--out: expected a folder whose name has 1 to 100 printable characters"),
        ("0.html/my-site", "0.html: File exists"),
    ],
)
def test_a_folder_that_cannot_be_a_model_is_refused_before_the_tuning(run, labels, tmp_path, name, message):
    status, _, err = run("--force", "--out", tmp_path / name)
    assert status == 1
    assert message in err


def test_without_torch_the_command_names_the_wheel(run, labels, monkeypatch):
    for name in [*sys.modules]:
        if name.startswith(("scrapy_web2text.cli.trainings", "scrapy_web2text.training.modern")):
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "torch", None)
    status, _, err = run()
    assert status == 1
    assert (
        "needs torch: pip install 'scrapy-web2text[train]' --extra-index-url https://download.pytorch.org/whl/cpu"
        in err
    )
