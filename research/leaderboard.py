"""Score any extractor on all open corpora, and write a page of Markdown and answers for public leaderboards.

    python -m research.leaderboard trafilatura my_module:extract web2text-2026 --data DIR --out PAGE.md
    python -m research.leaderboard … --corpus wcxb --part all --predictions FOLDER    # answers for WCXB
    python -m research.leaderboard … --predictions FOLDER --webmainbench FILE    # for WebMainBench, too

A system is a model, as in `web2text evaluate --model`, one of its peers, or ``module:function``: a function from HTML,
and the URL if it has a parameter ``url``, to text. Each corpus is scored on its part for choices, ``val``: a test part
is for one final report.
"""

from __future__ import annotations

import inspect
import json
import random
import re
import signal
import sys
import time
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from pkgutil import resolve_name
from typing import Any, Final

import lxml.html

from benchmarks.formats import format_estimate, format_table
from benchmarks.timing import TEN_BLOCKS
from research.commands import make_parser
from research.comparison.sets import GOOGLE_TRENDS, SETS, digest_pages, list_parts
from scrapy_web2text import Extractor
from scrapy_web2text.evaluation.corpora import Corpus, CorpusPage, find_ids, open_corpus
from scrapy_web2text.evaluation.peers import PEERS, get_peer
from scrapy_web2text.evaluation.scores import PageResult, Report, word_scores, word_tokens
from scrapy_web2text.labelers.weights import find_model
from scrapy_web2text.options import DEFAULT_MODEL
from scrapy_web2text.page.encoding import decode_html
from scrapy_web2text.training.corpora import corpus_ids

System = Callable[[str, str | None], str | None]
# The split of a corpus in the file of its publisher or paper; the sites of other corpora are divided.
_SPLITS: Final[Mapping[str, str | None]] = {"cleaneval": "web2text", "wcxb": None}
_PARSE: Final = ""  # no system has this name
# What annotators left in the pages of WebMainBench: it says what is content.
_ANNOTATIONS: Final = re.compile(
    r"\s(?:cc-select|data-anno-uid)\s*=\s*(?:\"[^\"]*\"|'[^']*'|[^\s\"'<>]+)|</?marked-(?:tail|text|inline)\b[^<>]*>",
    re.IGNORECASE,
)
_UNSAFE: Final = re.compile(r"[^\w.-]+")
_TRAINED: Final = "\\*"
_COLUMNS: Final = ("", "word F1", "cost in parses", "exceptions", "timeouts", "no text")
_PARTS: Final = {
    "val": "Pages of the part *val* of each corpus, which is for choices; none of a test part.",
    "all": "All pages of each corpus, with those of test parts.",
}
_EXPLANATION: Final = """\
Word F1 is the mean over the pages, ± half the width of the 95 % interval of a bootstrap over pages. The cost is CPU
time divided by the time that `lxml.html.fromstring` takes for the same pages, in turns. Where an extractor raises an
exception or takes more than {timeout:g} s, its text is empty. The last column counts other texts without a word, on
pages that have content. Models answer by rules where they fail, as they do for users.

\\* The model was trained on pages of the corpus, so its score cannot be compared. Functions have no such mark."""


class Timeout(BaseException):
    """An extractor takes too long. Extractors that catch `Exception` do not catch it."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The text of a page, empty with an *error*, the class of the exception; and CPU seconds of the process."""

    text: str
    error: str | None
    seconds: float


