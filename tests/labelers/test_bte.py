from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_web2text.labelers.bte import BTE, find_window
from scrapy_web2text.page.arrays import tree_to_page
from scrapy_web2text.page.parse import to_tree


def label(html: str) -> list[int]:
    return BTE.label(tree_to_page(to_tree(f"<body>{html}</body>"))).labels.tolist()


def _brute_force(n_tokens: list[int], n_tags: list[int]) -> int:
    """Return the most tags outside plus tokens inside, by trying all windows."""
    n = len(n_tokens)
    return max(
        n_tags[first] + sum(n_tokens[first : last + 1]) + n_tags[-1] - n_tags[last]
        for first in range(n)
        for last in range(first, n)
    )


@given(texts=st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=12))
def test_no_window_is_better(texts):
    n_tokens = [tokens for tokens, _ in texts]
    n_tags = np.cumsum([tags for _, tags in texts]).tolist()
    first, last = find_window(np.array(n_tokens), np.array(n_tags))
    found = n_tags[first] + sum(n_tokens[first : last + 1]) + n_tags[-1] - n_tags[last]
    assert found == _brute_force(n_tokens, n_tags)


def test_of_equal_windows_the_first_is_found():
    assert find_window(np.array([3, 3]), np.array([0, 5])) == (0, 0)


TEXT = "one two three four five six seven eight"
MENU = "<ul><li><a>Home</a><li><a>News</a></ul>"


def test_the_text_is_in_the_window_and_the_menu_is_not():
    assert label(f"{MENU}<p>{TEXT}<p>a b<p>{TEXT}{MENU}") == [0, 0, 1, 1, 1, 0, 0]


# Two texts of eight tokens are in one window if there are fewer than eight tags between them.
@pytest.mark.parametrize(
    ("between", "is_one"),
    [
        ("<br>" * 7, True),
        ("<br>" * 8, False),
        ("<hr>" * 7, True),
        ("<i></i>" * 3 + "<br>", True),
        ("<i></i>" * 4, False),
        ("<!-- x -->" * 20, True),
        ("<script>x<b></b></script>" * 20, True),
        ("<select><option>x</option></select>" * 20, True),
    ],
)
def test_each_tag_counts_once(between, is_one):
    assert label(f"{TEXT}{between}{TEXT}") == ([1, 1] if is_one else [1, 0])
