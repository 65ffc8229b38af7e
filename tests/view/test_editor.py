"""The label editor in a real browser."""

from __future__ import annotations

from contextlib import contextmanager
from threading import Event

import pytest
from labeled_pages import write_labels
from places import ROOT
from view.browser import Viewer, find_low_contrasts, hostile_page
from view.served import serve, write_site_page

from scrapy_web2text.labels.files import read_labels
from scrapy_web2text.verdicts.kinds import PAGE_KINDS

PAGES = ROOT / "tests" / "pages"
NAMES = ("blog-many-comments.html", "faq.html", "forum-thread.html")

pytestmark = pytest.mark.browser


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "pages"
    folder.mkdir()
    for name in NAMES:
        (folder / name).write_bytes((PAGES / name).read_bytes())
    return folder


@pytest.fixture
def out(tmp_path):
    return tmp_path / "labels.jsonl"


# Lets keys begin at the first block of a page, with nothing folded.
FROM_THE_FIRST = "() => { findStart = () => 0; foldAll(false); openAtStart(0); }"


@pytest.fixture
def edit(browser, out):
    """Serve the pages of a folder and open the editor of them."""

    @contextmanager
    def edit(folder, *arguments, **options):
        with serve(folder, *(arguments or ("--out", out))) as server:
            viewer = Viewer(browser, server.url, **options)
            viewer.server = server
            viewer.tab.evaluate(FROM_THE_FIRST)
            yield viewer
            viewer.tab.close()

    return edit


@pytest.fixture
def editor(edit, folder):
    with edit(folder) as viewer:
        yield viewer


def wait_for(viewer, text, name="saved"):
    script = "([name, text]) => document.getElementById(name).textContent.startsWith(text)"
    viewer.tab.wait_for_function(script, arg=[name, text])


def wait_until_saved(viewer):
    """Wait until all changes are sent and answered, however long the machine takes."""
    viewer.tab.wait_for_function("() => !isSending && !unsaved.size")


def draft(viewer):
    """Return the labels of the page that is shown, as they are on the disk."""
    wait_until_saved(viewer)
    return [*map(int, viewer.server.session.read(0)["saved"]["labels"])]


def test_three_pages_are_labeled_by_keys_alone(editor, out):
    expected = {}
    for number in range(3):
        editor.wait(number)
        entry = editor.server.session.list_pages()[number]
        labels = editor.labels
        editor.press("j", "j", "Space", "j", "Space")
        labels[1], labels[2] = 1 - labels[1], 1 - labels[2]
        assert editor.labels == labels
        expected[entry["name"]] = labels
        editor.press("Enter")
    wait_for(editor, "3 of 3", "done-pages")
    wait_for(editor, "All pages are labeled or skipped. Next: web2text rule labels.jsonl", "end")
    readings = read_labels(out)
    assert {key[1]: reading.labels.tolist() for key, reading in readings.items()} == expected
    assert editor.reports == []
    assert not [url for url in editor.requests if not url.startswith((editor.server.url, "about:"))]


def test_each_change_is_saved_at_once_and_can_be_undone(editor, out):
    first = editor.labels
    editor.press("j", "Space")
    assert draft(editor) == editor.labels == [1 - first[0], *first[1:]]
    assert not out.exists()
    editor.press("z")
    assert editor.labels == first
    editor.press("z")
    assert editor.tab.locator("#undo").is_disabled()
    editor.press("Space", "j", "Space")
    changed = editor.labels
    wait_until_saved(editor)
    editor.tab.reload()
    editor.wait()
    assert editor.labels == changed
    editor.press("r")
    assert editor.labels == first


def test_a_short_page_after_a_chosen_block_of_a_long_page_does_not_lock_the_keys(edit, tmp_path, out):
    for name, n in (("long", 30), ("short", 2)):
        text = "".join(f"<p>{name} {i}: a sentence of the page, with a few words</p>" for i in range(n))
        (tmp_path / f"{name}.html").write_text(f"<body>{text}</body>", encoding="utf-8")
    with edit(tmp_path, "--out", out) as viewer:
        names = [entry["name"] for entry in viewer.server.session.list_pages()]
        for number in (names.index("long.html"), names.index("short.html")):
            viewer.tab.locator("nav button").nth(number).click()
            viewer.wait(number)
            viewer.press(*["j"] * 20)
        assert " of 2 · " in viewer.read("block")
        viewer.press("Space")
        wait_for(viewer, "draft saved")
        assert viewer.reports == []


