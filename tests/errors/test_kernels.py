"""Mistakes with the arguments of layers, images, matrices and other ops.

Each error says the value and what to do.
"""

import numpy as np
import pytest

import placewise as tf
from tests.errors.mistakes import check, collector

v1 = tf.compat.v1
MISTAKES, mistake = collector()


@mistake(
    ValueError,
    "Tensor conversion requested dtype int32 for Tensor with dtype",
    "convert it: tf.cast(x, tf.int32)",
)
def convert_dtype():
    tf.convert_to_tensor(tf.constant(1.0), tf.int32)


@mistake(
    tf.errors.InvalidArgumentError,
    "input depth must be evenly divisible by filter depth: 3 vs 4",
    "received: input float32[1, 5, 5, 3], filter float32[3,",
    "the third dimension of the filter is the number of",
)
def conv_channels():
    tf.nn.conv2d(tf.ones([1, 5, 5, 3]), tf.ones([3, 3, 4, 8]), 1, "SAME")


@mistake(
    tf.errors.InvalidArgumentError,
    "convolution input must be 4-dimensional: [5,5,3]",
    "received: input float32[5, 5, 3], filter float32[3, 3,",
    "images have [batch, height, width, channels]:",
)
def conv_rank():
    tf.nn.conv2d(tf.ones([5, 5, 3]), tf.ones([3, 3, 3, 8]), 1, "SAME")


@mistake(
    tf.errors.InvalidArgumentError,
    "Value for attr 'padding' of \"FULL\" is not in the list of allowed",
    "received: input float32[1, 5, 5, 3], filter float32[3,",
    "pass one of the allowed values",
)
def conv_padding():
    tf.nn.conv2d(tf.ones([1, 5, 5, 3]), tf.ones([3, 3, 3, 8]), 1, "FULL")


@mistake(
    tf.errors.InvalidArgumentError,
    "Must provide as many biases as the last dimension of the input",
    "received: value float32[2, 3], bias float32[4]",
    "there is one bias a channel: check data_format",
)
def bias_add():
    tf.nn.bias_add(tf.ones([2, 3]), tf.ones([4]))


@mistake(
    tf.errors.InvalidArgumentError,
    "logits and labels must be broadcastable: logits_size=[2,4]",
    "received: features float32[2, 4], labels float32[2, 3]",
    "labels have a row of probabilities a case:",
)
def softmax_logits():
    tf.nn.softmax_cross_entropy_with_logits(labels=tf.ones([2, 3]), logits=tf.ones([2, 4]))


@mistake(
    ValueError,
    "`labels.shape.rank` must equal `logits.shape.rank - 1`. Received:",
    "labels are ids here: tf.squeeze or tf.argmax them, or",
)
def sparse_softmax_rank():
    tf.nn.sparse_softmax_cross_entropy_with_logits(
        labels=tf.ones([2, 3], tf.int32), logits=tf.ones([2, 3])
    )


@mistake(
    tf.errors.InvalidArgumentError,
    "Received a label value of 7 which is outside the valid range of [0,",
    "received: features float32[1, 3], labels int32[1]",
    "labels are ids from 0 to the number of classes less 1:",
)
def sparse_softmax_label():
    tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[7], logits=tf.ones([1, 3]))


@mistake(
    tf.errors.InvalidArgumentError,
    "indices[0] = 5 is not in [0, 3)",
    "received: params float32[3, 2], indices int32[1], axis",
    "ids must lie below the size of the table: check the",
)
def embedding_index():
    tf.nn.embedding_lookup(tf.ones([3, 2]), [5])


@mistake(
    ValueError,
    "`rate` must be a scalar tensor or a float in the range [0, 1).",
    "the rate is the share that is dropped",
    "TF1's keep_prob is 1 - rate",
)
def dropout_rate():
    tf.nn.dropout(tf.ones([3]), 1.5)


@mistake(
    tf.errors.InvalidArgumentError,
    "input must have at least k columns. Had 2, needed 5",
    "received: input float32[2], k = 5",
    "take a smaller k",
)
def topk():
    tf.math.top_k(tf.ones([2]), 5)


@mistake(
    tf.errors.InvalidArgumentError,
    "First dimension of predictions 2 must match length of targets 1",
    "received: predictions float32[2, 3], targets int32[1],",
    "give one target a row of predictions",
)
def in_topk():
    tf.math.in_top_k([1], tf.ones([2, 3]), 1)


@mistake(
    tf.errors.InvalidArgumentError,
    "Input is not invertible.",
    "received: input float32[2, 2]",
    "see tf.linalg.pinv, or add a small multiple of tf.eye",
)
def inv():
    tf.linalg.inv(tf.zeros([2, 2]))


@mistake(
    tf.errors.InvalidArgumentError,
    "Input matrix must be square.",
    "received: input float32[2, 3]",
    "see tf.linalg.pinv",
)
def inv_square():
    tf.linalg.inv(tf.ones([2, 3]))


@mistake(
    tf.errors.InvalidArgumentError,
    "Input matrix and rhs are incompatible.",
    "received: matrix float32[2, 2], rhs float32[3, 1]",
    "the right side needs as many rows",
)
def solve():
    tf.linalg.solve(tf.ones([2, 2]), tf.ones([3, 1]))


