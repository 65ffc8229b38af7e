"""benchmarks/kind_head.py: the network as a judge of pages without content."""

from __future__ import annotations

import numpy as np
import pytest
from places import ROOT

pytest.importorskip("sklearn", reason="needs scikit-learn")


@pytest.fixture(autouse=True)
def _benchmarks(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "benchmarks")


@pytest.fixture
def pages():
    """Sixty pages of 12 sites whose summaries tell those without content, walls, and a page without blocks."""
    from kind_head import CORPUS, HELD_OUT, WALL, KindPage

    random = np.random.default_rng(0)

    def make(number, source):
        has_content = number % 3 > 0
        summary = random.normal(size=4).astype(np.float32) + (0 if has_content else 20)
        return KindPage(source, f"site {number % 12}", has_content, number % 6 == 0, summary)

    numbers = {CORPUS: 60, WALL: 12, HELD_OUT: 10}
    made = [make(number, source) for source, n in numbers.items() for number in range(n)]
    return [*made, KindPage(CORPUS, "", False, True, None)]


def test_each_page_is_judged_once_and_never_by_a_fit_to_its_site(pages):
    from kind_head import CORPUS, HELD_OUT, WALL, list_folds

    sources, sites = np.array([page.source for page in pages]), np.array([page.site for page in pages])
    folds = [*list_folds(sources, sites)]
    assert sorted(np.concatenate([judged for _, judged in folds])) == [*range(len(pages))]
    *cross, (known, held_out) = folds
    assert all({*sites[fitted]}.isdisjoint(sites[judged]) for fitted, judged in cross)
    assert {*sources[known]} == {CORPUS, WALL}
    assert {*sources[held_out]} == {HELD_OUT}


def test_the_head_finds_what_the_summaries_tell(pages):
    from kind_head import answer

    probabilities = answer(pages)
    has_content = np.array([page.has_content for page in pages])
    assert probabilities[-1] == 1
    assert probabilities[has_content].max() < probabilities[~has_content].min()


def test_the_table_has_as_many_false_alarms_as_today(pages, capsys):
    from kind_head import MORE_ALARMS, print_table

    print_table(pages, np.array([float(not page.has_content) for page in pages]))
    head, _, today, *rows = capsys.readouterr().out.splitlines()
    assert head.startswith(
        "| taken for pages without content | pages with content (40) | read as without content (21) |"
    )
    assert today.startswith("| as it is | 0.000 | 0.524 |")  # half of the 20, and the page without blocks
    assert len(rows) == len(MORE_ALARMS)
    assert all("| 0.000 | 1.000 |" in row for row in rows)
