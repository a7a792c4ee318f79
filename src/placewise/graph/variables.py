"""Variables of a graph: reference variables as TensorFlow 1 makes them, and resource variables."""

from __future__ import annotations

from typing import Any

from placewise.core.shapes import TensorShape
from placewise.graph.defaults import get_default_graph
from placewise.ops.array.shape import identity
from placewise.ops.convert import convert_to_tensor
from placewise.ops.operators import install
from placewise.ops.state import reference
from placewise.ops.state import resource as resources
from placewise.ops.state.variable import VariableAggregationV2, VariableSynchronization


class GraphVariable:
    """What both kinds share: a name, an initializer, and a value to read."""

    __array_priority__ = 100
    _variable_ops: Any
    _read: Any

    def __init__(
        self,
        initial_value: Any = None,
        trainable: bool | None = None,
        collections: Any = None,
        validate_shape: bool = True,
        caching_device: Any = None,
        name: str | None = None,
        dtype: Any = None,
        constraint: Any = None,
        synchronization: Any = VariableSynchronization.AUTO,
        aggregation: Any = VariableAggregationV2.NONE,
        shape: Any = None,
    ) -> None:
        if initial_value is None:
            raise ValueError("initial_value must be specified.")
        self._graph = graph = get_default_graph()
        self._trainable = trainable if trainable is not None else True
        self._constraint = constraint
        self._synchronization, self._aggregation = synchronization, aggregation
        self._save_slice_info: Any = None
        with graph.control_dependencies(None), graph.name_scope(name or "Variable") as scope:
            self._node = scope[:-1]
            self._make(initial_value, dtype, validate_shape, shape, callable(initial_value))
        for key in self._collections(collections):
            graph.add_to_collection(key, self)

    def _collections(self, given: Any) -> list[str]:
        keys = ["variables"] if given is None else list(given)
        if self._trainable and "trainable_variables" not in keys:
            keys.append("trainable_variables")
        return keys

    def _first_value(self, initial_value: Any, dtype: Any, is_function: bool) -> Any:
        graph = self._graph
        if not is_function:
            return convert_to_tensor(initial_value, dtype, name="initial_value")
        with graph.name_scope("Initializer"):
            value = convert_to_tensor(initial_value(), dtype, name="initial_value")
        return value

    def _make(
        self, initial_value: Any, dtype: Any, validate: bool, shape: Any, is_function: bool
    ) -> None:
        raise NotImplementedError

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

    def set_shape(self, shape: Any) -> None:
        """Add what is known about the shape."""
        self._shape = self._shape.merge_with(shape)

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

    def __tf_tensor__(self, dtype: Any = None, name: str | None = None) -> Any:
        return self.value()

    def _as_graph_element(self) -> Any:
        return self._read

    def eval(self, session: Any = None) -> Any:
        """Return the value in the given or the default session."""
        return self._read.eval(session=session)

    def initialized_value(self) -> Any:
        """Return the value, or the initial value if there is none yet."""
        return self._initial_value

    def load(self, value: Any, session: Any = None) -> None:
        """Give the variable a value in a session, from Python."""
        chosen = session or self._graph.session_in_force()
        if chosen is None:
            raise ValueError(
                "Either session argument should be provided or default session should be "
                "established"
            )
        chosen.run(self._initializer, {self._initial_value: value})

    @property
    def _shared_name(self) -> str:
        return self._node

    def _ref(self) -> Any:
        return self._holder

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


