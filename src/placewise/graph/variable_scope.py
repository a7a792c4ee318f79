"""Variables by name: `tf.get_variable`, and `tf.variable_scope` which prefixes and shares them."""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from placewise.core import dtypes
from placewise.core.arguments import DTypeLike, ShapeLike, TensorLike
from placewise.core.dtypes import DType, as_dtype
from placewise.core.names import name_scope
from placewise.core.runtime import State, runtime
from placewise.core.scope import Scope, current, era
from placewise.graph.collections import GraphKeys, get_collection
from placewise.graph.defaults import get_default_graph
from placewise.graph.variable_store import ReuseMode, ScopeStore, VariableStore, scopes_of, store_of
from placewise.ops.convert import convert_to_tensor
from placewise.ops.state.variable import VariableAggregationV2, VariableSynchronization

if TYPE_CHECKING:
    from placewise.graph.graph import Graph
    from placewise.graph.resource_variables import ResourceVariable


AUTO_REUSE = ReuseMode.AUTO_REUSE

_AUTO = VariableSynchronization.AUTO
_NONE = VariableAggregationV2.NONE


class ResourceVariables(State):
    """Whether variables have handles where nobody says."""

    are_default: bool | None = None  # None: in programs of TensorFlow 2 they do


_resources = runtime.state(ResourceVariables)


def enable_resource_variables() -> None:
    """Make variables with handles by default from now on."""
    _resources.are_default = True


def disable_resource_variables() -> None:
    """Make reference variables by default from now on."""
    _resources.are_default = False


def resource_variables_enabled() -> bool:
    """Return True if variables have handles by default."""
    return era.base is None if _resources.are_default is None else _resources.are_default


def resources_in_force() -> bool:
    """Return whether a variable made here has a handle: by the scope, else by default."""
    asked = get_variable_scope().use_resource
    return resource_variables_enabled() if asked is None else bool(asked)


