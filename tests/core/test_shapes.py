"""Shapes with unknown parts."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from placewise.core.shapes import Dimension, TensorShape, broadcast

DIMS = st.lists(st.one_of(st.none(), st.integers(0, 4)), max_size=4)


def test_what_a_shape_says():
    shape = TensorShape([None, 3])
    assert shape.as_list() == [None, 3]
    assert (shape.rank, len(shape), shape[1], list(shape)) == (2, 2, 3, [None, 3])
    assert str(shape) == "(None, 3)"
    assert repr(TensorShape(None)) == "TensorShape(None)"
    assert shape == [None, 3]
    assert TensorShape(3) == [3]
    assert not TensorShape(None)
    assert TensorShape([2, 3]).num_elements() == 6
    assert shape.num_elements() is None


def test_bad_dimensions_are_refused():
    with pytest.raises(ValueError, match="Dimension -1 must be >= 0"):
        TensorShape([-1])
    with pytest.raises(TypeError, match="Dimension value must be integer or None"):
        TensorShape(["a"])
    with pytest.raises(TypeError, match="Failed to convert ''ab'' to a shape"):
        TensorShape("ab")
    with pytest.raises(ValueError, match="not defined on an unknown TensorShape"):
        TensorShape(None).as_list()


@given(DIMS, DIMS)
def test_merging_knows_what_both_know_or_contradicts(a, b):
    one, other = TensorShape(a), TensorShape(b)
    if one.is_compatible_with(other):
        merged = one.merge_with(other)
        assert merged == other.merge_with(one)
        assert merged.is_subtype_of(one) and merged.is_subtype_of(other)
    else:
        with pytest.raises(ValueError):
            one.merge_with(other)


@given(DIMS, DIMS)
def test_the_common_supertype_covers_both(a, b):
    one, other = TensorShape(a), TensorShape(b)
    common = one.most_specific_compatible_shape(other)
    assert one.is_subtype_of(common) and other.is_subtype_of(common)


@given(st.lists(st.integers(0, 4), max_size=4), st.lists(st.integers(0, 4), max_size=4))
def test_broadcasting_known_shapes_is_numpys(a, b):
    try:
        expected = np.broadcast_shapes(tuple(a), tuple(b))
    except ValueError:
        with pytest.raises(ValueError, match="Dimensions must be equal"):
            broadcast(tuple(a), tuple(b))
    else:
        assert broadcast(tuple(a), tuple(b)) == expected


def test_broadcasting_unknown_dimensions():
    assert broadcast((None, 3), (2, 1)) == (2, 3)
    assert broadcast((None,), (1,)) == (None,)
    assert broadcast(None, (2,)) is None


@given(DIMS)
def test_shapes_survive_copies(dims):
    shape = TensorShape(dims)
    assert pickle.loads(pickle.dumps(shape)) == shape == copy.deepcopy(shape)
    assert TensorShape(shape.as_proto()) == shape


def test_dimensions_of_tensorflow_1():
    assert Dimension(3) + 1 == Dimension(4)
    assert (Dimension(None) == Dimension(3)) is None
    assert int(Dimension(3)) == 3
    assert str(Dimension(None)) == "?"
    with pytest.raises(ValueError, match="must be >= 0"):
        Dimension(-1)
