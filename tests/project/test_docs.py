"""The reference pages list everything that the code has, and nothing else."""

from __future__ import annotations

import json
import re
from types import NoneType
from typing import Literal, get_args, get_origin, get_type_hints

import pytest
from documents import DOCS, first_column, read_page, section
from places import ROOT
from scrapy.settings import Settings

from docs.settings import write_entry, write_settings
from scrapy_web2text import Addon, Block, Extraction, Label, Options, Web2TextSettings
from scrapy_web2text.answer.sequence import FORMS
from scrapy_web2text.cli import main as cli
from scrapy_web2text.cli import output
from scrapy_web2text.cli.arguments import argument_name
from scrapy_web2text.cli.diff import DIFFERENT
from scrapy_web2text.content.builder import TIGHT_TAGS
from scrapy_web2text.content.nodes import INLINE
from scrapy_web2text.content.places import LINE_TAGS
from scrapy_web2text.crawl.extractor import RESULT_META_KEY
from scrapy_web2text.crawl.journal import STATS
from scrapy_web2text.crawl.settings import META_KEY, SETTINGS
from scrapy_web2text.extraction import EXTRACTION_FIELDS, Chunk, Metadata, Method, Paragraph, ParagraphKind
from scrapy_web2text.labelers.shallow.rules import FILTERS
from scrapy_web2text.labelers.shallow.trees import TREES
from scrapy_web2text.options import BLOCK_FIELDS, OPTIONS, OTHER_RULES
from scrapy_web2text.reasons import REASONS, SkipReason

RESEARCH = ROOT / "research" / "docs"
FIELDS = "fields.md"
SETTINGS_PAGE = "settings.md"


def test_the_entries_of_settings_are_those_that_the_declarations_give():
    """``python docs/settings.py`` writes them."""
    assert write_settings(read_page(SETTINGS_PAGE)) == read_page(SETTINGS_PAGE)
    assert re.findall("^### (WEB2TEXT_.*)$", read_page(SETTINGS_PAGE), re.MULTILINE) == list(SETTINGS)


def test_the_entry_of_a_setting_says_its_values_default_and_purpose_and_keeps_its_details():
    old = "A string. Default: 5\n\nLargest.\n\nDetails,\nand\n\nmore.\n\n"
    each = OPTIONS["max_bytes"]
    first = "### WEB2TEXT_MAX_BYTES\n\nA whole number above 0, or unset. Default: `10_000_000`\n\n"
    assert (
        write_entry("max_bytes", each, old)
        == f"{first}Largest page that is read, in bytes.\n\nDetails,\nand\n\nmore.\n\n"
    )
    entry = write_entry("on_low_confidence", OPTIONS["on_low_confidence"], "")
    assert '\n\nDefault: `"keep"`\n\n' in entry  # the purpose names all values
    assert "below `WEB2TEXT_MIN_CONFIDENCE`" in entry


@pytest.mark.parametrize("settings", [Options, Web2TextSettings, Extraction], ids=lambda settings: settings.__name__)
def test_the_parameters_of_a_docstring_are_its_fields_in_order(settings):
    named = re.findall(r"^\s*:param (\w+):", settings.__doc__, re.MULTILINE)
    assert named == [*get_type_hints(settings)]


def test_every_setting_that_a_page_names_exists():
    pages = [*DOCS.glob("*.md"), DOCS.parent / "README.md"]
    named = {name for page in pages for name in re.findall(r"\bWEB2TEXT_[A-Z_]+\b", page.read_text(encoding="utf-8"))}
    variables = {"WEB2TEXT_NO_NATIVE", "WEB2TEXT_DATA"}  # of the environment and of make
    assert named - {"WEB2TEXT_"} - variables == set(SETTINGS)


def test_every_meta_key_is_listed():
    assert first_column(section(SETTINGS_PAGE, "Request meta")) == [META_KEY, RESULT_META_KEY]


def test_every_field_is_listed_in_order():
    assert first_column(section(FIELDS, "Fields").partition("### Summary")[0]) == list(EXTRACTION_FIELDS)


def write_type(kind):
    """Return what the reference calls the plain data of a field of this type."""
    inner = get_args(kind)
    if NoneType in inner:
        return f"{write_type(inner[0])} or None"
    if get_origin(kind) is tuple:
        return f"list of {write_type(inner[0]).replace('dict', 'dicts')}"
    return "str" if get_origin(kind) is Literal else "dict" if hasattr(kind, "__annotations__") else kind.__name__


