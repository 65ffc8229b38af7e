from __future__ import annotations

import pytest
from lxml import html

from scrapy_web2text.extraction import Label
from scrapy_web2text.extractor import extract
from scrapy_web2text.labelers.fragment.furniture import READ_MORE
from scrapy_web2text.labelers.fragment.labeler import _CALL_TO_SHARE, FRAGMENT
from scrapy_web2text.page.arrays import tree_to_page
from scrapy_web2text.page.blocks import block_texts
from scrapy_web2text.page.parse import to_tree

QUESTIONS = "<h2>How do I return an item?</h2><p>Send it back within 30 days.</p><h2>Who pays?</h2><p>We do.</p>"
PROSE = "<p>The old bridge over the river was rebuilt by the people of the town in the spring of that year.</p>"


def kept(markup: str) -> list[str]:
    """Return the texts of the blocks of content of a fragment."""
    page = tree_to_page(to_tree(markup))
    labeling = FRAGMENT.label(page)
    texts = block_texts(page, labeling.blocks)
    return [text for text, label in zip(texts, labeling.labels.tolist(), strict=True) if label == Label.CONTENT]


def is_fragment(markup: str) -> bool:
    return FRAGMENT.label_markup(tree_to_page(to_tree(markup))) is not None


def test_headings_and_short_answers_of_a_fragment_are_content():
    assert kept(QUESTIONS) == ["How do I return an item?", "Send it back within 30 days.", "Who pays?", "We do."]


def test_the_blocks_of_a_fragment_have_no_probabilities():
    labeling = FRAGMENT.label(tree_to_page(to_tree(QUESTIONS)))
    assert (labeling.probabilities, labeling.confidence) == (None, None)


def test_lists_tables_quotes_captions_and_code_are_content():
    markup = """<ul><li>One<li>Two</ul><table><tr><th>Year<td>1931</table><blockquote>A quote</blockquote>
        <figure><img src=a.png><figcaption>A caption</figcaption></figure><pre>code()</pre><footer>A source</footer>"""
    assert kept(markup) == ["One", "Two", "Year", "1931", "A quote", "A caption", "code()", "A source"]


@pytest.mark.parametrize(
    "furniture",
    [
        "<nav><a href=/a>Home</a></nav>",
        "<div role=navigation><a href=/a>Home</a></div>",
        "<form>Your mail address <input> <label>Name</label></form>",
        "<button>Copy</button>",
        "<button aria-expanded=false aria-haspopup=true>Menu</button>",
        "<template><p>Nothing to see</p></template><script>x = 1</script><style>p {}</style>",
        '<div class="post-share"><a href=/1>Mail</a> <a href=/2>Print</a></div>',
        '<div id="shareButtons"><button>Mail</button></div>',
        '<p><a href="https://www.facebook.com/sharer/sharer.php?u=x">Facebook</a></p>',
        '<p><a href="mailto:?subject=x">Send it to a friend</a></p>',
        '<div class="sharedaddy sd-sharing-enabled"><h3>Teile es:</h3><ul><li><a href=/1>Drucken</a></ul></div>',
        '<p>Share this:</p><p><a href="https://twitter.com/intent/tweet?url=x">X</a></p>',
        '<p><a href="https://x.com/intent/tweet?url=x">X</a></p><p>Folge uns auf</p>',
        "<p><a href=https://x.com/town>Follow us on Twitter</a></p>",
        "<p>Folge uns auf <a href=/1>Instagram</a>, <a href=/2>Facebook</a> und <a href=/3>X</a>!</p>",
        "<p><a href=/1>Read more</a></p>",
        "<p><a href=/1>Weiterlesen →</a></p>",
        "<p><a href=/1>続きを読む</a></p>",
        '<p><a href=/1 class="more-link">(mehr&hellip;)</a></p>',
        '<p><a href=/1>Continue reading <span class="screen-reader-text">&ldquo;Bridge&rdquo;</span></a></p>',
        "<p>The post <a href=/1>The bridge</a> appeared first on <a href=/>The town</a>.</p>",
        "<p>Der Beitrag <a href=/1>Die Brücke</a> erschien zuerst auf <a href=/>Die Stadt</a>.</p>",
        "<p>La entrada <a href=/1>El puente</a> se publicó primero en <a href=/>El pueblo</a>.</p>",
    ],
)
def test_plain_furniture_is_not_content(furniture):
    assert kept(QUESTIONS + furniture + PROSE) == kept(QUESTIONS + PROSE)


@pytest.mark.parametrize(
    "markup",
    [
        "<p>Our social impact grew.</p><div class=social-impact><p>It grew in all towns.</p></div>",
        "<p>Share</p><p>A share is a part of a company.</p>",
        '<p>See <a href="/1">how to read more books</a>.</p>',
        "<p>The post he got appeared first on a list.</p>",
        "<p>Join us on <a href=/1>Sunday</a>.</p><p>Follow us on Twitter</p>",
        "<h3><button>Who pays?</button></h3><p>We do.</p>",
        "<button aria-expanded=false aria-controls=a>Who pays?</button><div id=a>We do.</div>",
        '<button aria-controls=a>Who pays?</button><div id=a style="display:none">We do.</div>',
        '<a href="#a">Who pays?</a><div id=a hidden>We do.</div>',
        '<a data-target="#a">Who pays?</a><div id=a hidden>We do.</div>',
        "<details><summary>Who pays?</summary>We do.</details>",
        "<dialog open>Who pays?</dialog>",
        '<p><a href="https://www.facebook.com/TheTown">The town on Facebook</a></p>',
        "<a id=''></a><p '' =a class>Odd attributes</p>",
        "<p id=first role=note style='color: red'>A note.</p><p><a href=''>Here</a></p>",
    ],
)
def test_text_that_only_resembles_furniture_is_content(markup):
    assert "".join(kept(markup)) == "".join(html.fromstring(f"<div>{markup}</div>").itertext())


