"""The initializers of TensorFlow 1, and the numbers that seeds give: those of TensorFlow 1.15."""

import numpy as np
import pytest

from placewise.compat import v1 as tf

pytestmark = pytest.mark.usefixtures("graph_mode")


def value_of(initializer: object, shape: list[int], **options: object) -> np.ndarray:
    variable = tf.get_variable("w", shape, initializer=initializer, **options)
    with tf.Session() as session:
        session.run(variable.initializer)
        return np.asarray(session.run(variable))


def names() -> list[str]:
    return [op.name for op in tf.get_default_graph().get_operations()]


@pytest.mark.parametrize(
    ("make", "last"),
    [
        (lambda: tf.zeros_initializer(), "zeros"),
        (lambda: tf.ones_initializer, "ones"),
        (lambda: tf.constant_initializer(3), "Const"),
        (lambda: tf.random_normal_initializer(), "random_normal"),
        (lambda: tf.random_uniform_initializer(-1, 1), "random_uniform"),
        (lambda: tf.truncated_normal_initializer(), "truncated_normal"),
        (lambda: tf.uniform_unit_scaling_initializer(), "random_uniform"),
        (lambda: tf.variance_scaling_initializer(), "truncated_normal"),
        (lambda: tf.initializers.he_uniform(), "random_uniform"),
        (lambda: tf.initializers.lecun_normal(), "truncated_normal"),
        (lambda: tf.glorot_normal_initializer(), "truncated_normal"),
        (lambda: None, "random_uniform"),
        (lambda: tf.orthogonal_initializer(), "mul_1"),
        (lambda: tf.initializers.identity(), "mul"),
    ],
)
def test_first_values_are_named_after_their_initializer(make: object, last: str) -> None:
    tf.get_variable("w", [4, 4], initializer=make())  # type: ignore[operator]
    assert names()[-4:] == [f"w/Initializer/{last}", "w", "w/Assign", "w/read"]


def test_large_zeros_are_filled() -> None:
    tf.get_variable("w", [3000], initializer=tf.zeros_initializer())
    assert names()[:3] == [
        "w/Initializer/zeros/shape_as_tensor",
        "w/Initializer/zeros/Const",
        "w/Initializer/zeros",
    ]


def test_plain_values() -> None:
    assert value_of(tf.constant_initializer([1, 2]), [2, 2]).tolist() == [[1, 2], [2, 2]]
    tf.reset_default_graph()
    assert value_of(tf.initializers.identity(2.0), [2, 2]).tolist() == [[2, 0], [0, 2]]
    tf.reset_default_graph()
    assert value_of(None, [2], dtype=tf.int32).tolist() == [0, 0]


def test_orthogonal_matrices_are() -> None:
    found = value_of(tf.orthogonal_initializer(2.0), [2, 3, 4])
    flat = found.reshape(6, 4) / 2
    np.testing.assert_allclose(flat.T @ flat, np.eye(4), atol=1e-5)


def test_wrong_arguments_are_refused() -> None:
    with pytest.raises(ValueError, match="`scale` must be positive"):
        tf.variance_scaling_initializer(scale=-1.0)
    with pytest.raises(ValueError, match="Expected floating point type"):
        tf.truncated_normal_initializer(dtype=tf.int32)
    with pytest.raises(ValueError, match="at least two-dimensional"):
        tf.orthogonal_initializer()([3])
    with pytest.raises(ValueError, match="only be used for 2D matrices"):
        tf.initializers.identity()([3])
    with pytest.raises(TypeError, match="Invalid type for initial value"):
        tf.constant_initializer(object())
    with pytest.raises(TypeError, match=r"Expected Tensor's shape: \(3,\), got \(2,\)"):
        tf.constant_initializer([1, 2], verify_shape=True)([3])


def test_configurations_make_another_one() -> None:
    first = tf.random_normal_initializer(1.0, 2.0, seed=3)
    again = tf.random_normal_initializer.from_config(first.get_config())
    assert again.get_config() == {"mean": 1.0, "stddev": 2.0, "seed": 3, "dtype": "float32"}


# What TensorFlow 1.15.5 gives.
GLOROT = [0.6107886, 0.65989125, 0.49158025, -0.589581]
BOTH = [0.5793527, 0.7246541, 0.4933745, -0.6071326]


def test_a_graph_seed_gives_tensorflows_numbers() -> None:
    tf.set_random_seed(1)
    assert value_of(None, [2, 3]).ravel()[:4] == pytest.approx(GLOROT)


def test_the_seed_of_an_op_depends_on_its_place_in_the_graph() -> None:
    tf.set_random_seed(1)
    small = tf.truncated_normal_initializer(stddev=0.1)
    total = tf.get_variable("w", [2, 3]) + tf.get_variable("v", [2, 3], initializer=small)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert session.run(total).ravel()[:4] == pytest.approx(BOTH)


def test_draws_go_on_within_a_session_and_begin_anew_in_another() -> None:
    draw = tf.random_uniform([3], seed=7)
    with tf.Session() as session:
        first, second = session.run(draw).tolist(), session.run(draw).tolist()
    with tf.Session() as session:
        assert session.run(draw).tolist() == first != second


def test_seeds_of_an_op() -> None:
    assert tf.get_seed(None) == (None, None)
    assert tf.get_seed(3) == (87654321, 3)
    tf.set_random_seed(0)
    assert tf.get_seed(0) == (0, 2**31 - 1)
    assert tf.get_seed(None) == (0, 2**31 - 1)
    tf.constant(1)
    assert tf.get_seed(None) == (0, 1)
