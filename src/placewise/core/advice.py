"""What a program can do about an error, by the words of its first line.

Ops raise errors in hundreds of places, in TensorFlow's words. Where such an error reaches the
program (eager dispatch, graphs, sessions, datasets), `advised` adds a line with facts and advice.
Errors that one function alone raises bring their own line, by `errors.hint`.
"""

from __future__ import annotations

import re

from placewise.core.errors import hint

_AXIS = "axes count from 0 at the front or from -1 at the end: take one in that range"
_CAST = "convert one of them first, as with tf.cast(x, tf.float32)"
_BROADCAST = (
    "dimensions must be equal or 1, counted from the last: tf.reshape one, or add a dimension with "
    "x[:, tf.newaxis]"
)
_RANK = "add or drop dimensions with tf.expand_dims, tf.squeeze or tf.reshape"
_FILE = "check the path: tf.io.gfile.exists(path), and tf.io.gfile.listdir of its folder"
_INITIALIZE = (
    "run tf.compat.v1.global_variables_initializer() in this session first, made after all "
    "variables, or restore a checkpoint"
)

# The first pattern that is found in the first line counts.
_ADVICE: tuple[tuple[str, str], ...] = (
    # Types.
    (r"was expected to be a \w+ tensor but is a \w+ tensor", _CAST),
    (r"has type \w+ that does not match", _CAST),
    (r"Value for attr '\w+' of \"\w*\" is not in", "pass one of the allowed values"),
    (r"Value for attr '\w+' of \w+ is not in", "convert the tensor first with tf.cast"),
    (r"has DataType \w+ not in list of allowed", "convert the tensor first with tf.cast"),
    (r"is not implemented for inputs of", "convert the tensors first, or run the op on the CPU"),
    # Shapes.
    (
        r"Matrix size-incompatible|\(op: '(Batch)?MatMul\w*'\)|In\[0\] mismatch",
        "the columns of the first must equal the rows of the second: see transpose_a and "
        "transpose_b, or tf.linalg.matvec for a vector",
    ),
    (r"has different ndims|ndims must be >= 2", f"{_RANK}; tf.linalg.matvec takes a vector"),
    (
        r"Incompatible shapes|\(op: '(BroadcastTo|\w*Add\w*|Sub|Mul|RealDiv|Maximum|Minimum)'\)",
        _BROADCAST,
    ),
    (
        r"ConcatOp : (Dimension|Ranks)|are not compatible for '.*\(op: 'ConcatV2'\)",
        "all dimensions but the joined one must agree: check `axis`, or tf.pad the smaller",
    ),
    (
        r"Shapes of all inputs must match|\(op: 'Pack'\)",
        "tf.stack needs equal shapes: tf.concat joins unequal ones, tf.ragged.stack keeps them",
    ),
    (
        r"Input to reshape is a tensor with|Cannot reshape a tensor with|"
        r"must be evenly divisible by .*\(op: 'Reshape'\)",
        "the number of elements must stay: -1 as one dimension is computed from the others",
    ),
    (r"Only one input size may be -1", "give all dimensions but one"),
    (
        r"Can not squeeze dim",
        "only dimensions of size 1 can go: leave `axis` out, or use tf.reshape",
    ),
    (r"transpose expects a vector|\(op: 'Transpose'\)", "`perm` names each dimension once"),
    (
        r"Number of ways to split|Dimension size must be evenly divisible",
        "pass the sizes as a list: tf.split(x, [2, 3])",
    ),
    (r"Expected multiples argument|\(op: 'Tile'\)", "give one multiple for each dimension"),
    (r"dimension of paddings must be|\(op: 'Pad'\)", "give [before, after] for each dimension"),
    (
        r"input depth must be evenly divisible|Depth of input \(",
        "the third dimension of the filter is the number of input channels: check it and "
        "data_format",
    ),
    (
        r"convolution input must be|\(op: '(Depthwise)?Conv2D\w*'\)",
        "images have [batch, height, width, channels]: image[tf.newaxis] adds the batch",
    ),
    (
        r"Negative dimension size|output size would be negative",
        "the window is larger than the input: pad it, or use padding='SAME'",
    ),
    (r"as many biases as|\(op: 'BiasAdd'\)", "there is one bias a channel: check data_format"),
    (
        r"logits and labels must be|\(op: 'SoftmaxCrossEntropyWithLogits'\)",
        "labels have a row of probabilities a case: tf.one_hot(ids, classes), or the function "
        "sparse_softmax_cross_entropy_with_logits for ids",
    ),
    (
        r"Received a label value of",
        "labels are ids from 0 to the number of classes less 1: check the last layer's size",
    ),
    (r"at least k columns|must have last dimension >= k", "take a smaller k"),
    (r"First dimension of predictions", "give one target a row of predictions"),
    (r"is not compatible with expected shape|\(op: 'EnsureShape'\)", _RANK),
    (r"Expected dimension \d+ at axis \d+", "a label must stand for one size in all inputs"),
    (r"Input matrix must be square|\(op: 'Matrix(Inverse|Determinant)'\)", "see tf.linalg.pinv"),
    (r"Input matrix and rhs|\(op: 'MatrixSolve'\)", "the right side needs as many rows"),
    (r"Shape must be rank \d+ but is rank", _RANK),
    # Axes and indices.
    (
        r"Expected concatenating dimensions|Invalid concatenation dimension|Expected dimension in "
        r"the range|Invalid reduction dimension|Tried to expand dim|not in the interval|"
        r"Dimension \(-?\d+\) must be in the range",
        _AXIS,
    ),
    (
        r"indices(\[.*\])? = .* is not in \[0,",
        "ids must lie below the size of the table: check the vocabulary's size and unknown words",
    ),
    (r"slice index .* out of bounds|Index out of range using input dim", "compare with x.shape"),
    (r"Expected size\[|Slice of dimension", "-1 as size takes all that is left"),
    (r"is out of bounds: need 0 <= index", "make dense_shape larger, or check the indices"),
    (r"does not index into shape", "make the shape larger, or check the indices"),
    (
        r"segment ids are not increasing",
        "sort by the ids first, or use tf.math.unsorted_segment_sum and its kin",
    ),
    (
        r"array is not resizeable",
        "make the TensorArray with a larger size, or with dynamic_size=True",
    ),
    # Values.
    (r"Cholesky decomposition was not", "add a small multiple of tf.eye to the matrix"),
    (r"Input is not invertible", "see tf.linalg.pinv, or add a small multiple of tf.eye"),
    (
        r"Tensor had (NaN|Inf|-Inf)",
        "tf.debugging.enable_check_numerics() names the op that makes the first one",
    ),
    (r"Integer division by zero", "see tf.math.divide_no_nan, or divide floats"),
    (
        r"could not correctly convert string",
        "strip it first with tf.strings.strip or regex_replace",
    ),
    (r"value returned by pyfunc is", "return x.astype(...) from the function, or change Tout"),
    (r"Expected shape .* for value, got", "give as many values as keys"),
    # Files and records.
    (r"No such file or directory|Failed to find any matching files", _FILE),
    (r"corrupted record", "check that it is a TFRecord file, and its compression_type"),
    (
        r"is required but could not be found",
        "give the feature a default_value, use tf.io.VarLenFeature, or check its name",
    ),
    (
        r"Unknown image file format",
        "check that the file was read whole (tf.io.read_file) and is an image",
    ),
    (
        r"Key .* not found in checkpoint",
        "tf.train.list_variables(path) lists what it has; tf.compat.v1.train.Saver(var_list) "
        "restores some variables, also under other names",
    ),
    (
        r"requires shapes of both tensors to match",
        "build the variable with the checkpoint's shape, or leave it out of the saver's var_list",
    ),
    # Datasets.
    (
        r"Cannot batch tensors with different shapes",
        "use padded_batch or ragged_batch, or map the elements to one shape first",
    ),
    (
        r"`generator` yielded an element",
        "change output_signature (None leaves a dimension open), or what the generator yields",
    ),
    (r"Dataset had more than one element", "take(1) first, or iterate over the dataset"),
    (r"Dataset was empty", "check what filter and take leave of it"),
    (r"Batch size must be greater", "pass a batch_size of 1 or more"),
    (
        r"End of sequence",
        "the dataset has no more elements: repeat() it, make the iterator again, or catch "
        "tf.errors.OutOfRangeError",
    ),
    # Sessions.
    (r"You must feed a value for placeholder", "pass it to run: feed_dict={placeholder: value}"),
    (r"uninitialized value|Could not find variable", _INITIALIZE),
)

_COMPILED = tuple((re.compile(pattern), text) for pattern, text in _ADVICE)


def advice_for(message: str) -> str:
    """Return what to do about an error, by its first line; empty if nothing is known."""
    first = message.partition("\n")[0]
    return next((text for pattern, text in _COMPILED if pattern.search(first)), "")


def advised(message: str, *facts: str) -> str:
    """Return a message with a line of facts and what to do; one that has such a line as it is."""
    has_line = message.partition("\n")[2].startswith("  ")
    return message if has_line else hint(message, *facts, advice_for(message))