def test_the_types_of_the_fields_are_those_of_the_records():
    kinds = {**get_type_hints(Metadata), **get_type_hints(Extraction), "summary": dict}
    rows = re.findall(
        r"^\| `(\w+)` \| ([\w ]+) \|", section(FIELDS, "Fields").partition("### Summary")[0], re.MULTILINE
    )
    assert dict(rows) == {name: write_type(kinds[name]) for name in EXTRACTION_FIELDS}


def test_every_key_of_the_summary_is_listed_in_order():
    named = re.findall("`(\\w+)`", section(FIELDS, "Summary"))
    assert named == ["summary", *Extraction(method="model", low_confidence=True).summary]


def test_every_method_is_named():
    (row,) = re.findall(r"^\| `method` \| str \| (.*) \|$", read_page(FIELDS), re.MULTILINE)
    assert set(re.findall("`(.*?)`", row)) == set(get_args(Method))


def test_the_components_are_where_the_addon_places_them():
    settings = Settings()
    Addon.update_pre_crawler_settings(settings)
    Addon().update_settings(settings)
    rows = re.findall(r"^\| `([\w.]+)` \| `([A-Z_]+)` \| (\d+) \|$", section(SETTINGS_PAGE, "Components"), re.MULTILINE)
    assert rows.pop(0) == ("scrapy_web2text.Addon", "ADDONS", "300")
    for path, setting, place in rows:
        # The add-on places some as classes, some by their paths.
        placed = {getattr(key, "__name__", key): number for key, number in settings.getdict(setting).items()}
        assert int(place) in {placed.get(path), placed.get(path.rpartition(".")[2])}
    before = Settings()
    ours = {setting for setting in settings if setting not in before or settings[setting] != before[setting]}
    assert ours == {setting for _, setting, _ in rows} | {"FEED_EXPORTERS", "LOG_FORMATTER"}


def causes_of(text: str) -> dict[str, str]:
    """Return reason -> cause from the tables in *text*; settings have the names of their options."""
    rows = re.findall(r"^\| `(\w+)` \| (.*?) \|", text, re.MULTILINE)
    return {reason: re.sub("`WEB2TEXT_([A-Z_]+)`", lambda match: match[1].lower(), cause) for reason, cause in rows}


def test_every_reason_is_listed_once_with_its_sentence():
    reasons = section(FIELDS, "Reasons")
    assert len(first_column(reasons)) == len(REASONS)
    assert causes_of(reasons) == REASONS


def test_the_reasons_of_skipped_pages_have_a_table():
    table = section(FIELDS, "Reasons").partition("`web2text/skipped/")[2].partition("Otherwise")[0]
    assert sorted(first_column(table)) == sorted(get_args(SkipReason))


def test_every_stat_is_listed_in_order():
    names = [f"web2text/{stat}" if kind is None else f"web2text/{stat}/<{kind}>" for stat, kind in STATS.items()]
    assert first_column(section(FIELDS, "Stats")) == names


def test_every_field_of_blocks_paragraphs_and_metadata_is_listed():
    block = Block(0, "", Label.CONTENT, None, "p", "")
    assert first_column(section("output.md", "Blocks")) == list(block.to_dict(BLOCK_FIELDS))
    assert first_column(section("output.md", "Paragraphs")) == list(Paragraph("", "code", (), None).to_dict())
    assert first_column(section("output.md", "Chunks")) == list(Chunk.__struct_fields__)
    (sample,) = re.findall("^```json\n(.*?)^```", section("output.md", "Metadata"), re.MULTILINE | re.DOTALL)
    assert list(json.loads(sample)) == list(Metadata.__struct_fields__)


@pytest.mark.parametrize("name", [*FORMS, "paragraphs", "chunks", "blocks", "metadata"])
def test_every_form_has_a_section(name):
    assert re.search(rf"^## {name}$", read_page("output.md"), re.MULTILINE | re.IGNORECASE)


@pytest.mark.parametrize("name", TREES)
def test_every_classifier_is_listed_with_its_thresholds(name):
    rows = [line for line in read_page("rules.md").split("\n") if line.startswith(f"| `{name}` |")]
    thresholds = [dict(re.findall(r"`(\w+)` ([\d.]+)", row)) for row in rows]
    expected = {key: f"{value:g}" for key, value in TREES[name].thresholds.items()}
    assert thresholds == [expected]


@pytest.mark.parametrize("name", [*FILTERS, *OTHER_RULES])
def test_all_other_rules_are_named(name):
    assert f"`{name}`" in section("rules.md", "Names")


