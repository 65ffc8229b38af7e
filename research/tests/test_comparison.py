"""The tables of docs/comparison.md: which pages and seeds they are made of, and how they are written."""

from __future__ import annotations

import gzip
import json
import math
import shutil
from dataclasses import replace

import pytest
from corpora import write_cleaneval, write_plain, write_wcxb
from places import MODELS, ROOT

from benchmarks.folds import read_pages
from research.comparison import __main__ as comparison
from research.comparison import systems
from research.comparison.__main__ import judge_by_folds
from research.comparison.languages import find_script, format_scores, read_groups, spread, word_f1
from research.comparison.report import Row, Table, draw_comparison, format_section, replace_section
from research.comparison.sets import GOOGLE_TRENDS, SETS, digest_pages, list_parts
from research.comparison.unfluff import extract_all, format_report, score
from research.leaf_scores import evaluate_leaves
from research.semtext import blocks as semtext_blocks
from research.semtext import transfer as semtext_transfer
from research.semtext.transfer import split_forum
from scrapy_web2text.evaluation.corpora import CorpusPage
from scrapy_web2text.labelers.registry import get_labeler
from scrapy_web2text.training.recipe import read_recipe

WIDE = "\N{NO-BREAK SPACE}"


@pytest.fixture
def trends(tmp_path):
    """GoogleTrends-2017 with five pages and lists of their numbers."""

    folder = tmp_path / "data" / GOOGLE_TRENDS
    for part in ("html", "text"):
        (folder / part).mkdir(parents=True)
    for name in ("001", "002", "005", "M-01", "M-02"):
        (folder / "html" / f"{name}.html").write_text("<p>one two three four</p><p>Home</p>", encoding="utf-8")
        (folder / "text" / f"{name}.txt").write_text("one two three four", encoding="utf-8")
    lists = {"train_set": (4, 1), "dev_set": (2,), "test_set": (3, 5)}
    for name, numbers in lists.items():
        (folder / f"{name}.txt").write_text("".join(f"gt_{number}.html\n" for number in numbers), encoding="utf-8")
    return tmp_path / "data"


def get_set(name):
    return next(each for each in SETS if each.name == name)


def test_pages_of_googletrends_are_numbered_by_name(trends):
    parts = list_parts(get_set("google-trends"), trends)
    assert parts == {"train": ("M-01", "001"), "val": ("002",), "test": ("005", "M-02")}


def test_the_test_pages_of_wcxb_are_those_of_its_part_val(tmp_path):
    parts = list_parts(get_set("wcxb"), write_wcxb(tmp_path))
    assert sorted(parts["train"] + parts["val"]) == ["0001"]
    assert parts["test"] == ("0002",)


def test_the_digest_of_pages_depends_on_parts_ids_sources_and_texts(tmp_path):
    write_cleaneval(tmp_path)
    parts = {"train": ("1", "2"), "test": ("10",)}
    digests = {digest_pages("cleaneval", parts, tmp_path), digest_pages("cleaneval", parts, tmp_path)}
    assert len(digests) == 1
    digests.add(digest_pages("cleaneval", {"train": ("1",), "test": ("2", "10")}, tmp_path))
    for path in (tmp_path / "cleaneval" / "orig" / "2.html", tmp_path / "cleaneval" / "clean" / "10.txt"):
        path.write_text(path.read_text(encoding="utf-8").replace("river", "lake"), encoding="utf-8")
        digests.add(digest_pages("cleaneval", parts, tmp_path))
    assert len(digests) == 4
    assert digest_pages("news", {"test": ("valley.example_1",)}, write_plain(tmp_path, "news")) not in digests


