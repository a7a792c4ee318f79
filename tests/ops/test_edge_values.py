"""Values at the edges of ops, as TensorFlow 2.21 gives them."""

import numpy as np
import pytest

import placewise as tf

raw, inf, nan = tf.raw_ops, np.inf, np.nan


def values(result):
    several = result if isinstance(result, (list, tuple)) else [result]
    return [np.asarray(one.numpy()).tolist() for one in several]


def test_zeta_at_poles_and_infinity():
    def zeta(x, q):
        return np.asarray(raw.Zeta(x=np.float32(x), q=np.float32(q)))

    np.testing.assert_equal(zeta([2, 3, 2.5, 1, nan], [0] * 5), [inf, nan, nan, inf, nan])
    np.testing.assert_equal(zeta([4, inf], [inf, 2]), [0, 0])


def test_incomplete_gamma_at_zero():
    a, x = np.float32([nan, -1, inf, inf]), np.float32([0, 0, 0, inf])
    np.testing.assert_equal(np.asarray(raw.Igamma(a=a, x=x)), [0, 0, 0, 0])


def test_dilation_of_integers_takes_nothing_from_the_padding():
    image = np.array([100, -100, 20, 3], np.int8).reshape(1, 2, 2, 1)
    filters = np.array([-100, 100, 10, -20], np.int8).reshape(2, 2, 1)
    window = {"strides": [1] * 4, "rates": [1] * 4, "padding": "SAME"}
    found = raw.Dilation2D(input=image, filter=filters, **window)
    assert values(found)[0] == [[[[30], [56]], [[103], [-97]]]]
    back = np.array([1, 2, 3, 4], np.int8).reshape(1, 2, 2, 1)
    found = raw.Dilation2DBackpropInput(input=image, filter=filters, out_backprop=back, **window)
    assert values(found)[0] == [[[[0], [2]], [[1], [7]]]]


def test_fake_quantization_multiplies_by_the_quotient_of_the_ranges():
    # Not by the reciprocal of a step, which is another number for these ranges.
    for value, low, high, expected in (
        (2.674347, -0.6924546, 6.0, 2.6611729),
        (1.3641732, -1.0, 6.0, 1.3503937),
        (0.39862204, -1.0, 0.5, 0.39566928),
    ):
        made = tf.quantization.fake_quant_with_min_max_args([value], low, high, 8, True)
        assert made.numpy() == np.float32(expected)
        made = tf.quantization.fake_quant_with_min_max_vars_per_channel(
            [[value]], [low], [high], 8, True
        )
        assert made.numpy() == np.float32(expected)


def test_fake_quantization_of_halves_and_infinite_gradients():
    assert values(raw.FakeQuantWithMinMaxArgs(inputs=np.float32([2])))[0] == [2.023529529571533]
    gradients, inputs = np.float32([[inf, inf], [1, inf]]), np.float32([[-7, 0], [0, 9]])
    found = raw.FakeQuantWithMinMaxArgsGradient(gradients=gradients, inputs=inputs)
    np.testing.assert_equal(np.asarray(found), [[nan, inf], [1, nan]])


@pytest.mark.parametrize(
    ("text", "most", "parts"),
    [
        ("a b", 2, [b"a", b"b", b""]),
        ("a b c", 1, [b"a", b"b c"]),
        (" ", 0, [b" "]),
        (" ", 1, []),
        ("a,b", 1, [b"a,b", b""]),
    ],
)
def test_split_at_spaces_keeps_what_is_left(text, most, parts):
    assert values(raw.StringSplitV2(input=[text], sep="", maxsplit=most))[1] == parts


def test_strings_are_cut_to_their_precision():
    assert values(raw.AsString(input=["text"], precision=2, width=5)) == [[b"   te"]]


def test_complex_numbers_are_marks_in_one_line():
    found = raw.StringFormat(inputs=[np.ones((2, 2), np.complex64)], template="%s")
    assert values(found) == [b"[? ? ?...]"]


def test_counts_of_nothing_have_a_width():
    nothing = np.zeros(0, np.int64)
    found = raw.DenseCountSparseOutput(values=nothing, weights=nothing, binary_output=False)
    assert values(found)[2] == [1]


def test_gradient_of_gradient_needs_the_output_of_the_input():
    image = np.arange(4, dtype=np.float32).reshape(1, 2, 2, 1)
    window = {"ksize": [1, 2, 2, 1], "strides": [1, 2, 2, 1], "padding": "VALID"}
    for output, expected in ((3, 3.0), (9, 0.0)):
        found = raw.MaxPoolGradGrad(
            orig_input=image, orig_output=np.full((1, 1, 1, 1), output), grad=image, **window
        )
        assert values(found)[0] == [[[[expected]]]]


def test_crossed_values_have_the_dtype_that_is_asked_for():
    found = raw.RaggedCross(
        ragged_values=[np.array([b"a"], object)],
        ragged_row_splits=[np.int64([0, 1])],
        sparse_indices=[],
        sparse_values=[],
        sparse_shape=[],
        dense_inputs=[np.int64([[1]])],
        input_order="RD",
        hashed_output=True,
        num_buckets=0,
        hash_key=5,
        out_values_type=tf.string,
        out_row_splits_type=tf.int64,
    )
    assert values(found)[0] == [b"a_X_1"]


def test_nothing_is_divided_by_zero():
    nothing, zero = tf.zeros([0, 3], tf.int32), tf.zeros([1, 3], tf.int32)
    for divide in (tf.math.floordiv, tf.math.floormod, tf.truncatediv, tf.truncatemod):
        assert divide(nothing, zero).shape == (0, 3)


@pytest.mark.parametrize(
    ("op", "given", "dtype"),
    [
        (raw.RaggedRange, {"starts": [0], "limits": [3], "deltas": [1]}, "int32"),
        (raw.Real, {"input": [2]}, "float32"),
        (raw.Complex, {"real": [2], "imag": [0]}, "complex64"),
    ],
)
def test_arrays_take_the_default_dtype(op, given, dtype):
    found = op(**{name: np.array(value, np.int64) for name, value in given.items()})
    assert (found[1] if isinstance(found, tuple) else found).dtype.name == dtype


@pytest.mark.parametrize(
    ("op", "given", "error"),
    [
        (raw.ArgMin, {"input": [1.0], "dimension": 0, "output_type": tf.uint8}, "Invalid"),
        (raw.AddN, {"inputs": np.ones((2, 2))}, ValueError),
        (raw.Cast, {"x": [1.0], "DstT": 1234}, TypeError),
        (raw.Cast, {"x": np.ones(1), "DstT": 1234}, "Invalid"),
        (raw.EnsureShape, {"input": [1.0], "shape": ["s"]}, TypeError),
        (raw.EnsureShape, {"input": [1.0], "shape": [-2]}, ValueError),
        (raw.StackV2, {"max_size": [1], "elem_type": tf.float32}, "Invalid"),
        (raw.ReluGrad, {"gradients": np.uint16([1]), "features": np.uint16([1, 2])}, "Invalid"),
        (raw.BroadcastTo, {"input": [1.0], "shape": [[2]]}, "Invalid"),
        (raw.FIFOQueueV2, {"component_types": []}, "Invalid"),
    ],
)
def test_wrong_arguments_are_refused_in_the_class_of_tensorflow(op, given, error):
    expected = tf.errors.InvalidArgumentError if error == "Invalid" else error
    with pytest.raises(expected):
        op(**given)
