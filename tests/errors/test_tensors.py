"""Mistakes with shapes, dtypes, axes and indices of tensors.

Each error says the value and what to do.
"""

import pytest

import placewise as tf
from tests.errors.mistakes import check, collector

MISTAKES, mistake = collector()


@mistake(
    tf.errors.InvalidArgumentError,
    "Incompatible shapes: [2] vs. [3]",
    "received: x float32[2], y float32[3]",
    "dimensions must be equal or 1, counted from the last:",
)
def add_shapes():
    tf.constant([1.0, 2.0]) + tf.constant([1.0, 2.0, 3.0])


@mistake(
    tf.errors.InvalidArgumentError,
    "cannot compute AddV2 as input #1(zero-based) was expected to be a",
    "y is int32[2]",
    "convert one of them first, as with tf.cast(x,",
)
def add_dtypes():
    tf.constant([1.0, 2.0]) + tf.constant([1, 2])


@mistake(
    tf.errors.InvalidArgumentError,
    "Matrix size-incompatible: In[0]: [2,3], In[1]: [2,3]",
    "received: a float32[2, 3], b float32[2, 3]",
    "the columns of the first must equal the rows of the",
)
def matmul_dims():
    tf.matmul(tf.ones([2, 3]), tf.ones([2, 3]))


@mistake(
    tf.errors.InvalidArgumentError,
    "In[0] and In[1] has different ndims: [3] vs. [3,3]",
    "received: a float32[3], b float32[3, 3]",
    "tf.linalg.matvec takes a vector",
)
def matmul_rank():
    tf.matmul(tf.ones([3]), tf.ones([3, 3]))


@mistake(
    tf.errors.InvalidArgumentError,
    "cannot compute MatMul as input #1(zero-based) was expected to be a",
    "b is int32[2, 2]",
    "convert one of them first, as with tf.cast(x,",
)
def matmul_dtype():
    tf.matmul(tf.ones([2, 2]), tf.ones([2, 2], tf.int32))


@mistake(
    tf.errors.InvalidArgumentError,
    "ConcatOp : Dimension 1 in both shapes must be equal: shape[0] = [2,3]",
    "received: values (float32[2, 3], float32[3, 4]), axis =",
    "all dimensions but the joined one must agree: check",
)
def concat_shapes():
    tf.concat([tf.ones([2, 3]), tf.ones([3, 4])], 0)


@mistake(
    tf.errors.InvalidArgumentError,
    "ConcatOp : Ranks of all input tensors should match: shape[0] = [2,3]",
    "received: values (float32[2, 3], float32[3]), axis = 0",
    "all dimensions but the joined one must agree: check",
)
def concat_rank():
    tf.concat([tf.ones([2, 3]), tf.ones([3])], 0)


@mistake(
    tf.errors.InvalidArgumentError,
    "ConcatOp : Expected concatenating dimensions in the range [-2, 2),",
    "received: values (float32[2, 3], float32[2, 3]), axis =",
    "axes count from 0 at the front or from -1 at the end:",
)
def concat_axis():
    tf.concat([tf.ones([2, 3])] * 2, 5)


@mistake(
    tf.errors.InvalidArgumentError,
    "Shapes of all inputs must match: values[0].shape = [2] !=",
    "received: values (float32[2], float32[3])",
    "tf.stack needs equal shapes: tf.concat joins unequal",
)
def stack_shapes():
    tf.stack([tf.ones([2]), tf.ones([3])])


@mistake(
    tf.errors.InvalidArgumentError,
    "Input to reshape is a tensor with 6 values, but the requested shape",
    "received: tensor float32[6], shape = [4, 2]",
    "the number of elements must stay: -1 as one dimension",
)
def reshape_size():
    tf.reshape(tf.ones([6]), [4, 2])


@mistake(
    tf.errors.InvalidArgumentError,
    "Only one input size may be -1, not both 0 and 1",
    "received: tensor float32[6], shape = [-1, -1]",
    "give all dimensions but one",
)
def reshape_two():
    tf.reshape(tf.ones([6]), [-1, -1])


@mistake(
    tf.errors.InvalidArgumentError,
    "Incompatible shapes: [3] vs. [2]",
    "received: input float32[3], shape = [2]",
    "dimensions must be equal or 1, counted from the last:",
)
def broadcast_to():
    tf.broadcast_to(tf.ones([3]), [2])


@mistake(
    tf.errors.InvalidArgumentError,
    "Invalid reduction dimension (5 for input with 2 dimension(s)",
    "received: input float32[2, 3], reduction_indices = 5",
    "axes count from 0 at the front or from -1 at the end:",
)
def reduce_axis():
    tf.reduce_sum(tf.ones([2, 3]), axis=5)


@mistake(
    tf.errors.InvalidArgumentError,
    "Expected dimension in the range [-1, 1), but got 3",
    "received: input float32[2], dimension = 3",
    "axes count from 0 at the front or from -1 at the end:",
)
def argmax_axis():
    tf.argmax(tf.ones([2]), axis=3)


@mistake(
    tf.errors.InvalidArgumentError,
    "Tried to expand dim index 5 for tensor with 1 dimensions.",
    "received: input float32[2], dim = 5",
    "axes count from 0 at the front or from -1 at the end:",
)
def expand_axis():
    tf.expand_dims(tf.ones([2]), 5)


@mistake(
    tf.errors.InvalidArgumentError,
    "Can not squeeze dim[0], expected a dimension of 1, got 2",
    "received: input float32[2, 3]",
    "only dimensions of size 1 can go: leave `axis` out, or",
)
def squeeze_dim():
    tf.squeeze(tf.ones([2, 3]), [0])


