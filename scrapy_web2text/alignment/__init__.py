"""From the clean text of a page to the labels of its blocks, by words."""
