"""Patterns of ragged tensors in functions: parts that do not fit are refused when they run."""

import numpy as np

from .table import pattern


def _outcomes(tf, cases):
    """Return what each call gives inside a function, or the class of its error."""
    answers = []
    for function, *arguments in cases:
        try:
            result = tf.function(function)(*map(tf.constant, arguments))
            answers.append(tf.nest.map_structure(lambda item: str(item.to_list()), result))
        except tf.errors.InvalidArgumentError as problem:
            answers.append(type(problem).__name__)
    return answers


def _numbers(*items):
    return np.array(items, np.int64)


@pattern
def parts_of_ragged_tensors_are_checked_when_a_function_runs(tf, folder):
    make = tf.RaggedTensor
    values = _numbers(0, 1, 2, 3)

    def by_splits(v, p):
        return make.from_row_splits(v, p)

    def by_ids(v, p):
        return make.from_value_rowids(v, p)

    def by_counted_ids(v, p):
        return make.from_value_rowids(v, p, nrows=2)

    def by_lengths(v, p):
        return make.from_row_lengths(v, p)

    def by_starts(v, p):
        return make.from_row_starts(v, p)

    def by_limits(v, p):
        return make.from_row_limits(v, p)

    def by_length(v, p):
        return make.from_uniform_row_length(v, p[0])

    def by_counted_length(v, p):
        return make.from_uniform_row_length(v, 3, nrows=p[0])

    def nested(v, p):
        return make.from_nested_row_splits(v, [p, [0, 2, 4]])

    return _outcomes(
        tf,
        [
            (by_splits, values, _numbers(0, 3, 4)),
            (by_splits, values, _numbers(0, 3, 2, 4)),
            (by_splits, values, _numbers(1, 4)),
            (by_splits, values, _numbers(0, 3)),
            (by_ids, values, _numbers(0, 0, 2, 2)),
            (by_ids, values, _numbers(0, 2, 1, 2)),
            (by_counted_ids, values, _numbers(0, 1, 1, 1)),
            (by_counted_ids, values, _numbers(0, 1, 2, 2)),
            (by_lengths, values, _numbers(1, 0, 3)),
            (by_lengths, values, _numbers(1, 2)),
            (by_lengths, values, _numbers(-1, 5)),
            (by_starts, values, _numbers(0, 2)),
            (by_starts, values, _numbers(1, 2)),
            (by_starts, values, _numbers(0, 3, 2)),
            (by_starts, values, _numbers(0, 5)),
            (by_limits, values, _numbers(2, 4)),
            (by_limits, values, _numbers(2, 3)),
            (by_length, values, _numbers(2)),
            (by_length, values, _numbers(3)),
            (by_counted_length, values, _numbers(3)),
            (nested, values, _numbers(0, 1, 2)),
            (nested, values, _numbers(0, 3)),
        ],
    )


@pattern
def a_sparse_matrix_with_gaps_is_no_ragged_one_in_a_function(tf, folder):
    def made(indices):
        values = tf.range(tf.shape(indices)[0])
        return tf.RaggedTensor.from_sparse(tf.SparseTensor(indices, values, [3, 4]))

    return _outcomes(
        tf,
        [
            (made, np.array(indices, np.int64))
            for indices in (
                [[0, 0], [0, 1], [2, 0]],
                [[0, 1], [0, 2]],
                [[0, 0], [0, 2]],
                [[0, 0], [2, 1]],
                [[0, 0], [0, 0]],
            )
        ],
    )


@pattern
def a_sparse_tensor_of_unknown_rank_is_no_ragged_one(tf, folder):
    with tf.Graph().as_default():
        place = tf.compat.v1.placeholder
        sparse = tf.SparseTensor(place(tf.int64), [0], place(tf.int64))
        return tf.RaggedTensor.from_sparse(sparse)


@pattern
def pieces_of_a_ragged_tensor_add_up_to_it(tf, folder):
    rows = tf.ragged.constant([[0, 1, 2], [3]])
    answers = []
    for sizes in (2, [2, 0], [1, 5], [1, 0], [1, -1], 3):
        try:
            answers.append([piece.to_list() for piece in tf.split(rows, sizes)])
        except tf.errors.InvalidArgumentError as problem:
            answers.append(type(problem).__name__)

    def halves(v, p):
        return tf.split(tf.RaggedTensor.from_row_splits(v, p), 2)

    spec = [tf.TensorSpec([None], tf.int64)] * 2
    halved = tf.function(halves, input_signature=spec)
    answers.append([piece.to_list() for piece in halved(_numbers(5, 6, 7), _numbers(0, 1, 3))])
    return answers


@pattern
def images_of_different_sizes_are_resized_together(tf, folder):
    images = tf.ragged.constant(
        [[[[1.0], [2.0]], [[3.0], [4.0]]], [[[5.0]]]], ragged_rank=2, inner_shape=(1,)
    )
    spec = [tf.RaggedTensorSpec([None, None, None, 1], ragged_rank=2)]
    resized = tf.function(lambda x: tf.image.resize(x, [2, 1]), input_signature=spec)
    return [
        tf.image.resize(images, [2, 2]),
        tf.image.resize(images, [3, 2], method="nearest"),
        tf.compat.v1.image.resize(images, [2, 3]),
        resized(images),
        tf.image.resize(images[:0], [2, 2]),
    ]


@pattern
def the_mean_of_ragged_integers_is_no_integer(tf, folder):
    rows = tf.ragged.constant([[3, 1, 4], [1, 5], [9]])
    deep = tf.ragged.constant([[[1, 2], [3]], [[4, 5]]])
    means = [tf.reduce_mean(rows), tf.reduce_mean(rows, [0, 1]), tf.reduce_mean(deep)]
    return [*means, tf.reduce_mean(rows, 1), tf.reduce_sum(rows)]


@pattern
def ragged_values_of_any_rank_become_dense(tf, folder):
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        values = v1.placeholder_with_default([1, 2, 3], shape=None)
        rows = tf.RaggedTensor.from_row_splits(values, [0, 2, 3])
        return session.run(rows.to_tensor(shape=[3, 3]))
