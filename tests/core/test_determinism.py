"""`enable_op_determinism`: equal results for any number of threads; what is drawn needs a seed."""

import time

import numpy as np
import pytest
import torch

import placewise as tf
from placewise.core.determinism import disable_op_determinism


@pytest.fixture
def deterministic():
    tf.config.experimental.enable_op_determinism()
    yield
    disable_op_determinism()


def _gradients():
    rng = np.random.RandomState(0)
    image = tf.constant(rng.rand(8, 20, 20, 3).astype("f"))
    filters = tf.Variable(rng.rand(3, 3, 3, 24).astype("f"))
    scale = tf.Variable(rng.rand(24).astype("f"))
    with tf.GradientTape() as tape:
        features = tf.nn.relu(tf.nn.conv2d(image, filters, 1, "SAME") * scale)
        loss = tf.reduce_mean(tf.nn.max_pool2d(features, 2, 2, "VALID") ** 2)
    return b"".join(each.numpy().tobytes() for each in tape.gradient(loss, [filters, scale]))


def test_a_convolution_net_has_equal_gradients_for_any_number_of_threads():
    threads, results = torch.get_num_threads(), set()
    try:
        for count in (1, 2, 4, 8):
            torch.set_num_threads(count)
            tf.config.experimental.enable_op_determinism()
            results.add(_gradients())
            disable_op_determinism()
            assert torch.get_num_threads() == count
    finally:
        torch.set_num_threads(threads)
    assert len(results) == 1


def _run(made):
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        return session.run(made())


def test_datasets_keep_their_order_whatever_they_are_told(deterministic):
    """As in TensorFlow: `deterministic=False` has no effect while determinism is on."""

    def late(number):
        return tf.numpy_function(lambda n: (time.sleep(0.02 * (3 - n)), n)[1], [number], tf.int64)

    made = tf.data.Dataset.range(4).map(late, num_parallel_calls=4, deterministic=False)
    assert [int(number) for number in made] == [0, 1, 2, 3]


IMAGE = np.arange(100, dtype="f").reshape(1, 10, 10, 1)
BOX, RATIO = [[[0.0, 0.0, 1.0, 1.0]]], [1.0, 1.5, 1.5, 1.0]
REFUSED = {
    "uniform": (lambda: tf.random.uniform([2]), RuntimeError, "require a seed to be set"),
    "raw": (
        lambda: tf.raw_ops.RandomUniform(shape=[2], dtype=tf.float32),
        tf.errors.InvalidArgumentError,
        "random ops must have a seed specified",
    ),
    "state": (
        tf.random.Generator.from_non_deterministic_state,
        RuntimeError,
        '"from_non_deterministic_state" cannot be called when determinism is enabled',
    ),
    "time": (
        tf.timestamp,
        tf.errors.FailedPreconditionError,
        "Timestamp cannot be called when determinism is enabled",
    ),
    "raw, in a function": (
        lambda: tf.function(lambda: tf.raw_ops.RandomUniform(shape=[2], dtype=tf.float32))(),
        tf.errors.InvalidArgumentError,
        "random ops must have a seed specified",
    ),
    "raw, in a session": (
        lambda: _run(lambda: tf.raw_ops.RandomUniform(shape=[2], dtype=tf.float32)),
        tf.errors.InvalidArgumentError,
        "random ops must have a seed specified",
    ),
    "queue": (
        lambda: tf.queue.RandomShuffleQueue(10, 0, tf.int32),
        RuntimeError,
        "require a seed to be set",
    ),
    "box": (
        lambda: tf.image.sample_distorted_bounding_box([6, 6, 3], BOX),
        ValueError,
        "tf.image.sample_distorted_bounding_box requires a non-zero seed",
    ),
    "box of TensorFlow 1": (
        lambda: tf.compat.v1.image.sample_distorted_bounding_box([6, 6, 3], BOX),
        ValueError,
        'requires "seed" or "seed2" to be non-zero',
    ),
    "pool": (
        lambda: tf.nn.fractional_max_pool(IMAGE, 1.5),
        ValueError,
        "tf.nn.fractional_max_pool requires a non-zero seed",
    ),
    "pool of TensorFlow 1": (
        lambda: tf.compat.v1.nn.fractional_max_pool(IMAGE, RATIO, seed=1, seed2=2),
        ValueError,
        '"deterministic" to be true when op determinism is enabled',
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_draws_without_a_seed_is_refused(name, deterministic):
    call, kind, words = REFUSED[name]
    with pytest.raises(kind, match=words):
        call()


def test_what_has_a_seed_is_not(deterministic):
    tf.random.uniform([2], seed=1)
    tf.image.sample_distorted_bounding_box([6, 6, 3], BOX, seed=1)
    tf.nn.fractional_max_pool(IMAGE, 1.5, seed=1)
    tf.random.set_seed(1)
    tf.random.uniform([2])


@pytest.mark.parametrize(
    ("seed", "seed2", "row"),  # as TensorFlow 2.21 has them
    [(1, 2, [5.5, 7.0, 8.5, 10.5, 12.0, 13.5]), (5, 0, [5.0, 6.5, 8.5, 10.0, 11.5, 13.5])],
)
def test_pools_of_tensorflow_1_take_both_seeds_as_they_are(seed, seed2, row):
    options = {"pseudo_random": True, "deterministic": True, "seed": seed, "seed2": seed2}
    made = tf.compat.v1.nn.fractional_avg_pool(IMAGE, RATIO, **options)
    assert made[0].numpy()[0, 0, :, 0].tolist() == row


def test_a_pool_that_is_not_deterministic_takes_no_seeds():
    with pytest.raises(tf.errors.InvalidArgumentError, match="should be 0 if deterministic is f"):
        tf.compat.v1.nn.fractional_max_pool(IMAGE, RATIO, seed=7, seed2=9)
