"""Writing SavedModels of graphs: meta graphs by tags, one set of variables, assets."""

from __future__ import annotations

import logging
import os
import shutil
from typing import Any

from placewise import messages
from placewise.graph.collections import GraphKeys, global_variables
from placewise.graph.defaults import get_default_graph
from placewise.graph.operation import Operation
from placewise.graph.recorder import constant_value
from placewise.ops.io import paths
from placewise.saving import saved_model_names as names
from placewise.saving import signature_defs
from placewise.saving.meta_graph import write_graph_message
from placewise.saving.saver import Saver

_log = logging.getLogger("tensorflow")


class SavedModelBuilder:
    """Collects meta graphs, then writes them as one SavedModel."""

    def __init__(self, export_dir: Any) -> None:
        self._message = messages.SavedModel(
            saved_model_schema_version=names.SAVED_MODEL_SCHEMA_VERSION
        )
        self._folder = paths.local_path(export_dir)
        if os.path.isdir(self._folder):
            if os.listdir(self._folder):
                raise AssertionError(
                    "Export directory already exists, and isn't empty. Please choose a different "
                    "export directory, or delete all the contents of the specified directory: "
                    f"{export_dir}"
                )
        else:
            with paths.told(self._folder):
                os.makedirs(self._folder)
        self._has_variables = False

    def add_meta_graph_and_variables(
        self,
        sess: Any,
        tags: Any,
        signature_def_map: Any = None,
        assets_collection: Any = None,
        legacy_init_op: Any = None,
        clear_devices: bool = False,
        main_op: Any = None,
        strip_default_attrs: bool = False,
        saver: Any = None,
    ) -> None:
        """Add the session's graph, and its variables; once, before any other graph."""
        if self._has_variables:
            raise AssertionError(
                "Graph state including variables and assets has already been saved. Please invoke "
                "`add_meta_graph()` instead."
            )
        folder = os.path.join(self._folder, names.VARIABLES_DIRECTORY)
        with paths.told(folder):
            os.makedirs(folder, exist_ok=True)
        with sess.graph.as_default():
            self._copy_assets(assets_collection)
            saver = saver or _new_saver()
            saver.save(
                sess,
                os.path.join(folder, names.VARIABLES_FILENAME),
                write_meta_graph=False,
                write_state=False,
            )
            self._add(
                tags,
                signature_def_map,
                assets_collection,
                main_op or legacy_init_op,
                clear_devices,
                strip_default_attrs,
                saver,
            )
        self._has_variables = True

    def add_meta_graph(
        self,
        tags: Any,
        signature_def_map: Any = None,
        assets_collection: Any = None,
        legacy_init_op: Any = None,
        clear_devices: bool = False,
        main_op: Any = None,
        strip_default_attrs: bool = False,
        saver: Any = None,
    ) -> None:
        """Add the default graph under other tags; it shares the variables saved before."""
        if not self._has_variables:
            raise AssertionError(
                "Graph state including variables and assets has not been saved yet. Please invoke "
                "`add_meta_graph_and_variables()` first."
            )
        self._copy_assets(assets_collection)
        self._add(
            tags,
            signature_def_map,
            assets_collection,
            main_op or legacy_init_op,
            clear_devices,
            strip_default_attrs,
            saver or _new_saver(),
        )

    def _add(
        self,
        tags: Any,
        signatures: Any,
        assets: Any,
        main_op: Any,
        clear_devices: bool,
        strip_default_attrs: bool,
        saver: Any,
    ) -> None:
        for key, each in (signatures or {}).items():
            _check_signature(key, each)
        graph = get_default_graph()
        signatures = dict(signatures or {})
        if main_op is not None:
            if not isinstance(main_op, Operation):
                raise TypeError(f"Expected {main_op} to be an Operation")
            graph.clear_collection(names.MAIN_OP_KEY)
            graph.add_to_collection(names.MAIN_OP_KEY, main_op)
            signatures[names.INIT_OP_SIGNATURE_KEY] = signature_defs.op_signature_def(
                main_op, names.INIT_OP_SIGNATURE_KEY
            )
        if saver._is_empty:
            meta = saver.export_meta_graph(clear_devices=clear_devices)
            meta.ClearField("saver_def")
        else:
            meta = saver.export_meta_graph(
                clear_devices=clear_devices, strip_default_attrs=strip_default_attrs
            )
        meta.meta_info_def.tags.extend(tags)
        for key, each in signatures.items():
            meta.signature_def[key].CopyFrom(each)
        for tensor in assets or ():
            path = _asset_path(tensor)
            made = meta.asset_file_def.add(filename=os.path.basename(path))
            made.tensor_info.name = tensor.name
        self._message.meta_graphs.append(meta)

    def _copy_assets(self, assets: Any) -> None:
        folder = os.path.join(self._folder, names.ASSETS_DIRECTORY)
        for tensor in assets or ():
            path = _asset_path(tensor)
            with paths.told(path):
                os.makedirs(folder, exist_ok=True)
                shutil.copyfile(path, os.path.join(folder, os.path.basename(path)))
            get_default_graph().add_to_collection(GraphKeys.ASSET_FILEPATHS, tensor)

    def save(self, as_text: bool = False) -> bytes:
        """Write the SavedModel's file; return its path."""
        name = names.SAVED_MODEL_FILENAME_PBTXT if as_text else names.SAVED_MODEL_FILENAME_PB
        path = os.path.join(self._folder, name)
        write_graph_message(self._message, path, as_text)
        _log.info("SavedModel written to: %s", path)
        return path.encode()


SavedModelBuilder.__module__ = "tensorflow.python.saved_model.builder_impl"


def _new_saver() -> Saver:
    graph = get_default_graph()
    everything = global_variables() + graph.get_collection(GraphKeys.SAVEABLE_OBJECTS)
    return Saver(everything, sharded=True, allow_empty=True)


def _asset_path(tensor: Any) -> str:
    value = constant_value(tensor) if hasattr(tensor, "op") else None
    if value is None:
        raise TypeError(f"an asset must be a constant string tensor: {tensor}")
    return paths.local_path(value.reshape(-1)[0])


def _check_signature(key: str, signature: Any) -> None:
    if key in (names.INIT_OP_SIGNATURE_KEY, names.TRAIN_OP_SIGNATURE_KEY):
        raise KeyError(f"SignatureDef map key {key!r} is reserved for internal use.")
    for info in [*signature.inputs.values(), *signature.outputs.values()]:
        if info.WhichOneof("encoding") is None:
            raise AssertionError(
                f"All TensorInfo protos used in the SignatureDefs must have one of the 'encoding' "
                f"fields set: {info}"
            )


def simple_save(
    session: Any, export_dir: Any, inputs: Any, outputs: Any, legacy_init_op: Any = None
) -> None:
    """Write a session's graph and variables as a SavedModel for serving."""
    signature = signature_defs.predict_signature_def(inputs, outputs)
    builder = SavedModelBuilder(export_dir)
    builder.add_meta_graph_and_variables(
        session,
        tags=[names.SERVING],
        signature_def_map={names.DEFAULT_SERVING_SIGNATURE_DEF_KEY: signature},
        assets_collection=get_default_graph().get_collection(GraphKeys.ASSET_FILEPATHS),
        main_op=legacy_init_op,
        clear_devices=True,
    )
    builder.save()


Builder = SavedModelBuilder
