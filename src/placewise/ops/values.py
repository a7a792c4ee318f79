"""What a tensor's content is: torch tensors, NumPy objects for strings, handles for resources.

Also `EagerTensor`, the pair of such a content and the device it is on.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import torch

from placewise import native
from placewise.core import dtypes
from placewise.core.arguments import ShapeLike
from placewise.core.dtypes import DType
from placewise.core.errors import hint, invalid
from placewise.core.scope import watch
from placewise.core.shapes import TensorShape
from placewise.core.tensor import Tensor
from placewise.devices.instructions import limit_instructions
from placewise.memory.host import reserve_on_host
from placewise.memory.resident import register_contents
from placewise.memory.transfer import HOST, to_host
from placewise.ops import lazy

if TYPE_CHECKING:
    from placewise.devices.device import Device


limit_instructions()  # before torch computes anything

TORCH: dict[DType, torch.dtype] = {
    dtypes.float16: torch.float16,
    dtypes.bfloat16: torch.bfloat16,
    dtypes.float8_e5m2: torch.float8_e5m2,
    dtypes.float8_e4m3fn: torch.float8_e4m3fn,
    dtypes.float32: torch.float32,
    dtypes.float64: torch.float64,
    dtypes.complex64: torch.complex64,
    dtypes.complex128: torch.complex128,
    dtypes.int8: torch.int8,
    dtypes.int16: torch.int16,
    dtypes.int32: torch.int32,
    dtypes.int64: torch.int64,
    dtypes.uint8: torch.uint8,
    dtypes.uint16: torch.uint16,
    dtypes.uint32: torch.uint32,
    dtypes.uint64: torch.uint64,
    dtypes.bool: torch.bool,
}
# On a GPU with memory of its own, contents of these are there; integers may be on the host.
ALWAYS_ON_DEVICE = frozenset(
    kind for kind in TORCH.values() if kind.is_floating_point or kind.is_complex
)
DTYPE: dict[Any, DType] = {torch_type: dtype for dtype, torch_type in TORCH.items()}
# What NumPy knows by ml_dtypes only goes between it and torch as integers of the same size.
_AS_BITS = {
    torch.bfloat16: torch.int16,
    torch.float8_e5m2: torch.int8,
    torch.float8_e4m3fn: torch.int8,
}
_OF_BITS = {
    np.dtype(DTYPE[kind].as_numpy_dtype): (np.dtype(f"int{8 * kind.itemsize}"), kind)
    for kind in _AS_BITS
}
# NumPy has them under the same bits; all others need a look before they are arrays.
OBJECT = np.dtype(object)

# What most kernels get and give: numbers as torch tensors, strings as arrays of objects.
Content: TypeAlias = torch.Tensor | np.ndarray[Any, Any]

DTYPE[OBJECT] = dtypes.string

# What torch prints of a dtype in errors, as TensorFlow's C++ side calls it.
C_NAMES = {"float32": "float", "float64": "double", "float16": "half"}


def c_name(dtype: DType) -> str:
    """Return the name TensorFlow's runtime messages use for a dtype."""
    return C_NAMES.get(dtype.name, dtype.name)


_MOST_DIMENSIONS = 64 if np.lib.NumpyVersion(np.__version__) >= "2.0.0.dev0" else 32  # of arrays
# TensorFlow's name for resources of eager programs that nobody else may find.
ANONYMOUS = "cd2c89b7-88b7-44c8-ad83-06c2a9158347"
_INTERFACES = {  # what TensorFlow calls the state of a kind
    "Iterator": "data::IteratorResource",
    "Table": "lookup::LookupInterface",
}


class Handle:
    """Names a piece of state on a device: a variable, a table, a queue.

    The content of a tensor of dtype resource; `value` is the state itself.
    """

    __slots__ = ("__weakref__", "device", "dtype", "kind", "name", "named", "shape", "value")

    def __init__(self, kind: str, name: str, device: Any, dtype: Any = None, shape: Any = None):
        self.kind, self.name, self.device = kind, name, device
        self.dtype, self.shape = dtype, shape
        self.value: Any = None
        self.named: Any = None  # what the program calls a variable, if it is one

    def text(self) -> str:
        """Return it as TensorFlow prints it."""
        name = self.name if self.named is None else f"{self.named.name}/{id(self) % 2**20}"
        is_anonymous = self.named is not None or not self.name or self.name.startswith(ANONYMOUS)
        container = "Anonymous" if is_anonymous else "localhost"
        device = "" if self.device is None else self.device.name
        kind = "QueueInterface" if self.kind.endswith("Queue") else self.kind
        kind = _INTERFACES.get(kind, kind)
        held = ""
        if self.kind == "Var":
            sizes = None if self.shape is None else TensorShape(self.shape)._dims
            dims = "<unknown>"
            if sizes is not None:
                dims = f"[{','.join('?' if size is None else str(size) for size in sizes)}]"
            number = 0 if self.dtype is None else self.dtype.as_datatype_enum
            held = f"DType enum: {number}, Shape: {dims}"
        return (
            f'<ResourceHandle(name="{name}", device="{device}", container="{container}", '
            f'type="tensorflow::{kind}", '
            f'dtype and shapes : "[ {held} ]")>'
        )

    def put(self, content: Any, op: str) -> None:
        """Let it hold a content that was just made: it counts on the device first."""
        device = self.device
        if device is not None and device.account is not None:
            content = device.account(content, op)
        self.value = content


