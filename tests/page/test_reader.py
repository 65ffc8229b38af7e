"""The compiled reader does what the one in Python does."""

from __future__ import annotations

import importlib
import os
import re
import subprocess
import sys
from contextlib import nullcontext
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from strategies import html_trees
from trees import every_tree

from scrapy_web2text.common.budget import Budget
from scrapy_web2text.common.compiled import reason_for_python
from scrapy_web2text.exceptions import PageTimeout
from scrapy_web2text.page import arrays, browser_tree, formulas, image_texts, reader
from scrapy_web2text.page.arrays import Page, tree_to_page
from scrapy_web2text.page.parse import to_tree
from scrapy_web2text.page.reader import IN_PYTHON, AttributeKind, empty_rules, hash_name
from scrapy_web2text.page.sheet_selectors import can_match
from scrapy_web2text.page.sheets import empty_others, list_rules

ARRAYS = (
    *("name_numbers", "strays", "parents", "tags", "ends", "open_slots", "close_slots", "slot_elements"),
    *("slot_has_text", "leaf_slots"),
)
NAME, WHOLE, MARK = AttributeKind.NAME, AttributeKind.WHOLE, AttributeKind.MARK
XHTML = "http://www.w3.org/1999/xhtml"


@pytest.fixture(scope="module")
def compiled():
    return pytest.importorskip("scrapy_web2text.page._reader", reason="there is no compiled reader")


def read_with(module, root: etree._Element) -> Page:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(arrays, "reader", module)
        patch.setattr(browser_tree, "reader", SimpleNamespace(**{**vars(reader), **vars(module)}))
        patch.setattr(formulas, "reader", module)
        patch.setattr(image_texts, "reader", module)
        return tree_to_page(root)


def read_values(module, page: Page, *names: str) -> list[list[tuple[int, str]]]:
    columns = module.read_values(page.elements, np.arange(page.n_elements), names)
    return [[*column.items()] for column in columns]


def read_attributes(module, page: Page) -> dict[str, list]:
    kinds = {"class": NAME | WHOLE, "id": NAME, "hidden": MARK, "style": MARK, "itemprop": NAME | MARK}
    fields = module.read_attributes(
        page.elements, np.arange(page.n_elements), lambda name: kinds.get(name, -1), lambda *texts: len("".join(texts))
    )
    return {name: [str(values.dtype), *values.tolist()] for name, values in fields.items()}


def check_readers(compiled, root: etree._Element) -> None:
    slow, fast = (read_with(module, root) for module in (IN_PYTHON, compiled))
    for name in ARRAYS:
        one, other = getattr(slow, name), getattr(fast, name)
        assert (name, one.dtype, one.tolist()) == (name, other.dtype, other.tolist())
    assert (slow.names, slow.texts, slow.n_elements) == (fast.names, fast.texts, fast.n_elements)
    assert [element.tag for element in slow.elements] == [element.tag for element in fast.elements]
    same = [one is other for one, other in zip(slow.elements, fast.elements, strict=True)]
    assert {slow.elements[i].tag for i in np.flatnonzero(~np.array(same))} <= {etree.Comment}  # those of stray texts
    names = ("class", "hidden", "style", "href")
    assert read_values(IN_PYTHON, slow, *names) == read_values(compiled, fast, *names)
    found = [*root.iter(), *root.itersiblings(), "a text", 1.0][::2]
    marks = [module.mark_elements(page.elements, found) for module, page in ((IN_PYTHON, slow), (compiled, fast))]
    assert marks[0].dtype == marks[1].dtype == bool
    assert marks[0].tolist() == marks[1].tolist()
    assert read_attributes(IN_PYTHON, slow) == read_attributes(compiled, fast)


@given(html=html_trees())
def test_the_readers_agree_on_generated_pages(compiled, html):
    check_readers(compiled, to_tree(html))


@every_tree
def test_the_readers_agree_on_handwritten_and_hostile_pages(compiled, make_tree):
    check_readers(compiled, make_tree())


@pytest.mark.parametrize(
    "page",
    [
        "<html><body>a<!-- b -->c<?d?>e<p>f</p><![CDATA[g]]></body></html>",
        "<!DOCTYPE p [<!ENTITY e 'x'><!ENTITY m '<b>y</b>'>]><p class='1&e;2'>a&e;b&m;c<i href='&lt;'/>d</p>",
        f"<html xmlns='{XHTML}' xmlns:o='urn:x'><body><o:p o:class='x' class='y'>a</o:p><P>b</P><x-y/>c</body></html>",
        "<p><template>a<p>b<template>c</template>d</p>e</template>f<script>g</script>h</p>",
        "<p>\u00a0<b>\u3000</b> <i>\u200b</i>\u00a0x<u>\t\u2003\n</u></p>",
        "<p class='' hidden='' style='é'>\u20ac</p>",
    ],
    ids=["comments", "entities", "namespaces", "templates", "whitespace", "values"],
)
def test_the_readers_agree_on_xml(compiled, page):
    check_readers(compiled, etree.fromstring(page, etree.XMLParser(resolve_entities=False)))
    check_readers(compiled, etree.fromstring(page))


