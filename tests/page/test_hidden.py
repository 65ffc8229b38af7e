"""Texts that a reader does not see."""

from __future__ import annotations

from time import thread_time

import numpy as np
import pytest

from scrapy_web2text.common.budget import Budget
from scrapy_web2text.page.arrays import tree_to_page
from scrapy_web2text.page.hidden import mark_hidden_slots
from scrapy_web2text.page.parse import to_tree


def find_hidden(body, head=""):
    """Return the texts of a page that are hidden."""
    page = tree_to_page(to_tree(f"<html><head>{head}</head><body>{body}</body></html>"))
    slots = mark_hidden_slots(page, np.arange(page.n_leaves))
    return [] if slots is None else [page.texts[leaf] for leaf in np.flatnonzero(slots[page.leaf_slots]).tolist()]


@pytest.mark.parametrize(
    "attributes",
    [
        "hidden",
        'hidden="hidden"',
        'aria-hidden="true"',
        'style="display:none"',
        'style="color: red; DISPLAY : none !important"',
        'style="visibility: hidden"',
        'style="visibility:collapse;"',
        'style="font-size:0"',
        'style="font-size: 0px; color: red"',
        'style="position:absolute; left:-9999px"',
        'style="position: fixed; top: -10000em"',
        'style="position:absolute; left: -999em"',
        'style="opacity:0"',
        'style="color: red; opacity: 0.0 !important"',
        'style="text-indent:-9999px"',
        'style="height:0; overflow:hidden"',
        'style="overflow: hidden; max-height: 0px; width: 1px"',
        'style="position: absolute; clip: rect(0 0 0 0)"',
        'style="position: absolute; clip: rect(1px, 1px, 1px, 1px)"',
        'style="clip-path: inset(50%)"',
        'class="sr-only"',
        'class="note screen-reader-text"',
        'class="gone"',
        'id="gone"',
    ],
)
@pytest.mark.parametrize("tag", ["p", "div", "section"])
def test_a_hidden_element_is_found_with_all_inside(tag, attributes):
    head = "<style>.seen{color:red}.gone,.other{display:none}</style><style>#gone { visibility: hidden }</style>"
    assert find_hidden(f"<p>One<{tag} {attributes}>Two<b>three</b></{tag}><p>Four", head) == ["Two", "three"]


@pytest.mark.parametrize(
    "body",
    [
        "<div hidden=until-found>Two</div>",
        "<div aria-hidden=false>Two</div>",
        "<p>Now <del aria-hidden=true>$5</del>",
        '<p style="display:nonesuch; font-size:0.9em; left:-3px">Two',
        '<p style="font-size:05px; height:0">Two',
        '<p style="height:10px; overflow:hidden">Two',
        '<a style="text-indent:-9999px" href="/">Two</a>',
        '<h1 style="text-indent:-9999px">Two</h1>',
        "<p class=sr-only-focusable>Two",
        # What a reader opens.
        "<details><summary>One</summary><div aria-hidden=true hidden>Two</div></details>",
        "<h3>One</h3><div style='display:none'>Two</div><h3>Three</h3><div style='display:none'>Four</div>",
        "<button>One</button><div style='display:none'>Two</div>",
        "<b>One?</b><p style='display:none'>Two</p><b>Three?</b><p style='display:none'>Four</p>",
        "<div><a onclick='toggle()'>One</a></div><div><div style='display:none'>Two</div></div>",
        "<a role=tab>One</a><p>Three</p><div role=tabpanel hidden>Two</div>",
        "<ul><li><a href='#two'>One</a></ul><div><div class='tab-pane fade' style='display:none'>Two</div></div>",
        "<a href='#more'>More</a><p>One</p><div id=more style='display:none'>Two</div>",
        "<a aria-controls='more other'>More</a><p>One</p><div id=more hidden>Two</div>",
        "<dialog open>Two</dialog>",
        # What scripts show: the parts that React streams, and elements that appear as a reader scrolls.
        """<div hidden id=S:1>Two</div><script>$RC("B:1", "S:1")</script>""",
        "<p>One<div style='opacity:0'>Two</div><p style='opacity: 0.0;'>Three",
        "<p>One<div aria-hidden=true>Two</div><div aria-hidden=true>Three</div>",
        "<my-slides style='visibility:hidden'>Two</my-slides>",
        # Styles that are undone.
        "<div style='font-size:0'><div style='font-size:16px'>Two</div></div>",
        "<p style='width:1px;min-width:100%;overflow:hidden'>Two",
        "<style>.x{display:none}</style><p class=x style='display:block'>Two",
        "<style media=print>.x{display:none}</style><p class=x>Two",
        "<noscript><style>.x{display:none}</style></noscript><p class=x>Two",
        "<button>Next</button><p>Three</p><div class=mySlides>One</div><div class=mySlides hidden>Two</div>",
        '<p style="opacity:0.5">Two',
        # The rest of a text, with a button after it; questions that are links, labels or plain text.
        "<p>One <span style='display:none'>Two</span></p><button onclick='show()'>Read more</button>",
        "<p>One</p><p hidden>Two</p><a href='#'>Read more</a>",
        "<p>One</p><p hidden>Two</p><script>show()</script><span role=button>More</span>",
        "<a href='#'>One?</a><div style='display:none'>Two</div>",
        "<h4><a href='#one'>One</a></h4><div style='display:none'>Two</div>",
        "<input type=checkbox id=x><label for=x>One</label><div style='display:none'>Two</div>",
        "<div>One?</div><div style='display:none'>Two</div><div>Three?</div><div style='display:none'>Four</div>",
        "<li data-tab=two>One</li><p>Three</p><div id=two style='display:none'>Two</div>",
        "<li data-tab=two>One</li><p>Three</p><div data-tab=two style='display:none'>Two</div>",
        "<button popovertarget=two>One</button><p>Three</p><div popover id=two>Two</div>",
        "<h3>One<style>a{}</style></h3><div style='display:none'>Two</div><h3>Three</h3><div style='display:none'>Four",
        "<div style='height:50%;max-height:100%;overflow:hidden'>Two</div>",
        # What a rule of a sheet shows in another state, near something to click.
        "<style>.x{display:none}.open .x{display:block}</style><a href='#'>One</a><p>Three</p><p class=x>Two",
    ],
)
def test_what_a_reader_sees_or_opens_is_not_hidden(body):
    assert find_hidden(body) == []


