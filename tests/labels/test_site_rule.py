"""Rules of sites, found by labeled pages."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from lxml import html
from places import ROOT

from scrapy_web2text.extractor import Extractor
from scrapy_web2text.labels import site_rule
from scrapy_web2text.labels.files import PageLabels, find_runs, hash_text
from scrapy_web2text.labels.pages import read_blocks
from scrapy_web2text.labels.site_rule import (
    LabeledLeaves,
    SiteRule,
    find_rule,
    read_labeled_leaves,
    score_rules,
)
from scrapy_web2text.options import Options
from scrapy_web2text.page.arrays import tree_to_page
from scrapy_web2text.page.parse import to_tree
from scrapy_web2text.page.selection import mark_selected_slots

PAGES = ROOT / "tests" / "pages"
SHALLOW = "shallow:all"
STORY = "The bus leaves the valley at seven, and the driver waits for those who are late, since there is no other one."
PROMO = "Subscribe to the letter of the valley, which comes each week with all that has happened in it, for nothing."


def write_page(number, *, story_class="story", before=""):
    """Return a page of a site, whose promotion the rules take for content."""
    return (
        f"<html><body>{before}<div class='nav x'><a href='/'>Home</a></div>"
        f"<div id='post-{number}' class='{story_class} x'><p>{number}: {STORY}</p>"
        f"<p>{STORY} {number}</p><div class='promo'><p>{PROMO}</p></div></div><div class='x'><p>{PROMO}</p></div>"
        "</body></html>"
    ).encode()


def read(page, *, is_content=lambda text: STORY in text, model=SHALLOW):
    texts = read_blocks(page).texts
    content = find_runs(map(is_content, texts))
    return read_labeled_leaves(
        page, PageLabels("", "page", content, tuple(map(hash_text, texts))), Extractor(model=model)
    )


def test_a_rule_is_found_with_what_to_leave_out_of_it_and_the_beginning_of_a_numbered_id():
    assert find_rule([read(write_page(number)) for number in range(4)]) == SiteRule((".story",), (".promo",))
    assert find_rule([read(write_page(number, story_class="")) for number in range(4)]).include == ('[id^="post-"]',)


def test_a_rule_labels_the_blocks_of_which_it_selects_more_than_half():
    page = write_page(1, before="<p><b class='story'>So much</b> of this is inside of it</p><hr class='story'><p>*</p>")
    leaves = read(page, is_content=lambda _: False)
    assert not leaves.is_content.any()
    labels = leaves.label_blocks(SiteRule((".story",), (".promo",)))
    assert [text for text, label in zip(read_blocks(page).texts, labels, strict=True) if label] == [
        f"1: {STORY}",
        f"{STORY} 1",
    ]


def test_the_model_that_a_rule_has_to_beat_does_not_count_hidden_text():
    page = write_page(1, before=f"<div hidden><p>{PROMO} {PROMO}</p></div>")
    assert read(page).score(SiteRule()) == read(write_page(1)).score(SiteRule())


def test_an_id_of_one_page_is_not_in_a_rule_for_many():
    pages = [write_page(0, before=f"<div id='only{letter}'>{STORY} {letter}</div>") for letter in "abc"]
    names = {name for page in pages for name in read(page).runs}
    assert "#onlya" in names
    rule = find_rule([read(page) for page in pages])
    assert not any("only" in name for name in (*rule.include, *rule.exclude))


def test_there_is_no_rule_where_the_model_is_right_or_pages_have_no_names():
    pages = [read(write_page(number)) for number in range(3)]
    perfect = [replace(page, by_model=page.is_content) for page in pages]
    assert find_rule(perfect) == SiteRule()
    assert score_rules(perfect).model == score_rules(perfect).rule == 1
    page = b"<body><p>" + STORY.encode() + b"<p>" + PROMO.encode()
    assert find_rule([read(page), read(page)]) == SiteRule()


@pytest.mark.parametrize("name", ["walls/error-nginx-404.html", "forum-thread.html", "blog-many-comments.html"])
def test_labels_that_nobody_corrected_give_no_rule(name):
    page = (PAGES / name).read_bytes()
    answer = Extractor(blocks="all").extract(page)
    content = {block.text for block in answer.blocks if block.label}
    pages = [read(page, is_content=lambda text: text in content, model="web2text-2026")] * 2
    assert pages[0].score(SiteRule()) == 1
    assert find_rule(pages) == SiteRule()


def test_the_model_answers_where_the_rule_finds_nothing():
    page = read(write_page(1, story_class="other"))
    model = page.score(SiteRule())
    assert page.score(SiteRule((".story",))) == model
    assert page.score(SiteRule((".other",), (".promo",))) == 1 > model


def test_a_page_without_content_is_right_if_nothing_is_selected():
    page = read(write_page(1), is_content=lambda _: False)
    assert page.score(SiteRule((".nav",), (".nav",))) == 1
    assert page.score(SiteRule((".story",))) == 0


def test_pages_are_scored_by_rules_that_were_found_on_others():
    pages = [read(write_page(number)) for number in range(4)]
    odd = read(write_page(9, story_class="other"), is_content=lambda text: text == PROMO)
    score = score_rules([*pages, odd])
    assert score.rule == pytest.approx((4 + odd.score(SiteRule((".story",), (".promo",)))) / 5)
    assert score.model < score.rule < 1
    assert score_rules(pages[:1]).rule == 1  # a single page is scored by its own rule


@pytest.mark.parametrize(("page", "hashes"), [(write_page(1), (hash_text("other"),)), (b"<body></body>", ())])
def test_labels_of_another_page_are_refused(page, hashes):
    with pytest.raises(ValueError, match="the labels no longer fit the page"):
        read_labeled_leaves(page, PageLabels("", "page", (), hashes), Extractor(model=SHALLOW))


runs = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=3)


@st.composite
def labeled_leaves(draw):
    masks = [np.array(draw(st.lists(st.booleans(), min_size=9, max_size=9))) for _ in range(2)]
    n_words = np.array(draw(st.lists(st.integers(0, 5), min_size=9, max_size=9)))
    bounds = {name: sorted({bound for run in draw(runs) for bound in run}) for name in ("a", "b", "c", "d")}
    names = {name: [*zip(found[::2], found[1::2], strict=False)] for name, found in bounds.items()}
    return LabeledLeaves(n_words, *masks, {name: found for name, found in names.items() if found}, np.arange(9))


@given(st.lists(labeled_leaves(), min_size=1, max_size=3), st.sampled_from([(), ("a",), ("a", "b")]))
@pytest.mark.slow
def test_the_scores_of_longer_rules_are_those_of_each_rule_by_itself(pages, include):
    search = site_rule._Search(pages)
    for exclude in ((), ("c",)):
        wider, fewer = search._score(SiteRule(include, exclude))
        for found, name in zip(wider, search._selectors, strict=True):
            assert found == pytest.approx(mean_score(pages, SiteRule((*include, name), exclude)), abs=1e-4)
        for found, name in zip(fewer, search._selectors, strict=True):
            assert found == pytest.approx(mean_score(pages, SiteRule(include, (*exclude, name))), abs=1e-4)


@given(st.lists(labeled_leaves(), min_size=1, max_size=3))
@pytest.mark.slow
def test_no_rule_of_one_selector_is_better_than_the_one_found(pages):
    names = [name for name in "abcd" if sum(name in page.runs for page in pages) >= min(2, len(pages))]
    singles = [SiteRule(), *(SiteRule((name,)) for name in names), *(SiteRule((), (name,)) for name in names)]
    best = max(mean_score(pages, rule) for rule in singles)
    assert mean_score(pages, find_rule(pages)) >= best - site_rule._LEAST_GAIN - 1e-4


def mean_score(pages, rule):
    return np.mean([page.score(rule) for page in pages])


characters = st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]) | st.sampled_from(" \t\n\x85")
names = st.text(characters, min_size=1, max_size=8)


@given(names, names, names)
@example("a\\0", "b\\0 c", "\\")
def test_each_selector_matches_its_element(name, classes, prop):
    element = html.Element("article", {"id": name, "class": classes, "itemprop": prop, "role": "main"})
    element.text = STORY
    body = html.Element("body")
    body.append(element)
    page = tree_to_page(to_tree(html.tostring(body, encoding="unicode")))
    blocks = read(html.tostring(body, encoding="utf-8"), is_content=lambda _: True)
    assert len(blocks.runs) >= 2 + sum("\\" not in value for value in (name, prop))
    for selector in blocks.runs:
        assert mark_selected_slots(page, [selector]).any(), selector


@pytest.mark.parametrize("separator", ["\u00a0", "\u3000", "\u2028"])
def test_a_class_may_have_a_space_that_is_not_one_of_html(separator):
    names = read(f"<body><p class='one{separator}two three'>{STORY}").runs
    assert ".three" in names
    assert not {".one", ".two"} & {*names}


def test_the_score_is_that_of_text_that_a_selector_cuts_from_a_block():
    sentence = "<p><b class='who'>The old driver</b> waits for those who are late, <i class='who'>every day</i>.</p>"
    page = f"<body>{sentence}<p>{PROMO}</p>"
    labeled = read(page, is_content=lambda text: "driver" in text)
    assert labeled.score(SiteRule((".who",))) == pytest.approx(2 * 5 / (5 + 11))
    content = Extractor(Options(include=(".who",))).extract(page).text.split()
    assert len(content) == 5


def test_elements_of_one_name_inside_each_other_are_one_run():
    page = b"<body><p>zero</p>" + b"<div class='w'>" * 30 + b"<p>one</p><p>two</p>" + b"</div>" * 30 + b"<p>three</p>"
    assert read(page).runs[".w"] == [(1, 3)]


def test_the_scores_do_not_depend_on_the_order_of_names():
    pages = [read(write_page(number)) for number in range(3)]
    turned = [replace(page, runs=dict(reversed(page.runs.items()))) for page in pages]
    assert find_rule(pages) == find_rule(turned)


def test_pairs_of_selectors_are_found():
    blocks = LabeledLeaves(
        np.full(6, 10),
        np.array([1, 1, 0, 1, 1, 0], dtype=bool),
        np.zeros(6, dtype=bool),
        {"a": [(0, 2)], "b": [(3, 6)], "c": [(5, 6)]},
        np.arange(6),
    )
    rule = find_rule([blocks])
    assert blocks.score(rule) == 1
    best = max(blocks.score(SiteRule(*rule)) for rule in product([("a",), ("b",), ("a", "b")], [(), ("c",)]))
    assert best == 1
