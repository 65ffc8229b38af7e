"""The pages of the corpora as training pages."""

from __future__ import annotations

import numpy as np
import pytest
from modern_training import story_of

from scrapy_web2text.evaluation.scores import word_scores
from scrapy_web2text.training.modern.data import load_pages, load_unlabeled, page_word_scores


def test_pages_that_do_not_belong_to_their_text_are_skipped(data, tmp_path):
    ids = [f"{number:04}" for number in range(8, 12)]
    pages = load_pages("wcxb", ids, data, tmp_path / "cache", weight=0.5)
    assert [page.page.id for page in pages] == ["0008", "0009", "0011"]
    assert [(page.page.style, page.page.page_type, page.page.weight) for page in pages] == [(0, 0, 0.5)] * 3
    assert [page.is_good for page in load_pages("wcxb", ids, data, tmp_path / "cache", keep_all=True)] == [1, 1, 0, 1]
    assert pages[0].page.labels.sum() == 6
    assert not pages[2].page.labels.any()


def test_words_are_scored_as_in_an_evaluation(data, tmp_path):
    (page,) = load_pages("wcxb", ["0001"], data, tmp_path / "cache")
    half = page.page.labels.copy()
    half[np.flatnonzero(half)[3:]] = 0
    half[0] = 1
    expected = word_scores("\n".join(["Link 0", *story_of(1)[:3]]), "\n".join(story_of(1)))
    assert page_word_scores(page, half).f1 == pytest.approx(expected.f1)
    assert page_word_scores(page, np.zeros_like(half)).f1 == 0


def test_a_folder_without_pages_is_an_error(data):
    with pytest.raises(ValueError, match="expected HTML files in it"):
        load_unlabeled(data / "nothing", weight=1)
