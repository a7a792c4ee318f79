"""`tf.Variable`: a tensor that can be changed, kept on a device."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from placewise.core.arguments import ShapeLike, TensorLike
from placewise.core.dtypes import DType, as_dtype
from placewise.core.errors import hint
from placewise.core.names import uid
from placewise.core.scope import Scope, current, era, watch
from placewise.core.shapes import TensorShape
from placewise.core.tensor import Operators, Reference
from placewise.core.trackable import VariableState
from placewise.devices.origin import user_line
from placewise.memory.variables import name_variable
from placewise.ops.array.gather import gather_nd
from placewise.ops.array.indexing import getitem
from placewise.ops.array.shape import identity
from placewise.ops.convert import convert_to_tensor
from placewise.ops.operators import install
from placewise.ops.state import resource as ops
from placewise.ops.state.aggregation import VariableAggregation as VariableAggregation
from placewise.ops.state.aggregation import VariableAggregationV2 as VariableAggregationV2
from placewise.ops.state.aggregation import VariableSynchronization as VariableSynchronization
from placewise.ops.state.slice_info import VariablePart
from placewise.ops.state.variable_updates import SliceAssign, VariableUpdates
from placewise.ops.values import EagerTensor, own_array, value_text, wrap


class _VariableMeta(type):
    """Lets `variable_creator_scope` decide what `tf.Variable(...)` makes."""

    def _make(cls, *args: Any, **kwargs: Any) -> Any:
        creators = current.variable_creators
        in_graph = current.interpreter.makes_variables
        if cls is not Variable or not (creators or in_graph):
            return super().__call__(*args, **kwargs)
        names = (
            "initial_value",
            "trainable",
            "validate_shape",
            "caching_device",
            "name",
            "variable_def",
            "dtype",
            "import_scope",
            "constraint",
            "synchronization",
            "aggregation",
            "shape",
        )
        given = {**dict(zip(names, args, strict=False)), **kwargs}

        def make(**options: Any) -> Any:
            if current.interpreter.makes_variables:
                return current.interpreter.make_variable(options)
            return type.__call__(cls, **options)

        for creator in creators:
            make = _chained(creator, make)
        return make(**given)

    if not TYPE_CHECKING:
        # Type checkers see `__init__` then: its parameters, and a variable that is not Any.
        __call__ = _make

    def __instancecheck__(cls, instance: Any) -> bool:
        # Every variable of a graph is a `tf.Variable`, too. `is_eager_variable` tells them apart.
        return super().__instancecheck__(instance) or (
            cls is Variable and getattr(type(instance), "_is_of_graphs", False)
        )


def _chained(creator: Callable[..., Any], previous: Callable[..., Any]) -> Any:
    return lambda **options: creator(previous, **options)


class variable_creator_scope:  # noqa: N801 - TensorFlow's own name
    """Let `variable_creator(next_creator, **kwargs)` make the variables of a `with` block."""

    def __init__(self, variable_creator: Any) -> None:
        self._creator = variable_creator

    def __enter__(self) -> None:
        current.variable_creators = (*current.variable_creators, self._creator)

    def __exit__(self, *exception: object) -> None:
        current.variable_creators = current.variable_creators[:-1]


class Variable(VariableUpdates, VariablePart, VariableState, Operators, metaclass=_VariableMeta):
    """A tensor that ops can change; gradient tapes watch it.

    `initial_value`: the first content, or a function without arguments that returns it.
    `trainable`: whether tapes and optimizers take it up, True by default.
    `dtype`, `shape`: of the content, by default those of `initial_value`; unknown sizes in `shape`
        allow contents of other sizes.
    `constraint`: a function that optimizers apply to the content after each update.
    `synchronization`, `aggregation`: how a distribution strategy reads and updates its copies.
    `validate_shape`, `caching_device`, `variable_def`, `import_scope`,
        `experimental_enable_variable_lifting`: accepted, for programs that name them.

    `assign`, `assign_add`, `assign_sub` and the `scatter_` methods change the content; what was
    read before does not change. The variable stays on the device in force when it was made, and ops
    on it run there. Raises ValueError without an initial value, or if a new content has another
    shape.

    >>> v = Variable([1.0, 2.0])
    >>> _ = v.assign_add([1.0, 1.0])
    >>> v.numpy().tolist()
    [2.0, 3.0]
    """

    __array_priority__ = 100
    _should_act_as_resource_variable = True
    _in_graph_mode = False  # libraries ask: made in a graph of TensorFlow 1?

    def __init__(
        self,
        initial_value: Any = None,
        trainable: bool | None = None,
        validate_shape: bool = True,
        caching_device: Any = None,
        name: str | None = None,
        variable_def: Any = None,
        dtype: Any = None,
        import_scope: str | None = None,
        constraint: Any = None,
        synchronization: Any = VariableSynchronization.AUTO,
        aggregation: Any = VariableAggregation.NONE,
        shape: Any = None,
        experimental_enable_variable_lifting: bool = True,
    ) -> None:
        if initial_value is None:
            raise ValueError(
                hint(
                    "The `initial_value` arg to `tf.Variable` must be specified except when you "
                    "are "
                    "not providing a `variable_def`. You provided neither.",
                    "pass a tensor, a number or a function without arguments: "
                    "tf.Variable(tf.zeros([2, 3]))",
                )
            )
        if constraint is not None and not callable(constraint):
            raise ValueError(
                "Argument `constraint` must be None or a callable. a callable. Got a "
                f"{type(constraint)}:  {constraint}"
            )
        if not isinstance(synchronization, VariableSynchronization):
            raise ValueError(
                f"Invalid variable synchronization mode: {synchronization} for variable: {name}"
            )
        if trainable is None:
            trainable = synchronization is not VariableSynchronization.ON_READ
        if callable(initial_value):
            initial_value = initial_value()
        value = convert_to_tensor(initial_value, dtype)
        full = value.shape if shape is None else TensorShape(shape)
        if not full.is_compatible_with(value.shape):
            raise ValueError(
                f"In this `tf.Variable` creation, the initial value's shape ({value.shape}) is "
                f"not compatible with the explicitly supplied `shape` argument ({shape})."
            )
        own = "Variable" if name is None else name
        self._name = f"{current.name_scope}{own}"
        self._trainable = trainable
        self._shape: TensorShape = full
        self._dtype: DType = value.dtype
        self._constraint = constraint
        self._synchronization = synchronization
        self._aggregation = aggregation
        self._caching_device = caching_device
        self._unique = uid()
        self._handle = ops.var_handle(dtype=self._dtype, shape=full._dims, shared_name="")
        self._handle._value.name = f"{self._name}/{self._unique}"
        name_variable(self._handle._value, self._name, user_line(), trainable)
        ops.assign_variable(self._handle, value)

    # What it is.

    @property
    def name(self) -> str:
        """The name, with `:0` as graph tensors have."""
        return f"{self._name}:0"

    @property
    def _handle_name(self) -> str:
        return self.name

    @property
    def _shared_name(self) -> str:
        return self._name

    @property
    def _unique_id(self) -> str:
        return f"{self._name}_{self._unique}"

    @property
    def handle(self) -> Any:
        """The resource tensor through which ops reach the variable."""
        return self._handle

    @property
    def dtype(self) -> DType:
        """The type of the elements."""
        return self._dtype

    @property
    def shape(self) -> TensorShape:
        """The shape, as far as it was fixed when the variable was made."""
        return self._shape

    @property
    def _shape_tuple(self) -> Any:
        return self._shape._dims

    def get_shape(self) -> TensorShape:
        """Return the shape."""
        return self._shape

    def set_shape(self, shape: ShapeLike) -> None:
        """Fix dimensions that were left open."""
        self._shape = self._shape.merge_with(shape)

    @property
    def ndim(self) -> int | None:
        """The number of dimensions."""
        return self._shape.rank

    @property
    def device(self) -> str:
        """The full name of the device the variable lives on."""
        if type(self._handle) is not EagerTensor:
            return str(self._handle.op.device)  # an argument of a function
        device: str = self._handle._value.device.name
        return device

    @property
    def trainable(self) -> bool:
        """Do gradient tapes follow it, and optimizers change it?"""
        return self._trainable

    @property
    def synchronization(self) -> Any:
        """When copies on several devices are brought together."""
        return self._synchronization

    @property
    def aggregation(self) -> Any:
        """How values for copies on several devices are combined."""
        return self._aggregation

    @property
    def constraint(self) -> Any:
        """The function an optimizer applies after an update, or None."""
        return self._constraint

    @property
    def initializer(self) -> None:
        """None: an eager variable has its value from the start."""
        return

    @property
    def initial_value(self) -> Any:
        """Not kept by eager variables."""
        raise RuntimeError("This property is not supported when eager execution is enabled.")

    @property
    def op(self) -> Any:
        """Not defined: an eager variable has no graph operation."""
        raise AttributeError("Tensor.op is undefined when eager execution is enabled.")

    @property
    def graph(self) -> Any:
        """Not defined: an eager variable is in no graph."""
        raise AttributeError("Tensor.graph is undefined when eager execution is enabled.")

    @property
    def create(self) -> None:
        """None: an eager variable exists from the start."""
        return

    def is_initialized(self, name: str | None = None) -> Any:
        """Return whether it has a value, as a tensor."""
        return ops.is_initialized(self._handle, name)

    def eval(self, session: Any = None) -> Any:
        """Not possible: there is no session; use `numpy()`."""
        raise RuntimeError("This operation is not supported when eager execution is enabled.")

    def ref(self) -> Reference:
        """Return a hashable stand-in for this very variable."""
        return Reference(self)

    experimental_ref = ref

    # Reading.

    def value(self) -> Any:
        """Return the value now, as a tensor on the variable's device."""
        if current.interpreter is Scope.eager and not watch.on:
            handle = self._handle._value
            content = handle.value
        else:
            content = None
        if content is None:
            for tape in current.tapes:
                tape.variable_accessed(self)
            read = ops.read_variable(self._handle, dtype=self._dtype)
            if type(read) is not EagerTensor:
                read.set_shape(self._shape)
            return read
        made = wrap(content, handle.device)
        for tape in current.tapes:
            tape.variable_accessed(self)
            tape.ran(ops.read_variable.op, (self._handle,), (made,), {"dtype": self._dtype})
        return made

    def read_value(self) -> Any:
        """Return the value now, as a tensor on the device in force."""
        return identity(self.value())

    def _dense_var_to_tensor(
        self, dtype: Any = None, name: str | None = None, as_ref: bool = False
    ) -> Any:
        return self.__tf_tensor__(dtype, name)

    def __tf_tensor__(self, dtype: Any = None, name: str | None = None) -> Any:
        if dtype is not None and not as_dtype(dtype).is_compatible_with(self._dtype):
            raise ValueError(
                f"Incompatible type conversion requested to type {as_dtype(dtype).name} for "
                f"`tf.Variable of type {self._dtype.name}. (Variable: {self})"
            )
        return self.value()

    def numpy(self) -> Any:
        """Return a copy of the value as a NumPy array or scalar."""
        if current.interpreter is not Scope.eager:
            raise NotImplementedError("numpy() is only available when eager execution is enabled.")
        handle = self._handle._value
        content = ops.content_of(handle)
        if watch.fetching is not None:
            watch.fetching(content, handle.device)
        return own_array(content)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        array = np.asarray(self.numpy())
        return array if dtype is None else array.astype(dtype, copy=False)

    def sparse_read(self, indices: TensorLike, name: str | None = None) -> Any:
        """Return the rows that `indices` names."""
        for tape in current.tapes:
            tape.variable_accessed(self)
        rows = ops.resource_gather(self._handle, indices, dtype=self._dtype, name=name)
        if type(rows) is not EagerTensor:
            at = rows.op.inputs[1].shape
            if at.rank is not None and self._shape.rank:
                rows.set_shape(at.concatenate(self._shape[1:]))
        return rows

    def gather_nd(self, indices: TensorLike, name: str | None = None) -> Any:
        """Return the slices that `indices` names."""
        return gather_nd(self.value(), indices, name=name)

    def _gather_saveables_for_checkpoint(self) -> Any:
        return {"VARIABLE_VALUE": self}

    def _unread(self, assignment: Any = None) -> Any:
        return _Unread(self, assignment)

    # As a Python object.

    @classmethod
    def _OverloadAllOperators(cls) -> None:  # noqa: N802 - TensorFlow's name
        """Give a class the operators of variables; libraries call it for variables they wrap."""
        install(cls, skip=("__getitem__", "__iter__"))
        cls.__getitem__ = Variable.__getitem__  # type: ignore[method-assign]  # as TensorFlow does

    def __getitem__(self, key: Any) -> Any:
        part = getitem(self.value(), key)
        part.assign = SliceAssign(self, key)
        return part

    def _refuse(self, sign: str, instead: str) -> RuntimeError:
        # Python would bind the name to a tensor, and training would change the variable no more.
        return RuntimeError(
            f"`variable {sign}= value` with `tf.Variable`s is not supported. Use `{instead}` to "
            f"modify the variable, or `out = variable {sign} value` if you need to get a new "
            "output Tensor."
        )

    def __iadd__(self, other: Any) -> Any:
        raise self._refuse("+", "variable.assign_add(value)")

    def __isub__(self, other: Any) -> Any:
        raise self._refuse("-", "variable.assign_sub(value)")

    def __imul__(self, other: Any) -> Any:
        raise self._refuse("*", "variable.assign(variable * value)")

    def __itruediv__(self, other: Any) -> Any:
        raise self._refuse("/", "variable.assign(variable / value)")

    def __ipow__(self, other: Any) -> Any:
        raise self._refuse("**", "variable.assign(variable ** value)")

    def __iter__(self) -> Iterator[Any]:
        return iter(self.value())

    def __bool__(self) -> bool:
        return bool(self.value())

    __nonzero__ = __bool__

    def __int__(self) -> int:
        return int(self.value())

    def __float__(self) -> float:
        return float(self.value())

    def __complex__(self) -> complex:
        return complex(self.value())

    def __index__(self) -> int:
        return self.value().__index__()

    def __hash__(self) -> int:
        if not era.compares_tensors:
            return id(self)
        raise TypeError(
            f"Variable is unhashable. Instead, use variable.ref() as the key. (Variable: {self!r})"
        )

    def __repr__(self) -> str:
        told = f"<tf.Variable '{self.name}' shape={self._shape} dtype={self._dtype.name}"
        if current.interpreter is not Scope.eager or type(self._handle) is not EagerTensor:
            return told + ">"
        value = self._handle._value.value
        text = "<uninitialized>" if value is None else value_text(value, is_repr=True)
        return f"{told}, numpy={text}>"

    def __copy__(self) -> Variable:
        return self  # a second one would be another name for the same state

    def __deepcopy__(self, memo: dict[int, Any]) -> Variable:
        made = _remake(
            np.array(self.numpy(), copy=True), self._name, self._trainable, self._dtype.name
        )
        made._synchronization, made._aggregation = self._synchronization, self._aggregation
        made._constraint = self._constraint
        memo[id(self)] = made
        return made

    def __reduce__(self) -> Any:
        return (_remake, (self.numpy(), self._name, self._trainable, self._dtype.name))


