"""Functions with Python's control flow do what TensorFlow does with them, case by case."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import placewise as tf

HERE = Path(__file__).parent
ANSWERS = json.loads((HERE / "functions_answers.json").read_text())
sys.path.insert(0, str(HERE))
from record_functions import GROUPS, answer, load, plain, tensors  # noqa: E402 - see above

sys.path.remove(str(HERE))

# TensorFlow refuses these, or lets what functions inside change leak from branch to branch; here
# they are what Python makes of them.
BEYOND = {
    "bare_returns",
    "nested_returns",
    "nested_ternary",
    "none_in_both",
    "return_in_with",
    "walrus",
    "dataset_return",
    "enumerate_tensor",
    "maximum_iterations_while",
    "return_in_for",
    "return_in_nested_loops",
    "return_in_while",
    "any_and_all",
    "assert_that_holds",
    "max_of_scalars",
    "max_of_vector",
    "private_name",
    "sum_of_tensor",
    "while_else",
    "variable_outside",
    "variable_in_loop",
    "changed_by_function",
    "read_by_lambda",
    "return_beside_later_names",
}
# An assertion on a tensor is checked when the function runs; TensorFlow refuses it.
CHECKED_LATER = {"assert_fails", "assert_that_fails"}
# Refused as in TensorFlow, in other words: Python's own, or more to the point.
OTHER_WORDS = {
    "append_in_tensor_loop",
    "math_on_tensor",
    "numpy_of_symbolic",
    "python_return_on_tensor",
    "round_builtin",
    "unbound",
    "deleted_in_loop",
    "never_defined_in_loop",
    "never_defined_in_while",
}
# Refused with another class of error.
OTHER_CLASS = {"python_return_on_tensor", "round_builtin"}
# What differs from eager execution by nature: the bound of the loop, state kept between calls.
NOT_AS_EAGER = {"maximum_iterations_while", "variable_outside", "variable_in_loop"}
NAMES = [(group, name) for group in GROUPS for name in ANSWERS[group]]


def assert_alike(found: Any, wanted: Any, where: str) -> None:
    if isinstance(wanted, dict) and "dtype" in wanted:
        assert found["dtype"] == wanted["dtype"], where
        if wanted["dtype"] in ("bool", "string"):
            assert found["value"] == wanted["value"], where
        else:
            np.testing.assert_allclose(found["value"], wanted["value"], 2e-5, 1e-6, err_msg=where)
    elif isinstance(wanted, dict):
        assert sorted(found) == sorted(wanted), (where, found)
        for key in wanted:
            assert_alike(found[key], wanted[key], f"{where}.{key}")
    elif isinstance(wanted, list):
        assert len(found) == len(wanted), where
        for index, (one, other) in enumerate(zip(found, wanted, strict=True)):
            assert_alike(one, other, f"{where}[{index}]")
    else:
        assert found == wanted, where


@pytest.fixture(scope="module", name="cases")
def _cases() -> dict[str, Any]:
    return {name: case for group in GROUPS for name, case in load(tf, group).items()}


@pytest.mark.parametrize("group, name", NAMES)
def test_a_case_gives_tensorflows_answer(group: str, name: str, cases: dict[str, Any]) -> None:
    found, wanted = answer(tf, cases[name]), ANSWERS[group][name]
    if name in BEYOND:
        assert_as_python(found, cases[name], name)
    elif name in CHECKED_LATER:
        assert found["calls"][-1]["error"] == "InvalidArgumentError"
        assert found["calls"][-1]["text"].startswith("assertion failed: [")
    elif "error" in wanted["calls"][0]:
        for one, other in zip(found["calls"], wanted["calls"], strict=True):
            assert one.get("error") == other["error"] or name in OTHER_CLASS, one
            if name not in OTHER_WORDS:
                assert one["text"][:40] == other["text"][:40], name
    else:
        assert_alike(found, wanted, name)


def assert_as_python(found: Any, case: Any, name: str) -> None:
    """Check a function against the same function run eagerly."""
    function, calls, *_ = case
    assert not any("error" in each for each in found["calls"]), (name, found)
    if name in NOT_AS_EAGER:
        return
    for call, each in zip(calls, found["calls"], strict=True):
        wanted = plain(tf, function(*tensors(tf, call)))
        assert_alike(_as_python(each["found"], wanted), wanted, name)


def _as_python(found: Any, wanted: Any) -> Any:
    """Return a result whose tensors are plain numbers where Python has those."""
    if isinstance(wanted, list):
        return [_as_python(*pair) for pair in zip(found, wanted, strict=True)]
    return found["value"] if isinstance(wanted, (bool, int, float)) else found