def test_scores_are_means_over_the_seeds_and_kept_for_the_same_pages(trends, tmp_path, monkeypatch):
    trained = []

    def pretend(name, out, page_set, splits, data, seed):
        trained.append((name, seed))
        out.mkdir(parents=True, exist_ok=True)
        (out / "cost.json").write_text(json.dumps({"n_weights": 5, "minutes": 1.0 + seed}))

    others = {"0/boilernet": "shallow:all", "3/boilernet": "shallow:numwords"}
    others |= dict.fromkeys(["web2text-2018", "authors"], "web2text-2018")

    def load(name):
        return get_labeler(next((other for end, other in others.items() if name.endswith(end)), "bte"))

    recipes = {"boilernet": comparison.TRAINED["boilernet"], "dragnet-2013 ST": comparison.TRAINED["dragnet-2013 ST"]}
    recipes["web2text-2018"] = comparison.TRAINED["web2text-2018"]
    monkeypatch.setattr(comparison, "TRAINED", recipes)
    monkeypatch.setattr(comparison, "train", pretend)
    monkeypatch.setattr(comparison, "get_labeler", load)
    monkeypatch.setattr(comparison, "load_peer", {"readability": ("readability", lambda html: "one two")}.get)
    table = comparison.load_table(get_set("google-trends"), tmp_path, trends, (0, 3), ["boilernet", "dragnet-2013 ST"])
    assert trained == [("boilernet", 0), ("boilernet", 3), ("dragnet-2013 ST", 0)]
    assert table.seeds == {"boilernet": (0, 3), "dragnet-2013 ST": (0,), "web2text-2018": ()}
    rows = {row.name: row for row in table.rows}
    assert list(rows)[-2:] == ["web2text-2026", "readability"]
    assert rows["boilernet"].f1_by_seed == pytest.approx((2 / 3, 0.0))
    assert rows["boilernet"].f1 == pytest.approx(1 / 3)
    assert rows["boilernet"].word_f1_by_seed == pytest.approx((8 / 9, 0.0))
    assert rows["boilernet"].minutes == 2.5
    assert len(rows["dragnet-2013 ST"].f1_by_seed) == 1
    assert (rows["readability"].n_weights, rows["readability"].minutes) == (None, None)
    monkeypatch.setattr(comparison, "load_peer", lambda name: None)
    again = comparison.load_table(get_set("google-trends"), tmp_path, trends, (0,), ())
    assert (len(again.rows), again.data) == (len(table.rows), table.data)
    again = comparison.load_table(get_set("google-trends"), tmp_path, trends, (0,), ["web2text-2018"])
    decodings = [row.name for row in again.rows if row.name.startswith("web2text-2018")]
    assert decodings == ["web2text-2018", "web2text-2018 unary", "web2text-2018 lam=0.1"]
    (tmp_path / "google-trends" / table.data / "authors").mkdir()
    again = comparison.load_table(get_set("google-trends"), tmp_path, trends, (0,), ())
    authors = next(row for row in again.rows if row.name == "web2text-2018 by its authors")
    assert (len(authors.f1_by_seed), authors.minutes) == (1, None)
    (trends / "seeds/google_trends/text/002.txt").write_text("Home", encoding="utf-8")
    again = comparison.load_table(get_set("google-trends"), tmp_path, trends, (0,), ())
    assert again.data != table.data
    assert not any(again.seeds.values())


def test_the_authors_networks_are_those_of_the_same_training_pages(tmp_path, monkeypatch):
    imported = []

    def pretend(checkpoint, out):
        imported.append(checkpoint.name)
        out.mkdir(parents=True)

    monkeypatch.setattr(systems, "import_original", pretend)
    for page_set in SETS * 2:
        if page_set.checkpoint:
            systems.import_authors(tmp_path / "theirs" / page_set.checkpoint, tmp_path / page_set.name)
    assert imported == ["cleaneval", "web2text"]


def make_table(n_seeds):
    estimate = {"f1_interval": (0.5, 0.6), "word_f1": 0.7, "word_f1_interval": (0.6, 0.8)}
    scores = {"accuracy": 0.9, "precision": 0.8, "recall": 0.7, "f1": 0.55, "parses": 3.0}
    seeds = {"f1_by_seed": (0.5, 0.55, 0.6)[:n_seeds], "word_f1_by_seed": (0.65, 0.7, 0.75)[:n_seeds]}
    network = Row(name="semtext", **scores, **estimate, **seeds, n_weights=1000, minutes=2.0)
    default = Row(name="web2text-2026", word_f1=0.9, word_f1_interval=(0.85, 0.95))
    seeds = {"semtext": tuple(range(n_seeds)), "crf-2018": (0,), "boilernet": ()}
    filtered = replace(default, name="shallow:numwords+largest")  # in no table
    return Table(seeds, "abc", (network, filtered, default))


