"""The page as it looks: its HTML, and what the browser makes of it."""

from __future__ import annotations

import re
from base64 import b64encode

import pytest
from places import ROOT
from view.browser import COLORS, contrast, hostile_page
from xss import VECTORS

from scrapy_web2text import Options
from scrapy_web2text.page.arrays import tree_to_page
from scrapy_web2text.page.blocks import MODERN_BLOCKS, segment
from scrapy_web2text.page.parse import to_tree
from scrapy_web2text.view import markup
from scrapy_web2text.view.document import write_view
from scrapy_web2text.view.seen import see_page


def show(html):
    page = tree_to_page(to_tree(html))
    return markup.show_look(page, segment(page, MODERN_BLOCKS))


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<p class=a id=b onclick=c()>A</p>", '<p class="a" id="b"><w-b data-b="0">A</w-b></p>'),
        ('<p style="color: &quot;red">A</p>', '<p data-style="color: &quot;red"><w-b'),
        ('<p style="background: URL( \'a)b\' ) red">A</p>', 'data-style="background: none red"'),
        ("<a href=/x target=_top>A</a>", '<a data-link><w-b data-b="0">A</w-b></a>'),
        ("A<img src=i width=2 height=3 alt='&quot;b'>", '<img data-t="img" alt="&quot;b" width="2" height="3">'),
        ("A<svg class=i><path d=x /></svg>", '<img data-t="svg" alt="" class="i">'),
        ("A<form action=/x><input name=q placeholder=Search><input type=hidden value=t></form>",
         '<div><img data-t="input" alt="Search"><img data-t="input" alt="t" type="hidden"></div>'),
        ("A<div><button formaction=/x>go</button></div>", "<div><button>"),
        ("A<iframe src=/x>B</iframe>", '<img data-t="iframe" alt="">'),
        ("A<object data=x><p>B</p></object>", '<img data-t="object" alt="">'),
        ("<div class=spacer></div>A<noscript><p>B</p></noscript><script>C</script>",
         '<div class="spacer"></div><w-b data-b="0">A</w-b></body>'),
        (f"<noscript><p>{'Words of a page. ' * 30}</p></noscript>", "<div><p><w-b"),
        ("<my-box hidden>A</my-box>", '<div hidden=""><w-b'),
    ],
)  # fmt: skip
def test_elements_keep_their_classes_styles_and_sizes(html, expected):
    assert expected in show(f"<html><body>{html}</body></html>")["html"]


def test_the_page_has_the_attributes_of_its_root_and_body():
    html = show("<html class=dark lang=de onload=x()><body class=home style='margin: 0'>A")["html"]
    assert html.startswith('<html class="dark" lang="de"><body class="home" data-style="margin: 0">')


def test_style_sheets_are_data_without_what_they_would_load():
    css = "a:link, b :any-link {background: url(x.png) red; mask: url('a)b')} a:link-x {color: red}"
    styles = f"<style media=print>{css}</style><noscript><style>x {{}}</style></noscript>"
    found = show(f"<html><head>{styles}<link rel=stylesheet href=x><link rel=icon href=x></head><body>A</body></html>")
    clean = "a[data-link], b [data-link] {background: none red; mask: none} a:link-x {color: red}"
    assert (found["sheets"], found["n_missing"]) == ([("print", clean)], 1)


@pytest.mark.parametrize("vector", VECTORS)
def test_nothing_that_runs_or_leads_elsewhere_is_kept(vector):
    html = show(f"<html><body><p>text</p>{vector}</body></html>")["html"]
    tags = "|".join({*markup._REAL, "html", "img", "w-b", "span", "br", "hr"})
    assert not re.search(rf"<(?!/?(?:{tags})[\s>])", html)
    attributes = [re.sub('"[^"]*"', "", tag) for tag in re.findall(r'<[\w-]+((?: [\w-]+(?:="[^"]*")?)*)>', html)]
    assert {name.rstrip("=") for each in attributes for name in each.split()} <= markup._ATTRIBUTES | {
        "alt",
        "data-b",
        "data-link",
        "data-style",
        "data-t",
    }


