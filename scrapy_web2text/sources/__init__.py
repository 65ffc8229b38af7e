"""The sources of pages: files, folders, feeds, archives, the web; a page in any form, and its URL."""
