"""Columns of numbers about blocks and edges: what the networks read."""
