"""What TensorBoard's projector is to show."""

from __future__ import annotations

import os
from typing import Any

from placewise.messages import pb2

_MODULE = "tensorflow.contrib.tensorboard.plugins.projector.projector_config_pb2"
_CONFIG = pb2(_MODULE)
ProjectorConfig = _CONFIG.ProjectorConfig
EmbeddingInfo = _CONFIG.EmbeddingInfo
SpriteMetadata = _CONFIG.SpriteMetadata


def visualize_embeddings(summary_writer: Any, config: Any) -> None:
    """Write what the projector is to show into the folder of a writer, as it looks for it."""
    from google.protobuf import text_format  # noqa: PLC0415 - keeps protobuf out

    folder = summary_writer.get_logdir()
    if folder is None:
        raise ValueError("Summary writer must have a logdir")
    folder = folder.decode() if isinstance(folder, bytes) else os.fspath(folder)
    with open(os.path.join(folder, "projector_config.pbtxt"), "w", encoding="utf-8") as file:
        file.write(text_format.MessageToString(config))
