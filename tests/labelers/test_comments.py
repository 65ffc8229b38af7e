from __future__ import annotations

import numpy as np
import pytest

from scrapy_web2text import extract
from scrapy_web2text.features.modern.page import modern_features
from scrapy_web2text.labelers.modern.comments import find_comment_headings, find_first_comment, read_as_comments
from scrapy_web2text.labelers.modern.repeats import read_headings
from scrapy_web2text.options import ROLES
from scrapy_web2text.page.arrays import tree_to_page
from scrapy_web2text.page.blocks import MODERN_BLOCKS, segment
from scrapy_web2text.page.parse import to_tree

POST = "".join(
    f"<p>{text}</p>"
    for text in (
        "The old mill at the edge of our village turns again, after forty years in which nobody touched the wheel.",
        "My neighbor found the plans in his attic, and the two of us spent the winter with oak, iron and grease.",
        "We had expected the millrace to be the worst, but the water found its way as soon as the reeds were gone.",
        "Next Sunday you may bring your own grain. We grind a kilo for each visitor until the hopper is empty.",
        "If you want to help with the roof, write to me: the shingles have arrived, and the weather is with us.",
    )
)
ANSWERS = "".join(
    f"<div class=entry><p>{text}</p><p>Posted by <a href=/u/{i}>Reader {i}</a> on May {i}, 2011</p></div>"
    for i, text in enumerate(
        (
            "What a lovely story, my grandfather used to bring his rye there every autumn before the war.",
            "How did you fasten the paddles? I have a smaller wheel behind the barn and they come loose each spring.",
            "I shall be there on Sunday with two kilos of spelt, if the bus from the station still runs at ten.",
        ),
        start=1,
    )
)


def page(heading: str) -> str:
    return (
        "<title>The mill turns again - Notes from the village</title><nav><a href=/>Home</a> <a href=/about>About</a>"
        f"</nav><h1>The mill turns again</h1>{POST}{heading}{ANSWERS}<footer>Imprint</footer>"
    )


def headings(html: str) -> list[int]:
    found = tree_to_page(to_tree(html))
    blocks = segment(found, MODERN_BLOCKS)
    return find_comment_headings(*read_headings(found, blocks, modern_features(found, blocks).headings)).tolist()


@pytest.mark.parametrize(
    "text",
    [
        *(
            "Comments",
            "comments:",
            "COMMENTS (12)",
            "3 Comments",
            "1 Comment",
            "No comments",
            "Reader comments",
            "(4) comments",
        ),
        *("5 Responses to “The mill”", "One response", "1,204 comments on this story", "Comments 7", "All comments"),
        *(
            "Kommentare",
            "1 Kommentar",
            "Commentaires (3)",
            "Комментарии",
            "2 комментария",
            "评论",
            "コメント (2)",
            "댓글",
        ),
    ],
)
def test_headings_of_comments_are_known(text):
    assert headings(f"<p>a</p><h3>{text}</h3><p>b</p>") == [1]


@pytest.mark.parametrize(
    "text",
    [
        *("Comment", "Kommentar", "Response", "Responses", "Leave a comment", "Comments policy", "Commentary"),
        *(
            "A comment on the budget",
            "Comments from the editor",
            "Recent comments",
            "Comments are closed",
            "1 comment on " + 90 * "a",
        ),
    ],
)
def test_other_headings_are_not_headings_of_comments(text):
    assert headings(f"<p>a</p><h3>{text}</h3><p>b</p>") == []


def test_only_headings_are_headings_of_comments():
    assert headings("<p>a</p><p>Comments</p><p>b</p>") == []


def test_comments_follow_enough_content():
    labels, n_tokens = np.array([1, 0, 1, 0, 1]), np.array([60, 500, 40, 1, 30])
    assert find_first_comment(np.array([1, 3]), labels, n_tokens) == 3
    assert find_first_comment(np.array([1, 3]), labels, n_tokens - 1) == 5
    assert find_first_comment(np.array([], dtype=int), labels, n_tokens) == 5


def test_body_texts_below_the_heading_are_comments():
    roles = np.zeros((3, len(ROLES)), dtype=np.float32)
    body, comment, other = (ROLES.index(name) for name in ("body", "comment", "other"))
    roles[:, body], roles[:, comment], roles[2, other] = 0.6, 0.3, 0.8
    read = read_as_comments(lambda: roles, 1)
    assert read.argmax(axis=1).tolist() == [body, comment, other]
    assert roles[1, body] == np.float32(0.6)


def test_comments_below_their_heading_are_in_the_text_only_on_request():
    html = page("<h3>3 Comments</h3>")
    assert extract(html).text.splitlines() == extract(f"<p>{POST}", fragment=True).text.splitlines()
    included = extract(html, comments="include").text
    assert "What a lovely story" in included
    assert "if the bus from the station" in included
    assert "How did you fasten" in extract(page("<h3>What it takes</h3>")).text
