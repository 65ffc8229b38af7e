"""The title and metadata of a page, and the content in its scripts."""
