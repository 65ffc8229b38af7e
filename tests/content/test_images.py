"""Images of the content, their sources and their captions."""

from __future__ import annotations

import pytest
from contents import content_html, content_markdown, content_paragraphs, select

from scrapy_web2text import Options
from scrapy_web2text.content.arrangement import arrange_content
from scrapy_web2text.content.text import content_text

IMAGE = "<img src=/i.png>"
FILM = "<iframe src=//example.org/film></iframe>"


def arrange(html, **options):
    return arrange_content(select(html, options=Options(**options)), "")


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        (f"<p>a<figure>{IMAGE}<figcaption>X b</figcaption></figure><p>c", "a\n\n![](/i.png)\n\nX b\n\nc"),
        (f"<p>a<figure>{FILM}<figcaption>X b</figcaption></figure><p>c", "a\n\nX b\n\nc"),
        ("<p>a<figure><svg><path></svg><figcaption>X b</figcaption></figure><p>c", "a\n\nX b\n\nc"),
        ("<p>a<figure><div></div><figcaption>X b</figcaption></figure><p>c", "a\n\nc"),
        (f"<p>a<figure>{IMAGE}<figcaption style=display:none>X b</figcaption></figure><p>c", "a\n\n![](/i.png)\n\nc"),
        (f"<p>a<figure>{IMAGE}<figcaption>b</figcaption></figure><p>c", "a\n\n![](/i.png)\n\nb\n\nc"),
        (f"<p>a<div>{IMAGE}<p>X b</div><p>c", "a\n\nc"),
        (f"<p>X<figure>{FILM}<figcaption>X b</figcaption></figure><p>a<p>c", "a\n\nc"),
    ],
    ids=[
        "image",
        "film",
        "drawing",
        "no image",
        "hidden caption",
        "caption in the text",
        "no figure",
        "film outside of the content",
    ],
)
def test_the_caption_of_an_image_comes_with_it_although_the_text_does_not_have_it(html, markdown):
    content = arrange(html)
    assert content_markdown(content) == markdown
    assert content_text(content) == "a\nb\nc" if "\n\nb" in markdown else "a\nc"
    assert [each.text for each in content_paragraphs(content)] == content_text(content).split("\n")
    assert ("X b" in content_html(content)) == ("X b" in markdown)


@pytest.mark.parametrize("options", [{"captions": "exclude"}, {"images": "drop"}], ids=str)
def test_such_captions_go_where_captions_or_images_are_not_wanted(options):
    html = f"<p>a<figure>{IMAGE}<figcaption>X b</figcaption></figure><p>c"
    assert "X b" not in content_markdown(arrange(html, **options))


CAPTIONED = f"<figure>{IMAGE}<figcaption>X b</figcaption></figure>"
TEASER = "<figure><a href=/b><img src=/t.png></a><figcaption><a href=/b>X b</a></figcaption></figure>"


@pytest.mark.parametrize(
    ("html", "n_images"),
    [
        (f"<p>a{CAPTIONED * 3}<p>c", 3),
        (f"<p>a<p>{IMAGE}</p>{CAPTIONED}<p>c", 2),
        (f"<article><h1>X</h1>{CAPTIONED}<p>X by</p><p>a<p>c</article>", 1),
        (f"<article><p>X</p>{CAPTIONED}<p>X by</p><p>a<p>c</article>", 0),
        (f"<div><p>a<p>c{TEASER * 3}<p>X</div>", 1),
    ],
    ids=["a row", "an image before a figure", "below the title", "below other text", "teasers"],
)
def test_a_caption_that_is_no_content_does_not_hide_images(html, n_images):
    assert content_markdown(arrange(html)).count("![]") == n_images


@pytest.mark.parametrize(
    ("attributes", "url"),
    [
        ("src=data:image/gif;base64,R0 data-src=/a.jpg", "/a.jpg"),
        ("src=/placeholder.gif data-srcset='/a.jpg 400w, /b.jpg 1200w'", "/b.jpg"),
        ("src=/img/spacer.gif data-actualsrc=/a.jpg", "/a.jpg"),
        ("src=/1x1.png?v=2 data-lazy=/a.jpg", "/a.jpg"),
        ("data-lazy-src=/a.jpg src=/b.jpg", "/a.jpg"),
        ("src=/loading-bay.jpg", "/loading-bay.jpg"),
        ("src=/blanket.jpg data-title=/a.jpg", "/blanket.jpg"),
        ("src='/a.jpg' srcset='/a.jpg 1x, /b.jpg 1.5.2x'", "/a.jpg"),
    ],
)
def test_the_source_of_an_image_is_what_its_loader_will_show(attributes, url):
    assert content_markdown(arrange(f"<p>a<p><img {attributes}><p>c")) == f"a\n\n![]({url})\n\nc"
