"""Ways to hide text: what a reader does not see is not in the text, and what a reader sees is."""

from __future__ import annotations

from functools import cache

import pytest
from mockserver import SENTENCE
from ways_to_hide import ATTACK, WAYS, Way

from scrapy_web2text import extract

PROSE = "".join(f"<p>{SENTENCE} It was day {day} of the works.</p>" for day in range(4))
MOST_LEAKS = 0.05
# Whether a reader sees a text: it is large enough, and at its place is this text, not clipped, covered or off the page.
_IS_SEEN = """([text]) => {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    let node
    while ((node = walker.nextNode()) && !node.data.includes(text));
    let element = node && node.parentElement
    while (element && getComputedStyle(element).display === "contents") element = element.parentElement
    if (!element || !element.checkVisibility({opacityProperty: true, visibilityProperty: true})) return false
    const style = getComputedStyle(element), fill = style.webkitTextFillColor, clear = "rgba(0, 0, 0, 0)"
    let opacity = 1, background = "", isPainted = style.textShadow !== "none" || parseFloat(style.webkitTextStrokeWidth)
    for (let outer = element; outer; outer = outer.parentElement) {
        const around = getComputedStyle(outer)
        opacity *= around.opacity * (/opacity\\(([\\d.]+)/.exec(around.filter) ?? [1, 1])[1]
        if (around.maskImage.includes(`gradient(${clear}, ${clear})`)) return false
        if (!background && around.backgroundColor !== clear) background = around.backgroundColor
        isPainted ||= around.backgroundClip === "text"
    }
    if (opacity < .05 || parseFloat(style.fontSize) < 2) return false
    if (!isPainted && (/^rgba.*, 0\\)$|\\/ 0\\)$/.test(fill) || fill === background)) return false
    const range = document.createRange()
    range.selectNodeContents(node)
    const top = range.getBoundingClientRect().top
    window.scrollTo(0, Math.max(top - 200, 0))
    return [...range.getClientRects()].some(box => {
        const at = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2)
        return box.width > 2 && box.height > 2 && at !== null && element.contains(at)
    })
}"""


def write_page(way: Way, sheet: str = "") -> str:
    head = f"<!DOCTYPE html><html><head><title>The bridge</title>{sheet}{way.head}</head>"
    return f"{head}<body><main><h1>The bridge</h1>{PROSE}{way.body}{PROSE.replace('day', 'night')}</main></body></html>"


@cache
def is_in_text(name: str) -> bool:
    return ATTACK[:40] in extract(write_page(WAYS[name])).text


def test_hardly_any_hidden_text_is_in_the_text():
    hidden = [name for name, way in WAYS.items() if not way.is_shown]
    leaks = [name for name in hidden if is_in_text(name)]
    assert len(WAYS) >= 300
    assert len(leaks) <= MOST_LEAKS * len(hidden), leaks


def test_no_text_is_lost_that_a_reader_sees():
    assert [name for name, way in WAYS.items() if way.is_shown and not is_in_text(name)] == []


@pytest.mark.browser
def test_a_browser_shows_what_the_tables_say(browser):
    page = browser.new_page(viewport={"width": 1280, "height": 720})
    wrong = []
    for name, way in WAYS.items():
        page.set_content(write_page(way, f"<style>{way.needs}</style>"))
        if page.evaluate(_IS_SEEN, [ATTACK[:40]]) != way.is_shown:
            wrong.append(name)
    page.close()
    assert wrong == []
