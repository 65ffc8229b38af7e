"""What a renderer makes of the Markdown of a hostile page: only the elements and URLs that docs/output.md names."""

from __future__ import annotations

import re
from dataclasses import replace
from html import escape

import pytest
from contents import content_html, content_markdown, select
from documents import section
from fuzz.oracles import GITHUB, MARKDOWN_TAGS, find_danger
from hypothesis import given
from hypothesis import strategies as st

from scrapy_web2text.content.builder import build_document
from scrapy_web2text.content.links import ALLOWED_SCHEMES
from scrapy_web2text.content.markdown import write_markdown

BAD = "<img src=x onerror=y>"
BAD_TEXT = escape(BAD)


def to_markdown(html: str, base: str | None = None) -> str:
    return content_markdown(select(f"<html><body>{html}</body></html>", "", url=base))


def test_the_docs_name_the_tags_and_the_schemes():
    assert {f"<{tag}>" for tag in re.findall(r"<(/?\w+)>", section("output.md", "Markdown"))} == MARKDOWN_TAGS
    (schemes,) = re.findall(r"Links to (.*?) URLs", " ".join(section("output.md", "HTML").split()))
    assert set(re.findall(r"`(\w+)`", schemes)) == ALLOWED_SCHEMES


@pytest.mark.parametrize(
    "markdown", [BAD, f"\n{BAD}\n", "[a](javascript:b)", "![a](data:b)", "<javascript:a>", "[a](java&#115;cript:b)"]
)
def test_the_check_finds_what_is_dangerous(markdown):
    assert find_danger(markdown)


@pytest.mark.parametrize(
    "html",
    [
        f"<p><code>a</code><samp>`{BAD_TEXT}`</samp>",
        f"<p><code>`a</code><kbd>``{BAD_TEXT}</kbd>",
        f"<p><code>a`</code><i></i><kbd>{BAD_TEXT}`</kbd> `",
        f"<p><ins><code>a</code></ins><cite><samp>`</samp></cite>{BAD_TEXT}<code>a</code><samp>`</samp>",
        f"<p><code>a`\x01`{BAD_TEXT}``</code>",
        f"<pre>a\n``\x01`\n{BAD_TEXT}</pre>",
        f"<table><tr><td><pre>a | {BAD_TEXT} | b</pre><td>c<tr><td>d<td>e</table>",
        f"<table><tr><td>a<td>b<tr><td><pre>``\n|{BAD_TEXT}\n```</pre><td>e</table>",
        rf"<table><tr><td>a<td>b<tr><td><code>a\|{BAD_TEXT}</code><td>e</table>",
        f"<table><caption><code>a|{BAD_TEXT}</code></caption><tr><td>a<td>b<tr><td>d<td>e</table>",
        f"<table><tr><td>a<td>b<tr><td>d<td>e</tr><caption><code>a|{BAD_TEXT}</code></caption></table>",
        f"<p>a<code>b<img src=/i.png alt='`{BAD_TEXT}`'>c</code>d",
        f"<p>a<code>b<img src=/i.png alt='{BAD_TEXT}'>c</code>d",
        f"<pre>b\n<img src=/i.png alt='```\n{BAD_TEXT}'>c</pre>d",
        "<p><a href=script>script</a> <a href=img/src=x/onerror=y>img/src=x/onerror=y</a>",
        "<p>a <a href='javascript&amp;colon;b'>c</a> <img src='javascript&amp;#58;b'>d",
        "<p>a <a href='java&amp;Tab;script:b'>c</a> d",
        f"<ol start=-5><li><pre>{BAD_TEXT}\n\nb</pre></ol>",
        f"<ol start=1234567890123><li><pre>{BAD_TEXT}\n\nb</pre></ol>",
    ],
)
@pytest.mark.parametrize("base", [None, "https://example.org/"], ids=["no base", "base"])
def test_markdown_smuggles_nothing(html, base):
    assert find_danger(to_markdown(html, base)) == []


PIECES = (
    *("`", "``", "```", "|", "\\", "\\|", "<", ">", "&", "lt;", "!", "[", "]", "(x)", "](javascript:a)", "~~~", "\n"),
    *("-", "#", "1", ". ", "    ", "\t", "*", "_", "<!--", "<script>", "</sup>", "\x01", "\x85", BAD, "a", " ", " b "),
)
INLINE = "a abbr b cite code em ins kbd q ruby s samp small span sub sup tt mark".split()
BLOCKS = "p div pre pre h2 ul ol li dl dt dd blockquote figure figcaption table caption tr td th td".split()
URLS = (
    *("script", "javascript:a", "javascript&colon;a", "java&Tab;script:a", "data:a"),
    *("/a|b", "http://a/<b>`\\", "a`)b"),
)


