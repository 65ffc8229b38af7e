from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given, settings
from naive.cdom import collapse, tree_to_cdom
from naive.features import block_features, edge_features, list_leaves
from places import PAGES
from strategies import html_trees

from scrapy_web2text.features.cnn_hmm.page import BLOCK_FEATURE_NAMES, EDGE_FEATURE_NAMES, PageFeatures, page_features
from scrapy_web2text.features.cnn_hmm.statistics import COUNTS, text_statistics
from scrapy_web2text.features.hashing import STOPWORDS, find_stopwords, hash_word
from scrapy_web2text.features.texts import count_tokens
from scrapy_web2text.page.arrays import tree_to_page
from scrapy_web2text.page.blocks import TEXT_LEAVES, segment
from scrapy_web2text.page.parse import to_tree


def features_of(html: str) -> PageFeatures:
    page = tree_to_page(to_tree(html))
    return page_features(page, segment(page, TEXT_LEAVES))


def column(html: str, name: str) -> list[float]:
    return features_of(html).blocks[:, BLOCK_FEATURE_NAMES.index(name)].tolist()


def compare_with_twin(html: str | bytes) -> None:
    """Check that leaves and features of a page are those of the twin."""
    root = to_tree(html)
    page = tree_to_page(root)
    if page.original is not None:  # the twin follows the tree
        return
    blocks = segment(page, TEXT_LEAVES)
    if not blocks.n_blocks:  # a labeler asks for no features
        return
    features = page_features(page, blocks)
    leaves = list_leaves(tree_to_cdom(root))
    assert [collapse(page.texts[leaf]) for leaf in blocks.leaves] == [leaf.text for leaf in leaves]
    assert differing(BLOCK_FEATURE_NAMES, features.blocks, block_features(leaves)) == []
    assert differing(EDGE_FEATURE_NAMES, features.edges, edge_features(leaves)) == []


def differing(names: tuple[str, ...], found: np.ndarray, expected: list[list[float]]) -> list[tuple[str, int]]:
    """Return column and row of all values that differ by more than 1e-4."""
    difference = np.abs(found - np.array(expected).reshape(-1, len(names)))
    return [(names[j], i) for i, j in np.argwhere(~(difference <= 1e-4)).tolist()]


def test_there_are_128_block_features_and_25_edge_features():
    assert len(BLOCK_FEATURE_NAMES) == len(set(BLOCK_FEATURE_NAMES)) == 128
    assert len(EDGE_FEATURE_NAMES) == len(set(EDGE_FEATURE_NAMES)) == 25


@pytest.mark.parametrize(
    ("position", "name"),
    [
        (0, "leaf.has_duplicate"),
        (16, "leaf.relative_position"),
        (26, "leaf.capital_ratio_cubed"),
        (27, "has_parent"),
        (47, "parent.has_form"),
        (48, "parent.is_td"),
        (67, "parent.is_pre"),
        (68, "has_grandparent"),
        (89, "root.body_percentage"),
        (109, "leaf.is_a"),
        (127, "leaf.is_blockquote"),
    ],
)
def test_columns_have_the_places_of_the_original(position, name):
    assert BLOCK_FEATURE_NAMES[position] == name


@settings(max_examples=80)
@given(html=html_trees())
def test_features_are_those_of_the_twin(html):
    compare_with_twin(html)


@pytest.mark.parametrize("path", PAGES, ids=[path.stem for path in PAGES])
def test_features_of_handwritten_pages_are_those_of_the_twin(path):
    compare_with_twin(path.read_bytes())


@pytest.mark.parametrize(
    "html",
    [
        "<p>" + "The word. " * 15_000 + "<p>the end",
        "<p>" + "Über 1999 " * 15_000 + "<p>the end",
        "<p>x" + "<div>The x" * 200,
        "".join(f"<a><p>{i}</p>x</a>" for i in range(50)),
        "<a>1<b>2</b><div>3<a>4</a></div></a>",
        "<table><tr><td><form><input>a<p>b</p></form></td></tr></table>",
    ],
    ids=["long", "long-unicode", "deep", "links", "links-in-links", "form-in-table"],
)
def test_features_of_odd_pages_are_those_of_the_twin(html):
    compare_with_twin(html)


