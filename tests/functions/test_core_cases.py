"""The core of `tf.function` does what TensorFlow does, case by case."""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import placewise as tf

HERE = Path(__file__).parent
ANSWERS = json.loads((HERE / "core_answers.json").read_text())
sys.path.insert(0, str(HERE))
from core_cases import answer  # noqa: E402 - see above
from record_core import TOPICS, load  # noqa: E402

CASES = {(topic, name): case for topic in TOPICS for name, case in load(topic).items()}
sys.path.remove(str(HERE))

# What differs on purpose, and what is answered instead.
OURS: dict[str, Any] = {
    # A concrete function refuses shapes it was not traced for; TensorFlow runs on.
    "concrete_of_specs": None,
    # The Python values of the trace may be given again, defaults left out.
    "concrete_with_python_values": None,
    # Methods work through their class and `super()`.
    "method_called_through_class": [["int32", 8], ["int32", 12]],
    "method_with_super": ["int32", 20],
    # A TensorArray cannot leave a function: refused at once, not when it is used.
    "tensor_array_as_result": None,
    # An operation may be returned: it is run, and None comes back.
    "result_is_an_operation": [None, ["float32", 2.0]],
    # The class of symbolic tensors has another name, and they may be keys of dicts.
    "leaked_tensor_used_eagerly": None,
    "symbolic_tensors_refuse_python": None,
    # No identities are written around results.
    "graph_utilities": ["AddV2", "Const", "Placeholder", "Relu"],
    # TensorFlow gives nan for the derivative of a finite function.
    "custom_gradient_reads_the_forward_pass": [["float32", 0.9525741], ["float32", 0.0451767]],
}


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    logger = logging.getLogger("tensorflow")
    before = logger.level
    logger.setLevel(logging.ERROR)
    yield
    logger.setLevel(before)


def is_near(found: Any, wanted: Any) -> bool:
    if isinstance(found, float) and isinstance(wanted, (int, float)):
        return abs(found - wanted) <= 1e-5 * max(1, abs(wanted))
    if isinstance(found, list) and isinstance(wanted, list):
        return len(found) == len(wanted) and all(map(is_near, found, wanted))
    if isinstance(found, dict) and isinstance(wanted, dict):
        if found.keys() == wanted.keys() == {"error", "text"}:
            # TensorFlow's words come first; what to do may stand behind them.
            return found["error"] == wanted["error"] and found["text"].startswith(wanted["text"])
        return found.keys() == wanted.keys() and all(is_near(found[k], wanted[k]) for k in found)
    return bool(found == wanted)


@pytest.mark.parametrize("topic, name", CASES)
def test_a_case_gives_tensorflows_answer(topic: str, name: str) -> None:
    found = json.loads(json.dumps(answer(tf, CASES[topic, name])))
    wanted = OURS.get(name, ANSWERS[topic][name])
    if wanted is None and name in OURS:
        assert found != ANSWERS[topic][name], "as TensorFlow now: no longer a difference"
    else:
        assert is_near(found, wanted), (found, wanted)
