"""Tests of `ops/array/creation.py`, `one_hot.py`, `masking.py`, `distinct.py`, `bits.py`."""

import numpy as np
import pytest

import placewise as tf


@pytest.mark.parametrize(
    ("args", "dtype"),
    [
        ((5,), "int32"),
        ((2, 9, 3), "int32"),
        ((5, 0, -2), "int32"),
        ((0.0, 1.0, 0.3), "float32"),
        ((0, 2**33, 2**32), "int64"),
        ((0,), "int32"),
    ],
)
def test_range_is_numpys_arange(args, dtype):
    made = tf.range(*args)
    assert made.dtype.name == dtype
    np.testing.assert_allclose(made, np.arange(*args), rtol=1e-6)


def test_range_takes_the_widest_dtype_of_its_arguments():
    assert tf.range(1, tf.constant(4, tf.int64)).dtype is tf.int64
    assert tf.range(1, 3, 0.5).dtype is tf.float32


@pytest.mark.parametrize(
    ("args", "words"),
    [
        ((0, 5, 0), "Requires delta != 0: 0"),
        ((5, 0, 1), "Requires start <= limit when delta > 0"),
        (([1, 2],), "limit must be a scalar, not shape"),
    ],
)
def test_a_bad_range_is_told(args, words):
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        tf.range(*args)


def test_linspace_ends_at_its_ends_and_has_gradients():
    start, stop = tf.constant([0.0, 1.0]), tf.constant([1.0, 4.0])
    with tf.GradientTape() as tape:
        tape.watch([start, stop])
        made = tf.linspace(start, stop, 4, axis=1)
    np.testing.assert_allclose(made, [np.linspace(0, 1, 4), np.linspace(1, 4, 4)], rtol=1e-6)
    first, last = tape.gradient(made, [start, stop])
    np.testing.assert_allclose(first, [2, 2], rtol=1e-6)
    np.testing.assert_allclose(last, [2, 2], rtol=1e-6)


def test_zeros_of_every_kind():
    assert tf.zeros([2], tf.string).numpy().tolist() == [b"", b""]
    assert tf.zeros(3).shape == [3]
    assert tf.zeros([tf.constant(2), 1]).shape == [2, 1]
    with pytest.raises(tf.errors.InvalidArgumentError, match="Dimension -1 must be >= 0"):
        tf.zeros([-1])


def test_one_hot_passes_over_indices_out_of_range():
    np.testing.assert_array_equal(
        tf.one_hot([0, 2, -1, 5], 3), [[1, 0, 0], [0, 0, 1], [0, 0, 0], [0, 0, 0]]
    )
    assert tf.one_hot([1], 2, on_value="y", off_value="n").numpy().tolist() == [[b"n", b"y"]]


def test_sequence_mask_and_meshgrid():
    np.testing.assert_array_equal(tf.sequence_mask([1, 3], 3), [[1, 0, 0], [1, 1, 1]])
    for indexing in ("xy", "ij"):
        for mine, theirs in zip(
            tf.meshgrid([1, 2], [3, 4, 5], [6], indexing=indexing),
            np.meshgrid([1, 2], [3, 4, 5], [6], indexing=indexing),
            strict=True,
        ):
            np.testing.assert_array_equal(mine, theirs)


def test_unique_keeps_the_order_of_first_appearance():
    found = tf.unique_with_counts([4, 1, 4, 2])
    assert [part.numpy().tolist() for part in found] == [[4, 1, 2], [0, 1, 0, 2], [2, 1, 1]]
    assert tf.unique(["b", "a", "b"]).y.numpy().tolist() == [b"b", b"a"]
    np.testing.assert_array_equal(tf.unique([np.nan, np.nan, 0.0, -0.0]).idx, [0, 1, 2, 2])


def test_where_gives_positions_or_values():
    np.testing.assert_array_equal(tf.where([[True, False], [True, True]]), [[0, 0], [1, 0], [1, 1]])
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.where([[True, False], [True, True]], x, 5.0)
    np.testing.assert_array_equal(tape.gradient(y, x), [2, 1])


@pytest.mark.parametrize(
    ("text", "expected"),
    [("", "4f40902f3b6ae19a"), ("ab", "1ea5ad42526e8daa"), ("cd", "74536f0be286c928")],
)
def test_fingerprints_are_farmhashs(text, expected):
    assert tf.fingerprint([text]).numpy().tobytes().hex() == expected


def test_partitions_are_stitched_together_again():
    x = tf.constant([[1.0], [2.0], [3.0]])
    which = [1, 0, 1]
    parts = tf.dynamic_partition(x, which, 2)
    places = tf.dynamic_partition([0, 1, 2], which, 2)
    np.testing.assert_array_equal(tf.dynamic_stitch(places, parts), x)


def test_searchsorted_takes_rows():
    np.testing.assert_array_equal(
        tf.searchsorted([[1, 3, 3], [2, 4, 6]], [[3], [5]], side="right"), [[3], [2]]
    )
    np.testing.assert_array_equal(
        tf.searchsorted(np.array([1, 65535], "uint16"), np.array([9], "uint16")), [1]
    )


@pytest.mark.parametrize("make", [tf.zeros, tf.ones])
def test_a_size_beyond_64_bits_is_a_value_error(make):
    with pytest.raises(ValueError, match="out-of-range integer"):
        make([2**63])


@pytest.mark.parametrize("dtype", ["float32", "int64", "bool", "complex64", "bfloat16", "uint16"])
def test_zeros_and_ones_have_the_dtype_asked_for(dtype):
    for made, value in ((tf.zeros([2], dtype), 0), (tf.ones([2], dtype), 1)):
        assert made.dtype.name == dtype
        assert tf.reduce_all(tf.cast(made, "int32") == value)


@pytest.mark.parametrize("count", [3, 5000])
@pytest.mark.parametrize("axis", [-1, 0, 1])
def test_one_hot_is_the_same_small_and_large(count, axis):
    made = tf.one_hot([[0, 2], [-1, count]], count, on_value=5.0, off_value=-1.0, axis=axis)
    flat = np.moveaxis(made.numpy(), axis, -1)
    assert flat.shape == (2, 2, count)
    assert [flat[0, 0, 0], flat[0, 1, 2]] == [5, 5]
    assert (flat == 5).sum() == 2
    assert (flat == -1).sum() == 4 * count - 2


def test_one_hot_of_strings_needs_its_values():
    with pytest.raises(TypeError, match="string"):
        tf.one_hot([0], 2, dtype=tf.string)


def test_a_range_of_floats_is_counted_in_their_own_precision() -> None:
    assert tf.range(np.float32(0.1), np.float32(1.1), np.float32(0.1)).shape == (10,)
    assert tf.range(np.float64(0.1), np.float64(1.1), np.float64(0.1)).shape == (10,)
    assert tf.range(np.float32(0), np.float32(0.7), np.float32(0.1)).shape == (7,)


@pytest.mark.parametrize(
    ("start", "limit", "delta"),
    [
        (-(2**31), 5, 2**30),
        (2**31 - 8, 2**31 - 1, 5),
        (2**31 - 1, -(2**31), -(2**31)),
        (7, 7, 3),
        (0, 1, 2**31 - 1),
    ],
)
def test_a_range_reaches_the_ends_of_int32(start: int, limit: int, delta: int) -> None:
    result = tf.raw_ops.Range(start=start, limit=limit, delta=delta)
    assert result.dtype == tf.int32
    assert result.numpy().tolist() == list(range(start, limit, delta))
