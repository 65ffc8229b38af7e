"""Verdicts: whether a page has main content and, if not, what kind of page it is."""
