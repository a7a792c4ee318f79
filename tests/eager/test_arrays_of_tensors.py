"""Arrays of tensors and tensors of arrays: nothing that is done to an array changes a tensor."""

from __future__ import annotations

import copy
import io

import numpy as np
import pytest

import placewise
import placewise as tf

_VALUES = {
    "floats": ([1.0, 2.0, 3.0], tf.float32),
    "host integers": ([1, 2, 3], tf.int32),
    "bfloat16": ([1.0, 2.0, 3.0], tf.bfloat16),
    "complex": ([1 + 2j, 3.0, 4.0], tf.complex64),
    "booleans": ([True, False, True], tf.bool),
    "strings": (["a", "b", "c"], tf.string),
}
kinds = pytest.mark.parametrize("kind", _VALUES)


def _tensor(kind: str):
    values, dtype = _VALUES[kind]
    return tf.constant(values, dtype)


@kinds
def test_an_array_may_be_written_to_and_the_tensor_stays(kind):
    tensor = _tensor(kind)
    before, array = tensor.numpy(), tensor.numpy()
    array[0] = array[1]
    assert array.flags.writeable
    np.testing.assert_array_equal(tensor.numpy(), before)


@kinds
def test_two_arrays_of_a_tensor_share_nothing(kind):
    tensor = _tensor(kind)
    first, second = tensor.numpy(), tensor.numpy()
    assert not np.may_share_memory(first, second)


@kinds
def test_np_array_gives_a_copy_of_its_own(kind):
    tensor = _tensor(kind)
    before, array = tensor.numpy(), np.array(tensor)
    array[0] = array[1]
    np.testing.assert_array_equal(tensor.numpy(), before)


@pytest.mark.parametrize("kind", [kind for kind in _VALUES if kind != "bfloat16"])
def test_np_asarray_is_read_only(kind):
    with pytest.raises(ValueError, match="read-only"):
        np.asarray(_tensor(kind))[0] = 0


def test_np_asarray_of_bfloat16_is_writable_as_in_tensorflow_but_a_copy():
    tensor = _tensor("bfloat16")
    np.asarray(tensor)[0] = 9
    assert tensor.numpy()[0] == 1


def test_np_asarray_copies_nothing_on_a_cpu():
    tensor = tf.zeros([1000])
    assert np.shares_memory(np.asarray(tensor), np.asarray(tensor))


def test_asking_for_no_copy_and_another_dtype_is_an_error():
    with pytest.raises(ValueError, match="avoid copy"):
        np.array(tf.zeros([3]), dtype=np.float64, copy=False)


def test_scalars_come_back_as_numpy_scalars():
    assert type(tf.constant(1.5).numpy()) is np.float32
    assert tf.constant("a").numpy() == b"a"


def test_a_large_array_is_a_copy_too():
    tensor = tf.ones([1 << 19])
    tensor.numpy()[:] = 7
    assert float(tf.reduce_max(tensor)) == 1


def test_an_array_of_one_number_repeated_can_be_written_to():
    array = tf.broadcast_to(tf.constant(1.0), [3]).numpy()
    array[0] = 9
    assert array.tolist() == [9, 1, 1]


def test_an_array_of_a_transpose_is_in_c_order():
    assert tf.transpose(tf.ones([2, 3])).numpy().flags.c_contiguous


def test_a_tensor_of_a_simulated_gpu_stays_as_well():
    with tf.simulate("V100"):
        tensor = tf.constant([1.0, 2.0])
        tensor.numpy()[0] = 9
        with pytest.raises(ValueError, match="read-only"):
            np.asarray(tensor)[0] = 9
        assert tensor.numpy().tolist() == [1, 2]


def test_what_a_tape_holds_stays():
    x = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    x.numpy()[0] = 100
    assert tape.gradient(y, x).numpy().tolist() == [2, 4, 6]


def test_a_deep_copy_and_its_tensor_are_apart():
    tensor = tf.constant(["a", "b"])
    copy.deepcopy(tensor).numpy()[0] = b"z"
    assert tensor.numpy().tolist() == [b"a", b"b"]


# Variables.


@pytest.mark.parametrize("change", ["assign", "assign_add", "scatter_nd_update"])
@pytest.mark.parametrize("look", ["numpy", "asarray", "value", "asarray of value"])
def test_an_array_of_a_variable_stays_when_the_variable_changes(look, change):
    variable = tf.Variable([1.0, 2.0, 3.0])
    array = {
        "numpy": variable.numpy,
        "asarray": lambda: np.asarray(variable),
        "value": lambda: variable.value().numpy(),
        "asarray of value": lambda: np.asarray(variable.value()),
    }[look]()
    if change == "scatter_nd_update":
        variable.scatter_nd_update([[0]], [9.0])
    else:
        getattr(variable, change)([7.0, 7.0, 7.0])
    assert array.tolist() == [1, 2, 3]


def test_writing_into_an_array_of_a_variable_does_not_change_it():
    variable = tf.Variable([1.0, 2.0])
    for array in (variable.numpy(), np.asarray(variable), variable.value().numpy()):
        array[0] = 9
    assert variable.numpy().tolist() == [1, 2]


# Tensors made from arrays.


@pytest.mark.parametrize(
    "make",
    [
        tf.constant,
        tf.convert_to_tensor,
        tf.identity,
        tf.Variable,
        lambda array: tf.reshape(array, [2, 2]),
        lambda array: tf.data.Dataset.from_tensors(array).get_single_element(),
        lambda array: next(iter(tf.data.Dataset.from_tensor_slices(array).batch(4))),
    ],
)
@pytest.mark.parametrize("dtype", [np.float32, np.int32, object])
def test_a_tensor_made_of_an_array_stays_when_the_array_changes(make, dtype):
    array = np.array([b"0"] * 4, object) if dtype is object else np.zeros(4, dtype)
    before = array.copy()
    tensor = make(array)
    array[:] = array[0] + (b"5" if dtype is object else 5)
    np.testing.assert_array_equal(tensor.numpy().reshape(-1), before)