def test_a_table_names_its_seeds_and_its_data():
    lines = format_section(get_set("google-trends"), make_table(3)).replace(WIDE, " ").splitlines()
    assert lines[0] == "### GoogleTrends-2017, 100 test pages, 50 for training"
    assert lines[2] == (
        "|  | acc. | prec. | recall | F1 | seeds | paper | word F1 | seeds, word F1 | weights | minutes |"
    )
    assert lines[4] == (
        "| `semtext` | .900 | .800 | .700 | .550 ±.050 | .500–.600 | .89 (-0.34) | .700 ±.100 | .650–.750 | 1,000 | 2 |"
    )
    assert lines[5] == "| `web2text-2026` |  |  |  |  |  |  | .900 ±.050 |  |  |  |"
    assert lines[-1] == "Means over the seeds 0, 1, 2: `semtext`. Seed 0: `crf-2018`. SHA-256 of the pages: `abc`."


def test_a_table_of_one_seed_and_without_papers_has_fewer_columns():
    lines = format_section(get_set("wcxb"), make_table(1)).splitlines()
    assert lines[2] == "|  | acc. | prec. | recall | F1 | word F1 | weights | minutes |"
    assert lines[-1] == "Seed 0: `semtext`, `crf-2018`. SHA-256 of the pages: `abc`."


def test_a_table_survives_its_file(tmp_path):
    table = make_table(3)
    table.write(tmp_path / "scores.json")
    back = Table.read(tmp_path / "scores.json")
    assert (back.seeds, back.data, back.rows[0].f1) == (table.seeds, table.data, table.rows[0].f1)
    assert math.isnan(back.rows[2].f1)


def test_only_the_text_between_the_marks_of_a_set_is_replaced(tmp_path):
    page = tmp_path / "page.md"
    mark = "<!-- {}, written by python -m research.comparison -->"
    page.write_text(f"A\n\n{mark.format('a')}\n\nold\n\n<!-- end -->\n\n{mark.format('b')}\n<!-- end -->\nZ\n")
    replace_section(page, "a", "new")
    replace_section(page, "a", "newer")
    assert page.read_text() == (
        f"A\n\n{mark.format('a')}\n\nnewer\n\n<!-- end -->\n\n{mark.format('b')}\n<!-- end -->\nZ\n"
    )
    with pytest.raises(ValueError, match="expected <!-- c, written by"):
        replace_section(page, "c", "new")


def test_the_table_of_every_set_has_its_place_in_the_documentation(tmp_path):
    page = tmp_path / "comparison.md"
    page.write_text((ROOT / "research/docs/comparison.md").read_text(encoding="utf-8"), encoding="utf-8")
    for page_set in SETS:
        replace_section(page, page_set.name, f"TABLE OF {page_set.name}")
    text = page.read_text(encoding="utf-8")
    assert [text.count(f"TABLE OF {page_set.name}") for page_set in SETS] == [1] * len(SETS)
    assert "## Dragnet" in text


def test_the_default_is_judged_on_its_own_training_pages_by_its_cross_validation():
    ids = sorted({page["id"] for page in read_pages(ROOT / "models/web2text-2026/folds.json.xz")})
    measured = Row(name="web2text-2026", f1=0.97, word_f1=0.99, word_f1_interval=(0.98, 1.0), n_weights=7, parses=3.5)
    row = judge_by_folds(measured, ids)
    assert row.word_f1 == pytest.approx(0.89, abs=1e-4)
    assert row.word_f1_interval == pytest.approx((0.8796, 0.9), abs=2e-3)
    assert math.isnan(row.f1)
    assert (row.f1_by_seed, row.n_weights, row.parses) == ((), 7, 3.5)
    assert "web2text-2026</text>" in draw_comparison([row, replace(row, name="bte", parses=1.5)])