@pytest.mark.parametrize(
    ("html", "problem"),
    [("A" + "<br>" * 20_001, "20,002 elements"), (f"<p class={'a' * 1_600_000}>A", "it has 1,600,0")],
)  # fmt: skip
def test_large_pages_have_a_problem_instead(html, problem):
    found = show(f"<html><body>{html}</body></html>")
    assert [*found] == ["problem"]
    assert problem in found["problem"]


STYLE = """@import "https://evil.example/i.css"; @import url(//evil.example/j.css);
@font-face {font-family: e; src: u\\72l(https://evil.example/f.woff)}
* {font-family: e; background: u\\72l(https://evil.example/b.png); cursor: image-set("https://evil.example/c.png" 1x)}
p:before {content: url("https://evil.example/p.png")} [data-l] {background: red !important; display: none}
w-b {display: inline !important; border: 0 !important}
i {color: green} html {overflow: hidden; opacity: 0} #wall {position: fixed; inset: 0; background: #000}
</style ><style>/* </style><script>parent.document.title = 'taken'</script> */"""
HOSTILE = f"""<html><head><base href="https://evil.example/"><meta http-equiv=refresh content="0;url=//evil.example/">
<style>{STYLE}</style></head><body background=//evil.example/a.png
style="background: image-set('//evil.example/s.png' 1x)">
<div id=wall>wall</div><form action=//evil.example/><button id=go>send this form now</button></form>
<a id=leave href=https://evil.example/ target=_top>leave this page right now</a><i id=i>styled text of this page</i>
<img name=body src=//evil.example/i.png><svg><image href=//evil.example/v.png /><style>@import "//evil.example/k.css";
</style></svg><math href=//evil.example/><mtext><style>a {{}}</style></mtext></math>
<p>{"Some words of the page. " * 20}</p>"""


@pytest.fixture
def open_look(open_html):
    """Open a viewer of a page as it looks."""

    def open_look(html, **options):
        viewer = open_html(write_view([see_page(html, "page", Options())]), **options)
        viewer.press("l")
        viewer.wait()
        return viewer

    return open_look


@pytest.mark.browser
def test_a_page_has_its_styles_and_the_labels_of_its_blocks(open_look):
    html = (
        "<style>p {color: rgb(1, 2, 3)} a:link {color: rgb(4, 5, 6)}</style><p style='margin: 7px'>%s <a href=/>b</a>"
    )
    viewer = open_look((html % ("Words of this page. " * 30)).encode())
    inside = viewer.tab.frames[1]
    styles = "(tag) => {const s = getComputedStyle(document.querySelector(tag)); return [s.color, s.marginTop]}"
    assert inside.evaluate(styles, "p") == ["rgb(1, 2, 3)", "7px"]
    assert inside.evaluate(styles, "a")[0] == "rgb(4, 5, 6)"
    assert (viewer.labels, viewer.reports) == ([1], [])
    viewer.tab.frame_locator("#frame").locator("a").click()
    assert viewer.read("block").startswith("Block 1 of 1")
    viewer.press("l")
    viewer.wait()
    assert inside.evaluate(styles, '[data-t="p"]')[0] != "rgb(1, 2, 3)"
    assert viewer.tab.frame_locator("#frame").locator("[data-now]").count() > 0


@pytest.mark.browser
@pytest.mark.parametrize("width", [390, 1440])
def test_images_are_boxes_of_their_size_on_a_wide_page(open_look, width):
    image = "<style>.big {width: 123px; height: 45px}</style><img src=i.png width=300 height=100 alt=map>"
    page = f"<p>{'Words of this page. ' * 30}{image}<svg class=big></svg></p>".encode()
    viewer = open_look(page, viewport={"width": width, "height": 900})
    inside = viewer.tab.frames[1]
    boxes = inside.evaluate("[...document.images].map((image) => [image.offsetWidth, image.offsetHeight])")
    assert boxes == [[300, 100], [123, 45]]
    assert (inside.evaluate("innerWidth") >= 1200) == (width > 800)
    assert viewer.tab.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.browser
