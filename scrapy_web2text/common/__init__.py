"""Helpers that all rooms share. They know nothing of pages."""