class Variant:
    """The content of a tensor of dtype variant: any Python object with a meaning to some ops."""

    __slots__ = ("value",)
    dtype = None  # as no content of numbers has it

    def __init__(self, value: Any):
        self.value = value

    def moved(self, target: str) -> Variant:
        """Return it with the tensors it holds where code for a torch device can use them."""
        del target
        return self

    def added(self, other: Any) -> Variant:
        """Return the sum with another one, of those that can be added."""
        raise NotImplementedError


def dtype_of(value: Any) -> DType:
    """Return the dtype of a content."""
    try:
        return DTYPE[value.dtype]
    except (KeyError, AttributeError):
        if isinstance(value, Handle):
            return dtypes.resource
        return dtypes.variant


def shape_of(value: Any) -> tuple[int, ...]:
    """Return the shape of a content."""
    return tuple(value.shape) if isinstance(value, (torch.Tensor, np.ndarray)) else ()


def to_numpy(value: Content) -> np.ndarray[Any, Any]:
    """Return a content as a NumPy array, without a copy where that is possible."""
    array: np.ndarray[Any, Any]
    if isinstance(value, torch.Tensor):
        value = to_host(value)
        if (bits := _AS_BITS.get(value.dtype)) is not None:
            known = DTYPE[value.dtype].as_numpy_dtype
            array = value.contiguous().view(bits).numpy().view(known)
            return array
        if value.is_conj() or value.is_neg():
            value = value.resolve_conj().resolve_neg()
        try:
            array = value.numpy()
        except ValueError as problem:  # NumPy leaves zeros out when it multiplies the sizes
            if value.ndim > _MOST_DIMENSIONS:
                raise invalid(
                    f"Cannot convert tensor with {value.ndim} dimensions to NumPy array. NumPy "
                    f"arrays can have at most {_MOST_DIMENSIONS} dimensions"
                ) from None
            raise invalid(
                f"Failed to create numpy array from tensor of shape {list(value.shape)}. Numpy "
                f"error: ValueError: {problem}"
            ) from None
        return array
    if isinstance(value, np.ndarray):
        return value
    raise invalid("Cannot convert a Tensor of dtype resource to a NumPy array.")


def own_array(value: Content) -> Any:
    """Return a content as an array that shares nothing with it, or as a NumPy scalar.

    Programs write into what `numpy()` gives them, and tensors never change.
    """
    try:  # asking first whether NumPy can have it takes as long as the copy
        array = value.numpy()  # type: ignore[union-attr]
    except (
        AttributeError,
        RuntimeError,
        TypeError,
        ValueError,
    ):  # text, a device, a sign not applied
        array = to_numpy(value)
        if array.ndim and isinstance(value, torch.Tensor) and value.device.type != "cpu":
            return array
    return array.copy() if array.ndim else array[()]


def read_only_array(value: Content) -> np.ndarray[Any, Any]:
    """Return a content as an array that cannot be written to, without a copy where possible."""
    array = to_numpy(value)
    if array is value:  # text is an array itself, the tensor's own
        array = array.view()
    array.setflags(write=False)
    return array


def filled(dims: Any, value: Any, dtype: Any) -> np.ndarray[Any, Any]:
    """Return an array of one value; `np.full` drops the zeros at the end of a string."""
    reserve_on_host(dims, dtype)
    result = np.empty(dims, dtype)
    result.fill(value)
    return result


def from_numpy(array: np.ndarray[Any, Any]) -> Any:
    """Return a NumPy array as a content that shares nothing with it."""
    if array.dtype == OBJECT:
        return array.copy()
    if (bits := _OF_BITS.get(array.dtype)) is not None:
        return torch.from_numpy(array.view(bits[0]).copy()).view(bits[1])
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    # torch.tensor on an array always copies, and keeps scalars 0-dimensional.
    return torch.from_numpy(np.array(array, order="C", copy=True))


