"""Families of hostile pages: each is a function from a size in bytes to a page of about that size.

A family repeats or nests one thing that costs some stage of an extraction too much time, memory or depth if that stage
has no bound. Costs must grow with the size as a parse does: `benchmarks/hostile.py` measures it, and the tests in
`tests/hostile/` fail beyond the bounds. Pages are deterministic.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from typing import Final, NamedTuple

Writer = Callable[[int], bytes]

SENTENCE: Final = (
    "The committee met on Tuesday and agreed, after a long debate, that the old bridge has to be repaired. "
)
ARTICLE: Final = '<div itemscope itemtype="http://schema.org/Article">'
PERSON: Final = 'itemscope itemtype="http://schema.org/Person"'
PROSE: Final = f"<p>{SENTENCE * 2}</p>"
# Around most families, so that models and rules find main content, and all stages after them have work.
START: Final = f"<!DOCTYPE html><html><head><title>Hostile</title></head><body><h1>Hostile</h1>{PROSE * 3}"
END: Final = f"{PROSE * 3}</body></html>"
LONG_LINK: Final = ('<a href="/', "a", '">')
OPEN_SHARE: Final = '<div class="share social sharedaddy"><a href="#">'
HIDDEN: Final = f"<div id=z hidden>{PROSE * 3}</div>"
HEAD: Final = "<!DOCTYPE html><html><head><title>Hostile</title>"
AFTER_HEAD: Final = f"</head><body><h1>Hostile</h1>{PROSE * 8}</body></html>"


class Family(NamedTuple):
    """A family of pages.

    :param purpose: what the page has too much of.
    :param write: function from a size in bytes to the page.
    """

    name: str
    purpose: str
    write: Writer


def ordinary_page(size: int) -> bytes:
    """Return a page of articles with links, lists, images and scripts, as ordinary pages have them."""
    return repeat(
        '<article class="post post-{}" id="post-{}"><h2><a href="/post/{}?ref=list">Repairs of the old bridge</a></h2>'
        f'<p class="lead">{SENTENCE}</p><p>{SENTENCE}<a href="/more">More</a> {SENTENCE}</p><ul class="list">'
        '<li>One item</li><li>Another <b>item</b></li></ul><img src="/images/{}.jpg" alt="The bridge" width="640">'
        '<script>window.dataLayer = window.dataLayer || []; dataLayer.push({{"event": "view", "post": {}}});</script>'
        '<div class="share"><a class="button" href="#">Share</a> <a class="button" href="#">Print</a></div></article>',
        size,
    )


def encode(text: str) -> bytes:
    """Return *text* in UTF-8, lone surrogates included."""
    return text.encode("utf-8", "surrogatepass")


def repeat(unit: str, size: int, start: str = START, end: str = END) -> bytes:
    """Return a page that repeats *unit*, with the number of each where it has braces."""
    length = len(encode(unit.replace("{}", "00000") if "{}" in unit else unit))
    count = max(1, (size - len(encode(start)) - len(encode(end))) // length)
    if "{}" not in unit:
        return encode(start + unit * count + end)
    numbered = (unit.replace("{}", f"{i:05}").replace("{{", "{").replace("}}", "}") for i in range(count))
    return encode(start + "".join(numbered) + end)


def nest(opening: str, closing: str, size: int, inner: str = SENTENCE, start: str = START, end: str = END) -> bytes:
    """Return a page that nests *opening* as deep as the size allows, around *inner*."""
    depth = max(1, (size - len(start) - len(end)) // len(opening + closing))
    return encode(start + opening * depth + inner + closing * depth + end)


def fragment(unit: str, size: int) -> bytes:
    """Return markup that repeats *unit*, without a page around it."""
    return repeat(unit, size, "", "")


def fill(before: str, unit: str, after: str, size: int) -> bytes:
    """Return a page with one long run of *unit* between *before* and *after*."""
    return repeat(unit, size, START + before, after + END)


def fill_head(before: str, unit: str, after: str, size: int) -> bytes:
    """Return a page with one long run of *unit* in its head."""
    return repeat(unit, size, HEAD + before, after + AFTER_HEAD)


def many_astral(size: int) -> bytes:
    """Return a page with different characters beyond U+FFFF, one of each 256 in turn."""
    return fill("<p>", "".join(chr(0x10000 + 257 * i % 0x100000) for i in range(size // 4)), "</p>", size)


def deep_then_wide(size: int) -> bytes:
    """Return a page with many paragraphs inside up to 1,900 elements."""
    return repeat("<p>A short text.</p>", size, START + "<div>" * min(1900, size // 10), END)


def long_names_then_wide(size: int) -> bytes:
    """Return a page with many paragraphs inside elements with long names."""
    return repeat("<p>A short text.</p>", size, START + f"<x-{'y' * 200}>" * min(200, size // 800), END)


def inline_often(size: int) -> bytes:
    """Return a page of headings that each nest up to 2,000 inline elements."""
    depth = min(2000, size // 28)
    return repeat(f"<h1>{'<b>' * depth}a{'</b>' * depth}</h1>", size)


def json_ld(value: Callable[[int], str], size: int) -> bytes:
    """Return a page with a JSON-LD script that holds *value* of the remaining size."""
    before, after = '<script type="application/ld+json">', "</script>"
    rest = max(10, size - len(HEAD + AFTER_HEAD + before + after))
    return encode(HEAD + before + value(rest) + after + AFTER_HEAD)


def hidden(kind: str, text: str, size: int, start: str = "") -> bytes:
    """Return a page without visible text, whose script has an article of repeated *text*."""
    rest = max(1, (size - 1200) // (len(json.dumps(text)) - 2))
    value = {"@type": "Article", "articleBody": start + text * rest}
    return encode(f'{HEAD}<script type="{kind}">{json.dumps(value)}</script></head><body></body></html>')


def in_encoding(name: str, unit: str, size: int) -> bytes:
    """Return a page of repeated *unit* in another encoding, which it declares."""
    text = f'<!DOCTYPE html><html><head><meta charset="{name}"></head><body>'
    count = max(1, size // len(unit.encode(name)))
    return (text + unit * count + "</body></html>").encode(name)


def raw(start: bytes, unit: bytes, size: int) -> bytes:
    """Return a page of repeated bytes."""
    return start + unit * max(1, (size - len(start)) // len(unit))


def comments_and_text_after_body(size: int) -> bytes:
    """Return a page with comments before its root and texts after its end."""
    n = max(1, (size - 800) // 2 // len("<!---->"))
    return encode("<!---->" * n + START + "</body></html>" + "<i>a</i>" * n)


def under(before: str, unit: str, after: str, inner: str, closing: str, size: int) -> bytes:
    """Return a page that repeats *inner* under an element with one long run of *unit*, half and half."""
    start = before + unit * max(1, (size - 1000) // 2 // len(unit)) + after
    return repeat(inner, size, START + start, closing + END)


def inside(opening: str, inner: str, size: int) -> bytes:
    """Return a page that repeats *inner* inside up to 900 elements, half and half."""
    return repeat(inner, size, START + opening * min(900, (size - 1000) // 2 // len(opening)), END)


def class_list(size: int) -> bytes:
    """Return a page with 1,000 elements that share the bytes of their long classes."""
    length = max(1, size // 200 // 2)
    return repeat(f'<div class="{"a " * length}"><p>{SENTENCE}</p></div>', size)


def code_under_long_class(size: int) -> bytes:
    """Return a page with many blocks of code inside an element with a long class."""
    return repeat("<pre>x = 1</pre>", size, f'{START}<div class="{" language" * (size // 18)}">', f"</div>{END}")


def same_author(size: int) -> bytes:
    """Return JSON-LD with many items, and many authors that refer to one that does not exist."""
    n = max(1, size // 40)
    graph = [{"@type": "Article", "headline": "x", "author": [{"@id": "#a"}] * n}, *[{"@id": "#b"}] * n]
    return json_ld(lambda _: json.dumps({"@graph": graph}), size)


def in_title(before: str, unit: str, after: str, size: int) -> bytes:
    """Return a page with a title of repeated *unit*."""
    return encode(f"<html><head><title>{before}{unit * (size // len(unit))}{after}</title>{AFTER_HEAD}")


def title_of_separators(size: int) -> bytes:
    return encode(
        f"{HEAD}<title>{'Word | ' * (size // 14)}</title><title>{'Word - ' * (size // 14)}</title>{AFTER_HEAD}"
    )


def repeated_blocks(size: int) -> bytes:
    """Return a page that repeats four paragraphs in turn."""
    return repeat("".join(f"<p>{number} {SENTENCE}</p>" for number in ("One", "Two", "Three", "Four")), size)


def microdata_of_references(size: int) -> bytes:
    """Return a page with up to 80 items of microdata, which all refer to one long text."""
    scope = '<div itemscope itemtype="http://schema.org/Person" itemref="{}"></div>'.format("a " * 50)
    return repeat(
        '<i itemprop="name">Name</i> ', size, START + scope * min(80, size // 600) + '<p id="a">', "</p>" + END
    )


def long_host(first: int, n: int, size: int) -> bytes:
    """Return a page with one link whose host is as long as the size allows, of *n* letters from *first* on in turn."""
    host = "".join(chr(first + i % n) for i in range(min(90_000, size // 3)))
    return repeat(PROSE, size, f"{START}<p><a href='http://{host}/'>a</a> b</p>")


def sheet_matches(size: int) -> bytes:
    """Return a page with many rules that match each of many elements, half and half."""
    rules = "".join(f".a:not(.b{i}){{display:none}}" for i in range(size // 60))
    return repeat("<p class=a>a</p>", size, f"{HEAD}<style>{rules}</style></head><body>{PROSE * 3}")


def nested_tokens(size: int) -> bytes:
    """Return a page with a formula of nested tokens around one long text, and words that the text does not have."""
    tokens = "<mi>" * min(1_500, size // 8)
    return repeat("word ", size, f"{START}<p>Let <math alttext='hidden sentence'>{tokens}", f"</math>{END}")


def with_sheet(rule: str, inner: str, size: int, after: str = "") -> bytes:
    """Return a page that repeats a rule of a style sheet, numbered, and elements that it could match, half and half."""
    rules = "".join(rule.replace("#", str(i)) for i in range(max(1, (size - 2_000) // 2 // len(rule))))
    return repeat(inner, size, f"{HEAD}<style>{rules}</style></head><body>{PROSE * 3}{after}")


def host_in_head(opening: str, closing: str, size: int) -> bytes:
    """Return a page whose head has a long host of different letters."""
    host = "".join(chr(0x4E00 + i % 0x5000) for i in range(min(90_000, size // 6)))
    return repeat(PROSE, size, f"{HEAD}{opening}http://{host}/{closing}</head><body>")


def deep_json(size: int) -> str:
    return "[" * (size // 2) + "]" * (size // 2)


def deep_graph(size: int) -> str:
    opening = '{"@graph":['
    n = size // (len(opening) + 2)
    return opening * n + "]}" * n


def wide_object(size: int) -> str:
    return "{" + ",".join(f'"key{i:06}":1' for i in range(size // 14)) + "}"


def fill_json(before: str, unit: str, after: str, size: int) -> bytes:
    """Return a page with one long run of *unit* in its JSON-LD."""
    return json_ld(lambda rest: before + unit * (rest // len(unit)) + after, size)


_TABLE: Final = (
    # Structure
    ("deep-div", "nested div", nest, "<div>", "</div>"),
    ("deep-div-unclosed", "nested div, never closed", nest, "<div>", ""),
    ("deep-then-wide", "paragraphs inside 1,900 elements", deep_then_wide),
    ("long-names-then-wide", "paragraphs inside elements with long names", long_names_then_wide),
    ("deep-often", "many nests of 200 elements", repeat, f"{'<div>' * 200}{SENTENCE}{'</div>' * 200}"),
    ("inline-often", "headings with 2,000 nested inline elements", inline_often),
    ("unclosed-formatting", "formatting that is never closed", repeat, "<p><b><i>A short text."),
    ("nested-inline", "nested inline elements with texts", nest, "<b>a <i>b ", "</i></b>"),
    ("flat-inline", "inline elements in one paragraph", fill, "<p>", "<b>a</b> <i>b</i> ", "</p>"),
    ("empty-inline", "empty inline elements in one paragraph", fill, "<p>", "<b></b>", "</p>"),
    ("wide-p", "empty paragraphs", repeat, "<p>"),
    ("word-per-p", "one paragraph for each word", repeat, "<p>word</p>"),
    ("letter-per-div", "one element for each letter", repeat, "<div>a</div>"),
    ("br", "line breaks", repeat, "<br>"),
    ("br-text", "line breaks between words", fill, "<div>", "word<br>", "</div>"),
    ("hr-text", "rules between words", repeat, "word<hr>"),
    ("span-lines", "short sentences in spans", fill, "<p>", "<span>Some words of text.</span>\n", "</p>"),
    ("nested-tables", "tables in tables", nest, "<table><tr><td>", "</td></tr></table>"),
    ("nested-tables-text", "tables in tables, each with text", nest, f"<table><tr><td>{SENTENCE}", "</table>"),
    ("many-tables", "small tables", repeat, "<table><tr><td>a<td>b<tr><td>c<td>d</table>"),
    ("one-row", "cells of one row", fill, "<table><tr>", "<td>a", "</tr><tr><td>x<td>y</tr></table>"),
    ("empty-cells", "empty cells", fill, "<table><tr><td>a<td>b</tr><tr><td>Some words", "<td>", "<td>c</tr></table>"),
    ("many-rows", "rows of a table", fill, "<table>", "<tr><td>one word<td>and more", "</table>"),
    ("spans", "cells with spans", fill, "<table>", "<tr><td colspan=100 rowspan=100>a<td>b</tr>", "</table>"),
    ("wide-spans", "huge spans", fill, "<table>", "<tr><td colspan=1000000 rowspan=1000000>Some<td>more", "</table>"),
    ("head-rows", "rows of a table head", fill, "<table><thead>", "<tr><td>one word<td>and more", "</thead></table>"),
    ("table-bodies", "bodies of a table", fill, "<table>", "<tbody><tr><td>one word<td>and more", "</table>"),
    ("captions", "captions of a table", fill, "<table>", "<caption>Some words</caption><tr><td>a<td>b", "</table>"),
    ("nested-lists", "lists in lists", nest, "<ul><li>", "</li></ul>"),
    ("nested-lists-text", "lists in lists, each item with text", nest, "<ul>\n<li>An item\n", "</li></ul>"),
    ("lists-often", "many nests of 50 lists", repeat, f"{'<ul><li>Some words' * 50}{SENTENCE}{'</li></ul>' * 50}"),
    ("items", "items of a list", fill, "<ol>", "<li>One item of many\n", "</ol>"),
    ("adjacent-lists", "adjacent lists of one item", repeat, "<ol><li>One item of many</li></ol>"),
    ("items-without-list", "items without a list", repeat, "<li>One item of many"),
    ("dl", "terms and definitions", fill, "<dl>", "<dt>Term<dd>Some words", "</dl>"),
    ("nested-dl", "definitions in definitions", nest, "<dl><dt>Term<dd>", "</dd></dl>"),
    ("nested-quotes", "quotes in quotes, each with text", nest, "<blockquote>Some words of text.", "</blockquote>"),
    ("quoted-lines", "paragraphs inside 900 quotes", inside, "<blockquote>", "<p>x"),
    ("listed-lines", "paragraphs inside 900 lists", inside, "<ul><li>", "<p>x"),
    ("formatted-lines", "paragraphs inside nested formatting", inside, "<b><i>", "<p>x"),
    ("coded-lines", "code inside 900 lists", inside, "<ol><li>", "<pre>x\ny</pre>"),
    ("figures", "figures", repeat, '<figure><img src="/i.jpg"><figcaption>Some words</figcaption></figure>'),
    ("nested-noscript", "nested noscript", partial(nest, "<noscript>", "</noscript>", inner=SENTENCE * 4)),
    ("noscripts", "noscript with long texts", repeat, f"<noscript>{SENTENCE * 3}</noscript>"),
    ("templates", "templates", repeat, "<template><p>Some words</p></template>"),
    ("frames", "frames", repeat, "<iframe src=/f>Some</iframe><noframes>words</noframes>"),
    ("inputs", "form controls", fill, "<form>", "<input name=a><button>b</button>", "</form>"),
    ("options", "options of a select", fill, "<select>", "<option>One option", "</select>"),
    ("headings", "headings", repeat, "<h2>A heading</h2>"),
    ("h1", "main headings", repeat, "<h1>A heading</h1>"),
    ("h1-open", "main headings inside each other", repeat, "x<h1>"),
    ("nested-headings", "nested headings", nest, "<h1><h2>", "</h2></h1>"),
    ("comments", "comments between texts", fill, "<p>", "a<!--b-->", "</p>"),
    ("comments-around", "comments before the page, texts after it", comments_and_text_after_body),
    ("comments-before", "comments before the page", partial(repeat, "<!-- a -->", start="", end=START + END)),
    ("comments-after", "comments after the page", partial(repeat, "<!-- a -->", start=START + END, end="")),
    ("instructions", "processing instructions", repeat, "<?php echo ?>a"),
    ("after-body", "paragraphs after the page", partial(repeat, "<p>Some words", start=START + END, end="")),
    ("text-after-html", "more documents", partial(repeat, "</html>Some words<html>", start=START + END, end="")),
    ("bodies", "body tags", repeat, "<body>Some words</body>"),
    ("svg", "shapes of an SVG image", fill, "<svg>", '<g><path d="M0 0"/></g>', "</svg>"),
    ("tokens", "nested tokens of a formula", nested_tokens),
    ("tex-in-tex", "nested elements with TeX", nest, "<span data-tex='words in words'>a ", "</span>"),
    ("named-headings", "links of headings to themselves", repeat, "<h2>One <a href='#one'>#one</a></h2>"),
    ("math", "formulas", repeat, "<math><mi>x</mi><mo>=</mo><mn>1</mn></math> "),
    ("custom-elements", "elements with different names", repeat, "<x-{}>a</x-{}>"),
    ("unknown-elements", "nested unknown elements", nest, "<foo>", "</foo>"),
    ("long-tag", "one long tag name", fill, "<x", "y", ">a</p>"),
    ("long-tags", "elements with long names", repeat, f"<x-{'y' * 900}>a"),
    ("namespaces", "prefixed names", repeat, '<o:p xmlns:o="urn:o">Some words</o:p>'),
    ("end-tags", "end tags without start", repeat, "</p>"),
    ("wrong-end-tags", "end tags of other elements", repeat, "<i>a</b><p>b</i></div>"),
    ("div-in-p-in-a", "misnested links and blocks", repeat, "<a href=/a><div>Some words<p>"),
    ("stray-in-table", "text between rows", fill, "<table>", "Some words<tr>", "</table>"),
    ("less-than", "less-than signs", fill, "<p>", "<", "</p>"),
    ("open-tags", "tags that are never finished", repeat, "<a <b "),
    ("open-quotes", "quotes that are never closed", repeat, "<a href=\"x><b title='y>"),
    ("cdata", "CDATA sections", repeat, "<![CDATA[a]]>"),
    ("open-comment", "a comment that is never closed", fill, "<!--", "- ", ""),
    ("open-comments", "starts of comments", fill, "<p>", "<!-", "</p>"),
    ("scripts", "scripts", repeat, "<script>a()</script>"),
    ("long-sheet", "rules of a style sheet", fill_head, "<style>", ".a{display:none} ", "</style>"),
    ("open-rules", "rules inside each other", fill_head, "<style>.a{display:none} ", ".a{", "</style>"),
    ("hiding-words", "words of styles without rules", fill_head, "<style>", "display:none ", "</style>"),
    ("harmless-words", "words of a long value", fill_head, "<style>.a{x:", ",none ", "}</style>"),
    ("selectors", "selectors of a rule", fill_head, "<style>", ".a,.b .a,", ".a{display:none}</style>"),
    ("sheet-matches", "elements and rules for all", sheet_matches),
    ("styled", "elements that hide in many ways", repeat, '<p style="height:0;font:1px/1 a;left:-1px;x{}:y">a</p>'),
    (
        "sheet-attributes",
        "conditions of attributes",
        with_sheet,
        "[class*=a][class$=b#]{display:none}",
        "<p class='a b'>a",
    ),
    ("sheet-ids", "ids of a style sheet", with_sheet, "#i#{display:none}", "<p id=i{}>a"),
    ("sheet-negations", "nested negations", with_sheet, ".a:not(:is(.b#,.c)):not(.d){display:none}", "<p class=a>a"),
    ("sheet-siblings", "siblings in a style sheet", with_sheet, "p~p~.c#~p.b{display:none}", "<p class=b>a"),
    ("sheet-languages", "languages in a style sheet", with_sheet, ":lang(e#){display:none}", "<p lang=en>a"),
    (
        "sheet-values",
        "values that refer to values",
        with_sheet,
        ".a{--a#:var(--b)var(--b);display:var(--a#)}",
        "<p class=a>a",
    ),
    (
        "sheet-chain",
        "selectors of nested elements",
        partial(with_sheet, ".a .a .a .a .c .b{display:none}", "<p class=b>a", after="<div class=a>" * 100),
    ),
    (
        "sheet-conditions",
        "conditions inside each other",
        with_sheet,
        f"@media {'not (' * 40}color{')' * 40}{{.a{{display:none}}}}",
        "<p class=a>a",
    ),
    ("style-calculations", "calculations of a style", fill, "<p style='left:", "calc(1px + ", f"'>{SENTENCE}</p>"),
    ("style-brackets", "brackets of a style", fill, "<p style='display:none;a:", "(;", f"'>{SENTENCE}</p>"),
    ("style-escapes", "escapes of a style", fill, "<p style='display:", "\\6e ", f"'>{SENTENCE}</p>"),
    ("style-values", "styles that refer to themselves", repeat, "<p style='--a:var(--a)var(--b);display:var(--a)'>a"),
    ("styles", "style sheets", repeat, "<style>a{{}}</style>b"),
    # Attributes
    ("attributes", "attributes of one element, in double quotes", fill, "<p ", 'a{}="x" ', ">text</p>"),
    ("attributes-single", "attributes of one element, in single quotes", fill, "<p ", "a{}='x' ", ">text</p>"),
    ("attributes-bare", "attributes of one element, without quotes", fill, "<p ", "a{}=x ", ">text</p>"),
    ("attributes-empty", "attributes of one element, without values", fill, "<p ", "a{} ", ">text</p>"),
    ("attributes-slash", "attributes of one element, separated by slashes", fill, "<p ", "a{}/", ">text</p>"),
    ("same-attribute", "one attribute again and again", fill, "<p ", "a=x ", ">text</p>"),
    ("data-attributes", "many attributes", repeat, '<div data-a="1" data-b="2" data-c="3" style="x" id="i{}">a</div>'),
    ("long-attribute", "one long attribute", fill, '<p title="', "word ", f'">{SENTENCE}</p>'),
    ("long-style", "one long style", fill, '<pre><span style="', "display ", '">a</span><span>b</span></pre>'),
    ("long-class", "one long list of classes", fill, '<div class="', "c{} ", f'">{PROSE}</div>'),
    ("long-classes", "elements with long classes", class_list),
    ("one-class-many-children", "a long class", under, '<p class="', "ab ", '">', "<a href=/>a</a> ", ""),
    ("code-under-long-class", "code inside a long class", code_under_long_class),
    ("same-class", "elements of one class", repeat, '<div class="a b-c_d">a</div>'),
    ("distinct-classes", "elements of different classes", repeat, '<p class="a{} b{}">word</p>'),
    ("camel-classes", "one class of many words", fill, '<p class="', "aB-c_d0", f'">{SENTENCE}</p>'),
    ("distinct-ids", "elements with different ids", repeat, '<p id="i{}">word</p>'),
    ("long-id", "one long id", fill, '<p id="', "ab-", f'">{SENTENCE}</p>'),
    # Text
    ("one-word", "one long word", fill, "<p>", "a", "</p>"),
    ("sentences", "one long paragraph", fill, "<p>", SENTENCE, "</p>"),
    ("short-sentences", "sentences of one letter", fill, "<p>", "A. ", "</p>"),
    ("capitals", "capitals and digits", fill, "<p>", "aB1", "</p>"),
    ("punctuation", "signs without letters", fill, "<p>", ".,;!?", "</p>"),
    ("whitespace", "whitespace", fill, "<p>a", " ", "b</p>"),
    ("line-breaks", "line breaks in a text", fill, "<p>a", "\n", "b</p>"),
    ("odd-whitespace", "Unicode whitespace", fill, "<p>a", "\u2003\u00a0\u2028", "b</p>"),
    ("nul", "NUL characters", fill, "<p>a", "\x00", "b</p>"),
    ("control", "control characters", fill, "<p>a", "b\x01\x7f", "b</p>"),
    ("entities", "character references", fill, "<p>", "&amp;&lt;", "</p>"),
    ("numeric-entities", "numeric references", fill, "<p>", "&#97;&#x62;", "</p>"),
    ("broken-entities", "references without names", fill, "<p>", "&a&#;", "</p>"),
    ("long-entity", "a long numeric reference", fill, "<p>&#", "9", ";</p>"),
    ("astral", "characters beyond U+FFFF", fill, "<p>", "\U0001f600\U00020000", "</p>"),
    ("many-astral", "characters of all rows beyond U+FFFF", many_astral),
    ("combining", "combining marks", fill, "<p>a", "\u0301\u0327", "</p>"),
    ("bidi", "bidirectional controls", fill, "<p>", "\u202ea\u202c", "</p>"),
    ("cjk", "Chinese without spaces", fill, "<p>", "桥梁需要修理。", "</p>"),
    ("surrogates", "surrogates in UTF-8", fill, "<p>a", "\ud800", "b</p>"),
    ("soft-hyphens", "soft hyphens", fill, "<p>", "a\u00ad\u200b", "</p>"),
    ("same-paragraph", "equal paragraphs", repeat, PROSE),
    ("distinct-paragraphs", "different paragraphs", repeat, f"<p>{{}} {SENTENCE}</p>"),
    ("repeated-blocks", "four paragraphs in turn", repeated_blocks),
    ("distinct-words", "different words", fill, "<p>", "w{} ", "</p>"),
    ("pre-lines", "lines of code", fill, "<pre>", "x = 1\n", "</pre>"),
    ("pre-spaces", "spaces in code", fill, "<pre>x", " ", "y</pre>"),
    ("pre-line-breaks", "empty lines of code", fill, "<pre>x", "\n", "y</pre>"),
    ("pre-spans", "colored code", fill, "<pre>", '<span class="line"><span class="k">x</span> = 1</span>\n', "</pre>"),
    ("pre-br", "lines of code ended by tags", fill, "<pre>", "x = 1<br>", "</pre>"),
    ("pre-divs", "lines of code in elements", fill, "<pre>", "<div>  x = 1</div>\n", "</pre>"),
    ("pre-gaps", "line numbers in code", fill, "<pre>", "<div> <i>x</i>  <script>1</script>  y</div>\n", "</pre>"),
    ("pres", "blocks of code", repeat, "<pre>x = 1</pre>"),
    ("nested-pre", "code in code", nest, "<pre>x\n", "</pre>"),
    ("inline-code", "code spans", fill, "<p>", "<code>x</code> y ", "</p>"),
    # Links and images
    ("links", "links", fill, "<p>", "<a href=/a>a</a> ", "</p>"),
    ("link-items", "links in a list", fill, "<ul>", "<li><a href=/a/{}>Some words</a>", "</ul>"),
    ("nested-a", "links in links", nest, "<a href=/a>a ", "</a>"),
    ("long-href", "one long URL", fill, "<p><a href='/", "a/../", f"'>a</a> {SENTENCE}</p>"),
    ("long-hrefs", "long URLs", fill, "<p>", f'<a href="/{"a%20b/" * 100}">a</a> b ', "</p>"),
    ("unicode-hrefs", "URLs that must be escaped", fill, "<p>", '<a href="/ä b?ö=ü#{}">a</a> b ', "</p>"),
    ("long-host", "one long host of different letters", long_host, 0x4E00, 0x5000),
    ("ligature-host", "one long host of ligatures for whole phrases", long_host, 0xFDFA, 1),
    (
        "long-hosts",
        "hosts that are just short enough",
        repeat,
        f'<a href="http://{"".join(map(chr, range(0x4E00, 0x4E3F)))}.org/{{}}">a</a> b ',
    ),
    ("host-canonical", "a long host as the URL of the page", host_in_head, "<link rel=canonical href='", "'>"),
    ("host-base", "a long host as the base", host_in_head, "<base href='", "'>"),
    ("bad-hrefs", "URLs that cannot be parsed", fill, "<p>", '<a href="http://[{}">a</a> b ', "</p>"),
    ("data-urls", "URLs of scripts", fill, "<p>", "<a href='javascript:a()'>a</a> <a href='data:,b'>b</a> ", "</p>"),
    ("long-data-url", "an image in its own URL", fill, '<p><img src="data:', "A", f'">{SENTENCE}</p>'),
    ("bases", "base elements", fill_head, "", '<base href="">', ""),
    ("long-base", "a long base with many links", under, '<base href="http://a/', "b/", '">', "<a href=a>a</a> b ", ""),
    ("long-link", "a long link around paragraphs", under, *LONG_LINK, f"<p>{SENTENCE}", "</a>"),
    ("long-link-words", "a long link around words", under, *LONG_LINK, "<p>x", "</a>"),
    ("long-link-lines", "a long link around lines", under, *LONG_LINK, "x<br>", "</a>"),
    ("long-link-items", "a long link around items", under, *LONG_LINK, "<li>x", "</a>"),
    ("long-link-cells", "a long link around tables", under, *LONG_LINK, "<table><tr><td>x<td>y</table>", "</a>"),
    ("long-link-code", "a long link in code", under, *LONG_LINK, "<pre>x = 1\n</pre>", "</a>"),
    ("long-link-bold", "a long link around formatting", under, *LONG_LINK, "<b>x</b> y ", "</a>"),
    ("long-link-teasers", "a long link around teasers", under, *LONG_LINK, "<div><h2>x</h2><p>y</div>", "</a>"),
    ("images", "images", fill, f"<p>{SENTENCE}", '<img src="/i/{}.jpg" alt="a">', f"{SENTENCE}</p>"),
    ("images-text", "images between texts", fill, "<div>", '<img src="/i.jpg">Some words', "</div>"),
    ("long-alt", "one long description", fill, f'<p>{SENTENCE}<img src="/i" alt="', "a]* ", f'">{SENTENCE}</p>'),
    # Markdown
    ("backticks", "backticks", fill, "<p>", "`", "</p>"),
    ("backticks-code", "backticks in code", fill, "<pre>", "`` ", "</pre>"),
    ("pipes", "vertical bars in a table", fill, "<table><tr><td>a<td>b<tr><td>c<td>", "|", "</table>"),
    ("brackets", "brackets", fill, "<p>", "[]()", "</p>"),
    ("stars", "asterisks", fill, "<p>", "* ", "</p>"),
    ("underscores", "underscores", fill, "<p>", "_", "</p>"),
    ("tildes", "tildes", fill, "<p>", "~", "</p>"),
    ("hashes", "number signs", repeat, "<p># a"),
    ("numbers", "lines that look like items", repeat, "<p>1. Some words"),
    ("backslashes", "backslashes", fill, "<p>", "\\", "</p>"),
    ("ampersand-run", "ampersands", fill, "<p>", "&", "</p>"),
    ("ampersand-names", "references without ends", fill, "<p>", "&amp", "</p>"),
    ("ampersand-alt", "ampersands of a description", fill, f'<p>{SENTENCE}<img src="/i" alt="', "&", '">'),
    ("ampersand-href", "ampersands of a link", fill, '<p><a href="/?', "&", f'">a</a> {SENTENCE}</p>'),
    ("ampersand-code", "ampersands in code", fill, "<pre>", "&", "</pre>"),
    ("ampersands", "escaped references", fill, "<p>", "&amp;lt;", "</p>"),
    ("strong-runs", "adjacent formatting", fill, "<p>", "<b>a</b><i>b</i><code>`</code>", "</p>"),
    (
        "ruby",
        "posts of a thread, if each word were one",
        fill,
        "<p><ruby>",
        "漢<rp>(</rp><rt>kan</rt><rp>)</rp>",
        "</ruby></p>",
    ),
    ("sub-sup", "subscripts and superscripts", fill, "<p>", "x<sub>1</sub><sup>2</sup>", "</p>"),
    # Metadata
    ("json-deep", "deep JSON-LD", json_ld, deep_json),
    ("json-deep-graph", "items in items", json_ld, deep_graph),
    ("json-wide-graph", "items of JSON-LD", fill_json, '{"@graph":[', '{"@type":"Person","name":"A B"},', "{}]}"),
    ("json-wide", "keys of JSON-LD", json_ld, wide_object),
    ("json-ones", "numbers of JSON-LD", fill_json, "[", "1,", "1]"),
    ("json-whitespace", "whitespace in JSON-LD", fill_json, "", " ", "{}"),
    ("json-comments", "comments", fill_json, '{"@type": "Article", // comment\n', '"a": "b", /* c */\n', "}"),
    ("json-broken", "broken JSON-LD", repeat, '<script type="application/ld+json">{{"a": }</script>'),
    ("json-slashes", "JSON-LD of slashes", fill_json, "", "/* ", ""),
    ("json-backslashes", "JSON-LD of backslashes", fill_json, '{"a": "', "\\", ""),
    ("json-strings", "JSON-LD of strings", fill_json, "", '"a', ""),
    ("json-scripts", "scripts of JSON-LD", repeat, '<script type="application/ld+json">{{"@type": "Person"}}</script>'),
    ("json-authors", "authors that refer to nothing", same_author),
    ("json-ids", "authors by references", fill_json, '{"@type":"Article","author":[', '{"@id":"z"},', "{}]}"),
    ("json-own-ids", "items of one name", fill_json, "[", '{"@id":"z","author":{"@id":"z"}},', "{}]"),
    ("json-keywords", "keywords", fill_json, '{"@type":"Article","keywords":"', "a,", '"}'),
    ("json-author", "a long author", fill_json, '{"@type":"Article","author":"', "by ", '"}'),
    ("json-references", "references", fill_json, '{"@type":"Article","headline":"', "&#1", '"}'),
    ("hidden-lines", "an article of lines in a script", hidden, "application/ld+json", SENTENCE + "\n"),
    ("hidden-whitespace", "whitespace in a script", partial(hidden, "application/ld+json", " ", start=SENTENCE * 8)),
    ("hidden-html", "an article of HTML in a script", hidden, "application/json", f"<p>{SENTENCE}</p>"),
    ("hidden-tags", "tags in a script", partial(hidden, "application/json", "<p ", start=SENTENCE * 8)),
    ("hidden-deep", "nested HTML in a script", partial(hidden, "application/json", "<div>a", start=SENTENCE * 8)),
    ("og-tags", "meta elements", fill_head, "", '<meta property="og:image:{}" content="x">', ""),
    ("og-titles", "titles in meta elements", fill_head, "", '<meta property="og:title" content="&#x20;">', ""),
    ("article-tags", "tags in meta elements", fill_head, "", '<meta property="article:tag" content="tag {}">', ""),
    ("titles", "title elements", fill_head, "", "<title> </title>", ""),
    ("long-title", "a title of separators", title_of_separators),
    ("title-whitespace", "a title of whitespace", in_title, "a", " ", "b"),
    ("title-references", "a title of references", in_title, "", "&amp;#1", ""),
    ("title-digits", "a title with a long number", in_title, "&amp;#", "1", ""),
    ("charsets", "declared encodings", fill_head, "", '<meta charset="x-{}">', ""),
    ("descriptions", "descriptions", fill_head, "", '<meta name="description" content="a &amp; b">', ""),
    ("canonicals", "canonical links", fill_head, "", '<link rel="canonical" href="javascript:{}">', ""),
    ("microdata", "items of microdata", repeat, f'<div {PERSON}><i itemprop="name">A</i></div>'),
    ("microdata-few", "one item", fill, ARTICLE, '<i itemprop="name">A</i> ', "</div>"),
    ("microdata-deep", "nested items of microdata", nest, f'<div itemprop="a" {PERSON}>', "</div>"),
    ("microdata-refs", "references between items of microdata", microdata_of_references),
    ("itemprop-deep", "nested properties", partial(nest, "<i itemprop=a>", "</i>", start=START + ARTICLE)),
    ("itemprop-texts", "open properties", partial(repeat, "<div itemprop=a>x", start=START + ARTICLE)),
    ("itemprop-links", "nested links", partial(nest, "<p itemprop=url><a href=/>a", "", start=START + ARTICLE)),
    ("itemref-same", "one reference", fill, f'<p id=a>{SENTENCE}</p><p {PERSON} itemref="', "a ", '"></p>'),
    ("itemref-each", "references to one item", repeat, f'<i id="a{{}}" {PERSON} itemref="a{{}} a00000">a</i>'),
    ("rdfa", "items of RDFa", repeat, '<div vocab="http://schema.org/" typeof="Person" property="a">A</div>'),
    ("bylines", "elements marked as the author", repeat, '<i class="byline author">by by by</i>'),
    ("author-links", "links of authors", repeat, '<a href="/author/a">view all posts</a> '),
    ("long-byline", "a long author", fill, '<p class="byline">by ', "a by ", "</p>"),
    ("dates", "dates", repeat, '<time datetime="2020-01-0">2020-01-01</time> '),
    ("date-texts", "dates in a text", fill, "<p>", "1 May 2020 ", "</p>"),
    ("date-digits", "digits", fill, "<p>", "2020-", "</p>"),
    ("commented-dates", "dates in comments", fill, "<p>", "<!-- <time>1 May 2020</time> -->", "</p>"),
    (
        "nested-comments",
        "dates of nested comments",
        nest,
        "<ol><li class=comment><time>1 May 2020</time><p>Words.",
        "</ol>",
    ),
    (
        "comments-of-readers",
        "dates of comments",
        repeat,
        "<div class=comment>Ann, <time>1 May 2020</time><p>Words</div>",
    ),
    # Comments: lxml takes quadratic time to list the texts between them
    ("formula-comments", "comments in a formula", fill, "<p>Let <math><mi>", "<!---->", "x</mi></math> be.</p>"),
    ("tex-comments", "comments in an element with TeX", fill, "<p data-tex=x>", "<!---->", "x</p>"),
    ("opener-comments", "comments in a button", fill, "<button aria-controls=z>", "<!---->", f"</button>{HIDDEN}"),
    ("byline-comments", "comments in a byline", fill, "<p class=byline>", "<!---->", "by Ann Smith</p>"),
    ("trail-comments", "comments in breadcrumbs", fill, "<ol class=breadcrumb><a href=/a>", "<!---->", "a</a></ol>"),
    ("item-comments", "comments in microdata", fill, f"{ARTICLE}<i itemprop=name>", "<!---->", "a</i></div>"),
    ("heading-comments", "comments in a heading", fill, "<h1>", "<!---->", "A heading</h1>"),
    # Languages: with a selector of users
    ("lang-nested", "nested languages", nest, "<div lang=en><p>a ", "</div>"),
    ("lang-inside", "elements inside nested languages", inside, "<div lang=de>", "<p lang=en>a"),
    ("lang-around", "elements far from their language", inside, "<div>", "<p>a"),
    # Fragments
    ("fragment-links", "links", fragment, '<p><a href="/{}">Read more</a> <a href="https://x.com/share?u=a">a</a>'),
    ("fragment-shares", "elements for sharing", fragment, f"{OPEN_SHARE * 50}{SENTENCE}{'</a></div>' * 50}"),
    ("fragment-hidden", "hidden text", fragment, '<a href="#a{}">a</a> <i id="a{}" style="display:none">b</i>'),
    ("fragment-raw", "no page", fragment, "<!--<html>--><svg><title>a</title></svg> a <meta itemprop=a> b "),
    # Encodings
    ("utf-16", "text in UTF-16", lambda size: in_encoding("utf-16", PROSE, size)),
    ("utf-7", "text in UTF-7", lambda size: in_encoding("utf-7", "<p>ä ö ü", size)),
    ("shift-jis", "text in Shift JIS", lambda size: in_encoding("shift_jis", "<p>橋を直す。", size)),
    ("gb18030", "text in GB 18030", lambda size: in_encoding("gb18030", "<p>桥梁需要修理。", size)),
    ("escapes", "escapes of ISO-2022-JP", raw, b'<meta charset="iso-2022-jp"><p>', b"\x1b$B\x1b(B"),
    ("invalid-bytes", "bytes that are not UTF-8", raw, START.encode(), b"\xff\xfe\xc3("),
    ("wrong-charset", "a wrong declared encoding", raw, b'<meta charset="utf-16"><p>', b"a\xe4\x00b "),
    ("byte-order-marks", "byte order marks", raw, b"", b"\xef\xbb\xbf"),
    ("windows-1252", "letters of Windows-1252", raw, b"<p>", b"\xe4\xf6 \x93a\x94 "),
    ("xml-declarations", "XML declarations", raw, b"", b'<?xml version="1.0" encoding="x"?>'),
    ("json-page", "a page that looks like JSON", raw, b"", b"["),
    ("doctypes", "document types", raw, b"", b"<!DOCTYPE html>"),
    ("doctype-spaces", "a long document type", raw, b"<!DOCTYPE ", b" "),
)
FAMILIES: Final = {name: Family(name, purpose, partial(write, *args)) for name, purpose, write, *args in _TABLE}
