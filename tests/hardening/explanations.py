"""Why a call ends otherwise than in TensorFlow 2.21: all the reasons there are, in one place.

`explained(call)` returns the name of the first rule that a call falls under. A rule tells from the
op, the arguments and both answers; none lists calls. What falls under no rule is a fault.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from placewise.ops.declare import REGISTRY
from tests.hardening.op_calls import Calls


class Call(NamedTuple):
    """A call, what came of it here and there, and how many of its arguments are not a sample's."""

    op: str
    arguments: dict[str, Any]
    here: list[Any]
    there: list[Any]
    changes: int
    again: Callable[[dict[str, Any]], list[Any]]  # what a call with other arguments gives here
    is_same: Callable[[list[Any], list[Any]], bool]

    @property
    def is_refused_here(self) -> bool:
        return self.here[:1] == ["error"]

    @property
    def is_refused_there(self) -> bool:
        return self.there[:1] == ["error"]


class Rule(NamedTuple):
    """A name, the reason in words, and whether a call falls under it."""

    name: str
    reason: str
    holds: Callable[[Call], bool]


def explained(call: Call) -> str | None:
    """Return the name of the rule that a difference falls under; None if there is none."""
    return next((rule.name for rule in RULES if rule.holds(call)), None)


def changes_in(calls: Calls, op: str, arguments: dict[str, Any]) -> int:
    """Return how many arguments differ from those of the sample that is nearest."""
    declared = REGISTRY[op]
    renamed = declared.argument_names or {}
    counts = [len(arguments)]
    for sample in calls.samples.get(op, []):
        if sample.error is not None:
            continue
        good = dict(zip((arg.name for arg in declared.inputs), sample.inputs, strict=False))
        good |= sample.attrs
        good = {renamed.get(name, name): value for name, value in good.items()}
        counts.append(
            sum(
                1
                for name, value in arguments.items()
                if name not in good or not _is_same(value, good[name])
            )
        )
    return min(counts)


def _is_same(one: Any, other: Any) -> bool:
    if isinstance(one, (list, tuple)):
        is_list = isinstance(other, (list, tuple)) and len(one) == len(other)
        return is_list and all(map(_is_same, one, other))
    if type(one) is not type(other):
        return False
    if isinstance(one, (np.ndarray, np.generic)):
        same_form = one.dtype == other.dtype and one.shape == other.shape
        return same_form and one.tobytes() == other.tobytes()
    return bool(one == other)


def _is_text(value: Any) -> bool:
    return isinstance(value, (str, bytes))


def _texts(value: Any) -> Iterator[np.ndarray[Any, Any]]:
    """Yield the arrays of bytes of an argument."""
    for leaf in _leaves(value):
        array = np.asarray(leaf)
        if array.dtype.kind in "OS":
            yield array.astype(object)


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, (list, tuple)):
        for item in value:
            yield from _leaves(item)
    else:
        yield value


def _arrays(call: Call) -> Iterator[np.ndarray[Any, Any]]:
    for value in _leaves(list(call.arguments.values())):
        if isinstance(value, (np.ndarray, np.generic, int, float, complex)):
            yield np.asarray(value)


def _array(value: Any) -> np.ndarray[Any, Any]:
    """Return a value as an array; lists of unequal lengths become one of objects."""
    try:
        return np.asarray(value)
    except ValueError:
        return np.asarray(repr(value), object)


def _has(call: Call, test: Callable[[np.ndarray[Any, Any]], Any]) -> bool:
    return any(bool(np.any(test(array))) for array in _arrays(call))


def _is_beyond_32_bits(array: np.ndarray[Any, Any]) -> Any:
    if array.dtype.kind not in "iu" or array.dtype.itemsize < 8:
        return any(type(item) is int for item in array.flat)  # Python's, beyond 64 bits
    return (array > 2**31 - 1) | (array < -(2**31))


