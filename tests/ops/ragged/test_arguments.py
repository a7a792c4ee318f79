"""Ragged ops with arguments that do not fit, sizes known only when run, and fetched values."""

from typing import Any

import numpy as np
import pytest

import placewise as tf

v1 = tf.compat.v1


def _rows(values: Any) -> Any:
    return tf.ragged.constant(values)


def test_padding_must_have_fewer_dimensions_than_the_values_also_when_run() -> None:
    @tf.function(
        input_signature=[tf.RaggedTensorSpec([None, None], tf.int32), tf.TensorSpec(None, tf.int32)]
    )
    def padded(rows: Any, default: Any) -> Any:
        return rows.to_tensor(default)

    rows = _rows([[1, 2, 3], [4]])
    assert padded(rows, 0).numpy().tolist() == [[1, 2, 3], [4, 0, 0]]
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"default_value.rank = 1  must be"):
        padded(rows, [1, 2, 3, 4, 5, 6])


def test_padding_of_another_size_is_named() -> None:
    rows = tf.ragged.constant([[[1, 2], [3, 4]], [[5, 6]]], ragged_rank=1)
    words = r"default_value.shape\[-1\] = 3 but rt_input.flat_values.shape\[-1\] = 2"
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        rows.to_tensor([7, 8, 9])


def test_gradients_of_padded_rows_whose_values_have_no_known_number() -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        values = v1.placeholder(tf.float32, None)
        rows = tf.RaggedTensor.from_row_splits(values, tf.constant([0, 2, 3], tf.int64))
        dense = rows.to_tensor(0.0, shape=[2, 2])
        (gradient,) = tf.gradients(dense * [[1.0, 2.0], [3.0, 4.0]], [values])
        assert session.run(tf.convert_to_tensor(gradient), {values: [5.0, 6.0, 7.0]}).tolist() == [
            1.0,
            2.0,
            3.0,
        ]


def test_a_shape_of_unknown_rank_says_nothing() -> None:
    dense = _rows([[1], [2, 3]]).to_tensor(shape=tf.TensorShape(None))
    assert dense.numpy().tolist() == [[1, 0], [2, 3]]


def test_sizes_of_parts_are_checked_when_run() -> None:
    @tf.function(
        input_signature=[tf.RaggedTensorSpec([None, None], tf.int32), tf.TensorSpec([2], tf.int32)]
    )
    def parts(rows: Any, sizes: Any) -> Any:
        return tf.split(rows, sizes)

    rows = _rows([[1, 2, 3], [4]])
    assert [part.to_list() for part in parts(rows, [1, 1])] == [[[1, 2, 3]], [[4]]]
    with pytest.raises(tf.errors.InvalidArgumentError, match="must be non-negative"):
        parts(rows, [3, -1])


def test_sizes_of_parts_are_one_list() -> None:
    with pytest.raises(TypeError, match="must be an `int` or 1-D list"):
        tf.split(_rows([[1], [2]]), [[1, 1]])


@pytest.mark.parametrize("axis", ["x", ["x"]])
def test_an_axis_is_an_integer(axis: Any) -> None:
    with pytest.raises(TypeError, match="axis must be an int; got str"):
        tf.reduce_sum(_rows([[1], [2]]), axis)


def test_fetched_ragged_values_are_arguments_of_ops() -> None:
    fetched = v1.ragged.constant_value([[1, 2, 3], [4, 5]])
    assert tf.add(fetched, 1).to_list() == [[2, 3, 4], [5, 6]]
    assert tf.reduce_sum(fetched, 1).numpy().tolist() == [6, 9]


def test_where_of_tensorflow_1_chooses_elements_or_rows() -> None:
    condition = v1.ragged.constant_value([[True, False], [True]])
    x, y, other = _rows([[1, 2], [3]]), _rows([[8, 9], [10]]), _rows([[5], [6, 7]])
    assert v1.where(condition, x, y).to_list() == [[1, 9], [3]]
    assert v1.where([True, False], x, other).to_list() == [[1, 2], [6, 7]]
    with pytest.raises(ValueError, match="Input shapes do not match"):
        v1.where(_rows([[True, False], [True]]), x, other)
    with pytest.raises(ValueError, match="must have rank 1"):
        v1.where(True, x, other)


def test_an_empty_list_of_repeats_is_of_integers() -> None:
    assert tf.repeat([], []).shape == [0]


