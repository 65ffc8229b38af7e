"""What holds for the answer to any page. Each check raises AssertionError with what it found."""

from __future__ import annotations

import json
import pickle
import re
import unicodedata
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any

import html5lib
import nh3
from documents import section
from markdown_it import MarkdownIt

from scrapy_web2text.answer.sequence import FORMS
from scrapy_web2text.content.chunks import chunk_paragraphs
from scrapy_web2text.content.escaping import drop_forbidden_characters
from scrapy_web2text.content.links import ALLOWED_SCHEMES
from scrapy_web2text.extraction import Label
from scrapy_web2text.page.parse import to_tree
from scrapy_web2text.page.urls import is_share_url

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lxml import etree

    from scrapy_web2text.extraction import Chunk, Extraction
    from scrapy_web2text.page.parse import Html


# Of XML 1.0, section 2.2, and C1 control characters.
FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
MOST_TEXT = 3  # characters of text for each of the page
MOST_FORM = 4  # characters of any form for each of the page,
FREE_FORM = 10_000  # and these
MOST_PATHS = 100  # searched for each page

# The promises of docs/output.md.
_HTML_SECTION = " ".join(section("output.md", "HTML").split())
(_TAGS,) = re.findall(r"- Elements: `([^`]*)`", _HTML_SECTION)
HTML_TAGS = frozenset(_TAGS.split())
HTML_ATTRIBUTES = {
    *(("a", "href"), ("img", "src"), ("img", "alt"), ("ol", "start"), ("li", "value"), ("code", "class")),
    *((cell, span) for cell in ("td", "th") for span in ("colspan", "rowspan")),
}
MARKDOWN_TAGS = {f"<{end}{tag}>" for tag in ("strong", "em", "del", "sub", "sup") for end in ("", "/")}
_URL = re.compile('(<(?:a href|img src)=")[^"]*')
_BARE = re.compile("&(?!(?:amp|lt|gt|quot|nbsp);)")
_LANGUAGE = re.compile('class="(language-[^"]*)"')
GITHUB = MarkdownIt("commonmark", {"html": True}).enable("table").enable("strikethrough")
GITHUB.validateLink = lambda url: True  # other renderers do not check the schemes of links


def plain_answer(answer: Extraction) -> dict[str, Any]:
    """Return *answer* as plain data, without the time that it took."""
    return answer.to_dict() | {"elapsed": 0.0, "error": answer.error}


def check_answer(answer: Extraction, page: Html) -> None:
    """Check the *answer* for *page* with the option ``blocks="all"`` and any forms."""
    check_plain_data(answer)
    check_labels(answer)
    check_text(answer, page)
    check_sizes(answer, page)
    check_paths(answer, page)
    check_paragraphs(answer)
    check_metadata(answer)
    check_html(getattr(answer, "html", None) or "")
    assert find_danger(getattr(answer, "markdown", None) or "") == []


def check_plain_data(answer: Extraction) -> None:
    """Check that JSON, UTF-8, XML and pickle accept all values."""
    data = answer.to_dict()
    text = json.dumps(data, ensure_ascii=False, allow_nan=False)
    assert json.loads(text.encode("utf-8")) == data
    assert pickle.loads(pickle.dumps(answer)) == answer
    found = [string for string in _strings(data) if FORBIDDEN.search(string)]
    assert not found, f"expected no control characters, got {found[0][:200]!r}"


def check_labels(answer: Extraction) -> None:
    """Check that there is a label for each block, and that shares are between 0 and 1."""
    blocks = answer.blocks
    assert answer.confidence is None or 0 <= answer.confidence <= 1
    if not _lacks(answer, blocks):
        assert [block.index for block in blocks] == list(range(answer.n_blocks))
        assert sum(block.label == Label.CONTENT for block in blocks) == answer.n_content
    assert all(block.probability is None or 0 <= block.probability <= 1 for block in blocks)
    assert not any(re.search(r"[^\S ]", block.text) for block in blocks)


