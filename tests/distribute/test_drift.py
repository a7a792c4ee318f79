"""Copies of variables that are no longer the same: the first is named, with replicas and step."""

import numpy as np
import pytest
import torch

import placewise as tf
from placewise.distribute.checksums import checksum, largest_difference


@pytest.fixture
def strategy(monkeypatch):
    """Two replicas that are compared after every second step."""
    monkeypatch.setenv("PLACEWISE_CHECK_REPLICAS", "2")
    with tf.simulate("2xV100"):
        yield tf.distribute.MirroredStrategy()


def variables(strategy):
    with strategy.scope():
        return [
            tf.Variable(np.zeros((2, 3), np.float32), name="kernel"),
            tf.Variable([1.0], name="bias"),
        ]


def step_of(strategy, kernel):
    def replica():
        kernel.assign_add(tf.ones([2, 3]) * 0.5)

    return lambda: strategy.run(replica)


MESSAGE = (
    r"Replicas have drifted apart: after step 4 the variable 'bias:0' is not the same on all of "
    r"them: from replica 0, replica 1 \(GPU:1\) differs by up to 0\.25 \(element \[0\]\)"
)


def aggregated(strategy):
    with strategy.scope():
        return tf.Variable(
            np.zeros((2, 3), np.float32), aggregation=tf.VariableAggregation.MEAN, name="total"
        )


@pytest.mark.parametrize("traced", [False, True])
def test_a_copy_that_was_changed_alone_is_an_error_at_the_next_comparison(strategy, traced):
    _, bias = variables(strategy)
    step = step_of(strategy, aggregated(strategy))
    step = tf.function(step) if traced else step
    step(), step()
    bias.values[1].assign_add([0.25])
    step()
    with pytest.raises(tf.errors.DataLossError, match=MESSAGE):
        step()


def test_the_first_variable_is_named_and_the_others_counted(strategy):
    kernel, bias = variables(strategy)
    step = step_of(strategy, aggregated(strategy))
    kernel.values[1].scatter_nd_update([[1, 2]], [3.0])
    bias.values[0].assign([7.0])
    step()
    with pytest.raises(tf.errors.DataLossError, match=r"'kernel:0'.*up to 3 \(element \[1, 2\]\)"):
        step()
    with pytest.raises(tf.errors.DataLossError, match="2 of 3 variables differ"):
        step(), step()


def test_training_keeps_replicas_the_same_and_nothing_is_said(strategy, recwarn):
    kernel, _ = variables(strategy)
    with strategy.scope():
        own = tf.Variable(
            0.0,
            synchronization=tf.VariableSynchronization.ON_READ,
            aggregation=tf.VariableAggregation.SUM,
        )
        optimizer = tf.keras.optimizers.SGD(0.1)
        optimizer.build([kernel])

    @tf.function
    def step():
        def replica():
            number = tf.cast(
                tf.distribute.get_replica_context().replica_id_in_sync_group, "float32"
            )
            own.assign_add(number + 1.0)
            optimizer.apply_gradients([(tf.ones([2, 3]) * number, kernel)])

        strategy.run(replica)

    for _ in range(4):
        step()
    assert own.values[0].numpy() != own.values[1].numpy()
    np.testing.assert_allclose(kernel.numpy(), -0.4, rtol=1e-6)


def test_a_warning_can_be_asked_for_and_comes_once(monkeypatch, caplog):
    monkeypatch.setenv("PLACEWISE_CHECK_REPLICAS", "1,warn")
    with tf.simulate("2"):
        strategy = tf.distribute.MirroredStrategy()
        _, bias = variables(strategy)
        bias.values[1].assign([5.0])
        for _ in range(2):
            strategy.run(lambda: tf.constant(1.0))
    said = [one.getMessage() for one in caplog.records if "drifted" in one.getMessage()]
    assert len(said) == 1
    assert "after step 1 the variable 'bias:0'" in said[0]


def test_sessions_of_tensorflow_1_are_compared_too(monkeypatch, graph_mode):
    monkeypatch.setenv("PLACEWISE_CHECK_REPLICAS", "2")
    tf1 = tf.compat.v1
    with tf.simulate("2"):
        strategy = tf1.distribute.MirroredStrategy()
        with strategy.scope():
            weight = tf1.get_variable("weight", initializer=[1.0, 2.0])

            def replica():
                loss = tf1.reduce_sum(weight * 2.0)
                return tf1.train.GradientDescentOptimizer(0.1).minimize(loss)

            train = strategy.group(strategy.run(replica))
        alone = weight.values[1].assign([9.0, 9.0])
        with tf1.Session() as session:
            session.run(tf1.global_variables_initializer())
            session.run(train)
            session.run(train)
            session.run(alone)
            with pytest.raises(tf.errors.DataLossError, match="after step 4 the variable 'weight"):
                session.run(train), session.run(train)


def test_only_checksums_leave_the_devices(strategy):
    kept = variables(strategy)
    step = step_of(strategy, aggregated(strategy))
    step(), step()
    with tf.record() as log:
        step(), step()
    checks = [move for move in log.transfers if move.kind == "check"]
    assert [(move.source[-5:], move.target[-5:], move.bytes) for move in checks] == [
        ("GPU:0", "CPU:0", 3 * 8),
        ("GPU:1", "CPU:0", 3 * 8),
    ]
    assert len(kept) == 2


def test_a_setting_that_is_no_number_is_refused(monkeypatch):
    monkeypatch.setenv("PLACEWISE_CHECK_REPLICAS", "often")
    with pytest.raises(ValueError, match="PLACEWISE_CHECK_REPLICAS is 'often': write a number"):
        tf.distribute.MirroredStrategy(["CPU:0"])


@pytest.mark.parametrize(
    "dtype",
    [torch.float32, torch.bfloat16, torch.float64, torch.int64, torch.bool, torch.complex64],
)
def test_checksums_see_changes_swaps_and_nothing_else(dtype):
    values = torch.arange(300_000) % 2 == 0
    content = values.to(dtype)
    changed, swapped = content.clone(), content.clone()
    changed[299_999] = 1
    swapped[[0, 1]] = swapped[[1, 0]]
    sums = {int(checksum(one)) for one in (content, changed, swapped)}
    assert len(sums) == 3
    assert checksum(content.clone()) == checksum(content)


def test_differences_know_numbers_that_are_none():
    nan, inf = float("nan"), float("inf")
    one = torch.tensor([nan, 0.0, 1.0])
    assert largest_difference(one, torch.tensor([nan, -0.0, 1.0])) == (0.0, (0,))
    assert largest_difference(one, torch.tensor([nan, 0.0, 1.5])) == (0.5, (2,))
    assert largest_difference(one, torch.tensor([0.0, 0.0, 1.5])) == (inf, (0,))
