"""What a function of elements may do: change what it is handed, make variables once."""

import dataclasses
from typing import Any

import pytest

import placewise as tf


def test_a_function_may_change_the_element_it_is_handed() -> None:
    def doubled(element: Any) -> Any:
        element["y"] = element.pop("x") * 2
        return element

    dataset = tf.data.Dataset.from_tensor_slices({"x": [1, 2]}).map(doubled)
    assert list(dataset.as_numpy_iterator()) == [{"y": 2}, {"y": 4}]


def test_a_function_may_make_variables_the_first_time() -> None:
    class Adds:
        v: Any = None

        def __call__(self, x: Any) -> Any:
            if self.v is None:
                self.v = tf.Variable(lambda: tf.constant(2, tf.int64))
            self.v.assign_add(1)
            return x + self.v

    adds = Adds()
    assert list(tf.data.Dataset.range(3).map(adds).as_numpy_iterator()) == [3, 5, 7]
    assert int(adds.v) == 5
    with pytest.raises(ValueError, match=r"only supports singleton tf\.Variables"):
        tf.data.Dataset.range(3).map(lambda x: x + tf.Variable(lambda: tf.constant(2, tf.int64)))


def test_a_dataset_is_no_tensor() -> None:
    dataset = tf.data.Dataset.range(1)
    optional = tf.experimental.Optional.from_value(1)
    assert not any(map(tf.is_tensor, (dataset, iter(dataset), optional)))
    tensors = (
        tf.ragged.constant([[1]]),
        tf.sparse.from_dense([1]),
        tf.IndexedSlices([1.0], [0]),
        tf.Variable(1),
        tf.constant(1),
    )
    assert all(map(tf.is_tensor, tensors))


def test_the_branches_of_a_function_may_return_datasets_of_different_kinds() -> None:
    def numbers(x: Any) -> Any:
        if x == 0:
            return tf.data.Dataset.range(2)
        if x == 1:
            return tf.data.Dataset.from_tensors(tf.constant(7, tf.int64))
        return tf.data.Dataset.range(3).map(lambda y: y * 2)

    dataset = tf.data.Dataset.range(3).flat_map(numbers)
    assert list(dataset.as_numpy_iterator()) == [0, 1, 7, 0, 2, 4]

    def others(x: Any) -> Any:
        if x == 0:
            return tf.data.Dataset.range(2)
        return tf.data.Dataset.from_tensors("text")

    with pytest.raises(TypeError, match="same nested structure"):
        tf.data.Dataset.range(3).flat_map(others)


def test_a_function_may_return_a_tensor_array() -> None:
    def counted(count: Any) -> Any:
        size = tf.cast(count, tf.int32)
        return tf.TensorArray(tf.int32, size=size, element_shape=()).unstack(tf.range(size))

    dataset = tf.data.Dataset.range(4).map(counted)
    assert "TensorArraySpec" in repr(dataset.element_spec)
    assert [array.stack().numpy().tolist() for array in dataset] == [[], [0], [0, 1], [0, 1, 2]]
    rows = dataset.flat_map(lambda array: tf.data.Dataset.from_tensor_slices(array.stack()))
    assert list(rows.as_numpy_iterator()) == [0, 0, 1, 0, 1, 2]


def test_dataclasses_with_parts_of_their_own_are_elements() -> None:
    @dataclasses.dataclass
    class Masked:
        mask: bool
        value: Any

        def __tf_flatten__(self) -> Any:
            return (self.mask,), (self.value,)

        @classmethod
        def __tf_unflatten__(cls, metadata: Any, parts: Any) -> Any:
            return cls(metadata[0], parts[0])

    made = tf.data.Dataset.range(2).map(lambda x: Masked(False, x))
    assert [(one.mask, int(one.value)) for one in made] == [(False, 0), (False, 1)]
    (batch,) = tf.data.Dataset.from_tensor_slices(Masked(True, [1, 2])).batch(2)
    assert (batch.mask, batch.value.numpy().tolist()) == (True, [1, 2])


def test_a_list_of_datasets_is_an_element() -> None:
    datasets = [tf.data.Dataset.range(count) for count in range(3)]
    one = tf.data.Dataset.from_tensors(datasets)
    assert one.element_spec == tf.data.DatasetSpec(tf.TensorSpec((), tf.int64), [3])
    each = one.flat_map(tf.data.Dataset.from_tensor_slices).flat_map(lambda x: x)
    assert list(each.as_numpy_iterator()) == [0, 0, 1]


def test_the_state_of_a_reducer_may_change_its_shape() -> None:
    def reduced(init: Any, reduce: Any, key: Any = None) -> Any:
        reducer = tf.data.experimental.Reducer(init, reduce, lambda state: state)
        zero = tf.constant(0, tf.int64)
        grouped = tf.data.experimental.group_by_reducer(key or (lambda x: zero), reducer)
        return tf.data.Dataset.range(1, 5).apply(grouped)

    def longer(state: Any, x: Any) -> Any:
        return tf.concat([state, [tf.cast(x, tf.int32)]], 0)

    made = reduced(lambda _: tf.constant([0]), longer)
    assert made.element_spec.shape.as_list() == [None]
    assert [one.numpy().tolist() for one in made] == [[0, 1, 2, 3, 4]]
    with pytest.raises(ValueError, match=r"a scalar tf\.int64 tensor"):
        reduced(lambda _: 0, lambda state, x: state, lambda x: (x, x))
    with pytest.raises(TypeError, match="element types for the new state must match"):
        reduced(lambda _: 0, lambda state, x: tf.constant(1.0))
