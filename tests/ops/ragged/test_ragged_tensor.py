"""The class: factories, parts, indexing, conversion, broadcasting, gradients."""

from __future__ import annotations

import numpy as np
import pytest

import placewise as tf

NESTED = [[[1, 2], [3]], [], [[4], [], [5, 6, 7]]]


def test_every_factory_gives_the_same_rows() -> None:
    made = [
        tf.RaggedTensor.from_row_splits([1, 2, 3], [0, 2, 2, 3]),
        tf.RaggedTensor.from_row_lengths([1, 2, 3], [2, 0, 1]),
        tf.RaggedTensor.from_value_rowids([1, 2, 3], [0, 0, 2]),
        tf.RaggedTensor.from_row_starts([1, 2, 3], [0, 2, 2]),
        tf.RaggedTensor.from_row_limits([1, 2, 3], [2, 2, 3]),
        tf.ragged.constant([[1, 2], [], [3]]),
        tf.RaggedTensor.from_tensor([[1, 2], [0, 0], [3, 0]], lengths=[2, 0, 1]),
        tf.RaggedTensor.from_tensor([[1, 2], [0, 0], [3, 0]], padding=0),
    ]
    for rt in made:
        assert rt.to_list() == [[1, 2], [], [3]]
        assert repr(rt) == "<tf.RaggedTensor [[1, 2], [], [3]]>"
        assert rt.row_splits.dtype is tf.int64
        assert rt.shape == tf.TensorShape([3, None])


def test_parts_that_do_not_fit_are_refused() -> None:
    for splits in ([0, 2, 4], [1, 3], [0, 3, 2]):
        with pytest.raises(tf.errors.InvalidArgumentError, match="do not form a valid"):
            tf.RaggedTensor.from_row_splits([1, 2, 3], splits)
    with pytest.raises(ValueError, match="constructor is private"):
        tf.RaggedTensor([1], [0, 1])


def python_getitem(rows, key):
    """Index nested lists as a ragged tensor is indexed."""
    if not key:
        return rows
    first, rest = key[0], key[1:]
    if isinstance(first, int):
        return python_getitem(rows[first], rest)
    return [python_getitem(row, rest) for row in rows[first]]


@pytest.mark.parametrize("first", [0, -1, slice(None), slice(1, None), slice(None, None, -1)])
@pytest.mark.parametrize(
    "second",
    [
        slice(None),
        slice(1, None),
        slice(-1, None),
        slice(None, -1),
        slice(None, None, 2),
        slice(None, None, -1),
        slice(5, 0, -2),
    ],
)
@pytest.mark.parametrize("third", [slice(None), slice(0, 1), slice(None, None, -1)])
def test_slices_are_those_of_nested_lists(first, second, third) -> None:
    rt = tf.ragged.constant(NESTED)
    found = rt[first, second, third]
    expected = python_getitem(NESTED, (first, second, third))
    assert found.to_list() == expected


def test_an_inner_ragged_dimension_takes_no_integer() -> None:
    rt = tf.ragged.constant(NESTED)
    with pytest.raises(ValueError, match="Cannot index into an inner ragged dimension"):
        rt[:, 0]
    with pytest.raises(IndexError, match="Row key 9 out of bounds"):
        rt[9]
    with pytest.raises(TypeError, match="valid indices"):
        rt["a"]


def test_it_becomes_dense_and_sparse_and_comes_back() -> None:
    rt = tf.ragged.constant(NESTED)
    dense = rt.to_tensor(-1)
    assert dense.shape == tf.TensorShape([3, 3, 3])
    back = tf.RaggedTensor.from_tensor(dense, lengths=rt.nested_row_lengths())
    assert back.to_list() == NESTED
    assert tf.sparse.to_dense(rt.to_sparse(), -1).numpy().tolist() == dense.numpy().tolist()
    assert rt.to_tensor(shape=[2, 1, None]).shape == tf.TensorShape([2, 1, 3])


