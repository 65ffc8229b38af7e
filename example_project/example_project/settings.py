"""Settings of the project. ADDONS enables scrapy-web2text; the other settings make the crawl polite."""

from __future__ import annotations

BOT_NAME = "example_project"
SPIDER_MODULES = ["example_project.spiders"]
NEWSPIDER_MODULE = "example_project.spiders"

# Adds main_content, blocks and web2text (method, confidence, title, …) to every item with a "url".
ADDONS = {"scrapy_web2text.Addon": 300}

# Do not overload the sites of others.
ROBOTSTXT_OBEY = True
USER_AGENT = "example_project (+https://github.com/scrapy-web2text/scrapy-web2text)"
CONCURRENT_REQUESTS_PER_DOMAIN = 1
DOWNLOAD_DELAY = 1

FEED_EXPORT_ENCODING = "utf-8"
LOG_LEVEL = "INFO"
