"""Pages in archives: WARC files, JSON Lines and Parquet."""
