"""Collections of a graph by TensorFlow's keys, and what is done with all variables in one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from placewise.core import dtypes
from placewise.core.names import name_scope
from placewise.core.scope import Scope, current
from placewise.eager.device_scope import device
from placewise.graph.defaults import get_default_graph
from placewise.ops.array.concat import stack
from placewise.ops.array.creation import constant
from placewise.ops.array.shape import rank
from placewise.ops.array.where import boolean_mask
from placewise.ops.flow.order import group, no_op
from placewise.ops.math.logic import logical_not
from placewise.ops.state import reference


class GraphKeys:
    """The names of the collections that TensorFlow's own functions use."""

    GLOBAL_VARIABLES = "variables"
    VARIABLES = "variables"
    LOCAL_VARIABLES = "local_variables"
    METRIC_VARIABLES = "metric_variables"
    MODEL_VARIABLES = "model_variables"
    TRAINABLE_VARIABLES = "trainable_variables"
    SUMMARIES = "summaries"
    QUEUE_RUNNERS = "queue_runners"
    TABLE_INITIALIZERS = "table_initializer"
    ASSET_FILEPATHS = "asset_filepaths"
    MOVING_AVERAGE_VARIABLES = "moving_average_variables"
    REGULARIZATION_LOSSES = "regularization_losses"
    CONCATENATED_VARIABLES = "concatenated_variables"
    SAVERS = "savers"
    WEIGHTS = "weights"
    BIASES = "biases"
    ACTIVATIONS = "activations"
    UPDATE_OPS = "update_ops"
    LOSSES = "losses"
    SAVEABLE_OBJECTS = "saveable_objects"
    RESOURCES = "resources"
    LOCAL_RESOURCES = "local_resources"
    TRAINABLE_RESOURCE_VARIABLES = "trainable_resource_variables"
    INIT_OP = "init_op"
    LOCAL_INIT_OP = "local_init_op"
    READY_OP = "ready_op"
    READY_FOR_LOCAL_INIT_OP = "ready_for_local_init_op"
    SUMMARY_OP = "summary_op"
    GLOBAL_STEP = "global_step"
    EVAL_STEP = "eval_step"
    TRAIN_OP = "train_op"
    COND_CONTEXT = "cond_context"
    WHILE_CONTEXT = "while_context"
    _SUMMARY_COLLECTION = "_SUMMARY_V2"
    _STREAMING_MODEL_PORTS = "streaming_model_ports"
    _VARIABLE_COLLECTIONS = (
        GLOBAL_VARIABLES,
        LOCAL_VARIABLES,
        METRIC_VARIABLES,
        MODEL_VARIABLES,
        TRAINABLE_VARIABLES,
        MOVING_AVERAGE_VARIABLES,
        CONCATENATED_VARIABLES,
        TRAINABLE_RESOURCE_VARIABLES,
    )


GraphKeys.__module__ = "tensorflow.python.framework.ops"


def add_to_collection(name: str, value: Any) -> None:
    """Put a value into a collection of the default graph."""
    get_default_graph().add_to_collection(name, value)


def add_to_collections(names: Any, value: Any) -> None:
    """Put a value into several collections of the default graph."""
    get_default_graph().add_to_collections(names, value)


def get_collection(key: str, scope: str | None = None) -> list[Any]:
    """Return the list of what is in a collection of the default graph.

    `key`: the name of the collection, such as one of `tf.compat.v1.GraphKeys`.
    `scope`: keep only what has a name that begins so (a regular expression).

    The list is a copy. A collection that nobody added to is empty.

    >>> with tf.Graph().as_default():
    ...     tf.compat.v1.add_to_collection("losses", 0.5)
    ...     tf.compat.v1.get_collection("losses")
    [0.5]
    """
    return get_default_graph().get_collection(key, scope)


def get_collection_ref(key: str) -> list[Any]:
    """Return a collection of the default graph itself; changes to the list are kept."""
    return get_default_graph().get_collection_ref(key)


def global_variables(scope: str | None = None) -> list[Any]:
    """Return the list of variables that are shared among devices, and saved.

    `scope`: keep only those whose name begins so (a regular expression).

    >>> with tf.Graph().as_default():
    ...     w = tf.compat.v1.get_variable("layer/w", [2])
    ...     [variable.name for variable in tf.compat.v1.global_variables("layer")]
    ['layer/w:0']
    """
    return get_collection(GraphKeys.GLOBAL_VARIABLES, scope)


def all_variables() -> list[Any]:
    """Return what `global_variables` does."""
    return global_variables()


