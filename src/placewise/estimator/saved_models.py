"""Writing an estimator's model as a SavedModel."""

from __future__ import annotations

import os
import shutil
import time
from typing import Any

from placewise.core.log import get_logger
from placewise.estimator.modes import ModeKeys
from placewise.estimator.receivers import ExportOutput, PredictOutput
from placewise.graph.collections import (
    GraphKeys,
    get_collection,
    global_variables,
    local_variables_initializer,
    tables_initializer,
)
from placewise.graph.graph import Graph
from placewise.graph.seeds import set_random_seed
from placewise.ops.flow.order import group
from placewise.saving import saved_model_names as names
from placewise.saving.checkpoint_state import latest_checkpoint
from placewise.saving.saved_model_builder import SavedModelBuilder
from placewise.saving.saver import Saver
from placewise.session.session import Session


def export(
    estimator: Any,
    base: Any,
    receiver_fn: Any,
    assets_extra: Any,
    as_text: bool,
    checkpoint_path: Any,
    mode: str,
) -> bytes:
    """Write the model; return the folder it is in."""
    path = checkpoint_path or latest_checkpoint(estimator.model_dir)
    if not path:
        raise ValueError(f"Couldn't find trained model at {estimator.model_dir}.")
    final = timestamped_folder(base)
    temporary = os.path.join(os.path.dirname(final), f"temp-{os.path.basename(final)}")
    builder = SavedModelBuilder(temporary)
    with Graph().as_default() as graph:
        set_random_seed(estimator.config.tf_random_seed)
        estimator._step()
        receiver = receiver_fn()
        labels = getattr(receiver, "labels", None)
        spec = estimator._call_model_fn(receiver.features, labels, mode, estimator.config)
        signatures = _signatures(spec, receiver)
        with Session(graph=graph, config=estimator._session_config) as session:
            saver = (spec.scaffold and spec.scaffold.saver) or Saver(
                global_variables() + get_collection(GraphKeys.SAVEABLE_OBJECTS), sharded=True
            )
            saver.restore(session, path)
            start = (spec.scaffold and spec.scaffold.local_init_op) or group(
                local_variables_initializer(), tables_initializer()
            )
            tag = names.SERVING if mode == ModeKeys.PREDICT else names.TRAINING
            builder.add_meta_graph_and_variables(
                session,
                [tag],
                signature_def_map=signatures,
                assets_collection=get_collection(GraphKeys.ASSET_FILEPATHS),
                main_op=start,
                saver=saver,
            )
    builder.save(as_text)
    for target, source in (assets_extra or {}).items():
        place = os.path.join(temporary, "assets.extra", target)
        os.makedirs(os.path.dirname(place), exist_ok=True)
        shutil.copyfile(source, place)
    os.rename(temporary, final)
    return final.encode()


def timestamped_folder(base: Any) -> str:
    """Return a folder named by the time in seconds that does not exist yet."""
    stamp = int(time.time())
    while True:
        folder = os.path.join(os.fspath(base), str(stamp))
        if not os.path.exists(folder):
            return folder
        stamp += 1


def _signatures(spec: Any, receiver: Any) -> dict[str, Any]:
    outputs = spec.export_outputs
    if not outputs:
        if spec.predictions is None or (
            isinstance(spec.predictions, dict) and not spec.predictions
        ):
            raise ValueError("export_outputs is missing, and there are no predictions to export")
        outputs = {names.DEFAULT_SERVING_SIGNATURE_DEF_KEY: PredictOutput(spec.predictions)}
    outputs = dict(outputs)
    for key, value in outputs.items():
        if not isinstance(value, ExportOutput):
            raise TypeError(
                f"Values in `export_outputs` must be ExportOutput objects. Given: {value} for {key}"
            )
    if names.DEFAULT_SERVING_SIGNATURE_DEF_KEY not in outputs:
        if len(outputs) > 1:
            raise ValueError(
                "Multiple export_outputs were provided, but none of them is specified as the "
                "default.  Do this by naming one of them with "
                f"signature_constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY, given {outputs}."
            )
        (only,) = outputs.values()
        outputs[names.DEFAULT_SERVING_SIGNATURE_DEF_KEY] = only
    made = {}
    for key, value in outputs.items():
        try:
            made[key] = value.as_signature_def(receiver.receiver_tensors)
        except ValueError as problem:
            # A signature of another kind than requests can feed is left out, as in TensorFlow.
            get_logger().warning("Export includes no %s signature: %s", key, problem)
    for name, tensors in (receiver.receiver_tensors_alternatives or {}).items():
        for key, value in outputs.items():
            made[f"{name}:{key}"] = value.as_signature_def(tensors)
    return made
