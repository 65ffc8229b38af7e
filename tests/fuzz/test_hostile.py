"""All oracles on the hostile pages of tests/pages/hostile, and on changes of them. `make fuzz` looks for more."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from strategies import html_trees

from fuzz.mutators import mutate_html, mutate_json
from fuzz.oracles import check_answer, check_html
from fuzz.targets import HOSTILE, TARGETS, WAYS, check_page
from scrapy_web2text.extraction import Block, Extraction, Label

PAGES = sorted(HOSTILE.glob("*.html"))


@pytest.mark.parametrize("path", PAGES, ids=[path.stem for path in PAGES])
def test_a_hostile_page_has_a_safe_answer_in_each_way(path):
    page = path.read_bytes()
    for way in WAYS:
        check_page(page, way)
    TARGETS["markdown"].run(page)


@given(html=html_trees())
def test_a_generated_page_has_a_safe_answer(html):
    TARGETS["extract"].run(html.encode("utf-8", "surrogatepass"))


@pytest.mark.parametrize("name", TARGETS)
def test_each_target_accepts_its_seeds_and_changes_of_them(name):
    target, choice = TARGETS[name], random.Random(0)
    seeds = [seed for seed in target.seeds() if len(seed) <= target.longest]
    for data in choice.sample(seeds, min(len(seeds), 8)):
        target.run(data)
        for _ in range(2):
            target.run(target.mutate(data, choice)[: target.longest])


def test_changes_of_a_page_keep_most_of_it():
    page = b"<p>One <b>two</b> three.</p>" * 20
    changed = [mutate_html(page, random.Random(seed)) for seed in range(50)]
    assert len({*changed}) > 45
    assert all(html.count(b"two") >= 5 for html in changed)


def test_changes_of_json_are_json():
    changed = {mutate_json(b'{"a": [1, {"b": null}], "c": "d"}', random.Random(seed)) for seed in range(50)}
    assert len(changed) > 20
    assert mutate_json(b"{", random.Random(0)) == b"{"


# The oracles can fail.


@pytest.mark.parametrize(
    "html",
    [
        *("<p class=a>b", "<a href=javascript:b>c</a>", "<a href=' java&#9;script:b'>c</a>", "<img src=data:b>"),
        *("<td colspan=a>b", "<code class=b>c</code>", "<!-- b -->", "<?b>", "<div>b</div>", "<svg>b</svg>"),
        *("<img src=/b onerror=c>", "<script>b</script>", "<p style=b>c", "<iframe src=/b></iframe>", "<base href=/b>"),
    ],
)
def test_the_check_of_html_finds_what_the_docs_do_not_name(html):
    with pytest.raises(AssertionError):
        check_html(f"<p>a</p>{html}")


def answer_with(**changes):
    block = Block(index=0, text="One.", label=Label.CONTENT, probability=0.5, tag="p", path="/html/body/p")
    values = {"text": "One.", "title": "A", "method": "model", "n_blocks": 1, "n_content": 1, "blocks": (block,)}
    return Extraction(**{**values, **changes})


@pytest.mark.parametrize(
    "changes",
    [
        *({"confidence": value} for value in (float("nan"), -0.1, 1.1)),
        *({"text": text} for text in ("Two.", "", "One.\x01", "One.\ud800", "One.\x85", "One." + "." * 100)),
        *({"n_blocks": 2}, {"n_content": 0}, {"title": "A\nB"}, {"html": "<b>One.</b>"}, {"markdown": "<b>One.</b>"}),
        *({"blocks": (Block(0, "One.", Label.CONTENT, *rest),)} for rest in ((2.0, "p", None), (0.5, "p", "/html/p"))),
    ],
    ids=str,
)
def test_the_check_of_an_answer_finds_what_cannot_be(changes):
    page = b"<p>One.</p>"
    check_answer(answer_with(), page)
    with pytest.raises((AssertionError, ValueError)):
        check_answer(answer_with(**changes), page)