def _cut(value: Any) -> Any:
    """Return arguments with their integers cut to 32 bits, as TensorFlow's kernels cut them."""
    if isinstance(value, dict):
        return {name: _cut(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_cut(item) for item in value]
    if type(value) is int:
        return (value + 2**31) % 2**32 - 2**31
    if isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind in "iu":
        return np.asarray(value).astype(np.int32).astype(value.dtype)
    return value


def _is_subnormal(array: np.ndarray[Any, Any]) -> Any:
    if array.dtype.kind not in "fc":
        return False
    size = np.abs(array.astype(np.complex128))
    tiny = np.finfo(np.float32 if array.dtype.itemsize > 2 else array.dtype).tiny
    return (size > 0) & (size < tiny)


def _is_wild(array: np.ndarray[Any, Any]) -> Any:
    return ~(np.abs(array.astype(np.complex128)) < 1e9) if array.dtype.kind in "iufc" else False


def _has_odd_kind(call: Call) -> bool:
    """Return whether an argument is no plain number or array of numbers where one is due."""
    renamed = REGISTRY[call.op].argument_names or {}
    for arg in REGISTRY[call.op].inputs:
        value = call.arguments.get(renamed.get(arg.name, arg.name))
        if arg.is_list and isinstance(value, np.ndarray):
            return True
        if isinstance(value, np.ndarray) and value.dtype.kind == "c" and arg.dtype is None:
            return True
        if not arg.is_list and isinstance(value, (list, tuple)):
            return True
        for leaf in _leaves(value):
            is_text = isinstance(leaf, (str, bytes)) or getattr(leaf, "dtype", "") == "O"
            is_truth = isinstance(leaf, bool) or getattr(leaf, "dtype", "") == np.bool_
            if leaf is None or is_text or is_truth or isinstance(leaf, (complex, dict)):
                return True
    return False


def _has_odd_attribute(call: Call) -> bool:
    names = {attr.name for attr in REGISTRY[call.op].attrs}
    names |= set((REGISTRY[call.op].argument_names or {}).values())
    return call.changes > 0 and any(name in call.arguments for name in names)


def _cast(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    with np.errstate(all="ignore"):
        return np.asarray(np.real(array)).astype(np.int64)


def _has_stray_places(call: Call) -> bool:
    """Return whether places of a sparse tensor are outside of it, repeated or out of order."""
    for name, value in call.arguments.items():
        if "indices" not in name or not isinstance(value, np.ndarray) or value.ndim != 2:
            continue
        if value.dtype.kind not in "biufc":
            return True
        places = _cast(value)
        rows = places.tolist()
        if (places < 0).any() or any(a >= b for a, b in itertools.pairwise(rows)):
            return True
        shapes = [_array(v) for k, v in call.arguments.items() if k.endswith("shape")]
        for shape in shapes:
            if shape.shape == places.shape[1:] and (
                shape.dtype.kind not in "biufc" or (places >= _cast(shape)).any()
            ):
                return True
    return False


def _has_cut_places(call: Call) -> bool:
    """Return whether a list of indices has fractions, of which only the whole part is left."""
    indices = call.arguments.get("indices")
    return isinstance(indices, list) and any(np.asarray(x).dtype.kind in "fc" for x in indices)


_REFUSALS = {
    *("TypeError", "ValueError", "InvalidArgumentError", "UnimplementedError", "InternalError"),
    *("NotFoundError", "OutOfRangeError", "IndexError", "FailedPreconditionError"),
    *("ResourceExhaustedError", "AbortedError", "no kernel", "removed op"),
}
_NUMPY = {"UnicodeDecodeError", "DTypePromotionError"}
_CONVERSION = {"TypeError", "ValueError", "InvalidArgumentError", "UnimplementedError"}


# Ops of sparse tensors that say in TensorFlow what they ask of places, and do not look at them.
_SPARSE_UNCHECKED = {"SparseAdd", "SparseReduceSumSparse", "SparseReshape", "SparseSlice"}
_SPARSE_UNCHECKED |= {"SparseSoftmax", "SparseSliceGrad", "SparseCrossHashed", "SparseCrossV2"}

# Ops whose kernels in TensorFlow do not look whether their arguments go together.
_UNCHECKED = {
    *("CTCLoss", "FractionalMaxPoolGrad", "BlockLSTMGrad", "SerializeSparse", "SparseReorder"),
    *("ImageProjectiveTransformV3", "MutableDenseHashTableV2", "AvgPoolGrad", "MaxPool"),
    *("RaggedCountSparseOutput", "TensorStridedSliceUpdate", "Bincount", "Reverse"),
    *("EncodePng", "BlockLSTMGradV2", "ImageProjectiveTransformV2", "RaggedTensorToSparse"),
    *("RaggedTensorToTensor", "ExtractGlimpse", "ExtractGlimpseV2", "InplaceSub"),
    *("UnravelIndex", "RaggedBincount", "SparseBincount", "DepthwiseConv2dNative"),
    *("DepthwiseConv2dNativeBackpropInput", "DepthwiseConv2dNativeBackpropFilter"),
    *("SparseCountSparseOutput", "DenseCountSparseOutput", "Conv3DBackpropInputV2"),
}


def _both(call: Call, classes: set[str]) -> bool:
    refused = call.is_refused_here and call.is_refused_there
    return refused and {call.here[1], call.there[1]} <= classes


def _has_equal_classes(inputs: Any) -> bool:
    """Return whether two classes of a step are as likely as each other."""
    steps = np.asarray(inputs, float).reshape(-1, np.shape(inputs)[-1])
    return any(len(np.unique(step)) < len(step) for step in steps)


def _has_negative_eigenvalue(matrices: Any) -> bool:
    """Return whether an eigenvalue is a negative real number but for rounding."""
    values = np.linalg.eigvals(np.nan_to_num(np.asarray(matrices, np.complex128)))
    return bool(np.any((values.real < 0) & (np.abs(values.imag) < 1e-4 * np.abs(values))))


def _is_jpeg(call: Call) -> bool:
    contents = call.arguments.get("contents")
    starts = contents[:3] == b"\xff\xd8\xff" if isinstance(contents, bytes) else False
    return "Jpeg" in call.op or (call.op == "DecodeImage" and starts)


def _is_dark(call: Call) -> bool:
    """Return whether both pictures are black but for a step or two."""
    images = call.arguments.get("images", call.arguments.get("image"))
    return _is_near(call, None) and images is not None and bool(np.max(images, initial=0) < 16)


def _is_near(call: Call, part: float | None) -> bool:
    """Return whether both gave results of the same dtypes and shapes, and numbers that are near."""
    if call.is_refused_here or call.is_refused_there or len(call.here) != len(call.there):
        return False
    for here, there in zip(call.here, call.there, strict=True):
        if here[:2] != there[:2]:
            return False
        if part is not None and isinstance(here[2], list):
            numbers = np.array([here[2], there[2]], float)
            if not np.allclose(*numbers, part, part * np.abs(numbers).max(initial=0.0)):
                return False
    return True


RULES: list[Rule] = [
    Rule(
        "no kernel",
        "TensorFlow's CPU has no kernel for the dtype; torch has, so that the call runs, or its "
        "other arguments are looked at.",
        lambda call: call.there == ["error", "no kernel"],
    ),
    Rule(
        "removed op",
        "TensorFlow keeps the op's name but refuses to run it; programs of its time may still.",
        lambda call: call.there == ["error", "removed op"],
    ),
    Rule(
        "numpy",
        "An error of NumPy's own that TensorFlow's binding lets through.",
        lambda call: call.is_refused_there and call.there[1] in _NUMPY,
    ),
    Rule(
        "several",
        "Two arguments or more are wrong, and each side names another one first.",
        lambda call: call.changes > 1 and _both(call, _REFUSALS),
    ),
    Rule(
        "signature",
        "Ops of datasets, and of variables' handles, have attributes of their own here.",
        lambda call: (
            ("Dataset" in call.op or "Iterator" in call.op or call.op == "VarHandleOp")
            and call.is_refused_there
        ),
    ),
    Rule(
        "conversion",
        "A text, None, a list or an array of the wrong kind: TensorFlow's binding first tries in "
        "C++, then in Python, and either may be the one to refuse it.",
        lambda call: _both(call, _CONVERSION) and (_has_odd_kind(call) or _has_odd_attribute(call)),
    ),
    Rule(
        "refused beyond 32 bits",
        "TensorFlow refuses a size, an axis or an attribute beyond 32 bits; here it is meant, or "
        "refused for what it asks for.",
        lambda call: call.is_refused_there and _has(call, _is_beyond_32_bits),
    ),
    Rule(
        "cut to 32 bits",
        "TensorFlow cuts a size, an axis or a number of an attribute to 32 bits without a word: a "
        "call with the cut number gives its answer. Here the number is meant, or refused.",
        lambda call: (
            not call.is_refused_there
            and _has(call, _is_beyond_32_bits)
            and call.is_same(call.again(_cut(call.arguments)), call.there)
        ),
    ),
    Rule(
        "too many",
        "A size or an end beyond 32 bits of which TensorFlow uses what is there, and forgets the "
        "rest by an overflow: here it is too much to allocate, or beyond what may be drawn.",
        lambda call: (
            call.is_refused_here
            and call.op in ("FixedUnigramCandidateSampler", "MaxPoolV2", "DenseBincount")
            and _has(call, _is_beyond_32_bits)
        ),
    ),
    Rule(
        "subnormal",
        "TensorFlow's threads take numbers below the smallest normal one for zero.",
        lambda call: _has(call, _is_subnormal) and _is_near(call, None),
    ),
    Rule(
        "not finite",
        "Decompositions and probabilities of infinite, huge or undefined elements, and pixels that "
        "are NaN: what comes of them depends on the order of sums and comparisons.",
        lambda call: (
            call.op
            in (
                *("Svd", "Eig", "SelfAdjointEigV2", "Cholesky", "Lu", "LogMatrixDeterminant"),
                *("ResizeBicubic", "AdjustSaturation", "FixedUnigramCandidateSampler"),
                *("LRN", "MatrixSolveLs", "MatrixLogarithm", "MatrixSquareRoot", "MatrixInverse"),
                *("MatrixSolve", "ScaleAndTranslate", "IRFFT", "IRFFT2D", "IRFFT3D", "Qr"),
                *("Dilation2DBackpropInput", "QuantizeAndDequantizeV4Grad"),
            )
            and _has(call, _is_wild)
            and (call.is_refused_here or call.is_refused_there or _is_near(call, None))
        ),
    ),
    Rule(
        "uninitialized",
        "TensorFlow leaves memory as it was: steps of an LSTM past the sequence's end, values of "
        "an empty sequence, strings without splits, the second half of a counter.",
        lambda call: (
            (
                call.op in ("BlockLSTM", "BlockLSTMV2")
                and np.size(call.arguments["seq_len_max"]) == 1
                and float(np.real(call.arguments["seq_len_max"])) < len(call.arguments["x"])
                and _is_near(call, None)
            )
            or (call.op == "StringNGrams" and np.size(call.arguments["data_splits"]) == 0)
            or (
                call.op == "StatelessShuffle"
                and np.size(call.arguments["counter"]) < 2
                and _is_near(call, None)
            )
            or ("FFT" in call.op and np.size(call.arguments["input"]) == 0 and _is_near(call, None))
        ),
    ),
    Rule(
        "ties",
        "Beams that are equally likely: which of them is dropped depends on the order of a heap.",
        lambda call: (
            call.op == "CTCBeamSearchDecoder"
            and not call.is_refused_here
            and not call.is_refused_there
            and _has_equal_classes(call.arguments["inputs"])
        ),
    ),
    Rule(
        "merging into itself",
        "The checkpoint is the one that it is merged into: TensorFlow's answer depends on which "
        "call came before.",
        lambda call: (
            call.op == "MergeV2Checkpoints"
            and call.arguments.get("destination_prefix")
            in _array(call.arguments.get("checkpoint_prefixes")).ravel().tolist()
        ),
    ),
    Rule(
        "roots of singular matrices",
        "TensorFlow divides zero by zero where an eigenvalue is 0; here the root is found.",
        lambda call: (
            call.op == "MatrixSquareRoot"
            and _is_near(call, None)
            and np.any(np.abs(np.linalg.det(np.nan_to_num(call.arguments["input"]))) < 1e-6)
        ),
    ),
    Rule(
        "ranges of an axis",
        "TensorFlow 2.21 asks the ranges of an axis to be vectors, and then to be scalars.",
        lambda call: (
            call.op in ("QuantizeAndDequantizeV2", "QuantizeAndDequantizeV4")
            and call.arguments.get("axis", -1) not in (-1, None)
            and call.there == ["error", "InvalidArgumentError"]
        ),
    ),
    Rule(
        "unchecked there",
        "TensorFlow does not look whether arguments go together, and reads past their ends or "
        "ignores what is wrong; here they are refused.",
        lambda call: (
            call.is_refused_here
            and not call.is_refused_there
            and call.changes > 0
            and call.op in _UNCHECKED
        ),
    ),
    Rule(
        "nothing to do",
        "The result has no elements, so that TensorFlow returns it before it looks whether the "
        "arguments go together; here they are looked at.",
        lambda call: (
            call.here == ["error", "InvalidArgumentError"]
            and not call.is_refused_there
            and call.changes > 0
            and bool(call.there)
            and all(0 in item[1] for item in call.there)
        ),
    ),
    Rule(
        "lists of strings",
        "A list of texts and empty arrays: TensorFlow makes one empty tensor of it.",
        lambda call: (
            call.here == ["error", "ValueError"]
            and any(isinstance(value, list) for value in call.arguments.values())
            and not call.is_refused_there
            and len((call.there or [()])[-1]) > 1
            and 0 in call.there[-1][1]
        ),
    ),
    Rule(
        "order",
        "TensorFlow walks through the places of a sum and of its parts side by side, and finds "
        "nothing in places that are out of order.",
        lambda call: call.op == "SparseAddGrad" and _is_near(call, None),
    ),
    Rule(
        "features",
        "How many features of a kind there are is told by their keys here; TensorFlow holds counts "
        "and keys against each other.",
        lambda call: (
            call.op in ("ParseExampleV2", "ParseSequenceExampleV2")
            and (call.is_refused_there or _is_near(call, None))
        ),
    ),
    Rule(
        "internal",
        "TensorFlow says itself that it did not expect the places: here they are refused.",
        lambda call: call.there == ["error", "InternalError"] and call.is_refused_here,
    ),
    Rule(
        "lists",
        "Lists of different lengths: TensorFlow counts them in Python or in C++, by the arguments.",
        lambda call: "Stitch" in call.op and _both(call, {"ValueError", "InvalidArgumentError"}),
    ),
    Rule(
        "summaries",
        "Tags that are no text, and metadata that is no message, are refused here.",
        lambda call: (
            call.op in ("ScalarSummary", "TensorSummaryV2")
            and call.here == ["error", "InvalidArgumentError"]
        ),
    ),
    Rule(
        "sparse",
        "Places outside of the shape, repeated or out of order, which TensorFlow's documents ask "
        "not to be: it walks over them as they come, here they are put in order, and what is "
        "outside is left out.",
        lambda call: (
            call.op in _SPARSE_UNCHECKED
            and not call.is_refused_here
            and not call.is_refused_there
            and [item[0] for item in call.here] == [item[0] for item in call.there]
            and (_has_stray_places(call) or _has_cut_places(call))
        ),
    ),
    Rule(
        "jpeg",
        "TensorFlow decodes JPEG with the fast transform, Pillow with the accurate one: pixels "
        "differ by a few steps.",
        lambda call: _is_jpeg(call) and (_is_near(call, 0.05) or _is_dark(call)),
    ),
    Rule(
        "whole numbers",
        "TensorFlow's kernel rounds whole numbers to zero; `tf.round` never calls it for them.",
        lambda call: (
            call.op == "Round" and all(array.dtype.kind in "iu" for array in _arrays(call))
        ),
    ),
    Rule(
        "pole",
        "At the pole of Y1 TensorFlow says NaN in float32 and minus infinity in float64. It says "
        "NaN for Erf of infinity in float64 and for Expint and Spence of huge numbers, which have "
        "limits or values.",
        lambda call: (
            _is_near(call, None)
            and (
                (call.op == "BesselY1" and _has(call, lambda array: array == 0))
                or (call.op in ("Erf", "Expint", "Spence") and _has(call, _is_wild))
            )
        ),
    ),
    Rule(
        "default dtype",
        "TensorFlow gives an array the default dtype of the attribute or its own, by what the "
        "process called before.",
        lambda call: (
            (
                call.op in ("RaggedRange", "LRN", "LRNGrad")
                and not call.is_refused_here
                and not call.is_refused_there
                and [item[1] for item in call.here] == [item[1] for item in call.there]
                and (
                    [item[2] for item in call.here] == [item[2] for item in call.there]
                    or _has(call, _is_wild)
                )
            )
            or (call.op == "HistogramSummary" and _has(call, _is_wild) and call.is_refused_here)
        ),
    ),
    Rule(
        "node name",
        "The summary lacks the node's name: kernels do not know it here.",
        lambda call: call.op == "TensorSummary" and _is_near(call, None),
    ),
    Rule(
        "constant",
        "TensorFlow takes a TensorProto only; here an array is taken too.",
        lambda call: call.op == "Const" and call.is_refused_there,
    ),
    Rule(
        "sessions' tensors",
        "TensorFlow keeps tensors in sessions only; here eager programs may.",
        lambda call: (
            call.op in ("GetSessionHandleV2", "DeleteSessionTensor")
            and call.there == ["error", "FailedPreconditionError"]
        ),
    ),
    Rule(
        "eager attributes",
        "TensorFlow's eager runtime lacks a kind of attribute, or the first top_k's own dtype.",
        lambda call: call.op in ("ImageSummary", "TopK") and call.is_refused_there,
    ),
    Rule(
        "sizes",
        "An empty list, and an array of any numbers, may be a shape here; TensorFlow asks for "
        "integers in some of the ops.",
        lambda call: (
            call.there == ["error", "InvalidArgumentError"]
            and any(
                name.endswith("shape")
                and (_array(value).size == 0 or _array(value).dtype.kind not in "iu")
                for name, value in call.arguments.items()
            )
        ),
    ),
    Rule(
        "shared names",
        "TensorFlow shares queues and tables of a process by name, whatever op makes them, and "
        "refuses one that differs from what an earlier call made; here sessions share them.",
        lambda call: (
            ("Queue" in call.op or "Table" in call.op)
            and bool(call.arguments.get("shared_name"))
            and call.here == [["resource", [], None]]
            and call.there == ["error", "InvalidArgumentError"]
        ),
    ),
    Rule(
        "nothing",
        "oneDNN, which convolves in float32 for TensorFlow, refuses filters without elements and "
        "gives the shape of an empty input back; other dtypes are answered as here.",
        lambda call: (
            call.op in ("Conv2D", "Conv2DBackpropInput", "Conv2DBackpropFilter")
            and not call.is_refused_here
            and all(item[0] == "float32" and 0 in item[1] for item in call.here)
            and (call.is_refused_there or all(0 in item[1] for item in call.there))
        ),
    ),
    Rule(
        "other libraries",
        "oneDNN, which computes poolings and softmax for TensorFlow, has limits of its own.",
        lambda call: call.there == ["error", "AbortedError"],
    ),
    Rule(
        "channels first",
        "TensorFlow's CPU convolves only with the channels last; torch does either.",
        lambda call: "Conv2D" in call.op and call.there == ["error", "UnimplementedError"],
    ),
    Rule(
        "bytes of zero",
        "TensorFlow ends a text of utf-8 at its first byte of zero; here all of it is changed.",
        lambda call: (
            call.op in ("StringLower", "StringUpper")
            and call.arguments.get("encoding") == "utf-8"
            and any(
                b"\0" in item
                for array in _texts(call.arguments["input"])
                for item in array.ravel().tolist()
            )
        ),
    ),
    Rule(
        "squares of complex numbers",
        "TensorFlow takes the logarithm and the inverse of a complex number by the squares of its "
        "parts, which overflow in complex64 beyond 1e19; here they are found.",
        lambda call: (
            call.op in ("Log", "Log1p", "Xlogy", "Xlog1py", "Xdivy", "Inv", "Reciprocal")
            and _is_near(call, None)
            and all(item[0] == "complex64" for item in call.here)
            and _has(call, lambda array: array.dtype.kind in "fc" and np.abs(array) > 1e19)
        ),
    ),
    Rule(
        "order of complex numbers",
        "Complex numbers have no order: TensorFlow clips the real part and forgets the other; here "
        "that is refused.",
        lambda call: (
            call.op == "ClipByValue"
            and call.is_refused_here
            and not call.is_refused_there
            and call.there[0][0].startswith("complex")
        ),
    ),
    Rule(
        "gradient of no rows",
        "TensorFlow leaves memory as it was where no row is named; here it is zero.",
        lambda call: (
            call.op.startswith("SparseSegment")
            and "Grad" in call.op
            and np.size(call.arguments["indices"]) == 0
            and _is_near(call, None)
            and all(number == 0 for item in call.here for number in item[2])
        ),
    ),
    Rule(
        "a text for a list",
        "TensorFlow takes a text for the list of its characters; here no text is a list.",
        lambda call: (
            call.here == ["error", "TypeError"]
            and not call.is_refused_there
            and any(map(_is_text, call.arguments.values()))
        ),
    ),
    Rule(
        "branch of a logarithm",
        "An eigenvalue is a negative real number, whose logarithm has pi or -pi for its imaginary "
        "part: rounding decides which, here and there. Both are logarithms of the matrix.",
        lambda call: (
            call.op == "MatrixLogarithm"
            and _is_near(call, None)
            and _has_negative_eigenvalue(call.arguments["input"])
        ),
    ),
    Rule(
        "nothing to do here",
        "The result has no elements, so that nobody asks here for what TensorFlow refuses.",
        lambda call: (
            call.there == ["error", "InvalidArgumentError"]
            and not call.is_refused_here
            and call.changes > 0
            and call.op in ("DecodeCSV", "FractionalAvgPoolGrad")
            and all(0 in item[1] for item in call.here)
        ),
    ),
    Rule(
        "arrays for lists",
        "TensorFlow takes the rows of an array for a list of tensors; here a list is asked for.",
        lambda call: (
            call.here in (["error", "TypeError"], ["error", "ValueError"])
            and not call.is_refused_there
            and any(
                isinstance(call.arguments.get(arg.name), np.ndarray)
                for arg in REGISTRY[call.op].inputs
                if arg.is_list
            )
        ),
    ),
    Rule(
        "lists of unequal lengths",
        "Lists of which one is empty make no tensor here; TensorFlow forgets the empty one.",
        lambda call: (
            call.here == ["error", "ValueError"]
            and not call.is_refused_there
            and any(
                isinstance(value, list) and sum(np.size(item) == 0 for item in value) > 0
                for value in call.arguments.values()
            )
        ),
    ),
    Rule(
        "rows of a join",
        "TensorFlow asks for a dimension that the inputs do not have, and says so by another "
        "class.",
        lambda call: (
            call.op == "UnsortedSegmentJoin"
            and call.here == ["error", "InvalidArgumentError"]
            and call.there == ["error", "OutOfRangeError"]
        ),
    ),
    Rule(
        "unsigned numbers",
        "torch does not compute with unsigned numbers of more than a byte: the op says that it is "
        "not implemented for them.",
        lambda call: (
            call.here == ["error", "UnimplementedError"]
            and _has(call, lambda array: array.dtype.kind == "u" and array.dtype.itemsize > 1)
        ),
    ),
    Rule(
        "conjugates of text",
        "TensorFlow transposes text and leaves it as it is; here text has no conjugate.",
        lambda call: (
            call.op == "ConjugateTranspose" and call.here == ["error", "InvalidArgumentError"]
        ),
    ),
]