def main() -> None:
    """Write the page, and answers if asked for."""
    parser = make_parser(__doc__, "python -m research.leaderboard")
    parser.add_argument("systems", nargs="+", metavar="SYSTEM", help=f"model, module:function, {', '.join(PEERS)}")
    parser.add_argument("--out", required=True, type=Path, metavar="PAGE", help="the Markdown file to write")
    parser.add_argument("--corpus", action="append", metavar="NAME", help="can be repeated (all in DIR)")
    parser.add_argument("--part", choices=_PARTS, default="val", help="all includes test pages (%(default)s)")
    parser.add_argument("--pages", type=int, metavar="N", help="a random sample of N pages of each corpus")
    parser.add_argument("--timeout", type=float, default=30.0, metavar="SECONDS", help="of one page (%(default)s)")
    parser.add_argument("--predictions", type=Path, metavar="FOLDER", help="also write the answers on WCXB")
    parser.add_argument("--webmainbench", type=Path, metavar="FILE", help="with --predictions: JSON Lines to answer")
    args = parser.parse_args()
    try:
        systems = {name: load_system(name) for name in args.systems}
        corpora = [open_corpus(name, args.data) for name in args.corpus or find_corpora(args.data)]
    except (ValueError, ImportError, AttributeError) as error:
        parser.error(str(error))
    for system in systems.values():  # it loads its model and packages, which is not a cost of a page
        ask(system, TEN_BLOCKS, None, 0)
    sections = [f"# Leaderboard\n\n{_PARTS[args.part]}\n\n{_EXPLANATION.format(timeout=args.timeout)}"]
    for corpus in corpora:
        ids = list_ids(corpus, args.part, args.data)
        if args.pages is not None:
            ids = tuple(random.Random(0).sample(sorted(ids), min(args.pages, len(ids))))
        print(f"{corpus.name}: {len(ids)} pages", file=sys.stderr, flush=True)
        section = f"## {corpus.name}\n\n{len(ids)} pages"
        if ids:  # a corpus of few sites may have none in the part val
            reports, texts = score(systems, corpus.pages(ids), args.timeout)
            digest = digest_pages(corpus.name, {args.part: ids}, args.data)
            section += f", SHA-256 `{digest}`\n\n{make_table(corpus.name, reports, texts)}"
            if args.predictions and corpus.name == "wcxb":
                write_wcxb(texts, args.predictions / "wcxb")
        sections.append(section)
        args.out.write_text("\n\n".join(sections) + "\n", encoding="utf-8")
    if args.predictions and args.webmainbench:
        write_webmainbench(systems, args.webmainbench, args.predictions / "webmainbench", args.timeout)


def load_system(name: str) -> System:
    """Return a system by its name, as a function from HTML and URL to text."""
    if name in PEERS:
        peer = get_peer(name)
        return lambda html, _: peer(html)
    if ":" not in name or name.startswith("shallow:"):
        extractor = Extractor(model=name)
        return lambda html, url: extractor.extract(html, url, paths=False).text
    function = resolve_name(name)
    try:
        takes_url = "url" in inspect.signature(function).parameters
    except ValueError:  # some compiled functions do not state their parameters
        takes_url = False
    return lambda html, url: function(html, url=url) if takes_url else function(html)


def markdown(html: str, url: str | None = None) -> str:
    """Return the main content as Markdown, with the default model: `research.leaderboard:markdown` for WebMainBench."""
    return Extractor(markdown=True).extract(html, url, paths=False).markdown or ""


def find_corpora(data: Path) -> list[str]:
    """Return the names of all corpora in *data* that have clean texts."""
    known = [name for name, folder in {"cleaneval": "clean", "wcxb": "dev"}.items() if (data / name / folder).is_dir()]
    texts = [*data.glob("*/text"), *data.glob("*/*/text")]
    return known + sorted(str(each.parent.relative_to(data)) for each in texts if (each.parent / "html").is_dir())


def list_ids(corpus: Corpus, part: str, data: Path) -> tuple[str, ...]:
    """Return the ids of all pages, or of the part val: no page of a test part that the publisher chose is in it."""
    if part == "all" or corpus.name in _SPLITS:
        split = _SPLITS.get(corpus.name)
        return find_ids(corpus, data, [DEFAULT_MODEL], split=split, part=part, path=None)[1]
    if corpus.name == GOOGLE_TRENDS:
        return list_parts(next(each for each in SETS if each.corpus == GOOGLE_TRENDS), data)[part]
    test = data / corpus.name / "test.txt"
    held_out = set(test.read_text(encoding="utf-8").split()) if test.exists() else set()
    return tuple(each for each in corpus_ids(corpus.name, part, data, None) if each not in held_out)


