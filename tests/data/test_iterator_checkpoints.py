"""Checkpoints of iterators: what they refuse to leave out."""

import pytest

import placewise as tf


def _saved(dataset, folder):
    return tf.train.Checkpoint(it=iter(dataset)).save(str(folder / "c"))


def _random(x):
    return tf.random.uniform([])


def _nested(x):
    return tf.data.Dataset.range(3).map(_random)


@pytest.mark.parametrize(
    ("dataset", "op"),
    [
        (lambda: tf.data.Dataset.range(5).map(_random).batch(2), "RandomUniform"),
        (lambda: tf.data.Dataset.range(5).flat_map(_nested), "RandomUniform"),
        (lambda: tf.data.Dataset.from_generator(lambda: range(5), tf.int64), "PyFunc"),
        (
            lambda: tf.data.Dataset.range(5).map(
                lambda x: tf.numpy_function(lambda a: a, [x], tf.int64)
            ),
            "PyFunc",
        ),
    ],
)
def test_state_of_functions_is_not_left_out_silently(dataset, op, tmp_path):
    with pytest.raises(tf.errors.FailedPreconditionError, match=f"{op} is stateful"):
        _saved(dataset(), tmp_path)


def test_a_variable_read_by_a_function_is_refused(tmp_path):
    v = tf.Variable(1, dtype=tf.int64)
    with pytest.raises(tf.errors.FailedPreconditionError, match="ReadVariableOp is stateful"):
        _saved(tf.data.Dataset.range(5).map(lambda x: x + v), tmp_path)


def test_tables_prints_and_random_order_are_no_such_state(tmp_path):
    keys = tf.lookup.KeyValueTensorInitializer(tf.constant([1], tf.int64), [2])
    table = tf.lookup.StaticHashTable(keys, 0)

    def looked_up(x):
        tf.debugging.assert_less(x, tf.constant(9, tf.int64))
        return table.lookup(x)

    assert _saved(tf.data.Dataset.range(5).shuffle(3).map(looked_up).cache(), tmp_path)


@pytest.mark.parametrize("policy", ["WARN", "IGNORE"])
def test_the_policy_of_the_options_lets_it_pass(policy, tmp_path, caplog):
    options = tf.data.Options()
    options.experimental_external_state_policy = getattr(
        tf.data.experimental.ExternalStatePolicy, policy
    )
    with caplog.at_level("WARNING", logger="absl"):
        assert _saved(tf.data.Dataset.range(5).map(_random).with_options(options), tmp_path)
    assert ("RandomUniform is stateful" in caplog.text) == (policy == "WARN")
