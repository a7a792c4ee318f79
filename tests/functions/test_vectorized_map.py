"""tf.vectorized_map: a function of one row, done for all rows at once."""

import logging

import numpy as np
import pytest

import placewise as tf
from placewise import errors

_NUMBERS = np.random.RandomState(0)


def _rows(*dims):
    return _NUMBERS.rand(4, *dims).astype("f") + np.float32(0.1)


# Arrays: a tensor made while tests are collected may belong to a graph of TensorFlow 1.
_MATRIX = _NUMBERS.rand(3, 3).astype("f") + 3 * np.eye(3, dtype="f")
_VECTOR = np.array([0.5, 1.5, 2.5], "f")
_PLACES = np.array([[0, 2], [1, 1], [2, 0], [1, 2]], "i")

# What the function does with a row, and the rows.
CASES = {
    "same": (lambda x: x, _rows(3)),
    "number": (lambda x: 3.0, _rows(3)),
    "several": (lambda x: {"a": -x, "b": (x[0], tf.shape(x))}, _rows(3)),
    "broadcast": (lambda x: x[0] * x + tf.reduce_sum(x) / _MATRIX, _rows(3)),
    "broadcast up": (lambda x: x + _MATRIX[tf.newaxis], _rows()),
    "sum": (lambda x: tf.reduce_sum(x * x), _rows(3)),
    "sum along": (
        lambda x: (tf.reduce_sum(x, 0), tf.reduce_max(x, -1, keepdims=True)),
        _rows(2, 3),
    ),
    "argmax": (lambda x: (tf.argmax(x, 1), tf.cumsum(x, 1), tf.reverse(x, [0])), _rows(2, 3)),
    "roll": (lambda x: tf.roll(x, 1, 0), _rows(3)),
    "matmul": (lambda x: tf.nn.relu(tf.matmul(x, _MATRIX) + 1.0), _rows(2, 3)),
    "matmul rows": (lambda x: tf.matmul(x, x, transpose_b=True), _rows(2, 3)),
    "matmul left": (lambda x: tf.matmul(_MATRIX, x, transpose_a=True), _rows(3, 2)),
    "matvec": (lambda x: tf.linalg.matvec(_MATRIX, x), _rows(3)),
    "batches": (lambda x: tf.matmul(x, _MATRIX), _rows(2, 2, 3)),
    "einsum": (lambda x: tf.einsum("ij,jk->ki", x, _MATRIX), _rows(2, 3)),
    "tensordot": (lambda x: tf.tensordot(x, x, [[0], [0]]), _rows(2, 3)),
    "softmax": (lambda x: (tf.nn.softmax(x), tf.nn.log_softmax(x)), _rows(3)),
    "select": (lambda x: tf.where(x > 0.5, x, -1.0), _rows(3)),
    "select whole": (lambda x: tf.where(x[0] > 0.5, x, _VECTOR), _rows(3)),
    "add_n": (lambda x: tf.add_n([x, x, _VECTOR]), _rows(3)),
    "clip": (lambda x: tf.clip_by_value(x, 0.3, x[0]), _rows(3)),
    "cast": (lambda x: tf.cast(x * 10, tf.int32) % 3, _rows(3)),
    "loss": (lambda x: tf.nn.l2_loss(x), _rows(2, 3)),
    "reshape": (lambda x: tf.reshape(x, [3, -1]), _rows(2, 3)),
    "expand": (lambda x: tf.expand_dims(tf.expand_dims(x, 0), -1), _rows(3)),
    "squeeze": (lambda x: (tf.squeeze(x), tf.squeeze(x, 0), tf.squeeze(x, -1)), _rows(1, 3, 1)),
    "transpose": (lambda x: (tf.transpose(x), tf.transpose(x, [0, 2, 1])), _rows(2, 3, 2)),
    "concat": (lambda x: (tf.concat([x, _MATRIX], 0), tf.concat([x, x], -1)), _rows(2, 3)),
    "stack": (lambda x: (tf.stack([x, _VECTOR]), tf.stack([x, x], -1)), _rows(3)),
    "unstack": (lambda x: tf.unstack(x, axis=1), _rows(2, 3)),
    "split": (lambda x: tf.split(x, 3, 1) + tf.split(x, [1, 2], 1), _rows(2, 3)),
    "tile": (lambda x: tf.tile(x, [2, 1]), _rows(2, 3)),
    "pad": (lambda x: (tf.pad(x, [[1, 2]]), tf.pad(x, [[1, 1]], "REFLECT")), _rows(3)),
    "slices": (lambda x: (x[1], x[:, 1:], x[..., -1], x[::-1, tf.newaxis, 0]), _rows(2, 3)),
    "slice": (lambda x: tf.slice(x, [0, 1], [-1, 2]), _rows(2, 3)),
    "fill": (lambda x: tf.fill([2, 3], x), _rows()),
    "broadcast_to": (lambda x: tf.broadcast_to(x, [2, 3]), _rows(3)),
    "sizes": (lambda x: (tf.size(x), tf.rank(x), x / tf.cast(tf.size(x), tf.float32)), _rows(2, 3)),
    "gather": (lambda x: (tf.gather(x, [2, 0], axis=1), tf.gather(x, 0)), _rows(2, 3)),
    "gather from": (lambda i: (tf.gather(_MATRIX, i), tf.gather(_MATRIX, i, axis=1)), _PLACES),
    "gather both": (lambda both: tf.gather(both[0], both[1]), (_rows(3), _PLACES)),
    "gather_nd": (lambda both: tf.gather_nd(both[0], both[1][None]), (_rows(3, 3), _PLACES)),
    "gather_nd from": (lambda i: tf.gather_nd(_MATRIX, i), _PLACES),
    "one_hot": (lambda i: (tf.one_hot(i, 3), tf.one_hot(i, 3, axis=0)), _PLACES),
    "band": (lambda x: tf.linalg.band_part(x, 0, -1), _rows(3, 3)),
    "diag": (lambda x: (tf.linalg.diag(x), tf.linalg.diag_part(x + _MATRIX)), _rows(3)),
    "solve": (lambda x: (tf.linalg.solve(_MATRIX, x), tf.linalg.inv(x + _MATRIX)), _rows(3, 3)),
    "top_k": (lambda x: tf.nn.top_k(x, 2).values, _rows(3)),
    "bias": (lambda x: tf.nn.bias_add(x, _VECTOR) + tf.nn.bias_add(x, x[0]), _rows(2, 3)),
    "conv": (lambda x: tf.nn.conv2d(x, tf.ones([2, 2, 1, 2]), 1, "SAME"), _rows(2, 5, 5, 1)),
    "pool": (lambda x: tf.nn.max_pool2d(x, 2, 2, "VALID"), _rows(2, 4, 4, 1)),
    "resize": (lambda x: tf.image.resize(x, [3, 3]), _rows(2, 4, 4, 1)),
    "cross entropy": (
        lambda x: tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[1, 0], logits=x),
        _rows(2, 3),
    ),
    "cross entropy of parts": (
        lambda x: tf.nn.softmax_cross_entropy_with_logits(labels=x[::-1], logits=x),
        _rows(2, 3),
    ),
    "searchsorted": (lambda x: tf.searchsorted(_VECTOR, x), _rows(3)),
    "strings": (lambda x: tf.strings.length(tf.strings.as_string(x)), _rows(3)),
}
_WITHOUT_GRADIENT = {
    "number",
    "cast",
    "gather from",
    "gather_nd from",
    "one_hot",
    "searchsorted",
    "strings",
}


