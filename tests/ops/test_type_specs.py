"""Specs that programs declare: what makes two of them equal, compatible, or one of both."""

from collections import namedtuple

import numpy as np
import pytest

import placewise as tf
from placewise.ops import specs

Pair = namedtuple("Pair", ["a", "b"])


class HeldSpec(tf.TypeSpec):
    """A spec with one field, of any kind."""

    value_type = object

    def __init__(self, held):
        self.held = held

    def _serialize(self):
        return (self.held,)

    @property
    def _component_specs(self):
        return self.held

    def _to_components(self, value):
        return value

    def _from_components(self, components):
        return components


NUMBER, TEXT = tf.TensorSpec([], tf.int32), tf.TensorSpec([], tf.string)


def test_named_tuples_stay_what_they_are():
    spec = HeldSpec(Pair(NUMBER, TEXT))
    wide = spec.most_specific_compatible_type(HeldSpec(Pair(tf.TensorSpec([2], tf.int32), TEXT)))
    assert wide.held == Pair(tf.TensorSpec(None, tf.int32), TEXT)
    assert type(wide.held) is Pair
    assert repr(spec) == f"HeldSpec(Pair(a={NUMBER!r}, b={TEXT!r}),)"
    again = HeldSpec(namedtuple("Pair", ["a", "b"])(NUMBER, TEXT))
    assert spec.is_compatible_with(again) and spec.is_subtype_of(again)
    plain = HeldSpec((NUMBER, TEXT))
    assert not spec.is_compatible_with(plain) and not spec.is_subtype_of(plain)
    with pytest.raises(ValueError, match="No TypeSpec is compatible with both"):
        spec.most_specific_compatible_type(plain)


def test_lists_are_no_tuples():
    listed = HeldSpec([NUMBER, TEXT])
    assert listed != HeldSpec((NUMBER, TEXT))
    assert listed.most_specific_common_supertype([listed]) == listed
    wider = HeldSpec([tf.TensorSpec(None, tf.int32), TEXT])
    assert listed.is_compatible_with(wider) and listed.is_subtype_of(wider)


def test_arrays_are_compared_by_what_they_hold():
    one, same, other = (HeldSpec(np.array(values)) for values in ([1, 2], [1, 2], [1, 3]))
    assert one == same and hash(one) == hash(same)
    assert one != other and not one.is_compatible_with(other)
    assert one.is_compatible_with(same)


def test_names_are_part_of_a_tensors_spec():
    named, other = tf.TensorSpec([], name="a"), tf.TensorSpec([], name="b")
    assert named.most_specific_common_supertype([other]) is None
    with pytest.raises(ValueError, match="No TypeSpec is compatible"):
        HeldSpec(named).most_specific_compatible_type(HeldSpec(tf.TensorSpec([])))


def test_a_ragged_spec_without_partitions_takes_tensors():
    spec = tf.RaggedTensorSpec([10], tf.int32, ragged_rank=0)
    assert spec.is_compatible_with(tf.TensorSpec([10], tf.int32))
    assert not spec.is_compatible_with(tf.TensorSpec([12], tf.int32))
    assert not tf.TensorSpec([10], tf.int32).is_compatible_with(spec)


def test_a_program_says_how_the_specs_of_its_classes_are_made():
    class Held:
        part = tf.constant([1, 2])

    specs.register_type_spec_from_value_converter(
        Held, lambda value: HeldSpec(tf.type_spec_from_value(value.part))
    )
    assert tf.type_spec_from_value(Held()) == HeldSpec(tf.TensorSpec([2], tf.int32))


def test_the_value_of_a_sparse_tensor_becomes_one():
    value = tf.compat.v1.SparseTensorValue([[0, 1]], [5], [1, 2])
    made = tf.compat.v1.convert_to_tensor_or_sparse_tensor(value)
    assert isinstance(made, tf.SparseTensor) and made.values.numpy().tolist() == [5]
    with pytest.raises(RuntimeError, match="Sparse dtype mismatch"):
        tf.compat.v1.convert_to_tensor_or_sparse_tensor(value, tf.float32)
