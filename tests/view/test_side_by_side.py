"""Texts side by side, in a real browser."""

from __future__ import annotations

import pytest
from view.browser import find_low_contrasts
from xss import VECTORS

from scrapy_web2text.view.comparison import PageChange, PageChanges, compare_page, compare_texts
from scrapy_web2text.view.document import write_comparison

LINES = [f"Line {i} of the story" for i in range(40)]
CHANGED = [*LINES[:10], "Line ten of another story", *LINES[11:30], "An advertisement", *LINES[30:]]
SCRIPTS = "\n".join(["</script><script>document.title = 'taken'</script>", *VECTORS])

pytestmark = pytest.mark.browser


@pytest.fixture
def show(open_html):
    """Open the comparison of pairs of texts."""

    def show(*pairs, totals=None, items=({"title": "Title"}, {}), **options):
        pages = []
        for number, texts in enumerate(pairs):
            found = compare_texts(*texts)
            change = PageChange(f"page {number}", found.f1, found.gained.total(), found.lost.total())
            first = {"confidence": 0.75, "model": "old", **items[0], "title": f"{items[0]['title']} {number}"}
            pages.append(compare_page(change, (first, texts[0]), (items[1], texts[1]), ["old", "new"]))
        return open_html(write_comparison(pages, "old and new", totals), **options)

    return show


def marked(viewer, tag):
    return viewer.tab.locator(f"#rows {tag}").all_inner_texts()


def test_what_changed_is_marked_on_its_side(show):
    viewer = show(("\n".join(LINES), "\n".join(CHANGED)))
    assert viewer.read("title") == "Title 0"
    assert viewer.read("facts") == "F1 .985 · +4 −2 words"
    assert viewer.read("before").split("\n\n") == ["old", "confidence .750"]
    assert marked(viewer, "del") == ["10 ", "the "]
    assert marked(viewer, "ins") == ["ten ", "another ", "An advertisement"]
    assert (viewer.reports, len(viewer.requests)) == ([], 1)


def test_equal_lines_are_hidden_until_they_are_asked_for(show):
    viewer = show(("\n".join(LINES), "\n".join(CHANGED)))
    folds = viewer.tab.locator(".fold")
    assert folds.all_inner_texts() == ["Show 8 equal lines", "Show 15 equal lines", "Show 8 equal lines"]
    assert not viewer.tab.get_by_text("Line 5 of the story").first.is_visible()
    folds.first.click()
    assert viewer.tab.get_by_text("Line 5 of the story").first.is_visible()
    viewer.press("e")
    assert {text.split()[0] for text in folds.all_inner_texts()} == {"Hide"}
    viewer.press("e")
    assert {text.split()[0] for text in folds.all_inner_texts()} == {"Show"}


def test_keys_move_through_changes_and_pages(show):
    viewer = show(("\n".join(LINES), "\n".join(CHANGED)), ("a", "b"), ("a", "a b"))
    now = viewer.tab.locator(".row.now")
    viewer.press("j")
    assert "Change 1 of 2" in viewer.read("place")
    viewer.press("j")
    assert "An advertisement" in now.inner_text()
    viewer.press("j", "k", "k")
    assert "Change 1 of 2" in viewer.read("place")
    viewer.press("Escape")
    assert now.count() == 0
    viewer.press("p")
    viewer.wait(2)
    assert viewer.read("title") == "Title 2"
    assert "page 2 · F1" in viewer.tab.locator("nav [aria-current]").inner_text()
    viewer.press("n")
    viewer.wait(0)
    viewer.press("?")
    assert viewer.tab.locator("dialog").is_visible()
    viewer.press("Escape")
    viewer.tab.locator("#next").click()
    assert now.count() == 1
    assert viewer.reports == []


def test_whole_lines_are_set_off_and_equal_facts_are_left_out(show):
    items = ({"title": "a", "model": "same", "confidence": 0.5}, {"model": "same", "confidence": 0.6})
    viewer = show(("one two\nall of this line", "one three"), items=items)
    assert [viewer.read(side).split("\n\n")[1] for side in ("before", "after")] == [
        "confidence .500",
        "confidence .600",
    ]
    struck = "(found) => found.map((part) => getComputedStyle(part).textDecorationLine)"
    assert viewer.tab.locator("#rows del").evaluate_all(struck) == ["line-through", "none"]
    assert viewer.tab.locator(".whole").all_inner_texts() == ["all of this line"]


def test_a_line_break_that_changed_is_seen(show):
    viewer = show(("a b", "a b\n"))
    assert marked(viewer, "ins") == ["↵"]


def block(text, probability):
    return {"text": text, "label": "content" if probability > 0.5 else "boilerplate", "probability": probability}


def test_lines_that_changed_have_their_probabilities_before_and_after(show):
    items = (
        {"title": "a", "blocks": [block("The harbor", 0.91), block("Accept all cookies", 0.62), block("5", 0.7)]},
        {"blocks": [block("The harbor", 0.92), block("Accept all", 0.13), block("cookies", 0.2)]},
    )
    viewer = show(("The harbor\n- Accept all  cookies\n5\nelsewhere", "The harbor"), items=items)
    assert viewer.tab.locator(".line small").all_inner_texts() == [".62 → .13", ".70 → –"]
    assert ".62 → .41 probability" in viewer.read("tools")
    assert "probability" not in show(("a", "b")).read("tools")