@pytest.fixture
def forums(tmp_path):
    """Forum pages of many sites, two of them without posts in Latin script, and an article."""
    html, truth = tmp_path / "wcxb" / "dev" / "html", tmp_path / "wcxb" / "dev" / "ground-truth"
    html.mkdir(parents=True)
    truth.mkdir(parents=True)
    for i in range(30):
        kind = "article" if i == 0 else "forum"
        text = "Ποτάμι" if i < 3 else "The river"
        entry = {
            "url": f"http://site{i // 2}.example/{i}",
            "_internal": {"page_type": {"primary": kind}},
            "ground_truth": {"main_content": text},
        }
        (html / f"{i:04}.html.gz").write_bytes(gzip.compress(f"<p>{text}</p>".encode()))
        (truth / f"{i:04}.json").write_text(json.dumps(entry), encoding="utf-8")
    return tmp_path


def test_forum_pages_in_latin_script_are_split_by_site(forums):
    parts = split_forum("wcxb", forums)
    found = [int(page_id) for ids in parts.values() for page_id in ids]
    assert sorted(found) == list(range(3, 30))
    sites = [{int(page_id) // 2 for page_id in ids} for ids in parts.values()]
    assert sum(map(len, sites)) == len(set.union(*sites))
    assert len(parts["test"]) > len(parts["train"]) > 0


def test_a_system_is_tuned_from_its_weights_after_the_news(tmp_path, monkeypatch):
    built = []

    def pretend_chain(recipe, splits, data, *, seeds, out, files):
        built.append((recipe.name, recipe.start, [each.name for each in recipe.corpora], recipe.training.epochs, seeds))
        (out / "manifest.json").parent.mkdir(parents=True)
        (out / "manifest.json").write_text("{}")

    def pretend_cnn(recipe, splits, data, *, seed, out, files):
        pretend_chain(
            replace(chain, name=recipe.name, corpora=recipe.corpora), splits, data, seeds=seed, out=out, files=files
        )

    chain = read_recipe(semtext_transfer.CHAIN_KINDS["semtext"].recipe, MODELS / "semtext" / "recipe.toml")
    monkeypatch.setattr(semtext_transfer, "build_chain", pretend_chain)
    monkeypatch.setattr(semtext_transfer, "build_cnn_hmm", pretend_cnn)
    target = semtext_transfer.TARGETS[0]
    for _ in range(2):
        models = {
            name: folder
            for system in ("semtext", "web2text-2018")
            for name, folder in semtext_transfer.train_system(
                system, target, tmp_path / "splits.json", tmp_path, 5
            ).items()
        }
    assert list(models) == ["semtext, news", "semtext, tuned", "web2text-2018, news", "web2text-2018, news and target"]
    news = list(semtext_transfer.NEWS)
    assert built == [
        ("semtext", "", news, 2, (5,)),
        ("semtext", "semtext/news", ["cleaneval"], 16, (5,)),
        ("web2text-2018", "", news, 12, 5),
        ("web2text-2018", "", [*news, "cleaneval"], 12, 5),
    ]


def test_models_are_scored_beside_the_paper_on_the_test_pages(tmp_path, monkeypatch):
    write_cleaneval(tmp_path)
    (tmp_path / "splits.json").write_text(json.dumps({"cleaneval": {"test": ["2", "10"]}}))
    monkeypatch.setattr(semtext_transfer, "load_peer", lambda name: None)
    monkeypatch.setattr(semtext_transfer, "get_labeler", lambda name: get_labeler(name.rpartition("/")[2]))
    models = {"semtext, tuned": tmp_path / "shallow:all"}
    lines = semtext_transfer.score(semtext_transfer.TARGETS[0], models, tmp_path / "splits.json", tmp_path).splitlines()
    assert lines[2].startswith("| `semtext, tuned` | .667 (.91) | 1.000 (.89) | .800")
    assert "seeds" not in lines[0]


def test_the_models_of_all_seeds_are_scored_over_blocks(trends, tmp_path, monkeypatch):
    page_set = get_set("google-trends")
    folder = tmp_path / page_set.name / digest_pages(page_set.corpus, list_parts(page_set, trends), trends)
    for model in ("seed-0/semtext", "seed-2/semtext", "seed-0/web2text-2018"):
        (folder / model).mkdir(parents=True)
        (folder / model / "cost.json").touch()
    rules = {"seed-0/semtext": "shallow:all", "seed-2/semtext": "shallow:numwords", "web2text-2018": "web2text-2018"}
    monkeypatch.setattr(
        semtext_blocks,
        "get_labeler",
        lambda name: get_labeler(next(r for end, r in rules.items() if name.endswith(end))),
    )
    monkeypatch.setattr(semtext_blocks, "load_peer", lambda name: (name, lambda html: "one two three four"))
    rows = semtext_blocks.score_set(page_set, tmp_path, trends).replace(WIDE, " ").splitlines()[2:]
    assert [row.split(" | ")[0] for row in rows] == [
        "| `boilerpy3-default`",
        "| `web2text-2018 lam=0.1`",
        "| `semtext`",
    ]
    assert rows[0] == "| `boilerpy3-default` | 1.000 (.80) | 1.000 (.66) | 1.000 ±.000 (.72) |  | 1.000 |"
    assert rows[2] == "| `semtext` | .500 (.92) | .500 (.86) | .500 ±.000 (.89) | .000–1.000 | .333 |"


@pytest.mark.parametrize(
    ("text", "script"),
    [
        ("Die Seite", "Latin script"),
        ("Новости дня", "Cyrillic script"),
        ("新闻 news", "Latin script"),
        ("今日新闻 OK", "Chinese"),
        ("今日のニュース", "Japanese"),
        ("12 | 3", "None script"),
    ],
)
def test_the_script_is_that_of_most_letters(text, script):
    assert find_script(text) == script


def test_pages_are_grouped_by_language_and_spread_over_sites(tmp_path):
    folder = tmp_path / "news"
    for part in ("html", "text"):
        (folder / part).mkdir(parents=True)
    for i in range(4):
        (folder / "html" / f"{i}.html").write_text("<p>one two</p>")
        (folder / "text" / f"{i}.txt").write_text("one two")
    entries = [{"id": "0", "lang": "zh"}, {"id": "1", "lang": "Polish"}, {"id": "2"}]
    (folder / "meta.jsonl").write_text("\n".join(map(json.dumps, entries)))
    groups = read_groups(tmp_path, "news")
    ids = {name: [page.id for page in pages] for name, pages in groups.items()}
    assert ids == {"Chinese": ["0"], "Polish": ["1"], "Latin script": ["2", "3"]}
    assert spread("abcdefgh", 4) == ["a", "c", "e", "g"]
    assert spread("ab", None) == "ab"
    reports = evaluate_leaves({"shallow:all": get_labeler("shallow:all")}, groups["Latin script"])
    last = format_scores({"news": reports}, word_f1).splitlines()[-1]
    assert last.replace("\N{NO-BREAK SPACE}", " ") == "| `shallow:all` | 1.000 ±.000 |"


def test_a_failure_of_unfluff_is_an_empty_answer():
    pages = [CorpusPage(str(i), f"<p>one two</p><p>Home</p><!-- {i} -->", "one two") for i in range(2)]
    report = score(pages, ["one two", None])
    assert (report.blocks.precision, report.blocks.recall) == (1, 0.5)
    cells = format_report(report, (0.71, 0.9, 0.57, 0.7))
    assert cells[:3] == ["0.750 (0.71)", "1.000 (0.90)", "0.500 (0.57)"]
    assert cells[-1] == "1"


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_the_program_for_node_reads_all_pages(tmp_path):
    module = "module.exports = page => { if (!page) throw Error(); return {text: page.toUpperCase()}; };"
    (tmp_path / "unfluff.js").write_text(module)
    assert extract_all(["one", "", "zwei ü"], tmp_path) == ["ONE", None, "ZWEI Ü"]
