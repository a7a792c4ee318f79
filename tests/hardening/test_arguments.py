"""Arguments that attacks showed to leak, hang or be taken otherwise than by TensorFlow 2.21."""

import numpy as np
import pytest

import placewise as tf

raw = tf.raw_ops


@pytest.mark.parametrize(
    ("call", "dtype"),
    [
        (lambda: raw.FFT(input=np.array([1, 2])), tf.complex64),
        (lambda: raw.FFT(input=[1, 2]), tf.complex64),
        (lambda: raw.MaxPool(input=np.ones((1, 2, 2, 1)), **WINDOW), tf.float32),
        (lambda: raw.Cumsum(x=[1.0, 2.0], axis=np.int8(0)), tf.float32),
        (lambda: tf.one_hot(np.array([1.0, 2.0]), 3), tf.float32),
        (lambda: tf.fill(np.array([2], np.int8), 1), tf.int32),
        (lambda: tf.reduce_sum([1.0, 2.0], axis=np.float32(0)), tf.float32),
        (lambda: raw.StringLower(input=np.zeros([3, 0])), tf.string),
        (lambda: raw.ListDiff(x=np.array([1, 2]), y=np.array([], object)).out, tf.int64),
    ],
)
def test_arrays_take_an_ops_default_dtype(call, dtype):
    assert call().dtype is dtype


WINDOW = {"ksize": [1, 1, 1, 1], "strides": [1, 1, 1, 1], "padding": "SAME"}


def test_a_tensor_is_not_converted_to_a_default_dtype():
    with pytest.raises(tf.errors.InvalidArgumentError, match="not in the list of allowed values"):
        raw.Real(input=tf.constant(2.5))


def test_a_size_that_the_default_dtype_cannot_hold_is_not_cut():
    with pytest.raises((tf.errors.ResourceExhaustedError, tf.errors.InvalidArgumentError)):
        tf.fill(np.array([2**40 + 2]), 1)


def test_scalars_of_numpy_keep_their_dtype():
    assert (
        raw.Range(start=np.float32(0.5), limit=np.float32(3), delta=np.float32(1)).dtype
        == "float32"
    )


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (
            lambda: raw.RandomIndexShuffle(index=0, seed=[1, 2, 3], max_index=5, rounds=2**31 - 2),
            tf.errors.InvalidArgumentError,
        ),
        (
            lambda: raw.DecodeWav(
                contents=raw.EncodeWav(audio=np.zeros((4, 2), "f"), sample_rate=8000),
                desired_channels=2**31 - 1,
            ),
            tf.errors.ResourceExhaustedError,
        ),
        (lambda: _sampled(distortion=1e38), tf.errors.InvalidArgumentError),
        (lambda: _sampled(distortion=float("nan")), tf.errors.InvalidArgumentError),
        (lambda: _sampled(unigrams=[1.0, 0.0, 0.0, 0.0, 0.0]), tf.errors.InvalidArgumentError),
        (lambda: _split(2**31 - 1), tf.errors.InvalidArgumentError),
        (lambda: _pooled([1.0, 1e-45, 1.5, 1.0]), tf.errors.InvalidArgumentError),
        (lambda: _pooled([1.0, 1.5, float("nan"), 1.0]), tf.errors.InvalidArgumentError),
        (lambda: tf.math.sobol_sample(3, 5, 2**31 - 1), tf.errors.InvalidArgumentError),
        (lambda: tf.math.sobol_sample(3, 5, 2**30), tf.errors.UnimplementedError),
    ],
)
def test_numbers_that_would_never_end_are_refused(call, error):
    with pytest.raises(error):
        call()


def _sampled(**options):
    options = {"unigrams": [1.0, 2.0, 3.0, 4.0, 5.0], "distortion": 1.0, **options}
    return raw.FixedUnigramCandidateSampler(
        true_classes=[[1]], num_true=1, num_sampled=4, unique=True, range_max=5, **options
    )


def _pooled(ratio):
    value = np.ones([1, 7, 6, 2])
    return raw.FractionalMaxPool(value=value, pooling_ratio=ratio, deterministic=True, seed=3)


