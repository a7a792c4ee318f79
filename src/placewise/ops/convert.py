"""Python and NumPy values as tensors, by TensorFlow's rules.

float → float32, int → int32 (int64 where needed), NumPy keeps its own type; nothing is promoted
silently. `host_array` is the same for arguments that a kernel reads on the host.
"""

from __future__ import annotations

from array import array as number_array
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np

from placewise import native
from placewise.core import dtypes
from placewise.core.arguments import DTypeLike, TensorLike
from placewise.core.dispatchers import is_stand_in
from placewise.core.dtypes import DType, as_dtype
from placewise.core.errors import hint, invalid
from placewise.core.nest import Composite
from placewise.core.runtime import State, runtime
from placewise.core.scope import Scope, current, watch
from placewise.core.shapes import Dimension, TensorShape
from placewise.core.tensor import Tensor
from placewise.memory.host import reserve_on_host
from placewise.memory.ledgers import on_release
from placewise.ops import lazy
from placewise.ops.default_types import in_default_type
from placewise.ops.ragged.value import RaggedTensorValue
from placewise.ops.values import EagerTensor, c_name, filled, from_numpy, to_numpy, wrap


@dataclass(slots=True)
class Converters(State):
    """Values of other classes that know how to become tensors."""

    functions: list[tuple[Any, Any]] = field(default_factory=list)  # class, function(value, dtype)
    classes: tuple[Any, ...] = ()  # the classes alone: one isinstance asks for all of them


_converters = runtime.state(Converters, lasting=True)  # a registry


def register_tensor_conversion_function(
    base_type: type[Any], conversion_func: Callable[..., Any], priority: int = 100
) -> None:
    """Make `conversion_func(value, dtype, name, as_ref)` convert values of `base_type`."""
    if not callable(conversion_func):
        raise TypeError("Argument `conversion_func` must be callable.")
    _converters.functions.append((base_type, conversion_func))
    _converters.classes = (*_converters.classes, base_type)


def has_converter(value: TensorLike) -> bool:
    """Return True if a conversion function was registered for values of this class."""
    return isinstance(value, _converters.classes)


def convert_to_tensor(
    value: Any, dtype: Any = None, dtype_hint: Any = None, name: str | None = None
) -> Tensor:
    """Return `value` as a tensor.

    `dtype` must be met; `dtype_hint` is met if it can be. A sparse or ragged tensor stays what it
    is: the ops it reaches know what to do with it, or refuse it.
    """
    if dtype is not None:
        dtype = as_dtype(dtype).base_dtype
    if isinstance(value, Tensor):
        if dtype is not None and value.dtype.base_dtype is not dtype:
            raise ValueError(
                hint(
                    f"Tensor conversion requested dtype {dtype.name} for Tensor with dtype "
                    f"{value.dtype.name}: {value!r}",
                    f"convert it: tf.cast(x, tf.{dtype.name})",
                )
            )
        if current.interpreter is not Scope.eager:  # a graph captures tensors from outside
            taken: Tensor = current.interpreter.capture(value, name)
            return taken
        return value
    if (
        isinstance(value, Composite)
        and not hasattr(type(value), "__tf_tensor__")
        and not has_converter(value)
    ):
        return value  # type: ignore[return-value]  # the ops it reaches take it as a tensor
    if (convert := getattr(type(value), "__tf_tensor__", None)) is not None:
        return _checked(convert(value, dtype, name), value, dtype, name)
    # The last one registered is asked first.
    for base, convert in reversed(_converters.functions):
        if isinstance(value, base):
            made = convert(value, dtype=dtype, name=name, as_ref=False)
            if made is not NotImplemented:
                return _checked(made, value, dtype, name)
    if is_stand_in(value):
        return value  # the op it reaches asks its library's handler
    # [tensor, 1.0]: the ops that stack are recorded or differentiated like any others.
    if isinstance(value, (list, tuple)) and contains_tensor(value):
        packed: Tensor = lazy.pack_nested(value, dtype, name)
        return packed
    if isinstance(value, RaggedTensorValue):
        return _ragged_tensor(value)
    if dtype is None and dtype_hint is not None:
        try:
            return constant_of(value, as_dtype(dtype_hint).base_dtype, None, name)
        except (TypeError, ValueError):
            pass
    return constant_of(value, dtype, None, name)


