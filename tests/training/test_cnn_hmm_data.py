"""Rows of features and labels, from pages and from the cache."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from labeled_pages import make_page, make_pages

import scrapy_web2text
from scrapy_web2text.evaluation.corpora import Corpus, LabeledPage, open_corpus
from scrapy_web2text.training.cnn_hmm import data as cache_module
from scrapy_web2text.training.cnn_hmm.data import LabeledRows, label_pages, load_rows

STORY = "The ferry to the island runs again since Monday, after two weeks of storms and repairs."
PAGE = f"<title>t</title><body><ul><li><a href=/>Home</a><li>Contact</ul><p>{STORY}</p><p>Footer</p>"


def same_rows(a: LabeledRows, b: LabeledRows) -> bool:
    return all(np.array_equal(getattr(a, field), getattr(b, field)) for field in LabeledRows.__slots__)


def test_a_page_becomes_its_features_and_the_labels_of_its_clean_text():
    rows = label_pages([LabeledPage("1", PAGE, STORY)])
    assert rows.lengths.tolist() == [4]
    assert rows.labels.tolist() == [0, 0, 1, 0]
    assert rows.block_features.shape == (4, 128)
    assert rows.edge_features.shape == (3, 25)
    assert rows.block_features.dtype == rows.edge_features.dtype == np.float32


def test_edges_have_the_pairs_of_labels_inside_each_page():
    rows = LabeledRows.join([make_page(4, 0), make_page(1, 1), make_page(3, 2)])
    rows = LabeledRows(rows.lengths, np.array([0, 0, 1, 1, 1, 1, 0, 0]), rows.block_features, rows.edge_features)
    edges = rows.edges
    assert edges.targets.tolist() == [0, 1, 3, 2, 0]
    assert edges.lengths.tolist() == [3, 0, 2]
    assert edges.starts.tolist() == [0, 3, 3]
    assert rows.blocks.starts.tolist() == [0, 4, 5]
    assert len(edges.features) == 5


def test_pages_without_blocks_and_pages_that_cannot_be_parsed_are_skipped(caplog):
    empty, binary = LabeledPage("empty", "<p> </p>", ""), LabeledPage("binary", b"%PDF-1.7\n\x00\x01\x02", "")
    assert label_pages([empty, binary, LabeledPage("good", PAGE, STORY)]).lengths.tolist() == [4]
    assert "Ignoring page binary: " in caplog.text
    with pytest.raises(ValueError, match="expected one or more pages with blocks, found none"):
        label_pages([empty])


def make_corpus(text: str = STORY, html: str | bytes = PAGE) -> Corpus:
    return Corpus("set/one", ("1", "2"), lambda page_id: LabeledPage(page_id, html, text))


@pytest.fixture
def n_labeled(monkeypatch):
    calls = []

    def count(pages):
        calls.append(1)
        return label_pages(pages)

    monkeypatch.setattr(cache_module, "label_pages", count)
    return calls


def test_rows_are_computed_once_and_read_from_the_cache_afterwards(tmp_path, n_labeled):
    first = load_rows(make_corpus(), ["1", "2"], tmp_path / "deep" / "cache")
    second = load_rows(make_corpus(), ["1", "2"], tmp_path / "deep" / "cache")
    assert len(n_labeled) == 1
    assert same_rows(first, second)
    assert [path.name.startswith("set-one-") for path in (tmp_path / "deep" / "cache").iterdir()] == [True]


@pytest.mark.parametrize(
    ("corpus", "ids"),
    [
        pytest.param(make_corpus(text="Home"), ["1", "2"], id="another text"),
        pytest.param(make_corpus(html=PAGE.replace("Home", "Start")), ["1", "2"], id="another page"),
        pytest.param(make_corpus(html=PAGE.replace("Home", "Start").encode()), ["1", "2"], id="a page in bytes"),
        pytest.param(make_corpus(), ["2"], id="other pages"),
    ],
)
def test_a_change_of_the_pages_or_the_program_is_noticed(tmp_path, n_labeled, monkeypatch, corpus, ids):
    load_rows(make_corpus(), ["1", "2"], tmp_path)
    load_rows(corpus, ids, tmp_path)
    assert len(n_labeled) == 2
    monkeypatch.setattr(cache_module, "_PROGRAM", ("page/parse.py",))
    load_rows(corpus, ids, tmp_path)
    assert len(n_labeled) == 3


@pytest.mark.parametrize("content", [b"", b"no archive", b"PK\x03\x04 cut off"])
def test_a_damaged_file_of_the_cache_is_replaced(tmp_path, n_labeled, content):
    expected = load_rows(make_corpus(), ["1", "2"], tmp_path)
    (file,) = tmp_path.iterdir()
    file.write_bytes(content)
    assert same_rows(load_rows(make_corpus(), ["1", "2"], tmp_path), expected)
    assert len(n_labeled) == 2
    assert same_rows(load_rows(make_corpus(), ["1", "2"], tmp_path), expected)
    assert len(n_labeled) == 2


# Modules that features and labels do not depend on: version, exceptions, type aliases, limits, options, rounding, and
# the choice between compiled modules and their twins.
UNHASHED = {"_version.py", "exceptions.py", "options.py"}


@pytest.mark.slow
def test_the_cache_depends_on_all_modules_that_make_features_and_labels():
    folder = Path(scrapy_web2text.__file__).parent
    program = (
        "import sys, scrapy_web2text.alignment.characters\n"
        "import scrapy_web2text.features.cnn_hmm, scrapy_web2text.page.parse\n"
        "print(*[module.__file__ for name, module in sys.modules.items() if name.startswith('scrapy_web2text.')])"
    )
    loaded = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout.split()
    hashed = {path for part in cache_module._PROGRAM for path in ((folder / part).rglob("*.py"))}
    hashed |= {folder / part for part in cache_module._PROGRAM if part.endswith(".py")}
    assert all(path.exists() for path in hashed)
    modules = [Path(name) for name in loaded if name.endswith(".py")]
    with_code = {path for path in modules if len(ast.parse(path.read_text(encoding="utf-8")).body) > 1}
    others = {path.relative_to(folder).as_posix() for path in with_code - hashed}
    assert {name for name in others if not name.startswith("common/")} == UNHASHED
    assert all((folder / part).exists() for part in cache_module._PROGRAM)


def test_joined_rows_are_those_of_all_parts_in_order():
    joined = LabeledRows.join([make_pages(3), make_pages(5, 2)])
    assert same_rows(joined, LabeledRows.join([make_page(3, 0), make_page(5, 0), make_page(2, 1)]))


def test_rows_of_a_corpus_on_disk(tmp_path):
    for folder, suffix, content in (("html", "html", PAGE), ("text", "txt", STORY)):
        (tmp_path / "own" / folder).mkdir(parents=True)
        (tmp_path / "own" / folder / f"a.{suffix}").write_text(content, encoding="utf-8")
    assert load_rows(open_corpus("own", tmp_path), ["a"], tmp_path / "cache").labels.tolist() == [0, 0, 1, 0]