def check_text(answer: Extraction, page: Html) -> None:
    """Check that the text has the letters of the content blocks, in their order, and is not much longer than *page*.

    It lacks the headline, share links, bars of links to parts of the page, buttons in code, and pronunciations.
    """
    if isinstance(page, bytes | str):
        assert len(answer.text) <= MOST_TEXT * len(page)
    assert not re.search(r"[^\S ]", answer.title)
    is_labeled = answer.method in ("model", "rules", "fragment", "selector")
    if is_labeled and not _lacks(answer, answer.text) and not _lacks(answer, answer.blocks):
        content = "".join(_letters(block.text) for block in answer.blocks if block.label == Label.CONTENT)
        text = _letters(answer.text)
        if text != content:
            letters = iter(content)
            assert all(letter in letters for letter in text)
            n_titles = content.count(title) if (title := _letters(answer.title)) else 0
            n_of_bar = 40 * 62 if text else 0  # letters; its links are not read: the page may have had another encoding
            assert len(content) - len(text) <= n_titles * len(title) + n_of_bar + _count_omitted(page)


def check_sizes(answer: Extraction, page: Html) -> None:
    """Check that no form is much longer than *page*."""
    paragraphs = getattr(answer, "paragraphs", ())
    sizes = {
        **{name: len(getattr(answer, name, None) or "") for name in FORMS},
        "blocks": sum(len(block.text) for block in answer.blocks),
        "paths": sum(len(block.path or "") for block in answer.blocks),
        "paragraphs": sum(
            len("".join((each.text, each.path or "", *each.heading_path, *each.links))) for each in paragraphs
        ),
        "chunks": measure_chunks(chunk_paragraphs(paragraphs, 20, overlap=10)),
        "posts": sum(len(post.text) for name in ("posts", "comments") for post in getattr(answer, name, ())),
    }
    most = MOST_FORM * len(page) + FREE_FORM if isinstance(page, bytes | str) else sum(sizes.values())
    assert {name: size for name, size in sizes.items() if size > most} == {}, f"expected at most {most}"


def measure_chunks(chunks: Iterable[Chunk]) -> int:
    """Return the number of characters of *chunks*."""
    paths = [(path or "" for path in chunk.paths) for chunk in chunks]
    texts = [(chunk.text, *chunk.heading_path, *chunk.links) for chunk in chunks]
    return sum(len("".join(parts)) for parts in (*texts, *paths))


def _count_omitted(page: Html) -> int:
    """Return the number of letters in links of *page* that share it, in buttons in code, and in pronunciations."""
    tree = to_tree(page)
    parts = [link for link in tree.iter("a") if is_share_url(link.get("href") or "")]
    parts += [button for code in tree.iter("pre", "table") for button in code.iter("button")]
    readings = [_letters("".join(reading.itertext())) for reading in tree.iter("rp", "rt")]
    n_of_readings = sum(len(text) for text in readings if len(text) <= 100)
    return n_of_readings + sum(len(_letters("".join(part.itertext()))) for part in parts)


def check_paths(answer: Extraction, page: Html) -> None:
    """Check that each path leads to a single node, and that of a text node to its text.

    A formula is written as TeX.
    """
    paths = [(block.path, block.text) for block in answer.blocks if block.path is not None][:MOST_PATHS]
    if not paths:
        return
    tree: etree._ElementTree = to_tree(page).getroottree()
    for path, text in paths:
        found = tree.xpath(path)
        assert len(found) == 1, f"expected one node at {path[:300]}, got {len(found)}"
        if isinstance(found[0], str) and not found[0].getparent().xpath("boolean(ancestor-or-self::math)"):
            assert _letters(drop_forbidden_characters(found[0])) == _letters(text), (
                f"expected {text[:100]!r} at {path[:300]}"
            )


def check_paragraphs(answer: Extraction) -> None:
    """Check that paragraphs come from content blocks, in document order, and hold the text."""
    paragraphs = getattr(answer, "paragraphs", ())
    content = {block.index for block in answer.blocks if block.label == Label.CONTENT}
    for paragraph in paragraphs:
        assert list(paragraph.block_indices) == sorted({*paragraph.block_indices})
        assert {*paragraph.block_indices} <= content or _lacks(answer, answer.blocks)
        assert paragraph.probability is None or 0 <= paragraph.probability <= 1
    if paragraphs and not _lacks(answer, answer.text):
        assert "".join(_letters(paragraph.text) for paragraph in paragraphs) == _letters(answer.text)


