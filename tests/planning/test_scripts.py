"""Runs of small steps are one call of torch's interpreter, with the results of the plain plan."""

from typing import Any

import numpy as np
import pytest

import placewise.compat.v1 as tf
from placewise import native
from placewise.planning.scripts import runs

pytestmark = pytest.mark.usefixtures("graph_mode")


def chained(x: Any, count: int = 30) -> Any:
    for place in range(count):
        x = tf.tanh(x * 1.5 + 0.1 * place)
    return x


def test_a_long_run_of_small_steps_is_one_call():
    x = tf.placeholder(tf.float32, [3])
    y = chained(x)
    with tf.Session() as session:
        source = session.source(y, [x])
        scripted = session.run(y, {x: [0.1, 0.2, 0.3]})
    assert source.count(" = script") == 1
    assert source.splitlines()[1] == "    try:"
    expected = np.array([0.1, 0.2, 0.3], np.float32)
    for place in range(30):
        expected = np.tanh(expected * np.float32(1.5) + np.float32(0.1 * place))
    np.testing.assert_allclose(scripted, expected, rtol=1e-5)


def test_a_script_gives_what_the_lines_give_to_the_bit(monkeypatch: pytest.MonkeyPatch):
    x = tf.placeholder(tf.float32, [4, 6])
    parts = tf.split(chained(x, 8), 3, 1)
    joined = tf.concat([tf.sigmoid(parts[0]) * parts[1], parts[2]], 1)
    y = tf.matmul(joined, joined, transpose_b=True)
    fetched = [y, tf.gradients(y, x)[0]]
    fed = np.random.RandomState(0).randn(4, 6).astype("f")
    monkeypatch.setattr(native, "code", None)
    with tf.Session() as session:
        assert "script" in session.source(fetched, [x])
        scripted = session.run(fetched, {x: fed})
    monkeypatch.setattr(runs, "_SHORTEST", 10**9)
    with tf.Session() as session:
        assert "script" not in session.source(fetched, [x])
        plain = session.run(fetched, {x: fed})
    for one, other in zip(scripted, plain, strict=True):
        np.testing.assert_array_equal(one, other)


def test_an_error_in_a_script_names_its_operation():
    x, y = (tf.placeholder(tf.float32, [None]) for _ in range(2))
    wrong = tf.add(chained(x), y, name="wrong")
    with tf.Session() as session:
        assert "script" in session.source(wrong, [x, y])
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"\[2\] vs. \[3\]") as caught:
            session.run(wrong, {x: [1.0, 2.0], y: [1.0, 2.0, 3.0]})
        assert caught.value.op.name == "wrong"
        assert session.run(wrong, {x: [1.0], y: [2.0]}).shape == (1,)


def test_variables_keep_their_values_and_change_only_by_updates():
    variable = tf.Variable(np.ones(3, "f"))
    y = chained(variable)
    update = variable.assign_sub(0.1 * y)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        first = session.run(y)
        np.testing.assert_array_equal(session.run(variable), np.ones(3))
        session.run(update)
        assert not np.array_equal(session.run(variable), np.ones(3))
        assert first.shape == (3,)


def test_traces_name_each_step_of_a_run():
    x = tf.placeholder(tf.float32, [3])
    y = chained(x)
    metadata = tf.RunMetadata()
    with tf.Session() as session:
        options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
        session.run(y, {x: [1.0, 2.0, 3.0]}, options, metadata)
    names = [n.node_name for device in metadata.step_stats.dev_stats for n in device.node_stats]
    assert sum("Tanh" in name for name in names) == 30


def test_large_tensors_and_simulated_devices_keep_their_lines():
    large = tf.placeholder(tf.float32, [100_000])
    with tf.Session() as session:
        assert "script" not in session.source(chained(large), [large])


def test_constants_are_part_of_a_script():
    x = tf.placeholder(tf.float32, [3])
    with tf.Session() as session:
        assert " = script0(f0)\n" in session.source(chained(x), [x])
