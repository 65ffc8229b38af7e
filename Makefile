# Everything works on a fresh clone: the targets make .venv and install what they need.
PYTHON ?= python3
BIN := .venv/bin
ifeq ($(OS),Windows_NT)
BIN := .venv/Scripts
endif
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

.PHONY: install demo test check docs bench clean

install: .venv/.core  ## the package with what a crawl needs

demo: .venv/.core  ## crawl the example site, print its clean text, write the feed
	$(BIN)/python example_project/demo.py

test: .venv/.dev check  ## lint, types and all tests
	$(BIN)/python -m pytest

check: .venv/.dev  ## lint, format and types alone
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

docs: .venv/.docs  ## the pages in docs/ as HTML, in docs/_build/html
	$(BIN)/python -m sphinx -W --keep-going --quiet docs docs/_build/html

bench: .venv/.core  ## cost of an extraction relative to the parse; WEB2TEXT_DATA names the unpacked corpora
	$(BIN)/python benchmarks/speed.py

clean:
	rm -rf .venv docs/_build .mypy_cache .pytest_cache .ruff_cache .hypothesis

.venv/.core: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(PIP) --editable .
	touch $@

.venv/.dev: .venv/.core
	$(PIP) --editable '.[train,dev,metadata,poet]'
	touch $@

.venv/.docs: .venv/.core
	$(PIP) --editable '.[docs]'
	touch $@
