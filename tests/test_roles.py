"""The roles of blocks in whole answers: comments, posts, and what options make of them."""

from __future__ import annotations

import json
import pickle

import pytest
from places import ROOT

from scrapy_web2text import Extraction, Extractor, Web2TextSettings
from scrapy_web2text.options import ROLES
from scrapy_web2text.workers.answers import decode_answer, encode_answer

BLOG = (ROOT / "tests" / "pages" / "blog-many-comments.html").read_bytes()
FORUM = (ROOT / "tests" / "pages" / "forum-thread.html").read_bytes()
NEWS = b"""<!DOCTYPE html><html><head><title>Ferry returns to the bay | The Harbour Post</title></head><body> <nav><a
href=/news>News</a><a href=/sport>Sport</a></nav><main><article><header><h1 class=headline>Ferry returns to the
bay</h1><p class=standfirst>After eleven years the night boat sails again, with forty bunks and a smaller
galley.</p> <div class=byline>By <a rel=author href=/ines>Ines Falk</a>, <time datetime=2024-03-05>March 5,
2024</time></div></header> <figure><img src=/boat.jpg><figcaption>The boat at the north pier. Photo: Jo
Lind</figcaption></figure> <div class=article-body><p>The night boat between Ansley and Marrow Bay will sail again
from Friday, the harbour office said on Tuesday. It was taken out of service eleven years ago, when the bridge was
opened and few people wanted to sleep on the water.</p><p>The bridge is now too narrow for the lorries that cross
it, and the queue in the evening is an hour long. A quarter of them will be on the boat, the office expects, which
takes twenty lorries and sixty cars.</p><p>Forty bunks are for drivers, who may stay on board until seven in the
morning. The galley closes at one.</p></div></article></main> <footer>Copyright The Harbour
Post</footer></body></html>"""


def extract(page, **options):
    return Extractor(**options).extract(page)


def test_every_block_has_a_role():
    roles = {block.text[:12]: block.role for block in extract(NEWS).blocks}
    assert {*roles.values()} <= {*ROLES}
    assert [roles[text] for text in ("Ferry return", "After eleven", "The night bo")] == ["title", "lead", "body"]
    assert roles["By Ines Falk"] == "byline"
    assert roles["The boat at "] == "caption"


def test_plain_blocks_have_roles_if_asked_for():
    blocks = extract(NEWS, blocks="content").field("blocks", ("text", "role"))
    assert {block["role"] for block in blocks} >= {"body"}
    assert extract(NEWS, model="shallow").field("blocks", ("role",))[0] == {"role": None}


@pytest.mark.parametrize(
    ("option", "text"),
    [("lead", "After eleven years"), ("bylines", "Ines Falk"), ("captions", "north pier")],
)
def test_an_option_includes_or_excludes_a_role_in_all_forms(option, text):
    forms = ("text", "html", "markdown")
    included = extract(NEWS, **{option: "include"}, html=True, markdown=True)
    excluded = extract(NEWS, **{option: "exclude"}, html=True, markdown=True)
    assert all(text in getattr(included, form) for form in forms)
    assert not any(text in getattr(excluded, form) for form in forms)
    assert [block.text for block in included.blocks if block.label] == included.text.splitlines()
    assert included.confidence == excluded.confidence


def test_what_is_excluded_by_a_selector_is_not_included_by_its_role():
    text = extract(NEWS, lead="include", exclude=".standfirst").text
    assert "After eleven years" not in text
    assert "The night boat" in text


def test_comments_are_included_excluded_or_apart():
    words = "masking tape thing"
    assert words in extract(BLOG, comments="include").text
    apart = extract(BLOG, comments="separate")
    assert words not in apart.text
    assert words not in extract(BLOG, comments="exclude").text
    assert [comment.author for comment in apart.comments][:3] == ["Piet", "Lorna Ash", "miniflat"]
    assert apart.comments[0].date == "Feb 3"
    assert apart.comments[0].text.startswith("I did the masking tape thing")
    assert apart.to_dict()["comments"] == apart.field("comments")


COMMENT = b'<div class="cmt"><span class="who">Lorna Ash'
SECTION = b'<section id="comments">'


@pytest.mark.parametrize(
    ("page", "options"),
    [
        (BLOG.replace(COMMENT, COMMENT.replace(b"<div ", b"<div hidden ")), {"hidden": "drop"}),
        (BLOG.replace(COMMENT, COMMENT.replace(b"<div ", b"<div style='display:none' ")), {}),
        (BLOG.replace(COMMENT, COMMENT.replace(b'"cmt"', b'"cmt ad"')), {"exclude": ".ad"}),
    ],
    ids=["hidden", "style", "excluded"],
)
def test_comments_have_nothing_that_is_hidden_or_excluded(page, options):
    comments = extract(page, comments="separate", **options).comments
    assert [comment.author for comment in comments][:3] == ["Piet", "miniflat", "The sister"]


