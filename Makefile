PYTHON ?= python3
BIN := .venv/bin

.DEFAULT_GOAL := help

help: ## Show what there is
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/'

# torch comes first and alone: a range that admits a newer one pulls gigabytes of CUDA packages.
.venv/.installed: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 15))' || { echo "Python 3.11 to 3.14 is needed: make run PYTHON=python3.11"; exit 2; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { echo "Python's venv module is missing: install it (on Debian: apt install python3-venv)"; exit 2; }
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check torch==2.13.0
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	@touch $@

# What tests and linters need besides: nobody has to wait for it who only wants to see a report.
.venv/.developing: .venv/.installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	@touch $@

install: .venv/.developing ## Make the virtual environment, with what developing needs

run: .venv/.installed ## Evaluate the examples with the embedded models, and say where the report is
	$(BIN)/medassay models pull
	$(BIN)/medassay evaluate examples/clinic --judge embedded --run-name examples

test: .venv/.developing ## Run the tests
	$(BIN)/medassay models pull all-MiniLM-L6-v2
	$(BIN)/python -m pytest -q -n 2 --dist loadfile

check: .venv/.developing ## Run the linters and the type checker
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

docs: .venv/.installed ## Write the page of views from the comments in the warehouse
	$(BIN)/python -m flows.views_page > docs/views.md

.PHONY: help install run test check docs
