"""What metrics keep between runs: local variables, and how a value and its update come of them."""

from __future__ import annotations

import contextlib
import functools
import inspect
from collections.abc import Callable
from typing import Any

from placewise.core import dtypes
from placewise.graph.defaults import get_default_graph
from placewise.graph.variable import VariableV1
from placewise.graph.variable_scope import variable_scope
from placewise.layers.choices import ZEROS
from placewise.layers.loss_weights import is_eager
from placewise.ops.math.arithmetic import maximum
from placewise.ops.math.division import divide_no_nan
from placewise.ops.state.variable import VariableAggregationV2, VariableSynchronization

_COLLECTIONS = ("local_variables", "metric_variables")


def only_in_graphs(metric: str) -> None:
    """Raise RuntimeError where ops run at once: there these metrics have no meaning."""
    if is_eager():
        raise RuntimeError(f"tf.metrics.{metric} is not supported when eager execution is enabled.")


def metric(
    scope: str | Callable[[dict[str, Any]], str] | None, called: str | None = None
) -> Callable[[Any], Any]:
    """Return a decorator for functions that compute a metric's value and update.

    Around them it refuses eager mode, opens a variable scope, and puts both results into the
    collections. `scope` is the scope's name, or makes it from the arguments; without one, the
    function opens a scope itself. `called` is the name in the refusal, if it is another.
    """

    def declare(compute: Callable[..., tuple[Any, Any]]) -> Any:
        signature = inspect.signature(compute)

        @functools.wraps(compute)
        def wrapper(*args: Any, **kwargs: Any) -> tuple[Any, Any]:
            only_in_graphs(called or compute.__name__)
            bound = signature.bind(*args, **kwargs)
            bound.apply_defaults()
            arguments = bound.arguments
            with contextlib.ExitStack() as opened:
                if scope is not None:
                    default = scope if isinstance(scope, str) else scope(arguments)
                    tensors = [arguments[key] for key in _TENSORS if key in arguments]
                    opened.enter_context(variable_scope(arguments["name"], default, tensors))
                value, update = compute(*bound.args, **bound.kwargs)
                collections = arguments["metrics_collections"], arguments["updates_collections"]
                return published(value, update, *collections)

        return wrapper

    return declare


# The arguments of metrics that are tensors.
_TENSORS = ("predictions", "predictions_idx", "labels", "values", "weights")


def metric_variable(shape: Any, dtype: Any, name: str) -> Any:
    """Return a variable of zeros that belongs to a metric and is never trained."""
    return VariableV1(
        lambda: ZEROS(shape, dtype=dtype),
        trainable=False,
        collections=list(_COLLECTIONS),
        name=name,
        synchronization=VariableSynchronization.ON_READ,
        aggregation=VariableAggregationV2.SUM,
    )


def counter(name: str, dtype: Any = dtypes.float32) -> Any:
    """Return a metric variable that holds one number."""
    return metric_variable([], dtype, name)


def published(
    value: Any, update: Any, metrics_collections: Any, updates_collections: Any
) -> tuple[Any, Any]:
    """Return a metric's value and update, after putting them into the collections asked for."""
    graph = get_default_graph()
    for names, made in ((metrics_collections, value), (updates_collections, update)):
        if names:
            graph.add_to_collections(names, made)
    return value, update


def both(compute: Callable[..., Any], now: Any, updated: Any) -> tuple[Any, Any]:
    """Return what `compute` makes of the variables, and of their updates."""
    return compute(*now, name="value"), compute(*updated, name="update_op")


def ratio(total: Any, count: Any, name: str | None = None) -> Any:
    """Return total by count, zero where the count is not positive."""
    return divide_no_nan(total, maximum(count, 0), name=name)
