"""`tf.train.Checkpoint` of TensorFlow 1: it may save from a session."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from placewise.saving import checkpoint

if TYPE_CHECKING:
    from placewise.session.session import Session


class Checkpoint(checkpoint.Checkpoint):
    """`tf.train.Checkpoint` of TensorFlow 1: saves from a session where there is a graph."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(None, **kwargs)

    def write(  # type: ignore[override]  # TF 1 puts the session first
        self, file_prefix: str, session: Session | None = None, options: Any = None
    ) -> str:
        """Write a checkpoint under that very prefix; return it."""
        return self._write(file_prefix, options, session)

    def save(  # type: ignore[override]  # TF 1 puts the session first
        self, file_prefix: str, session: Session | None = None, options: Any = None
    ) -> str:
        """Write a numbered checkpoint and note it in the folder's `checkpoint` file."""
        return self._save(file_prefix, options, session)

    def restore(self, save_path: str) -> Any:  # type: ignore[override]  # TF 1 has no options
        """Restore what `save` wrote; in a graph, run the status's `initialize_or_restore`."""
        return super().restore(save_path)


Checkpoint.__module__ = "tensorflow.python.checkpoint.checkpoint"
Checkpoint.__qualname__ = "CheckpointV1"
