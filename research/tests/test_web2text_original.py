"""The published weights of Web2Text become a model folder."""

from __future__ import annotations

import numpy as np
import pytest
from places import ROOT

from research.web2text.original import main
from scrapy_web2text.extractor import Extractor
from scrapy_web2text.labelers.weights import load_model

SIZES = {
    "unary": 128 * 50 + 50 * 50 + 3 * 50 * 50 + 3 * 50 * 10 + 3 * 10 * 2,
    "edge": 25 * 50 + 50 * 50 + 3 * 50 * 50 + 3 * 50 * 10 + 3 * 10 * 4,
}


@pytest.fixture
def checkpoints(tmp_path):
    folder = tmp_path / "checkpoints"
    folder.mkdir()
    for seed, (name, size) in enumerate(SIZES.items()):
        weights = 0.1 * np.random.default_rng(seed).standard_normal(size)
        (folder / f"{name}.ckpt.data-00000-of-00001").write_bytes(weights.astype("<f4").tobytes())
    return folder


@pytest.fixture
def convert(checkpoints, monkeypatch):
    """Run the command on the checkpoints."""

    def run(*arguments):
        monkeypatch.setattr("sys.argv", ["original", str(checkpoints), "--out", *map(str, arguments)])
        main()

    return run


def test_a_checkpoint_becomes_a_model_that_extracts(checkpoints, convert, tmp_path, capsys):
    assert sum(SIZES.values()) == 30_830  # as the paper states
    convert(tmp_path / "original")
    assert "not calibrated" in capsys.readouterr().out
    model = load_model(tmp_path / "original")
    first = np.fromfile(checkpoints / "unary.ckpt.data-00000-of-00001", dtype="<f4", count=128 * 50 + 50)
    assert (model.tensors["unary.0.weight"] == first[: 128 * 50].reshape(1, 128, 50)).all()
    assert (model.tensors["unary.1.weight"][0, 0] == first[128 * 50 :]).all()
    assert not model.tensors["pairwise.4.bias"].any()
    answer = Extractor(model=str(tmp_path / "original")).extract((ROOT / "tests/pages/faq.html").read_bytes())
    assert (answer.method, answer.reason) == ("model", None)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda path: path.unlink(), "expected the data file of a checkpoint, found none"),
        (lambda path: path.write_bytes(b"1234"), "expected 12,870 weights in 51,480 bytes, got 4 bytes"),
        (lambda path: path.write_bytes(b"\xff" * 51_480), "expected finite weights"),
    ],
    ids=["missing", "short", "nan"],
)
def test_another_file_is_an_error(checkpoints, convert, tmp_path, change, message):
    change(checkpoints / "edge.ckpt.data-00000-of-00001")
    with pytest.raises(ValueError, match=message):
        convert(tmp_path / "original")
    assert not (tmp_path / "original").exists()


def test_a_folder_that_exists_is_replaced_only_by_force(convert, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/manifest.json").write_text("my own model")
    with pytest.raises(FileExistsError, match="mine exists; --force replaces it"):
        convert(tmp_path / "mine")
    assert (tmp_path / "mine/manifest.json").read_text() == "my own model"
    convert(tmp_path / "mine", "--force")
    assert load_model(tmp_path / "mine").name == "mine"


def test_the_name_of_a_shipped_model_is_refused(convert, tmp_path):
    with pytest.raises(ValueError, match="--out: 'web2text-2018' is the name of a shipped model"):
        convert(tmp_path / "web2text-2018")


def test_the_folder_of_the_shell_gives_the_model_its_name(convert, tmp_path, monkeypatch):
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    convert(".", "--force")
    assert load_model(tmp_path / "here").name == "here"
