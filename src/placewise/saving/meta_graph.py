"""Meta graphs: a graph with its collections and its saver, written to a file and read again."""

from __future__ import annotations

import logging
import os
from typing import Any

from placewise import messages
from placewise.graph.attributes import to_message
from placewise.graph.defaults import get_default_graph
from placewise.graph.graph import Graph
from placewise.graph.graph_def import import_graph_def
from placewise.ops.checkpoint.bundle_writer import write_durably
from placewise.ops.declare import REGISTRY, REQUIRED
from placewise.ops.io import paths
from placewise.saving.collection_defs import add_collection, read_collections
from placewise.saving.op_list import stripped_op_list
from placewise.saving.saveable import is_eager
from placewise.saving.saver import Saver

_log = logging.getLogger("tensorflow")
UNBOUND_INPUTS = "unbound_inputs"
_VERSION = "1.15.5"


def export_meta_graph(
    filename: Any = None,
    meta_info_def: Any = None,
    graph_def: Any = None,
    saver_def: Any = None,
    collection_list: Any = None,
    as_text: bool = False,
    graph: Any = None,
    export_scope: str | None = None,
    clear_devices: bool = False,
    clear_extraneous_savers: bool = False,
    strip_default_attrs: bool = False,
    save_debug_info: bool = False,
    **kwargs: Any,
) -> Any:
    """Return a graph with its collections as a MetaGraphDef; write it to `filename` if given."""
    made, _ = export_scoped_meta_graph(
        filename=filename,
        graph_def=graph_def,
        graph=graph,
        export_scope=export_scope,
        as_text=as_text,
        clear_devices=clear_devices,
        clear_extraneous_savers=clear_extraneous_savers,
        saver_def=saver_def,
        meta_info_def=meta_info_def,
        collection_list=collection_list,
        strip_default_attrs=strip_default_attrs,
        **kwargs,
    )
    return made


def export_scoped_meta_graph(
    filename: Any = None,
    graph_def: Any = None,
    graph: Any = None,
    export_scope: str | None = None,
    as_text: bool = False,
    unbound_inputs_col_name: str = UNBOUND_INPUTS,
    clear_devices: bool = False,
    saver_def: Any = None,
    clear_extraneous_savers: bool = False,
    strip_default_attrs: bool = False,
    save_debug_info: bool = False,
    meta_info_def: Any = None,
    collection_list: Any = None,
    **kwargs: Any,
) -> tuple[Any, dict[str, Any]]:
    """Return the part of a graph under a name scope as a MetaGraphDef, and its variables."""
    graph = get_default_graph() if graph is None else graph
    unbound: list[str] = []
    scope = export_scope.rstrip("/") if export_scope else None
    if graph_def is None:
        graph_def = graph.as_graph_def(add_shapes=True)
        if scope:
            graph_def = _inside(graph_def, scope, unbound)
        if clear_devices:
            for node in graph_def.node:
                node.device = ""
    else:
        copy = messages.GraphDef()
        copy.CopyFrom(graph_def)
        graph_def = copy
    if clear_extraneous_savers:
        _drop_other_savers(graph_def, saver_def)
    meta = messages.MetaGraphDef()
    if meta_info_def is not None:
        meta.meta_info_def.CopyFrom(meta_info_def)
    if not meta.meta_info_def.tensorflow_version:
        meta.meta_info_def.tensorflow_version = _VERSION
        meta.meta_info_def.tensorflow_git_version = "unknown"
    if strip_default_attrs:
        _strip_defaults(graph_def)
        meta.meta_info_def.stripped_default_attrs = True
    meta.graph_def.CopyFrom(graph_def)
    if not meta.meta_info_def.HasField("stripped_op_list"):
        meta.meta_info_def.stripped_op_list.CopyFrom(stripped_op_list(graph_def))
    if saver_def is not None:
        meta.saver_def.CopyFrom(saver_def)
    variables: dict[str, Any] = {}
    keys = graph.get_all_collection_keys() if collection_list is None else list(collection_list)
    for key in keys:
        if clear_extraneous_savers and key == "savers":
            continue
        add_collection(meta, key, graph.get_collection(key), scope)
        if key == "variables":
            variables = {v.op.name: v for v in graph.get_collection(key, scope)}
    if unbound:
        add_collection(meta, unbound_inputs_col_name, unbound, None)
    if filename:
        write_graph_message(meta, filename, as_text)
    return meta, variables


