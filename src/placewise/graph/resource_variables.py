"""Variables of a graph whose ops take a handle, as TensorFlow 2's do."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from placewise.core.arguments import TensorLike
from placewise.core.dtypes import DType
from placewise.core.scope import Scope, current
from placewise.core.shapes import TensorShape
from placewise.graph.safe_initial_value import guarded
from placewise.graph.updates import batch_scatter_update
from placewise.graph.variable import VariableCreation, VariableV1
from placewise.ops.array.shape import identity
from placewise.ops.convert import convert_to_tensor
from placewise.ops.indexed_slices import IndexedSlices
from placewise.ops.state import parts, scatter
from placewise.ops.state import resource as resources
from placewise.ops.state.variable import Variable as EagerVariable
from placewise.ops.state.variable import is_eager_variable

if TYPE_CHECKING:
    import numpy as np

    from placewise.graph.operation import Operation


_PARAMETERS = (
    "initial_value",
    "trainable",
    "collections",
    "validate_shape",
    "caching_device",
    "name",
    "dtype",
    "variable_def",
    "import_scope",
    "constraint",
    "distribute_strategy",
    "synchronization",
    "aggregation",
    "shape",
)


class _ResourceCreation(VariableCreation, type):  # `type`, so that linters see a metaclass
    """Lets `ResourceVariable(...)` be the variable of eager mode where ops run at once."""

    def _make(cls, *args: Any, **kwargs: Any) -> Any:
        if cls is not ResourceVariable:
            return super().__call__(*args, **kwargs)
        options = dict(zip(_PARAMETERS, args, strict=False)) | kwargs
        options.pop("distribute_strategy", None)
        if current.interpreter is not Scope.eager:
            return super().__call__(**options)
        # There are no collections; creators are not asked, which TensorFlow asks for
        # `tf.Variable` only.
        options.pop("collections", None)
        return type.__call__(EagerVariable, **options)

    if not TYPE_CHECKING:
        __call__ = _make

    def __instancecheck__(cls, instance: Any) -> bool:
        # A variable of a strategy is made of resource variables, and is none itself.
        return super().__instancecheck__(instance) or (
            cls is ResourceVariable
            and is_eager_variable(instance)
            and not hasattr(instance, "distribute_strategy")
        )


class ResourceVariable(VariableV1, metaclass=_ResourceCreation):
    """A variable whose ops take its handle, in a graph."""

    _should_act_as_resource_variable = True
    _is_resource = True
    _in_graph_mode = True
    _element_type: Any
    _cached: Any = None

    def _make(
        self,
        initial_value: Any,
        dtype: DType | None,
        validate: bool,
        shape: Any,
        caching_device: str | None,
    ) -> None:
        graph = self._graph
        with self._beside_itself():
            with self._initializer_scope():
                initial = initial_value() if callable(initial_value) else initial_value
                value = convert_to_tensor(initial, dtype, name="initial_value")
            self._shape = value.shape if shape is None else TensorShape(shape)
            if not self._shape.is_compatible_with(value.shape):
                raise ValueError(
                    f"In this `tf.Variable` creation, the initial value's shape ({value.shape}) is "
                    f"not compatible with the explicitly supplied `shape` argument ({shape})."
                )
            self._element_type = value.dtype.base_dtype
            self._holder = resources.var_handle(
                dtype=self._element_type,
                shape=self._shape._dims,
                shared_name=self._node,
                name=self._node + "/",
            )
        self._initial_value = value
        with graph.name_scope("IsInitialized"):
            self._is_initialized = resources.is_initialized(self._holder)

        value = guarded(value, self._node)
        with graph.name_scope("Assign") as scope, self._at_home():
            self._initializer = resources.assign_variable(self._holder, value, name=scope)
        with graph.name_scope("Read"), graph.device(self.device or None):
            self._read = self._fresh()
            if caching_device is not None:
                with graph.colocate_with(None, ignore_existing=True), graph.device(caching_device):
                    self._cached = identity(self._read)

    def _restore(self, message: Any, scope: str | None) -> None:
        super()._restore(message, scope)
        self._element_type = self._holder.op.attrs["dtype"]
        self._is_initialized = self._graph.as_graph_element(
            f"{self._node}/IsInitialized/VarIsInitializedOp:0"
        )

    def _at_home(self) -> Any:
        """Return a context in which ops go where the variable is, whatever surrounds them."""
        return self._graph._changed(colocate=(), devices=(self.device or None,))

    def _fresh(self) -> Any:
        variable = resources.read_variable(self._holder, dtype=self._element_type)
        variable.set_shape(self._shape)
        return variable

    def _initialize_with(self, value: Any) -> None:
        """Let the initializer give the variable another first value than it was made with."""
        with self._graph.as_default(), self._at_home():
            tensor = convert_to_tensor(value, self._element_type)
            self._initializer = resources.assign_variable(self._holder, tensor)

    @property
    def handle(self) -> Any:
        """The resource tensor through which ops reach the variable."""
        return self._holder

    @property
    def dtype(self) -> Any:
        """The type of the elements."""
        return self._element_type

    @property
    def create(self) -> Any:
        """The operation that gives the variable its first value."""
        return self._initializer

    def set_shape(self, shape: Any) -> None:
        """Add what is known about the shape."""
        self._shape = self._shape.merge_with(shape)
        self._read.set_shape(self._shape)

    def _note_access(self) -> None:
        for tape in current.tapes:
            tape.variable_accessed(self)

    def value(self) -> Any:
        """Return the value as a tensor, read anew or from the device it is cached on."""
        self._note_access()
        if self._cached is not None:
            return self._cached
        with self._at_home():
            return self._fresh()

    def read_value(self) -> Any:
        """Return the value as a tensor, read anew on the device in force."""
        self._note_access()
        with self._graph.name_scope("Read"):
            value = self._fresh()
        return identity(value)

    def sparse_read(self, indices: TensorLike, name: str | None = None) -> Any:
        """Return the rows that `indices` names."""
        self._note_access()
        with self._graph.name_scope(name or "Gather") as scope:
            rows = resources.resource_gather(
                self._holder, indices, dtype=self._element_type, name=scope
            )
            at = rows.op.inputs[1].shape
            if at.rank is not None and self._shape.rank:
                rows.set_shape(at.concatenate(self._shape[1:]))
        return identity(rows)

    def _lazy_read(self, op: Operation) -> Any:
        return UnreadVariable(self, op)

    def _after(self, op: Operation, read_value: bool) -> Any:
        return self._lazy_read(op) if read_value else op

    def assign(
        self,
        value: TensorLike,
        use_locking: bool | None = None,
        name: Any = None,
        read_value: bool = True,
    ) -> Any:
        """Return the variable after giving it a value, or the operation that does."""
        new = convert_to_tensor(value, self._element_type)
        self._shape.assert_is_compatible_with(new.shape)
        # A shape that is not known yet is checked when the value is there.
        doubt = self._shape.is_fully_defined() and not new.shape.is_fully_defined()
        assigned = resources.assign_variable(self._holder, new, validate_shape=doubt, name=name)
        return self._after(assigned, read_value)

    def assign_add(
        self, delta: TensorLike, use_locking: Any = None, name: Any = None, read_value: bool = True
    ) -> Any:
        """Return the variable after adding `delta`, or the operation that adds it."""
        new = convert_to_tensor(delta, self._element_type)
        return self._after(resources.assign_add_variable(self._holder, new, name=name), read_value)

    def assign_sub(
        self, delta: Any, use_locking: Any = None, name: Any = None, read_value: bool = True
    ) -> Any:
        """Return the variable after subtracting `delta`, or the operation that subtracts it."""
        new = convert_to_tensor(delta, self._element_type)
        return self._after(resources.assign_sub_variable(self._holder, new, name=name), read_value)

    def _scatter(self, kind: str, slices: IndexedSlices, name: str | None) -> Any:
        if not isinstance(slices, IndexedSlices):
            raise ValueError(f"sparse_delta is not IndexedSlices: {slices}")
        update = getattr(resources, f"scatter_{kind}")
        values = convert_to_tensor(slices._given, self._element_type)
        return self._lazy_read(update(self._holder, slices.indices, values, name=name))

    def _scatter_nd(
        self, kind: str, indices: TensorLike, updates: TensorLike, name: str | None
    ) -> Any:
        update = getattr(scatter, f"scatter_nd_{kind}")
        values = convert_to_tensor(updates, self._element_type)
        return self._lazy_read(update(self._holder, indices, values, name=name))

    def scatter_add(
        self, sparse_delta: IndexedSlices, use_locking: bool = False, name: Any = None
    ) -> Any:
        """Return the variable after adding slices to rows."""
        return self._scatter("add", sparse_delta, name)

    def scatter_sub(
        self, sparse_delta: IndexedSlices, use_locking: bool = False, name: Any = None
    ) -> Any:
        """Return the variable after subtracting slices from rows."""
        return self._scatter("sub", sparse_delta, name)

    def scatter_update(
        self, sparse_delta: IndexedSlices, use_locking: bool = False, name: Any = None
    ) -> Any:
        """Return the variable after replacing rows by slices."""
        return self._scatter("update", sparse_delta, name)

    def scatter_mul(
        self, sparse_delta: IndexedSlices, use_locking: bool = False, name: Any = None
    ) -> Any:
        """Return the variable after multiplying rows by slices."""
        return self._scatter("mul", sparse_delta, name)

    def scatter_div(
        self, sparse_delta: IndexedSlices, use_locking: bool = False, name: Any = None
    ) -> Any:
        """Return the variable after dividing rows by slices."""
        return self._scatter("div", sparse_delta, name)

    def scatter_min(
        self, sparse_delta: IndexedSlices, use_locking: bool = False, name: Any = None
    ) -> Any:
        """Return the variable after keeping the smaller of rows and slices."""
        return self._scatter("min", sparse_delta, name)

    def scatter_max(
        self, sparse_delta: IndexedSlices, use_locking: bool = False, name: Any = None
    ) -> Any:
        """Return the variable after keeping the larger of rows and slices."""
        return self._scatter("max", sparse_delta, name)

    def scatter_nd_add(
        self, indices: list[Any], updates: TensorLike, name: str | None = None
    ) -> Any:
        """Return the variable after adding `updates` to the slices that `indices` names."""
        return self._scatter_nd("add", indices, updates, name)

    def scatter_nd_sub(
        self, indices: list[Any], updates: np.ndarray[Any, Any], name: str | None = None
    ) -> Any:
        """Return the variable after subtracting `updates` from the slices."""
        return self._scatter_nd("sub", indices, updates, name)

    def scatter_nd_update(
        self, indices: TensorLike, updates: TensorLike, name: str | None = None
    ) -> Any:
        """Return the variable after replacing the slices by `updates`."""
        return self._scatter_nd("update", indices, updates, name)

    def batch_scatter_update(
        self, sparse_delta: Any, use_locking: bool = False, name: str | None = None
    ) -> Any:
        """Return the variable after replacing rows in every batch entry."""
        return batch_scatter_update(
            self,
            sparse_delta.indices,
            convert_to_tensor(sparse_delta._given, self._element_type),
            use_locking,
            name,
        )

    def count_up_to(self, limit: int) -> Any:
        """Return the value before one is added; OutOfRangeError at `limit`."""
        return scatter.count_up_to(self._holder, limit=limit, T=self._element_type)

    def _assign_part(self, op: Operation, value: list[Any], name: str | None) -> Any:
        new = convert_to_tensor(value, self._element_type)
        return self._lazy_read(
            parts.resource_strided_slice_assign(
                self._holder, *op.spread[1:], new, **op.attrs, name=name
            )
        )

    def is_initialized(self, name: str | None = None) -> Any:
        """Return a bool tensor: whether the variable is initialized."""
        return resources.is_initialized(self._holder, name)

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        raise NotImplementedError(
            "__deepcopy__() is only available when eager execution is enabled."
        )

    def to_proto(self, export_scope: str | None = None) -> Any:
        """Return a VariableDef message with the names of the variable's parts."""
        proto = super().to_proto(export_scope)
        if proto is not None and self._cached is not None:
            proto.snapshot_name = self._cached.name
        return proto


