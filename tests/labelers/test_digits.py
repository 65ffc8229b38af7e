"""The same digits for the same page: with any number of BLAS threads, in any thread or process, after any page."""

from __future__ import annotations

import json
import random
from concurrent.futures import ThreadPoolExecutor

import pytest
from places import PAGES
from subprocesses import run_python

from scrapy_web2text.extractor import Extractor
from scrapy_web2text.labelers.weights import PACKAGED_MODELS

pytest.importorskip("threadpoolctl", reason="comes with scikit-learn")

# The page is so long that OpenBLAS would spread products of vectors over its threads.
WITH_EACH_NUMBER_OF_THREADS = """
import hashlib, json
from pathlib import Path
from threadpoolctl import threadpool_info, threadpool_limits
from scrapy_web2text import Extractor
pages = [Path(path).read_bytes() for path in {paths!r}]
pages.append("".join(f"<p>Word {{i}} of <a href=/{{i}}>a page</a>." for i in range({n_blocks})).encode())
extractor = Extractor(model={model!r}, max_blocks=None, timeout=None)
for n_threads in (1, 3):
    with threadpool_limits(n_threads, user_api="blas"):
        assert all(blas["num_threads"] == n_threads for blas in threadpool_info() if blas["user_api"] == "blas")
        answers = [extractor.extract(page).to_dict() | {{"elapsed": 0}} for page in pages]
    print(hashlib.sha256(json.dumps(answers).encode()).hexdigest())
"""


@pytest.mark.parametrize("model", PACKAGED_MODELS)
def test_answers_do_not_depend_on_the_number_of_blas_threads(model):
    paths = [str(path) for path in PAGES[:4]]
    digests = run_python(WITH_EACH_NUMBER_OF_THREADS.format(model=model, paths=paths, n_blocks=11_000)).split()
    assert len(digests) == 2
    assert len({*digests}) == 1


@pytest.mark.parametrize("model", PACKAGED_MODELS)
def test_answers_depend_neither_on_the_thread_nor_on_the_pages_before(model):
    extractor = Extractor(model=model)

    def answer(body: bytes) -> str:
        return json.dumps(extractor.extract(body).to_dict() | {"elapsed": 0}, sort_keys=True)

    bodies = [path.read_bytes() for path in PAGES]
    alone = {body: answer(body) for body in bodies}
    shuffled = random.Random(0).sample(bodies * 2, 2 * len(bodies))
    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(answer, shuffled)) == [alone[body] for body in shuffled]


def test_answers_do_not_depend_on_the_order_of_sets(monkeypatch):
    code = f"""
import hashlib, json
from pathlib import Path
from scrapy_web2text import Extractor
extractor = Extractor(html=True, markdown=True, paragraphs=True)
answers = [extractor.extract(Path(path).read_bytes()).to_dict() for path in {[str(path) for path in PAGES]!r}]
print(hashlib.sha256(json.dumps([answer | {{"elapsed": 0}} for answer in answers]).encode()).hexdigest())
"""
    digests = set()
    for seed in ("0", "1"):
        monkeypatch.setenv("PYTHONHASHSEED", seed)
        digests.add(run_python(code))
    assert len(digests) == 1
