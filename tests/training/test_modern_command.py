"""``web2text train`` for modern models, and the cross-validation of their recipes."""

from __future__ import annotations

import gzip
import json
import lzma

import numpy as np
import pytest
from modern_training import html_of, story_of

from benchmarks import cross_validation
from scrapy_web2text.cli.main import main
from scrapy_web2text.exceptions import ModelError
from scrapy_web2text.extractor import Extractor
from scrapy_web2text.labelers.confidence import CONFIDENCE_STATISTICS

pytestmark = pytest.mark.train


@pytest.fixture
def project(data, recipe, tmp_path):
    text = (tmp_path / "recipe.toml").read_text(encoding="utf-8")
    head, _, rest = text.partition("corpora = [")
    network = rest[rest.index("[network]") :]
    corpora = 'corpora = [{ name = "wcxb", part = "train", weight = 1.0 }]\n'
    (tmp_path / "recipe.toml").write_text(head + corpora + network, encoding="utf-8")
    parts = {"train": [f"{i:04}" for i in range(8)], "val": ["0008", "0009"]}
    (tmp_path / "splits.json").write_text(json.dumps({"wcxb": parts}), encoding="utf-8")
    return tmp_path


def train(project, out, *arguments):
    folders = ["--data", str(project / "data"), "--out", str(project / out)]
    return main(["train", str(project / "recipe.toml"), *folders, *arguments])


def add_corpus(project, name, n_pages):
    """Add a corpus to the data and to the recipe."""
    for number in range(n_pages):
        for kind, text in (("html", html_of(number)), ("text", "\n".join(story_of(number)))):
            path = project / "data" / name / kind / f"{number}.{kind.replace('text', 'txt')}"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    recipe = (project / "recipe.toml").read_text(encoding="utf-8")
    row = f'{{ name = "{name}", part = "all", weight = 1.0 }}'
    (project / "recipe.toml").write_text(recipe.replace("corpora = [", f"corpora = [{row}, "), encoding="utf-8")


def cross_validate(project, monkeypatch, out, *arguments):
    folders = [str(project), "--data", str(project / "data"), "--out", str(project / out)]
    monkeypatch.setattr("sys.argv", ["cross_validation.py", *folders, *arguments])
    cross_validation.main()


