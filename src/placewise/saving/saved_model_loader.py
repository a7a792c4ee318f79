"""Reading SavedModels into the graph of a session."""

from __future__ import annotations

import logging
import os
from typing import TYPE_CHECKING, Any

from placewise import messages
from placewise.core.activity import phase
from placewise.core.errors import hint
from placewise.graph.collections import (
    global_variables_initializer,
    local_variables_initializer,
    tables_initializer,
)
from placewise.graph.defaults import get_default_graph
from placewise.ops.flow.order import group
from placewise.ops.io import paths
from placewise.saving import saved_model_names as names
from placewise.saving.meta_graph import import_with_elements

if TYPE_CHECKING:
    from placewise.graph.graph import Graph
    from placewise.saving.saver import Saver
    from placewise.session.session import Session


_log = logging.getLogger("tensorflow")


def contains_saved_model(export_dir: Any) -> bool:
    """Return True if a folder holds a SavedModel."""
    folder = paths.local_path(export_dir)
    return any(
        os.path.isfile(os.path.join(folder, name))
        for name in (names.SAVED_MODEL_FILENAME_PB, names.SAVED_MODEL_FILENAME_PBTXT)
    )


def maybe_saved_model_directory(export_dir: Any) -> bool:
    """Return what `contains_saved_model` does."""
    return contains_saved_model(export_dir)


def parse_saved_model(export_dir: str) -> Any:
    """Return a folder's SavedModel message."""
    from google.protobuf import text_format  # noqa: PLC0415 - keeps protobuf out
    from google.protobuf.message import DecodeError  # noqa: PLC0415 - keeps protobuf out

    folder = paths.local_path(export_dir)
    binary = os.path.join(folder, names.SAVED_MODEL_FILENAME_PB)
    text = os.path.join(folder, names.SAVED_MODEL_FILENAME_PBTXT)
    try:
        if os.path.exists(binary):
            return messages.SavedModel.FromString(paths.read(binary))
        if os.path.exists(text):
            return text_format.Parse(paths.read(text).decode(), messages.SavedModel())
    except (DecodeError, text_format.ParseError, UnicodeDecodeError) as problem:
        path = binary if os.path.exists(binary) else text
        raise OSError(f"Cannot parse file {path}: {problem}.") from None
    raise OSError(
        hint(
            f"SavedModel file does not exist at: {folder}{os.path.sep}"
            f"{{{names.SAVED_MODEL_FILENAME_PBTXT}|{names.SAVED_MODEL_FILENAME_PB}}}",
            "pass the folder that tf.saved_model.save wrote; a .keras or .h5 file is read by "
            "tf.keras.models.load_model",
        )
    )


def meta_graph_of(saved_model: Any, tags: list[Any]) -> Any:
    """Return the meta graph that has exactly these tags."""
    wanted = set(tags)
    for meta in saved_model.meta_graphs:
        if set(meta.meta_info_def.tags) == wanted:
            return meta
    available = [set(meta.meta_info_def.tags) for meta in saved_model.meta_graphs]
    told = ", ".join(f"'{tag}'" for tag in tags).strip("'") if tags else ""
    raise RuntimeError(
        f"MetaGraphDef associated with tags '{told}' could not be found in SavedModel. To inspect "
        "available tag-sets in the SavedModel, please use the SavedModel CLI: "
        f"`saved_model_cli`\navailable_tags: {available}"
    )


def load(
    sess: Session, tags: Any, export_dir: str, import_scope: str | None = None, **saver_kwargs: Any
) -> Any:
    """Add a SavedModel's graph to a session's, restore its variables, run what it runs first."""
    folder = paths.local_path(export_dir)
    meta = meta_graph_of(parse_saved_model(folder), [tags] if isinstance(tags, str) else tags)
    load_meta_graph(sess, meta, folder, import_scope, **saver_kwargs)
    return meta


@phase("restoring")
def load_meta_graph(
    sess: Session, meta: Any, folder: str, import_scope: str | None = None, **saver_kwargs: Any
) -> Saver | None:
    """Add a meta graph to a session's graph, restore its variables, run what it runs first.

    Returns the saver of the graph, if it has one.
    """
    with sess.graph.as_default():
        saver: Saver | None
        saver, _ = import_with_elements(meta, import_scope=import_scope, **saver_kwargs)
        assets = asset_files(meta, folder, import_scope)
        path = os.path.join(folder, names.VARIABLES_DIRECTORY, names.VARIABLES_FILENAME)
        if saver is not None and os.path.exists(f"{path}.index"):
            saver.restore(sess, path)
        else:
            _log.info("The specified SavedModel has no variables; no checkpoints were restored.")
        first = _first_op(meta, sess.graph, import_scope)
        if first is not None:
            sess.run(first, feed_dict=assets)
    return saver


def _scoped(name: str, scope: str | None) -> str:
    return f"{scope}/{name}" if scope else name


def asset_files(meta: Any, folder: str, scope: str | None = None) -> dict[str, str]:
    """Return the files that belong to a model, by the tensor that is fed with their path."""
    # TensorFlow 1 puts them into a collection.
    older = (
        meta.collection_def[names.ASSETS_KEY].any_list.value
        if (names.ASSETS_KEY in meta.collection_def)
        else ()
    )
    known = [messages.AssetFileDef.FromString(each.value) for each in older]
    return {
        _scoped(each.tensor_info.name, scope): os.path.join(
            folder, names.ASSETS_DIRECTORY, each.filename
        )
        for each in [*known, *meta.asset_file_def]
    }


def _first_op(meta: Any, graph: Graph, scope: str | None) -> Any:
    key = names.INIT_OP_SIGNATURE_KEY
    if key in meta.signature_def:
        name = meta.signature_def[key].outputs[key].name
        return graph.as_graph_element(_scoped(name, scope))
    for key in (names.MAIN_OP_KEY, names.LEGACY_INIT_OP_KEY):
        if key in meta.collection_def:
            values = meta.collection_def[key].node_list.value
            if len(values) != 1:
                raise RuntimeError(f"Expected exactly one op in {key}, found {len(values)}")
            return graph.as_graph_element(_scoped(values[0], scope))
    return None


def main_op() -> Any:
    """Return an operation that initializes local variables and tables."""
    return group(
        global_variables_initializer(), local_variables_initializer(), tables_initializer()
    )


def main_op_with_restore(restore_op_name: Any) -> Any:
    """Return an operation that does what `main_op` does after a restoring operation."""
    with get_default_graph().control_dependencies([main_op()]):
        return group(restore_op_name)
