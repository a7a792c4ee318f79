"""Answers that fresh draws against TensorFlow 2.21 showed to be others here."""

import numpy as np
import pytest

import placewise as tf

raw = tf.raw_ops
WIDE = [np.uint8, np.uint16, np.uint32, np.uint64, np.int32]


@pytest.mark.parametrize("dtype", WIDE)
@pytest.mark.parametrize("policy", ["", "IGNORE"])
def test_numbers_without_a_sign_are_compared_as_such_where_they_are_scattered(dtype, policy):
    most = np.iinfo(dtype).max
    arguments = {
        "tensor": np.array([0, most, 5, 2], dtype),
        "indices": [[0], [1], [2], [2], [3]],
        "updates": np.array([most, 3, most - 1, 7, most], dtype),
        "bad_indices_policy": policy,
    }
    least = raw.TensorScatterMin(**arguments)
    np.testing.assert_array_equal(least, np.array([0, 3, 5, 2], dtype))
    largest = raw.TensorScatterMax(**arguments)
    np.testing.assert_array_equal(largest, np.array([most, most, most - 1, most], dtype))


def test_weights_of_any_shape_count_as_many_values_of_rows():
    weights = np.array([[1, 2, 3]], np.int32)
    ragged = raw.RaggedBincount(splits=[0, 2, 3], values=[1, 1, 2], size=3, weights=weights)
    np.testing.assert_array_equal(ragged, [[0, 3, 0], [0, 0, 3]])
    sparse = raw.SparseBincount(
        indices=[[0, 0], [1, 0], [1, 2]],
        values=[1, 1, 2],
        dense_shape=[2, 4],
        size=3,
        weights=weights,
    )
    np.testing.assert_array_equal(sparse, [[0, 1, 0], [0, 2, 3]])


def test_the_diagonal_of_a_number_is_the_number():
    assert raw.DiagPart(input=np.float32(0.5)).numpy() == 0.5


def test_gradients_of_quantization_look_at_no_order_of_the_ranges():
    found = raw.QuantizeAndDequantizeV4Grad(
        gradients=[1.0, 2.0], input=[1.0, 2.0], input_min=1.0, input_max=-1.0
    )
    assert [part.numpy().tolist() for part in found] == [[0.0, 0.0], 0.0, 0.0]


def test_no_samples_of_gamma_are_drawn_for_any_shape():
    for shape in ([0, 1], [0], [0, 2]):
        drawn = raw.StatelessRandomGammaV3(
            shape=shape,
            key=np.array([5], np.uint64),
            counter=np.array([1, 2], np.uint64),
            alg=1,
            alpha=[0.5, 1.0, 3.0],
        )
        assert drawn.shape == shape


def test_poolings_ignore_paddings_that_are_not_asked_for():
    ones = np.ones((1, 4, 4, 1), np.float32)
    sizes = {"ksize": [1, 2, 2, 1], "strides": [1, 2, 2, 1], "padding": "VALID"}
    pooled = raw.MaxPool(input=ones, explicit_paddings=[-1, 2], **sizes)
    assert pooled.shape == (1, 2, 2, 1)


def test_names_of_shards_are_bytes():
    name = raw.ShardedFilename(basename=b"\xff", shard=3, num_shards=5).numpy()
    assert name == b"\xff-00003-of-00005"
    assert raw.ShardedFilespec(basename=b"\xff", num_shards=5).numpy() == b"\xff-?????-of-00005"


def test_the_first_format_takes_names_of_any_shape(tmp_path):
    path = str(tmp_path / "saved")
    raw.Save(filename=path, tensor_names=[["a"]], data=[[1.0]])
    read = {"file_pattern": path, "tensor_name": "a", "dt": tf.float32}
    assert raw.Restore(**read).numpy().tolist() == [1.0]
    with pytest.raises(tf.errors.InvalidArgumentError, match="greater or equal to -1"):
        raw.Restore(**read, preferred_shard=-2)


def test_the_gradient_of_a_filter_without_depth_is_empty():
    found = raw.Conv2DBackpropFilter(
        input=np.ones((1, 3, 3, 0), np.float32),
        filter_sizes=[2, 2, 0, 3],
        out_backprop=np.ones((1, 3, 3, 3), np.float32),
        strides=[1] * 4,
        padding="SAME",
    )
    assert found.shape == (2, 2, 0, 3)


PLACES = np.array([[0, 1], [1, 0], [1, 2]], np.int64)


def bincount(indices, dense_shape):
    return raw.SparseBincount(
        indices=np.array(indices, np.int64),
        values=[1, 1, 2],
        dense_shape=np.array(dense_shape, np.int64),
        size=4,
        weights=np.zeros(0, np.float32),
    )


