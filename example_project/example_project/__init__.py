"""A Scrapy project that turns pages into clean text: settings, one spider, and a server for its own local site."""
