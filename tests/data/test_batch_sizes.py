"""Batches of sizes that take turns, and padded ones: elements, shapes and refusals."""

import pytest

import placewise as tf

Dataset = tf.data.Dataset


def _rebatched(count, size, sizes, **options):
    dataset = Dataset.range(count).batch(size).rebatch(sizes, **options)
    return [batch.numpy().tolist() for batch in dataset]


def test_sizes_of_zero_are_empty_batches():
    assert _rebatched(3, 2, [1, 0]) == [[0], [], [1], [], [2], []]
    assert _rebatched(3, 3, [0, 3]) == [[], [0, 1, 2], []]
    assert _rebatched(8, 2, [3, 0, 1]) == [[0, 1, 2], [], [3], [4, 5, 6], [], [7]]
    assert _rebatched(7, 7, [3, 2], drop_remainder=True) == [[0, 1, 2], [3, 4]]
    texts = Dataset.from_tensors({"a": ["x", "y"]}).rebatch([0, 2])
    assert [batch["a"].numpy().tolist() for batch in texts][:2] == [[], [b"x", b"y"]]


def test_a_size_that_divides_the_batches_is_static():
    whole = Dataset.range(8).batch(4, drop_remainder=True)
    assert whole.rebatch(2).element_spec.shape.as_list() == [2]
    assert whole.rebatch([2, 2]).element_spec.shape.as_list() == [2]
    assert whole.rebatch(3).element_spec.shape.as_list() == [None]
    assert Dataset.range(8).batch(4).rebatch(2).element_spec.shape.as_list() == [None]


def test_padding_values_may_leave_out_a_whole_structure():
    rows = Dataset.range(3).map(lambda x: (tf.range(x), {"s": tf.range(x)}))
    seven = tf.constant(7, tf.int64)
    (padded,) = rows.padded_batch(3, padding_values=(seven, None))
    assert padded[0].numpy().tolist() == [[7, 7], [0, 7], [0, 1]]
    assert padded[1]["s"].numpy().tolist() == [[0, 0], [0, 0], [0, 1]]


def test_an_element_that_is_too_long_is_data_loss():
    rows = Dataset.range(3, 5).map(lambda x: tf.range(x)).padded_batch(2, [3])
    with pytest.raises(tf.errors.DataLossError, match="smaller size than the input element"):
        list(rows)
    buckets = Dataset.from_tensors([1, 2, 3]).bucket_by_sequence_length(
        lambda x: tf.shape(x)[0], [2], [1, 1], pad_to_bucket_boundary=True
    )
    with pytest.raises(tf.errors.InvalidArgumentError, match="max\\(bucket_boundaries\\)"):
        list(buckets)


@pytest.mark.parametrize(
    ("shapes", "error", "words"),
    [
        ([[1, 1], [1, 1]], ValueError, r"but its shape was \(2, 2\)"),
        (tf.constant, TypeError, "but its element type was float32"),
    ],
)
def test_padded_shapes_are_vectors_of_int64(shapes, error, words):
    shapes = shapes([1.5]) if callable(shapes) else shapes
    with pytest.raises(error, match=words):
        Dataset.from_tensors([1, 2, 3]).padded_batch(5, padded_shapes=shapes)


def test_counts_of_endless_datasets_are_endless(tmp_path):
    endless = Dataset.range(5).repeat()

    def windows(key, elements):
        return elements.batch(2)

    assert int(endless.enumerate().cardinality()) == -1
    assert int(endless.snapshot(str(tmp_path)).cardinality()) == -1
    grouped = endless.group_by_window(lambda x: x % 2, windows, window_size=2)
    assert int(grouped.cardinality()) == -1


def test_a_long_list_is_a_dataset():
    assert sum(int(x) for x in tf.data.experimental.from_list(list(range(1001)))) == 500500


def test_unbatching_parts_of_unequal_lengths_is_refused():
    with pytest.raises(ValueError, match="Encountered both 8 and 7"):
        Dataset.from_tensors((tf.zeros([8]), tf.zeros([7]))).unbatch()
