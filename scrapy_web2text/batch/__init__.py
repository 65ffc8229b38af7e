"""Many pages at once: their answers as feeds, tables and files, by worker processes or on Spark."""
