from __future__ import annotations

import json

from view.test_document import Reader, source

from scrapy_web2text.comparison.document import compare_page, write_comparison
from scrapy_web2text.comparison.pages import PageChange

HOSTILE = "</script><script>alert(1)</script>\u2028<!--"


def write(text=HOSTILE):
    item = {"text": text, "title": text, "web2text": {"model": "m", "confidence": 0.5}}
    page = compare_page(PageChange(text, 0.5, 1, 2), (item, text), ({}, "b"), ["old", text])
    return write_comparison([page], "old and new")


def test_the_policy_names_every_script_and_style():
    reader = Reader(write())
    codes = [text for kind, _, text in reader.scripts if kind is None]
    assert len(codes) == 2
    assert all(source(code) in reader.policy for code in codes)
    assert source(reader.styles[0][2]) in reader.policy
    assert reader.policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe" not in reader.policy
    assert "connect-src" not in reader.policy


def test_texts_of_pages_are_data_only():
    html = write()
    assert html.count("<script>") == 2
    assert "\u2028" not in html
    data = {name: json.loads(text) for kind, name, text in Reader(html).scripts if kind is not None}
    assert data["pages"] == [{"name": HOSTILE, "page": HOSTILE, "f1": 0.5, "gained": 1, "lost": 2}]
    assert data["page-0"]["before"] == {"name": "old", "facts": {"model": "m", "confidence": 0.5}}
    assert data["page-0"]["title"] == HOSTILE
    assert not any(name.startswith("on") or name == "href" for _, name, _ in Reader(html).attributes)
