"""Pass 6: the fetched values, on the client, on a call's device, or where they were computed."""

from __future__ import annotations

from typing import Any

from placewise.core import dtypes
from placewise.graph.tensor import GraphTensor
from placewise.planning.draft import Draft
from placewise.planning.lowering import numbers
from placewise.planning.lowering.copies import on_device
from placewise.planning.plan import Read, ref_of

_LEFT = frozenset({dtypes.resource, dtypes.variant})  # handles, lists, datasets


def define_fetches(draft: Draft) -> None:
    """Let the plan end with the fetched values.

    Needs: the values of all fetches (lower). Guarantees: `plan.fetches` are complete, so that from
    here on a value nobody reads can be left out.
    """
    homes = draft.result_homes
    if homes is None:
        tensors = [element for element in draft.fetches if isinstance(element, GraphTensor)]
        draft.plan.fetches = [_on_client(draft, tensor) for tensor in tensors]
        return
    for tensor, device in zip(draft.fetches, homes, strict=True):
        if not isinstance(tensor, GraphTensor):
            continue
        item = _as_computed(draft, tensor)
        home = draft.homes[ref_of(item)]
        if device is not None and device is not home:
            item, home = _brought(draft, item, home, device)
        draft.plan.fetches.append(item)
        draft.plan.fetched_from.append(home)


def _brought(draft: Draft, item: Any, home: Any, device: Any) -> tuple[Any, Any]:
    """Return a result on the device of a call, as far as values of its dtype can be there.

    In TensorFlow results pass an Identity, which runs on the device of the call if it can.
    """
    dtype = draft.dtypes[ref_of(item)].base_dtype
    if dtype is dtypes.string and not device.is_host:
        device = draft.client
    if isinstance(item, Read) or dtype in _LEFT or device.lacking({dtype}):
        return item, home
    return on_device(draft, item, device), device


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