def test_comments_have_no_characters_that_feeds_forbid():
    page = BLOG.replace(b"Lorna Ash", b"Lorna\xef\xbf\xbe Ash").replace(b"We had the", b"We\x02 had\xef\xbf\xbf the")
    comment = extract(page, comments="separate").comments[1]
    assert comment.author == "Lorna Ash"
    assert comment.text.startswith("We had the opposite")


def test_hidden_names_are_no_authors():
    page = FORUM.replace(b">benno<", b" hidden>IGNORE ALL<")
    assert page != FORUM
    assert "IGNORE ALL" not in [post.author for post in extract(page, posts=True).posts]


def test_comments_that_are_all_hidden_wait_for_a_button_and_are_kept():
    page = BLOG.replace(SECTION, b"<section class=comments style='display:none'>")
    assert extract(page, comments="separate").comments
    assert extract(page, comments="separate", hidden="drop").comments == ()


def test_a_wall_has_no_comments():
    sorry = b"<p class=comment-text>Sorry, the page that you were looking for was not found, or it was moved.</p>"
    wall = b"<title>404 Not found</title><body><h1>404 Page not found</h1><div class=comment>" + sorry + b"</div>"
    open_page = extract(wall, comments="separate", page_kind=False)
    answer = extract(wall, comments="separate")
    assert (answer.page_kind, answer.comments, answer.text) == ("error", (), "")
    assert open_page.text or open_page.comments


def test_excluded_comments_do_not_hide_the_structured_data_of_a_page():
    story = "The boat sails again from Friday, and forty bunks are for drivers. " * 12
    data = json.dumps({"@type": "Article", "articleBody": story}).encode()
    page = b"<body><script type=application/ld+json>" + data + b"</script><main><p>Please wait.</p></main></body>"
    for comments in ("auto", "exclude", "separate"):
        assert extract(page, comments=comments).method == "structured-data"


def test_posts_of_a_forum_have_their_authors():
    answer = extract(FORUM, posts=True)
    assert answer.page_type == "forum"
    assert [post.author for post in answer.posts] == ["benno", "halina_k", "oldmill", "benno"]
    assert [post.date for post in answer.posts] == ["Dec 2", "Dec 2", "Dec 3", "Dec 6"]
    assert answer.text == extract(FORUM).text
    assert extract(NEWS, posts=True).posts == ()


def test_posts_of_a_thread_have_a_line_with_name_and_date_only_if_bylines_are_included():
    posts = extract(FORUM, posts=True).posts
    lines = [", ".join(filter(None, (post.author, post.date))) for post in posts]
    plain, included = (extract(FORUM, bylines=value, markdown=True) for value in ("auto", "include"))
    assert not {post.author for post in posts} & {*plain.text.split("\n")}
    found = included.text.split("\n")
    assert [line for line in found if line in lines] == lines
    assert [found[found.index(post.text.split("\n")[0]) - 1] for post in posts] == lines
    assert all(line in included.markdown for line in lines)
    assert [line for line in found if line not in lines] == plain.text.split("\n")


def test_posts_and_comments_survive_pickles_and_worker_messages():
    for answer in (extract(FORUM, posts=True), extract(BLOG, comments="separate")):
        assert pickle.loads(pickle.dumps(answer)) == answer
        assert decode_answer(encode_answer(answer))[0] == answer
        assert json.loads(json.dumps(answer.to_dict()))


@pytest.mark.parametrize(("part", "option", "value"), [("comments", "comments", "separate"), ("posts", "posts", True)])
def test_a_field_of_items_asks_for_posts_or_comments(part, option, value):
    options = Web2TextSettings.from_settings({"WEB2TEXT_FIELDS": {"x": part}}).options
    assert getattr(options, option) == value
    assert getattr(Extraction(), part) == ()


@pytest.mark.parametrize("value", ["include", "exclude"])
def test_a_field_of_comments_and_comments_in_the_text_are_an_error(value):
    settings = {"WEB2TEXT_FIELDS": {"x": "comments"}, "WEB2TEXT_COMMENTS": value}
    with pytest.raises(ValueError, match=f"^WEB2TEXT_COMMENTS: expected 'separate' for .*, got '{value}'$"):
        Web2TextSettings.from_settings(settings)
