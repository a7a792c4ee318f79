"""The class: parts, checks, printing, operators, nests."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import placewise as tf


def sparse(values=(1.0, 2.0)) -> tf.SparseTensor:
    return tf.SparseTensor([[0, 1], [1, 0]], list(values), [2, 3])


def test_it_has_indices_values_and_a_shape() -> None:
    st = sparse()
    assert st.indices.dtype is tf.int64
    assert st.dense_shape.numpy().tolist() == [2, 3]
    assert st.shape == tf.TensorShape([2, 3])
    assert st.dtype is tf.float32


def test_it_prints_as_in_tensorflow() -> None:
    assert str(tf.SparseTensor([[0]], [1.0], [2])) == (
        "SparseTensor(indices=tf.Tensor([[0]], shape=(1, 1), dtype=int64), values=tf.Tensor([1.], "
        "shape=(1,), dtype=float32), dense_shape=tf.Tensor([2], shape=(1,), dtype=int64))"
    )


def test_parts_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match="Dimensions 2 and 1 are not compatible"):
        tf.SparseTensor([[0, 1], [1, 0]], [1.0], [2, 2])
    with pytest.raises(ValueError, match="must have rank 2"):
        tf.SparseTensor([0, 1], [1.0, 2.0], [2])


def test_it_is_no_tensor() -> None:
    with pytest.raises(ValueError, match="unsupported type"):
        tf.convert_to_tensor(sparse())
    with pytest.raises(ValueError, match="unsupported type"):
        tf.add(sparse(), 1.0)
    with pytest.raises(TypeError, match="unsupported operand"):
        sparse() + 1.0


def test_products_with_dense_tensors_are_sparse() -> None:
    dense = tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    for product in (sparse() * dense, dense * sparse()):
        assert isinstance(product, tf.SparseTensor)
        assert product.values.numpy().tolist() == [2.0, 8.0]
    assert (sparse() / dense).values.numpy().tolist() == [0.5, 0.5]


def test_nests_look_into_it_when_asked() -> None:
    st = sparse()
    assert tf.nest.flatten(st) == [st]
    assert len(tf.nest.flatten(st, expand_composites=True)) == 3
    same = tf.nest.map_structure(lambda part: part, st, expand_composites=True)
    assert same.values.numpy().tolist() == [1.0, 2.0]


def test_functions_that_keep_zero_act_on_its_values() -> None:
    assert tf.abs(sparse((-1.0, 2.0))).values.numpy().tolist() == [1.0, 2.0]
    assert tf.cast(sparse(), tf.int32).dtype is tf.int32
    assert tf.shape(sparse()).numpy().tolist() == [2, 3]
    assert int(tf.size(sparse())) == 6
    assert int(tf.rank(sparse())) == 2


def test_gradients_reach_the_values() -> None:
    values = tf.constant([1.0, 2.0])
    dense = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    with tf.GradientTape() as tape:
        tape.watch([values, dense])
        st = tf.SparseTensor([[0, 1], [1, 0]], values, [2, 3])
        product = tf.sparse.sparse_dense_matmul(st, dense)
        loss = tf.reduce_sum(product) + tf.reduce_sum(tf.sparse.to_dense(st) ** 2)
    by_values, by_dense = tape.gradient(loss, [values, dense])
    assert by_values.numpy().tolist() == [9.0, 7.0]
    assert by_dense.numpy().tolist() == [[2.0, 2.0], [1.0, 1.0], [0.0, 0.0]]


def test_its_spec_says_shape_and_dtype() -> None:
    spec = tf.type_spec_from_value(sparse())
    assert spec == tf.SparseTensorSpec([2, 3], tf.float32)
    assert repr(spec) == "SparseTensorSpec(TensorShape([2, 3]), tf.float32)"
    assert tf.SparseTensorSpec([2, None]).is_compatible_with(sparse())


@pytest.mark.parametrize("adjoint_a", [False, True])
@pytest.mark.parametrize("adjoint_b", [False, True])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "complex64", "float16"])
def test_matmul_agrees_with_numpy(adjoint_a: bool, adjoint_b: bool, dtype: str) -> None:
    random = np.random.RandomState(0)
    a = random.randint(-2, 3, (4, 4)).astype(dtype)
    b = random.randint(-2, 3, (4, 4)).astype(dtype)
    if dtype == "complex64":
        a, b = a + 1j * a.T, b - 2j * b.T
    found = tf.sparse.sparse_dense_matmul(tf.sparse.from_dense(a), b, adjoint_a, adjoint_b)
    expected = (a.conj().T if adjoint_a else a) @ (b.conj().T if adjoint_b else b)
    np.testing.assert_allclose(found.numpy(), expected)


def test_huge_shapes_need_no_memory() -> None:
    st = tf.SparseTensor([[2**40, 5], [7, 2**40]], [1, 2], [2**62, 2**62])
    assert tf.sparse.reorder(st).values.numpy().tolist() == [2, 1]
    assert tf.sparse.add(st, st).values.numpy().tolist() == [4, 2]


@pytest.mark.parametrize("reduce", [tf.sparse.reduce_sum, tf.sparse.reduce_max])
def test_reducing_over_no_axis_changes_nothing(reduce: Any) -> None:
    dense = [[1.0, 0.0], [0.0, 2.0]]
    st = tf.sparse.from_dense(dense)
    assert reduce(st, axis=()).numpy().tolist() == dense
    kept = reduce(st, axis=[], keepdims=True, output_is_sparse=True)
    assert tf.sparse.to_dense(kept).numpy().tolist() == dense


def test_joining_and_ordering_keep_what_is_known_of_the_shape() -> None:
    seen = []

    @tf.function(input_signature=[tf.SparseTensorSpec([None, 3, 3])] * 2)
    def arranged(x, y):  # type: ignore[no-untyped-def]
        several = (tf.sparse.reorder(x), *(tf.sparse.concat(axis, [x, y]) for axis in (0, 1, -1)))
        seen.extend(each.shape.as_list() for each in several)
        return tf.sparse.to_dense(several[0])

    arranged.get_concrete_function()
    assert seen == [[None, 3, 3], [None, 3, 3], [None, 6, 3], [None, 3, 6]]


def test_a_sparse_tensor_of_a_graph_knows_its_shape() -> None:
    with tf.Graph().as_default():
        fed = tf.compat.v1.sparse_placeholder(tf.float32, [None, 3])
        assert fed.shape.as_list() == [None, 3]
        assert tf.compat.v1.sparse_placeholder(tf.float32, [4, 3]).shape.as_list() == [4, 3]
        sizes = tf.constant([-1, 5], tf.int64)
        assert tf.SparseTensor(fed.indices, fed.values, sizes).shape.as_list() == [None, 5]


def test_a_sparse_placeholder_of_known_shape_is_fed_indices_and_values() -> None:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        sparse = tf.compat.v1.sparse_placeholder(tf.float32, [2, 2])
        dense = session.run(tf.sparse.to_dense(sparse), {sparse: ([[0, 1]], [2.0])})
        assert dense.tolist() == [[0.0, 2.0], [0.0, 0.0]]


def test_gradients_pass_through_the_ordering_of_a_graph() -> None:
    places = [[2, 0], [0, 1], [1, 1]]

    @tf.function
    def slope(values: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(values)
            ordered = tf.sparse.reorder(tf.SparseTensor(places, values, [3, 2]))
            loss = tf.reduce_sum(ordered.values * [1.0, 10.0, 100.0])
        return tape.gradient(loss, values)

    assert slope(tf.constant([5.0, 6.0, 7.0])).numpy().tolist() == [100.0, 1.0, 10.0]


def test_pieces_of_unequal_length_take_each_place_once() -> None:
    whole = tf.sparse.from_dense(np.arange(1.0, 15.0, dtype=np.float32).reshape(7, 2))
    pieces = tf.sparse.split(whole, 3, axis=0)
    assert [piece.shape.as_list() for piece in pieces] == [[3, 2], [2, 2], [2, 2]]
    joined = np.concatenate([tf.sparse.to_dense(piece).numpy() for piece in pieces])
    assert joined.reshape(-1).tolist() == list(range(1, 15))


def test_places_of_shapes_too_large_to_count_are_ordered() -> None:
    huge = 2**62
    st = tf.SparseTensor([[huge - 1, 0], [0, huge - 1], [0, 3]], [1.0, 2.0, 3.0], [huge, huge])
    assert tf.sparse.reorder(st).values.numpy().tolist() == [3.0, 2.0, 1.0]


@pytest.mark.parametrize("kind", [np.uint16, np.uint64])
def test_values_of_wide_unsigned_integers_are_ordered_cut_and_filled(kind: Any) -> None:
    st = tf.SparseTensor([[2, 0], [0, 1]], np.asarray([5, 6], kind), [3, 2])
    assert tf.sparse.reorder(st).values.numpy().tolist() == [6, 5]
    assert tf.sparse.slice(st, [0, 0], [1, 2]).values.numpy().tolist() == [6]
    filled, is_empty = tf.sparse.fill_empty_rows(tf.sparse.reorder(st), tf.constant(9, st.dtype))
    assert filled.values.numpy().tolist() == [6, 9, 5]
    assert is_empty.numpy().tolist() == [False, True, False]
