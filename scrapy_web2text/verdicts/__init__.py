"""Verdicts: what a page is, and what it is instead if it has no main content."""