def test_the_command_writes_the_best_of_several_seeds(project, capsys):
    assert train(project, "model", "--seed", "0", "1") == 0
    scores = json.loads(capsys.readouterr().out)
    assert scores["val"]["word_f1"] == max(scores["val_word_f1_by_seed"].values())
    assert set(scores["val_word_f1_by_seed"]) == {"0", "1"}
    manifest = json.loads((project / "model" / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["n_pages"] == 8
    answer = Extractor(model=str(project / "model")).extract(html_of(3))
    assert answer.n_blocks > 6
    assert 0 < answer.confidence < 1


def test_a_model_of_other_columns_is_refused(project):
    assert train(project, "model", "--seed", "0") == 0
    manifest = json.loads((project / "model" / "manifest.json").read_text(encoding="utf-8"))
    manifest["features"] = manifest["features"][1:]
    (project / "model" / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    with pytest.raises(ModelError, match="expected column 0 of features to be 'log_chars'"):
        Extractor(model=str(project / "model"), fallback=None).extract(html_of(3))


def test_pages_that_do_not_hold_their_clean_text_are_reported(project, capsys, caplog):
    texts = project / "data" / "wcxb" / "dev" / "ground-truth"
    for number in range(8):
        entry = {"ground_truth": {"main_content": "Words of quite another page. " * 30}}
        (texts / f"{number:04}.json").write_text(json.dumps(entry), encoding="utf-8")
    assert train(project, "model") == 1
    assert "expected pages to train on and pages of val, got 0 and 2" in capsys.readouterr().err
    expected = "wcxb: ignored 8 of 8 pages: too long, without text, or without most of the clean text"
    assert expected in [record.getMessage() for record in caplog.records]


def test_folds_answer_every_page_once(project, monkeypatch, capsys):
    metadata = {f"{i:04}": {"url": f"https://site{i}.example/", "domain": f"site{i}.example"} for i in range(12)}
    (project / "data" / "wcxb" / "metadata.json").write_text(json.dumps({"files": metadata}), encoding="utf-8")
    pages = project / "data" / "wcxb" / "dev" / "ground-truth"
    for path in pages.glob("*.json"):
        entry = json.loads(path.read_text(encoding="utf-8"))
        kind = {"page_type": {"primary": "forum" if int(path.stem) % 2 else "article"}}
        entry |= {"url": f"https://site{path.stem}.example/", "_internal": kind}
        path.write_text(json.dumps(entry), encoding="utf-8")
    (project / "data" / "wcxb" / "dev" / "html" / "0000.html.gz").write_bytes(gzip.compress(b"<body></body>"))
    add_corpus(project, "blogs", n_pages=4)
    cross_validate(project, monkeypatch, "folds", "--folds", "3", "--seed", "0", "5", "--jobs", "2")
    summary = json.loads(capsys.readouterr().out)
    report = json.loads((project / "folds" / "folds.json").read_text(encoding="utf-8"))
    assert {key: report[key] for key in summary} == summary
    answered = sorted((page["id"], page["seed"]) for page in report["pages"])
    assert answered == [(f"{number:04}", seed) for number in range(12) for seed in (0, 5)]
    assert len({page["fold"] for page in report["pages"]}) > 2
    assert report["other_corpora"].keys() == {"blogs"}
    assert report["other_corpora"]["blogs"]["answers"] == 2 * 4
    assert 0 < report["other_corpora"]["blogs"]["f1"] <= 1
    without_blocks = [page for page in report["pages"] if page["fold"] == -1]
    assert [(page["id"], page["f1"]) for page in without_blocks] == [("0000", 0)] * 2
    seeds = summary["word_f1"]["all"]["seeds"]
    assert seeds.keys() == {"0", "5"}
    assert summary["word_f1"]["all"]["mean"] == pytest.approx(np.mean([*seeds.values()]), abs=1e-3)
    assert summary["published_word_f1"] == summary["word_f1"]  # no page has a reading
    assert report["choice"]["decoder"] in ("marginal", "viterbi")
    assert summary["word_f1"]["all"]["pages"] == 12
    assert summary["word_f1"]["not empty"]["pages"] == 11
    words, expected, content = (np.array(report["bins"][name]) for name in ("words", "expected", "content"))
    assert (content <= words).all()
    assert summary["expected_calibration_error"] == pytest.approx(
        np.abs(expected - content).sum() / words.sum(), abs=1e-3
    )
    told = [page["page_type"] == page["kind"] for page in report["pages"] if page["fold"] >= 0]
    assert summary["page_types"]["accuracy"] == pytest.approx(np.mean(told), abs=1e-4)
    chances = np.array([page["page_type_probability"] for page in report["pages"] if page["fold"] >= 0])
    gaps = np.zeros(20)
    np.add.at(gaps, np.minimum((20 * chances).astype(int), 19), told - chances)
    assert summary["page_types"]["expected_calibration_error"] == pytest.approx(
        np.abs(gaps).sum() / len(told), abs=1e-4
    )
    assert summary["page_types"]["recall"].keys() == {"article", "forum"}
    assert all(page["page_type"] is None for page in without_blocks)


def test_pages_of_one_site_cannot_be_folded(project, monkeypatch):
    with pytest.raises(ValueError, match="corpus wcxb: expected sites in 3 folds, got one fold"):
        cross_validate(project, monkeypatch, "folds", "--folds", "3")


CHOICE = {
    "temperature": 1.5,
    "decoder": "marginal",
    "threshold": 0.35,
    "presets": {"precision": 0.6, "balanced": 0.35, "recall": 0.2},
    "confidence": dict.fromkeys(CONFIDENCE_STATISTICS, 0.1),
}


def test_a_model_with_the_choices_of_folds_is_trained_on_val_too(project, monkeypatch, capsys):
    folds = project / "folds.json.xz"
    content = json.dumps({"word_f1": {"all": {"mean": 0.9}}, "choice": CHOICE, "pages": [{}]})
    folds.write_bytes(lzma.compress(content.encode()))
    cross_validate(project, monkeypatch, "model", "--choices", str(folds), "--seed", "3")
    assert json.loads(capsys.readouterr().out) == {"folds": {"word_f1": {"all": {"mean": 0.9}}}}
    manifest = json.loads((project / "model" / "manifest.json").read_text(encoding="utf-8"))
    assert {name: manifest[name] for name in CHOICE} == CHOICE
    assert (manifest["n_pages"], manifest["seeds"]) == (8 + 2, [3])
    assert Extractor(model=str(project / "model")).extract(html_of(3)).n_blocks > 6


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[]", "to be a folds.json of benchmarks/cross_validation.py"),
        ("{", "to be a folds.json of benchmarks/cross_validation.py"),
        ("{}", "choice: expected `object`, got `null`"),
        ('{"choice": {"temperature": 1}}', "choice: missing field `decoder`"),
        (json.dumps({"choice": {**CHOICE, "threshold": 7}}), "choice.threshold: expected a number between 0 and 1"),
        (json.dumps({"choice": {**CHOICE, "confidence": {}}}), "choice.confidence: expected numbers for constant, "),
    ],
)
def test_other_files_do_not_hold_choices(project, monkeypatch, text, message):
    (project / "folds.json").write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=message):
        cross_validate(project, monkeypatch, "model", "--choices", str(project / "folds.json"))
