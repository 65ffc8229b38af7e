from __future__ import annotations

import pytest

from scrapy_web2text.crawl.drift import DriftWatch


def feed(watch, host, *runs):
    """Add runs of equal confidences, and return the number of pages at each drift, and the drifts."""
    confidences = [confidence for confidence, n_pages in runs for _ in range(n_pages)]
    drifts = [(n, watch.add(host, confidence)) for n, confidence in enumerate(confidences, 1)]
    return [(n, drift) for n, drift in drifts if drift is not None]


def test_a_fall_is_found_once_as_soon_as_the_mean_of_the_latest_pages_is_low():
    ((n_pages, drift),) = feed(DriftWatch(), "a.org", (0.9, 60), (0.4, 200), (0.1, 200))
    assert n_pages == 60 + 20  # 20 of the latest 50 pages are lower by 0.5
    assert drift.before == pytest.approx(0.9)
    assert drift.now == pytest.approx(0.7)


@pytest.mark.parametrize(
    "runs",
    [
        ((0.9, 49), (0.1, 1), (0.9, 100)),
        ((0.9, 50), (0.75, 200)),
        ((0.5, 50), (0.9, 50), (0.5, 50)),
        ((0.9, 1), (0.1, 1)) * 60,
        ((0.9, 20), (0.1, 29)),
    ],
    ids=["one", "small", "after-a-rise", "mixed-from-the-start", "few-pages"],
)
def test_other_courses_are_not_a_fall(runs):
    assert feed(DriftWatch(), "a.org", *runs) == []


def test_hosts_do_not_mix():
    watch = DriftWatch()
    assert feed(watch, "a.org", (0.9, 200)) == feed(watch, "b.org", (0.3, 200)) == []


def test_the_host_that_was_seen_least_recently_is_forgotten():
    watch = DriftWatch(most_hosts=2)
    for host in ("a.org", "b.org"):
        feed(watch, host, (0.9, 50))
    feed(watch, "a.org", (0.9, 1))
    feed(watch, "c.org", (0.9, 50))
    assert [len(feed(watch, host, (0.4, 30))) for host in ("a.org", "c.org", "b.org")] == [1, 1, 0]
