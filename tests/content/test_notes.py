"""Notes: each is paired with its mark, and links back to the mark are left out."""

from __future__ import annotations

import numpy as np
import pytest
from contents import content_html, content_markdown, select
from fuzz.oracles import find_danger

from scrapy_web2text import Options
from scrapy_web2text.content.arrangement import arrange_content
from scrapy_web2text.content.notes import join_notes
from scrapy_web2text.content.text import content_text
from scrapy_web2text.page.arrays import tree_to_page
from scrapy_web2text.page.blocks import MODERN_BLOCKS, segment
from scrapy_web2text.page.parse import to_tree

TEXT = "Said so¹ today.\n1. The keeper wrote."
MARKDOWN = "Said so[^1] today.\n\n[^1]: The keeper wrote."
NOTES = {
    "WordPress": """<p>Said so<sup class=fn data-fn=ab><a href=#ab id=ab-link>1</a></sup> today.</p>
        <ol class=wp-block-footnotes><li id=ab>The keeper wrote. <a href=#ab-link aria-label=x>↩︎</a></li></ol>""",
    "Markdown": """<p>Said so<sup id=fnref:1><a href=#fn:1 role=doc-noteref>1</a></sup> today.</p>
        <section role=doc-endnotes>
        <ol><li id=fn:1><p>The keeper wrote.&#160;<a href=#fnref:1 role=doc-backlink>&#8617;&#xfe0e;</a></p></li></ol>
        </section>""",
    "MediaWiki": """<p>Said so<sup id=cite_ref-a_1-0><a href=#cite_note-a-1><span>[</span>1<span>]</span></a></sup>
        today.</p>
        <ol class=references><li id=cite_note-a-1>
        <span class=mw-cite-backlink>^ <a href=#cite_ref-a_1-0>Jump up</a></span>
        <span class=reference-text>The keeper wrote.</span></li></ol>""",
    "O'Reilly": """<p>Said so<sup><a data-type=noteref id=i1-marker href=#i1>1</a></sup> today.</p>
        <div data-type=footnotes>
        <p data-type=footnote id=i1><sup><a href=#i1-marker>1</a></sup> The keeper wrote.</p></div>""",
    "Texinfo": """<p>Said so<a id=DOCF1 href=#FOOT1><sup>1</sup></a> today.</p><div class=footnotes-segment>
        <h5><a id=FOOT1 href=#DOCF1>(1)</a></h5><p>The keeper wrote.</p></div>""",
    "org-mode": """<p>Said so<sup><a id=fnr.1 class=footref href=#fn.1>1</a></sup> today.</p>
        <div class=footdef><sup><a id=fn.1
        class=footnum href=#fnr.1>1</a></sup> <div class=footpara><p>The keeper wrote.</p></div></div>""",
    "docutils": """<p>Said so<a class=footnote-reference href=#f1 id=id1><span>[</span>1<span>]</span></a> today.</p>
        <aside id=f1>
        <span>[<a href=#id1>1</a>]</span><p>The keeper wrote.</p></aside>""",
    "Substack": """<p>Said so<a class=footnote-anchor id=a1 href=#f1>1</a> today.</p><div class=footnote>
        <a id=f1 href=#a1 class=footnote-number>1</a><div><p>The keeper wrote.</p></div></div>""",
    "LessWrong": """<p>Said so<span id=r1><sup><a href=#n1>[1]</a></sup></span> today.</p><ol><li id=n1>
        <span><sup><strong><a href=#r1>^</a></strong></sup></span><div><p>The keeper wrote.</p></div></li></ol>""",
    "whole URLs": """<p>Said so<sup><a href=/page#fn1 id=fnref1>1</a></sup> today.</p>
        <ol><li id=fn1><p>The keeper wrote. <a href=/page#fnref1>↩</a></p></li></ol>""",
    "jump up": """<p>Said so<sup id=cite_ref-1><a href=#cite_note-1>1</a></sup> today.</p>
        <ol><li id=cite_note-1><span>
        <a href=#cite_ref-1><span>Jump up</span>↑</a></span> The keeper wrote.</li></ol>""",
    "LaTeXML": """<p>Said so<sup><a name=m1 href=#n1>1</a></sup> today.</p>
        <dl><dd><a name=n1></a><a href=#m1>^</a>
        The keeper wrote.</dd></dl>""",
}


