"""Settings of the project. Only ADDONS is specific to scrapy-web2text; the rest is usual for a polite crawl."""

from __future__ import annotations

BOT_NAME = "example_project"
SPIDER_MODULES = ["example_project.spiders"]
NEWSPIDER_MODULE = "example_project.spiders"

# Every item with a "url" gets main_content, blocks and web2text (method, confidence, title).
ADDONS = {"scrapy_web2text.Addon": 300}

# Be polite to other people's sites.
ROBOTSTXT_OBEY = True
USER_AGENT = "example_project (+https://github.com/scrapy-web2text/scrapy-web2text)"
CONCURRENT_REQUESTS_PER_DOMAIN = 1
DOWNLOAD_DELAY = 1

FEED_EXPORT_ENCODING = "utf-8"
LOG_LEVEL = "INFO"
