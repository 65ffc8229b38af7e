"""The title and the metadata of a page, and the main content in its scripts."""
