"""The table of forms, and everything derived from it."""

from __future__ import annotations

import argparse
import json
import shutil
from dataclasses import fields
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from subprocesses import run_python

import scrapy_web2text
from scrapy_web2text import Extraction, Extractor, Options, Web2TextSettings
from scrapy_web2text.cli.arguments import add_option_arguments, arguments_to_options
from scrapy_web2text.content import markdown
from scrapy_web2text.content.content import select_content
from scrapy_web2text.content.formats import FORMATS
from scrapy_web2text.content.forms import FORMS, OPTIONAL_PARTS, Form, write_forms
from scrapy_web2text.extraction import EXTRACTION_FIELDS
from scrapy_web2text.page.arrays import tree_to_page
from scrapy_web2text.page.blocks import TEXT_LEAVES, segment
from scrapy_web2text.page.parse import to_tree

PACKAGE = Path(scrapy_web2text.__file__).parent
PAGE = "<body><h1>The bridge</h1>" + "<p>The old bridge over the river was rebuilt by the people of the town.</p>" * 4

every_form = pytest.mark.parametrize("form", FORMS.values(), ids=list(FORMS))
every_part = pytest.mark.parametrize("name", OPTIONAL_PARTS)


@every_form
def test_the_writer_of_a_form_exists(form):
    module, _, function = form.writer.rpartition(".")
    assert callable(getattr(import_module(module), function))
    assert form.source is None or form.source in FORMS


@every_part
def test_a_part_is_a_field_of_options_and_extractions_and_empty_by_default(name):
    assert getattr(Options(), name) is False
    assert getattr(Extraction(), name) in (None, ())
    assert name in EXTRACTION_FIELDS


def test_only_parts_are_asked_for_by_flags():
    flags = [field.name for field in fields(Options) if field.type == "bool" and field.default is False]
    assert flags == list(OPTIONAL_PARTS)


@every_part
def test_an_answer_holds_a_part_only_if_an_option_asks_for_it(name):
    plain = Extractor(model="shallow").extract(PAGE)
    asked = Extractor(Options(model="shallow", **{name: True})).extract(PAGE)
    assert getattr(plain, name) in (None, ())
    assert getattr(asked, name) not in (None, ())
    assert set(asked.to_dict()) - set(plain.to_dict()) == {name}
    assert asked.to_dict()[name] == asked.field(name)


@every_part
def test_a_field_of_items_asks_for_its_part(name):
    options = Web2TextSettings.from_settings({"WEB2TEXT_FIELDS": {"x": name}}).options
    assert [part for part in OPTIONAL_PARTS if getattr(options, part)] == [name]


@every_part
def test_a_part_is_a_command_line_argument(name):
    parser = argparse.ArgumentParser()
    add_option_arguments(parser, blocks="none")
    options = arguments_to_options(parser.parse_args([f"--{name}"]))
    assert [part for part in OPTIONAL_PARTS if getattr(options, part)] == [name]
    assert OPTIONAL_PARTS[name] in " ".join(parser.format_help().split())


@every_form
def test_a_form_is_printed_in_its_format(form):
    formats = [name for name, format_ in FORMATS.items() if format_.options.get(form.name)]
    assert formats == ([form.output_format] if form.output_format else [])


def test_a_form_that_others_are_converted_from_is_written_once(monkeypatch):
    asked = []
    monkeypatch.setattr(
        "scrapy_web2text.content.html.content_html", lambda content: asked.append(content) or "<p>x</p>"
    )
    page = tree_to_page(to_tree(PAGE))
    blocks = segment(page, TEXT_LEAVES)
    content = select_content(page, blocks, np.zeros(blocks.n_blocks, dtype=np.int64))
    assert write_forms(content, ["markdown", "html"], Form.write) == {"markdown": "x", "html": "<p>x</p>"}
    assert asked == [content]
    assert write_forms(content, [], Form.write) == {}
    assert markdown.html_to_markdown("") == ""


# Adding a fifth form to a copy of the package.

OUTLINE = '''
"""The headings of the main content."""

from scrapy_web2text.content.text import write_lines
from scrapy_web2text.page.arrays import HEADING_TAGS


def content_outline(content):
    groups = [group for groups in content.paragraphs(content.lines) for group in groups]
    headings = [lines[0] for at, lines in groups if at and at[-1].tag in HEADING_TAGS]
    return "\\n".join(write_lines(content, headings))
'''
ROW = 'Form("outline", "its headings", "scrapy_web2text.content.outline.content_outline", output_format="outline"),'
CHANGES = {
    "content/forms.py": ("    for form in (\n", f"        {ROW}\n"),
    "options.py": ("    paragraphs: bool = False\n", "    outline: bool = False\n"),
    "extraction.py": ("    paragraphs: tuple[Paragraph, ...] = ()\n", "    outline: str | None = None\n"),
}
USE = """
import argparse, json, logging, sys
logging.disable()  # the rules warn that the copy has no table of probabilities
sys.path.insert(0, {folder!r})
from scrapy_web2text import Extraction, Extractor, Options, Web2TextSettings
from scrapy_web2text.cli.arguments import add_option_arguments, arguments_to_options
from scrapy_web2text.content.formats import FORMATS
from scrapy_web2text.content.escaping import drop_forbidden

extraction = Extractor(model="shallow:all", outline=True).extract({page!r})
parser = argparse.ArgumentParser()
add_option_arguments(parser, blocks="none")
settings = Web2TextSettings.from_settings({{"WEB2TEXT_FIELDS": {{"headings": "outline"}}}})
try:
    Options(outline=1)
except ValueError as error:
    message = str(error)
print(json.dumps([
    extraction.outline,
    extraction.to_dict()["outline"],
    extraction.field("outline"),
    settings.options.outline,
    arguments_to_options(parser.parse_args(["--outline"])).outline,
    FORMATS["outline"].write(extraction),
    drop_forbidden(Extraction(outline="a\\0")).outline,
    message,
    "outline" in Extractor(model="shallow").extract({page!r}).to_dict(),
]))
"""


def test_a_fifth_form_is_a_file_and_a_row_and_two_typed_fields(tmp_path):
    shutil.copytree(PACKAGE, tmp_path / PACKAGE.name, ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / PACKAGE.name / "content" / "outline.py").write_text(OUTLINE, encoding="utf-8")
    for name, (line, new) in CHANGES.items():
        path = tmp_path / PACKAGE.name / name
        source = path.read_text(encoding="utf-8")
        assert source.count(line) == 1
        path.write_text(source.replace(line, line + new), encoding="utf-8")
    answers = json.loads(run_python(USE.format(folder=str(tmp_path), page=PAGE)))
    assert answers == [
        *["The bridge"] * 3,
        *[True] * 2,
        "The bridge",
        "a",
        "outline: expected True or False, got 1",
        False,
    ]
