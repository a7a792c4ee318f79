"""What crossing sparse columns refuses."""

import numpy as np
import pytest

import placewise as tf


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        (lambda: [tf.SparseTensor([[0]], [0], [10])], "Expected D2 of index to be 2 got 1"),
        (lambda: [tf.zeros([0], tf.int64)], "Dense inputs should be a matrix"),
    ],
)
def test_columns_that_are_no_matrices_are_refused(inputs, message):
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        tf.sparse.cross(inputs())


def test_no_columns_cross_to_nothing():
    assert tf.sparse.cross([]).dense_shape.numpy().tolist() == [0, 0]
    with pytest.raises(tf.errors.InvalidArgumentError, match="separator should be a scalar"):
        tf.sparse.cross([], separator=tf.constant(["a", "b"]))


def test_the_dtype_of_the_result_decides_between_text_and_hash():
    parts = {
        "indices": [np.array([[0, 0], [1, 0]])],
        "values": [np.array([b"a", b"b"], object)],
        "shapes": [np.array([2, 1])],
        "dense_inputs": [np.array([[b"x"], [b"y"]], object)],
        "num_buckets": 10,
        "hash_key": 5,
        "internal_type": tf.string,
    }
    for hashed in (True, False):
        made = tf.raw_ops.SparseCross(**parts, hashed_output=hashed, out_type=tf.string)
        assert made[1].numpy().tolist() == [b"a_X_x", b"b_X_y"]
        made = tf.raw_ops.SparseCross(**parts, hashed_output=hashed, out_type=tf.int64)
        assert made[1].dtype == tf.int64
    parts["dense_inputs"] = [np.array([[1], [2]])]
    with pytest.raises(
        tf.errors.InvalidArgumentError, match="Dense inputs should be of internal type 7"
    ):
        tf.raw_ops.SparseCross(**parts, hashed_output=True, out_type=tf.int64)


@pytest.mark.parametrize(
    ("strong", "salt", "codes"),
    [  # TensorFlow 2.21's
        (False, [1, 2], None),
        (True, [1, 2], [7324330830475149127, 7844677534625648961, 7592269141358217486]),
        (True, [137, 173], [385819649226098610, 2631372306214832737, 3211842976949687855]),
    ],
)
def test_text_is_hashed_with_a_key_where_asked(strong: bool, salt: list, codes: list) -> None:
    def crossed(salt: list) -> list:
        part = tf.sparse.from_dense([[b"a", b""], [b"b", b"c"]])
        return tf.raw_ops.SparseCrossHashed(
            indices=[part.indices],
            values=[part.values],
            shapes=[part.dense_shape],
            dense_inputs=[tf.constant([[b"x"], [b"y"]])],
            num_buckets=0,
            strong_hash=strong,
            salt=salt,
        ).output_values.numpy()

    assert crossed(salt).tolist() == (crossed([3, 4]).tolist() if codes is None else codes)


def test_hashed_crosses_take_numbers_as_they_are() -> None:
    numbers = tf.constant([[1, 2], [3, 4]], tf.int64)
    found = tf.raw_ops.SparseCrossHashed(
        indices=[],
        values=[],
        shapes=[],
        dense_inputs=[numbers],
        num_buckets=5,
        strong_hash=False,
        salt=[1, 2],
    )
    assert found.output_values.numpy().tolist() == [1, 2, 3, 4]
