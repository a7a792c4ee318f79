"""Lookup tables: filled once, read from files, with buckets, and changing."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import placewise as tf


def table(keys=("a", "b"), values=(1, 2), default=-1):
    init = tf.lookup.KeyValueTensorInitializer(keys, values)
    return tf.lookup.StaticHashTable(init, default)


def test_a_missing_key_gives_the_default() -> None:
    assert table().lookup(tf.constant(["b", "z"])).numpy().tolist() == [2, -1]
    assert int(table().size()) == 2


def test_sparse_and_ragged_keys_keep_their_form() -> None:
    rows = table().lookup(tf.ragged.constant([["a"], ["b", "z"]]))
    assert rows.to_list() == [[1], [2, -1]]
    found = table().lookup(tf.sparse.from_dense(["a", "", "z"]))
    assert found.values.numpy().tolist() == [1, -1]


def test_two_values_for_a_key_are_refused() -> None:
    with pytest.raises(tf.errors.FailedPreconditionError, match="different value for same key"):
        table(("a", "a"))
    assert int(table(("a", "a"), (1, 1)).size()) == 1


def test_keys_of_another_dtype_are_refused() -> None:
    with pytest.raises(TypeError, match="Dtype of argument `keys` must be"):
        table().lookup(tf.constant([1]))


def test_many_integers_are_found_at_once() -> None:
    many = table(np.arange(0, 1000, 2), np.arange(500), -7)
    found = many.lookup(tf.constant(np.arange(1000))).numpy()
    assert found[::2].tolist() == list(range(500))
    assert set(found[1::2].tolist()) == {-7}


def test_lines_of_a_file_are_keys(tmp_path) -> None:
    path = tmp_path / "words.txt"
    path.write_text("plum\nfig\nkiwi\n")
    index = tf.lookup.TextFileIndex
    init = tf.lookup.TextFileInitializer(
        str(path), tf.string, index.WHOLE_LINE, tf.int64, index.LINE_NUMBER
    )
    words = tf.lookup.StaticHashTable(init, -1)
    assert words.lookup(tf.constant(["fig", "pear"])).numpy().tolist() == [1, -1]
    with pytest.raises(tf.errors.NotFoundError, match="No such file"):
        missing = tf.lookup.TextFileInitializer(
            str(path) + "x", tf.string, index.WHOLE_LINE, tf.int64, index.LINE_NUMBER
        )
        tf.lookup.StaticHashTable(missing, -1)


def test_unknown_words_go_into_buckets() -> None:
    init = tf.lookup.KeyValueTensorInitializer(["a", "b"], tf.constant([0, 1], tf.int64))
    words = tf.lookup.StaticVocabularyTable(init, 3)
    assert words.lookup(tf.constant(["b", "zzz", "yy"])).numpy().tolist() == [1, 2, 3]
    assert int(words.size()) == 5


def test_a_mutable_table_changes() -> None:
    changing = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
    changing.insert(["a", "b"], [1, 2])
    changing.insert("a", 5)
    changing.remove(tf.constant(["b", "never"]))
    assert changing.lookup(tf.constant(["a", "b"])).numpy().tolist() == [5, -1]
    keys, values = changing.export()
    assert keys.numpy().tolist() == [b"a"]
    assert values.numpy().tolist() == [5]
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Expected shape \[2\] for value"):
        changing.insert(["a", "b"], [1])


def test_inserted_tensors_are_copied() -> None:
    rows = tf.lookup.experimental.MutableHashTable(tf.int64, tf.float32, [0.0, 0.0])
    values = tf.constant([[1.0, 2.0]])
    rows.insert([1], values)
    values._value.fill_(9)
    assert rows.lookup(tf.constant([1, 2], tf.int64)).numpy().tolist() == [[1.0, 2.0], [0.0, 0.0]]


def test_a_dense_table_has_keys_that_must_not_be_used() -> None:
    dense = tf.lookup.experimental.DenseHashTable(
        tf.int64, tf.int64, -1, empty_key=0, deleted_key=-1
    )
    dense.insert([1, 2], [10, 20])
    dense.erase([1])
    assert dense.lookup(tf.constant([1, 2], tf.int64)).numpy().tolist() == [-1, 20]
    with pytest.raises(tf.errors.InvalidArgumentError, match="empty_key as a table key"):
        dense.insert([0], [1])


def test_threads_may_insert_together() -> None:
    shared = tf.lookup.experimental.MutableHashTable(tf.int64, tf.int64, -1)

    def fill(start: int) -> None:
        for key in range(start, start + 100):
            shared.insert([key], [key])

    threads = [threading.Thread(target=fill, args=(100 * n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert int(shared.size()) == 400


def test_a_dense_table_exports_its_buckets() -> None:
    dense = tf.lookup.experimental.DenseHashTable(
        tf.int64, tf.int32, 9, -1, -2, initial_num_buckets=8
    )
    dense.insert(tf.constant([3, 1, 11, 19], tf.int64), [30, 10, 110, 190])
    keys, values = dense.export()
    assert keys.numpy().tolist() == [[-1], [1], [-1], [3], [11], [-1], [19], [-1]]
    assert values.numpy().tolist() == [[0], [10], [0], [30], [110], [0], [190], [0]]
    text = tf.lookup.experimental.DenseHashTable(
        tf.string, tf.float32, [0.0, 0.0], "", "$", initial_num_buckets=4
    )
    text.insert(["a", "b"], [[1.0, 2.0], [3.0, 4.0]])
    assert text.export()[0].numpy().tolist() == [[b"a"], [b""], [b"b"], [b""]]
    text.insert(["c", "d", "e"], [[0.0, 0.0]] * 3)
    assert [each.shape.as_list() for each in text.export()] == [[8, 1], [8, 2]]


def test_a_dense_table_takes_over_buckets_only() -> None:
    dense = tf.lookup.experimental.DenseHashTable(
        tf.int64, tf.int32, 9, -1, -2, initial_num_buckets=4
    )
    load = tf.raw_ops.LookupTableImportV2
    buckets = tf.constant([[-1], [1], [2], [-2]], tf.int64)
    load(table_handle=dense.resource_handle, keys=buckets, values=[[0], [5], [6], [7]])
    assert int(dense.size()) == 2
    assert dense.lookup(tf.constant([1, 2, 3], tf.int64)).numpy().tolist() == [5, 6, 9]
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Expected shape \[4,1\] for value"):
        load(table_handle=dense.resource_handle, keys=buckets, values=[0, 5, 6, 7])


def test_a_dense_table_of_vectors_finds_them() -> None:
    dense = tf.lookup.experimental.DenseHashTable(
        tf.int64, tf.int64, 9, [-1, -1], [-2, -2], initial_num_buckets=4
    )
    dense.insert(tf.constant([[1, 2], [3, 4]], tf.int64), tf.constant([30, 10], tf.int64))
    assert dense.lookup(tf.constant([[3, 4], [5, 5]], tf.int64)).numpy().tolist() == [10, 9]
    assert dense.export()[0].numpy().tolist() == [[3, 4], [-1, -1], [-1, -1], [1, 2]]
    with pytest.raises(tf.errors.InvalidArgumentError, match="must end with the table's key shape"):
        dense.lookup(tf.constant([[1, 2, 3]], tf.int64))


def test_buckets_are_a_power_of_two() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="at least 4 and a power of 2, got: 3"):
        tf.lookup.experimental.DenseHashTable(tf.int64, tf.int64, 9, -1, -2, initial_num_buckets=3)


def test_a_table_of_vectors_of_an_unknown_size_is_refused():
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Shape \[\?\] is not fully defined"):
        tf.raw_ops.MutableHashTableOfTensorsV2(
            key_dtype=tf.string, value_dtype=tf.int64, value_shape=[None]
        )
