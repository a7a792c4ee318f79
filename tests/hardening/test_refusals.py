"""Calls that new draws showed to end otherwise than in TensorFlow 2.21: refused, or answered."""

import numpy as np
import pytest

import placewise as tf

raw = tf.raw_ops
PLACES = np.array([[0, 1], [1, 0], [1, 2]], np.int64)


def sound():
    return raw.EncodeWav(audio=np.zeros((2, 1), "f"), sample_rate=8000)


def numbers(*shape):
    return np.arange(1.0, 1 + np.prod(shape), dtype="f").reshape(shape)


def reduced(op, shape):
    return getattr(raw, op)(
        input_indices=PLACES,
        input_values=numbers(3),
        input_shape=np.array(shape, np.int64),
        reduction_axes=[1],
    )


def fractional_gradient(rows, out_backprop):
    return raw.FractionalMaxPoolGrad(
        orig_input=numbers(1, 4, 4, 1),
        orig_output=[[[[6.0], [8.0]], [[14.0], [16.0]]]],
        out_backprop=out_backprop,
        row_pooling_sequence=rows,
        col_pooling_sequence=[0, 2, 4],
    )


def distances(truth_shape):
    return raw.EditDistance(
        hypothesis_indices=np.zeros((1, len(truth_shape)), np.int64),
        hypothesis_values=["a"],
        hypothesis_shape=np.ones(len(truth_shape), np.int64),
        truth_indices=np.zeros((1, len(truth_shape)), np.int64),
        truth_values=["a"],
        truth_shape=np.array(truth_shape, np.int64),
    )


def ranged(low, high):
    ranges = {"input_min": low, "input_max": high}
    return raw.QuantizeAndDequantizeV4Grad(gradients=numbers(2), input=numbers(2), **ranges)


