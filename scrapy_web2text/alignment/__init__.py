"""Labels the blocks of a page by its clean text: the words of both are aligned."""
