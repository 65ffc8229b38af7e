"""The experiments: what the pages of a host tell of each other, and the network as a judge of pages without content."""

from __future__ import annotations

import json
from types import SimpleNamespace

import numpy as np
import pytest

from research.experiments import hosts
from research.experiments.host_pages import COLUMNS, HostPage, describe_host, host_of
from research.experiments.hosts import assign_folds, relabel
from research.experiments.kind_head import (
    CORPUS,
    HELD_OUT,
    MORE_ALARMS,
    WALL,
    KindPage,
    answer,
    list_folds,
    print_table,
)
from scrapy_web2text.evaluation.corpora import CorpusPage
from scrapy_web2text.page.blocks import Label


def make_page(texts, slots, *, log_odds=None, labels=None, host="a.example"):
    """A page whose blocks have these texts and slots; all log-odds are 1 unless they are given."""

    odds = np.array([1.0] * len(texts) if log_odds is None else log_odds)
    answer = np.where(odds >= 0, Label.CONTENT, Label.BOILERPLATE) if labels is None else np.array(labels)
    judged = SimpleNamespace(texts=tuple(texts), n_words=np.array([len(text.split()) for text in texts]))
    return HostPage(host, judged, answer, odds, np.array(slots, dtype=np.uint64))


def test_a_block_is_described_by_the_other_pages_of_its_host():
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
    hosts = ["one", *["large"] * 3, *["middle"] * 2, "two"]
    divisions = [assign_folds(hosts, seed).tolist() for seed in range(10)]
    assert {tuple(folds[1:6]) for folds in divisions} == {(0, 0, 0, 1, 1)}
    assert {(folds[0], folds[6]) for folds in divisions} == {(2, 3), (3, 2)}
    assert divisions == [assign_folds(hosts, seed).tolist() for seed in range(10)]


def test_labels_that_do_not_follow_from_the_log_odds_stay():
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
    corpus = "more/forum_archives" if page_id == "forum-1" else "more/utomo720"
    assert host_of(corpus, CorpusPage(page_id, "", "", url=url)) == host


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
    monkeypatch.setattr(hosts, "CORPORA", {"tiny": None})
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


@pytest.fixture
def pages():
    """Sixty pages of 12 sites whose summaries tell those without content, walls, and a page without blocks."""

    random = np.random.default_rng(0)

    def make(number, source):
        has_content = number % 3 > 0
        summary = random.normal(size=4).astype(np.float32) + (0 if has_content else 20)
        return KindPage(source, f"site {number % 12}", has_content, number % 6 == 0, summary)

    numbers = {CORPUS: 60, WALL: 12, HELD_OUT: 10}
    made = [make(number, source) for source, n in numbers.items() for number in range(n)]
    return [*made, KindPage(CORPUS, "", False, True, None)]


def test_each_page_is_judged_once_and_never_by_a_fit_to_its_site(pages):
    sources, sites = np.array([page.source for page in pages]), np.array([page.site for page in pages])
    folds = [*list_folds(sources, sites)]
    assert sorted(np.concatenate([judged for _, judged in folds])) == [*range(len(pages))]
    *cross, (known, held_out) = folds
    assert all({*sites[fitted]}.isdisjoint(sites[judged]) for fitted, judged in cross)
    assert {*sources[known]} == {CORPUS, WALL}
    assert {*sources[held_out]} == {HELD_OUT}


def test_the_head_finds_what_the_summaries_tell(pages):
    probabilities = answer(pages)
    has_content = np.array([page.has_content for page in pages])
    assert probabilities[-1] == 1
    assert probabilities[has_content].max() < probabilities[~has_content].min()


def test_the_table_has_as_many_false_alarms_as_today(pages, capsys):
    print_table(pages, np.array([float(not page.has_content) for page in pages]))
    head, _, today, *rows = capsys.readouterr().out.splitlines()
    assert head.startswith(
        "| taken for pages without content | pages with content (40) | read as without content (21) |"
    )
    assert today.startswith("| as it is | 0.000 | 0.524 |")  # half of the 20, and the page without blocks
    assert len(rows) == len(MORE_ALARMS)
    assert all("| 0.000 | 1.000 |" in row for row in rows)
