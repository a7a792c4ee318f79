"""Distributed iterators belong outside of replicas; iterators of the program's own do not."""

import pytest

import placewise
import placewise as tf


@pytest.fixture(autouse=True)
def two_gpus():
    with placewise.simulate("2xK20m"):
        yield


def dataset():
    return tf.data.Dataset.range(8).batch(2)


STRATEGIES = [
    tf.distribute.MirroredStrategy,
    lambda: tf.distribute.OneDeviceStrategy("/GPU:0"),
]


@pytest.mark.parametrize("make", STRATEGIES)
@pytest.mark.parametrize("wrapped", [lambda f: f, tf.function])
@pytest.mark.parametrize("take", [next, lambda i: i.get_next(), lambda i: i.get_next_as_optional()])
def test_a_distributed_iterator_is_refused_in_a_replica(make, wrapped, take):
    strategy = make()
    iterator = iter(strategy.experimental_distribute_dataset(dataset()))
    with pytest.raises(ValueError, match="should be called from outside of replica_fn"):
        wrapped(lambda: strategy.run(lambda: take(iterator)))()
    total = wrapped(
        lambda: strategy.reduce(
            "SUM", strategy.run(tf.reduce_sum, args=(next(iterator),)), axis=None
        )
    )
    assert int(total()) == 1


def test_other_iterators_give_each_replica_its_own_element():
    strategy = tf.distribute.MirroredStrategy()
    iterator = iter(tf.data.Dataset.range(4))
    result = strategy.run(lambda: next(iterator))
    assert [int(value) for value in strategy.experimental_local_results(result)] == [0, 1]
    default = tf.distribute.get_strategy()
    iterator = iter(default.experimental_distribute_dataset(dataset()))
    assert default.run(lambda: next(iterator)).numpy().tolist() == [0, 1]