def write_graph_message(message: Any, filename: Any, as_text: bool) -> None:
    """Write a message to a file, all or nothing, as bytes or as text."""
    from google.protobuf import text_format  # noqa: PLC0415 - keeps protobuf out

    path = paths.local_path(filename)
    folder = os.path.dirname(path)
    if folder:
        with paths.told(folder):
            os.makedirs(folder, exist_ok=True)
    if as_text:
        data = text_format.MessageToString(message).encode()
    else:
        data = message.SerializeToString(deterministic=True)
    write_durably(path, data)


def _inside(graph_def: Any, scope: str, unbound: list[str]) -> Any:
    """Return the nodes under a scope, their names without it; other inputs become unbound ones."""
    made = messages.GraphDef()
    made.versions.CopyFrom(graph_def.versions)
    made.library.CopyFrom(graph_def.library)
    start = f"{scope}/"
    for node in graph_def.node:
        if not node.name.startswith(start):
            continue
        new = made.node.add()
        new.CopyFrom(node)
        new.name = node.name[len(start) :]
        for index, text in enumerate(node.input):
            mark, name = ("^", text[1:]) if text.startswith("^") else ("", text)
            if name.startswith(start):
                new.input[index] = mark + name[len(start) :]
            else:
                new.input[index] = f"{mark}$unbound_inputs_{name}"
                if not mark:
                    unbound.append(new.input[index])
        if "_class" in new.attr:
            groups = [each.decode() for each in new.attr["_class"].list.s]
            new.attr["_class"].list.s[:] = [
                each.replace(f"loc:@{start}", "loc:@").encode() for each in groups
            ]
    return made


def _strip_defaults(graph_def: Any) -> None:
    for node in graph_def.node:
        declared = REGISTRY.get(node.op)
        for attr in declared.attrs if declared else ():
            if attr.default is REQUIRED or attr.name not in node.attr:
                continue
            if attr.default is None and attr.kind != "shape":
                continue
            if node.attr[attr.name] == to_message(attr.kind, attr.default):
                del node.attr[attr.name]


def _drop_other_savers(graph_def: Any, saver_def: Any) -> None:
    """Take out the nodes of savers that are not `saver_def`'s."""
    own = saver_def.save_tensor_name.partition("/")[0] if saver_def is not None else None
    scopes = {
        node.name.rpartition("/")[0]
        for node in graph_def.node
        if node.op in ("SaveV2", "SaveSlices") and "/" in node.name
    } - {own}
    kept = [node for node in graph_def.node if node.name.partition("/")[0] not in scopes]
    copies = [messages.NodeDef.FromString(node.SerializeToString()) for node in kept]
    del graph_def.node[:]
    graph_def.node.extend(copies)


def read_meta_graph_file(filename: Any) -> Any:
    """Return the MetaGraphDef that a file holds, as bytes or as text."""
    from google.protobuf import text_format  # noqa: PLC0415 - keeps protobuf out
    from google.protobuf.message import DecodeError  # noqa: PLC0415 - keeps protobuf out

    path = paths.local_path(filename)
    if not os.path.exists(path):
        raise OSError(f"File {filename} does not exist.")
    data = paths.read(path)
    try:
        return messages.MetaGraphDef.FromString(data)
    except DecodeError:
        pass
    try:
        return text_format.Parse(data.decode(), messages.MetaGraphDef())
    except (text_format.ParseError, UnicodeDecodeError) as problem:
        raise OSError(f"Cannot parse file {filename}: {problem}.") from None


def import_meta_graph(
    meta_graph_or_file: Any,
    clear_devices: bool = False,
    import_scope: str | None = None,
    **kwargs: Any,
) -> Any:
    """Add a meta graph to the default graph; return its saver, or None if it saves nothing."""
    return import_with_elements(meta_graph_or_file, clear_devices, import_scope, **kwargs)[0]


