"""What the papers need: their rival systems, trainings, experiments and charts. Not in the wheel."""

from __future__ import annotations

from pathlib import Path

MODELS = Path(__file__).parents[1] / "models"
