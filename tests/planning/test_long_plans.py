"""Plans of many steps: work that grows with their number, names used again, errors still told."""

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import placewise.compat.v1 as tf
from placewise.ops.declare import REGISTRY, define

pytestmark = pytest.mark.usefixtures("graph_mode")


def calls_of(work: Callable[[], Any]) -> tuple[int, Any]:
    """Return how many functions a piece of work calls, and its result."""
    count = 0

    def take(_frame: Any, event: str, _arg: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(take)
    try:
        result = work()
    finally:
        sys.setprofile(before)
    return count, result


def chain(count: int, size: Any = 2) -> tuple[Any, Any, Any]:
    graph = tf.Graph()
    with graph.as_default():
        y = x = tf.placeholder(tf.float32, [size])
        for _ in range(count):
            y = tf.add(y, x)
    return graph, x, y


@pytest.mark.parametrize("size", [2, 300], ids=["numbers", "tensors"])
def test_building_and_planning_grow_with_the_number_of_operations(size: int):
    built, planned = [], []
    for count in (600, 600, 2400):  # the first fills caches
        calls, (graph, x, y) = calls_of(lambda count=count: chain(count, size))
        built.append(calls)
        with tf.Session(graph=graph) as session:
            calls, value = calls_of(lambda s=session, x=x, y=y: s.run(y, {x: np.ones(x.shape)}))
        planned.append(calls)
        np.testing.assert_array_equal(value, np.full(size, count + 1, "f"))
    assert built[2] / built[1] < 4.4
    assert planned[2] / planned[1] < 4.4


def test_gradients_of_a_long_chain_are_planned_in_work_that_grows_with_it():
    planned = []
    for count in (400, 400, 1600):
        graph = tf.Graph()
        with graph.as_default():
            y = x = tf.placeholder(tf.float32, [300])
            for _ in range(count):
                y = tf.tanh(y)
            gradient = tf.gradients(y, x)[0]
        with tf.Session(graph=graph) as session:
            fed = {x: np.zeros(300, "f")}
            calls, value = calls_of(lambda s=session, g=gradient, f=fed: s.run(g, f))
        planned.append(calls)
        np.testing.assert_array_equal(value, np.ones(300))
    assert planned[2] / planned[1] < 4.4


def test_a_long_plan_uses_names_again_and_a_short_one_does_not():
    for count, least, most in ((100, 98, 100), (3000, 1, 10)):
        graph, x, y = chain(count, 100_000)  # too large for a script
        with tf.Session(graph=graph) as session:
            source = session.source(y, [x])
        names = {line.split(" = ")[0].strip() for line in source.splitlines() if " = " in line}
        assert least <= len(names) <= most


def test_an_error_in_a_long_plan_names_its_operation_and_what_it_was_given():
    graph, x, y = chain(1500, None)
    with graph.as_default():
        z = tf.placeholder(tf.float32, [None])
        wrong = tf.multiply(y, z, name="wrong")
    with tf.Session(graph=graph) as session:
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"\[2\] vs. \[3\]") as told:
            session.run(wrong, {x: [1.0, 2.0], z: [1.0, 2.0, 3.0]})
        assert told.value.op.name == "wrong"
        np.testing.assert_array_equal(session.run(wrong, {x: [1.0], z: [2.0]}), [3002.0])


def test_a_long_plan_frees_what_it_has_used():
    graph, x, y = chain(1500, 300)
    with graph.as_default():
        both = tf.stack([y, tf.exp(x)])
    with tf.Session(graph=graph) as session:
        value = session.run(both, {x: np.zeros(300, "f")})
        options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
        metadata = tf.RunMetadata()
        again = session.run(both, {x: np.zeros(300, "f")}, options, metadata)
    np.testing.assert_array_equal(value, again)
    told = [
        node.node_name for device in metadata.step_stats.dev_stats for node in device.node_stats
    ]
    assert "Add_1499" in told and "Add" in told


def test_an_attribute_may_have_the_name_of_a_feed():
    taking = define("AttributeNamedF(x: T; f: list(int)) -> y: T", T=frozenset({tf.float32}))
    try:
        taking.shape(lambda x, *, f: x.shape)
        taking.kernel(lambda x, *, f: x + len(f))
        x = tf.placeholder(tf.float32, [3])
        y = taking(x, f=[1, 2])
        with tf.Session() as session:
            np.testing.assert_array_equal(session.run(y, {x: np.ones(3)}), np.full(3, 3))
    finally:
        del REGISTRY["AttributeNamedF"]
