"""The reference pages list what the code has: nothing is missing on either side."""

from __future__ import annotations

import ast
import re
from dataclasses import fields
from pathlib import Path
from typing import Literal, get_args, get_origin, get_type_hints

import pytest
from documents import DOCS, code_blocks, first_column, read_page, section, setting_entries
from scrapy.settings import Settings

import scrapy_web2text
from scrapy_web2text import Addon, Block, Extraction, Label, Options, Web2TextSettings
from scrapy_web2text.cli import main as cli
from scrapy_web2text.content.html import _TAGS
from scrapy_web2text.content.paragraphs import Paragraph, ParagraphKind
from scrapy_web2text.crawl.extractor import FINGERPRINT_META_KEY, RESULT_META_KEY
from scrapy_web2text.crawl.settings import META_KEY
from scrapy_web2text.extraction import EXTRACTION_FIELDS, Method
from scrapy_web2text.metadata.read import METADATA_FIELDS

REFERENCE = "reference.md"
FOLDER = Path(scrapy_web2text.__file__).parent
OPTIONS = [f"WEB2TEXT_{field.name.upper()}" for field in fields(Options)]
OF_THE_CRAWL = [
    f"WEB2TEXT_{field.name.upper()}" for field in fields(Web2TextSettings) if field.name not in ("options", "sources")
]
ENTRIES = setting_entries(read_page(REFERENCE))
# What is written down where a default is no value of Python's.
DEFAULTS_IN_WORDS = {"WEB2TEXT_WORKERS": "2 threads, or one process per available CPU"}
_TYPES = get_type_hints(Options) | get_type_hints(Web2TextSettings)


def attribute(name: str) -> str:
    return name.removeprefix("WEB2TEXT_").lower()


def test_every_setting_has_an_entry_in_its_section():
    assert sorted(setting_entries(section(REFERENCE, "Options"))) == sorted(OPTIONS)
    assert sorted(setting_entries(section(REFERENCE, "Crawl settings"))) == sorted(OF_THE_CRAWL)
    assert sorted(ENTRIES) == sorted(OPTIONS + OF_THE_CRAWL)


@pytest.mark.parametrize("name", sorted(set(ENTRIES) - set(DEFAULTS_IN_WORDS)))
def test_a_default_is_that_of_the_code(name):
    written = ast.literal_eval(ENTRIES[name].default)
    place = Options() if name in OPTIONS else Web2TextSettings()
    actual = getattr(place, attribute(name))
    if name == "WEB2TEXT_STATUSES":
        assert Web2TextSettings.from_settings(Settings({name: written})).statuses == actual
    else:
        assert (written, type(written)) == (actual, type(actual))


def test_defaults_in_words_are_those_of_the_page():
    assert {name: ENTRIES[name].default for name in DEFAULTS_IN_WORDS} == DEFAULTS_IN_WORDS


@pytest.mark.parametrize("name", sorted(ENTRIES))
def test_the_values_of_a_choice_are_all_listed(name):
    hint = _TYPES[attribute(name)]
    kinds = get_args(hint) if get_origin(hint) is not Literal else (hint,)
    choices = [repr(value) for kind in kinds for value in get_args(kind) if get_origin(kind) is Literal]
    if hint is bool:
        choices = ["True", "False"]
    listed = [value.replace('"', "'") for value in ENTRIES[name].values] if choices else []
    assert sorted(listed) == sorted(choices)


def test_the_line_for_scrapy_lint_names_every_setting():
    (block,) = [block for block in code_blocks("toml", pages=("recipes.md",)) if "[tool.scrapy-lint]" in block.text]
    assert re.findall(r'"(\w+)"', block.text) == sorted(OPTIONS + OF_THE_CRAWL)