def test_a_form_around_most_of_the_text_is_not_furniture():
    assert kept(f"<form name=aspnetForm>{PROSE * 4}</form><p>The end.</p>") == kept(PROSE * 4 + "<p>The end.</p>")
    assert kept(f"<form name=comment>{PROSE * 3}</form>{PROSE * 4}") == kept(PROSE * 4)


def test_a_link_to_the_rest_inside_a_paragraph_is_left_out_of_its_block():
    markup = '<p>The bridge was rebuilt [&#8230;] <a href=/1 class="more-link">Continue reading &rarr;</a></p>'
    assert kept(markup) == ["The bridge was rebuilt […]"]
    assert extract(markup).text == "The bridge was rebuilt […]"


@pytest.mark.parametrize("tag", ["nav", "form", "button", "div hidden"])
def test_the_element_that_the_caller_chose_is_not_furniture(tag):
    (element,) = html.fromstring(f"<div><{tag}>Some text</{tag.split()[0]}></div>")
    assert extract(element).text == "Some text"


def test_a_fragment_of_furniture_alone_has_no_main_content():
    extraction = extract("<nav><a href=/a>Home</a></nav>")
    assert (extraction.method, extraction.text, extraction.no_main_content) == ("fragment", "", True)
    assert [block.label for block in extraction.blocks] == [Label.BOILERPLATE]


SHARE = "".join(
    f'<a href="https://{host}/share?u=x">{host}</a> '
    for host in ("facebook.com", "x.com", "vk.com", "linkedin.com", "wa.me/?", "t.me", "addtoany.com", "sharethis.com")
)
LINKS = "".join(f"<li><a href=/{i}>Link {i}</a>" for i in range(4))


@pytest.mark.parametrize(
    "page",
    [
        f"<ul>{LINKS}</ul>{PROSE}<ul>{LINKS}</ul>",
        f"<ul>{LINKS}{LINKS}</ul>{PROSE}",
        f"<p>{SHARE * 4}</p><ul>{LINKS}{LINKS}</ul>{PROSE}",
        f"<ul>{LINKS}<li><a href=/>Start</a></ul><p>Short.</p><p>© 2024 The Town</p>",
        f"<ul>{LINKS}<li><a href=/>Start</a></ul><p>Short.</p><p>COPYRIGHT 2024 The Town</p>",
        f"<ul>{LINKS}<li><a href=/>Start</a></ul><p>Copyrighted.</p><p><b>Copy</b>right 2024 The Town</p>",
        f"<header>The Town</header><nav>{LINKS}</nav>{PROSE}",
        f"<nav>{LINKS}</nav><div id=root></div><footer>The Town</footer>",
    ],
    ids=[
        "links-around",
        "links-before",
        "links-after-others",
        "copyright",
        "word",
        "word-in-two-elements",
        "header",
        "footer",
    ],
)
def test_a_page_without_page_tags_is_not_a_fragment(page):
    assert not is_fragment(page)


@pytest.mark.parametrize(
    "markup",
    [
        QUESTIONS,
        "Just a text.",
        f"<ul>{LINKS * 5}</ul>",
        f"<p>{SHARE}</p>{PROSE}<p>{SHARE}</p>",
        PROSE + "<p>© 2024 The Agency</p>",
        f"<ul>{LINKS}<li><a href=/>Start</a></ul><p>Short.</p><p>Copyrighted by the Town</p>",
        "".join(f'<li><a href="#{i}">Part {i}</a>' for i in range(20)) + PROSE,
        f"<article><header><h1>The bridge</h1></header><nav>{LINKS}</nav>{PROSE}<footer>A note</footer></article>",
        PROSE + f"<p>Filed under: {LINKS}</p>",
    ],
    ids=[
        "questions",
        "text",
        "list-of-links",
        "share-links",
        "agency",
        "copyrighted",
        "table-of-contents",
        "article",
        "few-links",
    ],
)
def test_a_part_of_a_page_is_a_fragment(markup):
    assert is_fragment(markup)


def test_a_page_without_text_is_not_a_fragment():
    assert not is_fragment("<div id=root></div>")


@pytest.mark.parametrize(
    ("pattern", "found", "others"),
    [
        (
            READ_MORE,
            ["[Read More…]", "read the full story »", "More", "Lire la suite", "(more…)"],
            ["Read more books", "The rest", "More about bridges", "Leer"],
        ),
        (_CALL_TO_SHARE, ["Share this:", "Tweet", "Follow us on", "Teilen", "Partager sur", "分享到："], ["Shares"]),
    ],
    ids=["read", "share"],
)
def test_a_call_is_the_whole_of_a_text(pattern, found, others):
    assert [*filter(pattern.fullmatch, found + others)] == found


def test_a_long_text_is_not_the_footer_of_a_feed():
    footer = "<p>The post <a href=/1>The bridge</a> appeared first on"
    assert kept(f"{PROSE}{footer} the town.</p>") == kept(PROSE)
    assert len(kept(f"{PROSE}{footer}{' the town' * 60}.</p>")) == 2
