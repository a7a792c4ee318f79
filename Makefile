# Everything is set up from nothing; a second call is quick.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: demo test keras-tests keras-tests-accelerator lint types layers format benchmark clean

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

# Keras's own tests, an hour or so; FOLDERS="losses layers/core" runs these only.
KERAS_NEEDS := scipy pandas grain jax

keras-tests: $(READY)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt $(KERAS_NEEDS)
	$(BIN)/python tests/keras/run_suite.py $(FOLDERS)

keras-tests-accelerator: $(READY)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt $(KERAS_NEEDS)
	$(BIN)/python -m tests.accelerator.build
	$(BIN)/python tests/keras/run_suite.py --device test-accelerator $(FOLDERS)

# A wheel, installed into an environment of its own and used there; some minutes.
.PHONY: wheel-test
wheel-test: $(READY)
	$(BIN)/python -m tests.wheel.trial

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
	rm -rf $(VENV)
