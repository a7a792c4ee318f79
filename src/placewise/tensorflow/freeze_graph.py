"""`tensorflow.python.tools.freeze_graph`: a graph and its checkpoint as one GraphDef."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from google.protobuf import text_format

from placewise import messages
from placewise.api import v1


def _parsed(message: Any, path: str, is_binary: bool) -> Any:
    content = Path(path).read_bytes()
    if is_binary:
        message.ParseFromString(content)
    else:
        text_format.Merge(content.decode(), message)
    return message


def freeze_graph(
    input_graph: str,
    input_saver: str,
    input_binary: bool,
    input_checkpoint: str,
    output_node_names: str,
    restore_op_name: str | None,
    filename_tensor_name: str | None,
    output_graph: str,
    clear_devices: bool,
    initializer_nodes: str,
    variable_names_whitelist: str = "",
    variable_names_blacklist: str = "",
    input_meta_graph: str | None = None,
    input_saved_model_dir: str | None = None,
    saved_model_tags: str = "serve",
    checkpoint_version: int = 2,
) -> Any:
    """Write and return a graph whose variables are constants: the values of a checkpoint."""
    graph_def = saver_def = meta_graph_def = None
    if input_saved_model_dir:
        pass
    elif input_meta_graph:
        meta_graph_def = _parsed(messages.MetaGraphDef(), input_meta_graph, input_binary)
    elif input_graph:
        graph_def = _parsed(messages.GraphDef(), input_graph, input_binary)
    if input_saver:
        saver_def = _parsed(messages.SaverDef(), input_saver, input_binary)
    return freeze_graph_with_def_protos(
        graph_def,
        saver_def,
        input_checkpoint,
        output_node_names,
        restore_op_name,
        filename_tensor_name,
        output_graph,
        clear_devices,
        initializer_nodes,
        variable_names_whitelist,
        variable_names_blacklist,
        meta_graph_def,
        input_saved_model_dir,
        saved_model_tags.split(","),
        checkpoint_version,
    )


def freeze_graph_with_def_protos(
    input_graph_def: Any,
    input_saver_def: Any,
    input_checkpoint: str,
    output_node_names: str,
    restore_op_name: str | None,
    filename_tensor_name: str | None,
    output_graph: str,
    clear_devices: bool,
    initializer_nodes: str,
    variable_names_whitelist: str = "",
    variable_names_blacklist: str = "",
    input_meta_graph_def: Any = None,
    input_saved_model_dir: str | None = None,
    saved_model_tags: Any = None,
    checkpoint_version: int = 2,
) -> Any:
    """Return a graph whose variables are constants, and write it to `output_graph` if named."""
    if not output_node_names:
        raise ValueError("You need to supply the name of a node to --output_node_names.")
    if not input_saved_model_dir and not v1.train.checkpoint_exists(input_checkpoint):
        raise ValueError(f"Input checkpoint '{input_checkpoint}' doesn't exist!")
    graph_def = input_meta_graph_def.graph_def if input_meta_graph_def else input_graph_def
    if clear_devices and graph_def is not None:
        for node in graph_def.node:
            node.device = ""
    with v1.Graph().as_default(), v1.Session() as session:
        if input_saved_model_dir:
            meta = v1.saved_model.loader.load(session, saved_model_tags, input_saved_model_dir)
            graph_def = meta.graph_def
        elif input_meta_graph_def:
            saver = v1.train.import_meta_graph(input_meta_graph_def, clear_devices=clear_devices)
            saver.restore(session, input_checkpoint)
        else:
            v1.import_graph_def(graph_def, name="")
            _restore(session, input_saver_def, input_checkpoint)
        if initializer_nodes:
            session.run(initializer_nodes.replace(" ", "").split(","))
        wanted = variable_names_whitelist.replace(" ", "").split(",")
        unwanted = variable_names_blacklist.replace(" ", "").split(",")
        frozen = v1.graph_util.convert_variables_to_constants(
            session,
            graph_def,
            output_node_names.replace(" ", "").split(","),
            variable_names_whitelist=wanted if variable_names_whitelist else None,
            variable_names_blacklist=unwanted if variable_names_blacklist else None,
        )
    if output_graph:
        Path(output_graph).write_bytes(frozen.SerializeToString())
    return frozen


_VARIABLES = ("Variable", "VariableV2", "VarHandleOp")


def _restore(session: Any, saver_def: Any, checkpoint: str) -> None:
    """Give the variables of an imported graph their values: by its saver, or by their names."""
    if saver_def is not None:
        v1.train.Saver(saver_def=saver_def).restore(session, checkpoint)
        return
    reader = v1.train.NewCheckpointReader(checkpoint)
    for operation in session.graph.get_operations():
        if operation.type in _VARIABLES and reader.has_tensor(operation.name):
            value = reader.get_tensor(operation.name)
            if operation.type == "VarHandleOp":
                v1.raw_ops.AssignVariableOp(resource=operation.outputs[0], value=value)
                assign = session.graph.get_operations()[-1]
            else:
                assign = v1.raw_ops.Assign(ref=operation.outputs[0], value=value).op
            session.run(assign)
