"""The variables of a graph by name, and each thread's scopes: what `tf.get_variable` looks up."""

from __future__ import annotations

import enum
import inspect
import itertools
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from placewise.core.arguments import ShapeLike
from placewise.core.dtypes import DType, as_dtype
from placewise.core.errors import hint
from placewise.core.names import name_scope
from placewise.core.scope import Scope, current
from placewise.core.shapes import TensorShape
from placewise.graph import initializers, lazy
from placewise.graph.collections import GraphKeys, add_to_collection
from placewise.graph.variable import VariableV1
from placewise.ops.convert import convert_to_tensor
from placewise.ops.state.variable import VariableSynchronization

if TYPE_CHECKING:
    from placewise.graph.graph import Graph
    from placewise.graph.partitioned import PartitionInfo
    from placewise.graph.variables import RefVariable


class ReuseMode(enum.Enum):
    """AUTO_REUSE: take the variable that exists, else make it."""

    AUTO_REUSE = 1


ReuseMode.__name__ = ReuseMode.__qualname__ = "_ReuseMode"

# TensorFlow keeps both among a graph's collections, under these keys.
_STORE = ("__variable_store",)
_SCOPES = ("__varscope",)


class ScopeStore(threading.local):
    """One thread's scope in force, and how often each scope was opened."""

    def __init__(self) -> None:
        self.current: Any = None
        self.counts: dict[str, int] = {}

    def open(self, name: str) -> None:
        """Count a scope that is opened."""
        self.counts[name] = self.counts.get(name, 0) + 1

    def close_subscopes(self, name: str) -> None:
        """Forget how often scopes under this one were opened."""
        for count in self.counts:
            if not name or count.startswith(f"{name}/"):
                self.counts[count] = 0

    def unique(self, outer: str, prefix: str) -> str:
        """Return `prefix`, or with a number that no open sister scope has."""
        full = f"{outer}/{prefix}" if outer else prefix
        if not self.counts.get(full):
            return prefix
        number = 1
        while self.counts.get(f"{full}_{number}"):
            number += 1
        return f"{prefix}_{number}"


def scopes_of(graph: Graph) -> ScopeStore:
    """Return the scopes of a graph."""
    collection_ref = graph.get_collection_ref(_SCOPES)
    if not collection_ref:
        collection_ref.append(ScopeStore())
    kept: ScopeStore = collection_ref[0]
    return kept


def store_of(graph: Graph) -> VariableStore:
    """Return the variables of a graph by name."""
    collection_ref = graph.get_collection_ref(_STORE)
    if not collection_ref:
        collection_ref.append(VariableStore())
    kept: VariableStore = collection_ref[0]
    return kept