# Python 3.12 asks `__buffer__` itself; a base class in C does it for 3.11.
_Exporter: Any = object
if sys.version_info < (3, 12) and native.code is not None:
    _Exporter = native.code.Exporter


class EagerTensor(Tensor, _Exporter):  # type: ignore[misc] # a base that is chosen above
    """A tensor that has a value now, on a device."""

    __slots__ = ("_device", "_made", "_mirrors", "_value")

    _value: Any
    _device: Any
    _mirrors: dict[Any, Any] | None
    _made: Any  # the op that made it, or a name of what did; None if that is not known

    @property
    def dtype(self) -> DType:
        """The type of the elements."""
        return dtype_of(self._value)

    @property
    def shape(self) -> TensorShape:
        """The shape; always fully known."""
        return TensorShape._of(shape_of(self._value))

    @property
    def _shape_tuple(self) -> tuple[int, ...]:
        return shape_of(self._value)

    @property
    def device(self) -> str:
        """The full name of the device whose op made this tensor."""
        name: str = self._device.name
        return name

    @property
    def backing_device(self) -> str:
        """The full name of the device whose memory holds the bytes.

        Small host integers (int32) of a GPU live in host memory, as in TensorFlow.
        """
        if self._device.is_accelerator and self._is_on_host():
            name: str = self._device.name.rpartition("/device:")[0] + "/device:CPU:0"
            return name
        return self.device

    def _is_on_host(self) -> bool:
        if self._device.has_own_memory and isinstance(self._value, torch.Tensor):
            return self._value.device == HOST
        return self.dtype in HOST_KEPT

    @property
    def is_packed(self) -> bool:
        """False: packed tensors of several devices are not made here."""
        return False

    def numpy(self) -> Any:
        """Return a copy of the value: a NumPy array, or a NumPy scalar; bytes for a scalar string.

        Writing into the array does not change the tensor; `np.asarray(tensor)` is read-only and
        copies nothing on a CPU.
        """
        if watch.fetching is not None:
            watch.fetching(self._value, self._device)
        return own_array(self._value)

    def _numpy(self) -> Any:
        return self.numpy()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        if watch.fetching is not None:
            watch.fetching(self._value, self._device)
        array = read_only_array(self._value)
        if dtype is not None and array.dtype != dtype:
            if copy is False:
                raise ValueError("Unable to avoid copy while creating an array as requested.")
            return array.astype(dtype)
        if copy or (copy is None and array.dtype in _OF_BITS):
            # TensorFlow's arrays of bfloat16 are writable, and so are these: a copy.
            return array.copy()
        if self._device.simulated:  # an array must not keep the device's memory held
            array = array.copy()
            array.setflags(write=False)
        return array

    def __buffer__(self, flags: int) -> memoryview:
        """Return the elements for `memoryview` and its like: read-only, in C order.

        NumPy asks this first, and `__array__` where it raises.
        """
        if getattr(self._value, "dtype", None) in _AS_BITS:
            raise ValueError(
                hint(
                    f"cannot include dtype {self.dtype.name} in a buffer",
                    "np.asarray(tensor) gives an array of it",
                )
            )
        if isinstance(self._value, (Handle, Variant)):
            raise BufferError(
                f"Cannot convert a Tensor of dtype {self.dtype.name} to a NumPy array."
            )
        array = self.__array__()
        if not array.flags.c_contiguous:
            array = array.copy(order="C")
            array.setflags(write=False)
        return array.data

    def __dlpack__(self, *, max_version: tuple[int, ...] | None = None, **options: Any) -> Any:
        # Of a capsule without a version NumPy makes a read-only array.
        del max_version
        return self._value.__dlpack__(**options)

    def __dlpack_device__(self) -> Any:
        device = self._value.device
        if device.type == torch._C._get_privateuse1_backend_name():
            # torch's own method does not know a backend of another package by its name.
            return torch._C._torchDeviceToDLDevice(device)
        return self._value.__dlpack_device__()

    def _rank(self) -> int:
        return len(shape_of(self._value))

    def _num_elements(self) -> int:
        count = 1
        for d in shape_of(self._value):
            count *= d
        return count

    def __bool__(self) -> bool:
        return bool(self.numpy())

    def __int__(self) -> int:
        return int(self.numpy())

    def __float__(self) -> float:
        value = self._value
        is_plain = watch.fetching is None and type(value) is torch.Tensor
        if is_plain and value.is_floating_point() and not value.dim():
            return float(value.item())  # a third of the time of making an array
        return float(self.numpy())

    def __complex__(self) -> complex:
        return complex(self.numpy())

    def __index__(self) -> int:
        index: int = self.numpy().__index__()
        return index

    def __len__(self) -> int:
        shape = shape_of(self._value)
        if not shape:
            raise TypeError(
                hint(
                    "Scalar tensor has no `len()`",
                    "its shape is []; see tf.size, or give it a dimension with tf.reshape(x, [1])",
                )
            )
        return shape[0]

    def __format__(self, spec: str) -> str:
        if isinstance(self._value, (Handle, Variant)):
            return format(value_text(self._value, is_repr=True), spec)
        return format(self.numpy(), spec)

    def _text(self, is_repr: bool) -> str:
        if watch.fetching is not None:
            watch.fetching(self._value, self._device)
        return value_text(self._value, is_repr)

    def __str__(self) -> str:
        text = self._text(is_repr=False)
        return f"tf.Tensor({text}, shape={self.shape}, dtype={self.dtype.name})"

    def __repr__(self) -> str:
        text = self._text(is_repr=True)
        label = "numpy" if self.dtype.is_numpy_compatible else "value"
        return f"<tf.Tensor: shape={self.shape}, dtype={self.dtype.name}, {label}={text}>"

    def __copy__(self) -> EagerTensor:
        return wrap(self._value, self._device)

    def __deepcopy__(self, _memo: dict[Any, Any]) -> EagerTensor:
        value = self._value
        if isinstance(value, torch.Tensor):
            return wrap_new(value.clone(), self._device, "DeepCopy")
        return wrap(value, self._device)

    def __reduce__(self) -> Any:
        return (_unpickle, (to_numpy(self._value),))

    def set_shape(self, shape: ShapeLike) -> None:
        """Raise ValueError unless `shape` is compatible: an eager shape is what it is."""
        if not self.shape.is_compatible_with(shape):
            raise ValueError(
                hint(
                    f"Tensor's shape {self.shape} is not compatible with supplied shape {shape}.",
                    "set_shape only states what is so already: tf.reshape changes it",
                )
            )

    def get_shape(self) -> TensorShape:
        """Return the shape."""
        return self.shape

    def experimental_ref(self) -> Any:
        """Return a hashable stand-in for this tensor; the old name of `ref`."""
        return self.ref()

    def _graph_only(self, what: str) -> AttributeError:
        return AttributeError(f"Tensor.{what} is undefined when eager execution is enabled.")

    @property
    def op(self) -> Any:
        """Not defined: an eager tensor has no graph operation."""
        raise self._graph_only("op")

    @property
    def graph(self) -> Any:
        """Not defined: an eager tensor is in no graph."""
        raise self._graph_only("graph")

    @property
    def name(self) -> Any:
        """Not defined: an eager tensor has no name."""
        raise self._graph_only("name")

    @property
    def value_index(self) -> Any:
        """Not defined: an eager tensor is no output of a graph operation."""
        raise self._graph_only("value_index")

    def eval(self, feed_dict: Any = None, session: Any = None) -> Any:
        """Not possible: there is no session; use `numpy()`."""
        raise NotImplementedError(
            "eval is not supported when eager execution is enabled, is .numpy() what you're "
            "looking for?"
        )

    def consumers(self) -> Any:
        """Not possible: an eager tensor does not know its consumers."""
        raise NotImplementedError("Tensor.consumers is undefined when eager execution is enabled.")


