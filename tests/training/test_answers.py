"""Optimizers, decaying rates and moving averages do what TensorFlow 1.15 did."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from placewise.compat import v1 as tf
from placewise.graph.variables import RefVariable, ResourceVariable
from placewise.ops.state.variable import Variable
from tests.training import cases

ANSWERS = json.loads(Path(__file__).with_name("answers.json").read_text())
KINDS = {"reference": RefVariable, "resource": ResourceVariable}

in_graphs = pytest.mark.usefixtures("graph_mode")


def variable(kind: str) -> Any:
    return lambda value, name: KINDS[kind](value, name=name)


def assert_close(found: Any, expected: Any, dtype: str = "f4") -> None:
    tolerance = 2e-6 if dtype == "f4" else 1e-12
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=tolerance, atol=tolerance)


@in_graphs
@pytest.mark.parametrize("key", ANSWERS["optimizers"])
def test_optimizers_change_variables_and_slots_as_tensorflow_does(key: str) -> None:
    optimizer, kind, loss, dtype = key.split()
    expected = ANSWERS["optimizers"][key]
    found = cases.optimize(tf, variable(kind), optimizer, loss, dtype)
    for step, answer in zip(found.pop("steps"), expected["steps"], strict=True):
        assert_close(step, answer, dtype)
    assert found == {name: value for name, value in expected.items() if name != "steps"}


@in_graphs
@pytest.mark.parametrize("name", ANSWERS["decays"])
def test_rates_decay_as_in_tensorflow(name: str) -> None:
    np.testing.assert_allclose(cases.decay(tf, name), ANSWERS["decays"][name], rtol=2e-6)


@in_graphs
@pytest.mark.parametrize("key", ANSWERS["averages"])
def test_moving_averages_follow_as_in_tensorflow(key: str) -> None:
    name, kind = key.split()
    expected = dict(ANSWERS["averages"][key])
    found = cases.average(tf, variable(kind), cases.AVERAGES[name])
    for step, answer in zip(found.pop("steps"), expected.pop("steps"), strict=True):
        assert_close(step, answer)
    assert found == expected


RESOURCE = [key for key in ANSWERS["optimizers"] if " resource " in key and key.endswith("f4")]


@pytest.mark.parametrize("key", RESOURCE)
def test_eager_optimizers_do_what_those_of_a_graph_do(key: str) -> None:
    optimizer, _, loss, dtype = key.split()
    expected = ANSWERS["optimizers"][key]
    w = Variable((np.arange(6).reshape(3, 2) / 3 - 0.4).astype(dtype), name="w")
    b = Variable(np.array([1.0, -2.0], dtype), name="b")
    step = tf.train.get_or_create_global_step()
    made = cases.optimizers(tf)[optimizer]()
    for answer in expected["steps"]:
        made.minimize(lambda: cases.losses(tf)[loss](w, b), step, [w, b])
        found = [each.numpy() for each in (w, b, step, *made.variables())]
        assert_close(found, answer, dtype)
    assert [each.name for each in made.variables()] == expected["variables"]
