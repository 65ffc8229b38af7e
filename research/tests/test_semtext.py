from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
import torch
from torch.nn import functional

from research.semtext.blocks import count_page, format_counts, format_scores, score_blocks
from research.semtext.labeler import SemtextNetwork
from research.semtext.segments import search_and_combine
from research.semtext.strings import (
    STRINGS,
    SemtextFeatures,
    semtext_features,
    split_name,
    split_texts,
    subwords,
    without_stopwords,
)
from scrapy_web2text.evaluation.corpora import CorpusPage
from scrapy_web2text.features.texts import count_tokens
from scrapy_web2text.labelers.registry import get_labeler
from scrapy_web2text.page.arrays import tree_to_page
from scrapy_web2text.page.parse import to_tree

N_BUCKETS = 97


def features_of(html):
    page = tree_to_page(to_tree(html))
    return semtext_features(page, search_and_combine(page), N_BUCKETS)


def network_of(*strings):
    with torch.random.fork_rng():
        torch.manual_seed(0)
        network = SemtextNetwork(
            strings or STRINGS, buckets=N_BUCKETS, size=6, filters=(3, 4, 5), units=4, dropout=0.5, word_dropout=0.5
        )
        network.transitions.data = torch.tensor([0.5, -1.0, -2.0, 1.5])
        return network.eval()


def sizes_of(features, name):
    strings = features.strings[name]
    return strings.sizes[strings.which].tolist()


def words(n, prefix="word"):
    return " ".join(f"{prefix}{i}" for i in range(n))


def test_a_block_has_the_words_of_its_text_its_tags_and_its_names():
    html = "<body><div class=storyFeed><p id=x1>The river of the valley</p></div><h1>River</h1></body>"
    features = features_of(html)
    assert features.n_tokens.tolist() == [5, 1]
    assert sizes_of(features, "text") == [2, 1]  # without stopwords
    assert sizes_of(features, "tags") == [3, 3]  # body, division, paragraph; body, primary, headline
    assert sizes_of(features, "classes") == [3, 0]  # story, feed, x
    text = features.strings["text"]
    assert text.words[0] == text.words[2]  # the river of both


def test_strings_have_at_most_fifty_words():
    deep = "<div class='a b c d'>" * 30 + f"<p>{words(70)}</p>"
    features = features_of(deep)
    assert [sizes_of(features, name) for name in STRINGS] == [[50], [32], [50]]
    assert features.n_tokens.tolist() == [70]


def test_words_end_with_the_pieces_of_a_block():
    features = features_of("<body><ul><li>one<li>two</ul></body>")
    assert features.n_tokens.tolist() == [2]
    assert len(features.n_parts) == len({"one", "two", "body", "unordered", "list", "item"})


@pytest.mark.parametrize("n_words", [0, 1, 7, 8, 9, 20, 21, 43, 50])
def test_the_largest_value_of_each_filter_is_that_over_all_fifty_places(n_words):
    network, features = network_of("text"), features_of(f"<h1>short text</h1><p class=x>{words(50)}</p>")
    random = np.random.default_rng(n_words)
    numbers = random.integers(0, len(features.n_parts), n_words)
    vectors = torch.from_numpy(random.normal(size=(len(features.n_parts) + 1, 6)).astype(np.float32))
    vectors[-1] = 0
    sizes = np.array([n_words, 2])
    found = network._convolve("text", vectors, np.concatenate([numbers, [0, 1]]), sizes)
    for row, own in zip(found, (numbers, np.array([0, 1])), strict=True):
        table = torch.zeros(50, 6)
        table[: len(own)] = vectors[torch.from_numpy(own)]
        expected = torch.cat([filters(table.T[None]).amax(dim=2)[0] for filters in network.filters["text"]])
        torch.testing.assert_close(row, functional.relu(expected))


def story(n_blocks):
    return "".join(f"<p class=c{'x' * i}>{words(1 + i % 5, f'w{i}')}</p>" for i in range(n_blocks))


@pytest.mark.parametrize("strings", [STRINGS, ("text",), ("text", "tags")], ids=["all", "text", "tags"])
def test_pages_in_a_batch_get_the_same_potentials_as_alone(strings):
    network = network_of(*strings)
    pages = [features_of(html) for html in (story(5), "<p>one</p>", story(100), "<h1>…</h1>")]
    odds, pairs = network(pages)
    assert (odds.shape, pairs.shape) == ((4, 100), (4, 99, 4))
    for row, pair_rows, page in zip(odds, pairs, pages, strict=True):
        n = len(page.n_tokens)
        alone, alone_pairs = network([page])
        torch.testing.assert_close(row[:n], alone[0])
        torch.testing.assert_close(pair_rows[: n - 1], alone_pairs[0])


def part_of(features, start, end):
    strings = {name: replace(each, which=each.which[start:end]) for name, each in features.strings.items()}
    return SemtextFeatures(features.parts, features.n_parts, strings, features.n_tokens[start:end])


