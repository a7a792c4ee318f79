"""Eager tensors as Python objects."""

import copy
import pickle

import numpy as np
import pytest

import placewise as tf


def test_it_prints_as_tensorflow_prints():
    x = tf.constant([[22.0, 28.0], [49.0, 64.0]])
    assert str(x) == "tf.Tensor(\n[[22. 28.]\n [49. 64.]], shape=(2, 2), dtype=float32)"
    assert repr(tf.constant(1)) == "<tf.Tensor: shape=(), dtype=int32, numpy=1>"
    assert f"{tf.constant(1.5):.2f}" == "1.50"


def test_it_is_no_key_but_its_reference_is():
    x = tf.constant(1)
    with pytest.raises(TypeError, match=r"Tensor is unhashable\. Instead, use tensor\.ref\(\)"):
        hash(x)
    assert {x.ref(): 1}[x.ref()] == 1
    assert x.ref().deref() is x


def test_numpy_shares_nothing_that_ops_change():
    x = tf.constant([1.0, 2.0])
    array = np.asarray(x)
    y = x + 1.0
    assert array.tolist() == [1.0, 2.0]
    assert y.numpy().tolist() == [2.0, 3.0]


def test_a_constant_does_not_follow_its_array():
    array = np.ones(2, np.float32)
    x = tf.constant(array)
    array[0] = 5
    assert x.numpy().tolist() == [1.0, 1.0]


@pytest.mark.parametrize("value", [1.5, [1, 2], ["a", "bc"], [[True]], np.float16(2), 1 + 2j])
def test_it_survives_pickle_and_copies(value):
    x = tf.constant(value)
    for other in (pickle.loads(pickle.dumps(x)), copy.copy(x), copy.deepcopy(x)):
        assert other.dtype is x.dtype
        assert np.array_equal(other.numpy(), x.numpy())


def test_bfloat16_reaches_numpy():
    x = tf.constant([1.5, 2.0], tf.bfloat16)
    assert x.numpy().dtype.name == "bfloat16"
    assert x.numpy().tolist() == [1.5, 2.0]


def test_dlpack_goes_both_ways():
    import torch

    x = tf.constant([1.0, 2.0])
    assert torch.from_dlpack(x).tolist() == [1.0, 2.0]
    assert tf.experimental.dlpack.from_dlpack(torch.ones(2)).numpy().tolist() == [1.0, 1.0]
    capsule = tf.experimental.dlpack.to_dlpack(x)
    assert tf.experimental.dlpack.from_dlpack(capsule).numpy().tolist() == [1.0, 2.0]


def test_numpy_leaves_arithmetic_to_the_tensor():
    result = np.array([1.0, 2.0], np.float32) * tf.constant([2.0, 3.0])
    assert isinstance(result, tf.Tensor)
    assert result.numpy().tolist() == [2.0, 6.0]


def test_iteration_length_and_truth():
    assert [int(x) for x in tf.constant([1, 2])] == [1, 2]
    assert len(tf.constant([[1], [2]])) == 2
    with pytest.raises(TypeError, match="Scalar tensor has no"):
        len(tf.constant(1))
    with pytest.raises(ValueError, match="truth value of an array"):
        bool(tf.constant([1, 2]))


def test_it_takes_attributes_of_other_libraries():
    x = tf.constant(1.0)
    x._keras_mask = "here"
    assert x._keras_mask == "here"


def test_graph_things_say_that_they_are_not_there():
    for name in ("op", "graph", "name"):
        with pytest.raises(AttributeError, match="undefined when eager execution is enabled"):
            getattr(tf.constant(1), name)


def test_cpu_and_gpu_copy():
    with tf.simulate("2"):
        x = tf.constant([1.0])
        assert x.cpu().device.endswith("CPU:0")
        assert x.gpu(1).device.endswith("GPU:1")
        with pytest.raises(RuntimeError, match=r"GPU:5 unknown device\."):
            x.gpu(5)


def test_tensors_may_be_used_from_many_threads():
    from concurrent.futures import ThreadPoolExecutor

    x = tf.constant(np.arange(100.0, dtype=np.float32))

    def work(i: int) -> float:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(x * float(i))
        return float(tape.gradient(y, x)[0])

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(work, range(64))) == [float(i) for i in range(64)]


def test_resources_are_printed_with_what_they_name() -> None:
    handle = tf.Variable([1.0], name="rate", shape=[None]).handle
    text = str(handle)
    assert text.startswith('tf.Tensor(<ResourceHandle(name="rate/')
    assert 'container="Anonymous", type="tensorflow::Var"' in text
    assert 'dtype and shapes : "[ DType enum: 1, Shape: [?] ]")>, shape=(), dtype=res' in text
    assert f"{handle}" in repr(handle)


def test_numpy_refuses_more_dimensions_than_it_has() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="tensor with 65 dimensions to NumPy"):
        tf.ones([1] * 65).numpy()