class RefVariable(GraphVariable):
    """A variable whose ops take a reference to it."""

    def _make(
        self, initial_value: Any, dtype: Any, validate: bool, shape: Any, is_function: bool
    ) -> None:
        graph = self._graph
        value = self._first_value(initial_value, dtype, is_function)
        self._initial_value = value
        self._shape = (value.shape if validate else TensorShape(None)) if shape is None else (
            TensorShape(shape)
        )
        if validate and not self._shape.is_fully_defined():
            raise ValueError(f"initial_value must have a shape specified: {value}")
        self._holder = reference.variable(
            shape=self._shape._dims, dtype=value.dtype.base_dtype, name=self._node + "/"
        )
        with graph.colocate_with(self._holder.op):
            self._initializer = reference.assign(
                self._holder, value, validate_shape=validate, name="Assign"
            ).op
            self._read = identity(self._holder, name="read")

    def value(self) -> Any:
        """Return the value as a tensor."""
        return self._read

    def read_value(self) -> Any:
        """Return the value as a tensor that is read anew."""
        return identity(self._holder, name="read")

    def assign(self, value: Any, use_locking: bool = False, name: Any = None, read_value: bool = True) -> Any:
        """Return the operation's reference after giving the variable a value."""
        made = reference.assign(
            self._holder, convert_to_tensor(value, self.dtype.base_dtype), name=name
        )
        return made if read_value else made.op

    def assign_add(self, delta: Any, use_locking: bool = False, name: Any = None, read_value: bool = True) -> Any:
        """Return the reference after adding `delta`."""
        made = reference.assign_add(
            self._holder, convert_to_tensor(delta, self.dtype.base_dtype), name=name
        )
        return made if read_value else made.op

    def assign_sub(self, delta: Any, use_locking: bool = False, name: Any = None, read_value: bool = True) -> Any:
        """Return the reference after subtracting `delta`."""
        made = reference.assign_sub(
            self._holder, convert_to_tensor(delta, self.dtype.base_dtype), name=name
        )
        return made if read_value else made.op

    def is_initialized(self, name: str | None = None) -> Any:
        """Return a tensor that tells whether it has a value."""
        return reference.is_initialized(self._holder, name)


class ResourceVariable(GraphVariable):
    """A variable whose ops take its handle, in a graph."""

    _should_act_as_resource_variable = True

    def _make(
        self, initial_value: Any, dtype: Any, validate: bool, shape: Any, is_function: bool
    ) -> None:
        graph = self._graph
        value = self._first_value(initial_value, dtype, is_function)
        self._initial_value = value
        self._shape = value.shape if shape is None else TensorShape(shape)
        self._element_type = value.dtype.base_dtype
        self._holder = resources.var_handle(
            dtype=self._element_type, shape=self._shape._dims, shared_name=self._node,
            name=self._node + "/",
        )  # fmt: skip
        with graph.name_scope("IsInitialized"):
            self._is_initialized = resources.is_initialized(self._holder)
        self._initializer = resources.assign_variable(self._holder, value, name="Assign")
        with graph.name_scope("Read"), graph.device(self._holder.op.device or None):
            self._read = self._fresh()

    def _fresh(self) -> Any:
        made = resources.read_variable(self._holder, dtype=self._element_type)
        made.set_shape(self._shape)
        return made

    @property
    def handle(self) -> Any:
        """The resource tensor through which ops reach the variable."""
        return self._holder

    @property
    def dtype(self) -> Any:
        """The type of the elements."""
        return self._element_type

    def value(self) -> Any:
        """Return the value as a tensor, read anew."""
        return self._fresh()

    read_value = value

    def _after(self, op: Any, read_value: bool) -> Any:
        if not read_value:
            return op
        with self._graph.control_dependencies([op]):
            return self._fresh()

    def assign(self, value: Any, use_locking: bool = False, name: Any = None, read_value: bool = True) -> Any:
        """Return the new value, or the operation that gives it."""
        op = resources.assign_variable(
            self._holder, convert_to_tensor(value, self._element_type), name=name
        )
        return self._after(op, read_value)

    def assign_add(self, delta: Any, use_locking: bool = False, name: Any = None, read_value: bool = True) -> Any:
        """Return the value after adding `delta`, or the operation that adds it."""
        op = resources.assign_add_variable(
            self._holder, convert_to_tensor(delta, self._element_type), name=name
        )
        return self._after(op, read_value)

    def assign_sub(self, delta: Any, use_locking: bool = False, name: Any = None, read_value: bool = True) -> Any:
        """Return the value after subtracting `delta`, or the operation that subtracts it."""
        op = resources.assign_sub_variable(
            self._holder, convert_to_tensor(delta, self._element_type), name=name
        )
        return self._after(op, read_value)

    def sparse_read(self, indices: Any, name: str | None = None) -> Any:
        """Return the rows that `indices` names."""
        return resources.resource_gather(
            self._holder, indices, dtype=self._element_type, name=name
        )

    def is_initialized(self, name: str | None = None) -> Any:
        """Return a tensor that tells whether it has a value."""
        return resources.is_initialized(self._holder, name)


install(GraphVariable, skip=("__eq__", "__ne__", "__iter__"))
RefVariable.__module__ = "tensorflow.python.ops.variables"
ResourceVariable.__module__ = "tensorflow.python.ops.resource_variable_ops"
