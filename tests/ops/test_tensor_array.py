"""TensorArray and the specs of values."""

from __future__ import annotations

import pytest

import placewise as tf


def test_what_was_written_is_read_once() -> None:
    array = tf.TensorArray(tf.float32, 2)
    array = array.write(0, 1.0)
    assert float(array.read(0)) == 1.0
    with pytest.raises(tf.errors.InvalidArgumentError, match="Could not read index 0 twice"):
        array.read(0)


def test_what_was_not_written_is_zero() -> None:
    assert tf.TensorArray(tf.float32, 3).write(1, 5.0).stack().numpy().tolist() == [0.0, 5.0, 0.0]


def test_places_outside_are_refused() -> None:
    with pytest.raises(tf.errors.OutOfRangeError, match="not resizeable and size is: 2"):
        tf.TensorArray(tf.float32, 2).write(2, 1.0)
    with pytest.raises(tf.errors.OutOfRangeError, match="array size is: 2"):
        tf.TensorArray(tf.float32, 2).read(5)
    grown = tf.TensorArray(tf.float32, 0, dynamic_size=True).write(2, 1.0)
    assert int(grown.size()) == 3


def test_shapes_and_dtypes_must_agree() -> None:
    array = tf.TensorArray(tf.float32, 2).write(0, [1.0])
    with pytest.raises(ValueError, match="Incompatible shape for value"):
        array.write(1, [1.0, 2.0])
    with pytest.raises(tf.errors.InvalidArgumentError, match="trying to write dtype int32"):
        array.write(1, tf.constant([1]))


def test_it_is_cut_and_joined() -> None:
    array = tf.TensorArray(tf.float32, 2, infer_shape=False).split([1.0, 2.0, 3.0], [1, 2])
    assert array.concat().numpy().tolist() == [1.0, 2.0, 3.0]
    scattered = tf.TensorArray(tf.float32, 3).scatter([2, 0], [1.0, 2.0])
    assert scattered.gather([0, 2]).numpy().tolist() == [2.0, 1.0]


def test_gradients_flow_through_it() -> None:
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        array = tf.TensorArray(tf.float32, 2).unstack(x)
        y = array.read(0) * 3 + array.read(1)
    assert tape.gradient(y, x).numpy().tolist() == [3.0, 1.0]


def test_specs_compare_and_merge() -> None:
    spec = tf.TensorSpec([2, None], tf.float32, name="x")
    assert repr(spec) == "TensorSpec(shape=(2, None), dtype=tf.float32, name='x')"
    assert spec.is_compatible_with(tf.zeros([2, 5]))
    assert not spec.is_compatible_with(tf.zeros([3, 5]))
    assert tf.TensorSpec([2, 3]).is_subtype_of(tf.TensorSpec([2, None]))
    merged = tf.TensorSpec([2, 3]).most_specific_compatible_type(tf.TensorSpec([2, 4]))
    assert merged == tf.TensorSpec([2, None])
    with pytest.raises(ValueError, match="No TypeSpec is compatible with both"):
        tf.TensorSpec([2]).most_specific_compatible_type(tf.TensorSpec([2], tf.int32))
    assert len({tf.TensorSpec([2]), tf.TensorSpec([2])}) == 1


def test_every_value_has_a_spec() -> None:
    assert tf.type_spec_from_value(None) == tf.NoneTensorSpec()
    assert tf.type_spec_from_value([1, 2]) == tf.TensorSpec([2], tf.int32)
    slices = tf.IndexedSlices(tf.ones([1, 2]), tf.constant([1]))
    assert tf.type_spec_from_value(slices) == tf.IndexedSlicesSpec(
        [None, 2], tf.float32, tf.int32, indices_shape=[1]
    )
    array = tf.type_spec_from_value(tf.TensorArray(tf.float32, 3))
    assert repr(array) == "TensorArraySpec(TensorShape(None), tf.float32, False, True)"
    with pytest.raises(TypeError, match="Could not build a TypeSpec"):
        tf.type_spec_from_value(object())
