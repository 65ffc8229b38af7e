"""Images in the place of characters."""

from __future__ import annotations

import pytest
from contents import content_markdown, select

from scrapy_web2text.content.text import content_text
from scrapy_web2text.extractor import extract
from scrapy_web2text.page.blocks import MODERN_BLOCKS
from scrapy_web2text.page.parse import to_tree


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<p>Cheers! <img class=emoji alt='🎉' src=/1f389.png> And", "Cheers! 🎉 And"),
        ("<p>Cheers!<img alt='❤️' src=/heart.png>", "Cheers!❤️"),
        ("<p>I hope <img class='smilie x' alt=':-)' src=/smile.gif> so", "I hope :-) so"),
        ("<p><img alt=T src=/t.gif>HE LAMP", "THE LAMP"),
        ("<p><img class=dropcap alt=T src=/t.gif>he lamp <img alt=É src=/e.gif>tait", "The lamp Était"),
        ("<table><tr><td>Lit<td><img alt='✓' src=/yes.svg><tr><td>Out<td>no</table>", "Lit\t✓\nOut\tno"),
    ],
)
def test_an_image_of_characters_is_text(html, text):
    content = select(html, "", MODERN_BLOCKS)
    assert content_text(content) == text
    assert "![" not in content_markdown(content)


@pytest.mark.parametrize(
    "image",
    [
        "<img alt='A lamp 🎉' src=/a.png>",
        "<img class=emoji alt=':smile:' src=/a.png>",
        "<img class=emoji alt=secret src=/a.png>",
        "<img alt='...' src=/a.png>",
        "<img alt=A src=/a.png>",
        "<img alt=1 src=/a.png>st",
        "<img alt=a src=/a.png>st",
        "<img alt=12 src=/a.png>",
    ],
)
def test_other_images_are_images(image):
    content = select(f"<p>One {image} two</p>", "", MODERN_BLOCKS)
    assert content_text(content).replace("st", "").split() == ["One", "two"]
    assert "![" in content_markdown(content)


@pytest.mark.parametrize(
    "image", ["<img alt='✓' src=/a.png>", "<img alt=a src=/a.png>The lamp", "<img alt=T src=/a.png>he lamp"]
)
def test_the_path_of_such_a_text_leads_to_a_node(image):
    page = f"<p>Lit.</p><div>{image}</div><p>Out.</p>"
    tree = to_tree(page).getroottree()
    paths = [block.path for block in extract(page, blocks="all").blocks]
    assert [len(tree.xpath(path)) for path in paths] == [1, 1, 1]


def test_an_initial_is_not_the_letter_before_a_sentence():
    assert content_text(select("<p><img alt=A src=/a.gif>The lamp", "", MODERN_BLOCKS)) == "The lamp"
