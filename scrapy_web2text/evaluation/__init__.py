"""How good labelers are: corpora of pages with a clean text, and scores on them."""

from __future__ import annotations

from scrapy_web2text.evaluation.corpora import Corpus, LabeledPage, open_corpus, read_split
from scrapy_web2text.evaluation.run import Report, evaluate, evaluate_all

__all__ = ["Corpus", "LabeledPage", "Report", "evaluate", "evaluate_all", "open_corpus", "read_split"]
