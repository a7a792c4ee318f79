"""Variables by scope, name and kind, and the variables of models."""

from __future__ import annotations

import functools
import re
from contextlib import nullcontext
from typing import Any

import placewise as tf
from placewise.contrib.framework.arg_scopes import add_arg_scope
from placewise.devices.device_spec import DeviceSpecV2
from placewise.graph.collections import GraphKeys, add_to_collection, get_collection
from placewise.graph.defaults import get_default_graph
from placewise.graph.variable import VariableV1
from placewise.graph.variable_scope import get_variable, get_variable_scope
from placewise.ops.state.variable import VariableAggregationV2, VariableSynchronization
from placewise.training import global_step as steps


@add_arg_scope
def variable(
    name: str,
    shape: Any = None,
    dtype: Any = None,
    initializer: Any = None,
    regularizer: Any = None,
    trainable: bool = True,
    collections: Any = None,
    caching_device: Any = None,
    device: Any = None,
    partitioner: Any = None,
    custom_getter: Any = None,
    use_resource: bool | None = None,
    synchronization: Any = VariableSynchronization.AUTO,
    aggregation: Any = VariableAggregationV2.NONE,
) -> Any:
    """Return the variable of that name, found or made, on a device that may be a function."""
    kept = list(collections if collections is not None else [GraphKeys.GLOBAL_VARIABLES])
    kept = list(dict.fromkeys(kept))
    get = get_variable
    if custom_getter is not None:
        get = functools.partial(custom_getter, reuse=get_variable_scope().reuse)
    graph = get_default_graph()
    with graph.device(device) if device else nullcontext():
        return get(
            name,
            shape=shape,
            dtype=dtype,
            initializer=initializer,
            regularizer=regularizer,
            trainable=trainable,
            collections=kept,
            caching_device=caching_device,
            partitioner=partitioner,
            use_resource=use_resource,
            synchronization=synchronization,
            aggregation=aggregation,
        )


@add_arg_scope
def model_variable(
    name: str,
    shape: Any = None,
    dtype: Any = "float32",
    initializer: Any = None,
    regularizer: Any = None,
    trainable: bool = True,
    collections: Any = None,
    caching_device: Any = None,
    device: Any = None,
    partitioner: Any = None,
    custom_getter: Any = None,
    use_resource: bool | None = None,
    synchronization: Any = VariableSynchronization.AUTO,
    aggregation: Any = VariableAggregationV2.NONE,
) -> Any:
    """Return a variable of the model: also in the collection `MODEL_VARIABLES`."""
    kept = [*(collections or ()), GraphKeys.GLOBAL_VARIABLES, GraphKeys.MODEL_VARIABLES]
    return variable(
        name,
        shape=shape,
        dtype=dtype,
        initializer=initializer,
        regularizer=regularizer,
        trainable=trainable,
        collections=kept,
        caching_device=caching_device,
        device=device,
        partitioner=partitioner,
        custom_getter=custom_getter,
        use_resource=use_resource,
        synchronization=synchronization,
        aggregation=aggregation,
    )


def _made(value: Any, key: str, validate_shape: bool, name: Any, use_resource: Any) -> Any:
    return VariableV1(  # type: ignore[call-arg]  # its metaclass takes use_resource
        value,
        trainable=False,
        collections=[key],
        validate_shape=validate_shape,
        name=name,
        use_resource=use_resource,
    )


def local_variable(
    initial_value: Any,
    validate_shape: bool = True,
    name: str | None = None,
    use_resource: bool | None = None,
) -> Any:
    """Return a variable of this process: not trained, not saved."""
    return _made(initial_value, GraphKeys.LOCAL_VARIABLES, validate_shape, name, use_resource)


def global_variable(
    initial_value: Any,
    validate_shape: bool = True,
    name: str | None = None,
    use_resource: bool | None = None,
) -> Any:
    """Return a variable that is saved, and not trained."""
    return _made(initial_value, GraphKeys.GLOBAL_VARIABLES, validate_shape, name, use_resource)


def add_model_variable(var: Any) -> None:
    """Put a variable among those of the model, once."""
    if not any(var is kept for kept in get_collection(GraphKeys.MODEL_VARIABLES)):
        add_to_collection(GraphKeys.MODEL_VARIABLES, var)