def _split(count):
    return raw.SparseSplit(
        split_dim=0, indices=[[0, 0]], values=[1.0], shape=[2, 2], num_split=count
    )


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: raw.Const(value=(1, "a"), dtype=tf.float16), TypeError),
        (lambda: raw.ParallelConcat(values=None, shape=[0]), TypeError),
        (lambda: raw.Einsum(inputs=1j, equation="a->a"), TypeError),
        (lambda: raw.ShapeN(input=object), TypeError),
        (lambda: raw.MatrixDiagPart(input=[["a", "b"]]), tf.errors.UnimplementedError),
        (lambda: tf.experimental.numpy.vander(1.0), ValueError),
        (lambda: tf.experimental.numpy.stack([]), ValueError),
        (lambda: tf.ragged.stack([]), ValueError),
        (lambda: tf.sparse.concat(0, []), ValueError),
        (lambda: tf.signal.fftshift([1.0], axes=5), tf.errors.InvalidArgumentError),
        (
            lambda: tf.io.encode_jpeg(np.zeros((1, 1, 3), "u1"), xmp_metadata=5),
            tf.errors.InvalidArgumentError,
        ),
        (lambda: raw.DecodeJSONExample(json_examples="1"), tf.errors.InvalidArgumentError),
        (lambda: tf.experimental.numpy.array([1], ndmin=2**31), ValueError),
        (
            lambda: tf.ragged.stack_dynamic_partitions([1], [1], 2**31),
            tf.errors.InvalidArgumentError,
        ),
        (lambda: tf.required_space_to_batch_paddings([3], [2, 2], np.zeros([2, 1])), ValueError),
        (lambda: tf.required_space_to_batch_paddings([3, 3], [2, 2], [[0], [0]]), ValueError),
        (lambda: tf.required_space_to_batch_paddings([3, 4], [[2, 2]]), ValueError),
        (lambda: tf.image.decode_png(b"", dtype=None), tf.errors.InvalidArgumentError),
        (lambda: tf.io.parse_single_sequence_example(b"", b"features"), TypeError),
        (lambda: tf.signal.irfft([[1j]], fft_length=[]), tf.errors.InvalidArgumentError),
        (lambda: tf.stack(np.zeros([0], "u2"), axis=1), tf.errors.InvalidArgumentError),
        (lambda: _pooled([2.0, 1.5, 1.5, 1.0]), tf.errors.UnimplementedError),
        (lambda: _quantized(num_bits=62), tf.errors.InvalidArgumentError),
        (lambda: _quantized(num_bits=63, signed_input=False), tf.errors.InvalidArgumentError),
        (
            lambda: raw.ParallelConcat(values=[np.ones([1, 3])] * 3, shape=[2, 3]),
            tf.errors.InvalidArgumentError,
        ),
        (
            lambda: raw.CholeskyGrad(l=np.eye(2, dtype="c8"), grad=np.eye(2, dtype="c8")),
            tf.errors.InvalidArgumentError,
        ),
        (
            lambda: raw.RandomIndexShuffle(index=[[0, 1]], seed=[1, 2, 3], max_index=9),
            tf.errors.InvalidArgumentError,
        ),
        (lambda: _crop_gradient("NCHW"), tf.errors.InvalidArgumentError),
        (
            lambda: raw.UnsortedSegmentProd(
                data=np.ones([3, 2], "i1"), segment_ids=[0, 0, 2], num_segments=2**31
            ),
            tf.errors.InvalidArgumentError,
        ),
        (
            lambda: raw.SparseSplit(
                split_dim=1, indices=[[0, 1]], values=[1.5, 2.5], shape=[2, 3], num_split=2
            ),
            tf.errors.InvalidArgumentError,
        ),
        (
            lambda: raw.SparseDenseCwiseMul(
                sp_indices=[[0, 1], [1, 0]], sp_values=2.0, sp_shape=[2, 3], dense=[1.0, 2.0, 3.0]
            ),
            tf.errors.InvalidArgumentError,
        ),
        (
            lambda: raw.EditDistance(
                hypothesis_indices=[[0]],
                hypothesis_values=["a"],
                hypothesis_shape=[1, 1],
                truth_indices=[[0, 0]],
                truth_values=["a"],
                truth_shape=[1, 1],
            ),
            tf.errors.InvalidArgumentError,
        ),
        (lambda: raw.UniqueV2(x=[1, 2], axis=np.zeros([1, 0])), tf.errors.InvalidArgumentError),
        (
            lambda: raw.Split(axis=np.zeros([2, 1], "i4"), value=[[1.0]], num_split=1),
            tf.errors.InvalidArgumentError,
        ),
        (
            lambda: raw.TensorScatterMin(
                tensor=[1, 2], indices=[[0]], updates=[0], bad_indices_policy="ignore"
            ),
            tf.errors.InvalidArgumentError,
        ),
        (lambda: _sequence_examples(2**31), tf.errors.InvalidArgumentError),
    ],
)
def test_wrong_arguments_are_refused_without_words_of_the_inside(call, error):
    with pytest.raises(error) as raised:
        call()
    assert "has no attribute" not in str(raised.value)
    assert "not iterable" not in str(raised.value)


def _quantized(**options):
    return raw.QuantizeAndDequantizeV2(input=[1.0], input_min=0.0, input_max=1.0, **options)


def _crop_gradient(method):
    return raw.CropAndResizeGradImage(
        grads=np.ones([1, 2, 3, 2], "f"),
        boxes=np.ones([1, 4], "f"),
        box_ind=[0],
        image_size=[1, 3, 4, 2],
        T=tf.float32,
        method=method,
    )


