"""The systems of all papers on the same pages."""
