from __future__ import annotations

import pytest
from fates import Fate


@pytest.fixture
def fate(tmp_path, monkeypatch) -> Fate:
    return Fate.prepare(tmp_path, monkeypatch)
