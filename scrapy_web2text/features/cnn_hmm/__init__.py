"""The features of Web2Text (2018)."""

from scrapy_web2text.features.cnn_hmm.block import BLOCK_FEATURE_NAMES
from scrapy_web2text.features.cnn_hmm.edge import EDGE_FEATURE_NAMES
from scrapy_web2text.features.cnn_hmm.page import PageFeatures, page_features

__all__ = ["BLOCK_FEATURE_NAMES", "EDGE_FEATURE_NAMES", "PageFeatures", "page_features"]
