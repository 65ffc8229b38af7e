"""Send the stats of scrapy-web2text to StatsD: ``STATS_CLASS = "example_project.statsd.StatsdStats"``."""

import socket

from scrapy.statscollectors import MemoryStatsCollector


class StatsdStats(MemoryStatsCollector):
    def __init__(self, crawler):
        super().__init__(crawler)
        self.address = ("127.0.0.1", crawler.settings.getint("STATSD_PORT", 8125))

    def inc_value(self, key, count=1, start=0):
        super().inc_value(key, count, start)
        if key.startswith("web2text/"):
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
                sender.sendto(f"{key.replace('/', '.')}:{count}|c".encode(), self.address)