@pytest.mark.parametrize("page", [HOSTILE, hostile_page()], ids=["styles", "markup"])
def test_a_hostile_page_loads_runs_and_leads_nowhere(open_look, page):
    viewer = open_look(page.encode())
    viewer.tab.evaluate("() => frame.contentDocument.querySelectorAll('a, button').forEach((each) => each.click())")
    viewer.press("j", ">")
    viewer.tab.wait_for_timeout(500)
    assert viewer.requests == [viewer.tab.url]
    assert [
        report for report in viewer.reports if not report.startswith(("@import rules are not", "Loading the"))
    ] == []
    assert viewer.tab.title().endswith("web2text")
    assert [frame.url for frame in viewer.tab.frames] == [viewer.tab.url, "about:srcdoc"]
    gone = "script, iframe, form, base, meta[http-equiv=refresh], link, input, object, svg, math, [href], [src], [name]"
    assert viewer.tab.evaluate(f"() => frame.contentDocument.querySelectorAll('{gone}').length") == 0


@pytest.mark.browser
def test_styles_of_a_page_hide_no_labels_and_cover_no_text(open_look):
    viewer = open_look(HOSTILE.encode())
    inside = viewer.tab.frames[1]
    style = """(name) => {
        const style = getComputedStyle(document.querySelector(name));
        return [style.color, style.paddingBottom, style.backgroundSize];
    }"""
    assert inside.evaluate(style, "#i")[0] == "rgb(0, 128, 0)"
    assert inside.evaluate(style, "[data-l]")[1] == "2px"
    assert inside.evaluate(style, "[data-l]")[2].startswith("100% 2px, 100% ")
    assert inside.evaluate("getComputedStyle(document.querySelector('#wall')).position") == "absolute"
    assert inside.evaluate("getComputedStyle(document.documentElement).opacity") == "1"


@pytest.mark.browser
def test_the_tab_says_why_a_page_is_not_there(open_look):
    viewer = open_look(b"<p>" + b"Words of this page. " * 30 + b"</p>" + b"<br>" * 20_001)
    assert "20,003 elements" in viewer.tab.frame_locator("#frame").locator("body").inner_text()


@pytest.mark.browser
def test_handwritten_pages_are_shown_without_reports(open_html):
    pages = [
        see_page(path.read_bytes(), path.name, Options()) for path in sorted((ROOT / "tests/pages").glob("*.html"))[:12]
    ]
    viewer = open_html(write_view(pages))
    viewer.press("l")
    for number in range(1, len(pages)):
        viewer.press("n")
        viewer.wait(number)
    assert viewer.reports == []


@pytest.mark.browser
def test_labels_are_seen_on_any_background_and_small_text_is_not_scaled(open_look):
    words = "Words of this page. " * 30
    page = f"<body style='background: #036; font-size: 12px'><p style='color: #fff'>{words}</p><p>{words}</p>"
    viewer = open_look(page.encode(), viewport={"width": 1200, "height": 800})
    inside = viewer.tab.frames[1]
    light = "[...document.querySelectorAll('w-b')].map((mark) => mark.hasAttribute('data-light'))"
    assert inside.evaluate(light) == [True, False]
    assert find_low_contrasts_of_labels(inside) == []
    scale = "() => 12 * Number(frame.style.transform.match(/[\\d.]+/)[0])"
    assert viewer.tab.evaluate(scale) == pytest.approx(11)
    viewer.tab.click("#zoom")
    assert viewer.tab.evaluate("() => frame.style.transform") == ""


def find_low_contrasts_of_labels(inside):
    colors = inside.evaluate(f"() => ({COLORS})(document)")
    return [text for text, ink, back in colors if contrast(ink[:3], back[:3]) < 4.5]


BARE = """document.querySelectorAll("[data-l]").forEach((mark) =>
  mark.style.setProperty("background", "none", "important"))"""