class UnreadVariable(ResourceVariable):
    """What an assignment returns: the variable, read only after the assignment."""

    def __init__(self, variable: ResourceVariable, op: Any) -> None:
        self.__dict__.update(variable.__dict__)
        self._parent, self._assignment = variable, op
        self._cached = None
        with self._graph.control_dependencies([op]):
            self._read = self._fresh()

    @property
    def name(self) -> str:
        """The name of the assignment."""
        name: str = self._assignment.name
        return name

    @property
    def op(self) -> Any:
        """The assignment."""
        return self._assignment

    def value(self) -> Any:
        """Return the value after the assignment."""
        with self._graph.control_dependencies([self._assignment]):
            return super().value()

    def read_value(self) -> Any:
        """Return the value after the assignment, on the device in force."""
        with self._graph.control_dependencies([self._assignment]):
            return super().read_value()

    def sparse_read(self, indices: Any, name: str | None = None) -> Any:
        """Return rows as they are after the assignment."""
        with self._graph.control_dependencies([self._assignment]):
            return super().sparse_read(indices, name)


def _after_assignment(method: Any) -> Any:
    """Return a method of variables that acts only after the assignment that is not read yet."""

    @functools.wraps(method)
    def ordered(self: UnreadVariable, *args: Any, **kwargs: Any) -> Any:
        with self._graph.control_dependencies([self._assignment]):
            return method(self, *args, **kwargs)

    return ordered


_ORDERED = "assign assign_add assign_sub _scatter _scatter_nd batch_scatter_update count_up_to"
for _method in [*_ORDERED.split(), "_assign_part"]:
    setattr(UnreadVariable, _method, _after_assignment(getattr(ResourceVariable, _method)))


for _kind, _shown in ((ResourceVariable, "ResourceVariable"), (UnreadVariable, "_UnreadVariable")):
    _kind.__module__ = "tensorflow.python.ops.resource_variable_ops"
    _kind.__name__ = _kind.__qualname__ = _shown


def is_resource_variable(var: Any) -> bool:
    """Return whether `var` is a resource variable, and not one of the older reference kind."""
    return bool(getattr(var, "_should_act_as_resource_variable", False))
