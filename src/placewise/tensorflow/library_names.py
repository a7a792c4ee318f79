"""Small inner functions and classes that libraries import from `tensorflow.python`."""

from __future__ import annotations

from collections import deque
from contextlib import nullcontext
from typing import Any

from placewise.core import dtypes, nest
from placewise.core.names import next_number
from placewise.core.nest import Composite
from placewise.core.scope import current
from placewise.core.shapes import TensorShape
from placewise.devices.inventory import inventory
from placewise.functions.vectorization.mapping import vectorized_map
from placewise.layers.loss_weights import fitted
from placewise.ops.array.creation import range as range_of
from placewise.ops.array.shape import shape
from placewise.ops.array.static import get_static_value
from placewise.ops.convert import convert_to_tensor
from placewise.ops.ragged.ragged_tensor import RaggedTensor
from placewise.ops.ragged.value import RaggedTensorValue
from placewise.ops.random.streams import get_seed
from placewise.ops.raw_ops import raw_op


def NullContextmanager(*args: Any, **kwargs: Any) -> Any:  # noqa: N802 - TensorFlow's name
    """Return a context that does nothing."""
    return nullcontext()


def uid() -> int:
    """Return a number that nothing else in this process gets."""
    return next_number("uid")


def name_from_scope_name(name: str) -> str:
    """Return the name of an op that is called as its scope is: without the last slash."""
    return name[:-1] if name and name[-1] == "/" else name


def convert_to_tensor_or_composite(value: Any, dtype: Any = None, name: str | None = None) -> Any:
    """Return a sparse or ragged tensor as it is, anything else as a tensor."""
    return value if isinstance(value, Composite) else convert_to_tensor(value, dtype, None, name)


def get_enclosing_xla_context() -> None:
    """Return None: ops are never built for one compiler's context here."""


def get_device_name() -> str:
    """Return the device asked for here."""
    return current.request or ""


def pluggable_devices() -> list[bytes]:
    """Return the devices that a plug-in brought: accelerators that are no GPUs."""
    return [
        device.name.encode()
        for device in inventory().devices
        if device.kind not in ("CPU", "GPU", "XLA_CPU", "XLA_GPU")
    ]


def auto_shard_dataset(
    dataset: Any, num_shards: int, index: int, num_replicas_in_sync: Any = None
) -> Any:
    """Return one of several equal parts of a dataset."""
    return dataset.shard(num_shards, index)


def cache_variable_reads() -> Any:
    """Return a context in which variables are read as anywhere: a read costs nothing here."""
    return nullcontext()


def shape_internal(
    input: Any, name: str | None = None, optimize: bool = True, out_type: Any = None
) -> Any:
    """Return the shape of a tensor; as a constant where it is known and `optimize` is set."""
    dtype = dtypes.int32 if out_type is None else out_type
    static = getattr(input, "shape", None)
    if optimize and static is not None and TensorShape(static).is_fully_defined():
        return convert_to_tensor(TensorShape(static).as_list(), dtype, None, name)
    return shape(input, out_type=dtype, name=name)


def metric_inputs(predictions: Any, labels: Any, weights: Any) -> tuple[Any, Any, Any]:
    """Return predictions, labels and weights with ranks brought into line where 1s allow it."""
    labels, predictions, weights = fitted(labels, predictions, weights)
    return predictions, labels, weights


def pfor(
    loop_fn: Any, iters: Any, fallback_to_while_loop: bool = True, parallel_iterations: Any = None
) -> Any:
    """Return the results of `loop_fn(0)`, `loop_fn(1)`, … stacked."""
    return vectorized_map(loop_fn, range_of(iters), fallback_to_while_loop)


def make_composite_tensor(cls: type, module_name: str = "tf.linalg") -> type:
    """Return a class of linear operators as it is.

    Operators are no composites here: a function gets one whole, not as its tensors.
    """
    return cls