def test_a_variable_keeps_what_it_was_assigned_when_the_array_changes():
    variable, array = tf.Variable([1.0, 2.0]), np.zeros(2, np.float32)
    variable.assign(array)
    array[:] = 5
    assert variable.numpy().tolist() == [0, 0]


def test_a_dataset_keeps_its_elements_when_the_array_changes():
    array = np.zeros((2, 2), np.float32)
    slices, whole = (
        tf.data.Dataset.from_tensor_slices(array),
        tf.data.Dataset.from_tensors(array),
    )
    array[:] = 5
    assert next(iter(slices)).numpy().tolist() == [0, 0]
    assert next(iter(whole)).numpy().tolist() == [[0, 0], [0, 0]]


# Datasets and Python functions.


@pytest.mark.parametrize("values", [[[1.0, 2.0]], [["a", "b"]]])
def test_arrays_of_a_dataset_are_read_only(values):
    array = next(tf.data.Dataset.from_tensor_slices(values).as_numpy_iterator())
    with pytest.raises(ValueError, match="read-only"):
        array[0] = array[1]


def test_numpy_function_may_change_its_argument_and_the_tensor_stays():
    def zeroed(array):
        array[:] = 0
        return array

    tensor = tf.constant([1.0, 2.0])
    assert tf.numpy_function(zeroed, [tensor], tf.float32).numpy().tolist() == [0, 0]
    assert tensor.numpy().tolist() == [1, 2]


def test_numpy_function_in_a_function_changes_no_tensor():
    def zeroed(array):
        array[:] = 0
        return array

    @tf.function
    def both(x):
        return tf.numpy_function(zeroed, [x], tf.float32), x

    tensor = tf.constant([1.0, 2.0])
    assert [each.numpy().tolist() for each in both(tensor)] == [[0, 0], [1, 2]]
    assert tensor.numpy().tolist() == [1, 2]


def test_py_function_may_write_into_the_array_of_its_argument():
    def change(x):
        x.numpy()[0] = 9
        return x

    tensor = tf.constant([1.0, 2.0])
    assert tf.py_function(change, [tensor], tf.float32).numpy().tolist() == [1, 2]


def test_a_generator_may_change_its_argument_and_is_called_with_the_same_again():
    def generate(array):
        array += 1
        yield array[0]

    dataset = tf.data.Dataset.from_generator(
        generate, args=[np.zeros(2, np.float32)], output_signature=tf.TensorSpec([], tf.float32)
    )
    assert [float(each) for each in dataset.repeat(2)] == [1, 1]


# Other ways to arrays.


def test_numpy_takes_a_tensor_by_dlpack_as_a_read_only_array():
    array = np.from_dlpack(tf.constant([1.0, 2.0]))
    with pytest.raises(ValueError, match="read-only"):
        array[0] = 9


def test_the_rows_of_a_ragged_tensor_are_arrays_of_their_own():
    ragged = tf.ragged.constant([[1, 2], [3]])
    ragged.numpy()[0][0] = 99
    assert ragged.to_list() == [[1, 2], [3]]


def test_the_static_value_of_a_constant_is_an_array_of_its_own():
    with tf.Graph().as_default():
        constant = tf.constant([1.0, 2.0])
        tf.get_static_value(constant)[0] = 9
        assert tf.compat.v1.Session().run(constant).tolist() == [1, 2]


def test_a_tensor_is_a_buffer_as_in_tensorflow():
    view = memoryview(tf.constant([[1, 2], [3, 4]]))
    assert (view.format, view.shape, view.strides, view.readonly) == ("i", (2, 2), (8, 4), True)
    assert bytes(view) == np.array([[1, 2], [3, 4]], np.int32).tobytes()
    assert memoryview(tf.constant(2.5)).shape == ()
    assert bytearray(tf.constant([1, 2], tf.uint8)) == bytearray([1, 2])
    assert np.frombuffer(tf.constant([1.0, 2.0]), np.float32).tolist() == [1.0, 2.0]


def test_a_buffer_is_in_c_order_and_read_only():
    view = memoryview(tf.transpose(tf.constant([[1, 2], [3, 4]])))
    assert view.c_contiguous and view.readonly
    assert bytes(view) == np.array([[1, 3], [2, 4]], np.int32).tobytes()
    with pytest.raises(TypeError, match="read-write bytes-like object"):
        io.BytesIO(b"12345678").readinto(tf.constant([1, 2]))


def test_bfloat16_is_no_buffer_but_still_an_array():
    tensor = tf.constant([1.0, 2.0], tf.bfloat16)
    with pytest.raises(ValueError, match="cannot include dtype"):
        memoryview(tensor)
    assert np.asarray(tensor).dtype == tf.bfloat16.as_numpy_dtype


def test_a_variable_and_a_symbolic_tensor_are_no_buffers():
    with pytest.raises(TypeError, match="a bytes-like object is required"):
        memoryview(tf.Variable(1.0))
    with tf.Graph().as_default(), pytest.raises(TypeError, match="a bytes-like object is required"):
        memoryview(tf.constant(1.0))


def test_the_copy_guard_sees_a_buffer_taken_of_a_gpu():
    placewise.simulate("1")
    with tf.device("/GPU:0"):
        tensor = tf.ones([2]) + 1
    with placewise.record() as log:
        memoryview(tensor)
    assert [copy.kind for copy in log.transfers] == ["fetch"]
