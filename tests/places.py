"""Paths of the repository that the tests use."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
MODELS = ROOT / "models"
SITE = ROOT / "example_project" / "site"
PAGES = sorted((ROOT / "tests" / "pages").glob("*.html"))
