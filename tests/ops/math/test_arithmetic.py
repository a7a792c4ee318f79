"""Arithmetic and division: dtype strictness, wrap-around, zeros, and what must not crash."""

import numpy as np
import pytest

import placewise as tf


def test_strings_are_joined():
    joined = tf.add(tf.constant(["a", "b"]), "c")
    assert joined.numpy().tolist() == [b"ac", b"bc"]


def test_dtypes_are_not_promoted():
    with pytest.raises(tf.errors.InvalidArgumentError, match="expected to be a float tensor"):
        tf.add(tf.constant(1.0), tf.constant(1))


def test_the_first_tensor_decides_the_dtype():
    assert tf.maximum(1, tf.constant(0.5)).dtype is tf.float32
    with pytest.raises(TypeError, match=r"Cannot convert 1.5 to EagerTensor of dtype int32"):
        tf.maximum(1.5, tf.constant(1))


def test_integers_wrap_around():
    assert int(tf.constant(2147483647) + 1) == -2147483648
    assert int(tf.constant(200, tf.uint8) * 2) == 144


@pytest.mark.parametrize("function", [tf.math.floordiv, tf.math.floormod, tf.truncatediv])
@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_the_smallest_integer_by_minus_one_does_not_trap(function, dtype):
    lowest = np.full(33, np.iinfo(dtype).min, dtype)
    result = function(tf.constant(lowest), tf.constant(-1, dtype))
    assert result.dtype.name == dtype


@pytest.mark.parametrize("dtype", ["int8", "int32", "int64", "uint8", "uint16", "uint64"])
def test_integer_division_by_zero_raises(dtype):
    x, zero = tf.constant([1, 2], dtype), tf.constant([1, 0], dtype)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Integer division by zero"):
        tf.math.floordiv(x, zero)


def test_truediv_widens_integers():
    assert tf.truediv(tf.constant(1, tf.int8), tf.constant(2, tf.int8)).dtype is tf.float32
    assert tf.truediv(1, 2).dtype is tf.float64


def test_truediv_refuses_other_dtypes():
    with pytest.raises(TypeError, match="must have the same dtype"):
        tf.truediv(tf.constant(1.0), tf.constant(1))


def test_integers_have_no_negative_powers():
    with pytest.raises(tf.errors.InvalidArgumentError, match="negative integer powers"):
        tf.pow(tf.constant([2]), tf.constant([-1]))


def test_division_without_nan():
    quotient = tf.math.divide_no_nan(tf.constant([1.0, np.nan, 6.0]), tf.constant([0.0, 0.0, 3.0]))
    assert quotient.numpy().tolist() == [0.0, 0.0, 2.0]


def test_shapes_that_do_not_broadcast_are_named():
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=r"Incompatible shapes: \[2\] vs. \[3\]"
    ):
        tf.multiply(tf.ones([2]), tf.ones([3]))


def test_the_gradient_of_pow_is_finite_at_zero():
    x, y = tf.constant([0.0, 2.0]), tf.constant([2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch([x, y])
        z = tf.pow(x, y)
    dx, dy = tape.gradient(z, [x, y])
    np.testing.assert_allclose(dx, [0.0, 12.0])
    np.testing.assert_allclose(dy, [0.0, 8 * np.log(2)], rtol=1e-6)


def test_the_gradient_is_summed_over_what_was_broadcast():
    x, y = tf.ones([2, 3]), tf.ones([3])
    with tf.GradientTape() as tape:
        tape.watch([x, y])
        z = x * y + y
    dx, dy = tape.gradient(z, [x, y])
    assert dx.shape == [2, 3]
    assert dy.numpy().tolist() == [4.0, 4.0, 4.0]


def test_add_n_needs_one_shape():
    with pytest.raises(tf.errors.InvalidArgumentError, match="same size and shape"):
        tf.add_n([tf.ones([1]), tf.ones([2])])
    with pytest.raises(ValueError, match="at least one"):
        tf.add_n([])


@pytest.mark.parametrize("kind", ["int8", "uint8", "int16", "int32", "int64"])
@pytest.mark.parametrize("divisor", [1, 3, 7, 64, -5])
def test_many_integers_are_divided_by_one_as_python_divides(kind: str, divisor: int) -> None:
    info = np.iinfo(kind)
    if divisor < info.min:
        return
    random = np.random.RandomState(0)
    numbers = random.randint(info.min, int(info.max) + 1, 2000, dtype=kind)
    numbers[:3] = info.min, info.max, 0
    x, y = tf.constant(numbers), tf.constant(divisor, kind)
    expected = [divmod(each, divisor) for each in numbers.tolist()]
    assert (x // y).numpy().tolist() == [quotient for quotient, _ in expected]
    assert (x % y).numpy().tolist() == [rest for _, rest in expected]
    assert (x % y[tf.newaxis]).dtype == kind


def test_gradient_of_a_complex_sign_is_across_its_direction():
    x = tf.constant([1 + 1j, 3 - 4j, 0, -1j], tf.complex64)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.sign(x)
    expected = [0.35355338 - 0.35355338j, 0.128 + 0.096j, 0, 1]
    np.testing.assert_allclose(tape.gradient(y, x), expected, rtol=1e-6)
