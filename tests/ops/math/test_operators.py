"""Python's operators on tensors, with tensors, Python numbers and NumPy values."""

import operator

import numpy as np
import pytest

import placewise as tf

X = [3.0, -1.5]


@pytest.mark.parametrize("name", ["add", "sub", "mul", "truediv", "floordiv", "mod", "pow"])
def test_both_sides_may_be_python_or_numpy(name):
    function, x = getattr(operator, name), np.asarray([3.0, 1.5], np.float32)
    for other in (2, 2.0, np.float32(2), np.asarray([2.0, 2.0], np.float32), [2.0, 2.0]):
        number = np.asarray(other, np.float32)
        np.testing.assert_allclose(function(tf.constant(x), other), function(x, number), rtol=1e-6)
        np.testing.assert_allclose(function(other, tf.constant(x)), function(number, x), rtol=1e-6)


def test_a_python_float_does_not_become_an_integer():
    with pytest.raises(TypeError, match=r"Cannot convert 2.5 to EagerTensor of dtype int32"):
        tf.constant([1]) * 2.5


def test_equality_is_by_element_and_knows_none():
    x = tf.constant([1.0, 2.0])
    assert (x == 1).numpy().tolist() == [True, False]
    assert (x != [1.0, 3.0]).numpy().tolist() == [False, True]
    assert (x == None) is False  # noqa: E711 - the operator is what is tested
    assert (x != None) is True  # noqa: E711


def test_shapes_that_do_not_fit_are_unequal():
    assert not bool(tf.ones([2]) == tf.ones([3]))
    assert bool(tf.ones([2]) != tf.ones([3]))


def test_a_tensor_is_not_hashable():
    with pytest.raises(TypeError, match="unhashable"):
        hash(tf.constant(1))


def test_logic_on_booleans_and_bits_on_integers():
    yes, no = tf.constant(True), tf.constant(False)
    assert not bool(yes & no)
    assert bool(yes | no)
    assert bool(yes ^ no)
    assert not bool(~yes)
    six, three = tf.constant(6), tf.constant(3)
    assert [int(six & three), int(six | three), int(six ^ three), int(~six)] == [2, 7, 5, -7]


def test_iteration_gives_the_rows():
    assert [row.numpy().tolist() for row in tf.constant([[1, 2], [3, 4]])] == [[1, 2], [3, 4]]
    with pytest.raises(TypeError, match="Cannot iterate over a scalar tensor"):
        list(tf.constant(1))


def test_unary_operators():
    x = tf.constant(X)
    assert (-x).numpy().tolist() == [-3.0, 1.5]
    assert abs(x).numpy().tolist() == [3.0, 1.5]


def test_the_other_side_may_know_better():
    class Other:
        def __radd__(self, tensor):
            return "mine"

    assert tf.constant(1.0) + Other() == "mine"


def test_a_class_can_be_given_the_operators():
    from placewise.ops.operators import install

    class Wrapped:
        def __init__(self, value):
            self.value = value

        def __tf_tensor__(self, dtype=None, name=None):
            return tf.constant(self.value)

    install(Wrapped)
    assert float(Wrapped(2.0) * 3) == 6.0
    assert float(3 - Wrapped(2.0)) == 1.0
    assert bool(Wrapped(2.0) < tf.constant(3.0))
