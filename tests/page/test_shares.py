"""Tests of URLs that share a page."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_web2text import extract
from scrapy_web2text.page.urls import _SHARE, is_share_url

SHARES = """https://www.facebook.com/sharer/sharer.php?u=a //twitter.com/intent/tweet?url=a https://x.com/share?url=a
https://www.linkedin.com/shareArticle?url=a https://pinterest.co.uk/pin/create/button/?url=a https://wa.me/?text=a
https://api.whatsapp.com/send?text=a whatsapp://send?text=a mailto:?body=a https://t.me/share/url?url=a
https://service.weibo.com/share/share.php?url=a https://www.xing.com/spi/shares/new?url=a https://line.me/R/msg/text/?a
https://getpocket.com/save?url=a https://www.addtoany.com/share#url=a https://www.threads.com/intent/post?text=a""".split()
OTHERS = """https://www.facebook.com/harbour https://twitter.com/harbour https://t.me/harbour mailto:a@b.example
https://example.com/share/ https://example.com/?next=https://twitter.com/intent/tweet https://notx.com/intent""".split()


@pytest.mark.parametrize("url", SHARES)
def test_links_that_share_a_page_are_known(url):
    assert is_share_url(f" {url} ")


@pytest.mark.parametrize("url", OTHERS)
def test_other_links_are_not(url):
    assert not is_share_url(url)


HOSTS = sorted({url.partition("//")[2].partition("/")[0] for url in SHARES + OTHERS})
PATHS = sorted({url.partition("//")[2].partition("/")[2] for url in SHARES + OTHERS})


@given(
    scheme=st.sampled_from(["https://", "HTTP://", "//", "/", "", "tg://", "mailto:"]),
    host=st.one_of(
        st.sampled_from(HOSTS), st.lists(st.sampled_from("www x t com X b.hatena.ne.jp me".split())).map(".".join)
    ),
    path=st.sampled_from(PATHS),
)
def test_links_to_other_hosts_are_told_by_the_host_as_by_the_whole_pattern(scheme, host, path):
    url = f"{scheme}{host}/{path}"
    assert is_share_url(url) == (_SHARE.match(url) is not None)


@pytest.mark.parametrize("fragment", [True, False], ids=["fragment", "page"])
@pytest.mark.parametrize("url", SHARES)
def test_they_are_known_in_fragments_and_in_pages(url, fragment):
    page = f"<div class=x><p>Four lamps burn from dusk.</p><ul><li><a href='{url}'>Here</a></li></ul></div>"
    include = () if fragment else (".x",)
    assert extract(page, fragment=fragment, include=include).text == "Four lamps burn from dusk."
