"""Small random pages for hypothesis: all kinds of tags, nested, and texts for every counter."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import strategies as st

if TYPE_CHECKING:
    from collections.abc import Sequence


INLINE_TAGS = """
    a a a b i span em strong small sup sub font u code label button abbr object svg x-tag o:p
""".split()
BLOCK_TAGS = """
    div div div section article aside header footer main nav blockquote center form form fieldset figure figcaption
    address canvas hgroup output pre h1 h2 h3 h4 h5 h6 p ul ol dl menu li dd dt table td th caption audio details
""".split()
SKIPPED_TAGS = "script style select textarea noscript iframe title video radio checkbox".split()
VOID_TAGS = "br br hr img input input wbr link meta".split()

# All as in the source of a page.
TEXTS = (
    *("the", "The", "and", "I", "i", "you", "word", "Word", "WORD", "a1_b", "don't", "well-known", "x", "yourselves"),
    *("café", "Élan", "naïve", "Über", "ñ", "日本語", "。", "Москва", "ß", "ǅ", "ª", "x²", "½", "①", "Ⅷ", "e\u0301"),
    *("1", "42", "1999", "2007.", "12345", "1999-2001", "é1999", "1999²", "x1999", "٢٠٠٧", "९", "3.14"),
    *("&copy;", "©2007", "(c)", "me@x.org", "éa@b.c", "a@é", "@x", "a@", "mail:a_b@c.d.", "1@2"),
    *(
        "http://x.org/a?b",
        "(https://ab.cd)",
        "ftp://host",
        "xhttp://x.org",
        "http://",
        "http://#x",
        "http://.x",
        "Http://ab",
    ),
    *("Yes.", "no?", "No!", "so;", "this:", "One. Two", "one. two", "A? B! C; D: E, F", "end.\xa0Next", "end. Élan"),
    *("...", "?", "!", ".", "- -", "!!!!!!!!!!!!", "a.b.c.d.e", "&amp;", "&lt;p&gt;", "&quot;q&quot;", "_", "/"),
    *("\xa0", "&nbsp;", "\u200b", "\ufeff", "\u2028", "\u3000", "&#150;", "&#8203;", "&unknown;"),
    *("😀", "😀?", "𝐀 𝐁. 𝐂", "𝟗", "𐐀b", "a😀b", "𠀀"),
    *("word " * 45, "A long Sentence of some ten words, no more. " * 6, "x" * 20, "9" * 40),
)
# libxml2 keeps them. Only the vertical tab is whitespace, and all but U+0085 are trimmed at the ends.
CONTROLS = ("\x01", "\x0b", "\x1f", "\x85", "\xa0\x1f\xa0", "A.\x1fB", "A.\x0bB", "&#11;x&#1;")
WHITESPACE = ("", " ", " ", " ", "\n", " \t\n ", "\f", "\xa0", "\r\n")
REPEATED = ("<p>same</p>", "<li> same </li>", "<td>same</td>", "same<br>")


def html_texts(*, with_controls: bool = True) -> st.SearchStrategy[str]:
    """Return source texts of one text node, some of them empty or whitespace.

    :param with_controls: whether control characters other than HTML's whitespace occur.
    """
    texts, spaces = st.sampled_from(TEXTS + CONTROLS if with_controls else TEXTS), st.sampled_from(WHITESPACE)
    piece = st.tuples(spaces, texts, spaces).map("".join)
    return st.one_of(spaces, texts, st.lists(piece, max_size=4).map("".join))


def html_trees(*, max_leaves: int = 20, with_controls: bool = True) -> st.SearchStrategy[str]:
    """Return whole pages as source text.

    :param max_leaves: approximate maximum of texts, void elements and comments in a part of a page.
    :param with_controls: whether control characters other than HTML's whitespace occur.
    """
    content = st.recursive(_small_parts(html_texts(with_controls=with_controls)), _larger_parts, max_leaves=max_leaves)
    parts = st.lists(content, min_size=1, max_size=6).map("".join)
    outside = st.one_of(st.sampled_from(["", "", "\n"]), parts)
    whole = st.builds(_page, st.sampled_from(_HEADS), parts, outside, outside)
    bodiless = st.builds(str.__add__, st.sampled_from(_ENDED_EARLY), parts)
    frameset = st.builds(_frameset_page, parts, outside)
    empty = st.sampled_from(["", " ", "<!-- x -->", "<html></html>"])
    return st.one_of(*[whole] * 10, parts, bodiless, frameset, empty)


_LONG = "x" * 3_000
_OPENINGS = (
    *(f'<a href="http://a.b/{_LONG}">', f"<pre class=language-{'x' * 30}>", "<ul><li>", "<ol start=99999><li>", "<li>"),
    *("<table><tr><td>a<td>b<tr>", "<table><tr>", "<td>", "<blockquote>", "<dl><dd>", "<b>", "<i>", "<code>", "<ruby>"),
    *("<rt>", "<rp>", "<sub>", "<h2>", "<div>", "<figure>", "<caption>", "<dt>", "<thead>", "<x-y>", "<mark>", "</td>"),
)
_CHILDREN = (
    *("<p>x", "x<br>", "<li>x", "<td>x", "<td colspan=99 rowspan=99>", "x<td>y</td>", "<pre>x\ny</pre>", "&", "<", "|"),
    *("<img src=i alt='&quot;'>", "<a href=a>x</a> ", "<h2>x</h2>", "<b>x</b>", "<tr>", "x\n", "</li>x", "<dt>x<dd>y"),
    *("`", "*", "\\", "\xa0", "<hr>x", "<rt>x<rp>y", "<caption>x</caption>", "<ul><li>x</ul>", "<blockquote>x"),
)


def repetitive_pages() -> st.SearchStrategy[str]:
    """Return pages whose long attributes, lists and inline elements are around many children."""
    around = st.lists(st.sampled_from(_OPENINGS), max_size=8).map("".join)
    numbers = st.sampled_from([1, 20, 600])
    children = st.lists(st.sampled_from(_CHILDREN), min_size=1, max_size=4).map("".join)
    return st.builds(lambda around, *inside: f"<p>Words</p>{around}" + str.__mul__(*inside), around, children, numbers)


_HEADS = (
    "<html><body>",
    "<!DOCTYPE html>\n<html>\n<head><title>The title</title><style>p {}</style></head>\n<body class='x'>\n",
    "<html><head><script>1</script></head><!-- x --><body><table><tr><td>",
    "<html><body><div><div>",
    "",
)
_ENDED_EARLY = ("<html><head><title>x</title></head></html>", "<html></html><body>", "<head></head></html>\n<p>")


def _page(head: str, body: str, after_body: str, after_html: str) -> str:
    return f"{head}{body}</body>{after_body}</html>{after_html}"


def _frameset_page(body: str, after_html: str) -> str:
    frameset = f"<frameset><frame><noframes>{body}</noframes></frameset>"
    return f"<html><head><title>x</title></head>{frameset}</html>{after_html}"


def _small_parts(texts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    void = st.sampled_from([f"<{tag}>" for tag in VOID_TAGS])
    skipped = st.builds(
        "<{0}>{1}</{0}>".format, st.sampled_from(SKIPPED_TAGS), st.sampled_from(["", "x", "The words."])
    )
    other = st.sampled_from(["<!---->", "<!-- a <b> -->", "<?php echo 1 ?>", "</unopened>", "<body class=again>"])
    repeated = st.builds(str.__mul__, st.sampled_from(REPEATED), st.sampled_from([2, 10, 11]))
    return st.one_of(texts, texts, texts, texts, void, skipped, other, repeated)


def _larger_parts(part: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    parts = st.lists(part, min_size=1, max_size=4)
    inside = parts.map("".join)
    return st.one_of(
        st.builds(_wrap, st.sampled_from(INLINE_TAGS), inside),
        st.builds(_wrap, st.sampled_from(BLOCK_TAGS), inside),
        st.builds(_nest, st.lists(st.sampled_from(INLINE_TAGS + BLOCK_TAGS), min_size=2, max_size=5), inside),
        st.builds(_list, st.sampled_from(["ul", "ol", "dl"]), parts),
        st.builds(_table, parts, st.booleans()),
        inside.map(lambda html: f"<form><input><div>{html}</div></form>"),
    )


def _wrap(tag: str, inside: str) -> str:
    return f"<{tag}>{inside}</{tag}>"


def _nest(tags: Sequence[str], inside: str) -> str:
    for tag in reversed(tags):
        inside = _wrap(tag, inside)
    return inside


def _list(tag: str, parts: Sequence[str]) -> str:
    item = "dd" if tag == "dl" else "li"
    return _wrap(tag, "\n".join(_wrap(item, part) for part in parts))


def _table(parts: Sequence[str], has_sections: bool) -> str:
    """Return a table of two columns, of which the second may be missing at the end."""
    cells = [_wrap("td", part) for part in parts]
    rows = "\n".join(_wrap("tr", "".join(cells[i : i + 2])) for i in range(0, len(cells), 2))
    if has_sections:
        rows = f"<caption>The table</caption><thead><tr><th>One<th>Two</tr></thead><tbody>{rows}</tbody>"
    return _wrap("table", rows)
