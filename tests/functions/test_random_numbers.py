"""Random numbers in functions, with only the global seed set: those that TensorFlow 2.21 draws."""

import numpy as np
import pytest

import placewise as tf


@pytest.fixture(autouse=True)
def _seeded():
    tf.random.set_seed(3)


def _near(found, *wanted):
    np.testing.assert_allclose(np.ravel(found), wanted, atol=5e-5)


def test_each_branch_and_loop_counts_its_own_ops():
    @tf.function
    def draw(x):
        first, second = tf.random.uniform([1]), tf.random.normal([1])
        if x > 0:  # noqa: SIM108 - a branch
            third = tf.random.uniform([1])
        else:
            third = tf.random.uniform([1]) + tf.random.uniform([1])
        step = 0
        while step < x:
            third += tf.random.uniform([1])
            step += 1
        return first, second, third, tf.random.uniform([1], seed=7)

    _near(draw(tf.constant(2)), 0.12736, -0.02354, 1.11274, 0.73002)
    _near(draw(tf.constant(-1)), 0.85802, -0.85766, 0.90543, 0.32504)
    _near(draw(tf.constant(2)), 0.88987, -0.78645, 2.26145, 0.75654)


def test_a_function_that_is_called_draws_as_if_it_stood_alone():
    inner = tf.function(lambda: tf.random.uniform([1]))
    outer = tf.function(lambda: (inner() + 0, inner() + 0, tf.random.uniform([1])))
    _near(outer(), 0.12736, 0.12736, 0.12736)
    _near(outer(), 0.85802, 0.85802, 0.85802)


def test_setting_the_seed_lets_functions_begin_anew_with_the_seed_they_were_traced_with():
    draw = tf.function(lambda: tf.random.uniform([1]))
    _near([draw(), draw()], 0.12736, 0.85802)
    tf.random.set_seed(4)
    _near(draw(), 0.12736)


def test_a_graph_of_tensorflow_2_counts_the_ops_that_ask_for_a_seed():
    with tf.Graph().as_default() as graph:
        tf.compat.v1.set_random_seed(9)
        tf.random.uniform([1])
        _ = tf.constant(1) + 1
        tf.random.uniform([1])
    drawn = [op for op in graph.get_operations() if op.type == "RandomUniform"]
    assert [(op.get_attr("seed"), op.get_attr("seed2")) for op in drawn] == [(9, 0), (9, 1)]


def test_a_dataset_draws_the_same_numbers_in_every_iteration():
    tf.random.set_seed(4)
    data = tf.data.Dataset.range(4).map(lambda x: tf.random.uniform([]))
    for _ in range(2):
        _near(list(data), 0.8043, 0.3994, 0.3908, 0.5252)
    _near(list(data.repeat(2))[4:], 0.0867, 0.5781, 0.0574, 0.5725)
    _near(data.prefetch(1).reduce(0.0, lambda total, x: total + x), 2.11973)


def test_two_iterations_at_once_do_not_disturb_each_other():
    data = tf.data.Dataset.range(3).map(lambda x: tf.random.shuffle(tf.range(8)))
    first, second = iter(data), iter(data)
    for one, other in zip(first, second, strict=True):
        np.testing.assert_array_equal(one, other)


def test_datasets_inside_a_dataset_go_on_drawing():
    tf.random.set_seed(4)
    inner = tf.data.Dataset.range(2)
    data = tf.data.Dataset.range(2).flat_map(lambda x: inner.map(lambda y: tf.random.uniform([])))
    _near(list(data), 0.8043, 0.3994, 0.3908, 0.5252)


def test_keras_shuffles_as_in_tensorflow():
    data = tf.data.Dataset.range(1).map(lambda _: tf.random.shuffle(tf.range(8, dtype=tf.int64)))
    assert next(iter(data)).numpy().tolist() == [7, 4, 2, 6, 5, 3, 0, 1]