def _ragged_tensor(value: RaggedTensorValue) -> Any:
    """Return what a session returned of a ragged tensor as one again."""
    return lazy.RaggedTensor.from_nested_row_splits(value.flat_values, value.nested_row_splits)


def only_tensor(
    value: Any,
    dtype: DTypeLike | None = None,
    dtype_hint: DTypeLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Return `value` as a tensor.

    `value`: a tensor, variable, NumPy array, Python number or string, or nested lists of these.
    `dtype`: the dtype the result must have. A tensor of another dtype is refused: use `tf.cast`.
    `dtype_hint`: the dtype to take for Python values if they allow it; another is no error.

    Raises ValueError if a tensor has another dtype, TypeError if Python values do not fit `dtype`.
    Sparse and ragged tensors are refused as well.

    >>> tf.convert_to_tensor([1, 2], dtype=tf.float32)
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([1., 2.], dtype=float32)>
    """
    made = convert_to_tensor(value, dtype, dtype_hint, name)
    if isinstance(made, Composite):
        raise made._no_tensor()
    return made


def _checked(made: Tensor, value: Any, dtype: DType | None, name: str | None) -> Tensor:
    tensor = made if isinstance(made, Tensor) else convert_to_tensor(made, dtype, name=name)
    if dtype is not None and tensor.dtype.base_dtype is not dtype:
        raise ValueError(
            hint(
                f"Tensor conversion requested dtype {dtype.name} for Tensor with dtype "
                f"{tensor.dtype.name}: {tensor!r}",
                f"convert it: tf.cast(x, tf.{dtype.name})",
            )
        )
    return tensor


def constant_of(value: Any, dtype: DType | None, shape: Any, name: str | None) -> Tensor:
    """Return a constant: the value is converted on the host and passed to the interpreter."""
    array = host_constant(value, dtype)
    if shape is not None:
        array = _reshaped(array, value, TensorShape(shape))
    constant: Tensor = current.interpreter.constant(array, dtype, None, name)
    return constant


def kept_on_host(value: TensorLike, dtype: DType | None = None) -> Any:
    """Return integers as a tensor whose content an eager program keeps in host memory.

    For values mostly read there, such as row splits; a kernel copies them if it must.
    """
    device = current.fast if current.interpreter is Scope.eager else None
    if device is not None and device.has_own_memory:
        return wrap(from_numpy(host_constant(value, dtype)), device)
    return convert_to_tensor(value, dtype)


def _reshaped(array: np.ndarray[Any, Any], value: Any, shape: TensorShape) -> Any:
    dims: Any = tuple(shape.as_list())
    count = shape.num_elements()
    if array.size == count:
        return array.reshape(dims)
    if array.size == 1:
        if array.ndim > 1:
            shown = ",".join(map(str, array.shape))
            raise invalid(f"value must represent a scalar, got shape [{shown}] [Op:Fill] name: ")
        if current.interpreter is Scope.eager:
            return filled(dims, array.reshape(())[()], array.dtype)
        # A graph keeps one value, and a GraphDef has one: TensorFlow writes these so, too.
        reserve_on_host(dims, array.dtype)
        return np.broadcast_to(array.reshape(()), dims)
    if current.interpreter is Scope.eager:
        words = (
            "Eager execution of tf.constant with unsupported shape. "
            f"Tensor {array} (converted from {value}) has {array.size} elements, but got `shape` "
            f"{shape} with {count} elements)."
        )
    else:
        words = f"Expected Tensor's shape: {shape}, but got {array.shape}."
    raise TypeError(hint(words, "leave `shape` out, or give one for as many elements"))


_LEAVES = frozenset({int, float, bool, complex, str, bytes})


def contains_tensor(value: Any) -> bool:
    """Return True if a nest of lists holds a tensor, or something that becomes one."""
    if not isinstance(value, range) and _LEAVES.issuperset(map(type, value)):  # one call of C
        return False
    for item in value:
        if isinstance(item, (list, tuple)):
            if contains_tensor(item):
                return True
        elif (
            isinstance(item, Tensor) or hasattr(type(item), "__tf_tensor__") or has_converter(item)
        ):
            return True
    return False


def dtype_hint_of(value: Any) -> DType | None:
    """Return the dtype of the first tensor in a nest of lists."""
    for item in value:
        if isinstance(item, (list, tuple)):
            found = dtype_hint_of(item)
        else:
            found = getattr(item, "dtype", None) if _is_tensor_like(item) else None
        if found is not None:
            return as_dtype(found).base_dtype
    return None


def _is_tensor_like(item: TensorLike) -> bool:
    return isinstance(item, Tensor) or hasattr(type(item), "__tf_tensor__")


@dataclass(slots=True)
class Scalars(State):
    """The constants of Python numbers, by number, dtype and device request."""

    tensors: dict[Any, Any] = field(default_factory=dict)


_scalars = runtime.state(Scalars)


def scalar(value: Any, dtype: DType | None) -> Any:
    """Return a Python int or float as a constant; in eager programs the same one each time.

    Of `dtype` if it can be, else of its own.
    """
    # A constant of a graph belongs to that graph, so only eager ones are remembered. The class is
    # part of the key because 1, 1.0 and True are equal; the request because of the device it is on.
    eager = current.interpreter is Scope.eager
    # 0.0 and -0.0 are equal, but their texts are not.
    key = (type(value), value or str(value), dtype, current.request)
    if eager and (found := _scalars.tensors.get(key)) is not None:
        return found
    try:
        made = constant_of(value, dtype, None, None)
    except (TypeError, ValueError):
        made = constant_of(value, None, None, None)
    if eager:
        # A program that counts would fill it without end.
        if len(_scalars.tensors) > 4096:
            _scalars.tensors.clear()
        _scalars.tensors[key] = made
    return made


def number(value: float, dtype: DType) -> Any:
    """Return a Python number as an argument of an op; in a graph it is named after that."""
    if current.interpreter is Scope.eager:
        return scalar(value, dtype)
    return host_constant(value, dtype)


def host_number(value: TensorLike, dtype: DType | None, name: str | None = None) -> Any:
    """Return a value for an input that ops read on the host.

    In eager programs what is no tensor becomes an array: a constant would be put on the device in
    force, and read back from there.
    """
    if current.interpreter is Scope.eager and isinstance(
        value, (int, float, np.ndarray, np.generic)
    ):
        return host_constant(value, dtype)
    return convert_to_tensor(value, dtype, name=name)


def forget_scalars() -> None:
    """Drop remembered scalars: the devices they are on are gone, or their memory is wanted back."""
    _scalars.tensors.clear()


on_release(forget_scalars)


_PLAIN = {int: dtypes.int32, float: dtypes.float32, bool: dtypes.bool, complex: dtypes.complex128}


def host_constant(value: Any, dtype: DType | None) -> np.ndarray[Any, Any]:
    """Return a Python or NumPy value as the array a constant of `dtype` holds.

    Strings come back as arrays of bytes objects.
    """
    if isinstance(value, (np.ndarray, np.generic)):
        return _from_numpy(value, dtype)
    if isinstance(value, (list, tuple, range)):
        return _from_sequence(value, dtype)
    # By exact class, which is quickest; subclasses (enumerations, a Flag) are handled below.
    kind = type(value)
    if kind is int or kind is float or kind is bool or kind is complex:
        return _from_scalar(value, kind, dtype)
    if isinstance(value, (str, bytes)):
        if dtype is not None and dtype is not dtypes.string:
            raise _cannot(value, dtype)
        return _bytes_array(value)
    if isinstance(value, TensorShape):
        return _from_shape(value, dtype)
    if isinstance(value, Dimension):
        if value.value is None:
            raise ValueError("Cannot convert an unknown Dimension to a Tensor: ?")
        return np.asarray(value.value, (dtype or dtypes.int32).as_numpy_dtype)
    if isinstance(value, EagerTensor):
        return to_numpy(value._value)
    if hasattr(value, "requires_grad") and hasattr(value, "detach"):
        # A tensor of torch's: NumPy itself takes none that has a gradient, or is bfloat16.
        return _from_numpy(to_numpy(value.detach().cpu()), dtype)
    if hasattr(value, "__array__"):
        return _from_numpy(np.asarray(value), dtype)
    if isinstance(value, (int, float, complex)):  # subclasses: enumerations and the like
        plain: Any = next(t for t in (bool, int, float, complex) if isinstance(value, t))
        return _from_scalar(plain(value), plain, dtype)
    if hasattr(value, "__index__"):
        return _from_scalar(value.__index__(), int, dtype)
    if hasattr(value, "__len__") and hasattr(value, "__getitem__") and not hasattr(value, "keys"):
        return _from_sequence(list(value), dtype)
    # By name: the class itself would load protobuf. TensorFlow takes the message in graphs only.
    if kind.__name__ == "TensorProto" and current.interpreter is not Scope.eager:
        return _from_numpy(lazy.make_ndarray(value), dtype)
    raise ValueError(
        hint(
            f"Attempt to convert a value ({value!r}) with an unsupported type ({type(value)}) "
            "to a Tensor.",
            "a function that ends without `return`, or a missing key, gives None; tensors are "
            "made of numbers, bools, strings, arrays and lists of these",
        )
    )


_OBJECT_TYPES = {"f": "float", "i": "int", "u": "int", "b": "bool", "c": "complex"}


def _array_words(value: Any, dtype: DType) -> str:
    """Return why an array has no tensor of a dtype, where TensorFlow blames NumPy."""
    if not isinstance(value, (np.ndarray, np.generic)):
        return ""
    if dtype is dtypes.resource:
        return "Unexpected numpy data type"
    if dtype is dtypes.string and value.dtype.kind in _OBJECT_TYPES:
        return f"Unsupported object type {_OBJECT_TYPES[value.dtype.kind]}"
    return ""


def _cannot(value: Any, dtype: DType) -> Exception:
    why = _array_words(value, dtype)
    if why:
        return ValueError(
            hint(
                f"Failed to convert a NumPy array to a Tensor ({why}).",
                f"received {value.dtype}{list(value.shape)} for dtype {c_name(dtype)}",
            )
        )
    return TypeError(
        hint(
            f"Cannot convert {value!r} to EagerTensor of dtype {c_name(dtype)}",
            f"received a {type(value).__name__}; leave dtype out, or convert the value: tf.cast, "
            "tf.strings.to_number, int()",
        )
    )


def _bytes_array(value: str | bytes) -> np.ndarray[Any, Any]:
    array = np.empty((), dtype=object)
    array[()] = value.encode() if isinstance(value, str) else bytes(value)
    return array


def _from_scalar(value: Any, kind: type, dtype: DType | None) -> np.ndarray[Any, Any]:
    if dtype is None:
        dtype = _PLAIN[kind]
        # As TensorFlow: int64 where int32 is too small, but never float64 by itself. Doubles beyond
        # the number below round to infinity as float32; TensorFlow refuses those.
        if kind is int and not -(2**31) <= value < 2**31:
            dtype = dtypes.int64
            if not -(2**63) <= value < 2**63:
                raise _integer_range()
        elif kind is float and abs(value) > 3.4028235677973366e38 and abs(value) != np.inf:
            raise _float_range()
    elif dtype is not _PLAIN[kind]:
        _check_plain(value, {kind}, kind, dtype)
    return _cast_plain(value, kind, dtype)


def _float_range() -> ValueError:
    return ValueError(
        "Can't convert Python sequence with a value out of range for a double-precision float."
    )


def _integer_range() -> ValueError:
    return ValueError("Can't convert Python sequence with out-of-range integer to Tensor.")


# TensorFlow reads Python numbers straight into these; others it infers first and then casts.
_DIRECT_INTEGERS = frozenset({dtypes.int32, dtypes.int64, dtypes.uint64})
_DIRECT_FLOATS = frozenset({dtypes.float16, dtypes.float32, dtypes.float64})


def _check_plain(value: Any, kinds: set[type], first: type, dtype: DType | None) -> type:
    """Return the kind that Python numbers of `kinds` are taken for; raise if not for `dtype`."""
    if (
        (dtype in _DIRECT_INTEGERS and kinds <= {int, bool})
        or (dtype in _DIRECT_FLOATS and kinds <= {int, bool, float})
        or (dtype is dtypes.bool and kinds == {bool})
        or dtype is dtypes.complex128
    ):
        return first
    # The first number of a list says what TensorFlow expects of the others: integers may become
    # floats on the way, booleans and complex numbers may not be mixed with others.
    if (first is bool and kinds != {bool}) or (complex in kinds and first is not complex):
        raise _mixed()
    found = first if first in (bool, complex) else float if float in kinds else int
    if dtype is None:
        return found
    fits = (
        (found is int and (dtype.is_integer or dtype.is_floating or dtype.is_complex))
        or (found is float and (dtype.is_floating or dtype.is_complex))
        or (found is complex and dtype.is_complex)
        or (found is bool and dtype.is_bool)
    )
    if not fits:
        raise _cannot(value, dtype)
    return found


_EVERYWHERE = 448  # the largest number of the smallest float: up to it, no cast overflows


def _cast_plain(value: Any, kind: type, dtype: DType) -> np.ndarray[Any, Any]:
    if kind is int and not -(2**63) <= value < 2**63:
        wide = dtype in _DIRECT_FLOATS or dtype is dtypes.complex128
        if not wide and not (dtype is dtypes.uint64 and 0 <= value < 2**64):
            raise _integer_range()
    # tf.constant(300, tf.uint8) is 44: bits are cut off. NumPy would raise.
    if dtype.is_integer and kind is int:
        bits = dtype.size * 8
        value &= (1 << bits) - 1
        if not dtype.is_unsigned and value >> (bits - 1):
            value -= 1 << bits
    # Entering `np.errstate` takes as long as the rest: only where a cast may overflow.
    if kind is not complex and -_EVERYWHERE <= value <= _EVERYWHERE:
        return np.asarray(value, dtype=dtype.as_numpy_dtype)
    with np.errstate(over="ignore"):
        try:
            return np.asarray(value, dtype=dtype.as_numpy_dtype)
        except OverflowError:  # beyond the largest double
            raise _integer_range() from None


def _from_numpy(value: TensorLike, dtype: DType | None) -> np.ndarray[Any, Any]:
    array = np.asarray(value)
    if array.dtype.kind in "US":
        array = np.array(
            [s.encode() if isinstance(s, str) else bytes(s) for s in array.reshape(-1).tolist()]
            + [None],
            dtype=object,
        )[:-1].reshape(array.shape)
    if array.dtype.kind == "O":
        return _from_objects(array, dtype)
    if array.dtype.kind in "mM":
        kind = "NPY_DATETIME" if array.dtype.kind == "M" else "NPY_TIMEDELTA"
        raise _numpy_failure(f"Unsupported numpy type: {kind}")
    # torch knows the machine's byte order only.
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    try:
        own = as_dtype(array.dtype)
    except TypeError:
        raise _numpy_failure(f"Unsupported numpy type: {array.dtype}") from None
    if dtype is None or dtype is own:
        return array
    if dtype is dtypes.string and not array.size:
        return array.astype(object)
    if dtype is dtypes.string or dtype is dtypes.resource or dtype is dtypes.variant:
        raise _cannot(value, dtype)
    # An explicit dtype casts an array, however much is lost, as TensorFlow does.
    with np.errstate(all="ignore"):
        return array.astype(dtype.as_numpy_dtype)


def _numpy_failure(reason: str) -> ValueError:
    return ValueError(f"Failed to convert a NumPy array to a Tensor ({reason}).")


def _from_objects(array: np.ndarray[Any, Any], dtype: DType | None) -> np.ndarray[Any, Any]:
    items = array.reshape(-1).tolist()
    if any(isinstance(item, Tensor) for item in items):
        return host_constant(
            np.asarray([np.asarray(item) for item in items]).reshape(array.shape), dtype
        )
    if not all(isinstance(item, (str, bytes)) for item in items):
        odd = next(item for item in items if not isinstance(item, (str, bytes)))
        raise _numpy_failure(f"Unsupported object type {type(odd).__name__}")
    if dtype is not None and dtype is not dtypes.string:
        # TensorFlow lets NumPy read numbers from an array of texts: b"0.5" is 0.5.
        numbers = in_default_type(array, dtype)
        if numbers is None and dtype in (dtypes.resource, dtypes.variant):
            raise _cannot(array, dtype)
        if numbers is None:
            raise _numpy_failure(f"its texts are no numbers of dtype {c_name(dtype)}")
        return numbers
    result = np.empty(len(items), dtype=object)
    result[:] = [item.encode() if isinstance(item, str) else bytes(item) for item in items]
    return result.reshape(array.shape)


def _from_shape(value: TensorShape, dtype: DType | None) -> np.ndarray[Any, Any]:
    if not value.is_fully_defined():
        raise ValueError(f"Cannot convert a partially known TensorShape {value} to a Tensor.")
    dims = value.as_list()
    if dtype is None:
        dtype = dtypes.int64 if any(d >= 2**31 for d in dims if d is not None) else dtypes.int32
    elif dtype not in dtypes.INDEX:
        raise TypeError(f"Cannot convert a TensorShape to dtype: {dtype!r}")
    elif dtype is dtypes.int32 and any(d >= 2**31 for d in dims if d is not None):
        raise ValueError(
            f"Cannot convert TensorShape {value} to dtype int32; a dimension is too large. "
            "Consider using tf.int64."
        )
    return np.asarray(dims, dtype.as_numpy_dtype)


def _flatten(value: TensorLike, depth: int, items: list[Any], shape: list[int]) -> None:
    """Append the leaves of nested sequences to `items`; `shape` grows along the first branch."""
    if isinstance(value, np.ndarray) and value.ndim:
        value = list(value)
    if isinstance(value, TensorShape):
        value = value.as_list()
    if isinstance(value, (list, tuple, range)):
        # The first branch decides the shape. A list where leaves have come before at this depth, or
        # of another length than its siblings, is ragged.
        if len(shape) == depth:
            if items:
                raise _mixed_depths()
            shape.append(len(value))
        elif shape[depth] != len(value):
            raise _ragged()
        for item in value:
            _flatten(item, depth + 1, items, shape)
    else:
        if len(shape) != depth:
            raise _ragged()
        items.append(value)


def _ragged() -> ValueError:
    return _no_array(
        "Can't convert non-rectangular Python sequence to Tensor.",
        "all rows need the same length: pad them, or see tf.ragged.constant",
    )


def _mixed_depths() -> ValueError:
    return _no_array(
        "Can't convert Python sequence with mixed types to Tensor.",
        "all items need the same depth: a list stands beside a number",
    )


def _no_array(words: str, advice: str) -> ValueError:
    if current.interpreter is not Scope.eager:
        # TensorFlow lets NumPy convert what a graph keeps, and passes on what NumPy says.
        words = (
            "setting an array element with a sequence. The requested array has an inhomogeneous "
            f"shape. {words}"
        )
    return ValueError(hint(words, advice))


def _from_sequence(value: Any, dtype: DType | None) -> np.ndarray[Any, Any]:
    quick = _number_items(value, dtype)
    if quick is not None:
        return quick
    # One C call collects the classes of all items: a loop over them would take most of the
    # time.
    kinds: set[type] = set(map(type, value)) if not isinstance(value, range) else {int}
    items: list[Any]
    if kinds and kinds <= _TEXTS and (dtype is None or dtype is dtypes.string):
        return _text_items(value, kinds)
    if kinds and kinds <= _PLAIN.keys():  # the common case: a flat list of Python numbers
        items, shape = list(value), [len(value)]
    else:
        items, shape = [], []
        _flatten(value, 0, items, shape)
        kinds = set(map(type, items))
    if not kinds:
        made = np.empty(0, (dtype or dtypes.float32).as_numpy_dtype)
    elif kinds <= _PLAIN.keys():
        made = _plain_items(value, items, kinds, dtype)
    elif all(issubclass(kind, (str, bytes)) for kind in kinds):
        if dtype is not None and dtype is not dtypes.string:
            raise _cannot(value, dtype)
        made = np.empty(len(items), dtype=object)
        made[:] = [item.encode() if isinstance(item, str) else bytes(item) for item in items]
    else:
        made = _mixed_items(value, items, dtype)
    return made.reshape(shape)


def _number_items(value: Any, dtype: DType | None) -> np.ndarray[Any, Any] | None:
    """Return a list of floats, or of integers, that its usual dtype holds; None of any other.

    Nearly all lists end here: the native module looks at each item once.
    """
    if native.code is None or type(value) not in (list, tuple) or not value:
        return None
    if type(value[0]) is float and (dtype is None or dtype is dtypes.float32):
        made: np.ndarray[Any, Any] = np.empty(len(value), np.float32)
        return made if native.code.fill_numbers(list(value), made, "f", dtype is None) else None
    if type(value[0]) is int and (dtype is None or dtype is dtypes.int32):
        made = np.empty(len(value), np.int32)
        return made if native.code.fill_numbers(list(value), made, "i", True) else None
    return None


_TEXTS = frozenset({str, bytes})


def _text_items(value: Any, kinds: set[type]) -> np.ndarray[Any, Any]:
    """Return a flat list of strings as an array of bytes objects."""
    made = np.empty(len(value), dtype=object)
    items = list(value)
    if native.code is not None:
        native.code.fill_strings(items, made)
    elif kinds == {bytes}:
        made[:] = items
    else:
        made[:] = [item.encode() if isinstance(item, str) else item for item in items]
    return made


def _plain_items(
    value: Sequence[Any], items: list[Any], kinds: set[type], dtype: DType | None
) -> np.ndarray[Any, Any]:
    if kinds == {int} and (dtype is None or dtype is dtypes.int32):
        # Nearly all lists end here. NumPy raises for what int32 cannot hold, and int64 follows
        # below.
        try:
            return np.array(items, np.int32)
        except OverflowError:
            pass
    if kinds == {float} and (dtype is None or dtype is dtypes.float32):
        return _float_items(items, dtype is None)
    found = _check_plain(value, kinds, type(items[0]), dtype)
    if int in kinds:
        low, high = min(i for i in items if type(i) is int), max(i for i in items if type(i) is int)
        if not -(2**63) <= low <= high < 2**63 or (
            dtype is not None and dtype.is_integer and (low < dtype.min or high > dtype.max)
        ):
            if dtype is None:
                raise _integer_range()
            # Too large for the dtype: cut off one by one, as single numbers are.
            return np.asarray(
                [_cast_plain(item, type(item), dtype) for item in items], dtype.as_numpy_dtype
            )
        if dtype is None and found is int:
            return np.asarray(items, np.int32 if -(2**31) <= low <= high < 2**31 else np.int64)
    if dtype is None:
        if found is float and any(_FLOAT32_END < abs(i) < np.inf for i in items):
            raise _float_range()
        dtype = _PLAIN[found]
    with np.errstate(over="ignore"):
        return np.asarray(items, dtype=dtype.as_numpy_dtype)


def _float_items(items: list[float], is_checked: bool) -> np.ndarray[Any, Any]:
    """Return Python floats as float32; ValueError for those beyond it, if that is checked."""
    wide = np.frombuffer(
        number_array("d", items)
    )  # half of the time of NumPy's own look at each item
    if is_checked:
        sizes = np.abs(wide)
        if ((sizes > _FLOAT32_END) & (sizes < np.inf)).any():
            raise _float_range()
    with np.errstate(over="ignore"):
        return wide.astype(np.float32)


_FLOAT32_END = 3.4028235677973366e38  # from here on a number rounds to infinity


def _mixed() -> ValueError:
    return ValueError("Can't convert Python sequence with mixed types to Tensor.")


def _mixed_items(value: list[Any], items: list[Any], dtype: DType | None) -> np.ndarray[Any, Any]:
    """Convert leaves that are not all plain Python numbers: NumPy scalars, enumerations, None."""
    if dtype is dtypes.string and any(isinstance(item, np.number) for item in items):
        raise _cannot(value, dtype)
    if dtype is dtypes.bool:
        _check_truths(value, items)
    for index, item in enumerate(items):
        if isinstance(item, Tensor):  # TensorFlow's very words
            raise _mixed() if index else ValueError("TypeError: Scalar tensor has no `len()`")
        if item is None or isinstance(item, dict):
            if index:
                raise _mixed()
            raise ValueError(
                hint(
                    f"Attempt to convert a value ({item!r}) with an unsupported type "
                    f"({type(item)}) "
                    "to a Tensor.",
                    "a function that ends without `return`, or a missing key, gives None; tensors "
                    "are made of numbers, bools, strings, arrays and lists of these",
                )
            )
    arrays = [host_constant(item, None) for item in items]
    found = {array.dtype for array in arrays}
    if OBJECT_KIND in {d.kind for d in found} and len(found) > 1:
        raise _mixed()
    if dtype is None:
        kinds = {array.dtype.kind for array in arrays}
        if kinds <= set("iu"):
            wide = any(a.dtype.itemsize == 8 and not -(2**31) <= int(a) < 2**31 for a in arrays)
            target: Any = np.int64 if wide else np.int32
        elif kinds == {"b"}:
            target = np.bool_
        elif "c" in kinds:
            target = np.complex128
        else:
            # The first item decides, as in TensorFlow: a float of NumPy keeps its precision.
            first = items[0]
            is_float = isinstance(first, (np.generic, np.ndarray)) and first.dtype.kind in "fV"
            target = first.dtype if is_float else np.float32
        return np.asarray([array[()] for array in arrays], dtype=target)
    kinds = {array.dtype.kind for array in arrays}
    is_text = dtype is dtypes.string
    if (
        (dtype.is_integer and not kinds <= set("iub"))
        or (is_text and not kinds <= set("OSU"))
        or (not dtype.is_bool and any(getattr(item, "dtype", "") == np.bool_ for item in items))
    ):
        raise _cannot(value, dtype)
    return np.asarray([array[()] for array in arrays], dtype=dtype.as_numpy_dtype)


def _check_truths(value: list[Any], items: list[Any]) -> None:
    """Refuse numbers of NumPy among truths: TensorFlow goes by the first item."""
    are_truths = [getattr(item, "dtype", np.bool_) == np.bool_ for item in items]
    if not all(are_truths):
        raise _mixed() if are_truths[0] else _cannot(value, dtypes.bool)


OBJECT_KIND = "O"


_HOST_TYPES = {np.dtype(np.int32): dtypes.int32, np.dtype(np.int64): dtypes.int64}


def host_array(
    value: Any, allowed: frozenset[DType], what: str, op: str, usual: DType | None = None
) -> np.ndarray[Any, Any]:
    """Return an argument that a kernel reads on the host (an axis, a shape) as an array.

    The dtype must be one of `allowed`; Python integers become int32 as everywhere. Another dtype
    is converted to `usual`, the default of the op's type attribute, if there is one.
    """
    kind = type(value)
    if kind is np.ndarray and _HOST_TYPES.get(value.dtype) in allowed:
        return cast("np.ndarray[Any, Any]", value)
    if dtypes.int32 in allowed:
        # The common cases: a shape, a permutation, an axis in Python integers.
        plain = kind is int or ((kind is list or kind is tuple) and set(map(type, value)) == {int})
        if plain:
            try:
                return np.array(value, np.int32)
            except OverflowError:
                pass
    if isinstance(value, EagerTensor):
        if watch.fetching is not None:
            watch.fetching(value._value, value._device, "host")
        array = to_numpy(value._value)
    elif isinstance(value, (list, tuple)) and contains_tensor(value):
        array = to_numpy(convert_to_tensor(value, host_type(value, allowed))._value)
    elif hasattr(type(value), "__tf_tensor__"):
        array = to_numpy(convert_to_tensor(value)._value)
    else:
        array = host_constant(value, None)
        # [] is float32 by TensorFlow's rule; as a shape or a list of axes it is meant as integers.
        if array.size == 0 and array.dtype == np.float32 and dtypes.int32 in allowed:
            array = array.astype(np.int32)
    dtype = as_dtype(array.dtype)
    if dtype not in allowed:
        cast_array = None if usual is None or _is_tensor_like(value) else as_default(value, usual)
        if cast_array is None:
            raise not_allowed(what, dtype, allowed)
        return cast_array
    return array


def as_default(value: Any, dtype: DType) -> np.ndarray[Any, Any] | None:
    """Return an argument in the default dtype of an op; None if it cannot have it."""
    if isinstance(value, (np.ndarray, np.generic)):
        return in_default_type(np.asarray(value), dtype)
    try:
        return host_constant(value, dtype)
    except (TypeError, ValueError):
        return None


def host_type(value: TensorLike, allowed: frozenset[DType] | None) -> DType | None:
    """Return the dtype to cast a list with tensors in it to, where it is a shape or the like.

    TensorFlow takes sizes of any dtype there, and None stands for the tensors' own.
    """
    if not allowed or dtypes.int32 not in allowed or dtype_hint_of(value) in allowed:
        return None
    return dtypes.int32


_ORDER = [
    "bfloat16",
    "float16",
    "float32",
    "float64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "int8",
    "int16",
    "int32",
    "int64",
    "complex64",
    "complex128",
    "bool",
    "string",
]


def in_registry_order(allowed: frozenset[DType]) -> list[DType]:
    """Return dtypes in the order in which TensorFlow lists what an op takes."""
    return sorted(allowed, key=lambda d: _ORDER.index(d.name) if d.name in _ORDER else 99)


def not_allowed(attr: str, dtype: DType, allowed: frozenset[DType]) -> Exception:
    """Return the error for a dtype that an op does not take."""
    names = ", ".join(map(c_name, in_registry_order(allowed)))
    return invalid(
        f"Value for attr '{attr}' of {c_name(dtype)} is not in the list of allowed values: {names}"
    )
