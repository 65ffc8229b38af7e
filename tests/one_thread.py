"""A fixture for the packages of tests that use torch: their conftest.py imports it."""

from __future__ import annotations

from importlib.util import find_spec

import pytest


@pytest.fixture(scope="package", autouse=True)
def one_thread():
    """Let torch use one thread: several wait for each other longer than these tests compute, on a busy machine."""
    if find_spec("torch") is None:
        yield
        return
    from scrapy_web2text.training.fitting import torch_threads

    with torch_threads(1):
        yield