def ask(system: System, html: str, url: str | None, timeout: float) -> Answer:
    """Return the answer of a system for one page.

    :param timeout: seconds, 0 for no limit. Compiled code is late when it returns: it is not interrupted, and neither
        is a loop that catches every exception.
    """
    signal.signal(signal.SIGALRM, _interrupt)
    text, error, start = "", None, time.process_time()
    try:
        signal.setitimer(signal.ITIMER_REAL, timeout, timeout)  # again and again: a bare except ignores it once
        answer = system(html, url)
        signal.setitimer(signal.ITIMER_REAL, 0)
        if not isinstance(answer, str | None):
            raise TypeError(f"expected a text, got {type(answer).__name__}")
        text = answer or ""
    except (Exception, SystemExit, Timeout) as problem:  # noqa: BLE001  errors of extractors are counted
        signal.setitimer(signal.ITIMER_REAL, 0)
        error = type(problem).__name__
    return Answer(text, error, time.process_time() - start)


def _interrupt(*_: object) -> None:
    raise Timeout


def _parse(html: str, _: str | None) -> None:
    lxml.html.fromstring(html)


def score(
    systems: Mapping[str, System], pages: Iterable[CorpusPage], timeout: float
) -> tuple[list[Report], dict[str, dict[str, str]]]:
    """Return the scores of all systems, and their texts by system and page. They take turns at each page."""
    results: dict[str, list[PageResult]] = {name: [] for name in systems}
    texts: dict[str, dict[str, str]] = {name: {} for name in systems}
    turns = [*systems.items(), (_PARSE, _parse)]
    for number, page in enumerate(pages):
        html = page.html if isinstance(page.html, str) else decode_html(page.html)
        random.Random(number).shuffle(turns)
        answers = {name: ask(system, html, page.url, timeout) for name, system in turns}
        times: dict[str, Any] = {"parse_seconds": answers[_PARSE].seconds, "is_empty": not word_tokens(page.text)}
        for name in systems:
            answer = answers[name]
            words = word_scores(answer.text, page.text)
            results[name].append(PageResult(page.id, words, answer.error, seconds=answer.seconds, **times))
            texts[name][page.id] = answer.text
    return [Report(name, tuple(found)) for name, found in results.items()], texts


def make_table(corpus: str, reports: Sequence[Report], texts: Mapping[str, Mapping[str, str]]) -> str:
    """Return the table of a corpus, the best system first."""
    rows = []
    for report in sorted(reports, key=lambda each: -each.words.f1):
        errors = [page.error for page in report.pages if page.error]
        n_late = errors.count(Timeout.__name__)
        wanted = [page.id for page in report.pages if not (page.is_empty or page.error)]
        n_empty = sum(not word_tokens(texts[report.name][each]) for each in wanted)
        f1 = format_estimate(report.words.f1, report.intervals()["word_f1"])
        mark = _TRAINED if is_trained_on(report.name, corpus) else ""
        counts = map(str, (len(errors) - n_late, n_late, n_empty))
        rows.append([f"`{report.name}`{mark}", f1, f"{report.cost:.1f}", *counts])
    return format_table(_COLUMNS, rows)


def is_trained_on(name: str, corpus: str) -> bool:
    """Return whether the recipe of a model names a corpus; pages of other parts count, too."""
    try:
        recipe = tomllib.loads((find_model(name) / "recipe.toml").read_text(encoding="utf-8"))
    except (ValueError, OSError):  # not a model, or one without a recipe
        return False
    return any(each.get("name") == corpus for each in recipe.get("corpora", ()))


def write_wcxb(texts: Mapping[str, Mapping[str, str]], folder: Path) -> None:
    """Write the texts of each system as its ``evaluate.py --results`` reads them: one object, by page id."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, by_id in texts.items():
        (folder / f"{_to_stem(name)}.json").write_text(json.dumps(by_id) + "\n", encoding="utf-8")


def write_webmainbench(systems: Mapping[str, System], source: Path, folder: Path, timeout: float) -> None:
    """Write the records of *source* with the answer of each system in the field that ``test-model`` reads.

    The systems read the pages without the marks of the annotators.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for name, system in systems.items():
        with source.open(encoding="utf-8") as lines, (folder / f"{_to_stem(name)}.jsonl").open("w") as out:
            for record in map(json.loads, filter(str.strip, lines)):
                answer = ask(system, _ANNOTATIONS.sub("", record["html"]), record.get("url"), timeout)
                out.write(json.dumps(record | {"llm_webkit_md": answer.text}) + "\n")


def _to_stem(name: str) -> str:
    return _UNSAFE.sub("-", name)


if __name__ == "__main__":
    main()