class VariableScope:
    """A prefix for names of variables, with the defaults for those made under it."""

    def __init__(
        self,
        reuse: Any,
        name: str = "",
        initializer: Any = None,
        regularizer: Any = None,
        caching_device: Any = None,
        partitioner: Any = None,
        custom_getter: Any = None,
        name_scope: str = "",
        dtype: Any = dtypes.float32,
        use_resource: bool | None = None,
        constraint: Any = None,
    ) -> None:
        self._name, self._name_scope = name, name_scope
        self._initializer, self._regularizer = initializer, regularizer
        self._reuse, self._caching_device = reuse, caching_device
        self._partitioner, self._custom_getter = partitioner, custom_getter
        self._dtype, self._use_resource, self._constraint = dtype, use_resource, constraint
        if current.interpreter is Scope.eager:
            if caching_device is not None:
                raise NotImplementedError(
                    "Caching devices is not yet supported when eager execution is enabled."
                )
            self._reuse = AUTO_REUSE
            self._use_resource = True

    @property
    def name(self) -> str:
        """The prefix, without the last slash."""
        return self._name

    @property
    def original_name_scope(self) -> str:
        """The name scope that was opened with it, with the last slash."""
        return self._name_scope

    @property
    def reuse(self) -> Any:
        """Must variables exist already (True), must they not (False), or either (AUTO_REUSE)?"""
        return self._reuse

    @property
    def initializer(self) -> Any:
        """What makes first values where nothing else is given."""
        return self._initializer

    @property
    def dtype(self) -> Any:
        """The dtype of variables where none is given."""
        return self._dtype

    @property
    def use_resource(self) -> bool | None:
        """Do variables have handles?"""
        return self._use_resource

    @property
    def regularizer(self) -> Any:
        """What makes losses of variables where nothing else is given."""
        return self._regularizer

    @property
    def constraint(self) -> Any:
        """What optimizers apply after updates where nothing else is given."""
        return self._constraint

    @property
    def caching_device(self) -> Any:
        """Where reads of variables are kept."""
        return self._caching_device

    @property
    def partitioner(self) -> Any:
        """How variables would be cut into parts."""
        return self._partitioner

    @property
    def custom_getter(self) -> Any:
        """What is asked for variables instead of the store."""
        return self._custom_getter

    def reuse_variables(self) -> None:
        """Let variables be those that exist already."""
        self._reuse = True

    def set_initializer(self, initializer: Any) -> None:
        """Set what makes first values."""
        self._initializer = initializer

    def set_dtype(self, dtype: DTypeLike) -> None:
        """Set the dtype of variables."""
        self._dtype = dtype

    def set_use_resource(self, use_resource: bool) -> None:
        """Set whether variables have handles."""
        if current.interpreter is Scope.eager and not use_resource:
            raise ValueError(
                "When eager execution is enabled, use_resource cannot be set to false."
            )
        self._use_resource = use_resource

    def set_regularizer(self, regularizer: Any) -> None:
        """Set what makes losses of variables."""
        self._regularizer = regularizer

    def set_caching_device(self, caching_device: Callable[..., Any]) -> None:
        """Set where reads of variables are kept."""
        self._caching_device = caching_device

    def set_partitioner(self, partitioner: Any) -> None:
        """Set how variables are cut into parts."""
        self._partitioner = partitioner

    def set_custom_getter(self, custom_getter: Any) -> None:
        """Set what is asked for variables."""
        self._custom_getter = custom_getter

    def get_collection(self, name: str) -> list[Any]:
        """Return what a collection holds under this scope."""
        return get_collection(name, f"{self._name}/" if self._name else "")

    def trainable_variables(self) -> list[Any]:
        """Return this scope's variables that optimizers change."""
        return self.get_collection(GraphKeys.TRAINABLE_VARIABLES)

    def global_variables(self) -> list[Any]:
        """Return this scope's global variables."""
        return self.get_collection(GraphKeys.GLOBAL_VARIABLES)

    def local_variables(self) -> list[Any]:
        """Return this scope's local variables."""
        return self.get_collection(GraphKeys.LOCAL_VARIABLES)

    def get_variable(
        self,
        var_store: VariableStore,
        name: str,
        shape: ShapeLike | None = None,
        dtype: Any = None,
        initializer: Any = None,
        regularizer: Any = None,
        reuse: Any = None,
        trainable: bool | None = None,
        collections: Sequence[Any] | None = None,
        caching_device: Any = None,
        partitioner: Any = None,
        validate_shape: bool = True,
        use_resource: bool | None = None,
        custom_getter: Any = None,
        constraint: Any = None,
        synchronization: Any = _AUTO,
        aggregation: Any = _NONE,
    ) -> Any:
        """Return the variable of that name under this scope, found or made."""
        full = f"{self._name}/{name}" if self._name and name is not None else name
        with name_scope(""):
            _check_dtype(initializer, dtype)
            return var_store.get_variable(
                full,
                shape=shape,
                dtype=_or(dtype, self._dtype),
                initializer=_or(initializer, self._initializer),
                regularizer=_or(regularizer, self._regularizer),
                reuse=_or(reuse, self._reuse),
                trainable=trainable,
                collections=collections,
                caching_device=_or(caching_device, self._caching_device),
                partitioner=_or(partitioner, self._partitioner),
                validate_shape=validate_shape,
                use_resource=_or(use_resource, self._use_resource),
                custom_getter=_or(custom_getter, self._custom_getter),
                constraint=_or(constraint, self._constraint),
                synchronization=synchronization,
                aggregation=aggregation,
            )


VariableScope.__module__ = "tensorflow.python.ops.variable_scope"


def _or(asked: Any, inherited: Any) -> Any:
    return inherited if asked is None else asked


def _check_dtype(initializer: Any, dtype: DType | None) -> None:
    if dtype is None or initializer is None or callable(initializer):
        return
    initial, asked = convert_to_tensor(initializer).dtype.base_dtype, as_dtype(dtype)
    if initial is not asked.base_dtype:
        raise ValueError(
            f"Initializer type '{initial!s}' and explicit dtype '{asked!s}' don't match."
        )


def get_variable_scope() -> VariableScope:
    """Return the variable scope in force in this thread.

    `reuse_variables()` lets the rest of a block share variables; `name`, `reuse` and `initializer`
    say what is in force.

    >>> with tf.Graph().as_default(), tf.compat.v1.variable_scope("layer"):
    ...     tf.compat.v1.get_variable_scope().name
    'layer'
    """
    store = scopes_of(get_default_graph())
    if store.current is None and current.interpreter is not Scope.eager:
        store.current = VariableScope(False)
    result: VariableScope = store.current or VariableScope(False)
    return result


