"""Corpora of pages with a clean text, and the scores of labelers on them."""