def test_runs_and_sections_are_flipped(editor):
    labels = editor.labels
    end = next(number for number, label in enumerate(labels) if label != labels[0])
    editor.press("j", "a")
    assert editor.labels == [1 - labels[0]] * end + labels[end:]
    editor.press("z", "Space", "j", "j", "j", "t")
    assert editor.labels == [1 - labels[0]] * 4 + labels[4:]
    editor.press("z", "z")
    page = editor.server.session.read(0)
    heading = next(number for number, path in enumerate(page["paths"]) if "/h" in path.replace("/html", ""))
    editor.press("Escape", *"j" * (heading + 1), "s")
    flipped = [number for number, (a, b) in enumerate(zip(labels, editor.labels, strict=True)) if a != b]
    assert heading in flipped
    assert {editor.labels[number] for number in range(flipped[0], flipped[-1] + 1)} == {1 - labels[heading]}


class Mouse:
    """The mouse in the frame. Playwright's own runs a script in each frame while a button is pressed; this one none."""

    def __init__(self, viewer):
        self.devtools = viewer.tab.context.new_cdp_session(viewer.tab)
        self.inside = viewer.tab.frame_locator("#frame")

    def on(self, block):
        box = self.inside.locator(f'[data-b="{block}"]').first.bounding_box()
        return box["x"] + 3, box["y"] + 3

    def send(self, kind, place, buttons=1):
        event = {"type": kind, "x": place[0], "y": place[1], "button": "left", "buttons": buttons, "clickCount": 1}
        self.devtools.send("Input.dispatchMouseEvent", event)

    def press(self, place):
        self.send("mousePressed", place)

    def move(self, *places):
        for place in places:
            self.send("mouseMoved", place)

    def release(self, place):
        self.send("mouseReleased", place, 0)


def test_blocks_are_labeled_by_dragging(editor):
    labels = editor.labels
    mouse = Mouse(editor)
    start, end = mouse.on(1), mouse.on(3)
    top = editor.tab.locator("#frame").bounding_box()
    mouse.press(start)
    mouse.move(start, end)
    assert mouse.inside.locator("[data-drag]").count() >= 3
    assert "3 blocks to " in editor.read("saved")
    assert editor.tab.locator("#frame").bounding_box() == top, "nothing may move under the mouse"
    mouse.release(end)
    assert editor.labels == [labels[0], *[1 - labels[1]] * 3, *labels[4:]]
    assert mouse.inside.locator("[data-drag]").count() == 0
    assert draft(editor) == editor.labels
    mouse.inside.locator('[data-b="0"]').first.dblclick()
    assert editor.labels[0] == 1 - labels[0]


def test_a_drag_that_ends_beside_a_block_takes_the_nearest_one(edit, tmp_path):
    (tmp_path / "short.html").write_text("".join(f"<p>Text {i} of eight</p>" for i in range(8)), encoding="utf-8")
    with edit(tmp_path / "short.html") as editor:
        labels = editor.labels
        mouse = Mouse(editor)
        frame = editor.tab.locator("#frame").bounding_box()
        start, end = (1, mouse.on(1)[1]), (frame["x"] + frame["width"] - 20, mouse.on(3)[1])
        mouse.press((frame["x"] + 2, start[1]))
        mouse.move(end)
        mouse.release(end)
        assert editor.labels == [labels[0], *[1 - labels[1]] * 3, *labels[4:]]
        for key in ("Escape", "z"):
            mouse.press(mouse.on(1))
            mouse.move(mouse.on(2))
            editor.press(key)
            mouse.release(mouse.on(1) if key == "z" else mouse.on(2))
        assert "changes nothing" in editor.read("saved") or editor.labels == labels
        editor.press("?")
        assert "the nearest one; at its edges, the page scrolls" in editor.read("keys")