class VariableStore:
    """Variables that `tf.get_variable` made, by full name."""

    def __init__(self) -> None:
        self._vars: dict[str, Any] = {}
        self._whole: dict[str, Any] = {}  # those that are in parts

    def get_variable(
        self, name: str, *, custom_getter: Callable[..., Any] | None, **options: Any
    ) -> Any:
        """Return a variable, through a custom getter where there is one."""
        if custom_getter is None:
            return self._get(name, **options)
        if not callable(custom_getter):
            raise ValueError(f"Passed a custom_getter which is not callable: {custom_getter}")
        if not _takes(custom_getter, "constraint"):
            options.pop("constraint")
        return custom_getter(getter=self._get, name=name, **options)

    def _get(
        self,
        name: str,
        shape: ShapeLike | None = None,
        dtype: Any = None,
        initializer: Any = None,
        regularizer: Any = None,
        reuse: Any = None,
        trainable: bool | None = None,
        collections: list[Any] | None = None,
        caching_device: Callable[..., Any] | None = None,
        partitioner: Callable[..., Any] | None = None,
        validate_shape: bool = True,
        use_resource: bool | None = None,
        constraint: Any = None,
        synchronization: Any = VariableSynchronization.AUTO,
        aggregation: Any = None,
    ) -> Any:
        scalar = isinstance(shape, (list, tuple)) and not shape
        if name in self._whole or (partitioner is not None and not scalar):
            if current.interpreter is Scope.eager:
                raise NotImplementedError(
                    "Partitioned variables are not yet supported when eager execution is enabled."
                )
            return self._get_parts(
                name,
                shape,
                dtype,
                initializer,
                regularizer,
                reuse,
                partitioner,
                trainable=trainable,
                collections=collections,
                caching_device=caching_device,
                validate_shape=validate_shape,
                use_resource=use_resource,
                constraint=constraint,
                synchronization=synchronization,
                aggregation=aggregation,
            )
        kind = as_dtype(dtype).base_dtype if dtype is not None else None
        is_value = initializer is not None and not callable(initializer)
        if is_value and shape is not None:
            raise ValueError("If initializer is a constant, do not specify shape.")
        dims = TensorShape(shape)
        if current.interpreter is not Scope.eager:
            if name in self._vars:
                return self._shared(name, dims, kind, reuse)
            if reuse is True:
                raise ValueError(
                    hint(
                        f"Variable {name} does not exist, or was not created with "
                        "tf.get_variable(). Did you mean to set reuse=tf.AUTO_REUSE in VarScope?",
                        _known(self._vars),
                    )
                )
        result = self._made(
            name,
            dims,
            kind,
            initializer,
            is_value,
            trainable,
            collections,
            caching_device,
            validate_shape,
            use_resource,
            constraint,
            synchronization,
            aggregation,
        )
        if current.interpreter is not Scope.eager:
            self._vars[name] = result
        if regularizer is not None:
            _regularize(result, name, regularizer)
        return result

    def _get_parts(
        self,
        name: str,
        shape: Any,
        dtype: DType,
        initializer: Any,
        regularizer: Any,
        reuse: bool,
        partitioner: Any,
        **options: Any,
    ) -> Any:
        """Return a variable in parts, found or made."""
        if partitioner is not None and not callable(partitioner):
            raise ValueError(f"Partitioner must be callable, but received: {partitioner}")
        if name in self._whole:
            return self._shared_parts(name, shape, dtype, reuse, partitioner)
        if reuse is True:
            raise ValueError(
                hint(
                    f"PartitionedVariable {name} does not exist, or was not created with "
                    "tf.get_variable(). Did you mean to set reuse=False or reuse=tf.AUTO_REUSE in "
                    "VarScope?",
                    _known(self._vars),
                )
            )
        if name in self._vars or f"{name}/part_0" in self._vars:
            raise ValueError(
                f"A partitioner was provided, but an unpartitioned version of the variable was "
                f"found: {name}.  Perhaps a variable of the same name was already created without "
                "partitioning?"
            )
        is_value = initializer is not None and not callable(initializer)
        value = convert_to_tensor(initializer) if is_value else None
        dims = TensorShape(shape) if value is None else value.shape
        kind = as_dtype(dtype).base_dtype if value is None else value.dtype.base_dtype
        cuts = lazy.partitioned.partitions_of(partitioner, dims, kind)
        whole: Any = dims.as_list()
        parts = []
        for number, (offset, size) in enumerate(lazy.partitioned.slices_of(whole, cuts)):
            first = (
                value[tuple(slice(o, o + n) for o, n in zip(offset, size, strict=True))]
                if value is not None
                else _partial(
                    initializer or _default_initializer(name, kind),
                    lazy.partitioned.PartitionInfo(whole, offset),
                )
            )
            part = self._get(
                f"{name}/part_{number}",
                None if is_value else size,
                kind,
                first,
                regularizer,
                False,
                **options,
            )
            part._set_save_slice_info(lazy.partitioned.SaveSliceInfo(name, whole, offset, size))
            parts.append(part)
        partitioned_variable = lazy.partitioned.PartitionedVariable(name, whole, kind, parts, cuts)
        self._whole[name] = partitioned_variable
        return partitioned_variable

    def _shared_parts(
        self,
        name: str,
        shape: list[Any],
        dtype: DType,
        reuse: bool,
        partitioner: Callable[..., Any] | None,
    ) -> Any:
        result = self._whole[name]
        if not reuse:
            raise ValueError(
                f"Partitioned variable with name {name} already exists. Did you mean to set "
                "reuse=True or reuse=tf.AUTO_REUSE in VarScope?"
            )
        if shape is not None and not TensorShape(shape).is_compatible_with(result.shape):
            raise ValueError(
                hint(
                    f"Trying to reuse partitioned variable {name}, but specified shape "
                    f"{TensorShape(shape)} and found shape {result.shape}.",
                    "ask for the shape it was made with, or use another name or scope",
                )
            )
        if dtype is not None and not as_dtype(dtype).is_compatible_with(result.dtype):
            raise ValueError(
                hint(
                    f"Trying to reuse partitioned variable {name}, but specified dtype "
                    f"{as_dtype(dtype).name} and found dtype {result.dtype.name}.",
                    "ask for the dtype it was made with, or use another name or scope",
                )
            )
        if partitioner is not None:
            asked = lazy.partitions_of(partitioner, result.shape, result.dtype)
            if asked != result._get_partitions():
                raise ValueError(
                    f"Trying to reuse partitioned variable {name}, but specified partitions "
                    f"{asked} and found partitions {result._get_partitions()}."
                )
        return result

    def _shared(self, name: str, dims: TensorShape, dtype: Any, reuse: Any) -> Any:
        var = self._vars[name]
        if not reuse:
            raise ValueError(
                f"Variable {name} already exists, disallowed. Did you mean to set reuse=True or "
                f"reuse=tf.AUTO_REUSE in VarScope? Originally defined at:\n\n{_origin(var)}"
            )
        if not dims.is_compatible_with(var.shape):
            raise ValueError(
                hint(
                    f"Trying to share variable {name}, but specified shape {dims} and found shape "
                    f"{var.shape}.",
                    "ask for the shape it was made with, or use another name or scope",
                )
            )
        if dtype is not None and not dtype.is_compatible_with(var.dtype.base_dtype):
            raise ValueError(
                hint(
                    f"Trying to share variable {name}, but specified dtype {dtype.name} and found "
                    f"dtype {var.dtype.name}.",
                    "ask for the dtype it was made with, or use another name or scope",
                )
            )
        return var

    def _made(
        self,
        name: Any,
        dims: TensorShape,
        dtype: Any,
        initializer: Any,
        is_value: bool,
        trainable: Any,
        collections: Any,
        caching_device: Any,
        validate_shape: bool,
        use_resource: Any,
        constraint: Any,
        synchronization: Any,
        aggregation: Any,
    ) -> Any:
        if initializer is None:
            initializer = _default_initializer(name, dtype)
        if is_value:
            first, kind = initializer, None
        else:
            if isinstance(initializer, type):
                initializer = initializer(dtype=dtype)
            first, kind = _first_value(initializer, dims, dtype), dtype
        if use_resource is None:
            use_resource = lazy.resource_variables_enabled()
        options = {} if aggregation is None else {"aggregation": aggregation}
        if trainable is None:
            trainable = synchronization is not VariableSynchronization.ON_READ
        make: Any = VariableV1
        return make(
            initial_value=first,
            name=name,
            trainable=trainable,
            collections=collections,
            caching_device=caching_device,
            dtype=kind,
            validate_shape=validate_shape,
            constraint=constraint,
            use_resource=use_resource,
            synchronization=synchronization,
            **options,
        )


