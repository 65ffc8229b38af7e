"""Rules between paragraphs (``hr``)."""

from __future__ import annotations

import pytest
from contents import content_html, content_markdown, select

from scrapy_web2text import Options
from scrapy_web2text.content.arrangement import arrange_content


@pytest.mark.parametrize(
    ("html", "markdown", "has_rule"),
    [
        ("<p>a<hr><p>b", "a\n\n---\n\nb", True),
        ("<p>a<hr><hr class=x> <p>b", "a\n\n---\n\nb", True),
        ("<hr><p>a<p>b<hr>", "a\n\nb", False),
        ("<div><p>a<hr></div><p>b", "a\n\nb", False),  # the end of a section
        ("<ul><li>a<hr>b<li>c</ul>", "- a\n\n  ---\n\n  b\n- c", True),
        ("<blockquote>a<hr>b</blockquote>", "> a\n>\n> ---\n>\n> b", True),
        ("<h2>a<hr>b</h2>", "## a b", False),
        ("<pre>a<hr>b</pre>", "```\na\nb\n```", False),
        ("<table><tr><th>a<hr>b<th>c<tr><td>d<td>e</table>", "| a   b | c |\n| --- | --- |\n| d | e |", True),
    ],
)
@pytest.mark.parametrize("images", ["keep", "drop"])
def test_a_rule_between_two_texts_is_kept(html, markdown, has_rule, images):
    content = arrange_content(select(html, options=Options(images=images)), "")
    assert content_markdown(content) == markdown
    assert ("<hr>" in content_html(content)) == has_rule
