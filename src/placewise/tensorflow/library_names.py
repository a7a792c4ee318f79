"""Small inner functions and classes that libraries import from `tensorflow.python`."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

from placewise.core import dtypes
from placewise.core.names import next_number
from placewise.core.nest import Composite
from placewise.core.scope import current
from placewise.core.shapes import TensorShape
from placewise.devices.inventory import inventory
from placewise.layers.loss_weights import fitted
from placewise.ops.array.shape import shape
from placewise.ops.convert import convert_to_tensor


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