@pytest.mark.parametrize("axis", [0, 1, 2, (0, 1), (1, 2), (0, 2), None])
@pytest.mark.parametrize("name", ["sum", "prod", "max"])
def test_reductions_are_those_of_the_padded_tensor(axis, name: str) -> None:
    rows = [[[1.0, 2.0], [3.0]], [[0.5]], [[4.0], [2.0], [5.0, 6.0, 7.0]]]
    rt = tf.ragged.constant(rows)
    padding = {"sum": 0.0, "prod": 1.0, "max": -np.inf}[name]
    found = getattr(tf, f"reduce_{name}")(rt, axis=axis)
    expected = getattr(np, name)(rt.to_tensor(padding).numpy(), axis=axis)
    if isinstance(found, tf.RaggedTensor):
        found = found.to_tensor(padding, shape=expected.shape)
    np.testing.assert_allclose(found.numpy(), expected)


def test_operands_broadcast_along_uniform_dimensions() -> None:
    rt = tf.ragged.constant([[1, 2], [3]])
    assert tf.add(rt, [[10], [20]]).to_list() == [[11, 12], [23]]
    assert (tf.constant([[10], [20]]) + rt).to_list() == [[11, 12], [23]]
    assert (rt * 2 - 1).to_list() == [[1, 3], [5]]
    assert (tf.constant([[2]]) > rt).to_list() == [[True, False], [False]]
    with pytest.raises(tf.errors.InvalidArgumentError, match="Condition x == y did not hold"):
        rt + tf.ragged.constant([[1], [2, 3]])


def test_arrangements_keep_rows_apart() -> None:
    a, b = tf.ragged.constant([[1], [2, 3]]), tf.ragged.constant([[4, 5], []])
    assert tf.concat([a, b], 0).to_list() == [[1], [2, 3], [4, 5], []]
    assert tf.concat([a, b], 1).to_list() == [[1, 4, 5], [2, 3]]
    assert tf.stack([a, b]).to_list() == [[[1], [2, 3]], [[4, 5], []]]
    assert tf.stack([a, b], 1).to_list() == [[[1], [4, 5]], [[2, 3], []]]
    assert tf.gather(a, [1, 0, 1]).to_list() == [[2, 3], [1], [2, 3]]
    assert tf.tile(a, [2, 2]).to_list() == [[1, 1], [2, 3, 2, 3]] * 2
    assert tf.cumsum(a, axis=1).to_list() == [[1], [2, 5]]
    assert tf.zeros_like(a, tf.float32).to_list() == [[0.0], [0.0, 0.0]]


def test_gradients_flow_through_the_values() -> None:
    x = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        rt = tf.RaggedTensor.from_row_splits(x, [0, 2, 3])
        mean = tf.reduce_sum(tf.reduce_mean(rt * rt, axis=1))
        picked = tf.reduce_sum(tf.gather(rt, [0, 0])) + tf.reduce_sum(rt.to_tensor()[:, 0])
        loss = mean + picked
    assert tape.gradient(loss, x).numpy().tolist() == [1.0 + 2 + 1, 2.0 + 2, 6.0 + 1]


def test_strings_are_values_like_others() -> None:
    rt = tf.ragged.constant([["a"], ["b", "c"]])
    assert rt.to_list() == [[b"a"], [b"b", b"c"]]
    assert rt.to_tensor("x").numpy().tolist() == [[b"a", b"x"], [b"b", b"c"]]
    assert tf.ragged.cross([rt, rt]).to_list() == [
        [b"a_X_a"],
        [b"b_X_b", b"b_X_c", b"c_X_b", b"c_X_c"],
    ]


def test_it_is_neither_a_boolean_nor_a_key_nor_a_tensor() -> None:
    rt = tf.ragged.constant([[1]])
    with pytest.raises(TypeError, match="may not be used as a boolean"):
        bool(rt)
    with pytest.raises(TypeError, match="unhashable"):
        hash(rt)
    with pytest.raises(ValueError, match="has no len"):
        tf.convert_to_tensor(rt)


