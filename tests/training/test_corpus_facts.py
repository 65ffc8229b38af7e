from __future__ import annotations

import pytest

from scrapy_web2text.training.corpus_facts import CORPORA, corpus_facts, read_comments
from scrapy_web2text.training.modern.data import corpus_style


def test_only_corpora_whose_terms_allow_it_may_train_the_default_model():
    refused = {name for name, facts in CORPORA.items() if not facts.allows_default_model}
    assert refused == {"seeds/dragnet1381", "seeds/l3s_gn1", "more/utomo720", "more/daniel5"}


def test_clean_texts_from_template_containers_are_weak():
    weak = {name for name, facts in CORPORA.items() if facts.is_weak}
    assert weak == {"more/forum_archives", "more/docs_builders"}


@pytest.mark.parametrize("name", CORPORA)
def test_a_corpus_has_its_own_facts(name):
    assert corpus_facts(name) is CORPORA[name]


def test_an_unknown_corpus_has_the_style_of_the_model():
    facts = corpus_facts("mine")
    assert facts.name == "mine"
    assert corpus_style(facts) == corpus_style(CORPORA["wcxb"]) == 0
    assert all(corpus_style(other) for name, other in CORPORA.items() if name != "wcxb")


def test_comments_are_read_if_a_corpus_has_them(tmp_path):
    facts = CORPORA["seeds/dragnet1381"]
    folder = tmp_path / "seeds" / "dragnet1381" / "text_comments"
    folder.mkdir(parents=True)
    (folder / "7.txt").write_text("First!")
    assert read_comments(tmp_path, facts, "7") == "First!"
    assert read_comments(tmp_path, facts, "8") == ""