def test_every_setting_that_a_page_names_is_one():
    pages = [*DOCS.glob("*.md"), DOCS.parent / "README.md"]
    named = {name for page in pages for name in re.findall(r"\bWEB2TEXT_[A-Z_]+\b", page.read_text(encoding="utf-8"))}
    assert named - {"WEB2TEXT_"} == set(OPTIONS + OF_THE_CRAWL)


def test_every_meta_key_is_listed():
    assert first_column(section(REFERENCE, "Request meta")) == [META_KEY, RESULT_META_KEY, FINGERPRINT_META_KEY]


def test_every_field_is_listed_in_order():
    assert first_column(section(REFERENCE, "Fields").partition("### Summary")[0]) == list(EXTRACTION_FIELDS)


def test_every_key_of_the_summary_is_listed_in_order():
    assert first_column(section(REFERENCE, "Summary")) == list(Extraction(method="model", low_confidence=True).summary)


def test_every_method_is_named():
    (row,) = re.findall(r"^\| `method` \| str \| (.*) \|$", read_page(REFERENCE), re.MULTILINE)
    assert set(re.findall("`(.*?)`", row)) == set(get_args(Method))


def test_the_components_are_where_the_addon_places_them():
    settings = Settings()
    Addon.update_pre_crawler_settings(settings)
    Addon().update_settings(settings)
    rows = re.findall(r"^\| `([\w.]+)` \| `([A-Z_]+)` \| (\d+) \|$", section(REFERENCE, "Components"), re.MULTILINE)
    assert rows.pop(0) == ("scrapy_web2text.Addon", "ADDONS", "300")
    for path, setting, place in rows:
        # The add-on places some as classes, some by their paths.
        placed = {getattr(key, "__name__", key): number for key, number in settings.getdict(setting).items()}
        assert int(place) in {placed.get(path), placed.get(path.rpartition(".")[2])}
    before = Settings()
    ours = {setting for setting in settings if setting not in before or settings[setting] != before[setting]}
    assert ours == {setting for _, setting, _ in rows} | {"FEED_EXPORTERS"}


# The code itself, for what no list in it holds: the reasons and the stats that its calls name.


def calls(*names: str) -> list[tuple[str, ast.Call]]:
    """Return the calls of functions or methods with these names in the package, with the files they are in."""
    return [
        (path.relative_to(FOLDER).as_posix(), node)
        for folder in (".", "page", "labelers", "crawl", "cli")
        for path in sorted((FOLDER / folder).glob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in names
    ]


def constants(*nodes: ast.AST) -> set[str]:
    """Return the texts among *nodes*, or at one of their ends: ``a or "b"``."""
    ends = [end for node in nodes for end in (node.values if isinstance(node, ast.BoolOp) else [node])]
    return {end.value for end in ends if isinstance(end, ast.Constant) and isinstance(end.value, str)}


def returned_by(module: str, function: str) -> set[str]:
    tree = ast.parse((FOLDER / module).read_text(encoding="utf-8"))
    (found,) = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name == function]
    return constants(*(node.value for node in ast.walk(found) if isinstance(node, ast.Return) and node.value))


def assigned_to(module: str, name: str) -> set[str]:
    tree = ast.parse((FOLDER / module).read_text(encoding="utf-8"))
    return {
        text
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == name
        for text in constants(node.value)
    }


def code_reasons() -> set[str]:
    """Return every reason that some call, return or assignment in the package names."""
    reasons = returned_by("crawl/gates.py", "skip_reason") | returned_by("extractor.py", "_find_doubt")
    reasons |= assigned_to("extractor.py", "reason")
    for module, call in calls(
        "PageError", "_fall_back", "skip", "_failed_line", "Extraction", "MainContent", "__init__"
    ):
        if ast.unparse(call.func) == "super().__init__" and module != "exceptions.py":
            continue
        reasons |= constants(*(keyword.value for keyword in call.keywords if keyword.arg == "fallback_reason"))
        if ast.unparse(call.func).rpartition(".")[2] not in ("Extraction", "MainContent"):
            reasons |= {text for text in constants(*call.args[:2]) if re.fullmatch("[a-z_]+", text)}
    for name in code_stats():
        prefix, _, reason = name.partition("/")
        reasons |= {reason} if prefix == "skipped" and "<" not in reason else set()
    return reasons


