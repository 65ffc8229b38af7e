"""From a page as it came to flat arrays, to blocks, to the collapsed DOM, and back to paths."""
