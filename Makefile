# Everything works on a fresh clone: the targets make .venv and install what they need.
PYTHON ?= python3
BIN := .venv/bin
OLDEST := .venv-oldest/bin
ifeq ($(OS),Windows_NT)
BIN := .venv/Scripts
OLDEST := .venv-oldest/Scripts
endif
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

.PHONY: install demo test check docs smoke bench clean

install: .venv/.core  ## the package with what a crawl needs

demo: .venv/.example  ## crawl the example site, print its clean text, write the feed
	$(BIN)/python example_project/demo.py

test: .venv/.dev check  ## lint, types and all tests
	$(BIN)/python -m pytest

check: .venv/.dev  ## lint, format and types alone
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

docs: .venv/.docs  ## the pages in docs/ as HTML, in docs/_build/html
	$(BIN)/python -m sphinx -W --keep-going --quiet docs docs/_build/html

smoke: .venv-oldest/.done  ## crawls with the oldest Scrapy that is supported
	$(OLDEST)/python -m pytest --override-ini addopts= --quiet --import-mode=importlib tests/crawl/test_extractor.py \
		tests/components/test_pipelines.py tests/components/test_downloadermiddlewares.py \
		tests/components/test_spidermiddlewares.py tests/components/test_exporters.py

bench: .venv/.core  ## cost of an extraction relative to the parse; WEB2TEXT_DATA names the unpacked corpora
	$(BIN)/python benchmarks/speed.py

clean:
	rm -rf .venv .venv-oldest docs/_build .mypy_cache .pytest_cache .ruff_cache .hypothesis

.venv/.core: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(PIP) --editable .
	touch $@

.venv/.example: .venv/.core
	$(PIP) --editable '.[example]'
	touch $@

.venv/.dev: .venv/.core
	$(PIP) --editable '.[train,dev,metadata,poet]'
	touch $@

.venv/.docs: .venv/.core
	$(PIP) --editable '.[docs]'
	touch $@

# Scrapy 2.15 without a reactor downloads with httpx, and wants a Twisted of its time.
.venv-oldest/.done: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv-oldest
	sed -E '/^(Scrapy|Twisted)==/d' constraints.txt > .venv-oldest/constraints.txt
	$(OLDEST)/python -m pip install --quiet --disable-pip-version-check --constraint .venv-oldest/constraints.txt \
		--editable '.[metadata]' 'scrapy==2.15.0' 'twisted==25.5.0' 'httpx==0.28.1' pytest hypothesis attrs
	touch $@
