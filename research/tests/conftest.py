"""What the tests of research share."""

from __future__ import annotations

from functools import cache

import pytest
from chain_training import train, write_recipe
from labeled_pages import write_tiny_corpus
from one_thread import one_thread as _one_thread  # noqa: F401  a fixture

from research.labelers import register_labelers
from scrapy_web2text.answer import trace


@pytest.fixture(scope="session", autouse=True)
def _raise_errors():
    """Let the exceptions of extractions in this process fail tests."""
    register_labelers()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trace, "RAISE_ERRORS", True)
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