def test_every_kind_of_paragraph_is_listed():
    (row,) = re.findall(r"^\| `kind` \| (.*) \|$", read_page("output.md"), re.MULTILINE)
    assert re.findall("`(.*?)`", row) == list(get_args(ParagraphKind))


def test_every_element_of_the_html_is_listed():
    (line,) = re.findall(r"^- Elements: `([^`]*)`", section("output.md", "HTML"), re.MULTILINE)
    others = "blockquote br dl figure hr img ol p table tbody tfoot thead tr ul".split()
    assert line.split() == sorted({*INLINE, *LINE_TAGS, *TIGHT_TAGS, *others})


def test_exit_codes_are_those_of_the_page(tmp_path, capsys, monkeypatch):
    page = tmp_path / "page.html"
    page.write_text("<p>A page.</p>")
    codes = [cli.main(["extract", str(page), "--model", "shallow"]), cli.main(["extract", str(tmp_path / "no.html")])]
    with pytest.raises(SystemExit) as caught:
        cli.main(["extract"])
    codes += [caught.value.code, DIFFERENT]
    monkeypatch.setattr(cli, "_run", lambda argv: (_ for _ in ()).throw(KeyboardInterrupt))
    codes.append(cli.main([]))
    monkeypatch.setattr(cli, "_run", lambda argv: (_ for _ in ()).throw(BrokenPipeError))
    monkeypatch.setattr(output, "_discard_output", lambda: None)
    codes.append(cli.main([]))
    capsys.readouterr()
    listed = re.findall(r"^\| (\d+) \|", read_page("commands.md"), re.MULTILINE)
    assert [int(code) for code in listed] == codes


def test_the_options_of_the_commands_are_named(capsys):
    for command in ("batch --help-all", "diff --help", "extract --help-all", "view --help-all"):
        with pytest.raises(SystemExit):
            cli.main(command.split())
    has = set(re.findall(r"--[a-z]+", capsys.readouterr().out)) - {"--help"}
    named = set(re.findall(r"--[a-z]+", read_page("commands.md"))) - {"--help"}
    of_options = {re.match("--[a-z]+", argument_name(name))[0] for name in OPTIONS}
    others = {"--spider", "--corpus", "--data", "--split", "--splits", "--part", "--labels", "--version", "--pages"}
    of_tuning = {"--base", "--site", "--seed", "--threads"}
    assert has >= of_options
    assert has - of_options == named - others - of_tuning - of_options - {"--reader", "--port"}


def test_prose_is_at_most_120_columns_wide():
    long = []
    for page in (*DOCS.rglob("*.md"), *RESEARCH.glob("*.md")):
        prose = re.sub(r"^( *)```.*?^\1```$", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
        lines = [line for line in prose.splitlines() if not re.match(r"\s*\||.* Default: |\S+$", line)]
        long += [(page.name, line) for line in lines if len(line) > 120]
    assert long == []


def list_anchors(text: str) -> set[str]:
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in re.findall(r"(?m)^#+ (.+)$", text)}


def test_links_lead_to_files_and_headings():
    pages = [*DOCS.glob("*.md"), *RESEARCH.glob("*.md"), *ROOT.glob("*.md"), *ROOT.glob("models/*/*.md")]
    links = [
        (page, *link.partition("#")[::2])
        for page in (*pages, ROOT / "example_project/README.md", ROOT / "research/README.md")
        if page.exists()
        for link in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8"))
        if "://" not in link
    ]
    assert len(links) > 200
    missing = []
    for page, target, anchor in links:
        file = page.parent / target if target else page
        if not file.exists() or (anchor and anchor not in list_anchors(file.read_text(encoding="utf-8"))):
            missing.append(f"{page.name}: {target}#{anchor}")
    assert missing == []


def test_images_are_small_and_those_of_the_script_that_takes_them():
    pages = [*DOCS.glob("*.md"), DOCS.parent / "README.md"]
    shown = {name for page in pages for name in re.findall(r"\]\((?:docs/)?([\w-]+\.webp)\)", page.read_text("utf-8"))}
    script = (DOCS / "screenshots.py").read_text(encoding="utf-8")
    names = re.findall(r'\("([\w-]+)", (?:view|edit|compare)\(', script)
    images = {path.name: path.stat().st_size for path in DOCS.glob("*.webp")}
    assert shown == {f"{name}-{scheme}.webp" for name in names for scheme in ("light", "dark")} == set(images)
    assert max(images.values()) <= 110_000
    assert sum(images.values()) <= 617_000
