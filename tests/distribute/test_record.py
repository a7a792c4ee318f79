"""A mirrored step under `record` and `copies`: the ops of every replica, and the reduction."""

from __future__ import annotations

import pytest

import placewise as tf

_BYTES = 200 * 100 * 4


@pytest.fixture(params=["eager", "function"])
def step(request):
    with tf.simulate("2xV100"):
        strategy = tf.distribute.MirroredStrategy()
        with strategy.scope():
            weights = tf.Variable(tf.ones([200, 100]))

        def replica(x):
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(tf.matmul(x, weights))
            (gradient,) = tape.gradient(loss, [weights])
            context = tf.distribute.get_replica_context()
            weights.assign_sub(context.all_reduce("sum", gradient))
            return loss  # or a function would leave out what only it needs

        def run(x):
            return strategy.run(replica, args=(x,))

        run.weights = weights
        yield run if request.param == "eager" else _traced(run)


def _traced(run):
    traced = tf.function(run)
    traced.weights = run.weights
    return traced


def test_the_ops_of_both_replicas_and_the_reduction_are_told(step):
    x = tf.ones([4, 200])
    step(x)
    with tf.record() as log:
        step(x)
    products = [entry.device[-5:] for entry in log if entry.op == "MatMul"]
    assert products == ["GPU:0", "GPU:0", "GPU:1", "GPU:1"]
    assert [entry.op for entry in log].count("AddN") == 1


def test_the_gradients_that_go_between_the_devices_are_told(step):
    x = tf.ones([4, 200])
    step(x)
    with tf.record() as log:
        step(x)
    moved = [(copy.source[-5:], copy.target[-5:]) for copy in log.copies() if copy.bytes == _BYTES]
    assert moved == [("GPU:1", "GPU:0"), ("GPU:0", "GPU:1")]


def test_copies_of_a_step_can_be_forbidden_and_change_nothing(step):
    x = tf.ones([4, 200])
    step(x)
    before = step.weights.numpy()
    with (
        tf.copies("forbid"),
        pytest.raises(tf.errors.InvalidArgumentError, match="conflicting devices"),
    ):
        step(x)
    assert (step.weights.numpy() == before).all()
