"""From the clean text of a page to the labels of its leaves, by characters: the labels of the papers."""
