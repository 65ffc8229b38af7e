"""Many pages at once: archives and folders in, feeds, tables and files out, by worker processes or on Spark."""
