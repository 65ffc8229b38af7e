"""Trained labelers that run with torch."""

from __future__ import annotations

import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
import torch
from random_models import change_manifest

from scrapy_web2text.exceptions import ModelError
from scrapy_web2text.extractor import Extractor
from scrapy_web2text.labelers.registry import get_labeler
from scrapy_web2text.labelers.weights import load_model
from scrapy_web2text.page.arrays import tree_to_page
from scrapy_web2text.page.parse import to_tree
from scrapy_web2text.training.fitting import torch_threads


@pytest.fixture(params=["boilernet", "semtext"])
def research_folder(request, folders):
    return folders(request.param)


def test_weights_have_half_precision(research_folder):
    model = load_model(research_folder)
    assert {tensor.dtype for tensor in model.tensors.values()} == {np.dtype(np.float16)}


@pytest.mark.parametrize("threads", [1, 4])
def test_several_threads_get_equal_answers(research_folder, threads):
    labeler = get_labeler(str(research_folder))
    page = tree_to_page(to_tree("<h1>Title</h1>" + "<p>Some text of the journey.</p><div>x</div>" * 9))
    with ThreadPoolExecutor(threads) as pool:
        answers = list(pool.map(lambda _: labeler.label(page).probabilities.tolist(), range(8)))
    assert answers == [answers[0]] * 8


def test_a_page_takes_one_thread_and_the_number_of_torch_is_restored(research_folder):
    labeler, seen = get_labeler(str(research_folder)), []
    hook = labeler._network.register_forward_hook(lambda *_: seen.append(torch.get_num_threads()))
    with torch_threads(3):
        labeler.label(tree_to_page(to_tree("<h1>Title</h1><p>Some text</p>")))
        seen.append(torch.get_num_threads())
    hook.remove()
    assert seen == [1, 3]


@pytest.mark.parametrize(
    ("kind", "keys", "value", "message"),
    [
        ("boilernet", ("words",), [-1], "expected 'words' to be one or more 64-bit hashes"),
        ("boilernet", ("words",), [], "expected 'words' to be one or more 64-bit hashes"),
        ("boilernet", ("network", "units"), 0, "expected network.units to be a number from 1 to [0-9]+, .*, got 0"),
        ("boilernet", ("network", "units"), 10**18, "expected network.units to be a number from 1 to"),
        ("boilernet", ("network", "units"), 1000, "expected a tensor lstm.* of shape"),
        ("boilernet", ("tags",), [["p"]], "expected 'tags' to be tag names"),
        ("boilernet", ("network", "width"), 3, "expected a tensor dense.weight of shape"),
        ("semtext", ("strings",), ["ids"], "expected 'strings' to be some of text, tags, classes, in this order, got"),
        ("semtext", ("strings",), [["text"], "tags"], "expected 'strings' to be some of"),
        ("semtext", ("strings",), ["classes", "tags", "text"], "expected 'strings' to be some of"),
        ("semtext", ("strings",), ["text", "text"], "expected 'strings' to be some of"),
        ("semtext", ("filters",), [8, 8], "expected 'filters' to be 3 numbers from 1 to 65536, got"),
        ("semtext", ("filters",), [10**9] * 3, "expected 'filters' to be 3 numbers from 1 to 65536, got"),
        ("semtext", ("network", "size"), "8", "expected network.size to be a number from 1 to [0-9]+, .*, got '8'"),
        ("semtext", ("segmentation",), "text-leaves", "segmentation: expected one of 'semtext', got 'text-leaves'"),
    ],
)
def test_a_manifest_that_does_not_fit_is_rejected(folders, tmp_path, kind, keys, value, message):
    folder = Path(shutil.copytree(folders(kind), tmp_path / "copy"))
    change_manifest(folder, *keys, value=value)
    with pytest.raises(ModelError, match=message):
        get_labeler(str(folder))


def test_an_extractor_can_use_them(research_folder):
    html = "<body><ul><li>Link 1</ul>" + "".join(
        f"<p>{'On the day of our journey the river left its valley. ' * 2}</p>" * 4
    )
    extraction = Extractor(model=str(research_folder), fallback=None).extract(html)
    assert extraction.method == "model"
    assert all(0 <= block.probability <= 1 for block in extraction.blocks)
