"""The responses of a crawl: finds the page of an item."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urljoin
from weakref import WeakKeyDictionary, WeakValueDictionary

from scrapy.http import Response

from scrapy_web2text.crawl.addresses import Address, is_own_url, read_address

if TYPE_CHECKING:
    from scrapy_web2text.reasons import SkipReason


class ItemPage(NamedTuple):
    """The page of an item.

    :param response: the response of the page, or of the callback if the item has the URL of another page; None if it is
        unknown.
    :param url: URL of the page; None if it is unknown.
    :param reason: why the item gets no text of the response.
    """

    response: Response | None
    url: str | None
    reason: SkipReason | None = None


class ResponseFinder:
    """Finds the page of an item: exactly if the spider middleware has seen the item, otherwise by the item's URL.

    Responses are referenced weakly. They live until Scrapy has handled all their items. The one exception is a
    response that an item of another callback names: it is kept for this item.
    """

    def __init__(self) -> None:
        self._by_address: WeakValueDictionary[Address | str, Response] = WeakValueDictionary()
        self._by_item_id: WeakValueDictionary[int, Response] = WeakValueDictionary()
        # While an item is referenced here, no other object can have its id. It has one page for each time that
        # `remove_item` will still get it; None is the page of the response.
        self._items: WeakKeyDictionary[Response, dict[int, tuple[Any, list[ItemPage | None]]]] = WeakKeyDictionary()
        self.sees_items = False  # whether a spider middleware adds items

    def add_response(self, response: Response) -> None:
        """Remember *response* by its URL and by the URL of its request; the newest response of a URL wins."""
        self._by_address[_key(response.url)] = response
        if response.request is not None:
            self._by_address[_key(response.request.url)] = response

    def add_item(self, item: Any, response: Response, url: str | None = None) -> None:
        """Remember the page of *item*, which may be yielded several times.

        :param response: the response whose callback yields the item.
        :param url: the URL in the item; None if it has no URL.
        """
        page = None
        if url is not None and not is_own_url(url, response):
            page = self.find_page(urljoin(response.url, url), "other_url")
        _, pages = self._items.setdefault(response, {}).setdefault(id(item), (item, []))
        pages.append(page)
        self._by_item_id[id(item)] = response

    def remove_item(self, item: Any) -> ItemPage | None:
        """Return the page of *item*, and forget one of its occurrences; None if the item is unknown."""
        response = self._by_item_id.get(id(item))
        if response is None:
            return None
        _, pages = self._items[response][id(item)]
        page = pages.pop(0) or ItemPage(response, response.url)
        if not pages:
            del self._items[response][id(item)]
            del self._by_item_id[id(item)]
        return ItemPage(page.response or response, page.url, page.reason)

    def find_page(self, url: str | None, reason: SkipReason) -> ItemPage:
        """Return the page of the newest response from *url* that is still in progress, or no page for *reason*."""
        response = None if url is None else self._by_address.get(_key(url))
        return ItemPage(None, url, reason) if response is None else ItemPage(response, response.url)


def _key(url: str) -> Address | str:
    return read_address(url) or url
