"""TensorFlow's data types: names, numbers, NumPy equivalents and limits."""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING, Any

import ml_dtypes
import numpy as np

from placewise.core.errors import hint

if TYPE_CHECKING:
    from placewise.core.arguments import DTypeLike


class DType:
    """The type of a tensor's elements."""

    __slots__ = ("_enum", "_is_ref", "_kind", "_name", "_numpy", "_other", "_size")
    _name: str
    _enum: int
    _kind: str
    _numpy: Any
    _size: int | None
    _other: DType
    _is_ref: builtins.bool

    def __new__(cls, type_enum: Any, *_: object) -> DType:
        """Return the one object there is for a type number or name."""
        return as_dtype(type_enum)

    @staticmethod
    def _make(name: str, enum: int, kind: str, numpy_type: Any, size: int | None) -> DType:
        plain = object.__new__(DType)
        ref = object.__new__(DType)
        for dtype, is_ref in ((plain, False), (ref, True)):
            dtype._name = name + "_ref" if is_ref else name
            dtype._enum = enum + 100 if is_ref else enum
            dtype._kind, dtype._numpy, dtype._size = kind, numpy_type, size
            dtype._is_ref = is_ref
        plain._other, ref._other = ref, plain
        for dtype in (plain, ref):
            _BY_NAME[dtype._name] = dtype
            _BY_ENUM[dtype._enum] = dtype
        return plain

    @property
    def name(self) -> str:
        """The name, as in `tf.float32`."""
        return self._name

    @property
    def as_datatype_enum(self) -> int:
        """The number TensorFlow gives this type."""
        return self._enum

    @property
    def as_numpy_dtype(self) -> Any:
        """The NumPy type of the same elements."""
        return self._numpy

    @property
    def base_dtype(self) -> DType:
        """The type itself, also for a reference type."""
        return self._other if self._is_ref else self

    @property
    def _as_ref(self) -> DType:
        return self if self._is_ref else self._other

    @property
    def _is_ref_dtype(self) -> builtins.bool:
        return self._is_ref

    @property
    def real_dtype(self) -> DType:
        """The type of the real part of a complex type; any other type itself."""
        base = self.base_dtype
        if base is complex64:
            return float32
        return float64 if base is complex128 else self

    @property
    def is_bool(self) -> builtins.bool:
        """True for bool."""
        return self._kind == "b"

    @property
    def is_integer(self) -> builtins.bool:
        """True for signed and unsigned integers that are not quantized."""
        return self._kind in "iu"

    @property
    def is_floating(self) -> builtins.bool:
        """True for real floating point types."""
        return self._kind == "f"

    @property
    def is_complex(self) -> builtins.bool:
        """True for complex types."""
        return self._kind == "c"

    @property
    def is_quantized(self) -> builtins.bool:
        """True for quantized integers."""
        return self._kind == "q"

    @property
    def is_unsigned(self) -> builtins.bool:
        """True for unsigned integers."""
        return self._kind == "u"

    @property
    def is_numeric(self) -> builtins.bool:
        """True for everything one can add."""
        return self._kind in "iufcq"

    @property
    def is_numpy_compatible(self) -> builtins.bool:
        """True if a NumPy array can hold it."""
        return self._kind != "h"

    @property
    def size(self) -> int:
        """The bytes of one element; 0 for types without a fixed size."""
        return self._size if self._size is not None else 0

    @property
    def min(self) -> Any:
        """The smallest value."""
        return self._limit("min")

    @property
    def max(self) -> Any:
        """The largest value."""
        return self._limit("max")

    def _limit(self, which: str) -> Any:
        if self._kind in "iu":
            return int(getattr(np.iinfo(self._numpy), which))
        if self._kind == "f":
            return self._numpy(getattr(ml_dtypes.finfo(self._numpy), which))
        word = "maximum" if which == "max" else "minimum"
        quantized = "quantized " if self._kind == "q" else ""
        raise TypeError(f"Cannot find {word} value of {self} with {quantized}type {self}.")

    @property
    def limits(self) -> tuple[Any, Any]:
        """The range of an image of this type: from 0 to its largest value, 1 for floats."""
        if self._kind in "iu":
            return (0, self.max)
        if self._kind == "b":
            return (0, True)
        if self._name in ("float32", "float64"):
            return (0, 1)
        raise ValueError(f"{self} does not have defined limits.")

    def is_compatible_with(self, other: DTypeLike) -> builtins.bool:
        """Return True if a value of `other` can be used where this type is asked for."""
        return as_dtype(other)._enum in (self._enum, self._other._enum)

    def is_subtype_of(self, other: Any) -> builtins.bool:
        """Return True if both are the same type."""
        return self is other

    def most_specific_common_supertype(self, others: Any) -> DType | None:
        """Return this type if all `others` are the same, else None."""
        return self if all(self is other for other in others) else None

    def placeholder_value(self, _context: Any) -> Any:
        """Return itself: a type has no run-time part."""
        return self

    def __eq__(self, other: object) -> builtins.bool:
        if self is other:
            return True
        if isinstance(other, DType):
            return False
        if other is None:
            return False
        try:
            return as_dtype(other) is self
        except TypeError:
            return False

    def __ne__(self, other: object) -> builtins.bool:
        return not self == other

    def __hash__(self) -> int:
        return self._enum

    def __str__(self) -> str:
        return f"<dtype: '{self._name}'>"

    def __repr__(self) -> str:
        return f"tf.{self._name}"

    def __int__(self) -> int:
        return self._enum

    def __reduce__(self) -> Any:
        return (as_dtype, (self._name,))

    def __deepcopy__(self, _memo: dict[Any, Any]) -> DType:
        return self


