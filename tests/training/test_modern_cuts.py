"""Short pages, cut from the pages of a corpus."""

from __future__ import annotations

import numpy as np
import pytest

from scrapy_web2text.page.arrays import tree_to_page
from scrapy_web2text.page.blocks import MODERN_BLOCKS, block_texts, segment
from scrapy_web2text.page.parse import to_tree
from scrapy_web2text.training.modern import cuts
from scrapy_web2text.training.modern.cuts import choose_kept, cut_page, random_of

N_PAGES = 300


def texts_of(html):
    page = tree_to_page(to_tree(html))
    return block_texts(page, segment(page, MODERN_BLOCKS))


def cut_with(monkeypatch, html, kept):
    """The texts and labels of the page that keeps some blocks; those with the word "story" are content."""
    labels = np.array(["story" in text for text in texts_of(html)], dtype=np.int64)
    monkeypatch.setattr(cuts, "choose_kept", lambda *_: np.isin(np.arange(len(labels)), kept))
    cut = cut_page(html, labels, np.ones_like(labels), "seed")
    if cut is None:
        return None
    page, blocks, cut_labels = cut
    return block_texts(page, blocks), cut_labels.tolist(), [*page.names]


HTML = """<html><head><title>A title</title></head><body><nav><a>Home</a><ul><li>News<li>Sports</ul></nav>
<main><h1>One story</h1><p>The <b>second</b> story.</p>A story after it<br>and another story<div>Share</div></main>
<footer>Imprint</footer></body></html>"""


@pytest.mark.parametrize(
    ("kept", "texts", "names"),
    [
        ([3, 8], ["One story", "Imprint"], {"main", "h1", "br", "footer"}),
        ([4, 5, 6], ["The second story.", "A story after it", "and another story"], {"main", "p", "b", "br"}),
        ([2, 6], ["Sports", "and another story"], {"nav", "ul", "li", "main", "br"}),
        ([0], ["Home"], {"nav", "a"}),
    ],
)
def test_a_cut_page_has_the_kept_blocks_and_their_elements(monkeypatch, kept, texts, names):
    found, labels, tags = cut_with(monkeypatch, HTML, kept)
    assert found == texts
    assert labels == ["story" in text for text in texts]
    assert {*tags[1:]} == {*names, "body"}  # the first is for comments


@pytest.mark.parametrize("separator", ["<br>", "<hr>"])
def test_texts_on_both_sides_of_a_break_stay_apart(monkeypatch, separator):
    html = f"<body><main>One story{separator}<i>Share</i>{separator}<b>Another story</b></main><p>Imprint</p></body>"
    assert cut_with(monkeypatch, html, [0, 1, 2])[0] == ["One story", "Share", "Another story"]
    assert cut_with(monkeypatch, html, [0, 2])[0] == ["One story", "Another story"]


def test_a_page_of_which_nothing_is_kept_is_none(monkeypatch):
    assert cut_with(monkeypatch, HTML, []) is None


def test_a_page_whose_blocks_would_change_is_none(monkeypatch):
    """Without the long text around it, a noscript element is not shown."""
    hidden = "This story is only shown without scripts. " * 9
    html = f"<body><p>Home</p><noscript><p>Read</p><p>{hidden}</p></noscript></body>"
    assert texts_of(html) == ["Home", "Read", hidden.strip()]
    assert cut_with(monkeypatch, html, [1]) is None


def test_all_kinds_of_short_pages_are_drawn():
    labels = np.array([0, 0, 1, 1, 0, 1, 1, 1, 0, 0] * 3)
    words = np.array([2, 3, 30, 20, 1, 9, 60, 40, 2, 1] * 3)
    kept = [choose_kept(labels, words, random_of(str(number))) for number in range(N_PAGES)]
    is_content = labels.astype(bool)
    n_content = np.array([each[is_content].sum() for each in kept])
    n_words = np.array([words[each & is_content].sum() for each in kept])
    assert 0.15 < (n_content == 0).mean() < 0.35
    assert n_words.max() < 60 + 60
    assert np.mean(n_words[n_content > 0] < 40) > 0.3
    n_boilerplate = np.array([each[~is_content].sum() for each in kept])
    assert (n_boilerplate == 0).any()
    assert n_boilerplate.max() < (~is_content).sum()
    starts = np.array([np.flatnonzero(each & is_content)[0] for each in kept if (each & is_content).any()])
    assert 0.5 < (starts == 2).mean() < 0.75
    for each in kept:  # one run
        run = np.flatnonzero(each[is_content])
        assert len(run) < 2 or run[-1] - run[0] == len(run) - 1


def test_the_same_page_is_always_cut_in_the_same_way():
    assert random_of("a").random() == random_of("a").random() != random_of("b").random()