def local_variables(scope: str | None = None) -> list[Any]:
    """Return the variables that belong to this process and are not saved."""
    return get_collection(GraphKeys.LOCAL_VARIABLES, scope)


def model_variables(scope: str | None = None) -> list[Any]:
    """Return the variables of the model, as layers collect them."""
    return get_collection(GraphKeys.MODEL_VARIABLES, scope)


def trainable_variables(scope: str | None = None) -> list[Any]:
    """Return the list of variables that optimizers change.

    `scope`: keep only those whose name begins so (a regular expression).

    >>> with tf.Graph().as_default():
    ...     w = tf.compat.v1.get_variable("w", [2])
    ...     step = tf.compat.v1.get_variable("step", [], trainable=False)
    ...     [variable.name for variable in tf.compat.v1.trainable_variables()]
    ['w:0']
    """
    return get_collection(GraphKeys.TRAINABLE_VARIABLES, scope)


def moving_average_variables(scope: str | None = None) -> list[Any]:
    """Return the variables that moving averages are kept of."""
    return get_collection(GraphKeys.MOVING_AVERAGE_VARIABLES, scope)


def variables_initializer(var_list: Sequence[Any], name: str = "init") -> Any:
    """Return an operation that gives all these variables their first values."""
    if var_list and current.interpreter is not Scope.eager:
        return group(*[variable.initializer for variable in var_list], name=name)
    return no_op(name=name)


def global_variables_initializer() -> Any:
    """Return an operation that gives all global variables of the graph their initial values.

    Run it once in each session, before anything reads a variable. Variables whose initial value
    reads another are initialised in order.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     w = tf.compat.v1.get_variable("w", [2], initializer=tf.zeros_initializer())
    ...     session.run(tf.compat.v1.global_variables_initializer())
    ...     session.run(w)
    array([0., 0.], dtype=float32)
    """
    if current.interpreter is Scope.eager:
        return no_op(name="global_variables_initializer")
    return variables_initializer(global_variables())


def local_variables_initializer() -> Any:
    """Return an operation that gives all local variables their first values."""
    if current.interpreter is Scope.eager:
        return no_op(name="local_variables_initializer")
    return variables_initializer(local_variables())


def tables_initializer(name: str = "init_all_tables") -> Any:
    """Return an operation that fills all tables."""
    collection = get_collection(GraphKeys.TABLE_INITIALIZERS)
    if collection and current.interpreter is not Scope.eager:
        return group(*collection, name=name)
    return no_op(name=name)


def initialize_all_variables() -> Any:
    """Return an operation that gives all global variables their initial values.

    The former name of `global_variables_initializer`.

    >>> with tf.Graph().as_default():
    ...     tf.compat.v1.initialize_all_variables().type
    'NoOp'
    """
    return global_variables_initializer()


def initialize_local_variables() -> Any:
    """Return what `local_variables_initializer` does."""
    return local_variables_initializer()


def initialize_variables(var_list: Sequence[Any], name: str = "init") -> Any:
    """Return what `variables_initializer` does."""
    return variables_initializer(var_list, name=name)


def initialize_all_tables(name: str = "init_all_tables") -> Any:
    """Return what `tables_initializer` does."""
    return tables_initializer(name)


def is_variable_initialized(variable: Any, name: str | None = None) -> Any:
    """Return a bool tensor: whether a variable is initialized."""
    if getattr(variable.dtype, "_is_ref", False):
        holder = variable._ref() if hasattr(variable, "_ref") else variable
        return reference.is_initialized(holder, name)
    return variable.is_initialized(name)


def report_uninitialized_variables(
    var_list: Sequence[Any] | None = None, name: str = "report_uninitialized_variables"
) -> Any:
    """Return a tensor with the names of the variables that have no value yet."""
    if var_list is None:
        var_list = global_variables() + local_variables()
    with name_scope(name):
        known = [is_variable_initialized(variable) for variable in var_list]
        with device("/cpu:0"):
            if not var_list:
                return constant([], dtypes.string)
            missing = logical_not(stack(known))
            return boolean_mask(constant([item.op.name for item in var_list]), missing)


def assert_variables_initialized(var_list: Any = None) -> Any:
    """Return a tensor whose computing fails unless the variables have values, or None."""
    if var_list is None:
        var_list = global_variables() + local_variables()
    if not var_list:
        return None
    ranks = []
    for variable in var_list:
        with variable.graph.colocate_with(variable.op):
            ranks.append(rank.bind(variable))
    return ranks[0] if len(ranks) == 1 else stack(ranks)
