# Everything here needs Python 3.11 or later, make and git. The rest is installed into .venv on first use,
# and again when pyproject.toml changes. `make` alone says what there is.

VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
WORKERS ?= 2
EXAMPLES := $(patsubst %/opgen.toml,%,$(wildcard examples/*/opgen.toml))
PYTHON ?= $(shell for p in python3.11 python3.12 python3.13 python3.14 python3 python; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)

# Tests and the demo call `opgen` by name.
export PATH := $(CURDIR)/$(BIN):$(PATH)
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.DEFAULT_GOAL := help
.PHONY: help demo test lint format golden examples bench clean

help: ## say what there is
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: $(STAMP) ## from a CRD to a running operator, on the embedded API server
	@$(BIN)/python examples/01-memcached/demo.py

test: $(STAMP) ## run every test, the examples' own too
	$(BIN)/pytest -n $(WORKERS) --dist loadgroup
	@set -e; for example in $(EXAMPLES); do \
		test -d $$example/tests || continue; \
		echo "$$example: its own tests"; (cd $$example && pytest -q); \
	done

lint: $(STAMP) ## check style, types and layers; pyright on generated code
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/lint-imports --no-logo
	$(BIN)/mypy
	$(BIN)/pyright

format: $(STAMP) ## rewrite the code as `make lint` wants it
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

golden: $(STAMP) ## rewrite the expected output under tests/golden; read the diff before you commit
	$(BIN)/pytest -q tests/golden --update-golden
	@git --no-pager diff --stat -- tests/golden

examples: $(STAMP) ## regenerate the examples; read the diff before you commit
	@set -e; for example in $(EXAMPLES); do $(BIN)/opgen -C $$example generate; done
	@git --no-pager diff --stat -- examples

bench: $(STAMP) ## measure side by side with peers, write benchmarks/RESULTS.md
	$(BIN)/python -m benchmarks.generate
	$(BIN)/python -m benchmarks.models

clean: ## remove .venv and every cache
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(STAMP): pyproject.toml
	@test -n "$(PYTHON)" || { echo "error: opgen needs Python 3.11 or later on PATH" >&2; exit 2; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	@touch $@
