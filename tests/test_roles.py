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
    blocks = extract(NEWS, block_fields=("text", "role"), blocks="content").field("blocks")
    assert {block["role"] for block in blocks} >= {"body"}
    assert extract(NEWS, model="shallow", block_fields=("role",)).field("blocks")[0] == {"role": None}


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


def test_comments_are_included_excluded_or_apart():
    words = "masking tape thing"
    assert words in extract(BLOG, comments="include").text
    apart = extract(BLOG, comments="separate")
    assert words not in apart.text
    assert words not in extract(BLOG, comments="exclude").text
    assert extract(BLOG, comments="exclude").comments == ()
    assert [comment.author for comment in apart.comments][:3] == ["Piet", "Lorna Ash", "miniflat"]
    assert apart.comments[0].date == "Feb 3"
    assert apart.comments[0].text.startswith("I did the masking tape thing")
    assert apart.to_dict()["comments"] == apart.field("comments")


def test_a_page_of_nothing_but_excluded_text_has_no_text_and_no_fallback():
    answer = extract(FORUM, threshold=0.05)
    everything = extract(BLOG, comments="include")
    assert answer.text
    assert everything.n_content > extract(BLOG, comments="exclude").n_content > 0
    assert extract(BLOG, comments="exclude").fallback_reason is None


def test_posts_of_a_forum_have_their_authors():
    answer = extract(FORUM, posts=True)
    assert answer.page_type == "forum"
    assert [post.author for post in answer.posts] == ["benno", "halina_k", "oldmill", "benno"]
    assert answer.text == extract(FORUM).text
    assert extract(NEWS, posts=True).posts == ()


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
