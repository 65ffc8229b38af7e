"""A page in any form that can be extracted, with its URL, encoding and media type as stated from outside."""

from __future__ import annotations

import logging
import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from scrapy_web2text.exceptions import warn_once
from scrapy_web2text.page.encoding import decode_html, find_name
from scrapy_web2text.page.parse import Parsed, check_types, parse, serialize
from scrapy_web2text.page.sniffing import content_type, has_html_tag, is_response, stated_encoding

if TYPE_CHECKING:
    from scrapy_web2text.page.parse import Html
    from scrapy_web2text.page.sniffing import ResponseLike

# A whole text that is a URL or the path of a page.
_ADDRESS: Final = re.compile(r"(https?://[^\s<]+)|[\w./\\:~-]+\.x?html?")

logger = logging.getLogger(__name__)


@dataclass(frozen=True, eq=False)
class Source:
    """A page that can be extracted. It is parsed only once.

    :param encoding: the encoding that a server or the caller states; None to read it from the page.
    :param media_type: the type of the page by the server; empty if the server states none.
    """

    html: Html
    url: str | None = None
    encoding: str | None = None
    media_type: str = ""

    @classmethod
    def of(cls, html: Html | ResponseLike | Source, url: str | None = None, encoding: str | None = None) -> Source:
        """Return a page in any form as a source; *url* and *encoding* override the values of a response.

        :raises TypeError: if *html* is of another type, or *url* is not a string.
        :raises ValueError: if *encoding* is not the name of an encoding.
        """
        if isinstance(html, Source):
            return html
        if not isinstance(url, str | None):
            raise TypeError(f"url: expected a string or None, got {url!r}; pass str(url)")
        if isinstance(encoding, str) and find_name(encoding) is None:
            raise ValueError(f"encoding: expected the name of an encoding of the Encoding Standard, got {encoding!r}")
        media_type = ""
        html, url = _read_browser(html, url)
        if is_response(html):
            url = str(html.url) if url is None else url
            encoding = stated_encoding(html) if encoding is None else encoding
            media_type, html = content_type(html), html.body
        check_types(html, encoding)
        if isinstance(html, str) and len(html) < 2_000 and (address := _ADDRESS.fullmatch(html.strip())):
            what = "a URL; fetch it first" if address[1] else "a path; read the file first"
            warn_once(logger, f"html looks like {what} and pass its HTML")
        return cls(html, url, encoding, media_type)

    @property
    def is_html(self) -> bool:
        """Whether the page is HTML by its media type, has no media type, or begins with HTML tags."""
        kind = self.media_type.partition(";")[0].strip().lower()
        return not kind or "html" in kind or (isinstance(self.html, bytes) and has_html_tag(self.html))

    @property
    def markup(self) -> str:
        """The page as text."""
        if isinstance(self.html, bytes):
            return decode_html(self.html, self.encoding)
        return self.html if isinstance(self.html, str) else serialize(self.html)[0]

    @cached_property
    def parsed(self) -> Parsed:
        """The tree of the page.

        :raises PageError: if the page cannot be parsed.
        """
        return parse(self.html, encoding=self.encoding)


def _read_browser(html: Any, url: str | None) -> tuple[Any, str | None]:
    """Return the page and URL of web-poet's BrowserResponse, perhaps inside an AnyResponse; else the arguments."""
    # Classes are asked for the attributes, since other objects, such as a BeautifulSoup, answer to any name.
    html = html.response if hasattr(type(html), "response") and hasattr(type(html), "status") else html
    if isinstance(getattr(html, "html", None), str) and hasattr(html, "url"):
        return str(html.html), str(html.url) if url is None else url
    return html, url
