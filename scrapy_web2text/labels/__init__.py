"""Labels of blocks that a reader gave to pages, without the texts of the pages."""
