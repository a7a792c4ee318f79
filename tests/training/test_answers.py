"""Optimizers, decaying rates and moving averages do what TensorFlow 1.15 did."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from placewise.compat import v1 as tf
from placewise.graph.variables import RefVariable, ResourceVariable
from tests.training import cases

ANSWERS = json.loads(Path(__file__).with_name("answers.json").read_text())
KINDS = {"reference": RefVariable, "resource": ResourceVariable}

pytestmark = pytest.mark.usefixtures("graph_mode")


def variable(kind: str) -> Any:
    return lambda value, name: KINDS[kind](value, name=name)


def assert_close(found: Any, expected: Any, dtype: str = "f4") -> None:
    tolerance = 2e-6 if dtype == "f4" else 1e-12
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("key", ANSWERS["optimizers"])
def test_optimizers_change_variables_and_slots_as_tensorflow_does(key: str) -> None:
    optimizer, kind, loss, dtype = key.split()
    expected = ANSWERS["optimizers"][key]
    found = cases.optimize(tf, variable(kind), optimizer, loss, dtype)
    for step, answer in zip(found.pop("steps"), expected["steps"], strict=True):
        assert_close(step, answer, dtype)
    assert found == {name: value for name, value in expected.items() if name != "steps"}


@pytest.mark.parametrize("name", ANSWERS["decays"])
def test_rates_decay_as_in_tensorflow(name: str) -> None:
    np.testing.assert_allclose(cases.decay(tf, name), ANSWERS["decays"][name], rtol=2e-6)


@pytest.mark.parametrize("key", ANSWERS["averages"])
def test_moving_averages_follow_as_in_tensorflow(key: str) -> None:
    name, kind = key.split()
    expected = dict(ANSWERS["averages"][key])
    found = cases.average(tf, variable(kind), cases.AVERAGES[name])
    for step, answer in zip(found.pop("steps"), expected.pop("steps"), strict=True):
        assert_close(step, answer)
    assert found == expected
