"""The features of the modern model."""

from scrapy_web2text.features.hashing import N_WORD_HASHES
from scrapy_web2text.features.modern.columns import ColumnPlan
from scrapy_web2text.features.modern.page import (
    ALL_COLUMNS,
    FAMILIES,
    MODERN_FEATURE_NAMES,
    ModernFeatures,
    PageHints,
    find_families,
    modern_features,
    plan_columns,
    read_hints,
)
from scrapy_web2text.page.reader import N_NAME_HASHES

__all__ = [
    "ALL_COLUMNS",
    "FAMILIES",
    "MODERN_FEATURE_NAMES",
    "N_NAME_HASHES",
    "N_WORD_HASHES",
    "ColumnPlan",
    "ModernFeatures",
    "PageHints",
    "find_families",
    "modern_features",
    "plan_columns",
    "read_hints",
]
