from __future__ import annotations

import sys

import numpy as np
import pytest
from places import PAGES
from random_models import change_manifest, write_model

from scrapy_web2text import Extractor
from scrapy_web2text.evaluation.scores import word_scores
from scrapy_web2text.exceptions import ModelError
from scrapy_web2text.labelers.registry import get_labeler
from scrapy_web2text.page.arrays import tree_to_page
from scrapy_web2text.page.parse import to_tree


# Measured when they were trained: 0.863, 0.787 and 0.825.
@pytest.mark.parametrize(("model", "least"), [("crf-2018", 0.83), ("boilernet", 0.75), ("semtext", 0.78)])
def test_the_models_find_the_text_of_the_handwritten_pages(model, least):
    extractor = Extractor(model=model, fallback=None, blocks="none")
    scores = [
        word_scores(extractor.extract(path.read_bytes()).text, path.with_suffix(".txt").read_text(encoding="utf-8")).f1
        for path in PAGES
    ]
    assert np.mean(scores) >= least


def test_the_shipped_crf_finds_the_story_of_a_page():
    labeler = get_labeler("crf-2018")
    story = "".join(
        f"<p>On the {i}th day of the journey, we left the river and went on into the hills.</p>" for i in range(9)
    )
    links = "".join(f"<li><a href=/{i}>Link {i}</a></li>" for i in range(12))
    page = tree_to_page(to_tree(f"<body><ul>{links}</ul><div>{story}</div><ul>{links}</ul></body>"))
    assert labeler.label(page).labels.tolist() == [0] * 12 + [1] * 9 + [0] * 12


@pytest.mark.parametrize("kind", ["boilernet", "semtext"])
def test_the_error_without_torch_names_the_extra(tmp_path, kind, monkeypatch):
    write_model(tmp_path / "model")
    change_manifest(tmp_path / "model", "labeler", value=kind)
    for module in ("research.boilernet", "research.semtext.labeler", "research.chains.labeler"):
        monkeypatch.delitem(sys.modules, module, raising=False)
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(ModelError, match=r"model random needs torch: pip install 'scrapy-web2text\[train\]'"):
        get_labeler(str(tmp_path / "model"))