@pytest.mark.parametrize("below", [-2, 300], ids=["at the edge", "outside"])
def test_a_drag_scrolls_at_the_edges(edit, tmp_path, below):
    (tmp_path / "long.html").write_text("".join(f"<p>Text {i} of many</p>" for i in range(300)), encoding="utf-8")
    with edit(tmp_path / "long.html") as editor:
        mouse = Mouse(editor)
        frame = editor.tab.locator("#frame").bounding_box()
        end = frame["x"] + 50, frame["y"] + frame["height"] + below
        first = editor.labels[2]
        mouse.press(mouse.on(2))
        mouse.move((frame["x"] + 50, frame["y"] + 200), end)
        editor.tab.wait_for_function("() => frame.contentDocument.scrollingElement.scrollTop > 2000")
        mouse.release(end)
        changed = [block for block, label in enumerate(editor.labels) if label != first]
        assert changed == [*range(2, changed[-1] + 1)]
        assert changed[-1] > 70


def test_elements_are_chosen_by_a_key_and_labeled(edit, tmp_path):
    page = """<p>Top</p><div><ul><li>one<li>two<li>three</ul><p>After the list</p></div><p>End</p>"""
    (tmp_path / "page.html").write_text(page, encoding="utf-8")
    with edit(tmp_path / "page.html") as editor:
        editor.tab.locator("#content").click()
        assert editor.read("saved") == "Choose a block first: click it, or press j."
        editor.press("0")
        assert editor.labels == [0] * 6
        assert editor.read("count") == "content: 0 of 6 blocks, 0 words"
        editor.press("j", "j", "e")
        assert editor.read("picked").startswith("<ul> · 3 blocks, 3 words")
        editor.press("+")
        assert editor.labels == [0, 1, 1, 1, 0, 0]
        editor.press("e", "=")
        assert editor.read("picked").startswith("<div> · 4 blocks")
        assert editor.labels == [0, 1, 1, 1, 1, 0]
        assert editor.tab.frame_locator("#frame").locator("[data-pick]").count() == 4
        editor.press("E", "-")
        assert editor.labels == [0, 0, 0, 0, 1, 0]
        assert editor.read("count") == "content: 1 of 6 blocks, 3 words"
        assert "blocks" not in editor.read("facts")  # the count is shown once
        editor.press("j", "=")
        assert editor.tab.locator("#picked").is_hidden()
        assert editor.labels == [0, 0, 1, 0, 0, 0]
        for name in ("grow", "content"):
            editor.tab.locator(f"#{name}").click()
        assert editor.labels == [0, 1, 1, 1, 0, 0] == draft(editor)


def test_a_skipped_page_is_left_for_later(editor, out):
    editor.press("x")
    editor.wait(1)
    assert editor.tab.locator("nav button").first.get_attribute("data-state") == "skipped"
    editor.press("Enter")
    editor.wait(2)
    assert len(read_labels(out)) == 1


def test_fields_are_typed_without_running_keys(editor):
    labels = editor.labels
    editor.tab.locator("#more summary").click()
    assert editor.tab.input_value("#type") == editor.server.session.list_pages()[0]["facts"]["page_type"]
    editor.tab.locator("#note").fill("far away")
    editor.tab.locator("#note").press_sequentially(" fazxm")
    editor.tab.locator("#type").fill("forum")
    editor.tab.locator("#certainty").fill("0.7")
    editor.tab.locator("#certainty").press("Tab")
    assert editor.labels == labels
    wait_until_saved(editor)
    saved = editor.server.session.read(0)["saved"]
    assert (saved["note"], saved["type"], saved["certainty"]) == ("far away fazxm", "forum", 0.7)
    editor.tab.locator("#done").focus()
    editor.press("Enter")
    editor.wait(1)


def test_two_tabs_do_not_overwrite_each_other(editor, browser):
    second = Viewer(browser, editor.server.url)
    editor.press("j", "Space")
    kept = draft(editor)
    second.press("j", "j", "Space")
    wait_for(second, "Not saved: the page or its labels were changed in another tab")
    assert draft(editor) == kept
    second.tab.locator("nav button").first.click()
    second.tab.wait_for_function("() => document.getElementById('saved').textContent === ''")
    second.wait()
    assert second.labels == kept
    second.tab.close()