@pytest.mark.parametrize(("n_blocks", "bounds"), [(85, [0, 85]), (86, [0, 43, 86]), (171, [0, 57, 114, 171])])
def test_long_sequences_are_read_in_independent_parts_of_similar_length(n_blocks, bounds):
    network, features = network_of(), features_of(story(n_blocks))
    odds, pairs = network([features])
    parts = [part_of(features, start, end) for start, end in pairwise(bounds)]
    torch.testing.assert_close(odds[0], torch.cat([network([part])[0][0] for part in parts]))
    between = [bound - 1 for bound in bounds[1:-1]]
    assert not pairs[0, between].any()
    inside = np.delete(np.arange(n_blocks - 1), between)
    assert torch.equal(pairs[0, inside], network.transitions.detach().expand(len(inside), 4))


def test_words_are_dropped_only_in_training():
    network, page = network_of(), features_of(story(20))
    network.dropout = 0.0
    assert torch.equal(network([page])[0], network([page])[0])
    with torch.random.fork_rng():
        torch.manual_seed(0)
        assert not torch.allclose(network.train()([page])[0], network.eval()([page])[0])


def test_the_shipped_semtext_finds_the_story_between_links_and_imprint():
    opening = (
        "We left the river at dawn and went on into the hills.",
        "No one in the village had heard of the bridge.",
    )
    story = "".join(f"<p>{one} {other}</p>" for one in opening for other in opening)
    links = " | ".join(f"<a href=/{i}>Link {i}</a>" for i in range(12))
    imprint = "Copyright 2007. All rights reserved. <a href=/>Home</a> Contact Privacy"
    html = f"<div class=menu>{links}</div><h1>The journey</h1>{story}<div class=footer>{imprint}</div>"
    answer = get_labeler("semtext").label(tree_to_page(to_tree(f"<body>{html}</body>")))
    assert answer.labels.tolist() == [0, 1, 1, 0]  # the paragraphs are one block


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("story-feed_item", ("story", "feed", "item")),
        ("ScrollSpy_container w-100", ("scroll", "spy", "container", "w")),
        ("Article_Column--main HTMLBody", ("article", "column", "main", "html", "body")),
        ("navBtn2", ("navigation", "button")),
        (" 12 ", ("12",)),
        ("меню", ("меню",)),
    ],
)
def test_names_are_split_into_words(name, expected):
    assert split_name(name) == expected


def test_texts_are_split_into_the_tokens_of_the_features():
    texts = ["The US-president, 20% off.", "Öl 漢字", "…"]
    words = split_texts(texts)
    assert words == [["the", "us", "president", "20", "off"], ["öl", "漢", "字"], []]
    assert [len(found) for found in words] == count_tokens(texts).tolist()


def test_letters_that_become_two_in_lower_case_shift_no_word():
    assert split_texts(["İstanbul Word"]) == [["İstanbul", "Word"]]


def test_stopwords_are_dropped_before_words_are_counted():
    assert without_stopwords(["the", "river", "and", "its", "valley", "hill"], 2) == ["river", "valley"]
    assert without_stopwords(["the", "river"], 2) == ["river"]


def test_words_that_share_parts_share_vectors():
    one, other, foreign = (set(subwords(word, 1 << 20)) for word in ("headline", "headlines", "zzzq"))
    assert len(one & other) > 10
    assert not one & foreign
    assert len(subwords("ab", 1 << 20)) == len({"<ab>", "<ab", "ab>"})  # the whole and its runs of three
    assert all(0 <= part < 7 for part in subwords("headline", 7))


def test_blocks_are_counted_with_ids_and_without():
    html = "<body><h1>Flood</h1><p>It <i>rose</i> again.</p><p id=end>Then it fell.</p><ul><li>Home</ul></body>"
    counts = count_page(CorpusPage("1", html, "It rose again. Then it fell."))
    assert counts.sizes.tolist() == [6, 4, 3]
    assert counts.best.tolist() == [4, 0, 0, 2]
    assert format_counts([counts, counts]) == ["12", "8", "6", "1.000"]


def test_f1_over_blocks_counts_each_block_once():
    html = "<body><h1>Flood</h1><p>It <i>rose</i> again.</p><p id=end>Then it fell.</p><ul><li>Home</ul></body>"
    page = CorpusPage("1", html.encode(), "It rose again. Then it fell.")
    counts = score_blocks({"all": get_labeler("shallow:all")}, {"peer": lambda _: "It rose again."}, [page])
    assert counts["all"].tolist() == [[[2, 2, 0, 0], [4, 2, 0, 0]]]
    assert counts["peer"].tolist() == [[[1, 0, 1, 2], [3, 0, 1, 2]]]
    rows = format_scores({"both": [counts["all"], counts["peer"]]}, {"both": (0.5, 0.75, 1.0)}).splitlines()
    assert rows[2].replace("\N{NO-BREAK SPACE}", " ") == (
        "| `both` | .750 (.50) | .750 (.75) | .667 ±.000 (1.00) | .667–.667 | .829 |"
    )
