"""Verdicts: what a page is if it is not a page with main content."""