def _remake(value: np.ndarray[Any, Any], name: str, trainable: bool, dtype: str) -> Variable:
    made = Variable(value, trainable=trainable, dtype=dtype)
    made._name = name
    return made


class _Unread(Variable):
    """What an assignment returns: the variable, seen through its handle."""

    def __init__(self, variable: Variable, assignment: Any = None) -> None:
        self.__dict__.update(variable.__dict__)
        self._parent = variable
        self._assignment = assignment

    @property
    def op(self) -> Any:
        """The operation that assigns, in a graph."""
        return super().op if self._assignment is None else self._assignment

    @property
    def name(self) -> str:
        """The name TensorFlow gives the result of an assignment."""
        return "UnreadVariable"


install(Variable, skip=("__getitem__", "__iter__"))
for _kind, _shown in (
    (Variable, "ResourceVariable"),
    (_Unread, "_UnreadVariable"),
):
    _kind.__module__ = "tensorflow.python.ops.resource_variable_ops"
    _kind.__name__ = _kind.__qualname__ = _shown


def is_eager_variable(value: Any) -> bool:
    """Return True for a variable that is in no graph, also one of a strategy."""
    return issubclass(type(value), Variable)


def is_variable(value: Any) -> bool:
    """Return True for a variable, also of another library, that acts through a handle."""
    # A library may have a method of that name: TensorFlow asks only whether there is one.
    return hasattr(value, "_should_act_as_resource_variable")
