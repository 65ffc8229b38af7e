"""Settings of a crawl by several processes, on one machine or many, that share a queue in Redis (scrapy-redis).

Each process needs a name of its own, which it keeps when it is started again::

    SCRAPY_SETTINGS_MODULE=example_project.settings_redis scrapy crawl shared -s WORKER_NAME=a
    SCRAPY_SETTINGS_MODULE=example_project.settings_redis scrapy crawl shared -s WORKER_NAME=b
    redis-cli rpush shared:start_urls '{"url": "https://example.com/"}'
"""

from __future__ import annotations

import os
import socket

from example_project.settings import *  # noqa: F403  the settings of the project, and those below

SPIDER_MODULES = ["example_project.shared"]
REDIS_URL = os.environ.get("REDIS_URL", "redis://localhost:6379")
WORKER_NAME = socket.gethostname()

SCHEDULER = "example_project.reliable_queue.ReliableScheduler"
SCHEDULER_QUEUE_CLASS = "example_project.reliable_queue.ReliableQueue"
SCHEDULER_PERSIST = True  # the queue and the URLs seen stay in Redis when a process ends
DUPEFILTER_CLASS = "scrapy_redis.dupefilter.RFPDupeFilter"
MAX_IDLE_TIME_BEFORE_CLOSE = 60  # seconds without requests and start URLs

# A request is done when the file with its item is stored, so that a killed process loses nothing. Smaller files mean
# fewer pages that are crawled twice.
FEEDS = {
    "feeds/%(worker)s-%(time)s-%(batch_id)05d.jsonl": {"format": "jsonlines", "batch_item_count": 1000},
}
FEED_URI_PARAMS = "example_project.reliable_queue.add_worker_name"
