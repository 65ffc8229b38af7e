from __future__ import annotations

import numpy as np
import pytest
from contents import content_paragraphs, select
from hypothesis import given
from strategies import html_trees

from scrapy_web2text import Extractor
from scrapy_web2text.extraction import Paragraph
from scrapy_web2text.page.blocks import MODERN_BLOCKS


def paragraphs_of(html: str, probabilities: list[float] | None = None) -> tuple[Paragraph, ...]:
    return content_paragraphs(select(html, probabilities=None if probabilities is None else np.array(probabilities)))


@pytest.mark.parametrize(
    ("html", "kind", "text"),
    [
        ("<p>a <b>b</b></p>", "paragraph", "a b"),
        ("a<br>b", "paragraph", "a\nb"),
        ("<h2>a</h2>", "heading", "a"),
        ("<ol><li>a</ol>", "list-item", "a"),
        ("<table><tr><th>a<th>X<tr><td>X<td>X</table>", "table-cell", "a"),
        ("<blockquote><div>a</div></blockquote>", "quote", "a"),
        ("<pre>a\n  b </pre>", "code", "a\n  b"),
        ("<pre>a<br>  <b>b</b></pre>", "code", "a\n  b"),
        ("<figure><figcaption>a</figcaption></figure>", "caption", "a"),
        ("<dl><dt>a</dl>", "definition", "a"),
    ],
)
def test_a_paragraph_has_a_kind(html, kind, text):
    (paragraph,) = paragraphs_of(html)
    assert (paragraph.kind, paragraph.text) == (kind, text)


def test_a_paragraph_has_the_indices_and_the_mean_probability_of_its_blocks():
    first, second = paragraphs_of("<p>X</p><p>abc <b>d</b></p><p>e</p>", [0.1, 0.5, 1.0, 0.7])
    assert (first.block_indices, second.block_indices) == ((1, 2), (3,))
    assert first.probability == pytest.approx((4 * 0.5 + 1 * 1.0) / 5)
    assert second.probability == pytest.approx(0.7)


def test_a_paragraph_of_one_block_has_its_probability_to_the_last_digit():
    assert paragraphs_of("<p>abc</p>", [0.1])[0].probability == 0.1  # 0.1 * 3 / 3 is another number


def test_paragraphs_have_no_probability_if_the_labeler_has_none():
    assert paragraphs_of("<p>a</p>")[0].probability is None
    assert paragraphs_of("<p>X</p>") == ()


@pytest.mark.parametrize(
    ("html", "facts"),
    [
        ("<h1>a</h1>", [(1, (), None)]),
        (
            "<h2>a</h2><h4>b</h4><p>c<h3>d</h3><p>e",
            [(2, (), None), (4, ("a",), None), (None, ("a", "b"), None), (3, ("a",), None), (None, ("a", "d"), None)],
        ),
        (f"<h2>{'a ' * 150}</h2><p>b", [(2, (), None), (None, (), None)]),
        (
            "<table><tr><th>a<th>b<tr><td><td><h2>c</h2><p>d</table><p>e",
            [(None, (), (0, 0)), (None, (), (0, 1)), (2, (), (1, 1)), (None, (), (1, 1)), (None, (), None)],
        ),
    ],
)
def test_a_paragraph_is_under_the_headings_above_it_and_in_its_cell(html, facts):
    assert [(each.level, each.heading_path, each.cell) for each in paragraphs_of(html)] == facts


def test_a_paragraph_has_its_links_and_its_path():
    html = "<body><p>a <a href=/b>b</a> <a href=/b>c</a><p><a href=javascript:d()>d</a><p>e"
    first, second, third = content_paragraphs(select(html, url="http://e.org/"))
    assert (first.links, second.links) == (("http://e.org/b",), ())
    assert (first.path, third.path) == ("/html/body/p[1]", "/html/body/p[3]/text()[1]")


@given(html_trees())
def test_every_content_block_is_in_some_paragraph(html):
    content = select(html, "", MODERN_BLOCKS)
    found = {index for paragraph in content_paragraphs(content) for index in paragraph.block_indices}
    assert found == set(range(content.blocks.n_blocks))


def test_a_page_without_content_has_empty_html_and_markdown():
    extraction = Extractor(model="shallow", html=True, markdown=True).extract("<body><p><a href=x>a</a></p>")
    assert (extraction.text, extraction.html, extraction.markdown) == ("", "", "")
