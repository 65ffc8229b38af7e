"""Worker processes and threads, which crawls and batches share."""