def import_with_elements(
    meta_graph_or_file: Any,
    clear_devices: bool = False,
    import_scope: str | None = None,
    return_elements: Any = None,
    **kwargs: Any,
) -> tuple[Any, Any]:
    """Add a meta graph to the default graph; return its saver and the elements asked for."""
    if is_eager():
        raise RuntimeError(
            "Exporting/importing meta graphs is not supported when eager execution is enabled. No "
            "graph exists when eager execution is enabled."
        )
    meta = meta_graph_or_file
    if not isinstance(meta, messages.MetaGraphDef):
        meta = read_meta_graph_file(meta)
    variables, elements = import_scoped_meta_graph(
        meta,
        clear_devices=clear_devices,
        import_scope=import_scope,
        return_elements=return_elements,
        **kwargs,
    )
    if meta.HasField("saver_def"):
        scope = import_scope
        if variables:
            first = min(variables)
            own = variables[first].op.name
            if own.endswith(first) and own != first:
                scope = own[: -len(first) - 1]
        saver_def = messages.SaverDef()
        saver_def.CopyFrom(meta.saver_def)
        return Saver(saver_def=saver_def, name=scope), elements
    if variables:
        return Saver(), elements
    _log.info("Saver not created because there are no variables in the graph to restore")
    return None, elements


def import_scoped_meta_graph(
    meta_graph_or_file: Any,
    clear_devices: bool = False,
    graph: Any = None,
    import_scope: str | None = None,
    input_map: Any = None,
    unbound_inputs_col_name: str = UNBOUND_INPUTS,
    restore_collections_predicate: Any = None,
    return_elements: Any = None,
) -> tuple[dict[str, Any], Any]:
    """Add a meta graph to a graph; return its variables by name, and the elements asked for."""
    meta = meta_graph_or_file
    if not isinstance(meta, messages.MetaGraphDef):
        meta = read_meta_graph_file(meta)
    if unbound_inputs_col_name:
        _check_inputs(meta, unbound_inputs_col_name, input_map)
    target: Graph = get_default_graph() if graph is None else graph
    with target.as_default():
        graph_def = messages.GraphDef()
        graph_def.CopyFrom(meta.graph_def)
        if clear_devices:
            for node in graph_def.node:
                node.device = ""
        _drop_newer_attributes(graph_def, meta.meta_info_def.stripped_op_list)
        scope = target.unique_name(import_scope, mark_as_used=False) if import_scope else ""
        found = import_graph_def(
            graph_def,
            name=import_scope or "",
            input_map=input_map,
            return_elements=return_elements,
        )
        variables = read_collections(meta, target, scope, restore_collections_predicate)
    return variables, found


def _check_inputs(meta: Any, name: str, input_map: Any) -> None:
    if name not in meta.collection_def:
        return
    wanted = {each.decode() for each in meta.collection_def[name].bytes_list.value}
    missing = sorted(each for each in wanted if each not in (input_map or {}))
    if missing and not input_map:
        raise ValueError(
            f"Graph contains unbound inputs: {missing}. Must provide these inputs "
            "through input_map."
        )


def _drop_newer_attributes(graph_def: Any, producer: Any) -> None:
    """Take out attributes that no op here has, where the writer's op says they are the default."""
    defaults = {
        (op.name, attr.name): attr.default_value
        for op in producer.op
        for attr in op.attr
        if attr.HasField("default_value")
    }
    for node in graph_def.node:
        declared = REGISTRY.get(node.op)
        if declared is None:
            continue
        known = set(declared.attr_names)
        for name in list(node.attr):
            if name.startswith("_") or name in known or (node.op, name) not in defaults:
                continue
            if node.attr[name] == defaults[node.op, name]:
                del node.attr[name]


def write_graph(graph_or_graph_def: Any, logdir: Any, name: str, as_text: bool = True) -> str:
    """Write a graph to a file as a GraphDef; return the file's path."""
    graph_def = graph_or_graph_def
    if hasattr(graph_def, "as_graph_def"):
        graph_def = graph_def.as_graph_def()
    path = os.path.join(os.fspath(logdir), name)
    write_graph_message(graph_def, path, as_text)
    return path
