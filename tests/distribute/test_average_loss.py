"""Losses of replicas add up to the loss of the whole batch; TensorFlow returned these numbers."""

from collections.abc import Callable

import pytest

import placewise as tf


@pytest.fixture
def strategy() -> tf.distribute.Strategy:
    tf.simulate("2")
    return tf.distribute.MirroredStrategy()


def losses() -> tuple[tf.Tensor, tf.Tensor, tf.Tensor]:
    per_example = tf.constant([2.0, 4.0])
    return (
        tf.nn.compute_average_loss(per_example),
        tf.nn.compute_average_loss(per_example, global_batch_size=3),
        tf.nn.scale_regularization_loss(tf.constant(3.0)),
    )


@pytest.mark.parametrize("wrap", [lambda fn: fn, tf.function], ids=["eager", "function"])
def test_each_replica_returns_its_share(
    strategy: tf.distribute.Strategy, wrap: Callable[..., Callable[..., object]]
) -> None:
    results = strategy.run(wrap(losses))
    shares = [[float(part) for part in strategy.experimental_local_results(r)] for r in results]
    assert shares == [[1.5, 1.5], [2.0, 2.0], [1.5, 1.5]]


def test_outside_of_strategies_there_is_one_replica() -> None:
    assert [float(loss) for loss in losses()] == [3.0, 2.0, 3.0]


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("compute_average_loss", lambda: tf.nn.compute_average_loss(tf.constant([2.0, 4.0]))),
        (
            "scale_regularization_loss",
            lambda: tf.nn.scale_regularization_loss(tf.constant(3.0)),
        ),
    ],
)
def test_it_needs_a_replica(
    strategy: tf.distribute.Strategy, name: str, call: Callable[[], object]
) -> None:
    with (
        strategy.scope(),
        pytest.raises(RuntimeError, match=f"`{name}` in cross replica context.*strategy.run"),
    ):
        call()


def test_a_size_of_the_batch_needs_no_replica(strategy: tf.distribute.Strategy) -> None:
    with strategy.scope():
        loss = tf.nn.compute_average_loss(tf.constant([2.0, 4.0]), global_batch_size=3)
    assert float(loss) == 2.0
