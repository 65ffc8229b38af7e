"""What a trained labeler says about its own decoding, which the viewer repeats with other settings."""

from __future__ import annotations

import numpy as np
import pytest
from places import ROOT

from scrapy_web2text.labelers.hmm import decode
from scrapy_web2text.labelers.registry import get_labeler
from scrapy_web2text.page.arrays import tree_to_page
from scrapy_web2text.page.parse import to_tree


@pytest.mark.parametrize("options", [{}, {"threshold": 0.8, "decoder": "viterbi"}, {"decoder": "marginal"}])
@pytest.mark.parametrize("model", ["web2text-2026", "web2text-2018"])
def test_the_chain_of_a_labeling_gives_its_probabilities(model, options):
    page = tree_to_page(to_tree((ROOT / "tests" / "pages" / "faq.html").read_bytes()))
    labeling = get_labeler(model).label(page, **options)
    chain = labeling.chain
    assert chain.blocks is labeling.blocks
    assert {"threshold": chain.threshold, "decoder": chain.decoder} | options == {
        "threshold": chain.threshold,
        "decoder": chain.decoder,
    }
    is_content, probabilities = decode(
        chain.unary / chain.temperature,
        chain.pairwise * (chain.lam / chain.temperature),
        decoder=chain.decoder,
        threshold=chain.threshold,
    )
    np.testing.assert_allclose(labeling.probabilities, probabilities)
    assert (is_content >= labeling.labels).all()


def test_rules_have_no_chain():
    page = tree_to_page(to_tree("<p>words</p>"))
    assert get_labeler("bte").label(page).chain is None
