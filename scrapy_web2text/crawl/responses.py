"""The responses of a crawl: finds the response that an item came from."""

from __future__ import annotations

from typing import Any, NamedTuple
from weakref import WeakKeyDictionary, WeakValueDictionary

from scrapy.http import Response

from scrapy_web2text.crawl.addresses import Address, read_address


class ItemOrigin(NamedTuple):
    """Where an item comes from.

    :param response: the response from whose callback it comes.
    :param url: the URL in the item when it left the spider; None if the item had no URL.
    """

    response: Response
    url: str | None


class ResponseFinder:
    """Finds the response of an item: exactly if the spider middleware has seen the item, otherwise by the item's URL.

    Responses are referenced weakly. They live until Scrapy has handled all their items.
    """

    def __init__(self) -> None:
        self._by_address: WeakValueDictionary[Address | str, Response] = WeakValueDictionary()
        self._by_item_id: WeakValueDictionary[int, Response] = WeakValueDictionary()
        # While an item is referenced here, no other object can have its id. An item has one URL for each time that it
        # is still expected.
        self._items: WeakKeyDictionary[Response, dict[int, tuple[Any, list[str | None]]]] = WeakKeyDictionary()
        self.sees_items = False  # whether a spider middleware adds items

    def add_response(self, response: Response) -> None:
        """Remember *response* by its URL and by the URL of its request; the newest response of a URL wins."""
        self._by_address[_key(response.url)] = response
        if response.request is not None:
            self._by_address[_key(response.request.url)] = response

    def add_item(self, item: Any, response: Response, url: str | None = None) -> None:
        """Remember that *item*, with *url* in its field, came from *response*; it may be yielded several times."""
        items = self._items.setdefault(response, {})
        _, urls = items.setdefault(id(item), (item, []))
        urls.append(url)
        self._by_item_id[id(item)] = response

    def remove_item(self, item: Any) -> ItemOrigin | None:
        """Return where *item* came from, and forget one of its occurrences; None if the item is unknown."""
        response = self._by_item_id.get(id(item))
        if response is None:
            return None
        _, urls = self._items[response][id(item)]
        url = urls.pop(0)
        if not urls:
            del self._items[response][id(item)]
            del self._by_item_id[id(item)]
        return ItemOrigin(response, url)

    def find_by_url(self, url: object) -> Response | None:
        """Return the newest response from *url* that is still in progress, or None."""
        return self._by_address.get(_key(str(url)))


def _key(url: str) -> Address | str:
    return read_address(url) or url
