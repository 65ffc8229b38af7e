"""Recipes are compared by their cross-validations: means over seeds, with intervals and differences."""

from __future__ import annotations

import json

from benchmarks import folds


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


def test_only_pages_that_the_base_has_are_compared(tmp_path, monkeypatch, capsys):
    base = write_folds(tmp_path / "base", {0: [0.5, 0.5]})
    other = write_folds(tmp_path / "other", {0: [0.5, 0.75, 0.0, 0.0]})
    monkeypatch.setattr("sys.argv", ["folds.py", base, other])
    folds.main()
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert next(line[:4] for line in lines if line[:2] == ["other", "all"]) == ["other", "all", "2", "0.6250"]
