"""`tf.Tensor`: what eager and symbolic tensors have in common.

Operators and indexing are installed by `ops/operators.py`, once, for both.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any

from placewise.core.errors import hint
from placewise.core.scope import era

if TYPE_CHECKING:
    from placewise.core.arguments import ShapeLike


class TensorLike:
    """Base of everything that counts as a tensor, also in other libraries."""

    __slots__ = ()


class _NumpyName:
    """An attribute that only arrays of NumPy have: reading it says what tensors have instead.

    A descriptor for each such name, and no `__getattr__`: other missing names cost nothing more.
    """

    def __init__(self, name: str, instead: str) -> None:
        self._name, self._instead = name, instead

    def __get__(self, tensor: Any, owner: type) -> Any:
        if tensor is None:
            return self
        raise AttributeError(
            hint(
                f"{owner.__name__} object has no attribute '{self._name}'. ",
                f"see {self._instead}",
                "If you are looking for numpy-related methods, please run the following: "
                "tf.experimental.numpy.experimental_enable_numpy_behavior()",
            )
        )


if TYPE_CHECKING:

    class Operators:
        """What `ops/operators.py` installs in tensors and variables alike."""

        def __getitem__(self, key: Any) -> Tensor: ...
        def __eq__(self, other: object) -> Any: ...
        def __ne__(self, other: object) -> Any: ...
        def __lt__(self, other: Any) -> Tensor: ...
        def __le__(self, other: Any) -> Tensor: ...
        def __gt__(self, other: Any) -> Tensor: ...
        def __ge__(self, other: Any) -> Tensor: ...
        def __neg__(self) -> Tensor: ...
        def __abs__(self) -> Tensor: ...
        def __invert__(self) -> Tensor: ...
        def __add__(self, other: Any) -> Tensor: ...
        def __radd__(self, other: Any) -> Tensor: ...
        def __sub__(self, other: Any) -> Tensor: ...
        def __rsub__(self, other: Any) -> Tensor: ...
        def __mul__(self, other: Any) -> Tensor: ...
        def __rmul__(self, other: Any) -> Tensor: ...
        def __truediv__(self, other: Any) -> Tensor: ...
        def __rtruediv__(self, other: Any) -> Tensor: ...
        def __floordiv__(self, other: Any) -> Tensor: ...
        def __rfloordiv__(self, other: Any) -> Tensor: ...
        def __mod__(self, other: Any) -> Tensor: ...
        def __rmod__(self, other: Any) -> Tensor: ...
        def __pow__(self, other: Any) -> Tensor: ...
        def __rpow__(self, other: Any) -> Tensor: ...
        def __matmul__(self, other: Any) -> Tensor: ...
        def __rmatmul__(self, other: Any) -> Tensor: ...
        def __and__(self, other: Any) -> Tensor: ...
        def __rand__(self, other: Any) -> Tensor: ...
        def __or__(self, other: Any) -> Tensor: ...
        def __ror__(self, other: Any) -> Tensor: ...
        def __xor__(self, other: Any) -> Tensor: ...
        def __rxor__(self, other: Any) -> Tensor: ...

else:
    Operators = object


class Tensor(TensorLike, Operators):
    """An array of elements of one dtype, or in a graph the promise of one.

    Operations return tensors; nobody makes one with this class. `shape`, `dtype` and `device`
    describe it, `numpy()` returns its elements as a NumPy array of its own. A tensor does not
    change: what can be assigned to is a `tf.Variable`. Python's operators, slices and comparisons
    work on it.

    In a graph the tensor has a `name` and an `op` but no elements: run the graph to get them. It
    has no `numpy()` there, and Python's `if` on it raises TypeError outside of AutoGraph.

    >>> x = tf.constant([[1.0, 2.0]])
    >>> isinstance(x, tf.Tensor), x.shape, x.dtype
    (True, TensorShape([1, 2]), tf.float32)
    >>> (2 * x + 1).numpy()
    array([[3., 5.]], dtype=float32)
    """

    __slots__ = ("__dict__", "__weakref__")

    # NumPy leaves arithmetic with a tensor on the right to the tensor.
    __array_priority__ = 100

    # What TensorFlow names in this way; `experimental_enable_numpy_behavior` replaces them.
    T = _NumpyName("T", "tf.transpose(x)")
    astype = _NumpyName("astype", "tf.cast(x, dtype)")
    clip = _NumpyName("clip", "tf.clip_by_value(x, low, high)")
    data = _NumpyName("data", "x.numpy()")
    ravel = _NumpyName("ravel", "tf.reshape(x, [-1])")
    reshape = _NumpyName("reshape", "tf.reshape(x, shape)")
    size = _NumpyName("size", "tf.size(x)")
    tolist = _NumpyName("tolist", "x.numpy().tolist()")
    transpose = _NumpyName("transpose", "tf.transpose(x, perm)")

    @property
    def shape(self) -> Any:
        """The shape, as a TensorShape."""
        raise NotImplementedError

    @property
    def dtype(self) -> Any:
        """The type of the elements."""
        raise NotImplementedError

    @property
    def ndim(self) -> Any:
        """The number of dimensions."""
        return self.shape.ndims

    @property
    def _shape_tuple(self) -> Any:
        return self.shape._dims

    def _beside(self) -> AbstractContextManager[Any]:
        """Return a scope: what is made in it belongs where this tensor is, not into a loop."""
        return nullcontext()

    def get_shape(self) -> Any:
        """Return the shape."""
        return self.shape

    def ref(self) -> Reference:
        """Return a hashable stand-in for this very object."""
        return Reference(self)

    def __hash__(self) -> int:
        if not era.compares_tensors:
            return id(self)
        raise TypeError("Tensor is unhashable. Instead, use tensor.ref() as the key.")

    if TYPE_CHECKING:
        # One kind or the other has these: who reads them knows which it holds.
        _value: Any
        _dims: Any

        # Both kinds have these: each defines its own, or `ops/operators.py` installs them.
        @property
        def name(self) -> Any: ...
        @property
        def op(self) -> Any: ...
        @property
        def graph(self) -> Any: ...
        @property
        def device(self) -> Any: ...
        def numpy(self) -> Any: ...
        def eval(self, feed_dict: Any = None, session: Any = None) -> Any: ...
        def consumers(self) -> Any: ...
        def set_shape(self, shape: ShapeLike) -> None: ...
        def __iter__(self) -> Iterator[Any]: ...
        def __len__(self) -> int: ...
        def __bool__(self) -> bool: ...
        def __int__(self) -> int: ...
        def __float__(self) -> float: ...
        def __index__(self) -> int: ...
        def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any: ...


class Reference:
    """A hashable stand-in for a tensor or variable; `deref` gives it back."""

    __slots__ = ("__weakref__", "_wrapped")

    def __init__(self, wrapped: Any) -> None:
        self._wrapped = wrapped

    def deref(self) -> Any:
        """Return the object this stands for."""
        return self._wrapped

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Reference):
            return NotImplemented
        return self._wrapped is other._wrapped

    def __hash__(self) -> int:
        return id(self._wrapped)

    def __repr__(self) -> str:
        return f"<Reference wrapping {self._wrapped!r}>"


Tensor.__module__ = Reference.__module__ = "tensorflow.python.framework.tensor"


def out_of_scope(tensor: Tensor) -> TypeError:
    """Return the error for a symbolic tensor used outside of the function that made it."""
    op: Any = getattr(tensor, "op", None)
    origin = getattr(op, "origin", None)
    line = (
        origin and f'{tensor!r} was defined here:\n    File "{origin.file}", line {origin.line}\n\n'
    )
    return TypeError(
        f"{tensor!r} is out of scope and cannot be used here. Use return values, explicit Python "
        "locals or TensorFlow collections to access it.\nPlease see "
        "https://www.tensorflow.org/guide/function#all_outputs_of_a_tffunction_must_be_return_"
        f"values for more information.\n\n{line or ''}The tensor {tensor!r} cannot be accessed "
        f"from here, because it was defined in {getattr(op, 'graph', None)}, which is out of scope."
    )
