"""Posts and comments: which element holds each, and the author and the date that are marked in it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from scrapy_web2text.extraction import Post
from scrapy_web2text.labelers.base import Labeling
from scrapy_web2text.labels.pages import read_blocks
from scrapy_web2text.options import ROLES, Options
from scrapy_web2text.posts.posts import find_comments, find_posts, list_posts
from scrapy_web2text.posts.threads import drop_attributions, drop_headers, even_out


def posts_of(html):
    """Return the posts of a page; their texts begin with ``*``."""
    found = read_blocks(html)
    is_text = np.array([text.startswith("*") for text in found.texts])
    return [each.post for each in list_posts(found.page, found.blocks, is_text)]


def comment(name, date, *lines, reply=""):
    texts = "".join(f"<p>*{line}</p>" for line in lines)
    return (
        f"<li class='comment c{len(name)}'><div class=meta><b class=author>{name}</b> <i class=date>{date}</i></div>"
        f"{texts}<a href=#>Reply</a>{reply}</li>"
    )


def test_each_post_is_what_one_element_holds():
    page = f"<body><p>The article</p><ul>{comment('Ada', 'May 1', 'One', 'Two')}{comment('Ben', 'May 2', 'Three')}</ul>"
    assert posts_of(page) == [Post("*One\n*Two", "Ada", "May 1"), Post("*Three", "Ben", "May 2")]


def test_a_reply_inside_a_post_is_a_post_of_its_own():
    reply = f"<ul>{comment('Ben', 'May 2', 'No')}</ul>"
    page = f"<body><ul>{comment('Ada', 'May 1', 'Yes', reply=reply)}{comment('Cy', 'May 3', 'Both')}</ul>"
    assert posts_of(page) == [Post("*Yes", "Ada", "May 1"), Post("*No", "Ben", "May 2"), Post("*Both", "Cy", "May 3")]


def test_without_elements_that_hold_posts_each_run_of_texts_is_a_post():
    page = "<body><p>Ada</p><p>*One</p><p>*Two</p><p>Ben</p><p>*Three</p>"
    assert posts_of(page) == [Post("*One\n*Two"), Post("*Three")]


@pytest.mark.parametrize(
    ("outside", "is_post"),
    [("<b class=author>Flo</b><p>*Outside</p>", True), ("<p>*Outside</p>", False)],
    ids=["author", "widget"],
)
def test_a_text_outside_of_these_elements_is_a_post_if_it_has_an_author(outside, is_post):
    page = f"<body><ul>{''.join(comment(name, 'May 1', name) for name in 'ABCDE')}</ul><div>{outside}</div>"
    assert [post.text for post in posts_of(page)] == ["*A", "*B", "*C", "*D", "*E", *["*Outside"] * is_post]


@pytest.mark.parametrize(("n_words", "is_post"), [(50, True), (3, False)], ids=["long", "short"])
def test_the_first_text_is_a_post_without_an_author_too_if_it_is_long(n_words, is_post):
    comments = "".join(comment(name, "May 1", name) for name in "ABC")
    page = f"<body><div><p>*{'word ' * n_words}</p></div><ul>{comments}</ul>"
    assert len(posts_of(page)) == 3 + is_post


@pytest.mark.parametrize(
    ("header", "author", "date"),
    [
        ("<b itemprop=author>Ada</b><time datetime=2024-05-01>yesterday</time>", "Ada", "2024-05-01"),
        ("<span class=username>@ada:</span> <span class=when>2 days</span>", "ada", "2 days"),
        ("<a rel=author>Ada</a><span>May 1</span>", "Ada", "May 1"),
        ("<a rel=author>Ada</a><span>User 1</span>", "Ada", None),
        ("<span class='user-action-time'>edited May 1</span><span class=user-name>Ada</span>", "Ada", None),
        ("<span class='user-action-time'>edited</span>", None, None),
        ("<span class=author>May 1, 2024</span><b>Ada</b>", None, "May 1, 2024"),
        ("<p class=author>by <strong>nell_b</strong> » 14 Jan 2024, 19:22</p>", "nell_b", "14 Jan 2024, 19:22"),
        ("<span class=user-title>Member</span><a class=username>Ben 2004</a>", "Ben 2004", None),
        ("<i class=join-date>Joined: May 2009</i><time datetime=2024-03-05>x</time>", None, "2024-03-05"),
        (
            "<a class=author>Ada</a><i class=time>on <t-ago datetime=2024-05-01>May 1, 2024</t-ago></i>",
            "Ada",
            "2024-05-01",
        ),
        (f"<time datetime={'9' * 50}>yesterday</time>", None, None),
        (f"<b class=author>{'A' * 121}</b><b class=author>A</b>", None, None),
    ],
    ids=[
        *(
            "properties",
            "names",
            "rel",
            "no-month",
            "edited",
            "no-digits",
            "a-year",
            "phpbb",
            "rank",
            "joined",
            "elements of scripts",
            "no-time",
        ),
        "too-long-or-short",
    ],
)
def test_author_and_date_are_those_that_are_marked(header, author, date):
    item = f"<li class=post><div>{header}</div><p>*Text</p></li>"
    assert posts_of(f"<body><ul>{item * 2}</ul>") == [Post("*Text", author, date)] * 2


def test_what_is_not_seen_is_no_author():
    found = read_blocks(f"<body><ul>{comment('Ada', 'May 1', 'One')}{comment('Ben', 'May 2', 'Two')}</ul>")
    is_text = np.array([text.startswith("*") for text in found.texts])
    unseen = np.ones(2 * found.page.n_elements, dtype=bool)
    posts = [each.post for each in list_posts(found.page, found.blocks, is_text, unseen)]
    assert posts == [Post("*One"), Post("*Two")]


def test_a_page_without_texts_has_no_posts():
    assert posts_of("<body><p>Nothing") == []


def test_deep_elements_are_searched_to_a_limit():
    deep = "<div class='a b c d e f g h i j'>" * 300
    assert posts_of(f"<body>{deep}<p>*One</p><p>Ada</p><p>*Two</p>") == [Post("*One"), Post("*Two")]


def test_posts_are_content_without_names_titles_and_links():
    texts = ["The kettle", "Ada", "It leaks.", "A heading", "Other kettles", "tin", "Mend it."]
    roles = ["title", "post_header", "body", "heading", "related", "tags", "body"]
    found = read_blocks("<body>" + "".join(f"<p>{text}</p>" for text in texts))
    chances = np.array([[float(each == role) for each in ROLES] for role in roles])
    labels, n_tokens = np.array([1, 1, 1, 1, 1, 1, 0]), np.full(7, 3)
    labeling = Labeling(found.blocks, labels, None, n_tokens, page_type=("forum", 0.9), roles=lambda: chances)
    assert find_posts(found.page, labeling, Options(posts=True)) == (Post("It leaks.\nA heading"),)
    assert find_posts(found.page, replace(labeling, page_type=("article", 0.9)), Options(posts=True)) == ()


@pytest.mark.parametrize(
    ("quote", "n_texts"),
    [
        ("<div class=bbCodeQuote><div>*Ada said:</div><p>Their words</p></div>", 1),
        ("<blockquote><cite>*Ada wrote:</cite><p>Their words</p></blockquote>", 1),
        ("<div class=bbCodeQuote><div>*Ada said:</div><p>*Their words</p></div>", 3),
        ("<div class=js-selectToQuote><p>*A short post</p><p>Share</p></div>", 2),
        ("<blockquote class=messageText><p>*A short post</p><p>Share</p></blockquote>", 2),
        ("<p>*Ada said:</p><p>Their words</p>", 2),
    ],
    ids=["named", "cited", "whole", "selectable", "message", "no-quote"],
)
def test_the_line_of_a_quote_without_its_words_is_no_text(quote, n_texts):
    found = read_blocks(f"<body><div>{quote}<p>*Own words</p></div>")
    is_text = np.array([text.startswith("*") for text in found.texts])
    assert drop_attributions(found.page, found.blocks, is_text).sum() == n_texts


def test_blocks_of_one_kind_are_decided_alike():
    post = "<div class=post><div class=head>{head}</div><div class=text>{text}</div></div>".format
    heads, texts = ("Ada", "*Ben", "Cy", "Dee"), ("*One", "*Two", "Three", "*Four")
    found = read_blocks("<body>" + "".join(map(lambda h, t: post(head=h, text=t), heads, texts)) + "<p>*Alone</p>")
    is_text = np.array([text.startswith("*") for text in found.texts])
    assert even_out(found.page, found.blocks, is_text).tolist() == [False, True] * 4 + [True]
    assert not even_out(found.page, found.blocks, is_text & False).any()


def line(name, rest="", tag="a"):
    link = f"<a href=/users/{name}>{name}</a>" if tag == "a" else f"<span>{name}</span>"
    return f"<div class=head><div class=who>{link}</div>{rest}</div>"


@pytest.mark.parametrize(
    ("lines", "n_texts"),
    [
        ("<p><a href=/u/5/ada>Ada</a>", 0),
        ("<p><a data-username='Ada L.' href=#><b>Ada L.</b></a> <i>2 days ago</i> <i>#3</i>", 0),
        ("<p><a href=member.php?u=5>Ada</a>, <span>5. März 2024 10:00</span>", 0),
        ("<p><a href=/u/5/ada>@Ada</a>", 1),
        ("<p><a href=/u/5/ada>@<b>Ada</b></a>", 1),
        ("<p><a href=/u/5/ada>Ada</a> is right", 1),
        ("<p><a rel='nofollow ugc' href=https://films.example/@ada>Ada</a>", 1),
        ("<p><a href=/kettles/5>Kettles</a>", 1),
        ("<p>Ada", 1),
        ("".join(map(line, ["Ada", "Ben"])) + line("Cy", tag="span"), 0),
        (line("Ada") + line("Cy", tag="span") + line("Dee", tag="span") + line("Eve", tag="span"), 3),
    ],
    ids=[
        *(
            "link",
            "date and number",
            "German date",
            "mention",
            "mention in parts",
            "sentence",
            "link of a user",
            "page",
        ),
        *("signature", "same place", "other place"),
    ],
)
def test_a_line_with_only_the_name_of_a_user_is_no_text(lines, n_texts):
    found = read_blocks(f"<body>{lines}")
    assert drop_headers(found.page, found.blocks, np.ones(found.blocks.n_blocks, dtype=bool)).sum() == n_texts
    nothing = np.zeros(found.blocks.n_blocks, dtype=bool)
    assert not drop_headers(found.page, found.blocks, nothing).any()


@pytest.mark.parametrize(
    ("preview", "rest", "text"),
    [
        ("*The lid is loose.\n*The spout leaks at its se…", "*The spout leaks at its seam.\n*So it drips.", None),
        ("*The spout leaks at its se", "*The spout leaks at its seam.\n*So it drips.", None),
        ("*水壶的嘴漏水，我已经修了两次，可是它又开始漏……", "*水壶的嘴漏水，我已经修了两次，可是它又开始漏水。", None),
        ("*Yes.", "*Yes. It leaks.", "*Yes."),
        ("*The spout leaks at its seam.", "*The lid is loose.", "*The spout leaks at its seam."),
    ],
    ids=["last paragraph", "only paragraph", "Chinese", "short", "another text"],
)
def test_a_post_that_follows_its_preview_is_one_post(preview, rest, text):
    def write(author, lines):
        head = f"<b class=author>{author}</b><i class=date>May 1</i>" if author else ""
        return f"<div class=post>{head}{''.join(f'<p>{each}' for each in lines.splitlines())}<p>Share</div>"

    whole = text or "\n".join([*preview.splitlines()[:-1], rest])
    posts = posts_of(f"<body>{write('Ada', preview)}{write('', rest)}{write('Ben', '*No')}{write('Cy', '*Yes')}")
    assert posts == [Post(whole, "Ada", "May 1"), Post("*No", "Ben", "May 1"), Post("*Yes", "Cy", "May 1")]


@pytest.mark.parametrize(
    ("header", "author"),
    [
        ("<b itemprop=author>https://kettles.example/members/5</b>", None),
        ("<a class=username href=/users/5>www.kettles.example</a>", None),
        ("<a class=username href=/members/x.5/>131359</a>", "131359"),
        ("<b class=author>12</b>", None),
        ("<b class=author>作者</b><b class=nick>再睡</b>", "再睡"),
        ("<p>ada_lace &middot; <span>03/03/2026 19:44</span></p>", "ada_lace"),
        ("<p><i>Tina D.</i> &#8212; <time datetime=2021-01-28>today</time></p>", None),
        ("<p><i>Tina D.</i> &#8212; <time>January 28, 2021</time></p>", "Tina D."),
        ("<ul><li class=comauth>Wyatt</li><li><time>January 28, 2021</time></ul>", "Wyatt"),
        ("<p>It leaks <span>03/03/2026 19:44</span></p>", None),
    ],
    ids=["URL", "host", "digits", "a count", "a role", "separated", "no day", "separator", "auth", "not separated"],
)
def test_an_author_is_a_name(header, author):
    item = f"<li class=post><div>{header}</div><p>*Text</p></li>"
    assert {post.author for post in posts_of(f"<body><ul>{item * 2}</ul>")} == {author}


def test_a_link_to_a_page_about_people_is_no_author():
    item = "<li class=post><i class=icon><a class=x href=/t/5/stickers-people-names>I like...</a></i><p>*Text</p></li>"
    assert {post.author for post in posts_of(f"<body><ul>{item * 2}</ul>")} == {None}


@pytest.mark.parametrize(
    ("header", "date"),
    [
        ("<span class=s><b>3:21pm</b> On <b>Mar 09</b>, <b>2023</b></span>", "Mar 09, 2023"),
        ("<i class=date>Mar 09</i><b class=date>Mar 09, 2023</b>", "Mar 09, 2023"),
        ("<i class=date title='2022 年 5 月 7 日 11:00'>5 月 7 日</i>", "2022 年 5 月 7 日 11:00"),
        ("<i class=date>2024년 5월 7일 11:00</i>", "2024년 5월 7일 11:00"),
        ("<i class=date title='May 7, 2022' data-time=1651892445000>3y</i>", "2022-05-07T03:00:45+00:00"),
        ("<b>Ada</b>, <i class=date>5 March 2024</i>", "5 March 2024"),
    ],
    ids=["in parts", "short and whole", "Chinese", "Korean", "epoch", "after a name"],
)
def test_a_date_is_whole(header, date):
    item = f"<li class=post><div>{header}</div><p>*Text</p></li>"
    assert {post.date for post in posts_of(f"<body><ul>{item * 2}</ul>")} == {date}


@pytest.mark.parametrize(
    ("heading", "is_comment"),
    [
        ("<h3>What they say</h3>", False),
        ("<div>Comments (3)</div>", False),
        ("<div>3 comentarios</div>", False),
        ("<div>4个评论</div>", False),
        ("<div>댓글 3개</div>", False),
        ("<div>View all comments</div>", False),
        ("<div>3 комментариям</div>", False),
        ("<div>Komentari (5)</div>", False),
        ("<div>3 komentari</div>", False),
        ("<div>評論</div>", False),
        ("<div>2 responses to “The kettle leaks”</div>", False),
        ("<p>Comments</p><p>4.9 from 12 votes</p>", False),
        ("<div>No comment on this kettle.</div>", True),
    ],
    ids=[
        "heading",
        "English",
        "Spanish",
        "Chinese",
        "Korean",
        "button",
        "Russian",
        "Croatian",
        "Croatian count",
        "Taiwanese",
        "responses",
        "votes",
        "comment",
    ],
)
def test_a_heading_and_a_count_are_no_comments(heading, is_comment):
    found = read_blocks(f"<body>{heading}")
    n = found.blocks.n_blocks
    chances = np.array([[float(each == "comment") for each in ROLES]] * n)
    labeling = Labeling(found.blocks, np.ones(n, dtype=int), None, np.full(n, 3), roles=lambda: chances)
    assert len(find_comments(found.page, labeling, Options(comments="separate"))) == is_comment


def test_a_comment_in_an_element_of_its_kind_needs_neither_author_nor_date():
    page = (
        "".join(comment(name, "May 1", name) for name in "ABCDE")
        + "<li class=comment><p>*Thanks</p><a href=#>Reply</a>"
    )
    found = read_blocks(f"<body><ul>{page}</ul>")
    is_text = np.array([text.startswith("*") for text in found.texts])
    counts = [len(list_posts(found.page, found.blocks, is_text, is_sure=is_sure)) for is_sure in (False, True)]
    assert counts == [5, 6]