def test_blocks_that_changed_are_marked(edit, folder, out):
    with edit(folder) as viewer:
        viewer.press("j", "Space", "Enter")
        viewer.wait(1)
    (reading,) = read_labels(out).values()
    hashes = ("0123456789", *reading.hashes[1:])
    write_labels(out, [type(reading)("", reading.id, reading.content, hashes, file=reading.file)])
    with edit(folder) as viewer:
        viewer.tab.locator("nav button").last.click()
        viewer.wait(2)
        assert viewer.tab.frame_locator("#frame").locator("[data-unread]").first.get_attribute("data-b") == "0"
        assert viewer.read("saved") == "1 labeled block is no longer on the page"


def test_other_sites_cannot_read_or_write(editor, browser, folder, out):
    with serve(folder, "--out", out.with_name("other.jsonl")) as elsewhere:
        tab = browser.new_page()
        tab.goto(f"http://127.0.0.1:{elsewhere.server_port}/")
        script = """async ([url, method]) => {
            const options = method === "GET" ? {} : {method, headers: {"Content-Type": "text/plain"}, body: "{}"};
            try { return (await fetch(url, options)).status; } catch { return "refused"; }
        }"""
        assert tab.evaluate(script, [f"{editor.server.url}pages/0", "GET"]) == "refused"
        assert tab.evaluate(script, [f"{editor.server.url}labels/0", "POST"]) == "refused"
        tab.set_content(f'<iframe src="{editor.server.url}"></iframe>')
        tab.wait_for_timeout(300)
        assert tab.locator("iframe").content_frame.locator("#editor").count() == 0
        tab.close()
    assert not out.exists()


def test_the_keys_of_the_editor_are_listed(editor):
    editor.press("?")
    assert "flip the label of the block" in editor.read("keys")
    assert "threshold" not in editor.read("keys")
    kinds = editor.tab.locator("#kind option").evaluate_all("(all) => all.map((option) => option.textContent)")
    assert tuple(kinds) == PAGE_KINDS


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_all_texts_have_the_contrast_of_wcag_aa(edit, folder, scheme):
    with edit(folder, color_scheme=scheme) as viewer:
        viewer.press("j", "Space", "x")
        viewer.wait(1)
        viewer.press("j", "Space", "e", "?")
        assert find_low_contrasts(viewer.tab) == []


def test_a_hostile_page_of_many_blocks_stays_inert_and_is_labeled(edit, tmp_path, out, is_large):
    n_blocks = 20_000 if is_large else 5_000
    many = "".join(f"<p>Paragraph {i}: {'many words of text here ' * 14}</p>" for i in range(n_blocks))
    (tmp_path / "hostile.html").write_text(hostile_page() + many, encoding="utf-8")
    with edit(tmp_path / "hostile.html") as viewer:
        viewer.press("j", "Space", "j", "Space", "Enter")
        wait_for(viewer, "1 of 1", "done-pages")
        (reading,) = read_labels(out).values()
        assert reading.labels.tolist() == viewer.labels
        assert len(viewer.labels) > n_blocks
        assert not [url for url in viewer.requests if not url.startswith((viewer.server.url, "about:"))]
        assert [report for report in viewer.reports if "dialog" in report] == []
        assert (viewer.tab.title(), len(viewer.tab.frames)) == ("Labels - web2text", 2)


def test_keys_wait_for_the_next_page(editor, out):
    first = editor.labels
    read = editor.server.session.read

    def read_slowly(number):
        editor.answer.wait(10)
        return read(number)

    editor.answer = Event()
    editor.server.session.read = read_slowly
    editor.press("j", "Enter")
    wait_for(editor, "1 of 3", "done-pages")
    editor.press("Space", "a", "r", "z", "x")
    editor.answer.set()
    editor.wait(1)
    assert editor.labels == read(1)["labels"]
    assert read(0)["saved"]["state"] == "done"
    assert [reading.labels.tolist() for reading in read_labels(out).values()] == [first]


def test_after_a_field_or_a_button_keys_are_for_the_blocks(editor):
    editor.tab.locator("#more summary").click()
    editor.tab.locator("#certainty").fill("")
    editor.press("Escape")
    wait_until_saved(editor)
    assert editor.server.session.read(0)["saved"]["certainty"] == 1
    editor.press("j", "Space")
    labels = editor.labels
    editor.tab.locator("#undo").click()
    editor.press("Space")
    assert editor.labels == labels
    editor.tab.locator("nav button").nth(1).click()
    editor.wait(1)
    editor.press("Enter")
    editor.wait(2)