@pytest.mark.parametrize(
    "body",
    [
        "<p>One<dialog><p>Two</dialog>",
        "<nav><a href='#menu'>Menu</a><div id=menu style='display:none'>Two</div></nav>",
        "<h3>One</h3><div style='display:none'>Two</div>",
        "<h3>One</h3><p hidden>Two<h3>Three</h3><p hidden>Two",
        "<p>One<div style='display:none'>Two</div><p>One<div style='display:none'>Two</div>",
        "<p>One<p style='visibility:hidden'>Two<p>One<p style='visibility:hidden'>Two",
        "<p>One<p hidden>Two<p>One<form><button type=submit>Search</button></form>",
        "<p>One<p hidden>Two</p><a href='/three'>Three</a>",
        "<div>One <a href='#'>link</a> of <a href='#'>many</a></div><div style='display:none'>Two</div>",
    ],
)
def test_what_nothing_opens_is_hidden(body):
    assert set(find_hidden(body)) == {"Two"}


@pytest.mark.parametrize(
    ("sheet", "is_hidden"),
    [
        (".x{display:none}", True),
        ("/* x */.x{display:none}", True),
        ("p.y, .x , .z{color:red;display: none!important}", True),
        ("@media print{.y{color:red}} .x{visibility:hidden}", True),
        ("@media print{.x{display:none}}", False),
        (".x{display:none}@media (min-width:600px){.x{display:block}}", False),
        (".js .x{display:none}", False),
        ("p.x{display:none}", True),
        ("p.x{display:none} .x{display:block}", True),
        (".x{position:absolute; left:-9999px}", True),
        (".y{display:block} /* .z */ .x{margin-left:-999em}", True),
        (".x{letter-spacing:-999}", False),
        (".x{opacity:0}", False),
        (".x:before{display:none}", False),
        (".x{display:none} .x:before, .x::after{display:block} .x > b{display:inline} .x .y{display:block}", True),
        (".x{display:none} .x.open, .y{display:block}", True),
        ("/* .x{display:none} */ .y{color:red}", False),
        (".xy{display:none}", False),
        ("div.x{display:none}", False),
        (".x{display:none", True),
        (".x{color:red", False),
        ("display:none", False),
        ("}{display:none}}{.x", False),
    ],
)
def test_only_rules_for_all_screens_hide_by_a_single_name(sheet, is_hidden):
    assert find_hidden("<p>One<p class='a x'>Two", f"<style>{sheet}</style>") == (["Two"] if is_hidden else [])
    assert find_hidden("<p>One<p id=x>Two", f"<style>{sheet.replace('.x', '#x')}</style>") == (
        ["Two"] if is_hidden else []
    )


