"""A scheduler and a queue for scrapy-redis that lose no request if the process is killed."""

from __future__ import annotations

import logging
from collections import defaultdict
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from scrapy import Request, signals
from scrapy_redis.queue import PriorityQueue
from scrapy_redis.scheduler import Scheduler

if TYPE_CHECKING:
    from scrapy import Spider
    from scrapy.extensions.feedexport import FeedSlot
    from scrapy.http import Response

__all__ = ["ReliableQueue", "ReliableScheduler", "add_worker_name"]

logger = logging.getLogger(__name__)

# Moves the first request of the queue to those that a worker has taken, in one step.
_TAKE = """
local taken = redis.call('ZPOPMIN', KEYS[1])
if taken[1] then redis.call('HSET', KEYS[2], taken[1], taken[2]) end
return taken[1]
"""

# Adds a request to those seen and to the queue, in one step, if it is new.
_PUSH_NEW = """
local is_new = redis.call('SADD', KEYS[1], ARGV[1])
if is_new == 1 then redis.call('ZADD', KEYS[2], ARGV[2], ARGV[3]) end
return is_new
"""


def add_worker_name(params: dict[str, Any], spider: Spider) -> dict[str, Any]:
    """Return *params* of a feed's URI with the name of this process."""
    return {**params, "worker": spider.settings["WORKER_NAME"]}


class ReliableScheduler(Scheduler):
    """The scheduler of scrapy-redis, which marks a request as seen before it is in the queue.

    A process that is killed between the two would lose that request: it would be dropped whenever it is found again.
    Here, both are one step.
    """

    queue: ReliableQueue

    def enqueue_request(self, request: Request) -> bool:
        """Put *request* into the queue, and return whether it is new."""
        if request.dont_filter:
            self.queue.push(request)
        elif not self.queue.push_new(request, self.df.key, self.df.request_fingerprint(request)):
            self.df.log(request, self.spider)
            return False
        self.stats.inc_value("scheduler/enqueued/redis")
        return True


class ReliableQueue(PriorityQueue):
    """The queue of scrapy-redis, which would lose the requests that a killed process has taken.

    Here, these stay in a hash, by the name of the process, until the feed with the item is stored. A process that is
    started puts back what is left in its hash, so a page can be crawled twice, but not be lost. Requests without items,
    such as those that fail, are done when the crawl has finished. The stat ``redis/requeued`` counts what is put back.
    """

    def __init__(self, server: Any, spider: Spider, key: str, serializer: Any = None) -> None:
        super().__init__(server, spider, key, serializer)
        settings, self._stats = spider.crawler.settings, spider.crawler.stats
        self.taken_key = f"{self.key}:taken:{settings['WORKER_NAME']}"
        self._take = server.register_script(_TAKE)
        self._push_new = server.register_script(_PUSH_NEW)
        self._data: WeakKeyDictionary[Request, bytes] = WeakKeyDictionary()
        (feed,) = settings.getdict("FEEDS").values()  # one, so that an item is stored or not
        self._batch_size: int = feed.get("batch_item_count") or settings.getint("FEED_EXPORT_BATCH_ITEM_COUNT")
        self._n_items = self._n_failed = 0
        self._done: defaultdict[int, list[bytes]] = defaultdict(list)
        self._reason = ""
        for handler, signal in (
            (self._note_item, signals.item_scraped),
            (self._forget_stored, signals.feed_slot_closed),
            (self._note_reason, signals.spider_closed),
            (self._forget_others, signals.feed_exporter_closed),
        ):
            spider.crawler.signals.connect(handler, signal)
        self._put_back()

    def push_new(self, request: Request, seen_key: str, fingerprint: str) -> bool:
        """Push *request* unless its *fingerprint* is among those seen, and return whether it was pushed."""
        values = [fingerprint, -request.priority, self._encode_request(request)]
        return bool(self._push_new(keys=[seen_key, self.key], args=values))

    def pop(self, timeout: int = 0) -> Request | None:  # noqa: ARG002  as in the base class
        """Return the next request, which stays in Redis as taken; None if there is none."""
        data = self._take(keys=[self.key, self.taken_key])
        if data is None:
            return None
        request: Request = self._decode_request(data)
        self._data[request] = data
        return request

    def _put_back(self) -> None:
        left: dict[bytes, bytes] = self.server.hgetall(self.taken_key)
        if left:
            logger.info("Putting back %d requests that %s did not finish", len(left), self.taken_key)
            self._stats.inc_value("redis/requeued", len(left))
            with self.server.pipeline() as pipe:  # in one step
                pipe.zadd(self.key, {data: float(score) for data, score in left.items()})
                pipe.delete(self.taken_key)
                pipe.execute()

    def _note_item(self, response: Response | None) -> None:
        """Note the request of an item, by the number of the file that it is written to."""
        data = None if response is None or response.request is None else self._data.get(response.request)
        number = self._n_items // self._batch_size + 1 if self._batch_size else 1
        self._n_items += 1
        if data is not None:
            self._done[number].append(data)

    def _forget_stored(self, slot: FeedSlot) -> None:
        """Forget the requests of a file, if it could be stored."""
        failures = self._stats.get_stats().items()
        n_failed = sum(count for name, count in failures if name.startswith("feedexport/failed_count/"))
        stored = self._done[slot.batch_id] if n_failed == self._n_failed else []
        self._n_failed = n_failed
        if stored:
            del self._done[slot.batch_id]
            self.server.hdel(self.taken_key, *stored)

    def _note_reason(self, reason: str) -> None:
        self._reason = reason

    def _forget_others(self) -> None:
        """Forget requests without items, if the crawl has finished; not those whose items could not be stored."""
        lost = {data for batch in self._done.values() for data in batch}
        others = [data for data in self.server.hkeys(self.taken_key) if data not in lost]
        if self._reason == "finished" and others:
            self.server.hdel(self.taken_key, *others)