def test_its_spec_says_shape_and_rank() -> None:
    spec = tf.type_spec_from_value(tf.ragged.constant([[1], [2, 3]]))
    assert repr(spec) == "RaggedTensorSpec(TensorShape([2, None]), tf.int32, 1, tf.int64)"
    parts = tf.nest.flatten(spec, expand_composites=True)
    assert parts == [tf.TensorSpec([None], tf.int32), tf.TensorSpec([3], tf.int64)]


def test_the_shape_of_a_ragged_tensor_says_all_lengths() -> None:
    shape = tf.shape(tf.ragged.constant([[1, 2], [3]]))
    assert repr(shape) == "<DynamicRaggedShape lengths=[2, (2, 1)] num_row_partitions=1>"
    assert int(shape[0]) == 2


def test_a_traced_function_reduces_ragged_tensors() -> None:
    @tf.function(input_signature=[tf.RaggedTensorSpec([None, None], tf.float32)])
    def reduced(rt):  # type: ignore[no-untyped-def]
        return tf.reduce_sum(rt), tf.reduce_mean(rt, 1), rt * 2.0, tf.shape(rt)[0]

    total, means, doubled, rows = reduced(tf.ragged.constant([[1.0, 2.0], [3.0]]))
    assert float(total) == 6
    assert means.numpy().tolist() == [1.5, 3]
    assert doubled.to_list() == [[2, 4], [6]]
    assert int(rows) == 2


@pytest.mark.parametrize("is_traced", [False, True])
def test_ragged_indices_gather_along_an_inner_axis(is_traced: bool) -> None:
    indices = tf.ragged.constant([[0, 1], [2], []], dtype=tf.int32)
    gathered = tf.function(tf.gather) if is_traced else tf.gather
    dense = gathered(tf.reshape(tf.range(6), [2, 3]), indices, axis=1)
    assert dense.to_list() == [[[0, 1], [2], []], [[3, 4], [5], []]]
    assert dense.shape.as_list() == [2, 3, None]
    rows = gathered(tf.ragged.constant([[1, 2, 3], [4, 5, 6, 7]]), indices, axis=1)
    assert rows.to_list() == [[[1, 2], [3], []], [[4, 5], [6], []]]
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=r"indices\[5\] = 4 is not in \[0, 4\)"
    ):
        gathered(tf.zeros([2, 2]), indices, axis=1)


def test_a_shape_of_another_rank_cannot_be_padded_to():
    ragged = tf.ragged.constant([[1, 2], [3]])
    for shape in (4, [2, 2, 2]):
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"rt_input\.rank = 2 but shape"):
            ragged.to_tensor(shape=shape)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"must be less than rt_input"):
        ragged.to_tensor(default_value=[1])


def test_a_padded_tensor_has_the_sizes_that_are_known():
    @tf.function
    def padded(x):
        ragged = tf.RaggedTensor.from_tensor(x, ragged_rank=2)
        assert ragged.to_tensor().shape == [2, 3, 4]
        assert ragged.to_tensor(shape=[None, 5, None]).shape == [2, 5, 4]
        return ragged.to_tensor()

    padded(tf.zeros([2, 3, 4]))


def test_graphs_are_differentiated_by_ragged_tensors():
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        ragged = tf.ragged.constant([[1.0, 2.0], [3.0]])
        dense = ragged.to_tensor(shape=[2, 3])
        (gradient,) = session.run(tf.gradients(dense * dense, ragged))
        fed = tf.compat.v1.ragged.placeholder(tf.float32, 1)
        value = tf.compat.v1.ragged.constant_value([[1.0, 2.0], [3.0]])
        (ones,) = session.run(tf.gradients(fed.to_tensor(), fed), {fed: value})
    assert gradient.to_list() == [[2.0, 4.0], [6.0]]
    assert ones.to_list() == [[1.0, 1.0], [1.0]]


def test_axes_to_merge_are_named_in_errors():
    ragged = tf.ragged.constant([[1, 2], [3]])
    with pytest.raises(TypeError, match="outer_axis must be an int; got dict"):
        ragged.merge_dims({}, 1)
    with pytest.raises(ValueError, match="inner_axis=3 out of bounds: expected -2<=inner_axis<2"):
        ragged.merge_dims(0, 3)
