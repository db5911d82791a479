# Every target sets itself up in .venv from a bare checkout: Python >= 3.11, make and a package index are enough.
PYTHON ?= python3
BIN := .venv/bin
export MPLBACKEND := Agg

.PHONY: help demo test test-browser test-programs test-oldest bridges fuzz docs docs-open native lint bench bench-network bench-peers
.PHONY: reproduce screens paper release-check clean

help: ## what can be made, a line each
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1@\2/p' Makefile | awk -F@ '{ printf "%-15s %s\n", $$1, $$2 }'

demo: .venv/.core ## the tour: three pairs, their pictures and pages in out/demo
	$(BIN)/causewise demo --out out/demo

test: .venv/.dev ## the test suite
	$(BIN)/python -m pytest -n 2 --dist loadfile

test-browser: .venv/.browser ## the tests that need Chromium or draw requests from the schema
	$(BIN)/python -m pytest -n 2 -m "browser and not slow"

# Each is skipped where its program is not installed.
test-programs: .venv/.dev ## beside other programs: sheets that LibreOffice writes, R's own check, the conda recipe
	$(BIN)/python -m pytest -m "slow or not slow" tests/tables/test_sheets.py tests/integrations/test_r.py tests/release/test_conda_recipe.py

# Old packages warn of what newer ones will do away with: that is theirs. uv finds or fetches the oldest Python.
test-oldest: out/oldest/.installed ## the test suite on the oldest versions that pyproject.toml allows
	out/oldest/bin/python -m pytest -n 2 --dist loadfile -W ignore::DeprecationWarning

bridges: out/uv/bin/uv ## every integration beside its package: make bridges BRIDGES="dowhy pgmpy"
	$(PYTHON) tests/integrations/run.py $(BRIDGES)

docs: .venv/.docs ## the site, offline, in out/site; a warning or a dead link is an error
	$(BIN)/python -m sphinx -q -W --keep-going -j 2 -d out/doctrees docs out/site
	$(BIN)/python docs/check_site.py out/site

docs-open: docs ## the site, in a browser
	$(BIN)/python -m webbrowser -t "file://$(CURDIR)/out/site/index.html"

native: .venv/.dev ## the C loops, compiled anew after an edit

screens: .venv/.browser ## pictures of every page, light, dark, on a phone and on paper, in out/screens
	$(BIN)/python -m pytest -m slow tests/browser/test_screens.py

fuzz: .venv/.dev ## hostile input, seeded: make fuzz FUZZ="--seconds 600 --seed 7 --only names,faults"
	$(BIN)/python tests/fuzz/run.py $(FUZZ)

lint: .venv/.dev ## style and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: .venv/.dev ## speed: estimators, methods, report
	$(BIN)/python benchmarks/run.py

bench-network: .venv/.dev ## speed: networks
	$(BIN)/python benchmarks/network.py cpu

bench-peers: .venv/.dev ## speed: beside the published code
	$(BIN)/python benchmarks/baselines.py

reproduce: .venv/.dev ## the paper's tables and figures, in out/reproduce
	$(BIN)/causewise bench reproduce --out out/reproduce

paper: out/paper/.installed ## the paper as PDF, by pandoc and typst of the package index, in out/paper
	out/paper/bin/python paper/build.py out/paper/paper.pdf

release-check: .venv/.dev ## the same bytes twice, an empty environment, licences, the bill of materials
	$(BIN)/python -m release.version
	$(BIN)/python -m release.twice out/release
	$(BIN)/python -m release.fresh out/release/*.whl --at out/release/fresh
	$(BIN)/python -m release.extras out/release/*.whl --at out/release/extras
	out/release/fresh/bin/python -m release.licences
	out/release/fresh/bin/python -m release.sbom > out/release/causewise.cdx.json

clean: ## nothing but the sources
	rm -rf .venv out build dist

.venv/bin/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "causewise needs Python 3.11 or newer; name one with: make PYTHON=python3.12 ...")'
	$(PYTHON) -m venv .venv

LOOPS := pyproject.toml hatch_build.py $(wildcard src/causewise/numerics/native/*.[ch])

.venv/.core: $(LOOPS) | .venv/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	touch $@

.venv/.docs: $(LOOPS) | .venv/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[docs]"
	touch $@ .venv/.core

out/uv/bin/uv:
	$(PYTHON) -m venv out/uv
	out/uv/bin/python -m pip install --quiet --disable-pip-version-check uv

out/paper/.installed:
	$(PYTHON) -m venv out/paper
	out/paper/bin/python -m pip install --quiet --disable-pip-version-check pypandoc_binary typst
	touch $@

out/oldest/.installed: $(LOOPS) | out/uv/bin/uv
	out/uv/bin/uv venv --quiet --clear --seed --python 3.11 out/oldest
	out/uv/bin/uv pip install --quiet --python out/oldest --resolution lowest-direct -e ".[dev]"
	touch $@

.venv/.dev: $(LOOPS) | .venv/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[dev]"
	touch $@ .venv/.core

.venv/.browser: $(LOOPS) | .venv/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[dev,browser]"
	touch $@ .venv/.dev .venv/.core