# Returns how many pixels of an image are dark or light as text is.
COUNT = """async ([png, isLight]) => {
  const image = new Image();
  image.src = `data:image/png;base64,${png}`;
  await image.decode();
  const canvas = new OffscreenCanvas(image.width, image.height).getContext("2d");
  canvas.drawImage(image, 0, 0);
  const {data} = canvas.getImageData(0, 0, image.width, image.height);
  let n = 0;
  for (let i = 0; i < data.length; i += 4) {
    const least = Math.min(data[i], data[i + 1], data[i + 2]), most = Math.max(data[i], data[i + 1], data[i + 2]);
    if (isLight ? least > 190 : most < 60) n++;
  }
  return n;
}"""


@pytest.mark.browser
@pytest.mark.parametrize(
    ("colors", "is_light"),
    [
        ("background: #fff; color: #000", False),
        ("background: #001; color: #fff", True),
        ("background: #c22; color: #fff", True),
    ],
    ids=["light", "dark", "colored"],
)
@pytest.mark.parametrize("height", [1, 1.15, 1.6])
def test_labels_cover_no_letter_of_the_line_above(open_look, browser, colors, is_light, height):
    line = "gypsy jogging, quickly yapping pygmy"
    style = f"<style>body {{font: 34px serif; {colors}}} p {{line-height: {height}}}</style>"
    page = f"<html><head>{style}</head><body><p>{'<br>'.join([line] * 6)}</p></body></html>"
    viewer = open_look(page.encode(), viewport={"width": 1400, "height": 800})
    viewer.tab.click("#zoom")
    inside, empty = viewer.tab.frames[1], browser.new_page()

    def count():
        png = b64encode(viewer.tab.locator("#frame").screenshot()).decode()
        return empty.evaluate(COUNT, [png, is_light])

    shown = count()
    inside.evaluate(BARE)
    assert shown > 0.97 * count() > 0
    empty.close()


@pytest.mark.browser
def test_the_label_of_a_text_in_a_flexible_box_covers_all_of_its_lines(open_look):
    page = f"<style>p {{display: flex; width: 400px}}</style><p>{'Words of this page. ' * 30}</p>"
    viewer = open_look(page.encode())
    mark = viewer.tab.frame_locator("#frame").locator("[data-l]")
    assert mark.evaluate("(each) => getComputedStyle(each).backgroundColor") not in ("rgba(0, 0, 0, 0)", "transparent")
    assert mark.evaluate("(each) => getComputedStyle(each).backgroundSize") == "100% 2px"


@pytest.mark.browser
def test_the_page_is_as_wide_as_a_narrow_screen(open_look):
    viewer = open_look(f"<p>{'Words of this page. ' * 30}</p>".encode(), viewport={"width": 390, "height": 844})
    boxes = [viewer.tab.locator(name).bounding_box() for name in ("#page", "#text")]
    assert boxes[0]["width"] == boxes[1]["width"] > 370


@pytest.mark.browser
@pytest.mark.parametrize("width", [1440, 1024])
def test_small_texts_can_be_read(open_look, width):
    small = "".join(f"<p style='font-size: 13px'>{i}. Words of a link.</p>" for i in range(9))
    page = f"{small}{''.join(f'<p style=font-size:20px>{i}. Words of this page.</p>' for i in range(12))}"
    viewer = open_look(page.encode(), viewport={"width": width, "height": 900})
    scale = float(viewer.tab.evaluate("document.getElementById('frame').style.transform.slice(6, -1)"))
    assert 13 * scale >= 10.99


@pytest.mark.browser
@pytest.mark.parametrize(("head", "height"), [("<link rel=stylesheet href=x.css>", 192), ("", 900)])
def test_images_without_their_styles_do_not_fill_the_page(open_look, head, height):
    page = f"<html><head>{head}</head><body><p>{'Words of this page. ' * 30}<img src=i.png width=1600 height=900></p>"
    inside = open_look(page.encode()).tab.frames[1]
    assert inside.evaluate("document.images[0].offsetHeight") == height
