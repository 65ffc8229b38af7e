"""A Scrapy project that extracts clean text: settings, three spiders, and a server for a local site."""
