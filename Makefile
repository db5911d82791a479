# Every target sets itself up in .venv from a bare checkout: Python >= 3.11, make and a package index are enough.
PYTHON ?= python3
BIN := .venv/bin
export MPLBACKEND := Agg

.PHONY: demo test test-oldest bridges fuzz docs docs-open native lint bench bench-network bench-peers reproduce
.PHONY: screens release-check clean

demo: .venv/.core
	$(BIN)/causewise demo --out out/demo

test: .venv/.dev
	$(BIN)/python -m pytest -n 2

# The oldest versions that pyproject.toml allows, on the oldest Python, which uv finds or fetches. Old packages warn of
# what newer ones will do away with: that is theirs.
test-oldest: out/oldest/.installed
	out/oldest/bin/python -m pytest -n 2 -W ignore::DeprecationWarning

# Every bridge beside the newest version of its package: make bridges BRIDGES="dowhy pgmpy".
bridges: out/uv/bin/uv
	$(PYTHON) tests/integrations/run.py $(BRIDGES)

# The site, offline: every page and every example of the gallery; a warning or a dead link is an error.
docs: .venv/.docs
	$(BIN)/python -m sphinx -q -W --keep-going -j 2 -d out/doctrees docs out/site
	$(BIN)/python docs/check_site.py out/site

docs-open: docs
	$(BIN)/python -m webbrowser -t "file://$(CURDIR)/out/site/index.html"

# Compile the C loops anew after an edit.
native: .venv/.dev

# Pictures of every page, light, dark, on a phone and on paper, to be looked at in out/screens.
screens: .venv/.dev
	$(BIN)/python -m pytest -m slow tests/browser/test_screens.py

# Bounded in time and seeded: make fuzz FUZZ="--seconds 600 --seed 7 --only names,faults".
fuzz: .venv/.dev
	$(BIN)/python tests/fuzz/run.py $(FUZZ)

lint: .venv/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: .venv/.dev
	$(BIN)/python benchmarks/run.py

bench-network: .venv/.dev
	$(BIN)/python benchmarks/network.py cpu

bench-peers: .venv/.dev
	$(BIN)/python benchmarks/baselines.py

reproduce: .venv/.dev
	$(BIN)/causewise bench reproduce --out out/reproduce

# The same bytes twice; an empty environment, the tour and the packaged tests; licences; the bill of materials.
release-check: .venv/.dev
	$(BIN)/python -m release.version
	$(BIN)/python -m release.twice out/release
	$(BIN)/python -m release.fresh out/release/*.whl --at out/release/fresh
	out/release/fresh/bin/python -m release.licences
	out/release/fresh/bin/python -m release.sbom > out/release/causewise.cdx.json

clean:
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

out/oldest/.installed: $(LOOPS) | out/uv/bin/uv
	out/uv/bin/uv venv --quiet --clear --seed --python 3.11 out/oldest
	out/uv/bin/uv pip install --quiet --python out/oldest --resolution lowest-direct -e ".[dev]"
	touch $@

.venv/.dev: $(LOOPS) | .venv/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[dev]"
	touch $@ .venv/.core
