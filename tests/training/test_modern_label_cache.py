from __future__ import annotations

import numpy as np
import pytest

from scrapy_web2text.training.modern import label_cache
from scrapy_web2text.training.modern.label_cache import LabelCache

TEXTS = ["Menu", "the quick brown fox"]


@pytest.fixture
def n_alignments(monkeypatch):
    calls = []

    def count(*arguments):
        calls.append(arguments)
        return cover(*arguments)

    cover = label_cache.cover_leaves
    monkeypatch.setattr(label_cache, "cover_leaves", count)
    return lambda: len(calls)


def test_saved_labels_are_not_computed_again(tmp_path, n_alignments):
    path = tmp_path / "new" / "corpus.npz"
    cache = LabelCache(path)
    cache.cover("a", TEXTS, "the quick brown fox")
    cache.cover("empty", [], "")
    cache.cover("b", TEXTS, "menu")
    cache.save()
    cache = LabelCache(path)
    coverage = cache.cover("a", TEXTS, "the quick brown fox")
    assert coverage.n_covered.tolist() == [0, 4]
    assert coverage.n_tokens.tolist() == [1, 4]
    assert coverage.coverage == 1
    assert cache.cover("empty", [], "").n_covered.tolist() == []
    assert cache.cover("b", TEXTS, "menu").n_covered.tolist() == [1, 0]
    assert n_alignments() == 3


@pytest.mark.parametrize(
    ("texts", "clean", "is_shown"),
    [
        ([*TEXTS, "more"], "menu", None),
        (TEXTS, "fox", None),
        (TEXTS, "menu", np.array([True, False])),
    ],
    ids=["page", "clean text", "choice of leaves"],
)
def test_labels_are_computed_again_when_something_changes(tmp_path, n_alignments, texts, clean, is_shown):
    cache = LabelCache(tmp_path / "corpus.npz")
    cache.cover("a", TEXTS, "menu")
    assert len(cache.cover("a", texts, clean, is_shown).n_tokens) == len(texts)
    assert n_alignments() == 2


def test_the_file_is_written_only_after_changes(tmp_path):
    path = tmp_path / "corpus.npz"
    LabelCache(path).save()
    assert not path.exists()
    cache = LabelCache(path)
    cache.cover("a", TEXTS, "menu")
    cache.save()
    assert [file.name for file in tmp_path.iterdir()] == ["corpus.npz"]
    before = path.stat().st_mtime_ns
    cache.save()
    assert path.stat().st_mtime_ns == before


def test_a_damaged_file_is_ignored(tmp_path):
    path = tmp_path / "corpus.npz"
    path.write_bytes(b"damaged")
    cache = LabelCache(path)
    assert cache.cover("a", TEXTS, "menu").n_covered.tolist() == [1, 0]
    cache.save()
    assert LabelCache(path).cover("a", TEXTS, "menu").coverage == 1


def test_a_file_with_a_damaged_byte_is_ignored_wherever_it_is(tmp_path):
    path = tmp_path / "corpus.npz"
    cache = LabelCache(path)
    cache.cover("a", TEXTS * 20, "menu")
    cache.save()
    content = path.read_bytes()
    for place in range(0, len(content), 11):
        path.write_bytes(content[:place] + bytes([content[place] ^ 0xFF]) + content[place + 1 :])
        LabelCache(path)