def write(html):
    content = arrange_content(select(html, options=Options()), "")
    return content_text(content), content_markdown(content), content_html(content)


@pytest.mark.parametrize("html", NOTES.values(), ids=NOTES)
def test_mark_and_note_are_paired(html):
    text, markdown, written = write(html)
    assert text.replace("[¹]", "¹").replace("[1]", "¹") == TEXT
    assert markdown == MARKDOWN
    assert "The keeper wrote." in written
    assert "Said so<sup>" in written
    assert find_danger(markdown) == []


def test_a_note_with_many_elements_keeps_its_text():
    cite = "".join(
        f"<span>{word}</span> " for word in "The keeper of the old light wrote it down for the harbor".split()
    )
    html = NOTES["MediaWiki"].replace("The keeper wrote.", f"<cite>{cite}</cite>")
    text, markdown, _ = write(html)
    assert text.endswith("wrote it down for the harbor")
    assert "[^1]: The keeper" in markdown


def test_each_note_has_a_name_of_its_own():
    html = "".join(
        f"<p>Said {i}<sup><a id=m{i} href=#n{i}>{sign}</a></sup></p>" for i, sign in enumerate(["1", "*", "1", "b"])
    ) + "".join(f"<p id=n{i}><a href=#m{i}>^</a> The note number {i}.<p>More." for i in range(4))
    markdown = write(html)[1]
    names = ["1", "note-2", "note-3", "b"]
    for i, name in enumerate(names):
        assert f"Said {i}[^{name}]" in markdown
        assert f"\n\n[^{name}]: The note number {i}.\n\nMore." in markdown


def test_a_note_with_several_marks_is_one_note():
    html = """<p>One<sup id=a><a href=#n>1</a></sup> and two<sup id=b><a href=#n>1</a></sup>.<ul><li id=n>
        <a href=#a>a</a> <a href=#b>b</a> The keeper wrote.<p>He wrote more.</ul>"""
    assert write(html)[1] == "One[^1] and two[^1].\n\n[^1]: The keeper wrote.\n\n    He wrote more."


@pytest.mark.parametrize(
    "html",
    [
        "<p><a id=t1 href=#s1>Intro</a></p><h2 id=s1><a href=#t1>Intro</a></h2><p>Here.",  # a table of contents
        "<p><a id=t1 href=#s1>1</a></p><h2 id=s1><a href=#t1>The first chapter</a></h2><p>Here.",
        "<p>Said<sup><a id=m href=#n>1</a></sup></p><p id=n>The note.</p>",  # no link back
        "<p>Said<sup><a id=m href=#n>1</a></sup></p><p id=n><a href=#other>^</a> The note.</p>",
        "<p>Said<sup><a id=m href=#n>1</a></sup></p><p id=n><a href=#m>^</a></p>",  # no text
    ],
)
def test_other_links_are_no_notes(html):
    assert "[^" not in write(html)[1]


def test_a_note_can_be_a_url():
    html = "<p>Said so<sup><a id=m href=#n>1</a></sup></p><p id=n><a href=#m>^</a> <a href=//a.b/c>https://a.b/c</a>"
    markdown = content_markdown(arrange_content(select(html, options=Options(), url="https://a.b"), ""))
    assert markdown == "Said so[^1]\n\n[^1]: <https://a.b/c>"
    assert find_danger(markdown) == []


def test_the_text_after_a_note_that_is_left_out_is_not_the_note():
    html = "<p>Said<sup><a id=m href=#n>1</a></sup></p><ol><li id=n><a href=#m>^</a> An X.</ol><p>After."
    assert "[^" not in write(html)[1]


@pytest.mark.parametrize(
    "note", ["javascript:alert(1)", "//example.com 'title'", "https://example.com", "<b>x</b> (y)"]
)
def test_a_note_is_never_the_url_of_a_link(note):
    said = "<p>Said so<sup><a id=m href=#n>1</a></sup>(now) or<sup><a href=#n>1</a></sup>: so</p>"
    html = f"{said}<p id=n><a href=#m>^</a> {note}"
    markdown = write(html)[1]
    assert "\n\n\\[^1]: " in markdown
    assert find_danger(markdown) == []
    assert "[^1]\\(now)" in markdown