def test_gradients_of_fractional_pools_take_any_sequences():
    def gradient(rows):
        return raw.FractionalAvgPoolGrad(
            orig_input_tensor_shape=np.array([1, 4, 4, 1]),
            out_backprop=np.ones([1, 2, 2, 1]),
            row_pooling_sequence=np.array(rows),
            col_pooling_sequence=np.array([0, 2, 4]),
        ).numpy()[0, :, 0, 0]

    # As TensorFlow 2.21 has them; it counts a window only as far as the image goes.
    assert gradient([[0, 1, 4]]).tolist() == pytest.approx([0.5, 1 / 6, 1 / 6, 1 / 6])
    assert gradient([0, 9, 12]).tolist() == pytest.approx([0.125] * 4)
    assert gradient([0, 1, 4, 4, 4]).tolist() == pytest.approx([0.5, 1 / 6, 1 / 6, 1 / 6])


def _sequence_examples(count):
    with tf.Graph().as_default():
        return raw.ParseSequenceExampleV2(
            serialized=[b""],
            debug_name=[],
            context_sparse_keys=[],
            context_dense_keys=[],
            context_ragged_keys=[],
            feature_list_sparse_keys=[],
            feature_list_dense_keys=[b"s"],
            feature_list_ragged_keys=[],
            feature_list_dense_missing_assumed_empty=[False],
            context_dense_defaults=[],
            Nfeature_list_dense=count,
            feature_list_dense_types=[tf.int64],
            feature_list_dense_shapes=[[]],
        )


@pytest.mark.parametrize(
    ("ids", "count", "error"),
    [
        ([0.0, 1.0], 2, ValueError),
        ([0, 1], 1.5, TypeError),
        ([0], 2, tf.errors.InvalidArgumentError),
        ([0, 5], 2, tf.errors.InvalidArgumentError),
        ([0, -1], 2, tf.errors.InvalidArgumentError),
    ],
)
def test_segments_of_ragged_rows_must_be_there(ids, count, error):
    rows = tf.ragged.constant([[1.0], [2.0, 3.0]])
    with pytest.raises(error):
        tf.math.unsorted_segment_sum(rows, ids, count)


def test_a_sobol_sequence_begins_anywhere():
    points = tf.math.sobol_sample(3, 1020, dtype=tf.float64).numpy()
    for skip in (1, 7, 64, 1000):
        later = tf.math.sobol_sample(3, 20, skip, dtype=tf.float64).numpy()
        assert later.tolist() == points[skip : skip + 20].tolist()


def test_gradients_of_functions_keep_the_shape_of_the_result():
    dy = np.arange(6, dtype="f").reshape(2, 1, 3)
    assert raw.SqrtGrad(y=np.ones((2, 3), "f"), dy=dy).numpy().tolist() == [
        [0, 0.5, 1],
        [1.5, 2, 2.5],
    ]


def test_a_range_upside_down_quantizes_to_its_lower_end():
    made = raw.FakeQuantWithMinMaxVars(inputs=[-1.0, 0.5, 3.0], min=1.0, max=0.0)
    assert made.numpy().tolist() == [1, 1, 1]


def test_the_reserved_results_of_batch_normalisation_have_tensorflows_shapes():
    x, ones = np.ones((1, 2, 2, 3), "f"), np.ones(3, "f")
    forward = raw.FusedBatchNormV3(x=x, scale=ones, offset=ones, mean=ones, variance=ones)
    assert forward.reserve_space_3.shape == [0]
    backward = raw.FusedBatchNormGradV3(
        y_backprop=x,
        x=x,
        scale=ones,
        reserve_space_1=ones,
        reserve_space_2=ones,
        reserve_space_3=ones,
    )
    assert [tensor.shape for tensor in backward[3:]] == [[], []]


def test_the_byte_rate_of_a_wav_file_has_32_bits():
    assert len(raw.EncodeWav(audio=np.zeros((4, 2), "f"), sample_rate=2**31 - 1).numpy()) == 60


@pytest.mark.parametrize("name", ["scale", "reserve_space_1", "reserve_space_2"])
@pytest.mark.parametrize("shape", [[2], [4], [3, 1]])
def test_gradients_of_batch_norm_check_the_vectors_of_channels(name, shape):
    x, vector = tf.ones([2, 2, 2, 3]), tf.ones([3])
    vectors = dict.fromkeys(["scale", "reserve_space_1", "reserve_space_2"], vector)
    vectors[name] = tf.ones(shape)
    with pytest.raises(tf.errors.InvalidArgumentError, match="must"):
        tf.raw_ops.FusedBatchNormGradV3(y_backprop=x, x=x, reserve_space_3=vector, **vectors)
