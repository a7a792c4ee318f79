"""Indices, values and shapes that are no sparse tensor together are refused, not computed with."""

from __future__ import annotations

import numpy as np
import pytest

import placewise as tf
from placewise.core.errors import InvalidArgumentError

ops = tf.raw_ops
PLACES = np.array([[0, 1], [1, 0], [1, 2]])
J = np.array([[0, 1], [1, 1]])
V, W = np.array([1.5, -2.0, 3.0], np.float32), np.array([0.5, 4.0], np.float32)
SHAPE = np.array([2, 3])
DENSE = np.ones((2, 3), np.float32)


def fill(indices=PLACES, values=V):
    one = np.float32(1)
    return ops.SparseFillEmptyRows(
        indices=indices, values=values, dense_shape=SHAPE, default_value=one
    )


def reduce(name="SparseReduceMax", indices=PLACES, values=V, axes=(1,)):
    return getattr(ops, name)(
        input_indices=indices,
        input_values=values,
        input_shape=SHAPE,
        reduction_axes=np.array(axes, np.int32),
    )


def two(name="SparseSparseMaximum", a=PLACES, a_values=V, b=J, b_values=W, **more):
    return getattr(ops, name)(
        a_indices=a,
        a_values=a_values,
        a_shape=SHAPE,
        b_indices=b,
        b_values=b_values,
        b_shape=SHAPE,
        **more,
    )


def add(thresh=0.5, **parts):
    return two("SparseAdd", thresh=np.asarray(thresh, np.float32), **parts)


def product(indices=PLACES, values=V, shape=SHAPE):
    return ops.SparseDenseCwiseMul(
        sp_indices=indices, sp_values=values, sp_shape=shape, dense=DENSE
    )


def add_grad(grad=V, a=PLACES, sums=PLACES):
    return ops.SparseAddGrad(backprop_val_grad=grad, a_indices=a, b_indices=J, sum_indices=sums)


def slice_grad(grad=(2.0,), indices=PLACES, start=(1, 0), out=((0, 0),)):
    return ops.SparseSliceGrad(
        backprop_val_grad=np.array(grad, np.float32),
        input_indices=indices,
        input_start=np.array(start),
        output_indices=np.array(out),
    )


REFUSED = [
    (lambda: fill(values=np.ones(6, np.float32)), r"The length of `values` \(6\) must match"),
    (lambda: fill(indices=PLACES[:, 0]), r"indices must be a matrix, saw: \[3\]"),
    (lambda: fill(values=V[None]), r"values must be a vector, saw: \[1,3\]"),
    (
        lambda: reduce("SparseReduceSumSparse", PLACES[:, :1]),
        "Order length must be SparseTensor rank",
    ),
    (lambda: reduce(indices=PLACES[:0]), r"must match. \(indices = 0, values = 3\)"),
    (lambda: reduce(values=V[None]), r"vals must be a vec, but got: \[1,3\]"),
    (lambda: reduce(axes=[[1]]), "reduction_axes to be a scalar or a vector"),
    (lambda: reduce("SparseReduceMaxSparse", axes=[[1]]), "to be a scalar or a vector"),
    (lambda: two(a=PLACES + 5), r"Sparse index tuple indices\[0, :\] = \[5, 6\] is out of bounds"),
    (lambda: two(b=J + 5), r"Sparse index tuple indices\[0, :\] = \[5, 6\] is out of bounds"),
    (lambda: two(b_values=W[:1]), r"indices \(2\) and values \(1\) do not match"),
    (lambda: two(a=PLACES[None]), "Sparse indices must be rank 2 but is rank 3"),
    (lambda: two(a_values=V[None]), "Sparse values must be rank 1 but is rank 2"),
    (lambda: add(thresh=[0.5]), r"The magnitude threshold must be a scalar: got shape \[1\]"),
    (lambda: add(a_values=V[:2]), "Expected 3 and 2 non-empty input values, got 2 and 2"),
    (lambda: add(a=PLACES[:, :1]), "Input indices must have the same dimension, got 1 and 2"),
    (lambda: product(indices=PLACES[None]), "Input sp_indices should be a matrix"),
    (lambda: product(values=V[:2]), r"values and indices should match. \(2 vs. 3\)"),
    (lambda: product(indices=PLACES[:, :1]), "Number of dimensions must match second dimension"),
    (
        lambda: product(shape=SHAPE[None]),
        r"should be vectors but received shapes: \[3\] and \[1,2\]",
    ),
    (lambda: add_grad(sums=J), "should match .#nnz of sum.: got 3 and 2"),
    (lambda: add_grad(a=PLACES[None]), "Input indices should be matrices"),
    (lambda: add_grad(a=PLACES[:, :1]), "The densified operands should have the same ndims"),
    (lambda: add_grad(V[None]), "backprop_val_grad should be a vector"),
    (lambda: slice_grad(2.0), r"backprop_val_grad should be a vector but received shape: \[\]"),
    (
        lambda: slice_grad(start=[[1, 0]]),
        r"input_start should be a vector but received shape \[1,2\]",
    ),
    (
        lambda: slice_grad(start=[1]),
        "Expected input_start to be a vector of length 2 but got length 1",
    ),
    (lambda: slice_grad(out=[[0]]), "should have the same ndims: got: 2 and 1"),
    (lambda: slice_grad(indices=PLACES[0]), "Input and output indices should be matrices"),
    (lambda: slice_grad([2.0, 3.0]), "got 2 and 1"),
    (
        lambda: ops.SetSize(set_indices=[[0, 0], [0, 1]], set_values=[1, 1], set_shape=[2, 1]),
        r"indices\[1\] = \[0,1\] is out of bounds: need 0 <= index < \[2,1\]",
    ),
    (
        lambda: ops.SparseSoftmax(sp_indices=PLACES, sp_values=V[:0], sp_shape=SHAPE),
        r"must match. \(indices = 3, values = 0\)",
    ),
    (
        lambda: ops.SparseSplit(
            split_dim=np.int64(1), indices=PLACES - 5, values=V, shape=SHAPE, num_split=2
        ),
        r"Sparse index tuple indices\[0, :\] = \[-5, -4\] is out of bounds",
    ),
    (
        lambda: ops.SparseBincount(
            indices=np.zeros((2, 0), int), values=[1, 2], dense_shape=[2], size=4, weights=[1.0, 2]
        ),
        r"Index rank \(0\) and shape rank \(1\) do not match",
    ),
    (
        lambda: ops.RaggedGather(
            params_nested_splits=[np.array([0, 2, 9, 9])],
            params_dense_values=np.ones(6, np.float32),
            indices=np.array([[2, 0]]),
            OUTPUT_RAGGED_RANK=2,
        ),
        "Ragged splits must not point past values",
    ),
]