def case(name):
    """Return a function and its rows, as tensors."""
    function, rows = CASES[name]
    return function, tf.nest.map_structure(tf.constant, rows)


def one_by_one(function, rows):
    """Return what a function gives for one row after the other, stacked."""
    count = tf.nest.flatten(rows)[0].shape[0]
    results = [
        function(tf.nest.map_structure(lambda each, i=index: each[i], rows))
        for index in range(count)
    ]
    return tf.nest.map_structure(lambda *parts: tf.stack(parts), *results)


def assert_alike(some, others):
    """Compare all tensors of two structures."""
    tf.nest.assert_same_structure(some, others)
    for one, other in zip(tf.nest.flatten(some), tf.nest.flatten(others), strict=True):
        assert (one.dtype, one.shape) == (other.dtype, other.shape)
        np.testing.assert_allclose(one.numpy(), other.numpy(), 1e-5, 1e-6)


@pytest.fixture
def nothing_row_by_row(caplog):
    with caplog.at_level(logging.WARNING, "tensorflow"):
        yield
    assert not caplog.records


@pytest.mark.parametrize("name", CASES)
def test_it_gives_what_the_function_gives_row_by_row(name, nothing_row_by_row):
    function, rows = case(name)
    assert_alike(tf.vectorized_map(function, rows), one_by_one(function, rows))


