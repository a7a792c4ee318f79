"""The ops optimizers update variables with; expected numbers are TensorFlow's."""

import threading

import numpy as np
import pytest

import placewise as tf


def variables(*values):
    return [tf.Variable(value) for value in values]


def test_adam_gives_tensorflows_numbers():
    var, m, v = variables([1.0, 2.0], [0.0, 0.0], [0.0, 0.0])
    tf.raw_ops.ResourceApplyAdam(
        var=var.handle,
        m=m.handle,
        v=v.handle,
        beta1_power=0.9,
        beta2_power=0.999,
        lr=0.1,
        beta1=0.9,
        beta2=0.999,
        epsilon=1e-7,
        grad=tf.constant([1.0, -2.0]),
    )
    np.testing.assert_allclose(var, [0.9, 2.1], rtol=1e-5)
    np.testing.assert_allclose(m, [0.1, -0.2], rtol=1e-5)
    np.testing.assert_allclose(v, [0.001, 0.004], rtol=1e-4)


@pytest.mark.parametrize(("nesterov", "expected"), [(False, [0.855]), (True, [0.7695])])
def test_momentum(nesterov, expected):
    var, accum = variables([1.0], [0.5])
    tf.raw_ops.ResourceApplyMomentum(
        var=var.handle,
        accum=accum.handle,
        lr=0.1,
        grad=tf.constant([1.0]),
        momentum=0.9,
        use_nesterov=nesterov,
    )
    np.testing.assert_allclose(var, expected, rtol=1e-6)
    np.testing.assert_allclose(accum, [1.45], rtol=1e-6)


def test_a_tensor_read_before_does_not_change():
    (var,) = variables([1.0, 2.0])
    before = var.read_value()
    tf.raw_ops.ResourceApplyGradientDescent(var=var.handle, alpha=0.5, delta=[2.0, 2.0])
    assert before.numpy().tolist() == [1.0, 2.0] and var.numpy().tolist() == [0.0, 1.0]


def test_a_row_named_twice_is_updated_twice():
    var, accum = variables([[1.0], [2.0], [3.0]], [[0.0], [0.0], [0.0]])
    tf.raw_ops.ResourceSparseApplyMomentum(
        var=var.handle,
        accum=accum.handle,
        lr=1.0,
        grad=tf.constant([[1.0], [1.0], [2.0]]),
        indices=[2, 0, 2],
        momentum=0.5,
    )
    np.testing.assert_allclose(accum, [[1.0], [0.0], [2.5]])
    np.testing.assert_allclose(var, [[0.0], [2.0], [-0.5]])


def test_proximal_steps_shrink_to_the_very_zero():
    (var,) = variables([0.1, 1.0])
    tf.raw_ops.ResourceApplyProximalGradientDescent(
        var=var.handle, alpha=1.0, l1=0.5, l2=0.0, delta=tf.constant([0.0, 0.0])
    )
    np.testing.assert_allclose(var, [0.0, 0.5])


def test_nan_in_a_gradient_does_not_enter_a_running_maximum():
    var, m, v = variables([1.0], [0.0], [2.0])
    tf.raw_ops.ResourceApplyAdaMax(
        var=var.handle,
        m=m.handle,
        v=v.handle,
        beta1_power=0.9,
        lr=0.1,
        beta1=0.9,
        beta2=0.5,
        epsilon=1e-7,
        grad=tf.constant([float("nan")]),
    )
    assert v.numpy().tolist() == [1.0] and np.isnan(m.numpy()[0])


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"grad": [1.0]}, r"var and grad do not have the same shape\[2\] \[1\]"),
        ({"lr": [0.1]}, r"lr is not a scalar: \[1\]"),
    ],
)
def test_wrong_shapes_are_refused(change, words):
    var, accum = variables([1.0, 2.0], [0.0, 0.0])
    given = {"lr": 0.1, "grad": [1.0, 2.0], "momentum": 0.9, **change}
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        tf.raw_ops.ResourceApplyMomentum(var=var.handle, accum=accum.handle, **given)


def test_slots_must_have_the_variables_shape_and_dtype():
    var, short, wide = variables([1.0, 2.0], [0.0], np.zeros(2))
    for slot, words in ((short, "var and accum do not have the same shape"), (wide, "float64")):
        with pytest.raises(tf.errors.InvalidArgumentError, match=words):
            tf.raw_ops.ResourceApplyAdagrad(
                var=var.handle, accum=slot.handle, lr=0.1, grad=[1.0, 2.0]
            )


def test_a_variable_without_a_value_is_refused():
    handle = tf.raw_ops.VarHandleOp(dtype=tf.float32, shape=[2])
    with pytest.raises(tf.errors.InternalError, match="Invalid variable reference"):
        tf.raw_ops.ResourceApplyGradientDescent(var=handle, alpha=0.5, delta=[1.0, 2.0])


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"indices": [5]}, "Index 5 at offset 0 in indices is out of range"),
        ({"indices": [[0]]}, "indices must be one-dimensional"),
        ({"indices": [0, 1]}, "grad must be the same size as indices"),
        ({"grad": [[1.0, 2.0]]}, "var and grad must match in dimension 1"),
    ],
)
def test_wrong_rows_are_refused(change, words):
    var, accum = variables([[1.0], [2.0]], [[0.1], [0.1]])
    given = {"lr": 0.1, "grad": [[1.0]], "indices": [0], **change}
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        tf.raw_ops.ResourceSparseApplyAdagrad(var=var.handle, accum=accum.handle, **given)


def test_updates_from_several_threads_are_all_there():
    (var,) = variables([0.0])

    def work():
        for _ in range(200):
            tf.raw_ops.ResourceApplyGradientDescent(var=var.handle, alpha=-1.0, delta=[1.0])

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert var.numpy().tolist() == [800.0]


def test_an_update_runs_where_its_variable_lives():
    with tf.simulate("2xK40c"), tf.record() as log:
        with tf.device("/GPU:1"):
            var = tf.Variable([1.0])
        tf.raw_ops.ResourceApplyGradientDescent(var=var.handle, alpha=0.5, delta=[1.0])
    ran = [entry for entry in log if entry.op == "ResourceApplyGradientDescent"]
    assert ran[0].device.endswith("GPU:1")