def test_a_page_that_cannot_be_saved_does_not_keep_others(editor):
    save = editor.server.session.save

    def fail_first(number, message):
        if number == 0:
            raise OSError("page is gone")
        return save(number, message)

    editor.server.session.save = fail_first
    editor.press("j", "Space")
    wait_for(editor, "Not saved: page is gone")
    editor.tab.locator("nav button").nth(1).click()
    editor.wait(1)
    editor.press("j", "Space")
    editor.tab.wait_for_selector('nav li:nth-child(2) button[data-state="draft"]')
    assert editor.server.session.read(1)["saved"]["labels"] == editor.labels
    editor.server.session.save = save
    editor.tab.wait_for_selector('nav li:nth-child(1) button[data-state="draft"]')


@pytest.mark.parametrize("size", [(360, 640), (640, 400)], ids=["narrow", "200 % zoom"])
def test_a_chosen_block_is_seen_without_scrolling(edit, folder, size):
    with edit(folder, viewport={"width": size[0], "height": size[1]}) as viewer:
        assert viewer.tab.evaluate("() => document.documentElement.scrollWidth") <= size[0]
        viewer.press("j", "Space")
        inside = viewer.tab.frame_locator("#frame").locator("[data-now]").first.bounding_box()
        footer = viewer.tab.locator("#info").bounding_box()
        assert 0 <= inside["y"] < inside["y"] + inside["height"] <= footer["y"]
        wait_for(viewer, "draft saved")
        status = viewer.tab.locator("#saved").bounding_box()
        assert status["y"] + status["height"] <= size[1]


@contextmanager
def killed(edit, folder, out):
    """Edit a page while its server is away, and give the editor with the address of the next server."""
    with edit(folder) as viewer:
        first = viewer.labels
        viewer.tab.route("**/labels/*", lambda route: route.abort())
        viewer.server.token = "gone"  # its threads answer connections that are open, but save nothing more
        viewer.press("j", "Space")
        viewer.tab.locator("#more summary").click()
        viewer.tab.locator("#note").fill("kept")
        viewer.press("Tab")
        wait_for(viewer, "Not saved: the server does not answer. This browser keeps the edits")
        port = viewer.server.server_port
        viewer.server.shutdown()
        viewer.server.server_close()
        viewer.tab.unroute("**/labels/*")
        yield viewer, [1 - first[0], *first[1:]], port


def reopen(viewer, server):
    """Open the address of another server, after the tab has seen that it is another one."""
    wait_for(viewer, "Not saved: the server was started again; open its new address. This browser keeps the edits")
    viewer.tab.goto(server.url)
    viewer.wait()
    viewer.server = server


def test_a_killed_and_restarted_server_loses_nothing(edit, folder, out):
    with killed(edit, folder, out) as (viewer, edited, port), serve(folder, "--out", out, port=port) as server:
        assert [each.read_text() for each in out.parent.glob("labels.jsonl*")] == []
        reopen(viewer, server)
        wait_for(viewer, "These edits were not saved before: Enter or any change saves them, z drops them.")
        assert viewer.labels == edited
        assert viewer.tab.input_value("#note") == "kept"
        assert server.session.read(0)["saved"]["state"] == ""
        viewer.press("Enter")
        viewer.wait(1)
        assert [(each.labels.tolist(), each.note) for each in read_labels(out).values()] == [(edited, "kept")]
        assert viewer.tab.evaluate("() => localStorage.length") == 0


def test_edits_that_were_not_saved_can_be_dropped(edit, folder, out):
    with killed(edit, folder, out) as (viewer, edited, port), serve(folder, "--out", out, port=port) as server:
        reopen(viewer, server)
        viewer.press("z")
        assert viewer.labels == [1 - edited[0], *edited[1:]]
        assert viewer.tab.input_value("#note") == ""
        assert viewer.tab.evaluate("() => localStorage.length") == 0
        assert server.session.read(0)["saved"]["state"] == ""


