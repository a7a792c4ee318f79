"""Calls and graphs that once hung, took all memory, or failed in words of torch or Python."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import placewise as tf
from placewise.core.errors import InvalidArgumentError, ResourceExhaustedError

ops = tf.raw_ops
tf1 = tf.compat.v1


def bincount():
    return ops.SparseBincount(
        indices=np.zeros((1, 1), np.int64),
        values=[1],
        dense_shape=np.array([1], np.int64),
        size=2**31 - 1,
        weights=np.zeros(0, np.float32),
    )


def constant_of(size):
    graph_def = tf1.GraphDef()
    node = graph_def.node.add(name="c", op="Const")
    node.attr["dtype"].type = 1
    node.attr["value"].tensor.dtype = 1
    node.attr["value"].tensor.tensor_shape.dim.add(size=size)
    node.attr["value"].tensor.float_val.append(1.0)
    with tf1.Graph().as_default() as graph:
        tf1.import_graph_def(graph_def, name="")
    with tf1.Session(graph=graph) as session:
        return session.run("c:0")


REFUSED = {
    "a result of 2**40 strings": (
        lambda: tf.strings.unsorted_segment_join(["a"], [0], 2**40),
        ResourceExhaustedError,
        r"OOM when allocating tensor with shape\[1099511627776\]",
    ),
    "a segment far away": (
        lambda: ops.SegmentProd(data=[1.0], segment_ids=[2**31 - 1]),
        ResourceExhaustedError,
        "OOM when allocating",
    ),
    "counts of everything": (bincount, ResourceExhaustedError, "OOM when allocating"),
    "a constant larger than memory": (
        lambda: constant_of(2**35),
        ResourceExhaustedError,
        "OOM when allocating",
    ),
    "a common divisor of nan": (
        lambda: tf.experimental.numpy.gcd(float("nan"), 3),
        ValueError,
        "Arguments to gcd must be integers",
    ),
    "a number as a pattern": (
        lambda: ops.StaticRegexReplace(input="a", pattern=2147483647, rewrite="b"),
        TypeError,
        "Expected string for argument 'pattern' not 2147483647",
    ),
    "a list as a message": (
        lambda: ops.CheckNumerics(tensor=1.0, message=["a", 1]),
        TypeError,
        "Expected string for argument 'message'",
    ),
    "nothing to pack": (lambda: ops.Pack(values=[]), InvalidArgumentError, "'T' not in NodeDef"),
    "nothing to add": (lambda: ops.AddN(inputs=[]), InvalidArgumentError, "'T' not in NodeDef"),
    "a ragged axis": (
        lambda: tf.reduce_mean("x", axis=tf.ragged.constant([[1], [2, 3]])),
        ValueError,
        "'RaggedTensor' has no len",
    ),
    "a unit matrix of False rows": (
        lambda: tf.eye(False),
        TypeError,
        r"Cannot convert \[False\] to EagerTensor of dtype int32",
    ),
    **{
        f"{name} of shapes that differ": (
            lambda name=name, second=second: getattr(ops, name)(
                gradients=[1.0, 2.0], **{second: [1.0]}
            ),
            InvalidArgumentError,
            f"Inputs to operation {name} of type {name} must have the same size and shape",
        )
        for name, second in (
            ("ReluGrad", "features"),
            ("Relu6Grad", "features"),
            ("EluGrad", "outputs"),
            ("SeluGrad", "outputs"),
        )
    },
}


@pytest.mark.parametrize("name", REFUSED)
def test_it_is_refused_in_tensorflows_words(name):
    call, error, words = REFUSED[name]
    with pytest.raises(error, match=words):
        call()


ANSWERED = {
    "a scalar upside down": (lambda: tf.experimental.numpy.flipud(0), ()),
    "frames of no samples": (lambda: tf.signal.inverse_mdct(tf.zeros([3, 0])), (0,)),
    "LeakyRelu of an integer": (lambda: ops.LeakyRelu(features=1), ()),
    "a pattern of nested repeats": (
        lambda: tf.strings.regex_full_match("a" * 5000 + "b", "(a+)+"),
        (),
    ),
}


@pytest.mark.parametrize("name", ANSWERED)
def test_it_is_answered(name):
    call, shape = ANSWERED[name]
    assert tuple(call().shape) == shape


def test_nothing_is_asked_of_a_value_that_no_slice_is_taken_of():
    assert ops.Unpack(value=np.ones((2, 3)), num=0) == []
    assert tf.unstack(np.ones((2, 3)), 0) == []
    with pytest.raises(InvalidArgumentError, match="must be at least minimum 0"):
        ops.Unpack(value=np.ones((2, 3)), num=-1)
    with tf.Graph().as_default(), pytest.raises(ValueError, match="Dimension must be 0 but is 2"):
        tf.unstack(np.ones((2, 3)), 0)


def test_negative_dimensions_of_an_eager_placeholder_are_unknown_ones():
    for shape in ([-1], [7, -2]):
        value = ops.PlaceholderWithDefault(input=np.ones((1, 2)), shape=shape)
        assert value.shape == (1, 2)
    assert tf1.placeholder_with_default(np.ones(3), [-1]).shape == (3,)
    with tf.Graph().as_default(), pytest.raises(ValueError, match="Dimension -1 must be >= 0"):
        tf1.placeholder_with_default(np.ones(3), [-1])


@pytest.mark.parametrize("load", [0.0, 1.0, -1.0, float("nan")])
def test_a_table_that_could_never_be_large_enough_is_refused(load):
    with pytest.raises(InvalidArgumentError, match="max_load_factor must be between 0 and 1"):
        ops.MutableDenseHashTableV2(
            empty_key=np.int64(0),
            deleted_key=np.int64(-1),
            value_dtype=tf.int64,
            max_load_factor=load,
        )


@pytest.mark.parametrize("name", ["(", "\0", "a b", "_a", "-a", "a_b", "é"])
def test_containers_have_names_of_tensorflow(name):
    for op, types in (
        (ops.FIFOQueueV2, {"component_types": [tf.float32]}),
        (ops.HashTableV2, {"key_dtype": tf.string, "value_dtype": tf.int64}),
    ):
        with pytest.raises(InvalidArgumentError, match="container contains invalid characters"):
            op(**types, container=name)
        op(**types, container="a/b-.c")


@pytest.mark.parametrize(
    ("op", "types", "shapes", "words"),
    [
        ("FIFOQueueV2", [tf.int32, tf.string], [()], r"Types: int32, string, Shapes: \[\[\]\]"),
        ("FIFOQueueV2", [tf.int32], [[None]], r"Shape \[\?\] is not fully defined"),
        ("RandomShuffleQueueV2", [tf.int32], [(), ()], "Different number of component types"),
        ("PriorityQueueV2", [tf.int32], [[1, None]], r"Shape \[1,\?\] is not fully defined"),
        ("PriorityQueueV2", [], [], "requested component shapes"),
        ("PaddingFIFOQueueV2", [tf.int32], [], "received 1 dtypes and 0 shapes"),
        ("PaddingFIFOQueueV2", [tf.int32], [None], "must have known rank"),
        ("PaddingFIFOQueueV2", [tf.int32] * 2, [[None]], "Different number of component types"),
    ],
)
def test_queues_refuse_shapes_that_no_element_could_have(op, types, shapes, words):
    with pytest.raises(InvalidArgumentError, match=words):
        getattr(ops, op)(component_types=types, shapes=shapes)


def test_numbers_are_no_strings():
    with pytest.raises(TypeError, match="to EagerTensor of dtype string"):
        tf.convert_to_tensor([np.array(1, np.uint8)], tf.string)


def test_a_checkpoint_that_is_not_there_cannot_be_merged(tmp_path):
    prefix = str(tmp_path / "none")
    for prefixes, words in (([prefix], "did not exist"), ([[prefix]], "should be an 1-D tensor")):
        with pytest.raises(InvalidArgumentError, match=words):
            ops.MergeV2Checkpoints(checkpoint_prefixes=prefixes, destination_prefix=prefix)


def test_splits_of_a_single_example_are_empty():
    example = tf.train.Example()
    example.features.feature["b"].int64_list.value.append(3)
    parsed = ops.ParseExampleV2(
        serialized=example.SerializeToString(),
        names=np.empty(0, object),
        sparse_keys=np.empty(0, object),
        dense_keys=np.empty(0, object),
        ragged_keys=np.array([b"b"], object),
        dense_defaults=[],
        num_sparse=0,
        sparse_types=[],
        ragged_value_types=[tf.int64],
        ragged_split_types=[tf.int32],
        dense_shapes=[],
    )
    assert parsed.ragged_values[0].numpy().tolist() == [3]
    assert parsed.ragged_row_splits[0].shape == (0,)
    features = {"b": tf.io.RaggedFeature(tf.int64)}
    one = tf.io.parse_single_example(example.SerializeToString(), features)
    assert one["b"].numpy().tolist() == [3]


def test_a_warning_of_placement_points_at_the_programs_line():
    with tf.simulate("2xK40c"), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with tf.device("GPU:1"):
            tf.strings.join(["a", "b"])
    (told,) = [each for each in caught if "StringJoin" in str(each.message)]
    assert told.filename == __file__


def test_a_job_that_is_not_there_is_what_the_error_names():
    tf.config.set_soft_device_placement(True)
    with (
        tf.simulate("2xK40c"),
        tf.device("/job:foo/task:7/GPU:1"),
        pytest.raises(InvalidArgumentError, match="/job:foo/replica:0/task:7/device:GPU:1 unknown"),
    ):
        tf.matmul([[1.0]], [[1.0]])


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_the_logarithm_of_a_matrix_is_undone_by_its_exponential(dtype):
    matrix = np.array([[3, 1], [1, 2]], dtype)
    logarithm = ops.MatrixLogarithm(input=matrix)
    np.testing.assert_allclose(tf.linalg.expm(logarithm), matrix, rtol=1e-5)
    sign, value = ops.LogMatrixDeterminant(input=matrix)
    np.testing.assert_allclose(sign * tf.exp(value), 5.0, rtol=1e-5)
    np.testing.assert_allclose(tf.linalg.trace(logarithm), np.log(5.0), rtol=1e-5)