def loss(places):
    return raw.CTCLoss(
        inputs=np.zeros((5, 2, 4), np.float32),
        labels_indices=np.array(places, np.int64),
        labels_values=[1, 0, 2],
        sequence_length=[5, 4],
    )


REFUSED = {
    "an axis that is no integer": (
        lambda: tf.roll([[1.0, 2.0]], 1, np.array(0.7)),
        "Value for attr 'Taxis' of double",
    ),
    "places that are no matrix": (lambda: bincount([0, 1, 2], [4]), "indices must be rank 2"),
    "a shape that is no vector": (lambda: bincount([[0], [1], [2]], 4), "shape must be rank 1"),
    "fewer places than values": (lambda: bincount([[0], [1]], [4]), "in indices .2. and values"),
    "a place outside": (lambda: bincount([[0], [9], [1]], [4]), r"indices\[1, :\] = \[9\]"),
    "a part of negative size": (
        lambda: raw.SparseSlice(
            indices=PLACES, values=[1.0, 2.0, 3.0], shape=[2, 3], start=[1, 0], size=[1, -1]
        ),
        "Expected a non-negative size, got -1",
    ),
    "a zero to divide by": (
        lambda: raw.SparseDenseCwiseDiv(
            sp_indices=PLACES, sp_values=[1.0, 2.0, 3.0], sp_shape=[2, 3], dense=[1.0, 0.0, 1.0]
        ),
        "cannot divide by zero",
    ),
    "places beyond the numbers of their dtype": (
        lambda: raw.UnravelIndex(indices=[5, 1], dims=[2**31 - 1, 3]),
        "causing integer overflow",
    ),
    "rows of a number": (
        lambda: raw.GatherNd(params=3.0, indices=np.zeros((1, 0), np.int32)),
        "params must be at least a vector",
    ),
    "a transform longer than its input": (
        lambda: raw.IRFFT2D(input=np.zeros((1, 0), np.complex64), fft_length=[3, 6]),
        "length of at least 3 but got: 1",
    ),
    "a set whose places are no matrix": (
        lambda: raw.DenseToSparseSetOperation(
            set1=[[1, 2]],
            set2_indices=np.zeros((1, 1, 2), np.int64),
            set2_values=[2],
            set2_shape=[1, 1],
            set_operation="a-b",
        ),
        "indices must be a matrix, but got",
    ),
    "sizes in a matrix of three columns": (
        lambda: raw.DataFormatVecPermute(x=np.zeros((2, 3), np.int32)),
        "Second dimension of 2D input must be of size 2",
    ),
    "values of a sparse tensor of no size": (
        lambda: raw.SparseReshape(input_indices=PLACES, input_shape=[2, 0], new_shape=[3, -1]),
        "has 3 non zero elements but input shape .* is empty",
    ),
    "a sparse tensor of too many elements": (
        lambda: raw.SparseReshape(
            input_indices=PLACES, input_shape=[2**40, 2**40], new_shape=[2**20, -1]
        ),
        "overflow when computing number of elements",
    ),
    **{
        f"a negative dimension of {name}": (call, "dimensions to be non-negative, got -1")
        for name, call in {
            "SparseReshape": lambda: raw.SparseReshape(
                input_indices=PLACES, input_shape=[-1, 3], new_shape=[3, -1]
            ),
            "SparseSlice": lambda: raw.SparseSlice(
                indices=PLACES, values=[1, 2, 3], shape=[-1, 3], start=[0, 0], size=[1, 1]
            ),
            "SparseSoftmax": lambda: raw.SparseSoftmax(
                sp_indices=PLACES, sp_values=[1.0, 2.0, 3.0], sp_shape=[-1, 3]
            ),
        }.items()
    },
    "one value for all places": (
        lambda: raw.SparseTensorDenseAdd(
            a_indices=PLACES, a_values=1.5, a_shape=[2, 3], b=np.ones((2, 3), np.float32)
        ),
        "a_values and a_shape should be vectors",
    ),
    "fewer values than rows ask for": (
        lambda: raw.RaggedTensorToTensor(
            shape=-1,
            values=[[1.5, -2.0, 3.0]],
            default_value=0.0,
            row_partition_tensors=[3, np.array([0, 0, 2])],
            row_partition_types=["FIRST_DIM_SIZE", "VALUE_ROWIDS"],
        ),
        "3 values in the row partitions, but 1 in values",
    ),
    "a set of another rank": (
        lambda: raw.DenseToSparseSetOperation(
            set1=[[1, 2]],
            set2_indices=np.zeros((1, 1), np.int64),
            set2_values=[2],
            set2_shape=[1, 1],
            set_operation="a-b",
        ),
        "Shape rank 2 and indices of rank 1",
    ),
    "directions in a matrix": (
        lambda: raw.Reverse(tensor=[1.0], dims=[[True]]),
        "'dims' must be 1-dimension, not 2",
    ),
    "features that are fractions": (
        lambda: raw.SparseCrossV2(
            indices=[PLACES],
            values=[np.ones(3, np.float32)],
            shapes=[np.array([2, 3])],
            dense_inputs=[],
            sep="-",
        ),
        "not in the list of allowed values",
    ),
    "labels out of order": (lambda: loss([[1, 0], [0, 2], [1, 3]]), r"\[0,2\] is out of order"),
    "a filter without elements": (
        lambda: raw.Conv(
            input=np.ones((1, 3, 3, 2)),
            filter=np.ones((2, 2, 2, 0)),
            strides=[1] * 4,
            padding="SAME",
        ),
        "filter must not have zero elements",
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_it_is_refused_as_in_tensorflow(what):
    call, words = REFUSED[what]
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        call()


def test_lists_of_truths_hold_no_numbers():
    for dims, error in (([True, np.float16(0)], ValueError), ([np.int8(1), False], TypeError)):
        with pytest.raises(error):
            raw.Reverse(tensor=[[1.0, 2.0]], dims=dims)


def test_the_first_bound_gives_the_others_their_dtype():
    part = raw.StridedSlice(input=[1, 2, 3], begin=[0], end=[2], strides=np.array([1.5]))
    assert part.numpy().tolist() == [1, 2]
    drawn = raw.RandomUniformInt(shape=[9], minval=np.int64(-3), maxval=np.array(-1.2), seed=1)
    assert drawn.dtype == tf.int64
    assert set(drawn.numpy()) <= {-3, -2}
    with pytest.raises(tf.errors.InvalidArgumentError, match="'Tout' of double"):
        raw.RandomUniformInt(shape=[9], minval=np.array(1e38), maxval=np.array(5), seed=1)


def test_zeros_that_no_place_of_a_sparse_tensor_meets_divide_nothing():
    arguments = {"sp_indices": PLACES, "sp_values": [1.0, 2.0, 3.0], "sp_shape": [2, 3]}
    found = raw.SparseDenseCwiseDiv(**arguments, dense=[[0.0, 2.0, 0.0], [1.0, 0.0, 1.0]])
    assert found.numpy().tolist() == [0.5, 2.0, 3.0]


def test_bytes_are_no_list_of_numbers():
    with pytest.raises(TypeError, match="Expected list for 'ngram_widths'"):
        raw.StringNGrams(
            data=["a"],
            data_splits=np.array([0, 1]),
            separator=" ",
            ngram_widths=b"\x01",
            left_pad="",
            right_pad="",
            pad_width=0,
            preserve_short_sequences=False,
        )


@pytest.mark.parametrize("shift", [2**40, -(2**40) - 1, 2**63 - 1, -(2**63)])
def test_shifts_of_64_bits_are_meant(shift):
    numbers = np.arange(3.0)
    expected = np.roll(numbers, shift % 3)
    np.testing.assert_array_equal(tf.roll(numbers, shift, 0), expected)
    words = np.array([b"a", b"b", b"c"])
    np.testing.assert_array_equal(tf.roll(words, shift, 0), np.roll(words, shift % 3))


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_logarithms_of_matrices_are_such_whatever_the_branch(dtype):
    rng = np.random.RandomState(5)
    for size in range(1, 6):
        matrix = rng.randn(size, size).astype(dtype)  # some eigenvalues are negative real numbers
        logarithm = raw.MatrixLogarithm(input=matrix)
        back = raw.MatrixExponential(input=logarithm)
        precision = 2e-4 if dtype is np.complex64 else 1e-10
        np.testing.assert_allclose(back, matrix, rtol=precision, atol=precision)


def test_fingerprints_of_nothing_are_those_of_no_bytes():
    found = raw.Fingerprint(data=np.zeros((2, 0), np.float32), method="farmhash64").numpy()
    np.testing.assert_array_equal(found[0], found[1])
    assert int(found[0].astype(int).sum()) == 878  # TensorFlow's, of no bytes


def test_the_incomplete_gamma_function_is_flat_at_infinity():
    assert raw.IgammaGradA(a=[1.5, 2.5], x=np.inf).numpy().tolist() == [0.0, 0.0]


@pytest.mark.parametrize(
    ("count", "error"), [(b"a", TypeError), ("3", TypeError), (-1, ValueError)]
)
def test_powers_of_vander_are_counted(count, error):
    with pytest.raises(error, match="N must be"):
        tf.experimental.numpy.vander([1.0], N=count)
