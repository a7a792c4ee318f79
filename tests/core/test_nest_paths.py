"""Walks over nested structures that stop early or say where they are, with TensorFlow's answers."""

import pytest

from placewise.core import nest_paths


def test_flatten_up_to_stops_where_the_shallow_structure_does():
    deep = {"b": [1, 2], "a": (3, [4])}
    assert nest_paths.flatten_up_to({"a": (0, 0), "b": 0}, deep) == [3, [4], [1, 2]]


def test_map_structure_up_to_keeps_the_shallow_structure():
    got = nest_paths.map_structure_up_to([0, 0], lambda x, y: (x, y), [1, [2]], [3, 4])
    assert got == [(1, 3), ([2], 4)]


def test_paths_have_keys_and_numbers():
    paths = list(nest_paths.yield_flat_paths({"a": [1, 2], "b": 3}))
    assert paths == [("a", 0), ("a", 1), ("b",)]
    assert nest_paths.flatten_with_joined_string_paths({"a": [5]}) == [("a/0", 5)]


def test_a_structure_that_is_too_shallow_is_refused():
    with pytest.raises(TypeError, match="input must also be a sequence"):
        nest_paths.assert_shallow_structure([1], 2)


def test_lists_become_tuples():
    assert nest_paths.list_to_tuple([1, {"a": [2]}]) == (1, {"a": (2,)})