@pytest.mark.parametrize(("html", "n"), [("<p>a", 1), ("<p>a<p>b", 2)])
def test_there_is_a_row_for_each_block_and_each_edge(html, n):
    features = features_of(html)
    assert (features.blocks.shape, features.edges.shape) == ((n, 128), (n - 1, 25))
    assert features.n_tokens.shape == (n,)
    assert features.blocks.dtype == features.edges.dtype == np.float32


def test_words_of_all_scripts_are_counted_for_each_block():
    assert features_of("<p>a b<p>日本語<p>!").n_tokens.tolist() == [2, 3, 0]


def counts_of(text: str) -> dict[str, int]:
    return dict(zip(COUNTS, text_statistics([text]).counts[:, 0].tolist(), strict=True))


def test_text_is_counted_by_the_rules_of_the_original():
    text = " The café is on. It was ©1999? Mail me@x.org\xa0! "
    assert counts_of(text) == {
        "n_chars": 45,
        "n_words": 11,
        "n_word_chars": 29,
        "n_stopwords": 4,
        "n_capitals": 3,
        "n_sentences": 3,
        "n_punctuation": 4,
        "n_digits": 4,
        "has_copyright": 1,
        "has_email": 1,
        "has_url": 0,
        "has_year": 1,
    }
    assert text_statistics([text, "Who?", "He"]).ends.tolist() == [[True, True, False], [False, True, False]]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        *(("see (http://a.b/c)", "url"), ("xhttp://a.b", ""), ("ftp://#", ""), ("http://\u2028x ftp://a.b", "url")),
        *(("éa@b", ""), ("a@é", ""), ("x@ﬀ.c a@b", "email")),
        *(("in 12345 or é1999", ""), ("1999-2001", "year"), ("٢٠٠٧", ""), ("19\u0661\u0662 2000\u0301", "year")),
    ],
)
def test_email_url_and_year_are_ascii_between_unicode_boundaries(text, found):
    counts = counts_of(text)
    assert "".join(name for name in ("email", "url", "year") if counts[f"has_{name}"]) == found


def test_copies_are_texts_that_are_equal_with_whitespace_collapsed():
    statistics = text_statistics(["a b", "a\n b", "a b ", "b", "ab"])
    assert statistics.n_copies.tolist() == [2, 2, 1, 1, 1]


@pytest.mark.parametrize(
    ("text", "n_tokens"),
    [
        ("The quick brown fox", 4),
        ("don't well-known a_b", 5),
        ("Größe naïve e\u0301t", 3),
        ("Москва и Киев", 3),
        ("日本語の文章", 6),
        ("ひらがな カタカナー", 9),
        ("中文 and English", 4),
        ("日本2024年", 4),
        ("สวัสดี", 4),
        ("မြန်မာ", 3),
        ("ភាសាខ្មែរ", 5),
        ("한국어 문장", 2),
        ("العربية لغة", 2),
        ("𠀀𠀁", 2),
        ("ｱｲｳ", 3),
        ("1999 3.14", 3),
        ("... ! – “”", 0),
        ("", 0),
        ("   ", 0),
    ],
    ids=lambda value: None if isinstance(value, int) else ascii(value),
)
def test_words_are_counted_or_letters_in_scripts_without_spaces(text, n_tokens):
    assert count_tokens([text]).tolist() == [n_tokens]


def test_all_stopwords_are_found():
    hashes = np.array([hash_word(word) for word in sorted(STOPWORDS)], dtype=np.uint64)
    assert find_stopwords(hashes).all()
    assert len(set(hashes.tolist())) == len(STOPWORDS) == 124


def test_no_other_word_of_the_handwritten_pages_is_found_among_the_stopwords():
    words = {word for path in PAGES for word in re.findall(r"\w+", path.read_text("utf-8", "replace"))}
    hashes = np.array([hash_word(word) for word in sorted({*words, "The", "thee"} - STOPWORDS)], dtype=np.uint64)
    assert not find_stopwords(hashes).any()
