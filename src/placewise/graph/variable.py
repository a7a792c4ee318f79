"""`tf.Variable` of TensorFlow 1: what both kinds of variables of a graph share.

`VariableV1(...)` asks the creators in force, then makes a reference variable, a resource variable
or, where ops run at once, an eager one. Names and colocation of the operations are TensorFlow's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from placewise.core.arguments import ShapeLike, TensorLike
from placewise.core.dtypes import as_dtype
from placewise.core.scope import Scope, current
from placewise.core.shapes import TensorShape
from placewise.core.tensor import Operators, Reference
from placewise.core.trackable import VariableState
from placewise.graph import lazy
from placewise.graph.collections import is_variable_initialized
from placewise.graph.defaults import get_default_graph
from placewise.messages import VariableDef
from placewise.ops.array.gather import gather_nd
from placewise.ops.array.indexing import getitem
from placewise.ops.convert import convert_to_tensor
from placewise.ops.flow.control import cond
from placewise.ops.operators import install
from placewise.ops.state.slice_info import VariablePart
from placewise.ops.state.variable import Variable as EagerVariable
from placewise.ops.state.variable import (
    VariableAggregationV2,
    VariableSynchronization,
    is_eager_variable,
)

_PARAMETERS = (
    "initial_value",
    "trainable",
    "collections",
    "validate_shape",
    "caching_device",
    "name",
    "variable_def",
    "dtype",
    "expected_shape",
    "import_scope",
    "constraint",
    "use_resource",
    "synchronization",
    "aggregation",
    "shape",
)

_DEFAULTS: dict[str, Any] = dict.fromkeys(_PARAMETERS) | {
    "validate_shape": True,
    "synchronization": VariableSynchronization.AUTO,
    "aggregation": VariableAggregationV2.NONE,
}


class VariableCreation(type):
    """Lets `tf.Variable(...)` make the kind of variable that the program asks for."""

    def _make(cls, *args: Any, **kwargs: Any) -> Any:
        if cls is not VariableV1:
            return super().__call__(*args, **kwargs)
        if len(args) > len(_PARAMETERS):
            raise TypeError(
                f"__init__() takes from 1 to {len(_PARAMETERS) + 1} positional arguments but "
                f"{len(args) + 1} were given"
            )
        # Of Keras 2's weights: inside functions every variable is lifted out here.
        kwargs.pop("experimental_enable_variable_lifting", None)
        for unknown in kwargs.keys() - set(_PARAMETERS):
            raise TypeError(f"__init__() got an unexpected keyword argument {unknown!r}")
        make: Any = default_variable_creator
        for creator in current.variable_creators:
            make = _chained(creator, make)
        asked = dict(zip(_PARAMETERS, args, strict=False))
        return make(**{**_DEFAULTS, **asked, **kwargs})

    if not TYPE_CHECKING:
        # Type checkers see `__init__` then: its parameters, and a variable that is not Any.
        __call__ = _make

    def __instancecheck__(cls, instance: Any) -> bool:
        # An eager variable is a `tf.compat.v1.Variable` too.
        return super().__instancecheck__(instance) or (
            cls is VariableV1 and is_eager_variable(instance)
        )


def _chained(creator: Callable[..., Any], previous: Callable[..., Any]) -> Any:
    return lambda **options: creator(previous, **options)


def default_variable_creator(
    use_resource: bool | None = None, expected_shape: Any = None, **options: Any
) -> Any:
    """Make the variable that `use_resource`, the scope and the mode in force ask for."""
    if current.interpreter is Scope.eager:
        return _eager(options)
    if use_resource is None:
        use_resource = lazy.resources_in_force()
    return lazy.ResourceVariable(**options) if use_resource else lazy.RefVariable(**options)


def _eager(options: dict[str, Any]) -> Any:
    options.pop("collections", None)
    # The creators in force were asked: a call of the class would ask them again, and make variables
    # of a strategy whose parts are such variables themselves.
    return type.__call__(EagerVariable, **options)


class _Beside:
    """Stands for a variable's operation before it is made: where its initializer belongs."""

    device = ""

    def __init__(self, name: str) -> None:
        self.name = name
        self.colocation = (f"loc:@{name}",)