@mistake(
    tf.errors.InvalidArgumentError,
    "Expected dimension 3 at axis 0 of the input shaped [4,2] but got",
    "received: inputs (float32[2, 3], float32[4, 2])",
    "a label must stand for one size in all inputs",
)
def einsum():
    tf.einsum("ij,jk->ik", tf.ones([2, 3]), tf.ones([4, 2]))


@mistake(
    ValueError,
    "Output subscripts contain the label k not present in the input",
    "each label behind -> must stand before it: 'ij,jk->ik'",
)
def einsum_eq():
    tf.einsum("ij->ijk", tf.ones([2, 3]))


@mistake(
    tf.errors.InvalidArgumentError,
    "x : Tensor had NaN values",
    "received: tensor float32[2]",
    "tf.debugging.enable_check_numerics() names the op that",
)
def check_numerics():
    tf.debugging.check_numerics(tf.constant([1.0, float("nan")]), "x")


@mistake(
    tf.errors.InvalidArgumentError,
    "Shape of tensor input [2] is not compatible with expected shape [3].",
    "received: input float32[2]",
    "add or drop dimensions with tf.expand_dims, tf.squeeze",
)
def assert_shape():
    tf.ensure_shape(tf.ones([2]), [3])


@mistake(
    tf.errors.InvalidArgumentError,
    "Integer division by zero",
    "received: x int32[], y int32[]",
    "see tf.math.divide_no_nan, or divide floats",
)
def div_zero():
    tf.constant(1) // tf.constant(0)


@mistake(
    tf.errors.InvalidArgumentError,
    "StringToNumberOp could not correctly convert string: abc",
    "received: string_tensor string[]",
    "strip it first with tf.strings.strip or regex_replace",
)
def strings_num():
    tf.strings.to_number("abc")


@mistake(
    ValueError,
    "Must specify maxval for integer dtype tf.int32",
    "tf.random.uniform(shape, 0, 10, tf.int32) gives 0 to 9",
)
def random_int():
    tf.random.uniform([2], dtype=tf.int32)


@mistake(
    tf.errors.InvalidArgumentError,
    "indices[0] = [3] is out of bounds: need 0 <= index < [2]",
    "received: sparse_indices int64[1, 1], output_shape =",
    "make dense_shape larger, or check the indices",
)
def sparse_dense():
    tf.sparse.to_dense(tf.SparseTensor([[3]], [1.0], [2]))


@mistake(
    tf.errors.InvalidArgumentError,
    "segment ids are not increasing",
    "received: data float32[2], segment_ids int32[2]",
    "sort by the ids first, or use",
)
def segment():
    tf.math.segment_sum([1.0, 2.0], [1, 0])


@mistake(
    tf.errors.InvalidArgumentError,
    "indices[0] = [5] does not index into shape [3]",
    "received: indices int32[1, 1], updates float32[1],",
    "make the shape larger, or check the indices",
)
def scatter():
    tf.scatter_nd([[5]], [1.0], [3])


@mistake(
    tf.errors.OutOfRangeError,
    "Tried to write to index 5 but array is not resizeable and size is: 2 ",
    "make it with a larger size, or with dynamic_size=True",
)
def tensorarray_range():
    tf.TensorArray(tf.float32, 2).write(5, 1.0)


@mistake(
    tf.errors.InvalidArgumentError,
    "0-th value returned by pyfunc_",
    "return x.astype(...) from the function, or change Tout",
)
def numpy_function():
    tf.function(lambda: tf.numpy_function(np.float64, [1.0], tf.float32))()


@mistake(
    ValueError,
    "Cannot infer argument `num` from shape (None, 2)",
    "pass num, or state the size first with set_shape",
)
def unstack_unknown():
    with tf.Graph().as_default():
        tf.unstack(v1.placeholder(tf.float32, [None, 2]))


@mistake(
    ValueError,
    "Argument `indexing` parameter must be either 'xy' or 'ij', got 'zz'",
    "'xy' swaps the first two axes, 'ij' keeps them",
)
def meshgrid_index():
    tf.meshgrid([1], [2], indexing="zz")


@mistake(
    ValueError,
    "'images' must have either 3 or 4 dimensions.",
    "received shape (2, 2)",
    "images have [height, width, channels]: image[...,",
)
def image_resize():
    tf.image.resize(tf.ones([2, 2]), [3, 3])


@mistake(
    ValueError,
    "Resize method is not implemented: foo",
    "take one of tf.image.ResizeMethod: bilinear, nearest,",
)
def image_method():
    tf.image.resize(tf.ones([2, 2, 1]), [3, 3], method="foo")


@mistake(
    ValueError,
    "'ord' must be a supported vector norm, got foo",
    "take 'euclidean', 1, 2, np.inf or another positive",
)
def norm_ord():
    tf.norm(tf.ones([2, 2]), ord="foo")


@pytest.mark.parametrize(("function", "kind", "words", "shown"), MISTAKES)
def test_the_error_says_the_value_and_what_to_do(function, kind, words, shown, tmp_path):
    check(function, kind, words, shown, tmp_path)