def test_the_totals_are_shown_above_the_pages(show):
    changes = PageChanges(5)
    changes.add("https://x.example/1", compare_texts("a\nold lamp", "a"))
    changes.add("https://x.example/2", compare_texts("b\nold lamp", "b"))
    viewer = show(("a", "b"), totals=changes.to_dict())
    assert viewer.read("totals") == "2 of 2 pages changed · mean F1 .500 · +0 −4 words"
    viewer.tab.locator("#totals summary").click()
    assert viewer.tab.locator("#totals dd").all_inner_texts() == ["old lamp"]
    assert "line lost: 2 of 2 pages of x.example" in viewer.read("totals")
    assert viewer.reports == []


def test_the_direction_of_each_line_follows_from_its_text(show):
    viewer = show(("جسر\nbridge\nنهر\nنهر", "جسر\nنهر"))
    aligned = """(found) => found.map((part) => {
        const range = document.createRange();
        range.selectNodeContents(part);
        const line = part.parentElement.closest(".row > div").getBoundingClientRect();
        return range.getClientRects()[0].left - line.left > line.width / 2;
    })"""
    assert viewer.tab.locator("#rows del").evaluate_all(aligned) == [False, True]
    assert (
        viewer.tab.locator(".equal > div:first-child").evaluate_all(
            "(found) => found.map((part) => getComputedStyle(part).unicodeBidi)"
        )
        == ["plaintext"] * 2
    )


def test_hostile_texts_stay_inert(show):
    viewer = show((SCRIPTS, SCRIPTS.upper()))
    viewer.press("j", "e")
    viewer.tab.wait_for_timeout(300)
    assert viewer.requests == [viewer.tab.url]
    assert viewer.reports == []
    assert viewer.tab.title() == "old and new - web2text"
    inside = viewer.tab.locator("#rows *").evaluate_all("(found) => found.map((element) => element.localName)")
    assert set(inside) <= {"div", "span", "ins", "del", "button"}


def test_long_texts_stay_usable(show):
    before = "\n".join(f"Line {i} has words" for i in range(20_000))
    viewer = show((before, before.replace("7 has", "7 had")))
    viewer.press("j", "k", "e", "e")
    assert viewer.read("place") == "Change 2,000 of 2,000"
    assert viewer.reports == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_all_texts_have_the_contrast_of_wcag_aa(show, scheme):
    viewer = show(("\n".join(LINES), "\n".join(CHANGED)), ("a", "b"), color_scheme=scheme)
    viewer.press("j", "e")
    assert find_low_contrasts(viewer.tab) == []


def test_a_narrow_screen_needs_no_sideways_scrolling(show):
    viewer = show(("word " * 50, "words " * 50 + "w" * 300), ("a", "b"), viewport={"width": 360, "height": 640})
    assert viewer.tab.evaluate("() => document.documentElement.scrollWidth") <= 360


def test_equal_lines_are_there_once_on_a_narrow_screen(show):
    viewer = show(("\n".join(LINES), "\n".join(CHANGED)), viewport={"width": 360, "height": 640})
    assert viewer.tab.get_by_text("Line 0 of the story").filter(visible=True).count() == 0
    assert viewer.tab.get_by_text("Line 9 of the story").filter(visible=True).count() == 1
    assert viewer.tab.locator(".fold").first.inner_text() == "Show 9 equal lines"


def test_a_page_without_a_text_on_one_side_says_so_and_is_never_shown_as_equal(show):
    viewer = show((LINES[0], ""), ("word " * 5_000, "word " * 5_000 + "more"))
    assert viewer.tab.locator("#rows [data-empty]").evaluate_all("(all) => all.map((each) => each.dataset.empty)") == [
        "No text."
    ]
    assert (marked(viewer, "del"), marked(viewer, "ins")) == ([LINES[0]], [])
    assert viewer.tab.locator("nav small").last.inner_text() == "page 1 · F1 .999 · +1 −0"


@pytest.mark.parametrize(("n", "said"), [(10, "All 10 texts are equal"), (1, "The text of the only page is equal")])
def test_equal_texts_need_no_tools(browser, tmp_path, n, said):
    changes = PageChanges(5)
    for number in range(n):
        changes.add(f"page {number}", compare_texts("a", "a"))
    path = tmp_path / "view.html"
    path.write_text(write_comparison([], "old and new", {"settings": {}, **changes.to_dict()}), encoding="utf-8")
    tab = browser.new_page()
    reports = []
    tab.on("pageerror", lambda error: reports.append(str(error)))
    tab.goto(path.as_uri())
    assert tab.inner_text("#title") == said
    assert not any(tab.is_visible(name) for name in ("#tools", "main", "nav"))
    tab.keyboard.press("j")
    assert reports == []
    tab.close()