@pytest.mark.parametrize("op", ["LowerBound", "UpperBound"])
def test_bounds_are_looked_for_in_matrices(op: str) -> None:
    matrix, cube = tf.zeros([2, 3]), tf.zeros([2, 1, 1])
    call = getattr(tf.raw_ops, op)
    with pytest.raises(tf.errors.InvalidArgumentError, match="rank 3 for `sorted_inputs`"):
        call(sorted_inputs=cube, values=matrix)
    with pytest.raises(tf.errors.InvalidArgumentError, match="rank 3 for `values`"):
        call(sorted_inputs=matrix, values=cube)


def test_crossed_columns_are_integers_or_strings_of_rank_2() -> None:
    with pytest.raises(ValueError, match=r"Unexpected dtype for inputs\[0\]"):
        tf.ragged.cross([_rows([[1.5]])])
    with pytest.raises(tf.errors.InvalidArgumentError, match="only supports inputs with rank=2"):
        tf.ragged.cross([tf.constant([[[1]]])])
    with pytest.raises(tf.errors.InvalidArgumentError, match="the same batch dimension size"):
        tf.ragged.cross([_rows([[1], [2]]), _rows([[1]])])
    assert tf.ragged.cross([]).to_list() == []
    crossed = tf.ragged.cross([v1.ragged.constant_value([[1, 2], [3]]), [[4], [5]]])
    assert crossed.to_list() == [[b"1_X_4", b"2_X_4"], [b"3_X_5"]]


@pytest.mark.parametrize(
    "splits, words",
    [
        ([], "at least one splits"),
        ([-1, 3], "must be 0 but is -1"),
        ([0, 5], r"number of ragged values\(3\) but is 5"),
        ([0, 2, 1, 3], "monotonically increasing"),
    ],
)
def test_crossed_rows_have_valid_splits(splits: list[int], words: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        tf.raw_ops.RaggedCross(
            ragged_values=[tf.constant([0, 1, 2], tf.int64)],
            ragged_row_splits=[tf.constant(splits, tf.int64)],
            sparse_indices=[],
            sparse_values=[],
            sparse_shape=[],
            dense_inputs=[],
            input_order="R",
            hashed_output=False,
            num_buckets=0,
            hash_key=1,
            out_values_type=tf.string,
            out_row_splits_type=tf.int64,
        )


def test_rows_of_unknown_rank_are_split_and_the_number_of_sizes_is_checked() -> None:
    @tf.function(
        input_signature=[tf.RaggedTensorSpec(None, tf.int32, 1), tf.TensorSpec(None, tf.int32)]
    )
    def parts(rows: Any, sizes: Any) -> Any:
        return tf.split(rows, sizes, num=2)

    rows = _rows([[1, 2, 3], [4]])
    assert [part.to_list() for part in parts(rows, [1, 1])] == [[[1, 2, 3]], [[4]]]
    with pytest.raises(tf.errors.InvalidArgumentError, match="inconsistent"):
        parts(rows, [1, 1, 0])


def test_the_shape_of_a_sparse_tensor_is_known_in_part() -> None:
    @tf.function(input_signature=[tf.TensorSpec([], tf.int64)])
    def shape(rows: Any) -> Any:
        sparse = tf.SparseTensor([[0, 2]], [1], [rows, tf.constant(3, tf.int64)])
        assert sparse.shape.as_list() == [None, 3]
        return sparse

    shape.get_concrete_function()


@pytest.mark.parametrize("sizes", [2, [1, 1]])
def test_a_ragged_dimension_is_not_split(sizes):
    with pytest.raises(ValueError, match=r"Cannot split a ragged dimension.*`axis` 1"):
        tf.split(_rows([[1, 2], [3]]), sizes, axis=1)


def test_the_number_of_parts_of_a_ragged_tensor_agrees_with_their_sizes():
    rows = _rows([[1, 2], [3]])
    with pytest.raises(ValueError, match="Received `num`: 3 and size of `num_or_size_split`: 2"):
        tf.split(rows, [1, 1], num=3)
    assert [each.to_list() for each in tf.split(rows, [1, 1], num=2)] == [[[1, 2]], [[3]]]


def test_constant_values_have_the_dtype_that_numpy_means():
    value = v1.ragged.constant_value([[1], [2, 3]], dtype=float)
    assert value.dtype == np.float64
    value = v1.ragged.constant_value([[b"a"], [b"b", b"c"]], dtype=str)
    assert value.to_list() == [["a"], ["b", "c"]]
