"""Loops over numbers: what a list holds is computed with NumPy, as the rest of the loop."""

import numpy as np
import pytest

import placewise as tf


def _sums(rows, start):
    v1 = tf.compat.v1
    array = tf.TensorArray(rows.dtype, 6).unstack(rows)

    def body(place, total):
        item = array.read(place)
        total = tf.cond(tf.equal(item % 2, 0), lambda: total + item, lambda: total - 1)
        return place + 1, total

    return v1.while_loop(lambda place, _: place < 6, body, (tf.constant(0), start))[1]


@pytest.mark.parametrize("kind", ["int32", "int64", "float32"])
def test_numbers_out_of_lists_are_computed_with_numpy(kind):
    v1 = tf.compat.v1
    with v1.Graph().as_default(), v1.Session() as session:
        rows = v1.placeholder(kind, [6])
        total = _sums(rows, tf.constant(0, kind))
        source = session.source(total, [rows])
        assert "number(" in source
        assert "AddV2(" not in source
        result = session.run(total, {rows: [4, 1, 3, 2, 2, 5]})
        assert result == 5
        assert result.dtype == np.dtype(kind)


def test_rows_out_of_lists_stay_tensors():
    v1 = tf.compat.v1
    with v1.Graph().as_default(), v1.Session() as session:
        rows = v1.placeholder(tf.float32, [3, 2])
        array = tf.TensorArray(tf.float32, 3).unstack(rows)
        total = v1.while_loop(
            lambda place, _: place < 3,
            lambda place, total: (place + 1, total + array.read(place)),
            (tf.constant(0), tf.zeros([2])),
        )[1]
        assert "AddV2(" in session.source(total, [rows])
        assert session.run(total, {rows: [[1, 2], [3, 4], [5, 6]]}).tolist() == [9, 12]


def test_gradients_flow_to_numbers_of_lists():
    @tf.function
    def slope(rows):
        with tf.GradientTape() as tape:
            tape.watch(rows)
            total = 1.0
            for row in rows:
                total = total * row if row > 0.0 else total - row
        return tape.gradient(total, rows)

    assert slope(tf.constant([2.0, -1.0, 3.0])).numpy().tolist() == [3.0, -3.0, 3.0]