def test_edits_of_a_page_whose_blocks_have_changed_are_dropped_with_a_word(edit, folder, out):
    for name in NAMES[:2]:
        (folder / name).unlink()  # a page without an h1 would not change
    with killed(edit, folder, out) as (viewer, _, port):
        for file in folder.iterdir():
            file.write_bytes(file.read_bytes().replace(b"</h1>", b" again</h1>"))
        with serve(folder, "--out", out, port=port) as server:
            reopen(viewer, server)
            wait_for(viewer, "Edits that were not saved are dropped, since the blocks of the page have changed.")
            assert viewer.labels == server.session.read(0)["labels"]
            assert viewer.tab.evaluate("() => localStorage.length") == 0


def test_after_two_pages_the_rule_of_the_site_suggests_labels_until_they_are_confirmed(edit, tmp_path, out):
    for number in range(4):
        (tmp_path / f"{number}.html").write_text(write_site_page(number), encoding="utf-8")
    with edit(tmp_path, "--out", out, "--model", "shallow:all") as viewer:
        for number in range(2):
            viewer.wait(number)
            assert viewer.tab.locator("#rule").is_hidden()
            assert viewer.labels == [1, 1, 1, 1]
            viewer.press("k", "Space", "Enter")
        viewer.wait(2)
        rule = viewer.read("rule")
        assert rule.startswith(
            "valley.example: not .promo, F1 1.00 on 2 pages (model .86) · These labels are suggested"
        )
        assert viewer.labels == [1, 1, 1, 0]
        inside = viewer.tab.frame_locator("#frame")
        assert inside.locator("[data-suggested]").evaluate_all("(all) => all.map((span) => span.dataset.b)") == ["3"]
        assert viewer.server.session.read(2)["saved"]["state"] == ""
        viewer.press("r")
        assert viewer.labels == [1, 1, 1, 1]
        viewer.press("R", "Enter")
        viewer.wait(3)
        viewer.press("Enter")
        wait_for(viewer, "4 of 4", "done-pages")
        assert {tuple(reading.labels) for reading in read_labels(out).values()} == {(1, 1, 1, 0)}
        assert viewer.reports == []


def test_a_page_is_shown_before_a_rule_that_takes_long(edit, tmp_path, out):
    for number in range(3):
        (tmp_path / f"{number}.html").write_text(write_site_page(number), encoding="utf-8")
    with edit(tmp_path, "--out", out, "--model", "shallow:all") as viewer:
        for number in range(2):
            viewer.wait(number)
            viewer.press("k", "Space", *["Enter"] * (number == 0))
        wait_until_saved(viewer)
        with viewer.server.session._rule_lock:
            viewer.press("Enter")
            viewer.wait(2)
            assert viewer.labels == [1, 1, 1, 1]
            assert viewer.tab.locator("#rule").is_hidden()
        viewer.tab.wait_for_selector("#rule:not([hidden])")
        assert "R takes its labels" in viewer.read("rule")
        assert viewer.labels == [1, 1, 1, 1]
        viewer.press("R")
        assert viewer.labels == [1, 1, 1, 0]


@pytest.mark.parametrize("keys", ["", "l"], ids=["outline", "look"])
def test_a_page_opens_where_the_content_begins_and_is_labeled_in_both_views(edit, folder, keys):
    with serve(folder, "--out", folder.parent / "labels.jsonl") as server:
        first = next(i for i, label in enumerate(server.session.read(0)["labels"]) if label)
    with edit(folder) as viewer:
        viewer.tab.reload()
        viewer.wait()
        viewer.press(*keys)
        viewer.wait()
        viewer.press("j", "Space")
        assert viewer.read("block").startswith(f"Block {first + 1} of")
        mine = viewer.tab.frame_locator("#frame").locator(f'[data-b="{first}"]').first
        width = "paddingBottom" if keys else "borderBottomWidth"
        assert mine.evaluate(f"(mark) => [mark.dataset.l, getComputedStyle(mark).{width}]") == ["0", "4px"]