REFUSED = {
    **{
        f"{op} of a negative size": (
            lambda op=op: reduced(op, [2, -3]),
            "Expected shape dimensions to be non-negative, got -3",
        )
        for op in (
            *("SparseReduceMax", "SparseReduceMaxSparse"),
            *("SparseReduceSum", "SparseReduceSumSparse"),
        )
    },
    "a sparse sum of a shape that is no vector": (
        lambda: reduced("SparseReduceSum", [[2, 3]]),
        r"Expected input_shape to be a vector; got shape: \[1,2\]",
    ),
    "rows of another rank": (
        lambda: raw.SparseFillEmptyRows(
            indices=PLACES, values=numbers(3), dense_shape=[4], default_value=7.0
        ),
        r"The length of `dense_shape` \(1\) must match the second dimension of `indices` \(2\)",
    ),
    "more places in a slice than in all": (
        lambda: raw.SparseSliceGrad(
            backprop_val_grad=numbers(2),
            input_indices=PLACES[:1],
            input_start=[0, 0],
            output_indices=PLACES[:2],
        ),
        "# rows of output_indices should be not greater than of input_indices, got 2 and 1",
    ),
    "a cross of three dimensions": (
        lambda: raw.SparseCrossV2(
            indices=[PLACES], values=[["a", "b", "c"]], shapes=[[2, 3, 4]], dense_inputs=[], sep="-"
        ),
        r"shape should imply a 2D tensor, but got \[3\] at position 0",
    ),
    "distances of a negative size": (lambda: distances([1, -1]), "Dimension -1 must be >= 0"),
    "distances of no sequences": (
        lambda: distances([1]),
        "must have rank at least 2, but hypothesis_shape rank is: 1",
    ),
    "an axis of unique that is a number": (
        lambda: raw.UniqueV2(x=[1, 2], axis=0),
        "axis expects a 1D vector",
    ),
    "bits read as truth": (
        lambda: raw.Bitcast(input=np.zeros(2, np.uint8), type=tf.bool),
        "Value for attr 'type' of bool is not in the list of allowed values",
    ),
    "bands of nothing": (
        lambda: raw.BandedTriangularSolve(matrix=numbers(2, 3), rhs=numbers(3, 0)),
        r"In\[1\] must not be an empty tensor",
    ),
    "one range that is a vector": (
        lambda: ranged(np.float32(0), numbers(1)),
        "input_max must be a scalar if axis is unspecified",
    ),
    "fractional windows of a batch of none": (
        lambda: raw.FractionalMaxPool(
            value=numbers(0, 7, 6, 2), pooling_ratio=[1.0, 1.5, 1.4, 1.0]
        ),
        "Pooling ratio is higher than input dimension size for dimension 0. Input dim size: 0",
    ),
    "fewer windows than results": (
        lambda: fractional_gradient([0, 4], numbers(1, 2, 2, 1)),
        "row_pooling_sequence must have 3 elements",
    ),
    "gradients of another shape": (
        lambda: fractional_gradient([0, 2, 4], numbers(2, 2, 2, 1)),
        "out_backprop must have the shape of orig_output",
    ),
    "positions in nothing": (
        lambda: raw.MaxPoolWithArgmax(
            input=numbers(0, 4, 4, 1), ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME"
        ),
        "tensor_in must not be empty",
    ),
    "positions of another shape": (
        lambda: raw.MaxPoolGradWithArgmax(
            input=numbers(1, 4, 4, 1),
            grad=numbers(1, 2, 1, 1),
            argmax=np.zeros((1, 2, 1, 1), np.int64),
            ksize=[1, 2, 2, 1],
            strides=[1, 2, 2, 1],
            padding="SAME",
        ),
        r"Expected grad shape to be \[1,2,2,1\], but got \[1,2,1,1\]",
    ),
    "a filling that is a vector": (
        lambda: raw.ImageProjectiveTransformV3(
            images=numbers(1, 2, 2, 1),
            transforms=numbers(1, 8),
            output_shape=[2, 2],
            fill_value=[1.0, 2.0],
            interpolation="NEAREST",
        ),
        "fill_value must be a scalar",
    ),
    "a shape that is a matrix": (
        lambda: raw.BroadcastGradientArgs(s0=[[1]], s1=[1]),
        r"In\[0\] must be a vector",
    ),
    "blocks of one": (
        lambda: raw.SpaceToDepth(input=numbers(1, 2, 2, 1), block_size=1),
        "Value for attr 'block_size' of 1 must be at least minimum 2",
    ),
    "a window that begins before the image": (
        lambda: raw.FractionalAvgPoolGrad(
            orig_input_tensor_shape=[1, 4, 4, 1],
            out_backprop=numbers(1, 2, 2, 1),
            row_pooling_sequence=[0, 2, 4],
            col_pooling_sequence=[0, -1, -1],
        ),
        "Column sequence tensor values must not be negative",
    ),
    **{
        f"{op} with corners and centers": (
            lambda op=op: getattr(raw, op)(
                grads=numbers(1, 5, 2, 2),
                original_image=numbers(1, 3, 4, 2),
                align_corners=True,
                half_pixel_centers=True,
            ),
            "If half_pixel_centers is True, align_corners must be False",
        )
        for op in ("ResizeBilinearGrad", "ResizeBicubicGrad")
    },
    "places of no indices": (
        lambda: raw.UnravelIndex(indices=np.zeros(0, np.int32), dims=[2, 3]),
        "received empty tensor indices",
    ),
    "a file name that is a vector": (
        lambda: raw.ShardedFilespec(basename=["a", "b"], num_shards=2),
        r"basename must be a scalar, got shape \[2\]",
    ),
    "one segment for all": (
        lambda: raw.UnsortedSegmentJoin(inputs=["a", "b"], segment_ids=np.int32(0), num_segments=1),
        "Segment_id cannot have rank 0",
    ),
    "a shape of windows that is a matrix": (
        lambda: raw.FractionalAvgPoolGrad(
            orig_input_tensor_shape=[[1, 4, 4, 1]],
            out_backprop=numbers(1, 2, 2, 1),
            row_pooling_sequence=[0, 2, 4],
            col_pooling_sequence=[0, 2, 4],
        ),
        "original input tensor shape must be 1-dimensional and 4 elements",
    ),
    "an index that is a number": (
        lambda: raw.SparseSegmentMeanGrad(
            grad=numbers(1, 1), indices=np.int32(0), segment_ids=[0], output_dim0=0
        ),
        "indices should be a vector",
    ),
    "less than no samples": (
        lambda: raw.DecodeWav(contents=sound(), desired_samples=-2),
        "desired_samples must be >= -1, got -2",
    ),
    "a summary of more than 32 bits": (
        lambda: raw.Assert(condition=True, data=[1.0], summarize=2**31),
        "Attr summarize has value 2147483648 out of range for an int32",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_it_is_refused(name):
    call, words = REFUSED[name]
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        call()


def test_a_dictionary_is_no_list():
    with pytest.raises(TypeError, match="Expected list for 'explicit_paddings' argument"):
        raw.Conv2D(
            input=numbers(1, 2, 2, 1),
            filter=numbers(1, 1, 1, 1),
            strides=[1, 1, 1, 1],
            padding="SAME",
            explicit_paddings={},
        )


@pytest.mark.parametrize("truth", [np.True_, np.array(True)])
def test_a_truth_of_numpy_is_no_number(truth):
    for dtype in (tf.int32, tf.float32):
        with pytest.raises(TypeError, match="Cannot convert"):
            tf.constant([truth], dtype)


def test_no_index_is_looked_at_where_no_row_gets_a_gradient():
    ids = {"indices": [0, 2, 2], "segment_ids": [0, 1, 1]}
    assert raw.SparseSegmentMeanGrad(grad=numbers(2, 2), **ids, output_dim0=0).shape == (0, 2)
    compact = raw.SparseSegmentMeanGradV2(grad=numbers(2, 2), **ids, dense_output_dim0=0)
    assert [part.shape for part in compact] == [(0, 2), (0,)]


def test_splits_of_runs_may_have_any_rank():
    attrs = {"separator": " ", "ngram_widths": [2], "left_pad": "", "right_pad": ""}
    runs = raw.StringNGrams(
        data=["a", "b", "c"],
        data_splits=[[0, 3]],
        pad_width=0,
        preserve_short_sequences=False,
        **attrs,
    )
    assert runs.ngrams.numpy().tolist() == [b"a b", b"b c"]
    assert runs.ngrams_splits.numpy().tolist() == [[0, 2]]


@pytest.mark.parametrize("width", [0, -(2**31)])
def test_runs_have_positive_widths(width):
    with pytest.raises(tf.errors.InvalidArgumentError, match="must contain positive values"):
        raw.StringNGrams(
            data=["a"],
            data_splits=[0, 1],
            separator="",
            ngram_widths=[1, width],
            left_pad="",
            right_pad="",
            pad_width=-1,
            preserve_short_sequences=False,
        )


def test_a_shape_of_minus_one_is_unknown_to_ensure_shape_alone():
    assert raw.EnsureShape(input=numbers(2), shape=[-1]).shape == (2,)
    with pytest.raises(ValueError, match="Dimension -1 must be >= 0"):
        tf.ensure_shape(numbers(2), [-1])


@pytest.mark.parametrize("op", ["Svd", "MatrixSquareRoot", "MatrixLogarithm", "MatrixExponential"])
def test_a_matrix_that_is_not_finite_leaves_those_beside_it_as_they_are(op):
    good = np.array([[2.0, 1.0], [0.5, 3.0]], np.complex64)
    bad = np.full((2, 2), np.inf, np.complex64)
    for alone, among in zip(
        *[_parts(getattr(raw, op)(input=x)) for x in (good, np.stack([good, bad, good]))],
        strict=True,
    ):
        np.testing.assert_allclose(among[[0, 2]], np.stack([alone, alone]), atol=1e-5)
        assert np.isnan(among[1]).all()


def _parts(result):
    return [x.numpy() for x in (result if isinstance(result, (list, tuple)) else [result])]


def test_what_stands_above_a_triangular_factor_is_not_read():
    factor = np.array([[2.0, 0.0], [1.0, 3.0]])
    filled = np.array([[2.0, 9.0], [1.0, 3.0]])
    expected = raw.CholeskyGrad(l=factor, grad=np.ones((2, 2)))
    np.testing.assert_array_equal(raw.CholeskyGrad(l=filled, grad=np.ones((2, 2))), expected)


def test_zeta_of_a_huge_order_is_zero():
    np.testing.assert_array_equal(tf.math.zeta(1e38, [0.5, 1.0, 1.5, 100.0]), [np.inf, 1, 0, 0])


@pytest.mark.parametrize("name", ["bessel_k1", "bessel_k1e"])
def test_bessel_functions_of_the_smallest_numbers_are_infinite(name):
    assert np.isinf(getattr(tf.math.special, name)(np.float32(1e-45)))
