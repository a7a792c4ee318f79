"""Reading a dataset through with a checkpoint of the iterator every so many elements."""

from __future__ import annotations

from typing import Any

from placewise.saving.checkpoint import Checkpoint
from placewise.saving.checkpoint_manager import CheckpointManager


def read_with_checkpoints(dataset: Any, arguments: dict[str, Any]) -> None:
    """Read all elements, going on from the latest checkpoint; `arguments` are a manager's.

    The checkpoint says how far reading has got. A dataset that writes its elements writes those
    before it again, into the same new files, so that what was not whole is whole at the end.
    """
    iterator = iter(dataset)
    checkpoint = Checkpoint(iterator=iterator)
    manager = CheckpointManager(checkpoint, **arguments)
    checkpoint.restore(manager.latest_checkpoint)
    counter = arguments.get("step_counter")
    for _ in iterator:
        if counter is not None:
            counter.assign_add(1)
        manager.save(check_interval=True)
