"""Columns give TensorFlow 1.15's numbers, names and words."""

import numpy as np
import pytest

import placewise.compat.v1 as tf
from placewise.compat.v1 import feature_column as fc

pytestmark = pytest.mark.usefixtures("graph_mode")


def run(made):
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), tf.tables_initializer()])
        return session.run(made).tolist()


def features():
    return {
        "age": tf.constant([[3.0], [25.0], [70.0]]),
        "color": tf.constant([["red"], ["blue"], ["pink"]]),
        "words": tf.constant([["a", "b"], ["c", ""], ["a", "a"]]),
    }


def test_numbers_are_cut_into_ranges():
    column = fc.bucketized_column(fc.numeric_column("age"), [18, 30, 65])
    assert run(fc.input_layer(features(), column)) == [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 1]]


def test_words_outside_a_vocabulary_get_buckets():
    column = fc.categorical_column_with_vocabulary_list("color", ["red", "green", "blue"])
    more = fc.categorical_column_with_vocabulary_list(
        "color", ["red", "green", "blue"], num_oov_buckets=2
    )
    assert run(fc.input_layer(features(), fc.indicator_column(column)))[2] == [0, 0, 0]
    assert run(fc.input_layer(features(), fc.indicator_column(more)))[2] == [0, 0, 0, 1, 0]


def test_words_are_hashed_and_counted():
    column = fc.categorical_column_with_hash_bucket("words", 10)
    found = np.array(run(fc.input_layer(features(), fc.indicator_column(column))))
    assert found.argmax(1).tolist() == [2, 2, 9]
    assert found.sum(1).tolist() == [2, 1, 2]


def test_crosses_are_hashed_as_in_tensorflow():
    ages = fc.bucketized_column(fc.numeric_column("age"), [18, 30, 65])
    column = fc.indicator_column(fc.crossed_column([ages, "color"], 20))
    found = np.array(run(fc.input_layer(features(), column)))
    assert found.argmax(1).tolist() == [15, 8, 17]


def test_variables_are_named_after_their_columns():
    colors = fc.categorical_column_with_vocabulary_list("color", ["red"])
    fc.input_layer(features(), fc.embedding_column(colors, 3))
    fc.linear_model(features(), [colors, fc.numeric_column("age")])
    assert [each.op.name for each in tf.trainable_variables()] == [
        "input_layer/color_embedding/embedding_weights",
        "linear_model/age/weights",
        "linear_model/color/weights",
        "linear_model/bias_weights",
    ]


def test_what_is_wrong_is_told():
    with pytest.raises(ValueError, match="boundaries must be a sorted list"):
        fc.bucketized_column(fc.numeric_column("age"), [3, 1])
    with pytest.raises(ValueError, match="Items of feature_columns must be a _DenseColumn"):
        fc.input_layer(features(), fc.categorical_column_with_identity("id", 3))
    with pytest.raises(ValueError, match="Feature id is not in features dictionary"):
        fc.input_layer(features(), fc.numeric_column("id"))


def test_columns_say_what_to_parse():
    spec = fc.make_parse_example_spec(
        [fc.numeric_column("age"), fc.categorical_column_with_hash_bucket("words", 10)]
    )
    assert spec["age"].shape == (1,)
    assert spec["words"] == tf.VarLenFeature(tf.string)