def _partial(initializer: Any, info: PartitionInfo) -> Any:
    """Return an initializer that gets the part of the whole it makes a value for."""
    if initializer is None:
        return None
    if isinstance(initializer, type):
        initializer = initializer()
    if "partition_info" in _parameters(initializer):
        return lambda shape, dtype=None: initializer(shape, dtype=dtype, partition_info=info)
    return initializer


def _takes(function: Callable[..., Any], argument: str) -> bool:
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return True
    return any(
        parameter.name == argument or parameter.kind is parameter.VAR_KEYWORD
        for parameter in parameters
    )


def _default_initializer(name: str, dtype: DType) -> Any:
    if dtype.is_floating:
        return initializers.GlorotUniform()
    if dtype.is_integer or dtype.is_bool or dtype.name == "string":
        return initializers.Zeros()
    raise ValueError(f"An initializer for variable {name} of {dtype} is required")


def _first_value(initializer: Any, dims: TensorShape, dtype: DType) -> Any:
    """Return the function that makes a variable's first value."""
    if dims.is_fully_defined():
        parameters = _parameters(initializer)
        if "partition_info" in parameters:
            return lambda: initializer(dims.as_list(), dtype=dtype, partition_info=None)
        if not parameters:
            return initializer
        return lambda: initializer(dims.as_list(), dtype=dtype)
    if _parameters(initializer, required=True):
        raise ValueError(
            hint(
                "The initializer passed is not valid. It should be a callable with no arguments "
                "and "
                "the shape should not be provided or an instance of `tf.keras.initializers.*' and "
                "`shape` should be fully defined.",
                "give `shape` without None, or a tensor as initializer",
            )
        )
    return initializer


def _parameters(function: Any, required: bool = False) -> list[str]:
    try:
        values = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return ["shape"]
    return [
        item.name
        for item in values
        if item.kind is not item.VAR_KEYWORD
        and not (required and (item.default is not item.empty or item.kind is item.VAR_POSITIONAL))
    ]


def _regularize(variable: VariableV1, name: str, regularizer: Callable[..., Any]) -> None:
    """Keep the loss that a regularizer makes of a variable."""
    if current.interpreter is Scope.eager:
        loss = regularizer(variable)
    else:
        graph = variable.graph
        with (
            graph.colocate_with(variable.op),
            name_scope(f"{name}/Regularizer/"),
            graph.control_dependencies(None),
        ):
            loss = regularizer(variable)
    if loss is not None:
        add_to_collection(GraphKeys.REGULARIZATION_LOSSES, loss)


def _origin(variable: RefVariable) -> str:
    where = getattr(variable.op, "origin", None)
    return f"  {where}\n" if where else ""


def _known(variables: dict[str, Any]) -> str:
    """Return the names of the first variables there are, for an error."""
    names = ", ".join(itertools.islice(variables, 8))
    return f"here: {names}" if names else "there is no variable yet: the first call must make it"
