"""A graph's collections as CollectionDef messages, and back."""

from __future__ import annotations

import importlib
import logging
from collections.abc import Callable
from typing import Any, NamedTuple

from placewise import messages
from placewise.graph.collections import GraphKeys
from placewise.graph.operation import Operation
from placewise.graph.tensor import GraphTensor
from placewise.graph.variable import VariableV1

_log = logging.getLogger("tensorflow")


class ProtoFunctions(NamedTuple):
    """How the members of a collection become messages and come back."""

    proto_type: Any
    to_proto: Callable[..., Any] | None
    from_proto: Callable[..., Any] | None


# Collections whose members have `to_proto` and `from_proto`: message and class.
_KNOWN: dict[str, tuple[str, str]] = {
    **dict.fromkeys(
        [
            GraphKeys.GLOBAL_VARIABLES,
            GraphKeys.TRAINABLE_VARIABLES,
            GraphKeys.LOCAL_VARIABLES,
            GraphKeys.MODEL_VARIABLES,
            GraphKeys.MOVING_AVERAGE_VARIABLES,
            GraphKeys.GLOBAL_STEP,
            GraphKeys.EVAL_STEP,
            GraphKeys.METRIC_VARIABLES,
        ],
        ("VariableDef", "placewise.graph.variable:VariableV1"),
    ),
    GraphKeys.SAVERS: ("SaverDef", "placewise.saving.saver:Saver"),
    GraphKeys.QUEUE_RUNNERS: ("QueueRunnerDef", "placewise.training.queue_runner:QueueRunner"),
}
_VARIABLES = frozenset(name for name, (kind, _) in _KNOWN.items() if kind == "VariableDef")


def _functions(name: str) -> ProtoFunctions | None:
    if name not in _KNOWN:
        return None
    message, place = _KNOWN[name]
    module, _, kind = place.partition(":")
    owner = getattr(importlib.import_module(module), kind)
    return ProtoFunctions(getattr(messages, message), _to_proto, owner.from_proto)


def _to_proto(item: Any, export_scope: str | None = None) -> Any:
    return item.to_proto(export_scope=export_scope)


def add_collection(meta: Any, key: Any, members: list[Any], scope: str | None) -> None:
    """Add a collection to a MetaGraphDef; one that cannot be written is left out, and said."""
    if not isinstance(key, str):
        return
    made = messages.CollectionDef()
    try:
        _fill(made, key, members, scope)
    except (TypeError, ValueError, AttributeError) as problem:
        _log.warning(
            "Issue encountered when serializing %s.\nType is unsupported, or the types of the "
            "items don't match field type in CollectionDef. Note this is a warning and probably "
            "safe to ignore.\n%s",
            key,
            problem,
        )
        meta.collection_def.pop(key, None)
        return
    if made.WhichOneof("kind") is None and scope:
        return
    meta.collection_def[key].CopyFrom(made)


def _fill(made: Any, key: str, members: list[Any], scope: str | None) -> None:
    functions = _functions(key)
    if functions is not None and functions.to_proto is not None:
        made.bytes_list.SetInParent()
        for item in members:
            proto = functions.to_proto(item, export_scope=scope)
            if proto is not None:
                made.bytes_list.value.append(proto.SerializeToString())
        return
    if not members:
        made.node_list.SetInParent()
        return
    first = members[0]
    if isinstance(first, (str, bytes)):
        values = [each if isinstance(each, bytes) else each.encode() for each in members]
        made.bytes_list.value.extend(values)
    elif isinstance(first, int):
        made.int64_list.value.extend(members)
    elif isinstance(first, float):
        made.float_list.value.extend(members)
    else:
        for item in members:
            name = item.name
            if not isinstance(item, (GraphTensor, Operation, VariableV1)) and not isinstance(
                name, str
            ):
                raise TypeError(f"cannot write {item!r}")
            if scope and not name.startswith(f"{scope}/"):
                continue
            made.node_list.value.append(name.removeprefix(f"{scope}/") if scope else name)


def read_collections(
    meta: Any, graph: Any, scope: str, wanted: Callable[[str], bool] | None
) -> dict[str, Any]:
    """Put the collections of a MetaGraphDef into a graph; return its variables by name."""
    made: dict[bytes, Any] = {}  # a variable in several collections is one variable
    variables: dict[str, Any] = {}
    for key in sorted(meta.collection_def):
        if wanted is not None and not wanted(key):
            continue
        collection = meta.collection_def[key]
        kind = collection.WhichOneof("kind")
        if kind is None:
            _log.error("Cannot identify data type for collection %s. Skipping.", key)
            continue
        functions = _functions(key)
        if functions is not None and functions.from_proto is not None and kind == "bytes_list":
            for data in collection.bytes_list.value:
                value = made.get(data) if key in _VARIABLES else None
                if value is None:
                    proto = functions.proto_type.FromString(data)
                    value = functions.from_proto(proto, import_scope=scope or None)
                    made[data] = value
                graph.add_to_collection(key, value)
                if key == GraphKeys.GLOBAL_VARIABLES:
                    name = value.op.name
                    variables[name.removeprefix(f"{scope}/") if scope else name] = value
            continue
        for value in getattr(collection, kind).value:
            if kind == "node_list":
                name = f"{scope}/{value}" if scope else value
                graph.add_to_collection(key, graph.as_graph_element(name))
            elif kind == "int64_list":
                graph.add_to_collection(key, int(value))
            else:
                graph.add_to_collection(key, value)
    return variables
