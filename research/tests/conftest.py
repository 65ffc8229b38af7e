"""What the tests of research share."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec

import pytest
from chain_training import train, write_recipe
from labeled_pages import write_tiny_corpus

from research.labelers import register_labelers
from scrapy_web2text.answer import stages


@pytest.fixture(scope="session", autouse=True)
def _raise_errors():
    """Let the exceptions of extractions in this process fail tests."""
    register_labelers()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stages, "RAISE_ERRORS", True)
        yield


@pytest.fixture(scope="package", autouse=True)
def _one_thread():
    """Let torch use one thread: several wait for each other longer than these tests compute, on a busy machine."""
    if find_spec("torch") is None:
        yield
        return
    from scrapy_web2text.training.fitting import torch_threads

    with torch_threads(1):
        yield


@pytest.fixture(scope="session")
def chain_data(tmp_path_factory):
    """A tiny corpus."""
    folder = tmp_path_factory.mktemp("data")
    write_tiny_corpus(folder / "tiny")
    return folder


@pytest.fixture(scope="session")
def folders(chain_data, tmp_path_factory):
    """Return the folder of a kind of chain model, trained on first use."""

    @cache
    def make(kind):
        folder = tmp_path_factory.mktemp(kind)
        assert train(write_recipe(folder, kind), chain_data, folder / "out") == 0
        return folder / "out"

    return make
