"""Corpora of pages with a clean text, and the scores of labelers on them."""

from __future__ import annotations

from scrapy_web2text.evaluation.corpora import Corpus, LabeledPage, open_corpus, read_split
from scrapy_web2text.evaluation.run import evaluate, evaluate_all
from scrapy_web2text.evaluation.scores import Report

__all__ = ["Corpus", "LabeledPage", "Report", "evaluate", "evaluate_all", "open_corpus", "read_split"]
