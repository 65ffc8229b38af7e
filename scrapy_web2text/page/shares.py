"""URLs that share a page: on another site, by mail, or with a messenger."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

__all__ = ["is_share_url"]

_SHARE: Final = re.compile(
    r"""(?:https?:)?//(?:[a-z0-9-]+\.)*(?:
      facebook\.com/(?:sharer|share\b|dialog/(?:share|feed|send))
    | (?:twitter|x)\.com/(?:intent|share\b|home\?status)
    | linkedin\.com/(?:sharing|share|cws/share)
    | pinterest\.[a-z.]{2,6}/pin/create
    | wa\.me/?\? | whatsapp\.com/send | t(?:elegram)?\.me/share
    | reddit\.com/submit | tumblr\.com/(?:share|widgets/share) | news\.ycombinator\.com/submitlink
    | (?:vk|weibo|flipboard|buffer|xing)\.com/[^?\#]{0,40}share | xing\.com/app/user\?op=share
    | vkontakte\.ru/share | connect\.ok\.ru/offer
    | line\.me/[^?\#]{0,20}msg | social-plugins\.line\.me | b\.hatena\.ne\.jp/(?:add|entry)
    | bsky\.app/intent | threads\.(?:net|com)/intent
    | getpocket\.com/(?:save|edit) | instapaper\.com/(?:hello|edit) | (?:bufferapp|buffer)\.com/add
    | addtoany\.com | addthis\.com/bookmark | sharethis\.com | flipboard\.com/bookmarklet
    | (?:digg|stumbleupon)\.com/submit | del\.icio\.us/(?:post|save) | delicious\.com/(?:post|save)
    )
    | whatsapp://send | mailto:\? | tg://msg | fb-messenger://share""",
    re.VERBOSE | re.IGNORECASE | re.ASCII,
)
# A host of one of these URLs has one of these labels. Most links are to other hosts, which is found out much faster.
_LABELS: Final = frozenset(
    """addthis addtoany bsky buffer bufferapp delicious digg facebook flipboard getpocket hatena icio instapaper line
    linkedin ok pinterest reddit sharethis stumbleupon t telegram threads tumblr twitter vk vkontakte wa weibo whatsapp
    x xing ycombinator""".split()
)
_LONGEST: Final = 500  # characters that are searched


def is_share_url(url: str) -> bool:
    """Return whether a link to *url* shares a page."""
    url = url[:_LONGEST].strip()
    if url[:1] in "hH/":
        host = url.partition("//")[2].partition("/")[0]
        if not _can_share(host):
            return False
    return _SHARE.match(url) is not None


@lru_cache(maxsize=1024)  # the links of a page lead to few hosts
def _can_share(host: str) -> bool:
    return not _LABELS.isdisjoint(host.lower().split("."))
