"""What can be extracted: a page in any form, its URL, and where pages are: files, folders, feeds, archives, the web."""