def get_variable(
    name: str,
    shape: ShapeLike | None = None,
    dtype: DTypeLike | None = None,
    initializer: Any = None,
    regularizer: Any = None,
    trainable: bool | None = None,
    collections: Sequence[Any] | None = None,
    caching_device: Any = None,
    partitioner: Any = None,
    validate_shape: bool = True,
    use_resource: bool | None = None,
    custom_getter: Any = None,
    constraint: Any = None,
    synchronization: Any = _AUTO,
    aggregation: Any = _NONE,
) -> Any:
    """Return the variable of a name: the one there is, or a new one, as the variable scope says.

    `name`: its name, which the scope prefixes.
    `shape`: of a new variable; not needed if `initializer` is a tensor.
    `dtype`: of a new variable, float32 by default.
    `initializer`: what it begins with: an initializer, a function or a tensor. By default floats
        are drawn as Glorot and Bengio propose, integers are 0.
    `regularizer`: a function of the variable whose result joins the regularization losses.
    `trainable`: put a new variable into the collection that optimizers change.
    `collections`: the collections a new variable joins, by default the global variables.
    `caching_device`: where reads of it are to be copied.
    `partitioner`: how to cut it into parts.
    `validate_shape`: with False its shape may change.
    `use_resource`: make a resource variable (True) or a reference variable (False).
    `custom_getter`: a function to call in place of this one.
    `constraint`: a function that optimizers apply after each update.
    `synchronization`, `aggregation`: how a distribution strategy reads and updates its copies.

    What is left out comes from the scope. Raises ValueError if the variable must exist and does
    not, must not exist and does, or exists with another shape or dtype.

    >>> with tf.Graph().as_default():
    ...     w = tf.compat.v1.get_variable("w", [2, 3])
    >>> w.name, w.shape
    ('w:0', TensorShape([2, 3]))
    """
    return get_variable_scope().get_variable(
        store_of(get_default_graph()),
        name,
        shape=shape,
        dtype=dtype,
        initializer=initializer,
        regularizer=regularizer,
        trainable=trainable,
        collections=collections,
        caching_device=caching_device,
        partitioner=partitioner,
        validate_shape=validate_shape,
        use_resource=use_resource,
        custom_getter=custom_getter,
        constraint=constraint,
        synchronization=synchronization,
        aggregation=aggregation,
    )


def get_local_variable(
    name: str,
    shape: ShapeLike | None = None,
    dtype: DTypeLike | None = None,
    initializer: Any = None,
    regularizer: Any = None,
    trainable: bool = False,
    collections: Any = None,
    caching_device: Any = None,
    partitioner: Any = None,
    validate_shape: bool = True,
    use_resource: bool | None = None,
    custom_getter: Any = None,
    constraint: Any = None,
    synchronization: Any = _AUTO,
    aggregation: Any = _NONE,
) -> Any:
    """Return the local variable of that name: not trained, not saved."""
    return get_variable(
        name,
        shape,
        dtype,
        initializer,
        regularizer,
        False,
        [*(collections or ()), GraphKeys.LOCAL_VARIABLES],
        caching_device,
        partitioner,
        validate_shape,
        use_resource,
        custom_getter,
        constraint,
        synchronization,
        aggregation,
    )


def no_regularizer(_: ResourceVariable) -> None:
    """Return None: a regularizer that keeps an outer scope's from being used."""
    return