def code_stats() -> set[str]:
    """Return the names of all stats that the package counts; what is computed stands as ``<>``."""
    names = set()
    for _, call in calls("count"):
        argument = call.args[0]
        if isinstance(argument, ast.JoinedStr):
            parts = (part.value if isinstance(part, ast.Constant) else "<>" for part in argument.values)
            names.add("".join(map(str, parts)))
        elif isinstance(argument, ast.Constant) and len(argument.value) > 1:
            names.add(argument.value)
    return names


def test_every_reason_is_listed_once():
    listed = first_column(section(REFERENCE, "Reasons"))
    assert len(listed) == len(set(listed))
    assert set(listed) == code_reasons()


def test_the_reasons_of_the_rules_page_are_among_them():
    listed = set(first_column(section(REFERENCE, "Reasons")))
    assert set(first_column(section("rules.md", "When the rules answer for a model"))) < listed


def test_every_stat_is_listed():
    listed = {re.sub("<.*?>", "<>", name) for name in first_column(section(REFERENCE, "Stats"))}
    named = {f"web2text/{name}" for name in code_stats()}
    # Reasons that are written out in the code are rows of their own on the page, in another table.
    assert {name for name in named if not re.fullmatch("web2text/skipped/[a-z_]+", name)} == listed


def test_every_field_of_blocks_paragraphs_and_metadata_is_listed():
    block = Block(0, "", Label.CONTENT, None, "p", "")
    assert first_column(section("output.md", "Blocks")) == list(block.to_dict())
    assert first_column(section("output.md", "Paragraphs")) == list(Paragraph("", "code", (), None).to_dict())
    assert first_column(section("output.md", "Metadata")) == list(METADATA_FIELDS)


def test_every_kind_of_paragraph_is_listed():
    (row,) = re.findall(r"^\| `kind` \| (.*) \|$", read_page("output.md"), re.MULTILINE)
    assert re.findall("`(.*?)`", row) == list(get_args(ParagraphKind))


def test_every_element_of_the_html_is_listed():
    (line,) = re.findall(r"^- Elements: `([^`]*)`", section("output.md", "HTML"), re.MULTILINE)
    assert line.split() == sorted(_TAGS)


def test_exit_codes_are_those_of_the_page(tmp_path, capsys, monkeypatch):
    page = tmp_path / "page.html"
    page.write_text("<p>A page.</p>")
    codes = [cli.main(["extract", str(page), "--model", "shallow"]), cli.main(["extract", str(tmp_path / "no.html")])]
    with pytest.raises(SystemExit) as caught:
        cli.main(["extract"])
    codes.append(caught.value.code)
    monkeypatch.setattr(cli, "_run", lambda argv: (_ for _ in ()).throw(KeyboardInterrupt))
    codes.append(cli.main([]))
    monkeypatch.setattr(cli, "_run", lambda argv: (_ for _ in ()).throw(BrokenPipeError))
    monkeypatch.setattr(cli, "close_output", lambda: None)
    codes.append(cli.main([]))
    capsys.readouterr()
    listed = re.findall(r"^\| (\d+) \|", section(REFERENCE, "Commands"), re.MULTILINE)
    assert [int(code) for code in listed] == codes


def test_the_options_of_the_commands_are_named(capsys):
    for command in ("batch", "extract"):
        with pytest.raises(SystemExit):
            cli.main([command, "--help"])
    has = set(re.findall(r"--[a-z]+", capsys.readouterr().out)) - {"--help"}
    named = set(re.findall(r"--[a-z]+", section(REFERENCE, "Commands"))) - {"--help"}
    assert has == named - {"--spider", "--corpus", "--data"}
