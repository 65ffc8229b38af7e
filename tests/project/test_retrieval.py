"""Search in the example project, and the recipes of docs/recipes.md for libraries, where these are installed."""

from __future__ import annotations

from runpy import run_path
from typing import Any

import pytest
from documents import code_blocks
from mockserver import SENTENCE, article
from places import ROOT

SITE = ROOT / "example_project" / "site"
BM25 = ROOT / "example_project" / "example_project" / "bm25.py"


def run_recipe(sign: str) -> dict[str, Any]:
    (block,) = [block for block in code_blocks("python", pages=("recipes.md",)) if sign in block.text]
    names: dict[str, Any] = {"__name__": "recipe"}
    exec(compile(block.text, block.id, "exec"), names)
    return names


@pytest.mark.parametrize(
    ("question", "page", "answer"),
    [
        ("For how long may I keep library books?", "help/faq.html", "Four weeks"),
        ("May dogs travel on the night ferry?", "courier/night-ferry.html", "aft deck"),
        ("How are heights between two tides interpolated?", "docs/tides.html", "rule of twelfths"),
    ],
)
def test_chunks_of_the_example_site_answer_a_question(question, page, answer):
    pages = {path.relative_to(SITE).as_posix(): path.read_bytes() for path in sorted(SITE.rglob("*.htm*"))}
    found = run_path(str(BM25))["search"](pages, question)
    assert (found[0]["url"], answer in found[0]["text"]) == (page, True)


def test_the_recipe_for_langchain():
    documents = pytest.importorskip("langchain_core.documents", reason="needs langchain-core")
    transformer = run_recipe("langchain_core")["MainContentTransformer"]()
    page = documents.Document(article(title="A"), metadata={"source": "http://e.org/"})
    found = [*transformer.transform_documents([page], max_words=40)]
    assert SENTENCE in found[0].page_content
    assert (found[0].metadata["source"], found[0].metadata["title"]) == ("http://e.org/", "A")
    assert [each.metadata["position"] for each in found] == [*range(len(found))]


def test_the_recipe_for_haystack():
    haystack = pytest.importorskip("haystack", reason="needs haystack-ai")
    converter = run_recipe("haystack")["MainContentConverter"](max_words=40)
    pipeline = haystack.Pipeline()
    pipeline.add_component("converter", converter)
    page = haystack.dataclasses.ByteStream(article(title="A").encode(), meta={"url": "http://e.org/"})
    found = pipeline.run({"converter": {"sources": [page]}})["converter"]["documents"]
    assert SENTENCE in found[0].content
    assert (found[0].meta["url"], found[0].meta["title"]) == ("http://e.org/", "A")


def test_the_recipe_for_llama_index(tmp_path):
    core = pytest.importorskip("llama_index.core", reason="needs llama-index-core")
    reader = run_recipe("llama_index")["MainContentReader"]()
    (tmp_path / "a.html").write_text(article(title="A"), encoding="utf-8")
    found = core.SimpleDirectoryReader(tmp_path, file_extractor={".html": reader}).load_data()
    assert SENTENCE in found[0].text
    assert (found[0].metadata["title"], found[0].metadata["position"]) == ("A", 0)