def constant_value_as_shape(tensor: Any) -> TensorShape:
    """Return what is known of the shape that a vector of sizes holds; -1 is an unknown size."""
    if isinstance(tensor, TensorShape):
        return tensor
    value = get_static_value(tensor, partial=True)
    if value is None:
        length = convert_to_tensor(tensor).shape
        return TensorShape(None) if length.rank is None else TensorShape([None] * length[0])
    return TensorShape([None if size is None or size == -1 else int(size) for size in value])


def parameterized_truncated_normal(
    shape: Any,
    means: Any = 0.0,
    stddevs: Any = 1.0,
    minvals: Any = -2.0,
    maxvals: Any = 2.0,
    dtype: Any = dtypes.float32,
    seed: int | None = None,
    name: str | None = None,
) -> Any:
    """Return normal samples within bounds, each parameter a scalar or one per row."""
    first, second = get_seed(seed)
    means, stddevs, minvals, maxvals = (
        convert_to_tensor(value, dtype) for value in (means, stddevs, minvals, maxvals)
    )
    return raw_op("ParameterizedTruncatedNormal")(
        shape=shape_tensor(shape),
        means=means,
        stdevs=stddevs,
        minvals=minvals,
        maxvals=maxvals,
        seed=first or 0,
        seed2=second or 0,
        name=name,
    )


def shape_tensor(shape: Any) -> Any:
    """Return a shape as a vector of int32."""
    known = isinstance(shape, (TensorShape, tuple, list))
    return convert_to_tensor(TensorShape(shape).as_list() if known else shape, dtypes.int32)


def numpy_text(tensor: Any, is_repr: bool = False) -> str:
    """Return the value of a tensor as a text."""
    value = convert_to_tensor(tensor).numpy()
    return repr(value) if is_repr else str(value)


def get_backward_walk_ops(
    seed_ops: Any,
    inclusive: bool = True,
    within_ops: Any = None,
    within_ops_fn: Any = None,
    stop_at_ts: Any = (),
    control_inputs: bool = False,
) -> list[Any]:
    """Return the operations that some operations or tensors need, nearest first.

    `inclusive`: whether the first ones are among them. `within_ops`, `within_ops_fn`: the only
    operations to visit. `stop_at_ts`: tensors whose operations are not visited.
    `control_inputs`: whether operations that only have to run before are visited, too.
    """
    seeds = [getattr(seed, "op", seed) for seed in nest.flatten(seed_ops)]
    stops = {id(tensor) for tensor in stop_at_ts}
    allowed = None if within_ops is None else {id(op) for op in within_ops}
    waiting, met, ordered = deque(seeds), set(), []
    while waiting:
        op = waiting.popleft()
        if id(op) in met or not (allowed is None or id(op) in allowed):
            continue
        if within_ops_fn is not None and not within_ops_fn(op):
            continue
        met.add(id(op))
        ordered.append(op)
        waiting += [tensor.op for tensor in op.inputs if id(tensor) not in stops]
        if control_inputs:
            waiting += op.control_inputs
    return ordered if inclusive else [op for op in ordered if op not in seeds]


def prevent_gradient(input: Any, message: str = "", name: str | None = None) -> Any:
    """Return a tensor through which no gradient may be taken: asking for one raises."""
    return raw_op("PreventGradient")(input=input, message=message, name=name)


def is_ragged(value: Any) -> bool:
    """Return True for a ragged tensor, and for what a session returned of one."""
    return isinstance(value, (RaggedTensor, RaggedTensorValue))


def convert_to_tensor_or_ragged_tensor(
    value: Any, dtype: Any = None, preferred_dtype: Any = None, name: str | None = None
) -> Any:
    """Return `value` as a tensor, or as a ragged one if it is ragged."""
    made = convert_to_tensor(value, None if is_ragged(value) else dtype, preferred_dtype, name)
    if dtype is not None and made.dtype.base_dtype is not dtypes.as_dtype(dtype).base_dtype:
        raise ValueError(
            f"Tensor conversion requested dtype {dtypes.as_dtype(dtype).name} for RaggedTensor "
            f"with dtype {made.dtype.name}: {made!r}"
        )
    return made
