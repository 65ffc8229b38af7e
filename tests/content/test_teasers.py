"""Shortened copies of texts that the content has in full, the calls that go with them, and links to other texts."""

from __future__ import annotations

import pytest
from contents import content_markdown, select

from scrapy_web2text.content.arrangement import arrange_content
from scrapy_web2text.content.text import content_text

LONG = "The river rises in the northern hills and runs for ninety miles."
CUT = "The river rises in the northern hills and ru…"


@pytest.mark.parametrize(
    ("html", "text"),
    [
        (f"<p>{CUT} <a href=#>Read more</a></p><div>{LONG}</div><a href=#>Read less</a>", LONG),
        (f"<p>{LONG} <span>Show less</span></p><p>{CUT}<a href=#>Read More »</a></p>", LONG),
        (f"<div>{CUT[:-4]} [...]</div><button>Show more</button><p>{LONG}</p><p>It ends.", f"{LONG}\nIt ends."),
        (f"<p>{CUT}<p><b>The river</b> rises{LONG[15:]}", LONG),
        (
            "<p>河は北の丘に源を発し、石灰岩の谷を九十マイル流れて古い港で海…<p>"
            + (whole := "河は北の丘に源を発し、石灰岩の谷を九十マイル流れて古い港で海に注ぐ。"),
            whole,
        ),
        (f"<p>{CUT} Mehr lesen<p>{LONG}<p>Weniger anzeigen", LONG),
    ],
    ids=["first", "last", "brackets", "inline tags", "without spaces", "German"],
)
def test_of_a_shortened_and_a_whole_text_the_whole_one_is_kept(html, text):
    content = arrange_content(select(html), "")
    assert content_text(content) == text
    assert content_markdown(content).replace("*", "") == text.replace("\n", "\n\n")


@pytest.mark.parametrize(
    "html",
    [
        f"<p>{CUT}<p>The sea.",
        f"<p>{CUT}<p>{CUT}",
        f"<p>The river rises…<p>{LONG}",
        f"<blockquote>{CUT}</blockquote><p>{LONG}",
        f"<p>{CUT} it said, and was gone.<p>{LONG}",
        f"<p>{LONG}<p>Read more",
    ],
    ids=["no copy", "both shortened", "too short", "quoted", "it goes on", "a call alone"],
)
def test_other_texts_with_an_ellipsis_are_kept(html):
    content = select(html)
    assert len(arrange_content(content, "").kept) == len(content.kept)


@pytest.mark.parametrize(
    ("html", "is_kept"),
    [
        ("<p>READ MORE: <a href=/b>Ten lamps were lost</a></p>", False),
        ("<p><a href=/b>Read also: Ten lamps were lost</a></p>", False),
        ("<p><strong>Czytaj też:</strong> <a href=/b>Ten lamps were lost</a></p>", False),
        ("<p><b>Lire aussi</b> : <em><a href=/b>Ten lamps were lost</a></em></p>", False),
        ("<ul><li>Related: <a href=/b>Ten lamps were lost</a><li>Read next » <a href=/c>Oil</a></ul>", False),
        ("<p><a href=/b>関連記事：Ten lamps were lost</a></p>", False),
        ("<p>Polecamy: <a href=/b>Ten lamps were lost</a></p>", False),
        ("<p>Zobacz również</p><ul><li><a href=/b>Ten lamps were lost</a><li><a href=/c>Oil</a></ul>", False),
        ("<p>ADVERTISEMENT</p><p>Article continues below</p>", False),
        ("<p>Story continues after the ad</p><p>Anzeige</p>", False),
        ("<p>- Advertisement -</p><p>[Werbung]</p><p>Story continues below this video</p>", False),
        ("<p>Advertisement is an art.</p>", True),
        ("<p>Story continues after that with a murder.</p>", True),
        ("<p>Anzeige:</p><p>gegen Unbekannt</p>", True),
        ("<p>« Publicité »</p>", True),
        ("<h2>Publicidad</h2><p>Lamps are cheap.</p>", True),
        ("<table><tr><td>Advertisement<td>Anzeige<tr><td>Lamp<td>Lampe</table>", True),
        ("<ul><li>Anzeige<li>Werbung</ul>", True),
        ("<p>Zobacz również</p><p>Lampy są tanie.</p>", True),
        ("<h2>Related</h2><ul><li><a href=/b>Ten lamps were lost</a></ul>", True),
        ("<p>Read more: lamps are cheap, <a href=/b>oil</a> is not.</p>", True),
        ("<p>Read more: lamps are cheap.</p>", True),
        ("<p>Related work is in <a href=/b>Ten lamps</a></p>", True),
        ("<p>See also: <a href=/b>Ten lamps</a></p>", True),
        (f"<p>Read also: <a href=/b>{'Ten lamps were lost. ' * 20}</a></p>", True),
    ],
)
def test_a_line_that_only_introduces_a_link_to_another_text_is_left_out(html, is_kept):
    content = arrange_content(select(f"<p>{LONG}</p>{html}<p>The sea.</p>"), "")
    assert (content_text(content) != f"{LONG}\nThe sea.") == is_kept
    alone = select(html)
    assert content_text(arrange_content(alone, "")) == content_text(alone)