@pytest.mark.parametrize(("call", "words"), REFUSED)
def test_parts_that_do_not_belong_together_are_refused(call, words):
    with pytest.raises(InvalidArgumentError, match=words):
        call()


def test_one_serialized_tensor_keeps_its_rank():
    row = ops.SerializeSparse(sparse_indices=PLACES, sparse_values=V, sparse_shape=SHAPE)
    indices, values, shape = ops.DeserializeManySparse(serialized_sparse=row, dtype=tf.float32)
    assert (indices.numpy().tolist(), shape.numpy().tolist()) == (PLACES.tolist(), [2, 3])
    assert values.numpy().tolist() == V.tolist()


@pytest.mark.parametrize(
    ("indices", "values", "shape", "message"),
    [
        (J, V, SHAPE, "Dimensions 2 and 3 are not compatible"),
        (J[:, :1], W, SHAPE, "Dimensions 1 and 2 are not compatible"),
        (J[0], W, SHAPE, r"Input a_indices should be a matrix but received shape: \[2\]"),
        (J, W[:, None], SHAPE, "Inputs a_values and a_shape should be vectors"),
        (J * 5, W, SHAPE, r"invalid index on dimension 1: a_indices\(0,1\) = 5"),
    ],
)
def test_the_sum_with_a_dense_tensor_refuses_parts_that_do_not_fit(indices, values, shape, message):
    with pytest.raises(InvalidArgumentError, match=message):
        ops.SparseTensorDenseAdd(a_indices=indices, a_values=values, a_shape=shape, b=DENSE)


def test_a_slice_of_negative_size_is_refused():
    with pytest.raises(InvalidArgumentError, match="Expected a non-negative size, got -100"):
        tf.sparse.slice(tf.SparseTensor([[0, 0]], [7], [1, 1]), [10, 10], [-100, 100])


def test_a_slice_whose_end_is_beyond_int64_is_empty():
    far = 2**62
    part = tf.sparse.slice(tf.SparseTensor([[0, 0]], [7], [1, 1]), [far, -1], [far, far])
    assert part.dense_shape.numpy().tolist() == [0, 2]
    assert part.values.numpy().tolist() == []


def test_a_graph_refuses_a_product_of_matrices_that_do_not_fit():
    with tf.Graph().as_default(), pytest.raises(ValueError, match="must be equal, but are 15 and"):
        tf.sparse.sparse_dense_matmul(tf.SparseTensor([[1, 0]], [1.0], [10, 15]), tf.ones([10, 20]))


def test_a_product_says_which_index_is_outside():
    matrix = tf.SparseTensor([[1, 10]], [10.0], [3, 2])
    with pytest.raises(InvalidArgumentError, match=r"k \(10\) from index\[0,1\] out of bounds"):
        tf.sparse.sparse_dense_matmul(matrix, tf.ones([2, 5]))
    with pytest.raises(InvalidArgumentError, match=r"m \(10\) from index\[0,1\] out of bounds"):
        tf.sparse.sparse_dense_matmul(matrix, tf.ones([3, 5]), adjoint_a=True)