def parts() -> st.SearchStrategy[str]:
    texts = st.lists(st.sampled_from(PIECES), min_size=1, max_size=6).map(lambda pieces: escape("".join(pieces)))
    links = st.sampled_from(URLS).map(lambda url: f'<a href="{escape(url)}">{escape(url)}</a>')
    images = st.builds('<img src="{}" alt="{}">'.format, st.sampled_from(URLS).map(escape), texts)
    return st.recursive(
        st.one_of(texts, texts, links, images, st.sampled_from(["<br>", "<wbr>"])),
        lambda inner: st.builds(
            "<{0}>{1}</{0}>".format,
            st.sampled_from(INLINE + BLOCKS),
            st.lists(inner, min_size=1, max_size=4).map("".join),
        ),
        max_leaves=12,
    )


@given(st.lists(parts(), min_size=1, max_size=4).map("".join), st.sampled_from(["{}", "<table><tr><td>{}<td>a<tr>{}"]))
def test_no_page_smuggles_html_or_schemes_into_markdown(html, around):
    assert find_danger(to_markdown(around.replace("{}", html))) == []


FORMULA = '<math><annotation encoding="application/x-tex">{}</annotation></math>'


@pytest.mark.parametrize("tex", ["a<script>b", "[a](javascript:alert)", "`a`", "![a](b)", "a|b", "<!--", "</p>"])
def test_formulas_are_not_escaped_and_smuggle_nothing(tex):
    formula = FORMULA.format(escape(tex))
    markup = f"<table><tr><td>a_ *b*<td>c<tr><td>{formula} _d_<td>e</table><p>{formula}# 1_"
    content = select(markup, "")
    markdown = content_markdown(content)
    assert find_danger(markdown) == []
    assert r"a\_ \*b\*" in markdown
    assert markdown.count("$") == 4
    assert {row.count("|") - row.count("\\|") for row in markdown.split("\n") if row.startswith("|")} == {3}


@pytest.mark.parametrize(
    "prose", ["$a &lt;img src=x onerror=y&gt; [c](javascript:b) b$", "$a](javascript:b) $", "$ *a* _b_ $"]
)
def test_dollars_in_prose_are_no_formula(prose):
    content = select(f"{FORMULA.format('x')}<p>{prose}<p><a href=/q>{prose}</a>", "")
    markdown = content_markdown(content)
    assert find_danger(markdown) == []
    assert "$x$" in markdown
    # A bracket in a link is always escaped; before a parenthesis, beside formulas only.
    without_formulas = write_markdown(replace(build_document(content), formulas=()))
    assert without_formulas == re.sub(r"\\](?=.*\n)", "]", markdown)


FORMULAS = (
    FORMULA,
    "<math><mo>{}</mo></math>",
    "<img class=tex alt='{}'>",
    "<script type='math/tex; mode=display'>{}</script>",
    r"\({}\)",
    "$${}$$",
)
TEX = ("[", "]", "](", "(x)", "](javascript:a)", "\\", "$", "`", "*", "_", "<", "<b>", "!", "|", "\u200b", " ", "x")


def formulas() -> st.SearchStrategy[str]:
    tex = st.lists(st.sampled_from(TEX), min_size=1, max_size=4).map(lambda pieces: escape("".join(pieces)))
    return st.builds(lambda formula, tex: formula.replace("{}", tex), st.sampled_from(FORMULAS), tex)


def check_formulas(html: str) -> None:
    content = select(f"<html><body><script>MathJax</script>{html}</body></html>", "")
    markdown = content_markdown(content)
    assert find_danger(markdown) == []
    assert GITHUB.render(markdown).count("<a ") <= content_html(content).count("<a ")


@pytest.mark.parametrize("formula", FORMULAS)
@pytest.mark.parametrize(
    "after",
    [
        "click](javascript:alert(1))",
        "<abbr>click]</abbr>(javascript:a)",
        r"<table><tr><td>b<td>c<tr><td>{} <code>\|](javascript:a)</code><td>d</table>",
    ],
)
def test_no_formula_begins_a_link(formula, after):
    formula = formula.replace("{}", "[")
    check_formulas(f"<p>Read {formula} {after.replace('{}', formula)} now.")


@given(
    st.lists(st.one_of(formulas(), parts()), min_size=1, max_size=5).map("".join),
    st.sampled_from(["<p>{}", "<p><a href=/q>{}</a>", "<table><tr><td>{}<td>a<tr>{}"]),
)
def test_no_formula_smuggles_links_into_markdown(html, around):
    check_formulas(around.replace("{}", html))
