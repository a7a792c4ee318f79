"""Iterators of TensorFlow 1 in checkpoints of a `Saver`: where reading has got to."""

from __future__ import annotations

from typing import Any

import torch

from placewise.core import dtypes
from placewise.core.saveable import SaveableObject, SaveSpec
from placewise.data.engine.source import on_host
from placewise.ops.declare import define
from placewise.ops.values import Handle

iterator_state = define(
    "_IteratorState(iterator: resource) -> state: int64",
    stateful=True,
    devices=("CPU",),
    differentiable=False,
    doc="How many elements an iterator has given, and the seeds of their order.",
)
iterator_state.shape(lambda iterator: (None,))


@iterator_state.kernel
def iterator_state_kernel(iterator: Handle) -> torch.Tensor:
    """Return the state as numbers."""
    return torch.tensor(iterator.value.state, dtype=torch.int64)


restore_iterator_state = define(
    "_RestoreIteratorState(iterator: resource, state: int64)",
    stateful=True,
    devices=("CPU",),
    differentiable=False,
    host=("state",),
    doc="Let an iterator go on where a state was read.",
)


@restore_iterator_state.kernel
def restore_iterator_state_kernel(iterator: Handle, state: Any) -> None:
    """Go on from there."""
    iterator.value.restore([int(number) for number in state])


class IteratorSaveable(SaveableObject):
    """What a saver keeps of an iterator. The dataset itself is the program's."""

    def __init__(self, resource: Any, name: str) -> None:
        with on_host():
            state = iterator_state(resource, name="IteratorState")
        super().__init__(resource, [SaveSpec(state, "", f"{name}-state", dtypes.int64)], name)

    def restore(self, restored_tensors: Any, restored_shapes: Any) -> Any:
        """Return an operation that lets the iterator go on; it must have been initialized."""
        with on_host():
            return restore_iterator_state(self.op, restored_tensors[0], name="RestoreIteratorState")


def make_saveable_from_iterator(iterator: Any, external_state_policy: Any = None) -> Any:
    """Return what `tf.compat.v1.train.Saver` saves of an iterator.

    After `restore` the iterator goes on where it was saved. Its initializer must have been run.
    """
    resource = iterator._iterator_resource
    return IteratorSaveable(resource, resource.name)
