"""The adapters for other frameworks, where these are installed; what they share, everywhere."""

from __future__ import annotations

import gzip
import json
import pickle

import pytest
from documents import code_blocks
from mockserver import SENTENCE, article
from places import PAGES
from subprocesses import run_script
from warcs import http, record, write_warc

from scrapy_web2text import extract
from scrapy_web2text.adapters import ContentWriter

RULES = "shallow:numwords"
CODE = (
    "<html><body><h1>Tides</h1>" + f"<p>{SENTENCE}</p>" * 4 + "<pre><code>a = 1\n\n\nb = 2</code></pre></body></html>"
)


def test_the_form_is_markdown_if_that_is_asked_for_and_else_text():
    assert ContentWriter(model=RULES).write(article()) == extract(article(), model=RULES).text
    writer = pickle.loads(pickle.dumps(ContentWriter(model=RULES, markdown=True)))
    assert writer.write(article()) == extract(article(), model=RULES, markdown=True).markdown


def test_pages_of_low_confidence_can_be_dropped():
    low = {"min_confidence": 1.0, "on_low_confidence": "drop"}
    assert ContentWriter(**low).write(article()) == ""
    assert ContentWriter(**(low | {"on_low_confidence": "flag"})).write(article())


def test_a_mistake_in_an_option_is_an_error_at_the_start():
    with pytest.raises(ValueError, match="threshold: expected a number between 0 and 1"):
        ContentWriter(threshold=7)


def test_datatrove_runs_the_extractor_as_a_step():
    data = pytest.importorskip("datatrove.data", reason="needs datatrove")
    from scrapy_web2text.adapters.datatrove import Web2TextExtractor

    pages = {"a": article(), "empty": "<html><body></body></html>", "b": article(f"Another: {SENTENCE}", title="B")}
    documents = [data.Document(text=page, id=name) for name, page in pages.items()]
    step = pickle.loads(pickle.dumps(Web2TextExtractor(model=RULES)))
    found = {document.id: document.text for document in step.run(iter(documents))}
    assert found == {name: ContentWriter(model=RULES).write(pages[name]) for name in ("a", "b")}
    assert SENTENCE in found["a"]


def test_nemo_curator_runs_the_extractor_as_its_algorithm():
    extract = pytest.importorskip("nemo_curator.stages.text.download.common_crawl.extract", reason="needs nemo-curator")
    from scrapy_web2text.adapters.nemo import Web2TextExtractor

    stage = extract.CommonCrawlHTMLExtractor(algorithm=Web2TextExtractor(model=RULES, markdown=True))
    record = {"url": "https://example.com/", "warc_id": "1", "source_id": "a", "content": CODE.encode()}
    found = stage.extract(record)
    assert found["language"] == "ENGLISH"
    assert found["text"] == ContentWriter(model=RULES, markdown=True).write(CODE)
    assert Web2TextExtractor(model=RULES).extract_text(article(), frozenset(), "ENGLISH")[0] == "The bridge"
    assert stage.extract(record | {"content": b"<html><body></body></html>"}) is None


def recipe(library: str) -> str:
    (block,) = (block for block in code_blocks("python", pages=("frameworks.md",)) if f"from {library}." in block.text)
    return block.text


def test_the_pipeline_of_the_documentation_runs_on_datatrove(tmp_path):
    for module in ("datatrove", "warcio", "cchardet", "magic", "orjson", "spacy"):
        pytest.importorskip(module, reason=f"needs {module}")
    (tmp_path / "crawl").mkdir()
    records = [record(http(page.read_bytes()), f"https://example.com/{page.stem}") for page in PAGES]
    write_warc(tmp_path / "crawl" / "a.warc.gz", records)
    run_script(recipe("datatrove").replace("        URLFilter(),\n", ""), tmp_path)  # which fetches a list of domains
    lines = gzip.decompress((tmp_path / "clean" / "00000.jsonl.gz").read_bytes()).splitlines()
    found = {json.loads(line)["metadata"]["url"].rpartition("/")[2]: json.loads(line)["text"] for line in lines}
    assert 3 < len(found) < len(PAGES)  # those that no filter drops
    assert "german-column" not in found
    assert found["news-related-inside"].startswith("Northmoor will have its own weather.")


def test_the_stage_of_the_documentation_is_one_of_nemo_curator(tmp_path, monkeypatch):
    pytest.importorskip("nemo_curator.stages.text.download", reason="needs nemo-curator")
    monkeypatch.chdir(tmp_path)
    names = {}
    exec(recipe("nemo_curator"), names)
    assert isinstance(names["stage"].extractor.algorithm, names["Web2TextExtractor"])
