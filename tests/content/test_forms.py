"""The parts that an answer has if an option asks for them, and everything derived from them."""

from __future__ import annotations

import argparse
from dataclasses import fields

import pytest

from scrapy_web2text import Extraction, Extractor, Options, Web2TextSettings
from scrapy_web2text.cli.arguments import add_option_arguments, arguments_to_options
from scrapy_web2text.content.forms import OPTIONAL_PARTS
from scrapy_web2text.extraction import EXTRACTION_FIELDS

PAGE = "<body><h1>The bridge</h1>" + "<p>The old bridge over the river was rebuilt by the people of the town.</p>" * 4

every_part = pytest.mark.parametrize("name", OPTIONAL_PARTS)


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


def test_a_form_that_others_are_converted_from_is_written_once(monkeypatch):
    asked = []
    monkeypatch.setattr(
        "scrapy_web2text.answer.sequence.content_html", lambda content: asked.append(content) or "<p>x</p>"
    )
    answer = Extractor(model="shallow", html=True, markdown=True).extract(PAGE)
    assert (answer.html, answer.markdown, len(asked)) == ("<p>x</p>", "x", 1)