EagerTensor.__module__ = "tensorflow.python.framework.ops"

# Placed on a GPU, int32 and strings stay in host memory.
HOST_KEPT = frozenset({dtypes.int32, dtypes.string, dtypes.resource, dtypes.variant})

_new = EagerTensor.__new__


def wrap(value: Any, device: Any, made: Any = None) -> EagerTensor:
    """Return the tensor of a content on a device, `made` by an op, or what its name says."""
    tensor = _new(EagerTensor)
    tensor._value = value
    tensor._device = device
    tensor._mirrors = None
    tensor._made = made
    return tensor


register_contents(EagerTensor, lambda tensor: ((tensor._value, tensor._made),))


def wrap_new(value: torch.Tensor, device: Device, what: str) -> EagerTensor:
    """Return the tensor of a content that was just made, which counts on its device."""
    return wrap(value if device.account is None else device.account(value, what), device, what)


def _unpickle(array: np.ndarray[Any, Any]) -> Any:
    return lazy.convert_to_tensor(array)


def value_text(value: Any, is_repr: bool) -> str:
    """Return a content as TensorFlow prints it: below the text when it has several lines."""
    if isinstance(value, Handle):
        return value.text()
    if not isinstance(value, (torch.Tensor, np.ndarray)):
        return "<Variant>"
    array = to_numpy(value)
    if array.ndim == 0:
        text = repr(array.item()) if is_repr or array.dtype == OBJECT else str(array[()])
    else:
        text = repr(array) if is_repr else str(array)
    return "\n" + text if "\n" in text else text
