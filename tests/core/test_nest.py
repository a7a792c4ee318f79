"""`tf.nest` on containers that are no lists or dicts: views, ranges, deques."""

from collections import UserList, deque

import pytest

import placewise as tf


@pytest.mark.parametrize(
    ("structure", "leaves", "same"),
    [
        ({"b": 1, "a": 2}.values(), [1, 2], [1, 2]),
        ({"b": 1, "a": 2}.keys(), ["b", "a"], ["b", "a"]),
        ({"b": 1, "a": 2}.items(), ["b", 1, "a", 2], [("b", 1), ("a", 2)]),
        (range(3), [0, 1, 2], [0, 1, 2]),
        (deque([1, [2]]), [1, 2], deque([1, [2]])),
        (UserList([1, 2]), [1, 2], UserList([1, 2])),
    ],
)
def test_other_containers_are_walked(structure: object, leaves: object, same: object) -> None:
    assert tf.nest.is_nested(structure)
    assert tf.nest.flatten(structure) == leaves
    assert tf.nest.map_structure(lambda leaf: leaf, structure) == same


@pytest.mark.parametrize("leaf", ["ab", b"ab", {1, 2}, frozenset([1]), tf.TensorShape([1, 2])])
def test_texts_sets_and_shapes_are_leaves(leaf: object) -> None:
    assert not tf.nest.is_nested(leaf)
    assert tf.nest.flatten(leaf) == [leaf]


def test_gradients_for_the_values_of_a_dict() -> None:
    variables = {"b": tf.Variable(2.0), "a": tf.Variable(3.0)}
    with tf.GradientTape() as tape:
        y = variables["a"] * variables["b"]
    assert [float(g) for g in tape.gradient(y, variables.values())] == [3.0, 2.0]


def test_a_run_fetches_no_view() -> None:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        named = {"a": tf.constant(1)}
        with pytest.raises(TypeError, match="has invalid type <class 'dict_values'>"):
            session.run(named.values())