class variable_scope:  # noqa: N801 - TensorFlow's own name
    """Prefix the names of variables made in a `with` block, and let them be shared.

    `name_or_scope`: the name to add, or a scope to enter again.
    `default_name`: the name to add, made unique, if `name_or_scope` is None.
    `values`: tensors that must be of the default graph.
    `initializer`, `regularizer`, `partitioner`, `constraint`, `dtype`: what `get_variable` takes in
        the block where a call names none.
    `caching_device`: where reads of the variables are to be copied.
    `custom_getter`: a function that `get_variable` calls in place of its own.
    `reuse`: True: variables must exist; False or None: as outside; `tf.compat.v1.AUTO_REUSE`: they
        are made if they are missing.
    `use_resource`: make resource variables (True) or reference variables (False).
    `auxiliary_name_scope`: also open a name scope of the same name.

    Raises TypeError if neither a name nor a default is given. A name scope opened again gets a
    number (`layer_1`), a variable scope does not.

    >>> with tf.Graph().as_default():
    ...     with tf.compat.v1.variable_scope("layer"):
    ...         first = tf.compat.v1.get_variable("w", [2])
    ...     with tf.compat.v1.variable_scope("layer", reuse=True):
    ...         second = tf.compat.v1.get_variable("w", [2])
    >>> first.name, first is second
    ('layer/w:0', True)
    """

    def __init__(
        self,
        name_or_scope: Any,
        default_name: str | None = None,
        values: Any = None,
        initializer: Any = None,
        regularizer: Any = None,
        caching_device: Any = None,
        partitioner: Any = None,
        custom_getter: Any = None,
        reuse: Any = None,
        dtype: Any = None,
        use_resource: bool | None = None,
        constraint: Any = None,
        auxiliary_name_scope: bool = True,
    ) -> None:
        if default_name is None and name_or_scope is None:
            raise TypeError("If default_name is None then name_or_scope is required")
        if not isinstance(auxiliary_name_scope, bool):
            raise TypeError(
                "The auxiliary_name_scope must be `True` or `False`, while get "
                f"{auxiliary_name_scope}"
            )
        self._given, self._default_name = name_or_scope, default_name
        self._reuse = None if reuse is False else reuse
        self._auxiliary = auxiliary_name_scope
        self._getter = custom_getter
        self._overrides = {
            "_initializer": initializer,
            "_regularizer": regularizer,
            "_caching_device": caching_device,
            "_partitioner": partitioner,
            "_dtype": dtype,
            "_use_resource": use_resource,
            "_constraint": constraint,
        }
        self._entered: list[tuple[Any, ScopeStore, Any, Any, Any]] = []

    def __enter__(self) -> VariableScope:
        asked = self._given
        if asked is not None and not isinstance(asked, (str, VariableScope)):
            raise TypeError("VariableScope: name_or_scope must be a string or VariableScope.")
        graph = get_default_graph()
        store = scopes_of(graph)
        names, opened = self._names(graph)
        try:
            scope = self._scope(asked, store, opened)
        except BaseException:
            if names is not None:
                names.__exit__(None, None, None)
            raise
        before = store.current
        counts = dict(store.counts) if isinstance(asked, VariableScope) else None
        store.open(scope.name)
        store.current = scope
        self._entered.append((names, store, before, counts, scope))
        return scope

    def _names(self, graph: Graph) -> tuple[Any, str]:
        """Open the name scope that goes with it; return it and its name."""
        asked = self._given
        if not self._auxiliary:
            inside = (
                graph.scopes.name if current.interpreter is not Scope.eager else current.name_scope
            )
            names = name_scope(inside)
            return names, names.__enter__()
        if asked is None:
            name = self._default_name or ""
        elif isinstance(asked, str):
            name = asked
        else:
            name = asked.name.split("/")[-1]
        if not name:
            return None, ""
        names = name_scope(name)
        return names, names.__enter__()

    def _scope(self, asked: Any, store: ScopeStore, opened: str) -> VariableScope:
        outer = get_variable_scope()
        if isinstance(asked, VariableScope):
            result = copy.copy(asked)
            result._reuse = self._reuse or asked.reuse
        else:
            if asked is None:
                if self._reuse:
                    raise ValueError("reuse=True cannot be used without a name_or_scope")
                asked = store.unique(outer.name, self._default_name or "")
            result = copy.copy(outer)
            result._name = f"{outer.name}/{asked}" if outer.name else asked
            result._reuse = self._reuse or outer.reuse
            result._name_scope = opened
        for field, value in self._overrides.items():
            if value is not None:
                setattr(result, field, value)
        if self._getter is not None:
            result._custom_getter = _around(self._getter, result._custom_getter)
        return result

    def __exit__(self, *exception: Any) -> None:
        names, store, before, counts, scope = self._entered.pop()
        if store.current is not scope and not any(exception):
            raise RuntimeError(
                "Improper nesting of variable_scope."
                "\n  leave variable scopes in the reverse of the order they were entered in"
            )
        store.close_subscopes(scope.name)
        if counts is not None:
            store.counts = counts
        store.current = before
        if names is not None:
            names.__exit__(*exception)


def _around(inner: Callable[..., Any], outer: Callable[..., Any] | None) -> Any:
    """Return a getter that asks the inner one, whose own getter asks the outer one."""
    if outer is None:
        return inner
    return lambda getter, *args, **kwargs: inner(functools.partial(outer, getter), *args, **kwargs)


def variable_op_scope(
    values: TensorLike,
    name_or_scope: Any,
    default_name: str | None = None,
    initializer: Any = None,
    regularizer: Any = None,
    caching_device: Any = None,
    partitioner: Any = None,
    custom_getter: Any = None,
    reuse: Any = None,
    dtype: DTypeLike | None = None,
    use_resource: bool | None = None,
    constraint: Any = None,
) -> variable_scope:
    """Return a `variable_scope` with the arguments in the order of `variable_op_scope`."""
    return variable_scope(
        name_or_scope,
        default_name,
        values,
        initializer,
        regularizer,
        caching_device,
        partitioner,
        custom_getter,
        reuse,
        dtype,
        use_resource,
        constraint,
    )
