# Developer commands. Every target sets up the virtual environment it needs; later runs reuse it.
.DEFAULT_GOAL := help
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
ifeq ($(OS),Windows_NT)
BIN := $(VENV)/Scripts
endif

.PHONY: help demo explore test test-all lint format fuzz audit lock docs docs-site docs-pictures docs-check bench mutants model dist clean

help:  ## this menu
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## */\t/' | awk -F'\t' '{printf "  make %-14s %s\n", $$1, $$2}'

# One stamp per set of extras, renewed only when pyproject.toml changes.
$(VENV)/.stamp-%: pyproject.toml
	@test -x $(BIN)/python || { command -v uv >/dev/null 2>&1 && uv venv -q --seed --python $(PYTHON) $(VENV) || $(PYTHON) -m venv $(VENV); }
	@echo "setting up $(VENV) ($*)"
	@if command -v uv >/dev/null 2>&1; then uv pip install -q --python $(BIN)/python -e '.[$*]'; \
	 else $(BIN)/python -m pip install -q --disable-pip-version-check -e '.[$*]'; fi
	@touch $@

demo:  ## train on a small real corpus and show the results; about two minutes
	@$(PYTHON) tools/demo.py $(VENV)

explore: $(VENV)/.stamp-web  ## explore the packaged model in the browser: make explore MODELS="model-a model-b"
	@$(BIN)/hyperdive serve --open $(MODELS)

test: $(VENV)/.stamp-dev  ## all checks: ruff, mypy, pytest with doctests
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check -q . || { echo "type: make format"; exit 1; }
	@$(BIN)/mypy
	@$(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder

test-all: $(VENV)/.stamp-dev $(VENV)/.stamp-docs $(VENV)/.stamp-spark  ## the checks and the slow tests
	@HYPERDIVE_THOROUGH=1 $(MAKE) --no-print-directory test
	@$(BIN)/python -m pytest -m slow
	@$(MAKE) --no-print-directory fuzz

SECONDS_EACH ?= 60
fuzz: $(VENV)/.stamp-dev  ## mutations of everything that is read, 60 seconds a target; prints how many
	@$(BIN)/python -W ignore -m fuzz --seconds $(SECONDS_EACH)

audit: $(VENV)/.stamp-dev  ## compare the locked development environment with the known vulnerabilities
	@$(BIN)/python -m pip install -q --disable-pip-version-check pip-audit
	@$(BIN)/python -m pip_audit --require-hashes --disable-pip -r requirements-dev.lock

lock: $(VENV)/.stamp-dev  ## pin the development environment with hashes into requirements-dev.lock
	@$(BIN)/python -m pip install -q --disable-pip-version-check uv
	@$(BIN)/python -m uv pip compile -q --universal --generate-hashes --no-header --extra dev pyproject.toml -o requirements-dev.lock

lint: $(VENV)/.stamp-dev  ## ruff and mypy only
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check -q . || { echo "type: make format"; exit 1; }
	@$(BIN)/mypy

format: $(VENV)/.stamp-dev  ## format the code with ruff
	@$(BIN)/ruff check -q --fix . ; $(BIN)/ruff format -q .

MEGABYTES ?= 1000000
bench: $(VENV)/.stamp-dev  ## speed beside the alternatives: make bench TEXT=wiki.txt.xz [MEGABYTES=40]; goes on where it was
	@test -n "$(TEXT)" || { echo "type: make bench TEXT=FILE with a large text, one document per line"; exit 2; }
	@$(BIN)/python bench/suite.py --text $(TEXT) --megabytes $(MEGABYTES)

mutants: $(VENV)/.stamp-dev  ## do the tests notice a wrong number? make mutants DRAW=40 draws some of them
	@$(BIN)/python tools/mutants.py $(MODULES) --draw $(or $(DRAW),0) $(if $(RECORD),--record $(RECORD))

CORPUS ?= $(HYPERDIVE_CORPUS)
model: $(VENV)/.stamp-dev  ## rebuild the packaged model, the same bytes every time: make model CORPUS=wiki.txt.xz
	@test -n "$(CORPUS)" || { echo "type: make model CORPUS=FILE with the text, or set HYPERDIVE_CORPUS"; exit 2; }
	$(BIN)/hyperdive encode $(CORPUS) --no-keep-text --force -o build/model/corpus
	$(BIN)/hyperdive train build/model/corpus --force -o build/model/full
	$(BIN)/python tools/make_model.py build/model/full -o src/hyperdive/models/en-wiki

docs: $(VENV)/.stamp-dev  ## generate docs/reference/commands.md from the help texts
	@$(BIN)/python -m hyperdive.cli.arguments > docs/reference/commands.md

docs-site: $(VENV)/.stamp-docs  ## build the documentation site into build/site, with link checks
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo "build/site/index.html"

docs-pictures: $(VENV)/.stamp-dev  ## redraw the figures of docs/
	@$(BIN)/hyperdive explain rodent mammal animal --top 12 --plot docs/pictures/animal-mammal-rodent.svg --force > /dev/null
	@$(BIN)/hyperdive explain ant insect --plot docs/pictures/ant-insect.svg --force > /dev/null
	@$(BIN)/python tools/judge.py report docs/judgements/answers.tsv --plot docs/pictures/reliability.svg > /dev/null

docs-check: $(VENV)/.stamp-dev $(VENV)/.stamp-demo,plots  ## run the commands of the tutorial and compare their output; five minutes
	@$(BIN)/python tools/docs_commands.py docs/explanation/method.md
	@$(BIN)/python tools/docs_commands.py docs/tutorial/from-text-to-taxonomy.md

dist: $(VENV)/.stamp-dev  ## build wheel and sdist into dist/, install the wheel elsewhere and try it
	@$(BIN)/python -m pip install -q --disable-pip-version-check build
	@rm -rf dist build/smoke
	@$(BIN)/python -m build --quiet --sdist --wheel
	@$(PYTHON) -m venv build/smoke
	@build/smoke/$(notdir $(BIN))/python -m pip install -q --disable-pip-version-check dist/*.whl
	@cd build && smoke/$(notdir $(BIN))/python ../tools/smoke.py

clean:  ## remove the virtual environment and caches
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis build dist