class VariableV1(VariablePart, VariableState, Operators, metaclass=VariableCreation):
    """A variable of a graph: a value that a session keeps between runs.

    `initial_value`: the first content, a tensor or a function that returns one. It is computed when
        the variable's `initializer` runs; reading the variable before raises
        FailedPreconditionError.
    `trainable`: put it into the collection that optimizers change, True by default.
    `collections`: the collections of the graph to join, by default the global variables.
    `validate_shape`: with False the content may change its shape.
    `caching_device`: where reads of it are to be copied.
    `variable_def`, `import_scope`: make the object for a variable that the graph already has.
    `dtype`, `shape`: of the content, by default those of `initial_value`.
    `constraint`: a function that optimizers apply after each update.
    `synchronization`, `aggregation`: how a distribution strategy reads and updates its copies.

    Every session has a content of its own for each variable, on the device the variable is placed
    on.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     step = tf.compat.v1.Variable(1)
    ...     session.run(step.initializer)
    ...     session.run(step.assign_add(5))
    np.int32(6)
    """

    __array_priority__ = 100
    _is_of_graphs = True
    _variable_ops: Any
    _read: Any
    _holder: Any
    _shape: TensorShape
    _initializer: Any
    _initial_value: Any

    def __init__(
        self,
        initial_value: Any = None,
        trainable: bool | None = None,
        collections: Any = None,
        validate_shape: bool = True,
        caching_device: Any = None,
        name: str | None = None,
        variable_def: Any = None,
        dtype: Any = None,
        import_scope: str | None = None,
        constraint: Any = None,
        synchronization: Any = VariableSynchronization.AUTO,
        aggregation: Any = VariableAggregationV2.NONE,
        shape: Any = None,
    ) -> None:
        self._synchronization, self._aggregation = synchronization, aggregation
        if variable_def is not None:
            if initial_value is not None:
                raise ValueError("variable_def and initial_value are mutually exclusive.")
            self._restore(variable_def, import_scope)
            return
        if initial_value is None:
            raise ValueError("initial_value must be specified.")
        if constraint is not None and not callable(constraint):
            raise ValueError("The `constraint` argument must be a callable.")
        if trainable is None:
            trainable = synchronization is not VariableSynchronization.ON_READ
        self._trainable, self._constraint = trainable, constraint
        self._graph = graph = get_default_graph()
        keys = _collections(collections, trainable)
        with graph.control_dependencies(None), graph.name_scope(name or "Variable") as scope:
            self._node = scope[:-1]
            self._make(initial_value, dtype, validate_shape, shape, caching_device)
        graph.add_to_collections(keys, self)

    def _make(
        self, initial_value: Any, dtype: Any, validate: bool, shape: Any, caching_device: Any
    ) -> None:
        raise NotImplementedError

    @contextmanager
    def _beside_itself(self) -> Iterator[None]:
        """Put what is made in the block next to the variable, unless it goes elsewhere anyway."""
        if self._graph.scopes.colocate:
            yield
        else:
            with self._graph._changed(colocate=(_Beside(self._node),)):
                yield

    @contextmanager
    def _initializer_scope(self) -> Iterator[None]:
        graph = self._graph
        with graph.name_scope("Initializer"):
            if isinstance(graph.scopes.colocate[-1], _Beside):
                with graph.device(None):
                    yield
            else:
                yield

    # What it is.

    @property
    def name(self) -> str:
        """The name, with `:0`."""
        return f"{self._node}:0"

    @property
    def op(self) -> Any:
        """The operation that holds the variable."""
        return self._holder.op

    @property
    def graph(self) -> Any:
        """The graph the variable is part of."""
        return self._graph

    @property
    def device(self) -> str:
        """The device requested for the variable."""
        device: str = self._holder.op.device
        return device

    @property
    def dtype(self) -> Any:
        """The type of the elements."""
        return self._holder.dtype

    @property
    def shape(self) -> TensorShape:
        """The shape, as far as it is known."""
        return self._shape

    @property
    def _shape_tuple(self) -> Any:
        return self._shape._dims

    def get_shape(self) -> TensorShape:
        """Return the shape."""
        return self._shape

    def set_shape(self, shape: ShapeLike) -> None:
        """Add what is known about the shape."""
        self._shape = self._shape.merge_with(shape)
        self._holder.set_shape(self._shape)
        self._read.set_shape(self._shape)

    @property
    def trainable(self) -> bool:
        """Do optimizers change it?"""
        return self._trainable

    @property
    def constraint(self) -> Any:
        """The function an optimizer applies after an update, or None."""
        return self._constraint

    @property
    def synchronization(self) -> Any:
        """When copies on several devices are brought together."""
        return self._synchronization

    @property
    def aggregation(self) -> Any:
        """How values for copies on several devices are combined."""
        return self._aggregation

    @property
    def initializer(self) -> Any:
        """The operation that gives the variable its first value."""
        return self._initializer

    @property
    def initial_value(self) -> Any:
        """The tensor the variable begins with."""
        return self._initial_value

    @property
    def _shared_name(self) -> str:
        return self._node

    @property
    def _unique_id(self) -> str:
        return self._node

    def ref(self) -> Reference:
        """Return a hashable stand-in for this very variable."""
        return Reference(self)

    experimental_ref = ref

    def _ref(self) -> Any:
        return self._holder

    def _gather_saveables_for_checkpoint(self) -> Any:
        return {"VARIABLE_VALUE": self}

    # Reading.

    def value(self) -> Any:
        """Return the value as a tensor."""
        raise NotImplementedError

    def read_value(self) -> Any:
        """Return the value as a tensor that is read anew."""
        raise NotImplementedError

    def __tf_tensor__(self, dtype: Any = None, name: str | None = None) -> Any:
        if dtype is not None and not as_dtype(dtype).is_compatible_with(self.dtype):
            raise ValueError(
                f"Incompatible type conversion requested to type '{as_dtype(dtype).name}' for "
                f"variable of type '{self.dtype.name}'"
            )
        return self.value()

    def _as_graph_element(self) -> Any:
        return self._read

    def eval(self, session: Any = None) -> Any:
        """Return the value in the given or the default session."""
        return self._read.eval(session=session)

    def initialized_value(self) -> Any:
        """Return the value, or the initial value if there is none yet."""
        with self._graph.control_dependencies(None):
            return cond(is_variable_initialized(self), self.read_value, lambda: self._initial_value)

    def load(self, value: TensorLike, session: Any = None) -> None:
        """Give the variable a value in a session, from Python."""
        assign = self._initializer
        run = getattr(session or self._graph.session_in_force(), "run", None)
        if run is None:
            raise ValueError(
                "Either session argument should be provided or default session should be "
                "established"
            )
        run(assign, {assign.inputs[1]: value})

    def gather_nd(self, indices: TensorLike, name: str | None = None) -> Any:
        """Return the slices that `indices` names."""
        return gather_nd(self.value(), indices, name=name)

    def __getitem__(self, key: Any) -> Any:
        part = getitem(convert_to_tensor(self), key)
        if part.op.type == "StridedSlice":
            part.assign = _SliceAssign(self, part.op)
        return part

    def _assign_part(self, op: Any, value: Any, name: str | None) -> Any:
        raise NotImplementedError

    # As a message.

    def to_proto(self, export_scope: str | None = None) -> Any:
        """Return a VariableDef message with the names of the variable's parts."""
        if export_scope is not None and not self.name.startswith(export_scope):
            return None
        inside = [self.name, self._initializer.name, self._read.name]
        if self._initial_value is not None:
            inside.append(self._initial_value.name)
        names = [_without_scope(item, export_scope) for item in inside]
        variable_def = VariableDef(
            variable_name=names[0],
            initializer_name=names[1],
            snapshot_name=names[2],
            trainable=self._trainable,
            is_resource=self._is_resource,
            synchronization=self._synchronization.value,
            aggregation=self._aggregation.value,
        )
        if len(names) > 3:
            variable_def.initial_value_name = names[3]
        return variable_def

    _is_resource = False

    @staticmethod
    def from_proto(variable_def: Any, import_scope: str | None = None) -> Any:
        """Return the variable that a VariableDef message describes, found in the default graph."""
        kind = lazy.ResourceVariable if variable_def.is_resource else lazy.RefVariable
        return kind(variable_def=variable_def, import_scope=import_scope)

    def _restore(self, message: Any, scope: str | None) -> None:
        self._graph = graph = get_default_graph()

        def found(name: str) -> Any:
            return graph.as_graph_element(f"{scope}/{name}" if scope else name)

        self._holder = found(message.variable_name)
        self._node = self._holder.op.name
        self._initializer = found(message.initializer_name)
        self._read = found(message.snapshot_name)
        has_initial = bool(message.initial_value_name)
        self._initial_value = found(message.initial_value_name) if has_initial else None
        self._shape = TensorShape(self._holder.op.attrs.get("shape"))
        self._trainable = bool(message.trainable)
        self._synchronization = VariableSynchronization(message.synchronization)
        self._aggregation = VariableAggregationV2(message.aggregation)
        self._constraint = None

    # As a Python object.

    def __hash__(self) -> int:
        return id(self)

    def __eq__(self, other: object) -> bool:
        return self is other

    def __ne__(self, other: object) -> bool:
        return self is not other

    def __iter__(self) -> Any:
        raise TypeError("'Variable' object is not iterable.")

    def __repr__(self) -> str:
        return (
            f"<tf.Variable '{self.name}' shape={self._read._shape_text()} dtype={self.dtype.name}>"
        )


def _collections(asked: Any, trainable: bool) -> list[str]:
    if asked is not None and not isinstance(asked, (list, tuple, set)):
        raise ValueError(
            "collections argument to Variable constructor must be a list, tuple, or set. Got "
            f"{asked} of type {type(asked)}"
        )
    keys = ["variables"] if asked is None else list(asked)
    if trainable and "trainable_variables" not in keys:
        keys.append("trainable_variables")
    return keys


def _without_scope(name: str, scope: str | None) -> str:
    return name.removeprefix(f"{scope}/") if scope else name


class _SliceAssign:
    """`v[key].assign`: the operation that changes that part of the variable."""

    __slots__ = ("_op", "_variable")

    def __init__(self, variable: Any, op: Any) -> None:
        self._variable, self._op = variable, op

    def __call__(self, value: Any, name: str | None = None) -> Any:
        if name is not None:
            return self._variable._assign_part(self._op, value, name)
        with self._op.graph.name_scope(None):
            return self._variable._assign_part(self._op, value, f"{self._op.name}/_assign")


install(VariableV1, skip=("__eq__", "__ne__", "__iter__", "__getitem__"))
VariableV1.__module__ = "tensorflow.python.ops.variables"
