"""Functions under `record`, `assert_on` and `copies`: what their plans do is told, and guarded."""

from __future__ import annotations

import numpy as np
import pytest

import placewise as tf


@pytest.fixture(autouse=True)
def two_gpus():
    with tf.simulate("2xV100"):
        yield


def _ops(log):
    return [(each.op, each.device[-5:]) for each in log]


def _told(log, *kinds):
    return [
        (each.kind, each.source[-5:], each.target[-5:], each.bytes)
        for each in log.transfers
        if not kinds or each.kind in kinds
    ]


def _elsewhere():
    @tf.function
    def elsewhere(x):
        first = tf.exp(x)
        with tf.device("/gpu:1"):
            return tf.negative(first, name="second")

    return elsewhere


def test_each_op_has_an_entry_and_each_copy_its_bytes():
    function, x = _elsewhere(), tf.ones([2, 4])
    function(x)
    with tf.record() as log:
        function(x)
    assert _ops(log) == [("Exp", "GPU:0"), ("Neg", "GPU:1")]
    assert "test_record.py:" in log.entries[1].line
    assert _told(log) == [("copy", "GPU:0", "GPU:1", 32), ("copy", "GPU:1", "GPU:0", 32)]
    copy, back = log.copies()
    assert (copy.op, copy.tensor) == ("second", "Exp:0")
    assert (back.op, back.tensor) == ("", "second:0")
    assert log.entries[1].copies == (copy,)


def test_an_argument_of_another_device_is_copied():
    @tf.function
    def doubled(x):
        with tf.device("/gpu:1"):
            return x * 2.0

    x = tf.ones([3])
    doubled(x)
    with tf.record() as log:
        doubled(x)
    assert _told(log) == [("copy", "GPU:0", "GPU:1", 12), ("copy", "GPU:1", "GPU:0", 12)]


def test_what_a_function_returns_stays_where_it_was_called_until_it_is_read():
    function, x = _elsewhere(), tf.ones([2])
    with tf.device("/gpu:1"):
        function(x)
        with tf.record() as log:
            function(x).numpy()
    assert _told(log, "fetch") == [("fetch", "GPU:1", "CPU:0", 8)]


@pytest.mark.parametrize("count", [0, 2])
def test_ops_of_a_loop_are_told_each_time(count):
    @tf.function
    def powers(x, n):
        for _ in tf.range(n):
            x = tf.tanh(x)
        return x

    x, n = tf.ones([300]), tf.constant(count)
    with tf.record() as log:
        powers(x, n)
    assert [each[0] for each in _ops(log)].count("Tanh") == count


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_of_branches_the_one_that_runs_is_told(sign):
    @tf.function
    def choose(x):
        if tf.reduce_sum(x) > 0:
            return tf.exp(x)
        return tf.tanh(x)

    with tf.record() as log:
        choose(sign * tf.ones([3]))
    names = [each[0] for each in _ops(log)]
    assert ("Exp" in names, "Tanh" in names) == (sign > 0, sign < 0)


def test_a_function_under_a_tape_is_told_forwards_and_backwards():
    variable = tf.Variable(tf.ones([4, 3]))

    @tf.function
    def loss(x):
        return tf.reduce_sum(tf.tanh(tf.matmul(x, variable)))

    x = tf.ones([2, 4])
    with tf.record() as log:
        with tf.GradientTape() as tape:
            value = loss(x)
        tape.gradient(value, variable)
    names = [each[0] for each in _ops(log)]
    assert names.count("MatMul") >= 2
    assert "TanhGrad" in names


def test_functions_in_functions_are_told_once():
    @tf.function
    def inner(x):
        return tf.exp(x)

    @tf.function
    def outer(x):
        return tf.negative(inner(x))

    with tf.record() as log:
        outer(tf.ones([2]))
    assert _ops(log)[-2:] == [("Exp", "GPU:0"), ("Neg", "GPU:0")]


def test_assert_on_sees_the_ops_of_a_function():
    function, x = _elsewhere(), tf.ones([2])
    with pytest.raises(AssertionError, match="Neg ran on GPU:1"), tf.assert_on("/gpu:0"):
        function(x)


def test_a_forbidden_copy_is_refused_before_a_variable_changes():
    variable = tf.Variable(0.0)

    @tf.function
    def update(x):
        variable.assign_add(1.0)
        with tf.device("/gpu:1"):
            return tf.negative(tf.exp(x) + variable)

    x = tf.ones([2])
    with (
        tf.copies("forbid"),
        pytest.raises(tf.errors.InvalidArgumentError, match="conflicting devices"),
    ):
        update(x)
    assert variable.numpy() == 0
    update(x)
    assert variable.numpy() == 1


def test_a_forbidden_copy_in_a_taped_function_is_refused():
    function, x = _elsewhere(), tf.ones([2])
    with tf.copies("forbid"), tf.GradientTape() as tape:
        tape.watch(x)
        with pytest.raises(tf.errors.InvalidArgumentError, match="conflicting devices"):
            function(x)


def test_a_copy_asked_for_by_identity_is_not_forbidden():
    @tf.function
    def moved(x):
        with tf.device("/gpu:1"):
            return tf.negative(tf.identity(x))

    x = tf.ones([2])
    with tf.copies("forbid"), tf.device("/gpu:1"):
        assert moved(x).device.endswith("GPU:1")


def test_the_copy_of_a_result_to_where_the_function_was_called_is_forbidden_as_well():
    @tf.function
    def moved(x):
        with tf.device("/gpu:1"):
            return tf.negative(tf.identity(x))

    x = tf.ones([2])
    with (
        tf.copies("forbid"),
        pytest.raises(tf.errors.InvalidArgumentError, match=r"from .*GPU:1 to .*GPU:0"),
    ):
        moved(x)


def test_a_compiled_function_is_told_as_it_is_written():
    @tf.function(jit_compile=True)
    def scaled(x):
        return tf.exp(x) * 2.0

    with tf.device("/cpu:0"):
        x = tf.ones([2])
        with tf.record() as log:
            found = scaled(x)
    assert [each[0] for each in _ops(log)] == ["Exp", "Mul"]
    np.testing.assert_allclose(found.numpy(), 2 * np.exp([1.0, 1.0]), rtol=1e-6)


def test_what_a_dataset_computes_for_its_elements_is_not_listed():
    dataset = tf.data.Dataset.range(3).map(lambda x: x * 2)
    with tf.record() as log:
        assert [int(each) for each in dataset.as_numpy_iterator()] == [0, 2, 4]
    assert "Mul" not in [each[0] for each in _ops(log)]
