# Everything works on a fresh clone: the targets make .venv and install what they need.
PYTHON ?= python3
VENV ?= .venv
SCRIPTS := $(if $(filter Windows_NT,$(OS)),Scripts,bin)
BIN := $(VENV)/$(SCRIPTS)
OLDEST := .venv-oldest/$(SCRIPTS)
WHEEL := .venv-wheel/$(SCRIPTS)
SCALE := .venv-scale/$(SCRIPTS)
# Only the demo shows what pip does.
QUIET := --quiet
PIP_INSTALL = -m pip install $(QUIET) --disable-pip-version-check
# pip compiles all modules that it installs, which takes most of its time, and few of them are ever imported. "no" is how
# the option --no-compile is set in the environment: https://pip.pypa.io/en/stable/topics/configuration/
export PIP_NO_COMPILE := no
# Python compiles and keeps what it imports. Without bytecode, the package takes nearly twice as long to import, and the
# tests start Python hundreds of times.
unexport PYTHONDONTWRITEBYTECODE
PIP = $(SHOWN) $(BIN)/python $(PIP_INSTALL) --constraint constraints.txt
# A process for each CPU, up to 4. The tests of a file share fixtures and stay together.
PYTEST := -m pytest --numprocesses auto --maxprocesses 4 --dist loadfile
QUICK := -m 'not slow and not crawl and not browser and not train'
# What versions of dependencies can change: how pages, inputs and models are read, what Scrapy calls and what is written.
# What is computed from a page without them, and the properties that hypothesis tries, are as with the pinned versions.
OLDEST_TESTS := $(addprefix tests/,adapters batch components crawl features labelers metadata page sources workers) \
	$(wildcard tests/test_e*.py) -m 'not slow and not browser and not train and not hypothesis'
# pip names no reason where the constraints cannot be met.
CHECK_PYTHON := $(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("expected Python 3.11 or later, got " \
	+ sys.version.split()[0] + "; name another one: make PYTHON=python3.12")'

.DEFAULT_GOAL := help
.PHONY: help install demo quick test coverage busy research second check docs links screenshots smoke scale fuzz audit bench dist sbom clean

help:  ## list these targets
	@awk -F ':.*## *' '/^[a-z]+:.*##/ { printf "make %-11s  %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

install: $(VENV)/.core  ## install the package with what a crawl needs into .venv

demo: QUIET := --progress-bar off
demo: SHOWN := $(PYTHON) .ci/show_last_line.py
demo: $(VENV)/.example  ## crawl the example site, print its clean text, write clean.jsonl
	@$(BIN)/python example_project/demo.py

quick: $(VENV)/.dev  ## lint, then run the tests that need no crawl, browser or training: about a minute
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/python $(PYTEST) $(QUICK)

test: $(VENV)/.dev check  ## check, then run all tests of the package
	$(BIN)/python $(PYTEST)

coverage: $(VENV)/.dev  ## run all tests at their large sizes, and fail if they cover less than 95 %: nightly
	$(BIN)/python $(PYTEST) --large --cov=scrapy_web2text --cov-branch --cov-report=term-missing:skip-covered --cov-fail-under=95

busy: $(VENV)/.dev  ## run all tests or those in TESTS three times while all CPUs are busy: which depend on speed?
	$(BIN)/python .ci/busy.py $(PYTEST) $(TESTS)

research: $(VENV)/.dev  ## run the tests of research/, the systems and experiments of the papers
	$(BIN)/python $(PYTEST) research/tests

second:  ## run the demo and the quick tests with another PYTHON in .venv-second, without torch
	$(MAKE) demo .venv-second/.tests VENV=.venv-second
	.venv-second/$(SCRIPTS)/python $(PYTEST) $(QUICK) -rsfE

check: $(VENV)/.dev  ## lint, format and types
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

docs: $(VENV)/.docs  ## build the pages of docs/ in docs/_build/html
	$(BIN)/python -m sphinx -W --keep-going --quiet docs docs/_build/html
	@echo docs/_build/html/index.html

links: $(VENV)/.docs  ## check the links of docs/ to other sites
	$(BIN)/python -m sphinx -b linkcheck --quiet docs docs/_build/links

screenshots: $(VENV)/.dev  ## take the screenshots in docs/, with chromium and playwright
	$(BIN)/python docs/screenshots.py

# The static page is made of the pinned versions alone.
smoke: .venv-oldest/.done  ## run the tests that depend on versions, or TESTS, with the oldest of all dependencies, without torch
	$(OLDEST)/python $(PYTEST) -rsfE $(or $(TESTS),$(OLDEST_TESTS))

scale: .venv-scale/.done  ## run the tests with Spark, Redis, S3 and Dask, which `make test` skips; needs Java and Redis
	$(SCALE)/python $(PYTEST) -rsfE tests/spark tests/shared

SECONDS ?= 20
fuzz: $(VENV)/.fuzz  ## look for input that breaks a guarantee, each TARGET for SECONDS=20
	PYTHONPATH=tests $(BIN)/python -m fuzz $(SECONDS) $(TARGET)

audit: $(VENV)/.audit  ## look for known vulnerabilities in the versions of constraints.txt
	$(BIN)/python .ci/audit.py $(AUDIT)

bench: $(VENV)/.core  ## measure speed and memory; WEB2TEXT_DATA names the folder of the corpora
	$(BIN)/python benchmarks/speed.py

# Python's isolated mode (-I) keeps the source tree out of the path: what runs is the wheel.
dist: $(VENV)/.dist  ## build sdist and wheel in dist/ twice, compare them, extract a page with the installed wheel
	rm -rf dist .venv-wheel
	$(BIN)/python .ci/reproduce.py
	$(PYTHON) -m venv .venv-wheel
	$(WHEEL)/python $(PIP_INSTALL) --constraint constraints.txt dist/*.whl
	$(WHEEL)/python -I -m scrapy_web2text extract tests/pages/faq.html --format json | grep '"model": "web2text-2026"'

sbom: dist $(VENV)/.sbom  ## list the wheel and its pinned dependencies, in CycloneDX, in build/
	mkdir -p build
	$(BIN)/cyclonedx-py environment $(WHEEL)/python --pyproject pyproject.toml --output-reproducible \
		--output-file build/scrapy-web2text.cdx.json

clean:  ## remove the environments and everything that was built
	rm -rf .venv .venv-oldest .venv-scale .venv-second .venv-wheel build dist docs/_build
	rm -rf .mypy_cache .pytest_cache .ruff_cache .hypothesis

# The compiled modules are built where there is a C compiler. pip does not show what the build says.
# The targets after this one name the installed package, not its path, so that pip only adds what an extra needs.
$(VENV)/.core: pyproject.toml constraints.txt hatch_build.py $(wildcard scrapy_web2text/*/_*.p[xy][ix])
	@$(CHECK_PYTHON)
	@echo "Installing scrapy-web2text and what it needs into $(VENV), once: about a minute"
	$(PYTHON) -m venv $(VENV)
	$(PIP) --editable .
	@$(BIN)/web2text --version
	touch $@