def test_the_readers_agree_on_texts_in_pieces(compiled):
    root = to_tree("<p>a<b>b</b>c<i>d</i>e</p>")
    b, i = root.find(".//b"), root.find(".//i")
    b.text, b.tail, i.text = etree.CDATA("x"), "", " \t"
    root.find(".//p").remove(i)  # the text after it goes with it
    root.find(".//p").text = "  "
    check_readers(compiled, root)


def test_the_readers_agree_on_a_part_of_a_tree(compiled):
    root = to_tree("<div>a<p class=x>b</p>c</div>d")
    check_readers(compiled, root.find(".//div"))
    check_readers(compiled, etree.Comment("x"))


def test_the_compiled_reader_creates_an_element_once(compiled):
    root = to_tree("<p>a<p>b</body>c")
    elements = read_with(compiled, root).elements
    assert elements[1] is elements[1] is root.find(".//p")
    assert elements[-1].tag is etree.Comment
    for i in (-5, 4):
        with pytest.raises(IndexError):
            elements[i]


def read_while(compiled, root: etree._Element, edit) -> None:
    """Read *root* with a function that edits it as soon as the first name is looked up."""
    edits = [edit]

    def number_of(name: str) -> int:
        while edits:
            edits.pop()(root)
        return 0

    compiled.read_nodes([root], {}, number_of, [1], bool, np.zeros(2, dtype=bool), -1)


@pytest.mark.parametrize(
    "edit",
    [lambda root: root.extend(etree.Element(f"x{i}") for i in range(100)), lambda root: root.clear()],
    ids=["more", "fewer"],
)
def test_a_tree_that_is_edited_while_it_is_read_is_an_error_not_a_crash(compiled, edit):
    with pytest.raises(RuntimeError, match="the tree was edited while it was read"):
        read_while(compiled, etree.fromstring("<a><b/><b/></a>"), edit)


def test_the_readers_look_at_the_time_while_they_read(compiled):
    root = to_tree("<p>a" * 2_000)
    indices = np.arange(2_000)
    for module in (compiled, IN_PYTHON):
        page = read_with(module, root)
        for read in (
            lambda: module.read_nodes([root], {}, lambda name: 0, [1], bool, np.zeros(2, dtype=bool), -1),  # noqa: B023
            lambda: module.read_values(page.elements, indices, ()),  # noqa: B023
            lambda: module.read_attributes(page.elements, indices, lambda name: -1, lambda *texts: 0),  # noqa: B023
        ):
            read()
            with Budget(timeout=0).running(), pytest.raises(PageTimeout):
                read()


def test_names_are_split_into_words():
    words = hash_name("camelCase kebab-case snake_case 42")
    assert words == hash_name("camel case kebab case snake case")
    assert len(words) == 6
    assert hash_name("HTMLPage") == hash_name("html page")
    assert hash_name("") == []


def test_only_the_beginning_of_a_long_name_counts():
    assert len(hash_name("w " * 1000)) == 12
    assert len(hash_name("word" * 1000)) == 1
    assert hash_name("word" * 1000) == hash_name("word" * 50)


NAME_TEXT = st.text(st.sampled_from([*"abzAZ09-_ é\u00dfİ中🙂"]), max_size=20)


@given(names=st.lists(NAME_TEXT | NAME_TEXT.map(lambda text: 20 * text), max_size=8), targets=st.lists(st.text("#h/t")))
def test_the_readers_agree_on_names_and_links(compiled, names, targets):
    links = [f"<a href='{target}'>a</a>" for target in targets]
    check_readers(compiled, to_tree("".join([*(f"<p class='{name}' id='{name}'>a</p>" for name in names), *links])))


SHEET_SIGNS = st.sampled_from([*"{}{}{}.#ab-_;,:()[]\\@é中 >\x1c?\x7f9", ".a", "#b"])


NOISE = st.sampled_from(
    ["/*", "*/", "url(", '"', "'", "\\", "\n", "{", ";", "a", "é", "中", "🙂", " ", "(", ")", "/", "*", "u"]
)


