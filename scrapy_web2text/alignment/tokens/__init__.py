"""Alignment by words: which of the clean text each block covers."""
