"""`tensorflow.python.data.util.nest`: a list is a leaf."""

import pytest

import placewise as tf
from placewise.tensorflow import data_nest


def test_lists_are_leaves() -> None:
    assert data_nest.flatten(([1, 2], {"b": 3, "a": [4]})) == [[1, 2], [4], 3]
    assert not data_nest.is_nested([1])
    assert data_nest.is_nested((1,))


def test_leaves_are_mapped_and_packed() -> None:
    assert data_nest.map_structure(len, ([1, 2], {"a": [3]})) == (2, {"a": 1})
    assert data_nest.pack_sequence_as(([0, 0], 0), ["x", [1]]) == ("x", [1])
    with pytest.raises(ValueError, match="`structure` is a scalar"):
        data_nest.pack_sequence_as([0], [1, 2])
    with pytest.raises(TypeError, match="`flat_sequence` must be a sequence"):
        data_nest.pack_sequence_as((0,), 1)


def test_a_list_and_an_array_have_the_same_structure() -> None:
    data_nest.assert_same_structure(([1, 2], 3), (1, [2]))
    with pytest.raises(ValueError, match="don't have the same nested structure"):
        data_nest.assert_same_structure((1, 2), [1, 2])


def test_parts_up_to_a_shallow_structure_keep_their_lists() -> None:
    deep = (([1], 2), [3])
    assert data_nest.flatten_up_to((0, 0), deep) == [([1], 2), [3]]
    assert data_nest.map_structure_up_to((0, 0), str, deep) == ("([1], 2)", "[3]")
    with pytest.raises(TypeError, match="input must also be a sequence"):
        data_nest.assert_shallow_structure((0, (0,)), deep)


def test_sparse_values_and_sets_are_leaves():
    sparse = tf.compat.v1.SparseTensorValue([[0]], [0], [1])
    assert data_nest.flatten({"a": sparse, "b": {1}}) == [sparse, {1}]
    assert not data_nest.is_nested(sparse)


def test_errors_name_types_and_keys_as_datasets_do():
    with pytest.raises(
        TypeError, match="has type 'tuple', while shallow structure has type 'dict'"
    ):
        data_nest.assert_shallow_structure({"a": 1, "b": 2}, (1, 2))
    with pytest.raises(ValueError, match="don't have the same set of keys"):
        data_nest.assert_same_structure({"a": 1}, {"b": 1})
