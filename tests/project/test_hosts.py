"""benchmarks/hosts.py: what the pages of a host tell of each other, and what is fitted to it."""

from __future__ import annotations

import json
from types import SimpleNamespace

import numpy as np
import pytest
from places import ROOT

from scrapy_web2text.page.blocks import Label

pytest.importorskip("sklearn", reason="scikit-learn is not installed (extra train)")


@pytest.fixture(autouse=True)
def _benchmarks(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "benchmarks")


def make_page(texts, slots, *, log_odds=None, labels=None, host="a.example"):
    """A page whose blocks have these texts and slots; all log-odds are 1 unless they are given."""
    from host_pages import HostPage

    odds = np.array([1.0] * len(texts) if log_odds is None else log_odds)
    answer = np.where(odds >= 0, Label.CONTENT, Label.BOILERPLATE) if labels is None else np.array(labels)
    judged = SimpleNamespace(texts=tuple(texts), n_words=np.array([len(text.split()) for text in texts]))
    return HostPage(host, judged, answer, odds, np.array(slots, dtype=np.uint64))


def test_a_block_is_described_by_the_other_pages_of_its_host():
    from host_pages import COLUMNS, describe_host

    pages = [
        make_page(["menu", "first story here"], [1, 2]),
        make_page(["menu", "second story here", "menu"], [1, 2, 3]),
        make_page(["menu", "extra"], [1, 4]),
    ]
    first, second, third = ([dict(zip(COLUMNS, row, strict=True)) for row in rows] for rows in (describe_host(pages)))
    menu, story = first
    assert (menu["text_share"], menu["slot_share"], menu["same_in_slot"], menu["new"]) == (1, 1, 1, 0)
    assert menu["text_pages"] == pytest.approx(np.log1p(2))
    assert (story["text_share"], story["slot_share"], story["same_in_slot"], story["new"]) == (0, 0.5, 0, 0.5)
    assert story["log_words"] == pytest.approx(np.log1p(3))
    assert second[0] == second[2] | {"slot_share": 1, "same_in_slot": 1}  # a text counts once for each page
    assert (third[1]["slot_share"], third[1]["same_in_slot"], third[1]["new"]) == (0, 0, 0)


def test_pages_of_a_host_are_in_one_fold_and_large_hosts_in_different_ones():
    from hosts import assign_folds

    hosts = ["one", *["large"] * 3, *["middle"] * 2, "two"]
    divisions = [assign_folds(hosts, seed).tolist() for seed in range(10)]
    assert {tuple(folds[1:6]) for folds in divisions} == {(0, 0, 0, 1, 1)}
    assert {(folds[0], folds[6]) for folds in divisions} == {(2, 3), (3, 2)}
    assert divisions == [assign_folds(hosts, seed).tolist() for seed in range(10)]


def test_labels_that_do_not_follow_from_the_log_odds_stay():
    from hosts import relabel

    page = make_page(["a", "b", "a"], [1, 1, 1], log_odds=[1.0, -1.0, 1.0], labels=[1, 0, 0])  # the last is a repeat
    assert relabel(page, np.array([-1.0, 2.0, 2.0])).tolist() == [0, 1, 0]


@pytest.mark.parametrize(
    ("url", "page_id", "host"),
    [
        ("http://www.lamp.example/a", "x", "lamp.example"),
        ("https://web.archive.org/web/2013/http://www.lamp.example/a", "x", "lamp.example"),
        (None, "forum-1", "forum"),
        (None, "1", None),
    ],
    ids=["URL", "archive", "page id", "unknown"],
)
def test_the_host_of_a_page_is_that_of_its_url_or_its_id(url, page_id, host):
    from host_pages import host_of

    from scrapy_web2text.evaluation import LabeledPage

    corpus = "more/forum_archives" if page_id == "forum-1" else "more/utomo720"
    assert host_of(corpus, LabeledPage(page_id, "", "", url=url)) == host


STORIES = ("The river rose to the bridge", "Lamp oil costs less this week", "A boat sank near the old pier")


def write_host(folder, host, *, first):
    """Write six pages of a host that all have the same advice above and below their own story."""
    advice = "Please call the office of the harbor if you have any question about a lamp or about a boat"
    for number in range(first, first + 6):
        story = ". ".join(f"{STORIES[(number + i) % 3]}, wrote reader {number} on day {i}" for i in range(6))
        html = f"<div class=top><p>{advice}</p></div><h1>Day {number}</h1><div class=story><p>{story}.</p></div>"
        (folder / "html" / f"{number}.html").write_text(html + f"<p class=end>{advice}, on {host}</p>")
        (folder / "text" / f"{number}.txt").write_text(f"Day {number}\n{story}.")
        with (folder / "meta.jsonl").open("a") as file:
            file.write(json.dumps({"id": str(number), "url": f"http://{host}/{number}"}) + "\n")


def test_the_table_has_a_row_for_each_method(tmp_path, monkeypatch, capsys):
    import host_pages
    import hosts

    monkeypatch.setattr(hosts, "CORPORA", {"tiny": None})
    monkeypatch.setattr(host_pages, "default_cache", lambda: tmp_path / "cache")
    monkeypatch.setattr(hosts, "BIASES", np.array([0.0]))
    for folder in ("html", "text"):
        (tmp_path / "tiny" / folder).mkdir(parents=True)
    for number in range(6):
        write_host(tmp_path / "tiny", f"host{number}.example", first=10 * number)
    (tmp_path / "tiny" / "html" / "99.html").write_text("<p>Alone")
    (tmp_path / "tiny" / "text" / "99.txt").write_text("Alone")
    hosts.main(["--data", str(tmp_path), "--left-out", str(tmp_path)])
    rows = {line.split(" | ")[0]: line.split(" | ")[1:] for line in capsys.readouterr().out.splitlines()}
    assert (rows["| hosts"][0], rows["| pages"][0]) == ("6", "36")
    assert {*hosts.RULES, *hosts.LEARNED} == {name.removeprefix("| ") for name in list(rows)[5:]}
    assert float(rows["| text"][0].split(" ")[0]) > 0  # the advice is the same on each page, the stories are not
