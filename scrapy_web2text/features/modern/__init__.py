"""The features of the modern model."""

from scrapy_web2text.features.modern.hints import PageHints, read_hints
from scrapy_web2text.features.modern.page import MODERN_FEATURE_NAMES, ModernFeatures, modern_features
from scrapy_web2text.features.modern.words import N_WORD_HASHES
from scrapy_web2text.page.attributes import N_NAME_HASHES

__all__ = [
    "MODERN_FEATURE_NAMES",
    "N_NAME_HASHES",
    "N_WORD_HASHES",
    "ModernFeatures",
    "PageHints",
    "modern_features",
    "read_hints",
]
