"""What a browser shows of a page is read, and nothing else, where libxml2 builds another tree."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import html5lib
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from lxml import etree

from scrapy_web2text import Extractor, extract
from scrapy_web2text.page.arrays import tree_to_page
from scrapy_web2text.page.blocks import MODERN_BLOCKS, segment
from scrapy_web2text.page.parse import to_tree
from scrapy_web2text.page.selection import select_elements

# Before it, libxml2 did not tokenize as the HTML Standard says.
pytestmark = pytest.mark.skipif(etree.LIBXML_VERSION < (2, 14), reason="libxml2 is older than 2.14")

PAGES_FOLDER = Path(__file__).parent.parent / "pages"
PROSE = (
    "The ferry to Ansley sails again from Friday, with forty bunks and a galley that closes at one in the morning. " * 3
)


def read_words(html: str) -> list[str]:
    """Return the words in the arrays of a page, without those that no labeler keeps."""
    page = tree_to_page(to_tree(html))
    return " ".join(page.texts[leaf] for leaf in segment(page, MODERN_BLOCKS).leaves.tolist()).split()


def shown_words(html: str) -> list[str]:
    """Return the same words by the tree of html5lib."""
    found: list[str] = []
    depth = sys.getrecursionlimit()
    sys.setrecursionlimit(10_000)
    try:
        _add_shown(html5lib.parse(html, treebuilder="etree"), found, is_shown=True)
    finally:
        sys.setrecursionlimit(depth)
    return " ".join(found).split()


def _add_shown(element, found: list[str], *, is_shown: bool) -> None:
    name = element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""
    if not name or name.lower() in MODERN_BLOCKS.dropped - {"svg"}:
        return
    is_shown = (is_shown and name != "svg") or name == "foreignObject"
    if is_shown:
        found.append(element.text or "")
    for child in element:
        _add_shown(child, found, is_shown=is_shown)
        if is_shown:
            found.append(child.tail or "")


PAGES = {
    "main": "<!doctype html><meta charset=utf-8><title>T</title><main><p>a</p>b</main>",
    "article": "<!doctype html><title>T</title><article>a<h1>b</h1></article><footer>c</footer>d",
    "section": "<link rel=x><section>a</section><p>b",
    "header": "<title>T</title><header>a</header><main>b</main><p>c</p>d",
    "nav": "<title>T</title><nav><a href=/>a</a></nav>b<p>c",
    "custom": "<title>T</title><my-app><p>a</p>b</my-app>c",
    "custom-in-an-explicit-head": "<html><head><my-app>a</my-app><meta name=b></head><body>c<p>d</body></html>",
    "comment-first": "<title>T</title><!-- x --><main>a</main><!-- y --><script>z</script><p>b",
    "title-after-it": "<style>x</style><main>a</main><title>T</title><p>b",
    "no-text-before": "<title>T</title><figure><img src=a></figure><main>a</main>",
    "second-head": "<body>a</body><head><main>b</main></head>c",
    "after-the-end": "<p>a</body></html><head><main>b</main></head>c",
    "no-body-at-all": "<title>T</title><main>a</main>",
    "upper-case": "<TITLE>T</TITLE><MAIN>a<P>b</P></MAIN>c",
    "open-svg": "<p>a<svg><path d=1><p>b</p>c<p>d",
    "open-svg-in-a-box": "<div>a<svg><g><path d=1></div>b<p>c",
    "svg-with-text": "<p>a<svg><title>x</title><text>y</text></svg>b",
    "svg-ends-later": "<div><svg><g><rect><p>a</p>b</g>c</svg>d</div>e",
    "svg-in-the-head": "<title>T</title><svg><path><div>a</div></svg>b",
    "svg-font": "<svg><font>x</font><font color=red>a</font></svg>b",
    "foreign-object": "<p>a<svg><text>x</text><foreignObject><p>b<svg><text>y</text></svg>c</p></foreignObject></svg>d",
    "open-formula": "<p>a<math><mi>b<p>c</p><mi>d</math>e",
    "formula-in-svg": "<svg><math><mi>x</mi></math><div>a</div></svg>b",
}


@pytest.mark.parametrize("html", PAGES.values(), ids=PAGES.keys())
def test_the_words_are_those_of_the_standards_tree(html):
    words = shown_words(html)
    assert words
    assert read_words(html) == words


_WORDS = st.integers(0, 99).map("w{} ".format)
_INLINE = "a b i span em strong code u small label time x-y".split()
_BLOCKS = """div section article main header footer nav aside p ul li dl dt dd h1 h2 blockquote pre center address
    figure details summary my-box""".split()
_HEADS = "title style script link meta base".split()
_VOID = frozenset({"link", "meta", "base"})


def _elements(names: list[str], content: st.SearchStrategy[str], *, is_closed: bool) -> st.SearchStrategy[str]:
    def write(name: str, inside: list[str]) -> str:
        end = f"</{name}>" if is_closed and name not in _VOID else ""
        return f"<{name}>{'' if name in _VOID else ''.join(inside)}{end}"

    return st.builds(write, st.sampled_from(names), st.lists(content, max_size=4))


def _images(content: st.SearchStrategy[str], ends: list[str]) -> st.SearchStrategy[str]:
    """Return SVG images with HTML inside: where it can be, or not."""
    shapes = st.sampled_from(["<path d=1>", "<rect/>", "<g><path/></g>", "<g>", "<text>x</text>"])
    inside = shapes | _elements(["foreignObject"], _elements(_BLOCKS, _WORDS, is_closed=True), is_closed=True)
    return st.builds(
        lambda parts, html, end: f"<svg>{''.join(parts)}{html}{end}",
        st.lists(inside, max_size=3),
        st.just("") | _elements(["p", "div", "ul"], content, is_closed=True),
        st.sampled_from(ends),
    )


_HEAD = st.lists(_elements(_HEADS, _WORDS, is_closed=True) | st.just("<!-- x -->"), max_size=3).map("".join)
_CONTENT = st.recursive(
    _WORDS | st.just("<br>") | st.just("<!-- x -->"),
    lambda content: (
        _elements(_BLOCKS, content, is_closed=True)
        | _elements(_INLINE, content, is_closed=True)
        | _elements(_BLOCKS, content, is_closed=False)
        | _images(content, ["</svg>"])
    ),
    max_leaves=12,
)
# An image without end tag, alone in its element, or before another element.
_OPEN_IMAGES = _images(_WORDS, ["<p>w0 ", "<ul><li>w0 "]) | _images(_WORDS, [""]).map("<div>{}</div>".format)
_TAGS = {"doctype": "<!doctype html>", "html": "<html>", "head": "<head>", "/head": "</head>", "body": "<body class=x>"}


@st.composite
def documents(draw: st.DrawFn) -> str:
    """Return a document with some of the tags that the Standard lets out, some of them misplaced."""
    chosen = {name: tag if draw(st.booleans()) else "" for name, tag in _TAGS.items()}
    head, more, *parts = draw(_HEAD), draw(_HEAD), *draw(st.lists(_CONTENT | _OPEN_IMAGES, min_size=1, max_size=4))
    opening = chosen["doctype"] + chosen["html"] + chosen["head"] + head
    # A custom element or one of HTML 5 in the head, before its end tag.
    early = draw(_elements([*_BLOCKS, "x-y"], _CONTENT, is_closed=True)) if draw(st.booleans()) else ""
    ending = draw(st.sampled_from(["", "</body>", "</body></html>", "</html>"]))
    after = draw(_CONTENT) if draw(st.booleans()) and "<svg" not in "".join(parts) else ""
    return f"{opening}{early}{more}{chosen['/head']}{chosen['body']}{''.join(parts)}{ending}{after}"


@given(html=documents())
@example("<title>T</title><main>a</main>")
@example("<p>a<svg><path d=1><p>b")
def test_a_document_has_the_words_of_the_standards_tree(html):
    assert read_words(html) == shown_words(html)


HOST = "<my-card><template shadowrootmode={mode}>{shadow}</template>{light}</my-card>"
SHADOWS = {
    "slots": ("<p>a <slot></slot> b <slot name=x>fallback</slot> c</p>", "<i slot=x>2</i> 1 <p>1</p>", "a 1 1 b 2 c"),
    "no-slot": ("<p>a</p>", "<p>light</p>", "a"),
    "fallback": ("<slot name=x>a</slot><slot>b</slot>", "", "a b"),
    "unslotted": ("<slot name=x></slot>a", "<p slot=y>lost</p><p slot=x>1</p>", "1 a"),
    "two-slots-of-a-name": ("<slot>a</slot><slot>b</slot>", "<p>1</p>", "1 b"),
    "in-order-of-the-slots": ("<slot name=b></slot><slot name=a></slot>", "<p slot=a>1</p><p slot=b>2</p>", "2 1"),
    "styles": ("<style>p{}</style><script>x</script><slot></slot>", "<p>1</p>", "1"),
    "nested": (
        "<my-box><template shadowrootmode=open>(<slot></slot>)</template><slot></slot></my-box>",
        "<p>1</p>",
        "( 1 )",
    ),
    "plain-template": ("<template><p>lost</p><slot></slot></template>a<slot></slot>", "<p>1</p>", "a 1"),
}


@pytest.mark.parametrize("mode", ["open", "closed", "OPEN"])
@pytest.mark.parametrize(("shadow", "light", "words"), SHADOWS.values(), ids=SHADOWS.keys())
def test_a_shadow_root_shows_its_content_with_the_slotted_children(shadow, light, words, mode):
    assert read_words(f"<p>x</p>{HOST.format(mode=mode, shadow=shadow, light=light)}y") == ["x", *words.split(), "y"]


@pytest.mark.parametrize(
    "html",
    [
        "<div><template>a</template>b</div>",
        "<div><template shadowrootmode=x>a</template>b</div>",
        "<ul><template shadowrootmode=open>a</template>b</ul>",
        "<div><template shadowrootmode=open>b</template><template shadowrootmode=open>a</template></div>",
    ],
    ids=["no-mode", "unknown-mode", "no-host", "second-root"],
)
def test_other_templates_are_not_shown(html):
    assert read_words(html) == ["b"]


def test_a_body_after_the_root_is_not_that_of_the_page():
    html = "<html><head><title>T</title></head><frameset><noframes>a</noframes></frameset></html>b<svg><br></svg>"
    assert read_words(html) == ["a", "b"]


def test_a_shadow_root_in_the_head_of_the_tree_is_shown():
    html = "<title>T</title><my-app><template shadowrootmode=open><h1>a</h1><slot></slot></template>b</my-app>"
    assert read_words(html) == ["a", "b"]


@pytest.mark.parametrize("model", ["web2text-2026", "web2text-2018", "shallow", "bte"])
@pytest.mark.parametrize("tag", ["main", "article", "section", "div", "my-app"])
def test_a_page_of_an_element_of_html5_has_its_text(tag, model):
    page = f"<!doctype html><meta charset=utf-8><title>T</title><{tag}><p>{PROSE}</p><p>{PROSE}</p></{tag}>"
    answer = extract(page, model=model)
    assert (answer.page_kind, answer.text.split()) == ("content", 2 * PROSE.split())


def test_a_noscript_of_the_head_is_kept_as_in_the_body():
    page = "<head><title>T</title><noscript><div>{}</div></noscript></head><body><p>{}</p></body>"
    assert read_words(page.format("Enable JavaScript", "b")) == ["b"]
    assert read_words(page.format(PROSE, "b")) == [*PROSE.split(), "b"]


LOST = {
    "title": f"<title>T<body><h1>a</h1><p>{10 * PROSE}</p>",
    "quote": f'<p>a</p><a href="x>b</a><p>{10 * PROSE}</p>',
    "comment": f"<p>a</p><!-- x ><p>{10 * PROSE}</p>",
    "utf-16": f'<p>a</p><a href="x>b</a><p>{10 * PROSE}</p>'.encode("utf-16"),
}
KEPT = {
    "script": f"<p>a</p><script>{10 * PROSE}</script>",
    "open-script": f"<p>a</p><script>{10 * PROSE}",
    "style": f"<p>a</p><STYLE>{10 * PROSE}</STYLE>",
    "template": f"<p>a</p><template><p>{10 * PROSE}</template>",
    "comment": f"<p>a</p><!-- {10 * PROSE} -->",
    "attribute": f"<p>a</p><i data-x='<p>{10 * PROSE}</p>'></i>",
    "references": f"<p>a</p>{1_000 * '&nbsp;'}",
    "text": f"<p>{10 * PROSE}</p>",
    "select": f"<p>a</p><select><option>{10 * PROSE}</select>",
}


@pytest.mark.parametrize("html", LOST.values(), ids=LOST.keys())
def test_a_page_that_loses_its_text_says_so(html):
    assert extract(html).reason == "lost_text"


@pytest.mark.parametrize("html", KEPT.values(), ids=KEPT.keys())
def test_what_is_no_text_is_not_lost(html):
    assert extract(html).reason is None


def test_paths_and_selectors_follow_the_tree():
    html = "<!doctype html><title>T</title><main><p>a<b>c</b></p><p>b</p></main><footer>d</footer>"
    answer = extract(html, blocks="all")
    root = to_tree(html)
    texts = {block.path: block.text for block in answer.blocks}
    assert [*texts] == ["/html/head/main/p[1]", "/html/head/main/p[2]/text()[1]", "/html/head/footer/text()[1]"]
    assert ["".join(node if isinstance(node, str) else node.itertext()) for path in texts for node in root.xpath(path)]
    page = tree_to_page(root)
    counts = {text: int(select_elements(page, [text]).sum()) for text in ("//head/main", "head main", "main > p")}
    assert counts == {"//head/main": 1, "head main": 1, "main > p": 2}
    assert extract(html, include=["head main p"]).text == "ac\nb"


def test_the_tree_of_the_caller_stays_as_it_is():
    for html in (*PAGES.values(), HOST.format(mode="open", shadow="a<slot></slot>", light="b")):
        root = to_tree(html)
        before = etree.tostring(root.getroottree())
        extract(root, html=True, markdown=True, paragraphs=True, metadata=True)
        assert etree.tostring(root.getroottree()) == before


def test_the_headline_and_the_author_of_a_page_without_body_are_found():
    html = (
        "<!doctype html><title>Night ferry returns | Harbour Notes</title><article><h1>Night ferry returns</h1>"
        f"<a rel=author href=/x>Ada Byron</a><p>{PROSE}</p></article>"
    )
    answer = extract(html, url="https://example.com/a", metadata=True)
    assert answer.title == "Night ferry returns"
    assert answer.metadata.authors == ("Ada Byron",)


# Other spellings of the same document.


def _without_optional_tags(html: str) -> str:
    return re.sub(r"</?(?:html|head|body)\b[^>]*>\s*", "", html, flags=re.IGNORECASE)


def _without_attributes(html: str) -> str:
    return re.sub(r"<(html|body)\b[^>]*>", r"<\1>", html, flags=re.IGNORECASE)


def _in_upper_case(html: str) -> str:
    return re.sub(r"</?[a-zA-Z][\w-]*", lambda tag: tag[0].upper(), html)


def _in_single_quotes(html: str) -> str:
    return re.sub(r'="([^"\'<>]*)"', r"='\1'", html)


def _by_html5lib(html: str) -> str:
    return html5lib.serialize(html5lib.parse(html), omit_optional_tags=False, quote_attr_values="always")


SPELLINGS = [_without_optional_tags, _without_attributes, _in_upper_case, _in_single_quotes, _by_html5lib]


@pytest.fixture(scope="module")
def extractor() -> Extractor:
    return Extractor()


@pytest.mark.parametrize("spell", SPELLINGS, ids=lambda spell: spell.__name__.strip("_"))
@pytest.mark.parametrize("name", ["faq", "forum-thread", "news-related-inside", "product-tent", "recipe-list-spans"])
def test_other_spellings_of_a_page_have_the_same_text(extractor, name, spell):
    html = (PAGES_FOLDER / f"{name}.html").read_text("utf-8")
    assert extractor.extract(spell(html)).text == extractor.extract(html).text
