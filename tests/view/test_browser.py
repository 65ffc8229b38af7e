"""The viewer in a real browser."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
from mockserver import SENTENCE
from places import ROOT
from view.browser import contrast, find_low_contrasts, hostile_page

import scrapy_web2text
from scrapy_web2text import Options, extract
from scrapy_web2text.common.display import format_share
from scrapy_web2text.labelers.chain import decode
from scrapy_web2text.reasons import NO_CONTENT
from scrapy_web2text.view.document import write_view
from scrapy_web2text.view.seen import facts_of_item, see_page, write_answer

PAGES = ROOT / "tests" / "pages"
FOLDER = Path(scrapy_web2text.__file__).parent / "view"
SCHEMES = ("light", "dark")

pytestmark = pytest.mark.browser


@pytest.fixture
def show(open_html):
    """Open a viewer of pages, given as bytes or as what the viewer shows of them."""

    def show(*pages, **options):
        seen = [see_page(page, f"page {i}", Options()) if isinstance(page, bytes) else page for i, page in
                enumerate(pages)]  # fmt: skip
        return open_html(write_view(seen), **options)

    return show


def read(name):
    return (PAGES / name).read_bytes()


def draw_chains(n_chains):
    """Return random chains, some with potentials that are clipped, and settings for each."""
    rng = np.random.default_rng(0)
    for _ in range(n_chains):
        n = int(rng.integers(1, 40))
        scale = float(rng.choice([0.5, 3.0, 150.0]))
        yield {
            "odds": rng.normal(0, scale, n).tolist(),
            "pairs": rng.normal(0, scale, (3, n - 1)).tolist(),
            "settings": {
                "lam": float(rng.choice([0.0, 0.7, 1.0, 2.5])),
                "temperature": float(rng.choice([1.0, 1.6])),
                "threshold": float(rng.uniform(0.01, 0.99)),
                "decoder": str(rng.choice(["viterbi", "marginal"])),
            },
        }


def test_a_short_page_after_a_long_one_has_no_chosen_block(show):
    pages = [b"<body>" + b"".join(b"<p>A sentence of page %d, part %d</p>" % (n, i) for i in range(n)) for n in (30, 2)]
    viewer = show(*pages)
    names = viewer.tab.evaluate("() => readData('pages').map(({name}) => name)")
    viewer.tab.locator("nav button").nth(names.index("page 0")).click()
    viewer.wait(names.index("page 0"))
    viewer.press(*["j"] * 20)
    assert " of 30 " in viewer.read("block")
    viewer.tab.locator("nav button").nth(names.index("page 1")).click()
    viewer.wait(names.index("page 1"))
    assert viewer.read("block").startswith("Point at a block")
    assert viewer.reports == []


def test_the_browser_decodes_random_chains_as_python_does(browser):
    chains = list(draw_chains(1000))
    tab = browser.new_page()
    tab.add_script_tag(content=(FOLDER / "assets" / "decode.js").read_text(encoding="utf-8"))
    answers = tab.evaluate("(chains) => chains.map((c) => decodeChain(c.odds, c.pairs, c.settings))", chains)
    tab.close()
    for chain, answer in zip(chains, answers, strict=True):
        settings = chain["settings"]
        odds, pairs = np.array(chain["odds"]), np.array(chain["pairs"]).T.reshape(-1, 3)
        unary = np.stack([np.zeros(len(odds)), odds], axis=1) / settings["temperature"]
        pairwise = np.concatenate([np.zeros((len(pairs), 1)), pairs], axis=1).reshape(-1, 2, 2)
        pairwise *= settings["lam"] / settings["temperature"]
        is_content, probabilities = decode(
            unary, pairwise, decoder=settings["decoder"], threshold=settings["threshold"]
        )
        assert answer["isContent"] == is_content.tolist()
        np.testing.assert_allclose(answer["probabilities"], probabilities, rtol=1e-9, atol=1e-12)


def test_a_page_is_shown_with_the_labels_and_the_text_of_python(show):
    page = read("blog-many-comments.html")
    answer = extract(page)
    viewer = show(page)
    assert viewer.labels == [block.label for block in answer.blocks]
    assert viewer.text == answer.text
    assert viewer.read("title") == answer.title
    assert f"confidence {format_share(answer.confidence)}" in viewer.read("facts")
    assert (viewer.reports, len(viewer.requests)) == ([], 1)


@pytest.mark.parametrize("decoder", ["viterbi", "marginal"])
@pytest.mark.parametrize("threshold", [0.1, 0.9])
def test_the_slider_changes_the_labels_as_the_threshold_does(show, threshold, decoder):
    page = read("blog-many-comments.html")
    viewer = show(page)
    viewer.tab.locator("summary").click()
    viewer.tab.select_option("#decoder", decoder)
    viewer.tab.locator("#threshold").fill(str(threshold))
    answer = extract(page, threshold=threshold, decoder=decoder)
    assert viewer.labels == [block.label for block in answer.blocks]
    assert viewer.read("settings") == f'WEB2TEXT_THRESHOLD = {threshold}\nWEB2TEXT_DECODER = "{decoder}"'
    assert "than in the answer" in viewer.read("changes")
    viewer.press("r")
    assert viewer.labels == [block.label for block in extract(page).blocks]
    assert viewer.read("changes") == ""


def test_lam_weighs_the_pairs(show):
    page = see_page(read("blog-many-comments.html"), "page", Options())
    viewer = show(page)
    viewer.tab.locator("summary").click()
    viewer.tab.locator("#lam").fill("0")
    chain = page["chain"]
    least = np.log(chain["threshold"] / (1 - chain["threshold"]))
    expected = (np.array(chain["odds"]) / chain["temperature"] >= least).astype(int)
    held = [bool(reason) for reason in page["drop_reasons"]]
    assert viewer.labels == np.where(held, 0, expected).tolist()
    assert viewer.read("manifest") == '"lam": 0 in its manifest.json'


def test_page_and_text_are_linked_both_ways(show):
    page = read("blog-many-comments.html")
    answer = extract(page)
    block = next(block for block in answer.blocks if block.label)
    viewer = show(page)
    inside = viewer.tab.frame_locator("#frame")
    inside.locator(f'[data-b="{block.index}"]').first.click()
    assert viewer.tab.locator("#lines [data-now]").inner_text().strip() == block.text
    details = viewer.read("block")
    assert f"Block {block.index + 1} of {answer.n_blocks} · content" in details
    assert f"probability {format_share(block.probability)}" in details
    assert viewer.read("path") == block.path
    last = [block for block in answer.blocks if block.label][-1]
    viewer.tab.locator(f'#lines [data-b="{last.index}"]').click()
    assert inside.locator("[data-now]").first.get_attribute("data-b") == str(last.index)
    viewer.tab.locator("#lines [data-b]:not([hidden])").first.hover()
    assert inside.locator("[data-hot]").count() > 0


def test_keys_move_through_blocks_and_pages(show):
    pages = [read("faq.html"), read("blog-many-comments.html")]
    viewer = show(*pages)
    shown = sorted(map(extract, pages), key=lambda answer: answer.confidence)
    now = viewer.tab.frame_locator("#frame").locator("[data-now]").first
    start = viewer.labels.index(1)
    viewer.press("f", "j", "j", "k", "k")
    assert now.get_attribute("data-b") == str((start or shown[0].n_blocks) - 1)
    viewer.press("Escape")
    assert now.count() == 0
    viewer.press("n")
    viewer.wait(1)
    assert viewer.read("title") == shown[1].title
    viewer.press(">", "<", "<", "d")
    assert 'WEB2TEXT_DECODER = "viterbi"' in viewer.read("settings")
    viewer.press("p")
    viewer.wait(0)
    assert viewer.tab.locator("nav [aria-current]").count() == 1
    viewer.press("?")
    assert viewer.tab.locator("dialog").is_visible()
    viewer.press("Escape")
    assert not viewer.tab.locator("dialog").is_visible()
    assert viewer.reports == []


def test_the_map_is_not_drawn_while_the_next_page_is_loaded(show):
    viewer = show(read("faq.html"))
    viewer.tab.evaluate("""() => {
        frame.contentDocument.documentElement.remove();
        scheduleMap();
        return new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    }""")
    assert viewer.reports == []


def test_keys_work_inside_of_the_page_and_find_unsure_blocks(show):
    page = see_page(read("blog-many-comments.html"), "page", Options())
    unsure = [i for i, value in enumerate(page["probabilities"]) if 0.2 < value < 0.8]
    viewer = show(page)
    inside = viewer.tab.frame_locator("#frame")
    viewer.press("f")
    inside.locator("[data-b]").first.click()
    viewer.press("j")
    now = inside.locator("[data-now]")
    assert now.first.get_attribute("data-b") == "1"
    viewer.press("Escape", "u")
    assert now.count() == 0 if not unsure else now.first.get_attribute("data-b") == str(unsure[0])


def test_an_answer_without_the_page_shows_its_blocks(open_html):
    answer = extract(read("faq.html"))
    viewer = open_html(write_answer(answer))
    assert viewer.labels == [block.label for block in answer.blocks]
    assert viewer.text == answer.text
    assert not viewer.tab.locator("#threshold").is_visible()


def test_a_hostile_page_stays_inert(show):
    viewer = show(hostile_page().encode())
    viewer.tab.wait_for_timeout(500)
    viewer.press("j", "j", ">")
    assert viewer.requests == [viewer.tab.url]
    assert [report for report in viewer.reports if "dialog" in report or "script" in report] == []
    assert viewer.tab.title().endswith("web2text")
    assert len(viewer.tab.frames) == 2
    inside = viewer.tab.frame_locator("#frame").locator("*")
    tags = set(inside.evaluate_all("(found) => found.map((element) => element.localName)"))
    assert tags & {"script", "iframe", "img", "form", "a", "base", "link", "input", "object", "svg"} == set()


def test_scripts_do_not_run_even_if_they_were_not_removed(show):
    page = see_page(read("faq.html"), "page", Options())
    html = "<img src=x onerror='parent.document.title=1'><script>parent.document.title = 'taken'</script>"
    viewer = show({**page, "html": html + '<meta http-equiv="refresh" content="0;url=https://evil.example/">'})
    viewer.tab.wait_for_timeout(500)
    assert viewer.tab.title().endswith("web2text")
    assert viewer.requests == [viewer.tab.url]
    assert viewer.tab.frames[1].url == "about:srcdoc"


def test_a_page_of_20_000_blocks_and_3_megabytes_stays_usable(show):
    body = "".join(f"<p>Paragraph {i}: {'many words of text here ' * 6}</p>" for i in range(20_000))
    viewer = show(f"<html><body>{body}</body></html>".encode())
    assert len(viewer.labels) == 20_000
    viewer.press("j", ">", "k", "<", "r")
    assert "of 20,000" in viewer.read("block")
    assert viewer.reports == []


@pytest.mark.parametrize("scheme", SCHEMES)
def test_all_texts_have_the_contrast_of_wcag_aa(show, scheme):
    viewer = show(read("blog-many-comments.html"), read("cookie-wall.html"), color_scheme=scheme)
    viewer.press("j", "?")
    assert find_low_contrasts(viewer.tab) == []


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_lines_of_labels_and_the_focus_have_the_contrast_of_graphics(show, scheme):
    viewer = show(read("faq.html"), color_scheme=scheme)
    names = ("content", "boilerplate", "focus", "back")
    canvas = """(names) => names.map((name) => {
        const probe = document.body.appendChild(document.createElement("i"));
        probe.style.setProperty("color", `var(--${name})`);
        return getComputedStyle(probe).color.match(/[0-9.]+/g).slice(0, 3).map((value) => value / 255);
    })"""
    *lines, back = viewer.tab.evaluate(canvas, list(names))
    assert [name for name, line in zip(names, lines, strict=False) if contrast(line, back) < 3] == []


def test_a_narrow_screen_needs_no_sideways_scrolling(show):
    viewer = show(read("faq.html"), read("blog-many-comments.html"), viewport={"width": 360, "height": 640})
    assert viewer.tab.evaluate("() => document.documentElement.scrollWidth") <= 360
    places = [viewer.tab.locator(f"#{name}").bounding_box() for name in ("page", "text")]
    assert places[0]["y"] + places[0]["height"] <= places[1]["y"]


IS_SEEN = """(element) => {
    const {top, bottom} = element.getBoundingClientRect();
    const lines = document.getElementById("lines");
    const pane = lines ? lines.getBoundingClientRect()
        : {top: 0, bottom: document.documentElement.clientHeight};
    return top >= pane.top && bottom <= pane.bottom;
}"""


@pytest.mark.parametrize("width", [360, 1200])
def test_a_chosen_block_is_scrolled_to_in_both_panes(show, width):
    page = read("forum-thread.html")
    last = [block.index for block in extract(page).blocks if block.label][-1]
    viewer = show(page, viewport={"width": width, "height": 640})
    viewer.press(*"j" * last, "c")
    assert viewer.tab.frame_locator("#frame").locator("[data-now]").first.evaluate(IS_SEEN)
    # The text scrolls smoothly.
    viewer.tab.wait_for_function(f"() => ({IS_SEEN})(document.querySelector('#lines [data-now]'))")
    assert viewer.tab.evaluate("() => scrollY") == 0


def test_all_controls_have_names_and_are_reached_by_tab(show):
    viewer = show(read("faq.html"), read("blog-many-comments.html"))
    reached = []
    for _ in range(20):
        viewer.press("Tab")
        reached.append(viewer.tab.evaluate("() => document.activeElement.id || document.activeElement.textContent"))
    assert reached[:3] == ["threshold", "Settings", "help"]
    assert {"frame", "lines"} <= {*reached}
    snapshot = viewer.tab.locator("body").aria_snapshot()
    for name in ('slider "threshold', 'combobox "role"', 'navigation "Pages'):
        assert name in snapshot
    assert json.dumps(snapshot).count("iframe") == 1


N_MENU, N_BODY = 80, 40


def outlined(**more):
    """Return what the viewer shows of a page with a long menu, a text, and comments."""
    parts = [("menu", "boilerplate", 0.02, "other")] * N_MENU + [("words", "content", 0.9, "body")] * N_BODY
    parts += [("comment", "boilerplate", 0.1, "comment")] * 5
    names = ("text", "label", "probability", "role")
    rows = [dict(zip(names, (f"{part[0]}{i}", *part[1:]), strict=True)) for i, part in enumerate(parts)]
    text = "\n".join(row["text"] for row in rows if row["label"] == "content")
    spans = [f'<span data-b="{i}">{row["text"]}</span>' for i, row in enumerate(rows)]
    menu, body = (
        "".join(map("<li>{}</li>".format, spans[:N_MENU])),
        "".join(map("<div>{}</div>".format, spans[N_MENU:])),
    )
    html = f"<ul>{menu}</ul>{body}"
    return {**facts_of_item({"blocks": rows, "text": text}, "page"), "html": html, **more}


@pytest.mark.parametrize("n_pages", [1, 2])
@pytest.mark.parametrize("folds", ["", "f"], ids=["folded", "open"])
def test_a_page_opens_where_the_content_begins(show, n_pages, folds):
    viewer = show(*[outlined()] * n_pages)
    viewer.press(*folds, *"n" * (n_pages - 1))
    viewer.wait(n_pages - 1)
    first = f'[data-b="{N_MENU}"]'
    frame = viewer.tab.locator("#frame").bounding_box()
    for pane in (viewer.tab.frame_locator("#frame"), viewer.tab.locator("#lines")):
        assert 0 <= pane.locator(first).bounding_box()["y"] - frame["y"] < 100
    viewer.press("j")
    assert viewer.read("block").startswith(f"Block {N_MENU + 1} of")


def test_runs_of_boilerplate_are_folded_until_they_are_asked_for(show):
    viewer = show(outlined())
    inside = viewer.tab.frame_locator("#frame")
    buttons, hidden = inside.locator("[data-fold]"), inside.locator("[data-b]:not(:visible)")
    assert [text.split("menu")[0] for text in buttons.all_inner_texts()] == [
        f"{N_MENU} blocks",
        "5 blockscomment120 … comment124",
    ]
    assert hidden.count() == N_MENU + 5
    buttons.first.click()
    assert (hidden.count(), buttons.first.get_attribute("aria-expanded")) == (5, "true")
    viewer.press("Enter")
    assert hidden.count() == N_MENU + 5
    viewer.press("k", "k", "j", "j", "j")
    assert viewer.read("block").startswith(f"Block {N_MENU + 2} of")
    viewer.press("f")
    assert hidden.count() == 0
    viewer.press("j", "f")
    assert hidden.count() == N_MENU + 5


def test_pages_without_content_are_not_folded(show):
    page = outlined()
    viewer = show({**page, "labels": [0] * len(page["labels"])})
    assert viewer.tab.frame_locator("#frame").locator("[data-fold]").count() == 0


def test_texts_of_blocks_do_not_run_together(show):
    html = "<span data-b=0>one</span><span data-b=1>two</span><b><span data-b=1>three</span></b><span data-b=1>s</span>"
    item = {"blocks": [{"text": text, "label": "content"} for text in ("one", "two threes")], "text": "one\ntwo threes"}
    viewer = show({**facts_of_item(item, "page"), "html": html})
    assert viewer.tab.frame_locator("#frame").locator("body").inner_text().strip() == "one two threes"


def test_what_a_change_removes_is_struck_through(show):
    page = see_page(read("blog-many-comments.html"), "page", Options())
    viewer = show(page)
    viewer.tab.locator("#threshold").fill("0.99")
    gone = {i for i, label in enumerate(viewer.labels) if page["labels"][i] > label}
    struck = viewer.tab.locator("#lines [data-gone]:visible")
    assert gone
    assert {int(number) for number in struck.evaluate_all("(all) => all.map((each) => each.dataset.b)")} == gone
    assert struck.first.get_attribute("role") == "deletion"
    viewer.press("r")
    assert struck.count() == 0


def test_a_role_shows_its_blocks_alone(show):
    viewer = show(outlined())
    assert viewer.tab.locator("#role option").all_inner_texts() == ["all", "other (80)", "body (40)", "comment (5)"]
    viewer.tab.select_option("#role", "comment")
    assert viewer.tab.frame_locator("#frame").locator("[data-b]:visible").all_inner_texts() == [
        f"comment{i}" for i in range(120, 125)
    ]
    assert viewer.tab.locator("#lines [data-b]:visible").count() == 0


def test_the_legend_fits_the_method_and_the_tools_one_line(show):
    viewer = show(read("faq.html"), viewport={"width": 1440, "height": 900})
    boxes = [viewer.tab.locator(name).bounding_box() for name in ("#tools", "#threshold", "#help")]
    assert boxes[0]["height"] < 60
    assert boxes[2]["y"] < boxes[1]["y"] + boxes[1]["height"]
    assert viewer.tab.locator(".unsure:visible").count() == 1
    viewer = show(see_page(read("faq.html"), "page", Options(include=("body",))))
    assert viewer.tab.locator(".unsure:visible, #dropped:visible").count() == 0


def test_the_map_scrolls_the_page(show):
    viewer = show(outlined())
    box = viewer.tab.locator("#map").bounding_box()
    viewer.tab.mouse.click(box["x"] + 5, box["y"] + box["height"] - 2)
    pane = "frame.contentDocument.scrollingElement"
    assert viewer.tab.evaluate(f"() => {pane}.scrollHeight - {pane}.clientHeight - {pane}.scrollTop") < 5


def test_a_page_is_printed_whole(show):
    viewer = show(outlined())
    assert len(re.findall(rb"/Type /Page\b", viewer.tab.pdf())) > 1
    assert viewer.tab.evaluate("() => frame.style.height") == ""


def test_a_page_without_blocks_says_why_it_has_no_answer(show):
    viewer = show(see_page(b"%PDF-1.7", "page", Options()))
    assert viewer.read("reason").startswith("No answer: the content is not HTML")
    assert viewer.tab.locator("#lines").get_attribute("data-empty") == "No answer."
    assert not viewer.tab.locator("#folds").is_visible()


def test_a_block_says_why_it_was_dropped(show):
    page = see_page(read("cookie-wall.html"), "page", Options())
    block = page["drop_reasons"].index("verdict")
    viewer = show(page)
    inside = viewer.tab.frame_locator("#frame").locator(f'[data-b="{block}"]').first
    inside.click()
    assert "dropped because the page has no content by its kind" in viewer.read("block")
    assert "no content by its kind" in viewer.read("reason")
    viewer.press(">")
    assert 1 in viewer.labels
    assert "dropped" not in viewer.read("block")


def test_the_direction_of_a_paragraph_is_that_of_its_text(show):
    text = "هذا نص. " * 30
    viewer = show(f"<p>{text}</p><p>{'Words of a page. ' * 30}</p>".encode())
    styles = "[...document.querySelectorAll('#lines .line')].map(e => getComputedStyle(e).unicodeBidi)"
    assert {*viewer.tab.evaluate(styles)} == {"plaintext"}
    frame = viewer.tab.frames[1]
    found = "[...document.querySelectorAll('div')].map(e => getComputedStyle(e).unicodeBidi)"
    assert set(frame.evaluate(found)) == {"plaintext"}


def test_a_long_title_leaves_room_for_the_page(show):
    viewer = show(f"<title>{'W' * 3000}</title><p>{'Words of a page. ' * 30}</p>".encode())
    assert viewer.tab.evaluate("document.querySelector('h1').offsetHeight") < 120


def test_the_text_is_set_as_what_it_is_on_the_page(show):
    page = b"""<h1>Boats of the bay</h1><p>%s</p><ul><li>%s</li></ul><table><tr><th>Boat</th><th>Built</th><th>Crew</th>
    </tr><tr><td>Curlew</td><td></td><td>Eleven hands in all</td></tr></table><pre>row = 1
    - 2</pre><blockquote>%s</blockquote>"""
    viewer = show(page.replace(b"%s", b"Many words of this page, one after another. " * 9))
    lines = viewer.tab.locator("#lines .line:visible")
    kinds = lines.evaluate_all("(found) => found.map((line) => line.className.slice(5))")
    assert kinds == ["h1", "", "item", "row", "row", "pre", "blockquote"]
    assert lines.nth(4).locator(".cell").all_inner_texts() == ["Curlew\t\t", "", "Eleven hands in all\n"]


def test_pages_are_listed_by_title_and_site_and_doubts_are_marked(show):
    low = {"confidence": 0.2, "low_confidence": True, "page_kind": "login", "url": "https://a.example/x"}
    items = [
        {"title": "A page", "text": "x", **low},
        {"confidence": 0.9, "page_kind": "content", "text": "x"},
        {**low, "page_kind": "content", "text": "x"},
    ]
    viewer = show(*(facts_of_item(item, f"file {i}") for i, item in enumerate(items)))
    listed = viewer.tab.locator("nav button")
    names = ["A page\na.example · login", "file 2\nconfidence .200", "file 1\nconfidence .900"]
    assert listed.all_inner_texts() == names
    assert [each.locator("mark").all_inner_texts() for each in listed.all()] == [["login"], ["confidence .200"], []]


def test_a_narrow_screen_has_details_once_a_block_is_chosen(show):
    viewer = show(read("faq.html"), viewport={"width": 390, "height": 844})
    details = viewer.tab.locator("#info")
    assert not details.is_visible()
    viewer.press("j")
    assert details.is_visible()


@pytest.mark.parametrize("keys", ["", "l"], ids=["outline", "look"])
def test_a_page_opens_without_a_cut_line(show, keys):
    viewer = show(read("forum-thread.html"), viewport={"width": 1200, "height": 500})
    viewer.press(*keys)
    viewer.wait()
    cut = """() => [...frame.contentDocument.querySelectorAll("[data-b], [data-fold]")].filter((each) => {
        const {top, bottom, height} = each.getBoundingClientRect();
        return height && top < 0 && bottom > 4;
    }).length"""
    assert viewer.tab.evaluate(cut) == 0


def test_the_settings_are_inside_the_window_at_each_width(show):
    for width in (390, 1000, 1440):
        viewer = show(read("faq.html"), viewport={"width": width, "height": 700})
        viewer.tab.locator("#tools summary", has_text="Settings").click()
        box = viewer.tab.locator(".panel").bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width


def test_a_page_opens_at_its_headline_which_is_never_folded(show):
    menu = "".join(f"<li><a href=/{i}>Page {i} of the site</a>" for i in range(30))
    prose = "".join(f"<p>{SENTENCE} It was day {day} of the works.</p>" for day in range(9))
    page = f"<title>Oil</title><ul>{menu}</ul><h1>Oil</h1><ul>{menu}</ul><article>{prose}</article>"
    viewer = show(page.encode())
    frame = viewer.tab.locator("#frame").bounding_box()
    headline = viewer.tab.frame_locator("#frame").locator("h1")
    assert 0 <= headline.bounding_box()["y"] - frame["y"] < 100


def test_a_page_whose_headline_is_far_from_the_content_opens_at_the_content(show):
    prose = "".join(f"<p>{SENTENCE} It was day {day} of the works.</p>" for day in range(9))
    page = f"<title>Oil</title><h1>Oil</h1><div style='height: 5000px'></div><article>{prose}</article>"
    viewer = show(page.encode())
    viewer.press("l")
    viewer.wait()
    shown = """() => [...frame.contentDocument.querySelectorAll("[data-l='1']")].some((each) => {
        const {top, height} = each.getBoundingClientRect();
        return height && top >= 0 && top < frame.clientHeight;
    })"""
    assert viewer.tab.evaluate(shown)


def test_a_feed_without_blocks_shows_its_text_alone_and_says_what_helps(show):
    viewer = show(facts_of_item({"text": "A heading\n\nOne.\nTwo.", "confidence": 0.9}, "file 1"))
    assert viewer.tab.locator("#lines .line").all_inner_texts() == ["A heading\n\n", "One.\n", "Two."]
    assert not viewer.tab.is_visible("#page")
    assert "--blocks all" in viewer.read("reason")
    width = viewer.tab.evaluate("() => find('text').clientWidth / document.body.clientWidth")
    assert width > 0.9


def test_the_text_of_each_page_opens_at_its_first_line(show):
    menu = "".join(f"<li><a href=/{i}>Page {i} of the site</a>" for i in range(9))
    prose = "".join(f"<p>{SENTENCE} It was day {day} of the works.</p>" for day in range(40))
    page = f"<title>The oil of the bay</title><ul>{menu}</ul><h1>The oil of the bay</h1>{prose}".encode()
    viewer = show(page, page, viewport={"width": 1200, "height": 500})
    viewer.tab.evaluate("() => { find('lines').scrollTop = 200; }")
    viewer.press("n")
    viewer.wait(1)
    assert viewer.tab.evaluate("() => find('lines').scrollTop") == 0


SHELL = (
    b'<html><head><title>App</title></head><body><div id="root"></div><script src="/static/js/main.js"></script></body>'
)
ALONE = b"<html><head><title>Nothing</title></head><body></body></html>"


@pytest.mark.parametrize(("page", "kind"), [(SHELL, "script_shell"), (ALONE, "empty")], ids=["shell", "empty"])
def test_a_page_without_text_says_why_and_what_helps_in_one_sentence(show, page, kind):
    viewer = show(page)
    assert viewer.read("reason") == f"No text: {NO_CONTENT[kind]}."
    assert "confidence" not in viewer.read("facts")
    assert kind.replace("_", " ") in viewer.read("facts")
    assert not any(viewer.tab.is_visible(f"#{name}") for name in ("page", "text", "tools", "info"))


def test_pages_without_text_come_last_and_others_are_shown_whole(show):
    viewer = show(SHELL, ALONE, read("faq.html"))
    listed = viewer.tab.locator("nav button").all_inner_texts()
    assert listed[0].startswith("Allotments")
    assert not any("confidence" in each for each in listed[1:])
    assert viewer.tab.is_visible("#text")
    viewer.press("n")
    viewer.wait(1)
    assert not viewer.tab.is_visible("#text")
    viewer.press("p")
    viewer.wait(0)
    assert viewer.tab.is_visible("#text")


def test_a_login_without_text_says_so_and_keeps_its_blocks(show):
    form = b"<form><input name=user><input type=password><button>Sign in</button></form>"
    page = b"<title>Sign in</title><h1>Sign in</h1>" + form
    viewer = show(page)
    assert viewer.read("reason").startswith(f"No text: {NO_CONTENT['login']}.")
    assert viewer.tab.is_visible("#page")


@pytest.mark.parametrize("width", [390, 1024])
def test_the_list_says_how_many_pages_it_has(show, width):
    viewer = show(*[read("faq.html")] * 10, viewport={"width": width, "height": 844})
    assert viewer.read("n-pages") == "10 pages"
    assert viewer.tab.locator("#n-pages").is_visible()
    viewer.press("p")
    viewer.wait(9)
    place, pane = (viewer.tab.locator(name).bounding_box() for name in ("#n-pages", "nav"))
    assert place["y"] == pane["y"]  # still on top


def test_a_threshold_that_leaves_nothing_says_who_would_answer(show):
    viewer = show(read("faq.html"))
    viewer.tab.locator("#threshold").fill("0.99")
    assert viewer.read("changes").endswith("; no block is content, so the rules would answer")
    viewer.tab.locator("#threshold").fill("0.4")
    assert "rules" not in viewer.read("changes")


def test_the_block_under_the_pointer_is_described_anew_when_its_label_changes(show):
    viewer = show(read("faq.html"))
    viewer.tab.evaluate("describe(labels.indexOf(1))")  # as under the pointer
    assert " · content · " in viewer.read("block")
    viewer.tab.evaluate("choose({threshold: 0.99})")
    assert " · boilerplate · " in viewer.read("block")


def test_the_weight_of_the_chain_is_explained(show):
    viewer = show(read("faq.html"))
    viewer.tab.locator("#form summary").click()
    label = viewer.tab.locator("label", has=viewer.tab.locator("#lam"))
    assert label.inner_text().startswith("weight of the chain")
    assert "neighboring blocks" in label.get_attribute("title")