@given(sheet=st.lists(NOISE, max_size=20).map("".join))
def test_the_readers_agree_on_the_noise_of_sheets(compiled, sheet):
    assert compiled.drop_noise(sheet) == IN_PYTHON.drop_noise(sheet)


@given(sheet=st.lists(SHEET_SIGNS, max_size=40).map("".join))
def test_the_readers_agree_on_rules_that_match_nothing(compiled, sheet):
    names = {".a", "#b", ".ab", ".a-"}
    assert compiled.empty_rules(sheet, names) == IN_PYTHON.empty_rules(sheet, names)


SELECTORS = st.sampled_from(
    [".a", "#b", ".c", "p", ".a .c", ".a,.c", ".c,.d", ".c:not(.a)", ".a:not(.c)", ".a[x=c]", ".a:is(.c,.d)", "&.c", ""]
)
RULES = st.builds("{}{{{}}}".format, SELECTORS, st.sampled_from(["display:none", "x:url(a)", ""]))
SHEETS = st.recursive(
    RULES | st.sampled_from(["}", ";", "@import x;", "{", "@layer z;"]),
    lambda inner: st.builds(
        "{}{{{}}}".format, SELECTORS | st.sampled_from(["@media print", "@layer a"]), st.lists(inner).map("".join)
    ),
)


@given(sheet=st.lists(SHEETS).map("".join))
def test_empty_rules_are_those_that_are_not_kept(sheet):
    names = {".a", "#b"}

    def keep(selector: str) -> bool:
        return can_match(selector, names, {"p"})

    kept = [*list_rules(sheet, "", keep)]
    assert [*list_rules(sheet, "", keep, partial(empty_rules, names=names))] == kept
    shown = [*list_rules(sheet, "", keep, partial(empty_others, wanted=re.compile("display")))]
    assert [rule for rule in shown if "display" in rule.declarations] == [
        rule for rule in kept if "display" in rule.declarations
    ]


def test_the_readers_agree_on_more_words_than_are_expected_at_first(compiled):
    check_readers(compiled, to_tree("".join(f"<p class='a b c d e f g h i j k l m{i}'>a" for i in range(300))))


def test_many_different_names_are_told_apart(compiled):
    check_readers(compiled, to_tree("".join(f"<x{i} class={i} y{i}=z>a</x{i}>" for i in range(3_000))))


@pytest.mark.parametrize(
    ("lxml", "libxml2", "works"), [(6, 2, True), (7, 2, False), (5, 2, False), (6, 3, False)], ids=str
)
def test_the_compiled_reader_refuses_versions_of_lxml_that_it_does_not_know(monkeypatch, lxml, libxml2, works):
    monkeypatch.setattr(etree, "LXML_VERSION", (lxml, 9, 0, 0))
    monkeypatch.setattr(etree, "LIBXML_VERSION", (libxml2, 15, 1))
    with pytest.raises(ImportError, match="expected lxml 6 with libxml2 2, got") if not works else nullcontext():
        reader.check_lxml()


def test_with_another_lxml_one_warning_says_so_and_pages_are_read_in_python(compiled):
    code = """
from lxml import etree
etree.LIBXML_VERSION = (3, 0, 1)
from scrapy_web2text import extract
from scrapy_web2text.page.reader import IN_PYTHON, read_nodes
print(read_nodes is IN_PYTHON.read_nodes, bool(extract("<p>a<p>b").n_blocks), bool(extract("<p>a<p>b").n_blocks))
"""
    environment = {name: value for name, value in os.environ.items() if name != "WEB2TEXT_NO_NATIVE"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "True", "True"]
    (warning,) = done.stderr.splitlines()
    assert warning.endswith(f"expected lxml 6 with libxml2 2, got {etree.__version__} with 3.0.1")


def test_the_name_of_the_reader_is_that_of_the_one_in_use():
    found = importlib.reload(reader)
    expected = (
        ("reader in Python", True) if found.read_nodes is found.IN_PYTHON.read_nodes else ("compiled reader", False)
    )
    assert (found.READER_NAME, "longer" in found.READER_COST) == expected


@pytest.mark.parametrize(
    ("wish", "spec", "reason"),
    [
        ("1", None, "as WEB2TEXT_NO_NATIVE=1 asks"),
        ("", None, "as it was not compiled"),
        ("", object(), "as the compiled module does not work here"),
    ],
)
def test_the_reason_for_the_reader_in_python_is_known(monkeypatch, wish, spec, reason):
    monkeypatch.setenv("WEB2TEXT_NO_NATIVE", wish)
    monkeypatch.setattr("scrapy_web2text.common.compiled.find_spec", lambda name: spec)
    assert reason_for_python("scrapy_web2text.page.reader") == reason