$(VENV)/.example: $(VENV)/.core
	$(PIP) 'scrapy-web2text[example]'
	touch $@

$(VENV)/.dev: $(VENV)/.core
	$(PIP) 'scrapy-web2text[train,dev,metadata,poet,warc,parquet,dedup,cloud]'
	touch $@

$(VENV)/.docs: $(VENV)/.core
	$(PIP) 'scrapy-web2text[docs]'
	touch $@

$(VENV)/.dist: $(VENV)/.core
	$(PIP) build hatchling cython setuptools  # what pyproject.toml asks for
	touch $@

$(VENV)/.tests: $(VENV)/.core
	$(PIP) 'scrapy-web2text[dev,metadata,poet,warc,parquet,dedup,cloud]'
	touch $@

# atheris has no wheels for some systems. `make fuzz` then says so and ends.
$(VENV)/.fuzz: $(VENV)/.tests
	-$(PIP) --only-binary :all: atheris
	touch $@

$(VENV)/.audit: $(VENV)/.core
	$(PIP) pip-audit
	touch $@

$(VENV)/.sbom: $(VENV)/.core
	$(PIP) cyclonedx-bom
	touch $@

# Scrapy 2.15 without a reactor downloads with httpx.
.venv-oldest/.done: pyproject.toml constraints-min.txt
	@$(CHECK_PYTHON)
	$(PYTHON) -m venv .venv-oldest
	$(OLDEST)/python $(PIP_INSTALL) --constraint constraints-min.txt \
		--editable '.[dev,metadata,warc,parquet,dedup,cloud,example]' scikit-learn httpx
	touch $@

# PySpark is 450 MB, so only these tests have it. botocore does not work with python-dateutil 3 and later.
.venv-scale/.done: pyproject.toml constraints.txt
	@$(CHECK_PYTHON)
	$(PYTHON) -m venv .venv-scale
	grep -v '^python-dateutil=' constraints.txt > .venv-scale/constraints.txt
	$(SCALE)/python $(PIP_INSTALL) --constraint .venv-scale/constraints.txt --editable '.[spark]' \
		scrapy-redis s3fs boto3 'moto[s3]' flask flask-cors dask 'python-dateutil==2.9.0.post0' \
		hypothesis markdown-it-py pytest pytest-cov pytest-xdist
	touch $@
