"""What contrib's layers share: scopes, names of variables, collections of outputs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from placewise.contrib.framework.variables import model_variable
from placewise.core.dtypes import DType
from placewise.core.shapes import TensorShape
from placewise.core.tensor import Tensor
from placewise.graph.collections import add_to_collection, add_to_collections
from placewise.graph.defaults import get_default_graph
from placewise.graph.variable_scope import VariableScope, variable_scope
from placewise.ops.state.variable import VariableAggregationV2, VariableSynchronization

RENAMED = {"kernel": "weights", "bias": "biases"}


def layer_getter(renamed: dict[str, str] | None = None) -> Callable[..., Any]:
    """Return what makes a layer's variables: under other names, and as variables of the model."""
    names = RENAMED if renamed is None else renamed

    def get(
        getter: Callable[..., Any],
        name: str,
        shape: TensorShape | None = None,
        dtype: DType | None = None,
        initializer: Any = None,
        regularizer: Any = None,
        trainable: bool = True,
        collections: list[Any] | None = None,
        caching_device: Any = None,
        partitioner: Any = None,
        use_resource: Any = None,
        synchronization: Any = VariableSynchronization.AUTO,
        aggregation: Any = VariableAggregationV2.NONE,
        **_: object,
    ) -> Any:
        scope, _slash, own = name.rpartition("/")
        full = "/".join(part for part in (scope, names.get(own, own)) if part)
        return model_variable(
            full,
            shape=shape,
            dtype=dtype,
            initializer=initializer,
            regularizer=regularizer,
            trainable=trainable,
            collections=collections,
            caching_device=caching_device,
            partitioner=partitioner,
            custom_getter=getter,
            use_resource=use_resource,
            synchronization=synchronization,
            aggregation=aggregation,
        )

    return get


@contextmanager
def layer_scope(
    scope: Any, default: str, inputs: Any, reuse: Any = None, renamed: dict[str, str] | None = None
) -> Iterator[Any]:
    """Open the scope of a layer whose variables get contrib's names."""
    with variable_scope(
        scope, default, [inputs], reuse=reuse, custom_getter=layer_getter(renamed)
    ) as opened:
        yield opened


def variable_collections(given: Any, name: str) -> Any:
    """Return the collections for variables of one kind: a list for all, or by kind."""
    return given.get(name) if isinstance(given, dict) else given


def collect_variable(var: Any, given: Any, name: str) -> None:
    """Put a variable into the collections the caller asked for."""
    for key in variable_collections(given, name) or ():
        for part in var if isinstance(var, list) else [var]:
            add_to_collection(key, part)


def aliases_of(tensor: Tensor) -> list[str]:
    """Return the names a tensor is collected under."""
    graph = get_default_graph()
    found: dict[int, list[str]] = graph.__dict__.setdefault("tensor_aliases", {})
    return found.setdefault(id(tensor), [])


def collect_outputs(collections: Any, alias: str, outputs: Any) -> Any:
    """Return outputs, put into collections under the name of their scope."""
    if collections:
        names = aliases_of(outputs)
        if alias not in names:
            names.append(alias)
        add_to_collections(collections, outputs)
    return outputs


def finish(
    layer_outputs: Tensor,
    activation_fn: Callable[..., Any] | None,
    outputs_collections: str | None,
    opened: VariableScope,
) -> Any:
    """Return what a layer gives: activated, and collected under the scope's name."""
    if activation_fn is not None:
        layer_outputs = activation_fn(layer_outputs)
    return collect_outputs(outputs_collections, opened.original_name_scope, layer_outputs)


def own_variable(name: str, shape: Any, collections: Any = None, **kwargs: Any) -> Any:
    """Return a variable of the model under the scope in force."""
    return model_variable(
        name, shape=shape, collections=variable_collections(collections, name), **kwargs
    )
