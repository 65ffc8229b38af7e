"""Helpers that all rooms share."""
