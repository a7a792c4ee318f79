"""`tf.experimental.RowPartition`: how it is made and what it tells."""

import pytest

import placewise as tf

RowPartition = tf.experimental.RowPartition


@pytest.mark.parametrize("options", [{"nvals": 12}, {"nrows": 4}, {"nvals": 12, "nrows": 4}])
def test_rows_of_one_length_are_made_of_values_or_of_rows(options):
    partition = RowPartition.from_uniform_row_length(3, **options)
    assert partition.row_splits().numpy().tolist() == [0, 3, 6, 9, 12]
    assert (partition.static_nvals, partition.static_nrows) == (12, 4)
    assert partition.is_uniform()
    assert not RowPartition.from_row_splits([0, 2]).is_uniform()


def test_rows_of_one_length_want_a_number_of_values_or_rows():
    with pytest.raises(ValueError, match=r"Either \(or both\) of nvals and nrows"):
        RowPartition.from_uniform_row_length(3)
    with pytest.raises(ValueError, match="uniform_row_length must be >= 0"):
        RowPartition.from_uniform_row_length(-3, nrows=4)


def test_the_number_of_rows_may_be_of_another_dtype():
    length, rows = tf.constant(4, tf.int64), tf.constant(3, tf.int32)
    partition = RowPartition.from_uniform_row_length(length, 12, rows, dtype=tf.int64)
    assert partition.nrows().dtype is tf.int64
    hinted = RowPartition.from_uniform_row_length(3, nrows=4, dtype_hint=tf.int32)
    assert hinted.dtype is tf.int32


def test_a_graph_knows_what_constants_tell():
    with tf.Graph().as_default():
        partition = RowPartition.from_uniform_row_length(3, nrows=4)
        assert (partition.static_nvals, partition.static_nrows) == (12, 4)
        assert RowPartition.from_row_starts([0, 3, 6], nvals=12).static_nvals == 12
        assert 'row_splits=Tensor("' in repr(RowPartition.from_row_splits([0, 2]))


def test_how_a_partition_prints():
    partition = RowPartition.from_uniform_row_length(3, nvals=12)
    assert repr(partition) == "tf.RowPartition(nrows=4, uniform_row_length=3)"
    assert repr(RowPartition.from_row_splits([0, 2])) == "tf.RowPartition(row_splits=[0 2])"
