"""A Scrapy project that extracts clean text: settings, spiders, and a server for a local site."""
