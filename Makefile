# Everything is set up from nothing; a second call is quick.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
# Quiet but for what takes long: pip draws a bar for each download on a terminal.
INSTALL := $(BIN)/python -m pip install --disable-pip-version-check --progress-bar on $(if $(shell test -t 2 && echo terminal),,--quiet)

.PHONY: browser browser-tests pictures tensorboard-tests report-assets
.PHONY: demo test hardening cluster-tests library-tests keras-tests keras-tests-accelerator lint types layers format benchmark clean

$(READY): pyproject.toml constraints.txt
	@echo "1 of 3: making an environment in $(VENV)"
	@$(PYTHON) -m venv $(VENV)
	@echo "2 of 3: installing torch, the largest part (some minutes the first time)"
	@$(INSTALL) torch==2.13.0
	@echo "3 of 3: installing placewise and what its tests need"
	@$(INSTALL) -c constraints.txt -e ".[dev]"
	@touch $(READY)

# The loops in C, compiled anew when a source of theirs changes; without a compiler there are none.
NATIVE := src/placewise/_native.abi3.so

$(NATIVE): $(wildcard src/placewise/native/*.[ch]) tools/build_native.py | $(READY)
	$(BIN)/python tools/build_native.py

MACHINE := K20m@02:00.0,K20m@03:00.0,K20m@83:00.0,K20m@84:00.0

demo: $(READY) $(NATIVE)
	$(BIN)/placewise devices --simulate $(MACHINE)
	$(BIN)/placewise run --simulate $(MACHINE) examples/session_towers.py

# What is left on a card by other tests would count: these have processes of their own.
CARD_MEMORY := tests/accelerator/test_memory.py tests/accelerator/test_memory_shared.py

test: $(READY) $(NATIVE)
	$(BIN)/python -m tests.accelerator.build
	$(BIN)/python -m pytest -n auto $(addprefix --ignore=,$(CARD_MEMORY))
	$(BIN)/python -m pytest -n auto $(CARD_MEMORY)

# Attacks: fuzzing, kills, interrupts, threads, long runs; hours. SCALE=0.01 runs a hundredth, and
# ATTACKS="ops kills" these only.
hardening: $(READY) $(NATIVE)
	$(BIN)/python -m tests.hardening.run $(ATTACKS)
# Clusters of processes that are killed and stopped at random, ten thousand mutated requests: minutes.
cluster-tests: $(READY)
	CLUSTER_TESTS=1 $(BIN)/python -m pytest tests/cluster

# Keras's own tests, an hour or so; FOLDERS="losses layers/core" runs these only.
KERAS_NEEDS := scipy pandas grain jax

keras-tests: $(READY)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt $(KERAS_NEEDS)
	$(BIN)/python tests/keras/run_suite.py $(FOLDERS)

keras-tests-accelerator: $(READY)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt $(KERAS_NEEDS)
	$(BIN)/python -m tests.accelerator.build
	$(BIN)/python tests/keras/run_suite.py --device test-accelerator $(FOLDERS)

# Reports in a real browser. Debian's Chromium is installed where that may be; else what is here
# is used, and without one the tests are skipped with the reason.
BROWSER_TESTS := PLACEWISE_BROWSER_TESTS=1 $(BIN)/python -m pytest -rs tests/browser

browser: $(READY)
	@if ! (command -v chromium && command -v chromedriver) >/dev/null && \
	    [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	  apt-get -q update && apt-get -q install -y --no-install-recommends \
	    chromium chromium-driver fonts-dejavu-core || echo "chromium could not be installed"; fi
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt selenium

browser-tests: browser
	$(BROWSER_TESTS)

# The pictures of the docs: pages as those tests see them, and a staged frame of `placewise top`.
pictures: browser
	mkdir -p docs/images
	PLACEWISE_PICTURES=docs/images $(BROWSER_TESTS) -k nothing_is_cut_off
	$(BIN)/python -m tests.cli.top.picture

# TensorBoard has an environment of its own, as its users have: it is slow to make.
TENSORBOARD := .tensorboard

$(TENSORBOARD)/.ready:
	$(PYTHON) -m venv $(TENSORBOARD)
	$(TENSORBOARD)/bin/python -m pip install --quiet --disable-pip-version-check \
	  tensorboard==2.21.0 tensorboard-plugin-profile==2.24.2 "setuptools<81"
	touch $@

tensorboard-tests: $(READY) $(TENSORBOARD)/.ready
	PLACEWISE_TENSORBOARD=$(TENSORBOARD)/bin $(BIN)/python -m pytest -rs tests/tensorboard

# The libraries of the report, bundled from npm: after a change of tools/report_assets/package.json.
report-assets:
	cd tools/report_assets && npm install --no-audit --no-fund && npm run build
# Libraries that run on placewise, in an environment of their own.
LIBRARIES := .venv-libraries

$(LIBRARIES)/.ready: pyproject.toml constraints.txt tests/libraries/needs.txt tests/libraries/libraries.txt
	$(PYTHON) -m venv $(LIBRARIES)
	$(LIBRARIES)/bin/python -m pip install --quiet --disable-pip-version-check torch==2.13.0
	$(LIBRARIES)/bin/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e . pytest pytest-timeout hypothesis "ray[train]==2.60.0"
	$(LIBRARIES)/bin/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -r tests/libraries/needs.txt
	$(LIBRARIES)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps -r tests/libraries/libraries.txt
	touch $@

library-tests: $(LIBRARIES)/.ready
	LIBRARY_TESTS=1 $(LIBRARIES)/bin/python -m pytest tests/libraries -rP

# A wheel, installed into an environment of its own and used there; some minutes.
.PHONY: wheel-test
wheel-test: $(READY)
	$(BIN)/python -m tests.wheel.trial

# The wheel under each Python that is here, found on PATH or by pyenv; PYTHONS="3.13" tries one.
.PHONY: test-pythons
PYTHONS ?= 3.11 3.12 3.13
test-pythons: $(READY)
	$(BIN)/python -m tests.wheel.pythons $(PYTHONS)

format: $(READY)
	$(BIN)/ruff format src tests benchmarks examples

lint: $(READY)
	$(BIN)/ruff format --check src tests benchmarks examples
	$(BIN)/ruff check src tests benchmarks examples

types: $(READY)
	$(BIN)/mypy

layers: $(READY)
	$(BIN)/lint-imports

benchmark: $(READY) $(NATIVE)
	$(BIN)/python benchmarks/eager.py
	$(BIN)/python benchmarks/session.py
	$(BIN)/python benchmarks/memory.py

clean:
	rm -rf $(VENV) $(LIBRARIES)