_BY_NAME: dict[str, DType] = {}
_BY_ENUM: dict[int, DType] = {}
_make = DType._make

float32 = _make("float32", 1, "f", np.float32, 4)
float64 = _make("float64", 2, "f", np.float64, 8)
int32 = _make("int32", 3, "i", np.int32, 4)
uint8 = _make("uint8", 4, "u", np.uint8, 1)
int16 = _make("int16", 5, "i", np.int16, 2)
int8 = _make("int8", 6, "i", np.int8, 1)
string = _make("string", 7, "s", object, None)
complex64 = _make("complex64", 8, "c", np.complex64, 8)
int64 = _make("int64", 9, "i", np.int64, 8)
bool = _make("bool", 10, "b", np.bool_, 1)
qint8 = _make("qint8", 11, "q", np.dtype([("qint8", np.int8)]), 1)
quint8 = _make("quint8", 12, "q", np.dtype([("quint8", np.uint8)]), 1)
qint32 = _make("qint32", 13, "q", np.dtype([("qint32", np.int32)]), 4)
bfloat16 = _make("bfloat16", 14, "f", ml_dtypes.bfloat16, 2)
qint16 = _make("qint16", 15, "q", np.dtype([("qint16", np.int16)]), 2)
quint16 = _make("quint16", 16, "q", np.dtype([("quint16", np.uint16)]), 2)
uint16 = _make("uint16", 17, "u", np.uint16, 2)
complex128 = _make("complex128", 18, "c", np.complex128, 16)
float16 = _make("float16", 19, "f", np.float16, 2)
resource = _make("resource", 20, "h", np.object_, None)
variant = _make("variant", 21, "h", np.object_, None)
uint32 = _make("uint32", 22, "u", np.uint32, 4)
uint64 = _make("uint64", 23, "u", np.uint64, 8)
float8_e5m2 = _make("float8_e5m2", 24, "f", ml_dtypes.float8_e5m2, 1)
float8_e4m3fn = _make("float8_e4m3fn", 25, "f", ml_dtypes.float8_e4m3fn, 1)
half = float16
double = float64

_BY_NAME.update({"half": float16, "double": float64, "float": float32, "half_ref": float16._other})
_BY_NAME.update({"float_ref": float32._other, "double_ref": float64._other})
_BY_NUMPY: dict[Any, DType] = {
    np.dtype(d._numpy): d
    for d in dict.fromkeys(_BY_NAME.values())
    if not d._is_ref and d._kind not in "shq"
}
_BY_PYTHON: dict[type, DType] = {
    float: float32,
    builtins.bool: bool,
    object: string,
}


def as_dtype(type_value: Any) -> DType:
    """Return the DType of a name, a number, a NumPy or Python type.

    >>> as_dtype("float32")
    tf.float32
    """
    if isinstance(type_value, DType):
        return type_value
    if isinstance(type_value, np.dtype) and (result := _BY_NUMPY.get(type_value)) is not None:
        return result
    if isinstance(type_value, str):
        if (result := _BY_NAME.get(type_value)) is not None:
            return result
        raise _unknown(type_value)
    if type_value is None or (type(type_value) is type and type_value in _NO_DTYPES):
        raise _unknown(type_value)
    if isinstance(type_value, int):
        if (result := _BY_ENUM.get(type_value)) is not None:
            return result
    elif isinstance(type_value, type) and (result := _BY_PYTHON.get(type_value)) is not None:
        return result
    if hasattr(type_value, "dtype") and not isinstance(type_value, type):
        return as_dtype(type_value.dtype)
    try:
        numpy_type = np.dtype(type_value)
    except TypeError:
        raise _unknown(type_value) from None
    if numpy_type.kind in "SUO":
        # To NumPy every class that it does not know is an object.
        is_class = isinstance(type_value, type) and not issubclass(type_value, np.generic)
        if is_class and type_value is not object:
            raise _unknown(type_value)
        return string
    if (result := _BY_NUMPY.get(numpy_type)) is not None:
        return result
    if numpy_type.names and (result := _BY_NAME.get(numpy_type.names[0])) is not None:
        return result
    raise _unknown(type_value)


# Python types that NumPy would take, but TensorFlow does not.
_NO_DTYPES = (int, complex, str, bytes)


def _unknown(value: Any) -> TypeError:
    return TypeError(
        hint(
            f"Cannot convert the argument `type_value`: {value!r} to a TensorFlow DType.",
            "pass a tf dtype, a NumPy dtype or a name such as 'float32'",
        )
    )


# What op declarations say of their type attributes.
ANY = frozenset(d for d in _BY_ENUM.values() if not d._is_ref)
FLOATS = frozenset({float16, bfloat16, float32, float64})
COMPLEX = frozenset({complex64, complex128})
SIGNED = frozenset({int8, int16, int32, int64})
UNSIGNED = frozenset({uint8, uint16, uint32, uint64})
INTEGERS = SIGNED | UNSIGNED
REAL = FLOATS | INTEGERS
NUMBERS = REAL | COMPLEX
FLOATS_COMPLEX = FLOATS | COMPLEX
INDEX = frozenset({int32, int64})
BOOL = frozenset({bool})
QUANTIZED_DTYPES = frozenset(d for d in _BY_ENUM.values() if d._kind == "q")