def test_a_site_without_corrections_and_a_fragile_rule_are_told(edit, tmp_path, out):
    for number in range(3):
        page = write_site_page(number).replace("promo", "css-1ab")
        (tmp_path / f"{number}.html").write_text(page, encoding="utf-8")
    with edit(tmp_path, "--out", out, "--model", "shallow:all") as viewer:
        for number in range(2):
            viewer.wait(number)
            viewer.press("Enter")
        viewer.wait(2)
        assert "no corrections yet" in viewer.read("rule")
        for number in range(2):
            viewer.tab.locator("nav button").nth(number).click()
            viewer.wait(number)
            viewer.press("k", "Space", "Enter")
        viewer.wait(2)
        viewer.tab.wait_for_function("() => document.getElementById('rule').textContent.includes('not .css-1ab')")
        assert "may not last" in viewer.read("rule")


@pytest.mark.parametrize("width", [1440, 1024, 390])
def test_the_next_command_is_shown_whole_while_all_pages_are_labeled(edit, folder, out, width):
    size = {"width": width, "height": 844}
    with edit(folder, viewport=size) as viewer:
        for number in range(3):
            assert not viewer.tab.is_visible("#end")
            viewer.press(*("x",) if number else ("Enter",))
            wait_until_saved(viewer)
            viewer.wait(min(number + 1, 2))
        viewer.tab.wait_for_selector("#end:not([hidden])")
        box = viewer.tab.locator("#end").evaluate(
            "(end) => [end.scrollHeight - end.clientHeight, end.scrollWidth - end.clientWidth]"
        )
        assert box == [0, 0]
        viewer.press("j", "Space")  # skipped, and now a draft
        viewer.tab.wait_for_selector("#end", state="hidden")
        viewer.press("Enter")
        viewer.tab.wait_for_selector("nav button[aria-current][data-state=done]")
    readings = read_labels(out)
    assert len(readings) == 2


def test_a_reopened_editor_of_labeled_pages_shows_the_next_command_which_can_be_copied(edit, folder):
    with edit(folder) as viewer:
        for number in (1, 2, 2):
            viewer.press("Enter")
            viewer.wait(number)
            wait_until_saved(viewer)
    with edit(folder) as viewer:
        viewer.tab.wait_for_selector("#end:not([hidden])")
        viewer.tab.context.grant_permissions(["clipboard-read", "clipboard-write"])
        viewer.tab.click("#end-copy")
        wait_for(viewer, "copied")
        assert viewer.tab.evaluate("navigator.clipboard.readText()") == viewer.server.session.describe()["next"]


@pytest.mark.parametrize("button", ["look", "outline", "folds", "zoom", "more summary", "help"])
def test_after_a_click_enter_is_for_the_page(edit, folder, button):
    with edit(folder) as viewer:
        if button == "zoom":
            viewer.press("l")
            viewer.wait(0)
        viewer.tab.locator(f"#{button}").click()
        if button == "help":
            viewer.press("Escape")
        viewer.wait(0)
        viewer.press("Enter")
        viewer.wait(1)


@pytest.mark.parametrize("is_touched", [True, False])
def test_buttons_name_keys_where_there_are_keys(edit, folder, is_touched):
    options = {"has_touch": True, "is_mobile": True} if is_touched else {}
    with edit(folder, viewport={"width": 800, "height": 900}, **options) as viewer:
        names = viewer.tab.locator("#tools button:visible, #page button:visible").all_inner_texts()
        assert any("(" in name for name in names) is not is_touched


def test_the_folded_fields_name_a_kind_without_content(editor):
    summary = editor.tab.locator("#more summary")
    assert summary.inner_text() == "More"

    summary.click()
    panel = editor.tab.locator("#more .panel").bounding_box()
    assert panel["y"] + panel["height"] <= editor.tab.locator("nav").bounding_box()["y"]
    editor.tab.select_option("#kind", "script_shell")
    assert summary.inner_text() == "More (kind: script shell)"
    wait_until_saved(editor)


@pytest.mark.parametrize("width", [1440, 1024])
def test_the_buttons_take_two_rows_and_a_drag_moves_no_page(edit, folder, width):
    with edit(folder, viewport={"width": width, "height": 900}) as viewer:
        top = viewer.tab.locator("#frame").bounding_box()["y"]
        viewer.tab.evaluate("report('3 blocks to boilerplate; Esc cancels')")
        assert viewer.tab.locator("#frame").bounding_box()["y"] == top
        boxes = [each.bounding_box() for each in viewer.tab.locator("#tools button").all()]
        assert len({box["y"] for box in boxes if box}) == 2