def test_very_large_style_sheets_are_not_read():
    sheet = f"<style>{'.a{color:red}' * 80_000}.x{{display:none}}</style>"
    assert find_hidden("<p>One<p class=x>Two", sheet) == []


def test_sheets_that_take_too_long_cost_no_text():
    """Reading sheets has a share of the time; a page with an odd one keeps its text, and what its own styles hide."""
    sheet = f"<style>{''.join(f'.x:not(.y{i}){{display:none}}' for i in range(20_000))}</style>"
    body = f"<p>One<p hidden>Two{'<p class=x>Three' * 3_000}"
    with Budget(timeout=0.5).running():
        assert find_hidden(body, sheet) == ["Two"]


@pytest.mark.parametrize(
    "sheet",
    [
        ".a{display:none} " + ".a{" * 160_000,
        "display:none " * 40_000,
        ".a{" + "none " * 100_000,
        "/*" * 200_000,
        "'\\n" * 200_000,
        "@media x{" * 60_000,
        ".a,.a" * 100_000 + "{display:none}",
        ".a{.b,.b{" * 50_000,
        ":not(" * 90_000 + "{display:none}",
        ".a" + " .a" * 60 + "{display:none}",
        "@layer a,b;" * 40_000,
    ],
    ids=range(11),
)
def test_reading_sheets_takes_little_time(sheet):
    begin = thread_time()
    find_hidden("<p class=a>One" + "<div class=a>" * 500, f"<style>{sheet}</style>")
    assert thread_time() - begin < 5


@pytest.mark.parametrize("head", ["<thead class=sr-only><tr>{}</thead>", "<tr class=visually-hidden>{}</tr>"])
def test_the_head_of_a_table_is_not_hidden_from_those_who_do_not_see_the_table(head):
    head = head.format("<th>Lamp<th>Oil")
    assert find_hidden(f"<table>{head}<tr><td>One<td>Two</table><p class=sr-only>Secret") == ["Secret"]


NESTED = "<div class=a>" * 90 + "<p class=c>Two" + "</div>" * 90


@pytest.mark.parametrize(
    ("head", "body"),
    [
        # Selectors that can match in very many ways, but do not match.
        ("<style>.z .a .a .a .a .a .a .a .c{display:none}</style>", f"<p class=z>One</p>{NESTED}"),
        ("<style>.z~.a~.a~.a~.a~.a~.a~.c{display:none}</style>", f"<p class=z>One</p><div>{NESTED[:1]}"),
        (
            "<style>:is(:is(:is(:is(.z .a) .a) .a) .a) .c{display:none}</style>",
            f"<p class=z>One</p>{NESTED}",
        ),
        ("<style>.z .a:not(.b .b) .a .a .a .a .c{display:none}</style>", f"<p class=z>One</p>{NESTED}"),
        # Custom properties that repeat each other.
        (
            "",
            f"<p style='display:var(--a);--a:{'var(--b)' * 3_000};--b:{'var(--c)' * 3_000};--c:{'var(--d)' * 9}'>One",
        ),
        (f"<style>:root{{--a:{'var(--b)' * 3_000};--b:{'var(--a)' * 3_000}}}</style>", "<p style=display:var(--a)>One"),
        # Rules for all elements.
        (f"<style>{'.a{display:none}' * 10_000}</style>", "<p class=a>One" * 5_000),
        (f"<style>{''.join(f'.a{{display:none;x:{i}}}' for i in range(5_000))}</style>", "<p class=a>One" * 5_000),
        (
            f"<style>{''.join(f'.a:not(.a):not(.b{i}){{display:none}}' for i in range(5_000))}</style>",
            "<p class=a>One" * 5_000,
        ),
        (
            f"<style>{''.join(f'.a{{display:block;x:{i}}}' for i in range(5_000))}</style>",
            "<p class=a hidden>One" * 5_000,
        ),
        # What hides the text inside, inside itself.
        ("", "<div style=visibility:hidden>" * 1_000 + "<b class=a>One</b>" * 10_000),
        ("", "<p style=font-size:0>One" * 20_000),
        # What can open a text.
        ("", f"<a href=#a>{'<b></b>' * 300}</a>" * 100 + "<p hidden id=a>One" * 10_000),
        ("", f"<button aria-controls=a>{'.' * 500_000}</button>" + "<p hidden id=a>One" * 10_000),
        ("", "<div>" * 200 + "<b></b>" * 50_000 + "</div><div hidden>One</div>" * 200),
        (
            f"<script>{'x' * 2_000_000}</script>",
            "".join(f"<div hidden id='S:{i:x}'>One</div>" for i in range(10_000)),
        ),
        # Names of frameworks.
        (f"<style>{'.a{color:red}' * 20_000}</style>", f"<p class='{'hidden ' * 200_000}'>One"),
    ],
    ids=range(17),
)
def test_no_style_takes_more_time_than_its_length_allows(head, body):
    begin = thread_time()
    find_hidden(body, head)
    assert thread_time() - begin < 5


