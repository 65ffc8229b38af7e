# Everything works on a fresh clone: the targets make .venv and install what they need.
PYTHON ?= python3
BIN := .venv/bin
OLDEST := .venv-oldest/bin
WHEEL := .venv-wheel/bin
FUZZ := .venv-fuzz/bin
ifeq ($(OS),Windows_NT)
BIN := .venv/Scripts
OLDEST := .venv-oldest/Scripts
WHEEL := .venv-wheel/Scripts
FUZZ := .venv-fuzz/Scripts
endif
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

.DEFAULT_GOAL := help
.PHONY: help install demo test check docs smoke fuzz bench dist clean

help:  ## list these targets
	@awk -F ':.*## *' '/^[a-z]+:.*##/ { printf "make %-8s  %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

install: .venv/.core  ## install the package with what a crawl needs into .venv

demo: .venv/.example  ## crawl the example site, print its clean text, write clean.jsonl
	$(BIN)/python example_project/demo.py

test: .venv/.dev check  ## check, then run all tests
	$(BIN)/python -m pytest

check: .venv/.dev  ## lint, format and types
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

docs: .venv/.docs  ## build the pages of docs/ in docs/_build/html
	$(BIN)/python -m sphinx -W --keep-going --quiet docs docs/_build/html

smoke: .venv-oldest/.done  ## test crawls with the oldest supported Scrapy
	$(OLDEST)/python -m pytest --override-ini addopts= --quiet --import-mode=importlib tests/crawl/test_extractor.py \
		tests/components/test_pipelines.py tests/components/test_downloadermiddlewares.py \
		tests/components/test_spidermiddlewares.py tests/components/test_exporters.py

SECONDS ?= 60
fuzz: .venv-fuzz/.done  ## look for pages and model folders that break a guarantee, for SECONDS=60
	PYTHONPATH=tests $(FUZZ)/python -m fuzz $(SECONDS) $(TARGET)

bench: .venv/.core  ## measure speed and memory; WEB2TEXT_DATA names the folder of the corpora
	$(BIN)/python benchmarks/speed.py

# Python's isolated mode (-I) keeps the source tree out of the path: what runs is the wheel.
dist: .venv/.dist  ## build sdist and wheel in dist/, extract a page with the installed wheel
	rm -rf dist .venv-wheel
	$(BIN)/python -m build
	$(PYTHON) -m venv .venv-wheel
	$(WHEEL)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt dist/*.whl
	$(WHEEL)/python -I -m scrapy_web2text extract tests/pages/faq.html --format json | grep '"model": "web2text-2026"'

clean:  ## remove the environments and everything that was built
	rm -rf .venv .venv-oldest .venv-wheel .venv-fuzz dist docs/_build .mypy_cache .pytest_cache .ruff_cache .hypothesis

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

.venv/.dist: .venv/.core
	$(PIP) build
	touch $@

# Scrapy 2.15 without a reactor downloads with httpx, and needs a Twisted release of the same time.
.venv-oldest/.done: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv-oldest
	sed -E '/^(Scrapy|Twisted)==/d' constraints.txt > .venv-oldest/constraints.txt
	$(OLDEST)/python -m pip install --quiet --disable-pip-version-check --constraint .venv-oldest/constraints.txt \
		--editable '.[metadata]' 'scrapy==2.15.0' 'twisted==25.5.0' 'httpx==0.28.1' pytest hypothesis attrs
	touch $@

# atheris has no wheels for some systems. `make fuzz` then says so and ends.
.venv-fuzz/.done: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv-fuzz
	$(FUZZ)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt \
		--editable '.[metadata]' html5lib markdown-it-py
	-$(FUZZ)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt \
		--only-binary :all: atheris
	touch $@
