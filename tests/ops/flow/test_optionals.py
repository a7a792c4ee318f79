"""Gradients go through optionals, from what is taken out to what was put in."""

from typing import Any

import pytest

import placewise as tf

put, take = tf.raw_ops.OptionalFromValue, tf.raw_ops.OptionalGetValue


def product(x: Any, y: Any) -> Any:
    kept = put(components=[x * 2.0, y])
    a, b = take(optional=kept, output_types=[tf.float32] * 2, output_shapes=[[2], []])
    return tf.reduce_sum(a * a) + b * x[0]


def one_of_two(x: Any, y: Any) -> Any:
    kept = put(components=[x * 2.0, y])
    a, _ = take(optional=kept, output_types=[tf.float32] * 2, output_shapes=[[2], []])
    return tf.reduce_sum(a * a)


def beside_a_number(x: Any, y: Any) -> Any:
    kept = put(components=[x * 2.0, tf.constant(3)])
    a, n = take(optional=kept, output_types=[tf.float32, tf.int32], output_shapes=[[2], []])
    return tf.reduce_sum(a * a) * tf.cast(n, tf.float32)


def taken_twice(x: Any, y: Any) -> Any:
    kept = put(components=[x])
    a, b = (take(optional=kept, output_types=[tf.float32], output_shapes=[[2]])[0] for _ in "ab")
    return tf.reduce_sum(a * b * a)


def through_the_class(x: Any, y: Any) -> Any:
    value = tf.experimental.Optional.from_value({"a": x, "b": y}).get_value()
    return tf.reduce_sum(value["a"] ** 2) * value["b"]


@pytest.mark.parametrize("is_traced", [False, True])
@pytest.mark.parametrize(
    ("function", "slopes"),
    [
        (product, [[11.0, 16.0], 1.0]),
        (one_of_two, [[8.0, 16.0], 0.0]),
        (beside_a_number, [[24.0, 48.0], None]),
        (taken_twice, [[3.0, 12.0], None]),
        (through_the_class, [[6.0, 12.0], 5.0]),
    ],
)
def test_gradients_are_tensorflows(function: Any, slopes: Any, is_traced: bool) -> None:
    x, y = tf.constant([1.0, 2.0]), tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch([x, y])
        result = (tf.function(function) if is_traced else function)(x, y)
    found = tape.gradient(result, [x, y])
    assert [None if each is None else each.numpy().tolist() for each in found] == slopes


def test_gradients_have_gradients() -> None:
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            result = product(x, tf.constant(3.0))
        total = tf.reduce_sum(inner.gradient(result, x) ** 2)
    assert outer.gradient(total, x).numpy().tolist() == [176.0, 256.0]


def test_gradients_go_through_an_optional_that_a_branch_makes() -> None:
    @tf.function
    def chosen(x: Any) -> Any:
        kept = tf.cond(
            x[0] > 0.0, lambda: put(components=[x * 3.0]), lambda: put(components=[x * 5.0])
        )
        (a,) = take(optional=kept, output_types=[tf.float32], output_shapes=[[2]])
        return tf.reduce_sum(a * a)

    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        result = chosen(x)
    assert tape.gradient(result, x).numpy().tolist() == [18.0, 36.0]
