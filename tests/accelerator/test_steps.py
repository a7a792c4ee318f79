"""What crosses in a warmed-up training step: what must, and what placewise's record says.

The steps are those of `benchmarks/accelerator.py`, which prints the same as a table.
"""

import importlib.util
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

FILE = Path(__file__).parents[2] / "benchmarks/accelerator.py"


def _benchmark() -> Any:
    spec = importlib.util.spec_from_file_location("accelerator_benchmark", FILE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


ROWS = {row.name: row for row in _benchmark().rows()}


@pytest.mark.parametrize("name", ROWS)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_training_step_copies_what_it_must_and_nothing_else(
    name: str, accelerator: ModuleType
) -> None:
    row = ROWS[name]
    found, recorded = _benchmark().measured(row.make())
    assert found == row.expected
    assert recorded == found[:3]