@pytest.mark.parametrize("note", ["<a href=//a.b>题</a> (PDF). Site", "题 'a' b", '题 "a" b'])
def test_a_note_with_more_than_a_url_and_a_title_is_a_footnote(note):
    html = f"<p>Said so<sup><a id=m href=#n>1</a></sup></p><p id=n><a href=#m>^</a> {note}"
    assert "\n\n[^1]: " in write(html)[1]


def test_a_note_with_several_marks_is_written_once():
    marks = "".join(f"<p>Said so<sup id=m{i}><a href=#n>1</a></sup>." for i in (0, 1))
    links = "".join(f"<a href=#m{i}><span>Zu: </span><sup><b>1.{i}</b></sup></a> " for i in (0, 1))
    html = f"{marks}<ol><li id=n><span class=mw-cite-backlink>^ {links}</span><span>The keeper wrote.</span></ol>"
    assert write(html)[1] == "Said so[^1].\n\nSaid so[^1].\n\n[^1]: The keeper wrote."


@pytest.mark.parametrize(
    ("after", "written"),
    [
        ("[evil](http://a.b/)", "[^1]\\[evil](http://a.b/)"),
        ("<mark>(http://a.b/)</mark>", "[^1]\\(http://a.b/)"),
        ("<ins>: http://a.b/</ins>", "[^1]\\: http://a.b/"),
        ("<cite><abbr>(so)</abbr></cite>", "[^1]\\(so)"),
        ("<a href=http://a.b/>link</a>", "[^1] [link](http://a.b/)"),
    ],
)
def test_what_follows_a_mark_never_makes_it_a_link(after, written):
    mark = "<ins><sup><a id=m href=#n>1</a></sup></ins>"
    markdown = write(f"<p>Said so{mark}{after}</p><p id=n><a href=#m>^</a> An ear.")[1]
    assert markdown == f"Said so{written}\n\n[^1]: An ear."


def test_a_pattern_in_the_text_is_not_the_mark_of_a_note():
    html = "<p>Said so<sup><a id=m href=#n>1</a></sup> of [^1] here</p><p id=n><a href=#m>^</a> An ear."
    assert write(html)[1] == "Said so[^1] of \\[^1] here\n\n[^1]: An ear."


@pytest.mark.parametrize("name", ["code", "pre"])
def test_a_mark_in_code_is_no_mark_so_its_note_is_a_plain_item(name):
    html = f"<{name}>x<sup><a id=m href=#n>1</a></sup></{name}><ol><li id=n>The keeper wrote. <a href=#m>↩</a></ol>"
    assert "1. The keeper wrote. ↩" in write(html)[1]


@pytest.mark.parametrize("note", ["No.", "Yes", "ff."])
def test_a_short_note_is_not_a_link_back(note):
    html = f"<p>Said so<sup><a id=m href=#n>1</a></sup></p><ol><li id=n>{note} <a href=#m>↩</a></li></ol>"
    assert write(html)[1] == f"Said so[^1]\n\n\\[^1]: {note}"


def join(n_notes, n_kept=0, name="#n{}"):
    """Return how many notes become content, of a text with marks of all notes."""
    marks = "".join(f"<a href={name.format(i)} id=m{i}>{i}</a>" for i in range(n_notes))
    notes = "".join(f"<li id=n{i}>Note {i} <a href=#m{i}>^</a>" for i in range(n_notes))
    page = tree_to_page(to_tree(f"<p>Said so{marks}<p>More<ol>{notes}</ol><p>The end"))
    blocks = segment(page, MODERN_BLOCKS)
    labels = np.array([1, 1, *[i < n_kept for i in range(n_notes)], 0])
    joined = join_notes(page, blocks, labels)
    assert joined[[0, 1, -1]].tolist() == [1, 1, 0]
    return int(joined[2:-1].sum())


def test_notes_with_a_mark_in_the_content_are_content():
    assert join(3) == 3
    assert join(3, n_kept=2) == 3
    assert join(3, name="/elsewhere{}") == 0


def test_of_many_notes_the_labels_decide_unless_they_keep_a_third():
    assert join(40) == 0
    assert join(40, n_kept=9) == 9
    assert join(40, n_kept=20) == 40