@mistake(
    tf.errors.InvalidArgumentError,
    "transpose expects a vector of size 2. But input(1) is a vector of",
    "received: x float32[2, 3], perm = [0]",
    "`perm` names each dimension once",
)
def transpose_perm():
    tf.transpose(tf.ones([2, 3]), [0])


@mistake(
    tf.errors.InvalidArgumentError,
    "Number of ways to split should evenly divide the split dimension, but",
    "received: split_dim = 0, value float32[5]",
    "pass the sizes as a list: tf.split(x, [2, 3])",
)
def split_uneven():
    tf.split(tf.ones([5]), 2)


@mistake(
    tf.errors.InvalidArgumentError,
    "indices = 5 is not in [0, 3)",
    "received: params float32[3], indices int32[], axis = 0",
    "ids must lie below the size of the table: check the",
)
def gather_index():
    tf.gather(tf.ones([3]), 5)


@mistake(
    tf.errors.InvalidArgumentError,
    "slice index 5 of dimension 0 out of bounds.",
    "received: input float32[3], begin = [5], end = [6],",
    "compare with x.shape",
)
def index_range():
    tf.ones([3])[5]


@mistake(
    TypeError,
    "Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`)",
    "tf.gather takes indices from a tensor, tf.boolean_mask",
)
def index_type():
    tf.ones([3])["a"]


@mistake(
    TypeError,
    "Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`)",
    "tf.gather takes indices from a tensor, tf.boolean_mask",
)
def index_float():
    tf.ones([3])[1.5]


@mistake(
    tf.errors.InvalidArgumentError,
    "Index out of range using input dim 1; input has only 1 dims",
    "received: input float32[3], begin = [0, 0], end = [1,",
    "compare with x.shape",
)
def index_too_many():
    tf.ones([3])[0, 0]


@mistake(
    tf.errors.InvalidArgumentError,
    "Expected size[0] in [0, 3], but got 5",
    "received: input float32[3], begin = [0], size = [5]",
    "-1 as size takes all that is left",
)
def slice_size():
    tf.slice(tf.ones([3]), [0], [5])


@mistake(
    tf.errors.InvalidArgumentError,
    "Expected multiples argument to be a vector of length 2 but got length",
    "received: input float32[2, 2], multiples = [1]",
    "give one multiple for each dimension",
)
def tile_len():
    tf.tile(tf.ones([2, 2]), [1])


@mistake(
    tf.errors.InvalidArgumentError,
    "The first dimension of paddings must be the rank of inputs[1,2] [2,2]",
    "received: input float32[2, 2], paddings = [[1, 1]]",
    "give [before, after] for each dimension",
)
def pad_len():
    tf.pad(tf.ones([2, 2]), [[1, 1]])


@mistake(
    tf.errors.InvalidArgumentError,
    "Value for attr 'TI' of float is not in the list of allowed values:",
    "convert the tensor first with tf.cast",
)
def one_hot_dtype():
    tf.one_hot([0.5], 3)


@mistake(
    TypeError,
    "Cannot convert the argument `type_value`: 'floaty' to a TensorFlow",
    "pass a tf dtype, a NumPy dtype or a name such as",
)
def cast_name():
    tf.cast([1], "floaty")


@mistake(
    ValueError,
    "Can't convert non-rectangular Python sequence to Tensor.",
    "all rows need the same length: pad them, or see",
)
def constant_ragged():
    tf.constant([[1, 2], [3]])


@mistake(
    ValueError,
    "Attempt to convert a value (None) with an unsupported type (<class",
    "a function that ends without `return`, or a missing",
    "tensors are made of numbers, bools, strings, arrays and",
)
def constant_none():
    tf.constant(None)


@mistake(
    TypeError,
    "Cannot convert 'a' to EagerTensor of dtype float",
    "received a str",
    "leave dtype out, or convert the value: tf.cast,",
)
def constant_str_dtype():
    tf.constant("a", tf.float32)


@mistake(
    TypeError,
    "Cannot convert 1.5 to EagerTensor of dtype int32",
    "received a float",
    "leave dtype out, or convert the value: tf.cast,",
)
def constant_float_int():
    tf.constant(1.5, tf.int32)


@mistake(
    TypeError,
    "Eager execution of tf.constant with unsupported shape. Tensor [1 2 3]",
    "leave `shape` out, or give one for as many elements",
)
def constant_shape():
    tf.constant([1, 2, 3], shape=[2])


@mistake(
    TypeError,
    "Scalar tensor has no `len()`",
    "its shape is []",
    "see tf.size, or give it a dimension with tf.reshape(x,",
)
def len_scalar():
    len(tf.constant(1))


@mistake(
    TypeError,
    "Cannot iterate over a scalar tensor.",
    "its shape is []",
    "tf.reshape(x, [1]) has one element to iterate over",
)
def iter_scalar():
    list(tf.constant(1))


@mistake(
    ValueError,
    "Tensor's shape (2,) is not compatible with supplied shape [3].",
    "set_shape only states what is so already: tf.reshape",
)
def set_shape():
    tf.ones([2]).set_shape([3])


@mistake(
    ValueError,
    "as_list() is not defined on an unknown TensorShape.",
    "ask shape.rank first",
    "set_shape or tf.ensure_shape states the shape",
)
def shape_list():
    tf.TensorShape(None).as_list()


@mistake(
    AttributeError,
    "EagerTensor object has no attribute 'reshape'.",
    "see tf.reshape(x, shape)",
    "experimental_enable_numpy_behavior()",
)
def numpy_method():
    tf.ones([2]).reshape([1, 2])


@pytest.mark.parametrize(("function", "kind", "words", "shown"), MISTAKES)
def test_the_error_says_the_value_and_what_to_do(function, kind, words, shown, tmp_path):
    check(function, kind, words, shown, tmp_path)
