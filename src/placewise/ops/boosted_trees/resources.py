"""Handles of ensembles and quantile streams, and ops that make, fill and keep what they name."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch

from placewise.core.errors import NotFoundError, invalid
from placewise.core.runtime import State, runtime
from placewise.ops.boosted_trees.ensemble import Ensemble
from placewise.ops.boosted_trees.quantile_summary import QuantileStream, Summary
from placewise.ops.containers import check_container
from placewise.ops.declare import Bind, define
from placewise.ops.values import Content, Handle, from_numpy, to_numpy

ON_CPU: dict[str, Any] = {"devices": ("CPU",), "stateful": True, "differentiable": False}


@dataclass(slots=True)
class SharedTrees(State):
    """The handles of eager programs that have a shared name, by kind, container and name."""

    handles: dict[tuple[str, str, str], Handle] = field(default_factory=dict)


_shared = runtime.state(SharedTrees)


def _handles(name: str, kind: str, doc: str) -> Bind:
    made = define(
        f"{name}(; container: string = '', shared_name: string = '') -> resource: resource",
        doc=doc,
        **ON_CPU,
    )
    made.shape(lambda **_: ())

    def kernel(*, container: str, shared_name: str) -> Handle:
        check_container(container)
        place = (kind, container, shared_name)
        if shared_name and place in _shared.handles:
            return _shared.handles[place]
        handle = Handle(kind, shared_name, None)
        if shared_name:
            _shared.handles[place] = handle
        return handle

    made.kernel(kernel)
    return made


ensemble_handle = _handles(
    "BoostedTreesEnsembleResourceHandleOp",
    "TreeEnsemble",
    "Make a handle that boosted trees can be made for.",
)
stream_handle = _handles(
    "BoostedTreesQuantileStreamResourceHandleOp",
    "QuantileStream",
    "Make a handle that streams of quantiles can be made for.",
)


def held(handle: Handle) -> Any:
    """Return what a handle names, or raise that it was not made yet."""
    if handle.value is None:
        raise NotFoundError(
            None,
            None,
            "Container localhost does not exist. (Could not find resource: "
            f"localhost/{handle.name})",
        )
    return handle.value


def _is_made(name: str, handle: str, doc: str) -> None:
    made = define(f"{name}({handle}: resource) -> is_initialized: bool", doc=doc, **ON_CPU)
    made.shape(lambda handle: ())
    made.kernel(lambda handle: torch.tensor(handle.value is not None))


_is_made(
    "IsBoostedTreesEnsembleInitialized",
    "tree_ensemble_handle",
    "Return whether boosted trees were made for a handle.",
)
_is_made(
    "IsBoostedTreesQuantileStreamResourceInitialized",
    "quantile_stream_resource_handle",
    "Return whether streams of quantiles were made for a handle.",
)

_SERIALIZED = "tree_ensemble_handle: resource, stamp_token: int64, tree_ensemble_serialized: string"

create_ensemble = define(
    f"BoostedTreesCreateEnsemble({_SERIALIZED})",
    doc="Make boosted trees for a handle, unless it has some.",
    **ON_CPU,
)


@create_ensemble.kernel
def create_ensemble_kernel(handle: Handle, stamp: Content, serialized: Content) -> None:
    if handle.value is None:
        handle.value = Ensemble(int(to_numpy(stamp)), to_numpy(serialized).item())


deserialize_ensemble = define(
    f"BoostedTreesDeserializeEnsemble({_SERIALIZED})",
    doc="Replace the boosted trees of a handle.",
    **ON_CPU,
)


@deserialize_ensemble.kernel
def deserialize_ensemble_kernel(handle: Handle, stamp: Content, serialized: Content) -> None:
    held(handle).load(int(to_numpy(stamp)), to_numpy(serialized).item())


serialize_ensemble = define(
    "BoostedTreesSerializeEnsemble(tree_ensemble_handle: resource)"
    " -> stamp_token: int64, tree_ensemble_serialized: string",
    doc="Return the stamp and the bytes of boosted trees.",
    **ON_CPU,
)
serialize_ensemble.shape(lambda handle: [(), ()])


@serialize_ensemble.kernel
def serialize_ensemble_kernel(handle: Handle) -> tuple[Any, Any]:
    ensemble = held(handle)
    text = np.empty((), object)
    with ensemble.lock:
        text[()] = ensemble.serialized()
        return torch.tensor(ensemble.stamp), text


ensemble_states = define(
    "BoostedTreesGetEnsembleStates(tree_ensemble_handle: resource) -> stamp_token: int64,"
    " num_trees: int32, num_finalized_trees: int32, num_attempted_layers: int32,"
    " last_layer_nodes_range: int32",
    doc="Return how far boosted trees have grown.",
    **ON_CPU,
)
ensemble_states.shape(lambda handle: [(), (), (), (), (2,)])


@ensemble_states.kernel
def ensemble_states_kernel(handle: Handle) -> tuple[torch.Tensor, ...]:
    ensemble: Ensemble = held(handle)
    with ensemble.lock:
        attempted = ensemble.trees.growing_metadata.num_layers_attempted
        counts = (ensemble.count, ensemble.finished_count, attempted, ensemble.last_layer)
        numbers = (torch.tensor(count, dtype=torch.int32) for count in counts)
        return torch.tensor(ensemble.stamp), *numbers


class QuantileStreams:
    """One stream for each feature, and the boundaries of its buckets once they are known."""

    def __init__(self, epsilon: float, max_elements: int, count: int) -> None:
        self.streams = [QuantileStream(epsilon, max_elements) for _ in range(count)]
        self.boundaries: list[list[float]] = [[] for _ in range(count)]


_STREAMS = "quantile_stream_resource_handle: resource"

create_streams = define(
    f"BoostedTreesCreateQuantileStreamResource({_STREAMS}, epsilon: float, num_streams: int64;"
    " max_elements: int = 1099511627776)",
    doc="Make streams of quantiles for a handle, unless it has some.",
    **ON_CPU,
)


@create_streams.kernel
def create_streams_kernel(
    handle: Handle, epsilon: Content, num_streams: Content, *, max_elements: int
) -> None:
    count, share = int(to_numpy(num_streams)), float(to_numpy(epsilon))
    if not 0 <= count <= 1 << 24 or not share >= 0:
        raise invalid(f"num_streams must be >= 0 and epsilon >= 0, got {count} and {share:g}")
    if handle.value is None:
        handle.value = QuantileStreams(share, max_elements, count)


def checked_count(streams: QuantileStreams, count: int) -> None:
    """Raise if a number of features is not that of the streams."""
    if count != len(streams.streams):
        raise invalid(f"Expected {len(streams.streams)} features, got {count}")


add_summaries = define(
    f"BoostedTreesQuantileStreamResourceAddSummaries({_STREAMS}, summaries: num_features*float)",
    doc="Add summaries of values to the streams of features.",
    **ON_CPU,
)


@add_summaries.kernel
def add_summaries_kernel(handle: Handle, summaries: list[Any]) -> None:
    streams: QuantileStreams = held(handle)
    checked_count(streams, len(summaries))
    for stream, summary in zip(streams.streams, summaries, strict=True):
        rows = to_numpy(summary)
        if rows.ndim != 2 or rows.shape[1] != 4:
            raise invalid(f"summaries must be matrices of 4 columns, got shape {rows.shape}")
        stream.push(Summary(rows.astype(np.float32)))


flush = define(
    f"BoostedTreesQuantileStreamResourceFlush({_STREAMS}, num_buckets: int64;"
    " generate_quantiles: bool = False)",
    doc="Take the boundaries of buckets from the streams, which begin anew.",
    **ON_CPU,
)


@flush.kernel
def flush_kernel(handle: Handle, num_buckets: Content, *, generate_quantiles: bool) -> None:
    streams: QuantileStreams = held(handle)
    count = int(to_numpy(num_buckets))
    if count < 1:
        raise invalid(f"num_buckets must be positive, got {count}")
    for k, stream in enumerate(streams.streams):
        summary = stream.finish()
        streams.boundaries[k] = (
            summary.quantiles(max(count - 1, 1))
            if generate_quantiles
            else summary.boundaries(count)
        )


get_boundaries = define(
    f"BoostedTreesQuantileStreamResourceGetBucketBoundaries({_STREAMS}; num_features: int >= 0)"
    " -> bucket_boundaries: num_features*float",
    doc="Return the boundaries of the buckets of each feature.",
    **ON_CPU,
)
get_boundaries.shape(lambda handle, *, num_features: [(None,)] * num_features)


@get_boundaries.kernel
def get_boundaries_kernel(handle: Handle, *, num_features: int) -> list[torch.Tensor]:
    streams: QuantileStreams = held(handle)
    checked_count(streams, num_features)
    return [from_numpy(np.array(row, np.float32)) for row in streams.boundaries]


set_boundaries = define(
    f"BoostedTreesQuantileStreamResourceDeserialize({_STREAMS},"
    " bucket_boundaries: num_streams*float >= 1)",
    doc="Set the boundaries of the buckets of each feature.",
    **ON_CPU,
)


@set_boundaries.kernel
def set_boundaries_kernel(handle: Handle, bucket_boundaries: list[Any]) -> None:
    streams: QuantileStreams = held(handle)
    checked_count(streams, len(bucket_boundaries))
    streams.boundaries = [to_numpy(row).reshape(-1).tolist() for row in bucket_boundaries]


flush_summaries = define(
    f"BoostedTreesFlushQuantileSummaries({_STREAMS}; num_features: int >= 0)"
    " -> summaries: num_features*float",
    doc="Return the summaries of the streams, which begin anew.",
    **ON_CPU,
)
flush_summaries.shape(lambda handle, *, num_features: [(None, 4)] * num_features)


@flush_summaries.kernel
def flush_summaries_kernel(handle: Handle, *, num_features: int) -> list[torch.Tensor]:
    streams: QuantileStreams = held(handle)
    checked_count(streams, num_features)
    return [from_numpy(stream.finish().rows) for stream in streams.streams]