def get_variables(
    scope: Any = None, suffix: str | None = None, collection: Any = GraphKeys.GLOBAL_VARIABLES
) -> list[Any]:
    """Return the variables of a collection under a scope, with names that end in `suffix`."""
    prefix = getattr(scope, "name", scope)
    if suffix is not None:
        suffix = suffix if ":" in suffix else suffix + ":"
        prefix = (prefix or "") + ".*" + suffix
    return get_collection(collection, prefix)


def get_model_variables(scope: Any = None, suffix: str | None = None) -> list[Any]:
    """Return the variables of the model."""
    return get_variables(scope, suffix, GraphKeys.MODEL_VARIABLES)


def get_local_variables(scope: Any = None, suffix: str | None = None) -> list[Any]:
    """Return the variables of this process."""
    return get_variables(scope, suffix, GraphKeys.LOCAL_VARIABLES)


def get_trainable_variables(scope: Any = None, suffix: str | None = None) -> list[Any]:
    """Return the variables that optimizers change."""
    return get_variables(scope, suffix, GraphKeys.TRAINABLE_VARIABLES)


def get_variables_by_suffix(suffix: str, scope: Any = None) -> list[Any]:
    """Return the variables whose names end so."""
    return get_variables(scope, suffix)


def get_variables_by_name(given_name: str, scope: Any = None) -> list[Any]:
    """Return the variables of that name, in whatever scope below."""
    return get_variables(scope, rf"/{given_name}:|^{given_name}:")


def get_unique_variable(var_op_name: str) -> Any:
    """Return the one variable of that full name."""
    candidates = [v for v in get_variables(var_op_name) if v.op.name == var_op_name]
    if not candidates:
        raise ValueError(f"Couldn't find variable {var_op_name}")
    if len(candidates) > 1:
        raise ValueError(f"Variable {var_op_name} does not uniquely identify a variable")
    return candidates[0]


def get_variable_full_name(var: Any) -> str:
    """Return the name a variable has in checkpoints."""
    info = getattr(var, "_save_slice_info", None)
    full_name: str = info.full_name if info is not None else var.op.name
    return full_name


def get_variables_to_restore(
    include: list[str] | None = None, exclude: list[str] | None = None
) -> list[Any]:
    """Return the variables of some scopes, without those of others."""
    for given in (include, exclude):
        if given is not None and not isinstance(given, (list, tuple)):
            raise TypeError("include must be a list" if given is include else "must be a list")
    if include is None:
        wanted = get_variables()
    else:
        wanted = [var for scope in include for var in get_variables(scope)]
    left_out = {id(var) for scope in exclude or () for var in get_variables(scope)}
    return [var for var in wanted if id(var) not in left_out]


def filter_variables(
    var_list: list[Any],
    include_patterns: Any = None,
    exclude_patterns: Any = None,
    reg_search: bool = True,
) -> list[Any]:
    """Return the variables whose names match some patterns and none of others."""
    match = re.search if reg_search else re.match

    def is_one(var: Any, patterns: Any) -> bool:
        return any(match(pattern, var.op.name) for pattern in patterns)

    wanted = include_patterns or [""]
    kept = [var for var in var_list if is_one(var, wanted)]
    return [var for var in kept if not is_one(var, exclude_patterns or ())]


def assert_or_get_global_step(graph: Any = None, global_step_tensor: Any = None) -> Any:
    """Return the global step, after a check that it is one."""
    if global_step_tensor is None:
        global_step_tensor = steps.get_global_step(graph)
    else:
        steps.assert_global_step(global_step_tensor)
    return global_step_tensor


class VariableDeviceChooser:
    """Says on which device the next variable goes: in turn over the tasks of a job."""

    def __init__(
        self,
        num_tasks: int = 0,
        job_name: str = "ps",
        device_type: str = "CPU",
        device_index: int = 0,
        replica: int | None = None,
    ) -> None:
        self._job_name, self._device_type = job_name, device_type
        self._device_index, self._replica = device_index, replica
        self._num_tasks, self._next = num_tasks, 0

    def __call__(self, op: Any) -> str:
        """Return the device of the next variable."""
        place: dict[str, Any] = {
            "device_type": self._device_type,
            "device_index": self._device_index,
            "replica": self._replica,
        }
        if self._num_tasks > 0:
            place.update(job=self._job_name, task=self._next)
            self._next = (self._next + 1) % self._num_tasks
        return DeviceSpecV2(**place).to_string()


def zero_initializer(ref: Any, use_locking: bool = True, name: str = "zero_initializer") -> Any:
    """Return an operation that fills a variable with zeros."""
    with tf.name_scope(name):
        return ref.assign(tf.zeros(ref.shape, ref.dtype.base_dtype))