def check_metadata(answer: Extraction) -> None:
    """Check the forms of the values that have one."""
    metadata = getattr(answer, "metadata", None)
    if metadata is None:
        return
    for url in (
        *(metadata.canonical_url, metadata.image, *metadata.images),
        *(breadcrumb.url for breadcrumb in metadata.breadcrumbs),
    ):
        assert url is None or re.match(r"https?://[^\s<>\"]+\Z", url), f"expected a URL, got {url!r}"
    for date in (metadata.date, metadata.date_modified):
        assert date is None or re.fullmatch(r"\d{4}-\d\d-\d\d", date), f"got {date!r}"
    assert metadata.author == (", ".join(metadata.authors) or None)
    assert len(metadata.breadcrumbs) <= 20
    assert len(metadata.images) <= 100
    assert metadata.language is None or re.fullmatch("[a-z]{2,3}", metadata.language), f"got {metadata.language!r}"


def check_html(html: str) -> None:
    """Check that browsers find only the elements, attributes and URLs that the docs name, however they parse *html*."""
    for name, attributes in (*_html5_elements(html), *_simple_elements(html)):
        assert name in HTML_TAGS, f"expected elements that the docs name, got {name!r}"
        for key, value in attributes:
            assert (name, key) in HTML_ATTRIBUTES, f"expected attributes that the docs name, got {key!r} of {name}"
            if key in ("href", "src"):
                assert not _bad_scheme(value), f"expected a safe URL, got {value!r}"
            elif key == "class":
                assert re.fullmatch(r"language-\S+", value), f"got class {value!r}"
            elif key != "alt":
                assert re.fullmatch(r"-?\d+", value), f"expected a number in {key}, got {value!r}"
    _check_sanitized(html)


def _check_sanitized(html: str) -> None:
    """Check that a sanitizer changes nothing. It reads URLs in its own way, and escapes signs that need not be."""
    html = _BARE.sub("&amp;", _URL.sub(r"\1/", html)).replace("\xa0", "&nbsp;")
    attributes: dict[str, set[str]] = {}
    for name, key in HTML_ATTRIBUTES - {("code", "class")}:
        attributes.setdefault(name, set()).add(key)
    classes = {"code": {*_LANGUAGE.findall(html)}}
    clean = nh3.clean(html, tags={*HTML_TAGS}, attributes=attributes, link_rel=None, allowed_classes=classes)
    assert clean.strip() == html


def _html5_elements(html: str) -> Iterator[tuple[str, Iterable[tuple[str, str]]]]:
    """Yield name and attributes of each element that a browser finds in *html*."""
    fragment = html5lib.parseFragment(html, container="div", namespaceHTMLElements=False)
    for element in fragment.iter():
        if element is not fragment:
            yield str(element.tag), element.attrib.items()


def _simple_elements(html: str) -> list[tuple[str, list[tuple[str, str]]]]:
    """Return name and attributes of each tag in *html*, as a parser that knows no elements finds them."""
    found: list[tuple[str, list[tuple[str, str]]]] = []

    class Parser(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            found.append((tag, [(name, value or "") for name, value in attrs]))

        def handle_comment(self, data: str) -> None:
            found.append(("!--", []))

        handle_decl = handle_pi = unknown_decl = handle_comment

    parser = Parser()
    parser.feed(html)
    parser.close()
    return found


def find_danger(markdown: str) -> list[str]:
    """Return the raw HTML in *markdown*, except the tags that the docs name, and the URLs with other schemes."""
    found = []
    blocks = GITHUB.parse(markdown)
    for token in [*blocks, *(child for block in blocks for child in block.children or ())]:
        if token.type in ("html_inline", "html_block") and token.content not in MARKDOWN_TAGS:
            found.append(token.content)
        url = str(token.attrs.get("href") or token.attrs.get("src") or "")
        if _bad_scheme(url):
            found.append(url)
    return found


def _bad_scheme(url: str) -> bool:
    scheme = re.match(r"([a-z][a-z0-9+.-]*):", re.sub(r"[\x00-\x20]", "", url).lower())
    return scheme is not None and scheme[1] not in ALLOWED_SCHEMES


def _lacks(answer: Extraction, part: object) -> bool:
    """Return whether *part* of *answer* may be missing: the time ran out, or the text is in another language."""
    return not part and answer.reason in ("timeout", "language")


def _letters(text: str) -> str:
    """Return the letters of *text*: what no form adds, drops or moves. A raised letter is the same letter."""
    return "".join(filter(str.isalpha, unicodedata.normalize("NFKC", text)))


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _strings(part)
