"""Examples and sequence examples parsed; tensors as messages."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import placewise as tf
from placewise import messages

Fixed, Var, Ragged = tf.io.FixedLenFeature, tf.io.VarLenFeature, tf.io.RaggedFeature


def _example(**features: list[int]) -> bytes:
    example = messages.Example()
    for key, values in features.items():
        example.features.feature[key].int64_list.value.extend(values)
    return example.SerializeToString()


def test_a_batch_of_examples() -> None:
    found = tf.io.parse_example(
        [_example(a=[1], b=[1, 2], r=[5]), _example(a=[3], r=[6, 7])],
        {
            "a": Fixed([1], tf.int64),
            "b": Var(tf.int64),
            "r": Ragged(tf.int64),
            "d": Fixed([], tf.float32, default_value=0.5),
        },
    )
    assert found["a"].numpy().tolist() == [[1], [3]]
    assert found["b"].dense_shape.numpy().tolist() == [2, 2]
    assert found["r"].to_list() == [[5], [6, 7]]
    assert found["d"].numpy().tolist() == [0.5, 0.5]


def test_one_example_has_no_batch_dimension() -> None:
    found = tf.io.parse_single_example(_example(a=[4]), {"a": Fixed([], tf.int64)})
    assert found["a"].shape == () and found["a"].numpy() == 4


def test_rows_within_rows() -> None:
    feature = Ragged(tf.int64, value_key="v", partitions=[Ragged.ValueRowIds("i")])
    found = tf.io.parse_example(
        [_example(v=[1, 2, 3], i=[0, 0, 1]), _example(), _example(v=[4], i=[0])], {"x": feature}
    )
    assert found["x"].to_list() == [[[1, 2], [3]], [], [[4]]]


@pytest.mark.parametrize(
    ("data", "feature", "words"),
    [
        (_example(), Fixed([1], tf.int64), "is required but could not be found"),
        (_example(a=[1]), Fixed([1], tf.float32), "Data types don't match"),
        (_example(a=[1]), Fixed([2], tf.int64), "Values size: 1 but output shape: "),
        (b"junk", Fixed([2], tf.int64), "Could not parse example input"),
        (_example(a=[1]), Var(tf.float32), "Expected type: float, Actual type: int64"),
    ],
)
def test_errors_name_the_feature(data: bytes, feature: Any, words: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        tf.io.parse_example([data], {"a": feature})


def test_sequences_are_filled_up() -> None:
    examples = []
    for count in (3, 1):
        example = messages.SequenceExample()
        for number in range(count):
            step = example.feature_lists.feature_list["s"].feature.add()
            step.int64_list.value.append(number)
        examples.append(example.SerializeToString())
    _, lists, lengths = tf.io.parse_sequence_example(
        examples, sequence_features={"s": tf.io.FixedLenSequenceFeature([], tf.int64)}
    )
    assert lists["s"].numpy().tolist() == [[0, 1, 2], [0, 0, 0]]
    assert lengths["s"].numpy().tolist() == [3, 1]


@pytest.mark.parametrize("dtype", [np.float16, np.float64, np.int8, np.uint64, np.complex64, bool])
@pytest.mark.parametrize("shape", [(), (1,), (2, 3), (0,)])
def test_tensors_come_back_from_messages(dtype: Any, shape: tuple[int, ...]) -> None:
    array = (np.arange(np.prod(shape, dtype=int)).reshape(shape) % 2).astype(dtype)
    proto = tf.make_tensor_proto(array)
    again = tf.make_ndarray(proto)
    assert again.dtype == array.dtype
    np.testing.assert_array_equal(again, array)
    tensor = tf.constant(array)
    np.testing.assert_array_equal(
        tf.io.parse_tensor(tf.io.serialize_tensor(tensor), tensor.dtype), array
    )


def test_sparse_tensors_come_back_from_strings() -> None:
    sparse = tf.SparseTensor([[0, 1], [1, 2]], ["a", "bc"], [2, 3])
    rows = tf.io.serialize_many_sparse(sparse)
    again = tf.io.deserialize_many_sparse(rows, tf.string)
    assert again.indices.numpy().tolist() == [[0, 1], [1, 2]]
    assert again.values.numpy().tolist() == [b"a", b"bc"]


def test_a_message_that_lies_about_its_size_is_refused() -> None:
    proto = messages.TensorProto(dtype=messages.DT_INT32, tensor_content=b"1234")
    proto.tensor_shape.dim.add().size = 2**50
    with pytest.raises(tf.errors.InvalidArgumentError, match="Cannot parse tensor from proto"):
        tf.io.parse_tensor(proto.SerializeToString(), tf.int32)


def test_strings_that_fill_up_a_row_keep_their_zeros():
    def example(*values):
        feature = tf.train.Feature(bytes_list=tf.train.BytesList(value=values))
        return tf.train.Example(
            features=tf.train.Features(feature={"a": feature})
        ).SerializeToString()

    found = tf.io.parse_example(
        [example(b"x"), example(b"y", b"z")],
        {"a": tf.io.FixedLenSequenceFeature([], tf.string, True, default_value=b"d\x00")},
    )
    assert found["a"].numpy().tolist() == [[b"x", b"d\x00"], [b"y", b"z"]]


def test_a_graph_takes_dense_features_of_unknown_shape():
    with tf.Graph().as_default():
        parsed = tf.raw_ops.ParseExampleV2(
            serialized=["x"],
            names=[],
            sparse_keys=[],
            dense_keys=["a"],
            ragged_keys=[],
            dense_defaults=[[0.0]],
            num_sparse=0,
            sparse_types=[],
            ragged_value_types=[],
            ragged_split_types=[],
            dense_shapes=[None],
        )
    assert parsed.dense_values[0].shape.rank is None
