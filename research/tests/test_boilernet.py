from __future__ import annotations

import numpy as np
import torch

from research.boilernet import BoilernetNetwork, Vocabulary, choose_vocabulary
from scrapy_web2text.features.hashing import hash_word
from scrapy_web2text.page.arrays import tree_to_page
from scrapy_web2text.page.blocks import TEXT_LEAVES, segment
from scrapy_web2text.page.parse import to_tree

HTML = "<body><div><p>The river, the River.</p><div>a valley</div></div><x-y>river 漢字</x-y></body>"


def read(html):
    page = tree_to_page(to_tree(html))
    return page, segment(page, TEXT_LEAVES)


def test_tags_and_words_are_counted_per_leaf():
    words = ("valley", "river", "absent", "漢")
    vocabulary = Vocabulary(("body", "div", "p", "td"), tuple(map(hash_word, words)))
    found = vocabulary.count(*read(HTML))
    assert found.counts.tolist() == [
        [1, 1, 1, 0, 0, 2, 0, 0],
        [1, 2, 0, 0, 1, 0, 0, 0],
        [1, 0, 0, 0, 0, 1, 0, 1],
    ]
    assert found.n_tokens.tolist() == [4, 2, 3]


def test_the_vocabulary_has_the_tags_around_text_and_the_most_frequent_words():
    pages = [read(HTML), read("<body><p>river valley <img></p><script>river</script></body>")]
    vocabulary = choose_vocabulary(pages, 2)
    assert vocabulary.tags == ("#custom", "body", "div", "p")
    assert vocabulary.words[0] == hash_word("river")
    assert vocabulary.words[1] in {hash_word("the"), hash_word("valley")}
    assert len(vocabulary) == 6


def test_pages_in_a_batch_get_the_same_potentials_as_alone():
    vocabulary = Vocabulary(("body", "div", "p"), (hash_word("river"),))
    pages = [vocabulary.count(*read(html)) for html in (HTML, "<p>river</p>", HTML + "<p>more river</p>")]
    with torch.random.fork_rng():
        torch.manual_seed(0)
        network = BoilernetNetwork(len(vocabulary), 5, 4, dropout=0.5).eval()
    odds, pairs = network(pages)
    assert pairs.shape == (3, 3, 4)
    assert not pairs.any()
    for row, page in zip(odds, pages, strict=True):
        alone, _ = network([page])
        torch.testing.assert_close(row[: len(page.counts)], alone[0])
    assert not np.allclose(network.train()(pages)[0].detach(), odds.detach())  # dropout is for training
