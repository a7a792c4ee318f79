"""Composites of other libraries, which say in their spec what they are made of."""

import pytest

import placewise as tf
from placewise.core.nest import Composite
from placewise.ops.convert import register_tensor_conversion_function
from placewise.ops.specs import TensorSpec
from placewise.ops.structured_spec import BatchableTypeSpec, DenseSpec


class Pair(Composite):
    """A tensor and another composite, or a tensor, by name."""

    def __init__(self, low, high):
        self.low, self.high = low, high

    @property
    def _type_spec(self):
        def spec(value):
            return value._type_spec if isinstance(value, Pair) else TensorSpec.from_tensor(value)

        return PairSpec({"low": spec(self.low), "high": spec(self.high)})


class PairSpec(BatchableTypeSpec):
    """What a pair is made of."""

    def __init__(self, parts):
        self.parts = parts

    @property
    def value_type(self):
        return Pair

    def _serialize(self):
        return (self.parts,)

    @property
    def _component_specs(self):
        return self.parts

    def _to_components(self, value):
        return {"low": value.low, "high": value.high}

    def _from_components(self, components):
        return Pair(**components)


def pair():
    return Pair(tf.constant([1.0, 2.0]), Pair(tf.constant(3.0), tf.constant([4.0])))


def test_a_structure_is_taken_apart_and_made_again():
    flat = tf.nest.flatten(pair(), expand_composites=True)
    assert [value.numpy().tolist() for value in flat] == [[4.0], 3.0, [1.0, 2.0]]
    again = tf.nest.pack_sequence_as(pair(), flat, expand_composites=True)
    assert again.high.low.numpy() == 3.0 and again.low.numpy().tolist() == [1.0, 2.0]


def test_a_function_takes_and_returns_one():
    @tf.function
    def doubled(value):
        return Pair(value.low * 2.0, Pair(value.high.low * 2.0, value.high.high))

    result = doubled(pair())
    assert result.low.numpy().tolist() == [2.0, 4.0] and result.high.low.numpy() == 6.0


def test_specs_with_dicts_are_compared_and_merged():
    one = PairSpec({"low": TensorSpec([2]), "high": TensorSpec([3])})
    other = PairSpec({"high": TensorSpec([4]), "low": TensorSpec([2])})
    wide = PairSpec({"low": TensorSpec([2]), "high": TensorSpec([None])})
    assert one == PairSpec(dict(one.parts)) and hash(one) == hash(PairSpec(dict(one.parts)))
    assert one != other and not one.is_compatible_with(other) and one.is_compatible_with(wide)
    assert one.is_subtype_of(wide) and not wide.is_subtype_of(one)
    assert one.most_specific_compatible_type(other) == wide
    assert not one.is_compatible_with(PairSpec({"low": TensorSpec([2])}))


def test_a_registered_conversion_turns_a_composite_into_a_tensor():
    class Lazy(Pair):
        pass

    def sum_of(value, dtype=None, name=None, as_ref=False):
        return value.low + value.high

    register_tensor_conversion_function(Lazy, sum_of)
    value = Lazy(tf.constant(1.0), tf.constant(2.0))
    assert float(tf.convert_to_tensor(value)) == 3.0
    assert float(value * 2.0 if hasattr(value, "__mul__") else tf.multiply(value, 2.0)) == 6.0
    assert tf.convert_to_tensor([value, 1.0]).numpy().tolist() == [3.0, 1.0]


def test_a_composite_without_conversion_is_no_tensor():
    with pytest.raises(ValueError, match="unsupported type"):
        tf.convert_to_tensor(pair())


def test_a_dense_spec_has_shape_dtype_and_name():
    spec = DenseSpec([None, 2], tf.int32, "x")
    assert spec.shape.as_list() == [None, 2] and spec.dtype == tf.int32 and spec.name == "x"
