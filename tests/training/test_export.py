"""A model folder is replaced as a whole."""

from __future__ import annotations

import errno
import os

import numpy as np
import pytest

from scrapy_web2text.training.export import write_model


def test_a_model_stays_as_it_was_if_the_disk_is_full(tmp_path, monkeypatch):
    def refuse(_descriptor):
        raise OSError(errno.ENOSPC, "No space left on device")

    write_model(tmp_path, {"a": np.zeros(3, dtype=np.float32)}, {"name": "tiny"}, {"recipe.toml": "old"})
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    monkeypatch.setattr(os, "fsync", refuse)
    with pytest.raises(OSError, match="No space left"):
        write_model(tmp_path, {"a": np.ones(3, dtype=np.float32)}, {"name": "tiny"}, {"recipe.toml": "new"})
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
