# Everything is set up from nothing; a second call is quick.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: demo test cluster-tests library-tests keras-tests keras-tests-accelerator lint types layers format benchmark clean

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check torch==2.13.0
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[dev]"
	touch $(READY)

MACHINE := K20m@02:00.0,K20m@03:00.0,K20m@83:00.0,K20m@84:00.0

demo: $(READY)
	$(BIN)/placewise devices --simulate $(MACHINE)
	$(BIN)/placewise run --simulate $(MACHINE) examples/session_towers.py

# What is left on a card by other tests would count: these have processes of their own.
CARD_MEMORY := tests/accelerator/test_memory.py tests/accelerator/test_memory_shared.py

test: $(READY)
	$(BIN)/python -m tests.accelerator.build
	$(BIN)/python -m pytest -n auto $(addprefix --ignore=,$(CARD_MEMORY))
	$(BIN)/python -m pytest -n auto $(CARD_MEMORY)

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

# Libraries that run on placewise, in an environment of their own.
LIBRARIES := .venv-libraries

$(LIBRARIES)/.ready: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(LIBRARIES)
	$(LIBRARIES)/bin/python -m pip install --quiet --disable-pip-version-check torch==2.13.0
	$(LIBRARIES)/bin/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e . pytest "ray[train]==2.60.0"
	touch $@

library-tests: $(LIBRARIES)/.ready
	LIBRARY_TESTS=1 $(LIBRARIES)/bin/python -m pytest tests/libraries -x

format: $(READY)
	$(BIN)/ruff format src tests benchmarks examples

lint: $(READY)
	$(BIN)/ruff format --check src tests benchmarks examples
	$(BIN)/ruff check src tests benchmarks examples

types: $(READY)
	$(BIN)/mypy

layers: $(READY)
	$(BIN)/lint-imports

benchmark: $(READY)
	$(BIN)/python benchmarks/eager.py
	$(BIN)/python benchmarks/session.py
	$(BIN)/python benchmarks/memory.py

clean:
	rm -rf $(VENV) $(LIBRARIES)
