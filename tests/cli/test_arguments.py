"""Tests of the arguments for the options of an extraction."""

from __future__ import annotations

import argparse
import re
from dataclasses import fields

import pytest

from scrapy_web2text import Options
from scrapy_web2text.cli.arguments import add_option_arguments, arguments_to_options, number, whole_number
from scrapy_web2text.common.checks import POSITIVE_WHOLE, SHARE


@pytest.fixture
def parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="x")
    add_option_arguments(parser, blocks="all")
    return parser


def test_without_arguments_the_options_are_the_defaults(parser):
    assert arguments_to_options(parser.parse_args([])) == Options()


@pytest.fixture
def whole_help(parser, capsys):
    """What ``--help-all`` prints."""
    with pytest.raises(SystemExit, match="0"):
        parser.parse_args(["--help-all"])
    return capsys.readouterr().out


def test_every_option_has_an_argument_in_their_order(whole_help):
    help_text = whole_help.partition("\n\n")[2]
    listed = [name.removeprefix("no-") for name in re.findall(r"^  --([\w-]+)", help_text, re.MULTILINE)]
    assert [*dict.fromkeys(listed)] == [
        "url-from",
        "sites",
        "help-all",
        *(field.name.replace("_", "-") for field in fields(Options)),
    ]


def test_the_whole_help_has_groups(whole_help):
    groups = re.findall(r"^(\S.*):$", whole_help, re.MULTILINE)
    assert groups == ["options", "model", "content", "parts of json", "all formats", "limits of a page"]


@pytest.mark.parametrize(
    ("arguments", "changes"),
    [
        ("--fallback None", {"fallback": None}),
        ("--fragment true", {"fragment": True}),
        ("--include main --include .a", {"include": ("main", ".a")}),
        ("--languages en,de", {"languages": ("en", "de")}),
        ("--block-fields text,label", {"block_fields": ("text", "label")}),
        ("--no-page-kind --timeout none --max-blocks 5", {"page_kind": False, "timeout": None, "max_blocks": 5}),
        ("--links text --tables drop --title include --max-bytes none",
         {"links": "text", "tables": "drop", "title": "include", "max_bytes": None}),
        ("--threshold 0.4 --decoder marginal", {"threshold": 0.4, "decoder": "marginal"}),
        ("--min-confidence 0.5", {"min_confidence": 0.5}),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
def test_arguments_become_options(parser, arguments, changes):
    assert arguments_to_options(parser.parse_args(arguments.split())) == Options(**changes)


@pytest.mark.parametrize(
    ("read", "good", "bad", "expected"),
    [
        (whole_number, "3", ("0", "-1", "x", "1.5", "none"), "a whole number above 0"),
        (number(float, SHARE), "0.5", ("1.5", "-0.1", "nan", "x", "none"), "a number from 0 to 1"),
        (number(int, POSITIVE_WHOLE.or_none), "None", ("0", "x"), "a whole number above 0 or none"),
    ],
    ids=["whole", "share", "none"],
)
def test_a_number_is_one_that_its_rule_allows(read, good, bad, expected):
    assert str(read(good)) == good
    for text in bad:
        with pytest.raises(argparse.ArgumentTypeError, match=f"^expected {expected}, got '{text}'$"):
            read(text)