def test_rules_for_most_elements_are_not_read_but_inline_styles_are():
    sheet = f"<style>{'.a{display:none}' * 2_000}</style>"
    assert find_hidden("<p class=a>One" * 1_000 + "<p style=display:none>Two", sheet) == ["Two"]


@pytest.mark.parametrize(
    ("sheet", "is_hidden"),
    [
        ("main .b .a .x{display:none}", True),
        (".b .b .a .x{display:none}", False),
        (".b > .a .x{display:none}", True),
        (".b .a > .x{display:none}", False),
        (".b + .x{display:none}", True),
        (".b .a i + .b + .x{display:none}", True),
        (".x:not(.b .x){display:none}", False),
        ("MAIN P.x{display:none}", True),
    ],
)
def test_combined_selectors_match_as_in_a_browser(sheet, is_hidden):
    body = (
        "<main><div class=b><div class=a><div><i>One</i><i class=b>One</i><p class=x>Two</p></div></div></div></main>"
    )
    assert find_hidden(body, f"<style>{sheet}</style>") == (["Two"] if is_hidden else [])


def test_text_inside_both_kinds_of_hidden_elements_is_shown_by_its_own_styles_alone():
    body = "<p style=visibility:hidden>Two <b style=visibility:visible>One <i style=visibility:hidden>Two</i></b></p>"
    assert {text.strip() for text in find_hidden(f"<p>One{body}")} == {"Two"}
    both = "<div style='visibility:hidden;font-size:0'><p style='font-size:16px'>Two</p></div>"
    assert find_hidden(f"<p>One{both}") == ["Two"]


@pytest.mark.parametrize(
    ("sheet", "body"),
    [
        # Selectors that the parser or lxml refuses with errors of other kinds.
        ("p[\\7b ]{display:none}", "<p>One"),
        ("p[\\d800]{display:none}", "<p>One"),
        ("p:is(\\)){display:none}", "<p>One"),
        ("p:where(.a\\){display:none}", "<p class=a>One"),
        # Elements inside that show their texts again.
        (".a{font-size:0} .b{font-size:16px}", "<div class=a><div class=b>One</div></div>"),
        (".a{font-size:0} .a>*{font-size:16px}", "<div class=a><div>One</div></div>"),
        (".a{visibility:hidden} .a p{visibility:visible}", "<div class=a><div><p>One</p></div></div>"),
        # What a static page does not decide, and what browsers ignore.
        (".a:not(:first-child){display:none}", "<div><p class=a>One</p></div>"),
        (".a:not(:nth-child(2)){display:none}", "<p class=a>One"),
        (".a:not(:has(b)){display:none}", "<p class=a>One"),
        ("@supports (display:grid) and (foo:bar){.a{display:none}}", "<p class=a>One"),
        ("_:-ms-fullscreen,.a{display:none}", "<p class=a>One"),
        (".a::-moz-selection,.a{display:none}", "<p class=a>One"),
        (".a[class*='']{display:none}", "<p class=a>One"),
        (".a{zoom:0}", "<p class=a>One"),
        # The important values of the first layer are the strongest.
        ("@layer x{.a{display:block!important}} .a{display:none!important}", "<p class=a>One"),
    ],
)
def test_text_that_a_browser_shows_is_not_hidden(sheet, body):
    assert find_hidden(f"{body}</div><p>One", f"<style>{sheet}</style>") == []


@pytest.mark.parametrize(
    "sheet",
    [
        ".a:not(:is(.b)){display:none}",
        ".a:is(.d,.a){display:none}",
        "p:where(.d,.e,.a):not(:is(.b,.c)){display:none}",
        "@layer x{.a{display:none!important}} .a{display:block!important} .a.b{visibility:visible}",
        ".a{visibility:hidden} .a i{visibility:visible}",
    ],
)
def test_commas_and_parentheses_inside_of_parentheses_divide_no_selectors(sheet):
    assert find_hidden("<p class=a>Two</p><p class=b>One", f"<style>{sheet}</style>") == ["Two"]


def test_the_style_of_a_template_is_not_applied():
    assert find_hidden("<template><style>.a{display:none}</style></template><p class=a>One") == []
