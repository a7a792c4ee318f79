"""Variables in parts: `tf.get_variable(partitioner=…)` makes a row of variables that act as one."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

from placewise.core.arguments import DTypeLike
from placewise.core.dtypes import DType, as_dtype
from placewise.core.names import name_scope
from placewise.core.shapes import TensorShape
from placewise.core.tensor import Tensor
from placewise.graph.variable_scope import get_variable, variable_scope
from placewise.ops.array.concat import concat
from placewise.ops.array.shape import identity
from placewise.ops.convert import convert_to_tensor
from placewise.ops.state.slice_info import SaveSliceInfo as SaveSliceInfo


class PartitionInfo:
    """What an initializer gets to know about the part it makes a value for."""

    def __init__(self, full_shape: list[int], var_offset: list[int]) -> None:
        self.full_shape, self.var_offset = full_shape, var_offset


class PartitionedVariable:
    """Variables that are the parts, along one axis, of a larger one."""

    def __init__(
        self, name: str, shape: Any, dtype: Any, variable_list: list[Any], partitions: list[int]
    ) -> None:
        if not isinstance(variable_list, (list, tuple)):
            raise TypeError(f"variable_list is not a list or tuple: {variable_list}")
        if not isinstance(partitions, (list, tuple)):
            raise TypeError(f"partitions is not a list or tuple: {partitions}")
        self._name, self._shape = name, TensorShape(shape)
        self._dtype = as_dtype(dtype)
        self._variable_list = sorted(
            variable_list, key=lambda share: share._get_save_slice_info().var_offset
        )
        self._partitions = list(partitions)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._variable_list)

    def __len__(self) -> int:
        return len(self._variable_list)

    @property
    def name(self) -> str:
        """The name of the whole."""
        return self._name

    @property
    def dtype(self) -> Any:
        """The type of the elements."""
        return self._dtype

    @property
    def shape(self) -> TensorShape:
        """The shape of the whole."""
        return self._shape

    def get_shape(self) -> TensorShape:
        """Return the shape of the whole."""
        return self._shape

    def _get_partitions(self) -> list[int]:
        return self._partitions

    def _get_variable_list(self) -> list[Any]:
        return self._variable_list

    @property
    def _axis(self) -> int:
        split = [axis for axis, count in enumerate(self._partitions) if count > 1]
        return split[0] if split else 0

    def as_tensor(self) -> Any:
        """Return the whole as one tensor."""
        with name_scope(""):
            if len(self._variable_list) == 1:
                with name_scope(""):
                    return identity(self._variable_list[0], name=self._name)
            with name_scope(f"{self._name}/ConcatPartitions/"):
                whole = concat([convert_to_tensor(v) for v in self._variable_list], self._axis)
            return identity(whole, name=self._name)

    def __tf_tensor__(self, dtype: Any = None, name: str | None = None) -> Any:
        tensor = self.as_tensor()
        if dtype is not None and as_dtype(dtype).base_dtype is not tensor.dtype.base_dtype:
            raise ValueError(
                f"Incompatible type conversion requested to type '{as_dtype(dtype).name}' for "
                f"variable of type '{tensor.dtype.name}'"
            )
        return tensor

    def _assigned(
        self, method: str, value: Tensor, use_locking: bool, name: Any, read: bool
    ) -> Any:
        if isinstance(value, (list, tuple, PartitionedVariable)):
            pieces = list(value)
        else:
            whole = convert_to_tensor(value, self._dtype.base_dtype)
            pieces = []
            for part in self._variable_list:
                info = part._get_save_slice_info()
                where = zip(info.var_offset, info.var_shape, strict=True)
                pieces.append(whole[tuple(slice(start, start + size) for start, size in where)])
        done = [
            getattr(part, method)(piece, use_locking, name, True)
            for part, piece in zip(self._variable_list, pieces, strict=True)
        ]
        return done if read else [getattr(item, "op", item) for item in done]

    def assign(
        self, value: Tensor, use_locking: bool = False, name: Any = None, read_value: bool = True
    ) -> Any:
        """Give the parts the pieces of a value, and return them."""
        return self._assigned("assign", value, use_locking, name, read_value)

    def assign_add(
        self, value: Any, use_locking: bool = False, name: Any = None, read_value: bool = True
    ) -> Any:
        """Add the pieces of a value to the parts, and return them."""
        return self._assigned("assign_add", value, use_locking, name, read_value)

    def assign_sub(
        self, value: Any, use_locking: bool = False, name: Any = None, read_value: bool = True
    ) -> Any:
        """Take the pieces of a value from the parts, and return them."""
        return self._assigned("assign_sub", value, use_locking, name, read_value)


PartitionedVariable.__module__ = "tensorflow.python.ops.variables"


def partitions_of(partitioner: Callable[..., Any], shape: TensorShape, dtype: DType) -> list[int]:
    """Return into how many parts each axis is cut, as a partitioner says, checked."""
    if not shape.is_fully_defined():
        raise ValueError(
            f"Shape of a new partitioned variable must be fully defined, but instead was {shape}."
        )
    if shape.rank == 0:
        raise ValueError(f"A partitioned Variable must have rank at least 1. Shape: {shape}")
    counts = partitioner(shape=shape, dtype=dtype)
    if not isinstance(counts, (list, tuple)):
        raise ValueError(f"Partitioner must return a sequence, but saw: {counts}")
    if len(counts) != shape.rank:
        raise ValueError(
            "Partitioner returned a partition list that does not match the Variable's rank: "
            f"{counts} vs. {shape}"
        )
    if any(count < 1 for count in counts):
        raise ValueError(f"Partitioner returned zero partitions for some axes: {counts}")
    if sum(count > 1 for count in counts) > 1:
        raise ValueError(
            f"Can only slice a variable along one dimension: shape: {shape}, partitioning: {counts}"
        )
    return list(counts)


def slices_of(dims: list[int], partitions: list[int]) -> list[tuple[list[int], list[int]]]:
    """Return offset and shape of each part: the first ones get what does not divide evenly."""
    axis = next((k for k, count in enumerate(partitions) if count > 1), 0)
    share, more = divmod(dims[axis], partitions[axis])
    if partitions[axis] > dims[axis]:
        raise ValueError(
            f"Cannot cut axis {axis} of size {dims[axis]} into {partitions[axis]} parts."
        )
    result, start = [], 0
    for number in range(partitions[axis]):
        size = share + (number < more)
        offset, shape = [0] * len(dims), list(dims)
        offset[axis], shape[axis] = start, size
        result.append((offset, shape))
        start += size
    return result


# What decides how many parts there are.


def fixed_size_partitioner(num_shards: int, axis: int = 0) -> Callable[..., list[int]]:
    """Return a partitioner that cuts one axis into a number of parts."""

    def partitioner(shape: TensorShape, **_: object) -> list[int]:
        result = [1] * len(shape)
        result[axis] = min(num_shards, int(TensorShape(shape).as_list()[axis]))  # type: ignore[arg-type]
        return result

    return partitioner


def _element_bytes(dtype: DType, bytes_per_string: int) -> int:
    kind = as_dtype(dtype)
    return bytes_per_string if kind.name == "string" else kind.size


def variable_axis_size_partitioner(
    max_shard_bytes: int,
    axis: int = 0,
    bytes_per_string_element: int = 16,
    max_shards: int | None = None,
) -> Callable[..., list[int]]:
    """Return a partitioner that keeps each part below a number of bytes."""
    if max_shard_bytes < 1 or bytes_per_string_element < 1:
        raise ValueError("Both max_shard_bytes and bytes_per_string_element must be positive.")
    if max_shards and max_shards < 1:
        raise ValueError("max_shards must be positive.")

    def partitioner(shape: TensorShape, dtype: DType) -> list[int]:
        dims: Any = TensorShape(shape).as_list()
        result = [1] * len(dims)
        row = _element_bytes(dtype, bytes_per_string_element) * math.prod(
            size for k, size in enumerate(dims) if k != axis
        )
        rows = max(1, max_shard_bytes // row)
        count = min(dims[axis], math.ceil(dims[axis] / rows))
        result[axis] = min(max_shards, count) if max_shards else count
        return result

    return partitioner


def min_max_variable_partitioner(
    max_partitions: int = 1,
    axis: int = 0,
    min_slice_size: int = 256 << 10,
    bytes_per_string_element: int = 16,
) -> Callable[..., list[int]]:
    """Return a partitioner that makes as many parts as allowed, of at least so many bytes."""

    def partitioner(shape: TensorShape, dtype: DType) -> list[int]:
        if axis >= len(shape):
            raise ValueError(
                f"Cannot partition variable along axis {axis} when shape is only {shape}"
            )
        dims: Any = TensorShape(shape).as_list()
        total = math.prod(dims) * _element_bytes(dtype, bytes_per_string_element)
        result = [1] * len(dims)
        result[axis] = max(1, min(dims[axis], max_partitions, math.ceil(total / min_slice_size)))
        return result

    return partitioner


def create_partitioned_variables(
    shape: Any,
    slicing: Any,
    initializer: Any,
    dtype: DTypeLike = "float32",
    trainable: bool = True,
    collections: Any = None,
    name: str | None = None,
    reuse: Any = None,
) -> list[Any]:
    """Return the parts of a variable that is cut as `slicing` says."""
    if len(shape) != len(slicing):
        raise ValueError(
            "The 'shape' and 'slicing' of a partitioned Variable must have the length: shape: "
            f"{shape}, slicing: {slicing}"
        )
    with variable_scope(name, "PartitionedVariable", reuse=reuse):
        variable = get_variable(
            "PartitionedVariable",
            shape,
            dtype,
            initializer,
            trainable=trainable,
            collections=collections,
            partitioner=lambda **_: list(slicing),
        )
    return list(variable)
