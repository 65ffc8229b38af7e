"""The features of Web2Text (2018)."""

from scrapy_web2text.features.cnn_hmm.page import BLOCK_FEATURE_NAMES, EDGE_FEATURE_NAMES, PageFeatures, page_features

__all__ = ["BLOCK_FEATURE_NAMES", "EDGE_FEATURE_NAMES", "PageFeatures", "page_features"]
