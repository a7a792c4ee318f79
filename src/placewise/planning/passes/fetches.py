"""Pass 6: the fetched values, on the client or where they were computed."""

from __future__ import annotations

from typing import Any

from placewise.graph.tensor import GraphTensor
from placewise.planning.draft import Draft
from placewise.planning.lowering import numbers
from placewise.planning.lowering.copies import on_device
from placewise.planning.plan import Read, ref_of


def define_fetches(draft: Draft) -> None:
    """Let the plan end with the fetched values.

    Needs: the values of all fetches (lower). Guarantees: `plan.fetches` are complete, so that from
    here on a value nobody reads can be left out.
    """
    tensors = [element for element in draft.fetches if isinstance(element, GraphTensor)]
    if not draft.stay:
        draft.plan.fetches = [_on_client(draft, tensor) for tensor in tensors]
        return
    draft.plan.fetches = [_as_computed(draft, tensor) for tensor in tensors]
    draft.plan.fetched_from = [draft.homes[ref_of(item)] for item in draft.plan.fetches]


def _on_client(draft: Draft, tensor: GraphTensor) -> Any:
    ref = draft.refs[id(tensor)]
    # A fetched reference is read when the run ends, after all assignments, as TensorFlow does.
    return Read(ref) if draft.is_read(tensor) else on_device(draft, ref, draft.client)


def _as_computed(draft: Draft, tensor: GraphTensor) -> Any:
    """Return a fetched value on the device it was computed on."""
    ref = draft.refs[id(tensor)]
    if draft.is_read(tensor):
        return Read(ref)
    is_number = ref in draft.number_refs or ref in draft.history_depths
    return numbers.as_tensor(draft, ref) if is_number else ref
