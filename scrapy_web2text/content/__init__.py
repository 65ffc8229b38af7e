"""The main content of a labeled page, in each of its forms."""