@pytest.mark.parametrize("name", CASES)
def test_it_needs_no_number_of_rows_in_a_function(name, nothing_row_by_row):
    function, rows = case(name)
    specs = tf.nest.map_structure(lambda t: tf.TensorSpec([None, *t.shape[1:]], t.dtype), rows)
    mapped = tf.function(lambda rows: tf.vectorized_map(function, rows), input_signature=[specs])
    assert_alike(mapped(rows), one_by_one(function, rows))


@pytest.mark.parametrize("name", sorted(CASES.keys() - _WITHOUT_GRADIENT))
def test_gradients_flow_through_it(name):
    function, rows = case(name)
    x = tf.nest.flatten(rows)[0]

    def slope(of):
        with tf.GradientTape() as tape:
            tape.watch(x)
            results = tf.nest.flatten(of(function, rows))
            loss = tf.add_n([tf.reduce_sum(r * r) for r in results if r.dtype == tf.float32])
        return tape.gradient(loss, x)

    assert_alike(slope(tf.vectorized_map), slope(one_by_one))


def test_variables_that_the_function_reads_have_gradients():
    weight = tf.Variable([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        y = tf.vectorized_map(lambda x: tf.reduce_sum(x * weight), tf.ones([4, 3]))
    assert tape.gradient(y, weight).numpy().tolist() == [4.0, 4.0, 4.0]


def test_each_row_may_have_a_gradient_of_its_own():
    weight = tf.constant([1.0, 2.0, 3.0])

    def slope(x):
        with tf.GradientTape() as tape:
            tape.watch(weight)
            loss = tf.reduce_sum(tf.tanh(x * weight))
        return tape.gradient(loss, weight)

    rows = tf.constant(_rows(3))
    assert_alike(tf.vectorized_map(slope, rows), one_by_one(slope, rows))


def test_the_function_is_called_once():
    calls = []
    tf.vectorized_map(lambda x: calls.append(x), tf.ones([5, 2]))
    assert len(calls) == 1
    with pytest.raises(AttributeError, match="numpy"):
        tf.vectorized_map(lambda x: x.numpy(), tf.ones([5, 2]))


def test_an_op_without_a_rule_runs_row_by_row(caplog):
    rows = tf.constant([[1, 1, 2], [3, 4, 4]])
    result = tf.vectorized_map(lambda x: tf.unique(x + 1)[0], rows)
    assert result.numpy().tolist() == [[2, 3], [4, 5]]
    assert "Using a while_loop for converting Unique" in caplog.text
    with pytest.raises(ValueError, match="No pfor vectorization defined for Unique"):
        tf.vectorized_map(lambda x: tf.unique(x)[0], rows, fallback_to_while_loop=False)


@pytest.mark.parametrize("run", [lambda call: call(), lambda call: tf.function(call)()])
def test_branches_loops_and_state_let_the_whole_function_run_row_by_row(run, caplog):
    rows = tf.constant([1.0, 20.0])
    total = tf.Variable(0.0)

    def branch(x):
        return tf.cond(x > 4.0, lambda: x, lambda: -x), None

    def loop(x):
        return tf.while_loop(lambda v: v < 50.0, lambda v: (v * 2.0,), (x,))

    assert run(lambda: tf.vectorized_map(branch, rows)[0]).numpy().tolist() == [-1.0, 20.0]
    assert run(lambda: tf.vectorized_map(loop, rows)[0]).numpy().tolist() == [64.0, 80.0]
    assert run(lambda: tf.vectorized_map(total.assign_add, rows)).numpy().tolist() == [1.0, 21.0]
    assert "row by row" in caplog.text
    random = run(lambda: tf.vectorized_map(lambda x: x * 0.0 + tf.random.uniform([]), rows))
    assert random[0] != random[1]


def test_rows_that_do_not_go_together_are_refused():
    with pytest.raises(errors.InvalidArgumentError, match="is not in"):
        tf.vectorized_map(lambda both: both[0] + both[1], (tf.ones([3]), tf.ones([2])))


def test_it_repeats_what_has_one_row():
    elems = (tf.constant([1, 2]), tf.constant([10]))
    result = tf.vectorized_map(lambda row: row[0] + row[1], elems)
    assert result.numpy().tolist() == [11, 12]
    assert tf.vectorized_map(lambda x: x + 1, tf.zeros([0, 2])).shape == (0, 2)


def test_rows_may_be_of_any_rank():
    @tf.function(input_signature=[tf.TensorSpec(None)])
    def mapped(x):
        return tf.vectorized_map(lambda row: row * 2.0 + tf.reduce_sum(row), x)

    assert mapped(tf.constant([[1.0, 2.0], [3.0, 4.0]])).numpy().tolist() == [[5, 7], [13, 15]]
