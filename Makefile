# Start with `make demo` and `make test`. Everything is installed into .venv in this folder.
PYTHON ?= $(shell for p in python3.13 python3.12 python3.11 python3 python; do \
  $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo $$p; break; }; done)
BIN := .venv/bin
ENV := PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_INPUT=1
WORKERS ?= 3
ADAPTERS := langgraph langchain openai-agents llamaindex anthropic

.PHONY: help demo test test-full test-all test-adapters test-clients check docs bench screenshots dist newcomer clean

help:
	@echo "make demo           show a short tour on a temporary store"
	@echo "make test           install the test dependencies and test every feature in a few minutes"
	@echo "make test-full      make check and make test, then the other tests: browser, PostgreSQL, processes"
	@echo "make test-all       run all tests at once, with the slow ones and those that compare times"
	@echo "make test-adapters  test each adapter against its library, in its own environment"
	@echo "make test-clients   run real agent clients from npm against a scripted model, in no other suite"
	@echo "make check          run ruff, mypy --strict and import-linter, and compare sizes with the recorded ones"
	@echo "make docs           build the documentation site into site/, without warnings, and test its search"
	@echo "make bench          run the benchmarks that need no data"
	@echo "make dist           build the wheel and the sdist, reproducibly"
	@echo "make newcomer       run a newcomer's first hour from a fresh clone and write docs/newcomer.md"
	@echo "make screenshots    take the screenshots in docs/images with Chromium"
	@echo "make clean          delete the environments, caches and builds"

.venv/made:
	@test -n "$(PYTHON)" || { echo "Ghost needs Python 3.11 or newer; none was found" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { echo "Python's venv module is missing: on Debian, apt-get install python3-venv" >&2; exit 1; }
	$(PYTHON) -m venv .venv
	touch $@

.venv/installed: .venv/made pyproject.toml
	$(ENV) $(BIN)/pip install --quiet --editable '.[all]'
	$(BIN)/python -m compileall -q src
	touch $@

.venv/installed-dev: .venv/installed
	$(ENV) $(BIN)/pip install --quiet --editable '.[all,dev]'
	touch $@

demo: .venv/installed
	@$(BIN)/python -m bench.demo

check: .venv/installed-dev
	$(BIN)/ruff check src tests bench tools
	$(BIN)/ruff format --check src tests bench tools
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python tools/structure.py --limits tools/statements.txt

PYTEST := PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -n $(WORKERS) --dist worksteal

test: .venv/installed-dev
	$(PYTEST) --quick

test-full: check test
	$(PYTEST) --rest

test-all: check
	$(PYTEST) -m ""

.PRECIOUS: .venvs/%/made
.venvs/%/made: pyproject.toml
	$(PYTHON) -m venv .venvs/$*
	$(ENV) .venvs/$*/bin/pip install --quiet --upgrade --editable '.[$*]' hypothesis pytest
	touch $@

test-adapter-%: .venvs/%/made
	.venvs/$*/bin/python -c 'import ghostmem.adapters.$(subst -,_,$*)'
	.venvs/$*/bin/pip list --format freeze | grep -E '^(langgraph|langchain-core|openai-agents|llama-index-core|anthropic)=='
	.venvs/$*/bin/python -m pytest -q tests/adapters/test_$(subst -,_,$*).py

test-adapters: $(ADAPTERS:%=test-adapter-%)

.clients/installed: tests/clients/package.json
	@command -v npm >/dev/null && command -v tmux >/dev/null || { echo "make test-clients needs tmux and Node.js 20 or newer with npm" >&2; exit 1; }
	mkdir -p .clients
	cp tests/clients/package.json .clients/
	npm --prefix .clients install --no-package-lock --no-audit --no-fund --loglevel=error
	touch $@

CLIENT_WORKERS ?= 2
test-clients: .venv/installed-dev .clients/installed
	rm -rf .clients/results
	$(BIN)/python -m pytest --clients -n $(CLIENT_WORKERS) --dist worksteal tests/clients; status=$$?; \
	  $(BIN)/python tools/client_results.py; exit $$status

.venvs/docs/made: pyproject.toml
	$(PYTHON) -m venv .venvs/docs
	$(ENV) .venvs/docs/bin/pip install --quiet $$($(PYTHON) -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["project"]["optional-dependencies"]["docs"])')
	touch $@

docs: .venvs/docs/made
	NO_MKDOCS_2_WARNING=1 .venvs/docs/bin/mkdocs build --quiet
	.venvs/docs/bin/python tools/check_site.py site

bench: .venv/installed
	$(BIN)/python -m bench.latency
	$(BIN)/python -m bench.faults

screenshots: .venv/installed-dev
	$(BIN)/python tools/screenshots.py

.venvs/build/made: pyproject.toml
	$(PYTHON) -m venv .venvs/build
	$(ENV) .venvs/build/bin/pip install --quiet 'hatchling>=1.27'
	touch $@

dist: .venvs/build/made
	@.venvs/build/bin/python tools/build.py

newcomer: .venv/installed-dev
	$(BIN)/python -m bench.newcomer --write docs/newcomer.md

clean:
	rm -rf .venv .venvs .clients .mypy_cache .ruff_cache .pytest_cache .hypothesis dist build site
