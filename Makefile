PYTHON ?= python3
BIN := .venv/bin

.DEFAULT_GOAL := help

help: ## Show what there is
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/'

# torch comes first and alone: without an NVIDIA GPU none of the CUDA packages that its Linux builds require is fetched.
# pip would compile twenty thousand modules on one core: .venv/.compiled does it on all of them, for who needs most of them.
.venv/.installed: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 15))' || { echo "Python 3.11 to 3.14 is needed: make run PYTHON=python3.11"; exit 2; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { echo "Python's venv module is missing: install it (on Debian: apt install python3-venv)"; exit 2; }
	$(PYTHON) -m venv .venv
	$(BIN)/python deployments/torch_for_processors.py
	$(BIN)/python -m pip install --quiet --no-compile --disable-pip-version-check -e .
	@touch $@

# A module of another Python's syntax lies in some package or other; nobody imports it. What few runs import is compiled then.
SELDOM := /(tests?|matplotlib|networkx|fontTools|Bio|pip|setuptools)/|/transformers/models/
.venv/.compiled: .venv/.installed
	@$(BIN)/python -m compileall -q -j 0 -x '$(SELDOM)' .venv/lib > .venv/compiling.log 2>&1 || true
	@touch $@

# What tests and linters need besides: nobody has to wait for it who only wants to see a report.
.venv/.developing: .venv/.installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	@touch $@

install: .venv/.developing ## Make the virtual environment, with what developing needs

# It fetches the language model while the encoder reads; Python compiles what it imports, a tenth of what is installed.
run: .venv/.installed ## Evaluate the examples with the embedded models, and say where the report is
	PYTHONDONTWRITEBYTECODE= $(BIN)/medassay evaluate examples/clinic --pull --run-name examples

# Tests start many processes: where no bytecode is kept, each of them compiles everything that it imports.
test: export PYTHONDONTWRITEBYTECODE =
test: .venv/.developing .venv/.compiled ## Run the tests
	$(BIN)/medassay models pull all-MiniLM-L6-v2
	$(BIN)/python -m pytest -q -n 2 --dist loadfile --no-loadscope-reorder

check: .venv/.developing ## Run the linters and the type checker
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# Of every Python and platform in one file; what CUDA needs is left out.
lock: .venv/.installed ## Write deployments/lock.txt, the versions that pyproject.toml resolves to
	$(BIN)/python -m pip install --quiet --disable-pip-version-check uv
	$(BIN)/uv pip compile pyproject.toml --quiet --upgrade --universal --python-version 3.11 --no-annotate \
		--override deployments/no_cuda.txt --custom-compile-command "make lock" --output-file deployments/lock.txt

docs: .venv/.installed ## Write the generated pages and build the site into build/site
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[docs]'
	$(BIN)/python -m medassay.flows.reference
	$(BIN)/mkdocs build --quiet

.PHONY: help install run test check lock docs
