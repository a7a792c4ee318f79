"""The gradient ops of activations take two inputs of one shape."""

import numpy as np
import pytest

import placewise as tf

SECOND = {"EluGrad": "outputs", "SeluGrad": "outputs"}
NAMES = ["ReluGrad", "Relu6Grad", "EluGrad", "SeluGrad", "LeakyReluGrad", "SoftplusGrad"]
SHAPES = [((1, 2), (2,)), ((2,), (1,)), ((), (2,)), ((2, 3), (3, 2)), ((1,), (0,))]


def gradient_op(name, x, y):
    return getattr(tf.raw_ops, name)(**{"gradients": x, SECOND.get(name, "features"): y})


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("first", "second"), SHAPES)
def test_other_shapes_are_refused(name, first, second):
    x, y = tf.ones(first), tf.ones(second)
    with pytest.raises(
        tf.errors.InvalidArgumentError,
        match=f"Inputs to operation {name} of type {name} must have the same size and shape",
    ):
        gradient_op(name, x, y)
    with pytest.raises(ValueError, match="must be equal"):
        tf.function(lambda: gradient_op(name, x, y))()
    unknown = tf.function(
        lambda a, b: gradient_op(name, a, b),
        input_signature=[tf.TensorSpec(None, tf.float32), tf.TensorSpec(None, tf.float32)],
    )
    with pytest.raises(tf.errors.InvalidArgumentError, match="the same size and shape"):
        unknown(x, y)


@pytest.mark.parametrize(
    "value", [[1, -2], [True, False], np.array([1, -2]), np.array([1.0, -2.0])]
)
def test_the_raw_leaky_relu_takes_what_is_no_tensor_for_float32(value):
    found = tf.raw_ops.LeakyRelu(features=value)
    assert found.dtype == tf.float32
    np.testing.assert_allclose(
        found, np.where(np.asarray(value) > 0, value, np.multiply(value, 0.2)), rtol=1e-6
    )


def test_the_raw_leaky_relu_refuses_other_tensors():
    with pytest.raises(tf.errors.InvalidArgumentError, match="Value for attr 'T' of int32"):
        tf.raw_ops.LeakyRelu(features=tf.constant([1, -2]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="Value for attr 'T' of string"):
        tf.raw_ops.LeakyRelu(features="a")


def test_the_slope_of_leaky_relu_is_a_number():
    for alpha in ("a", tf.constant(0.3)):
        with pytest.raises(TypeError, match="Expected float for argument 'alpha' not"):
            tf.nn.leaky_relu([1.0], alpha=alpha)


@pytest.mark.parametrize("dtype", [tf.float16, tf.bfloat16])
def test_gelu_keeps_its_digits_far_below_zero(dtype):
    x = tf.cast([-3.0, -2.5, -2.0, 1.0], dtype)
    exact = [-0.0040496941, -0.0155241633, -0.0455002639, 0.8413447461]
    result = tf.cast(tf.nn.gelu(x), tf.float64).numpy()
    np.testing.assert_allclose(result, exact, rtol=5e-2 if dtype == tf.bfloat16 else 2e-3)
