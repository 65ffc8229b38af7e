"""Labelers: what decides which blocks of a page are content."""
