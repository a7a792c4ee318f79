"""Embedding tables with the configs of TPUs, on machines without them."""

import numpy as np
import pytest

import placewise as tf

embedding = tf.tpu.experimental.embedding


def _config(combiner="mean", **options):
    table = embedding.TableConfig(
        4, 2, initializer=lambda shape, dtype: tf.reshape(tf.range(8.0), shape), combiner=combiner
    )
    return embedding.FeatureConfig(table, **options)


def test_dense_ids_give_rows():
    tables = embedding.TPUEmbeddingForServing({"a": _config()}, None)
    assert tables({"a": tf.constant([3, 0])})["a"].numpy().tolist() == [[6.0, 7.0], [0.0, 1.0]]


@pytest.mark.parametrize(
    ("combiner", "expected"),
    [("sum", [8.0, 10.0]), ("mean", [4.0, 5.0]), ("sqrtn", [8 / 2**0.5, 10 / 2**0.5])],
)
def test_ragged_and_sparse_ids_are_combined_alike(combiner, expected):
    tables = embedding.TPUEmbeddingForServing(_config(combiner), None)
    ids = tf.ragged.constant([[1, 3], []], dtype=tf.int64)
    for features in (ids, ids.to_sparse()):
        np.testing.assert_allclose(tables(features), [expected, [0.0, 0.0]], 1e-6)


def test_weights_count_in_a_mean():
    tables = embedding.TPUEmbeddingForServing(_config(), None)
    result = tables(tf.ragged.constant([[1, 3]]), tf.ragged.constant([[1.0, 3.0]]))
    np.testing.assert_allclose(result, [[5.0, 6.0]], 1e-6)


def test_sequences_are_padded_and_cut():
    tables = embedding.TPUEmbeddingForServing(_config(max_sequence_length=2), None)
    ids = tf.ragged.constant([[1, 2, 3], [1]], dtype=tf.int64)
    expected = [[[2.0, 3.0], [4.0, 5.0]], [[2.0, 3.0], [0.0, 0.0]]]
    for features in (ids, ids.to_sparse()):
        assert tables(features).numpy().tolist() == expected


def test_tables_are_trained_and_restored_with_their_slots(tmp_path):
    tables = embedding.TPUEmbeddingForServing(_config(), embedding.Adagrad(0.1, 0.5))
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tables(tf.constant([1])))
    (table,) = tables.embedding_tables.values()
    gradient = tf.convert_to_tensor(tape.gradient(loss, table))
    assert gradient.numpy().tolist() == [[0, 0], [1, 1], [0, 0], [0, 0]]
    table.assign_sub(gradient)
    path = tf.train.Checkpoint(tables=tables).write(str(tmp_path / "tables"))
    other = embedding.TPUEmbeddingForServing(_config(), embedding.Adagrad(0.1, 0.5))
    tf.train.Checkpoint(tables=other).restore(path)
    (again,) = other.embedding_tables.values()
    assert again.numpy().tolist() == table.numpy().tolist()
    (names,) = (sorted(held) for held in other.variables.values())
    assert names == ["accumulators", "parameters"]


def test_what_needs_a_tpu_says_so():
    tables = embedding.TPUEmbedding(_config(), embedding.SGD())
    assert [v.shape.as_list() for v in tables.embedding_tables.values()] == [[4, 2]]
    with pytest.raises(RuntimeError, match="dequeue is not valid when TPUEmbedding object is not"):
        tables.dequeue()
    with pytest.raises(RuntimeError, match="should be created under TPUStrategy"):
        embedding.TPUEmbeddingV0(_config(), None)


def test_bad_configs_are_refused():
    with pytest.raises(ValueError, match="`vocabulary_size` must be an int and must be >= 1"):
        embedding.TableConfig(0, 2)
    with pytest.raises(ValueError, match="`combiner` must be in"):
        embedding.TableConfig(2, 2, combiner="max")
    with pytest.raises(ValueError, match=r"Weight specified for .*, but input is dense"):
        embedding.TPUEmbeddingForServing({"a": _config()}, None)(
            {"a": tf.constant([1])}, {"a": tf.constant([1.0])}
        )
