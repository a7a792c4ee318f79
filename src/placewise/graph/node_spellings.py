"""Ops of GraphDefs that say how fast, not what: each is read as the op that gives the same.

TensorFlow has several ops for one dataset, which differ in threads and buffers. Here there is one;
inputs that only concern threads are left out.
"""

from __future__ import annotations

from typing import Any

from placewise.ops.declare import REGISTRY, Op

# Name in a GraphDef → our op, and which inputs to leave out.
SPELLINGS: dict[str, tuple[str, slice]] = {
    "ParallelMapDataset": ("MapDataset", slice(-1, None)),
    "ParallelMapDatasetV2": ("MapDataset", slice(-1, None)),
    "ParallelInterleaveDatasetV2": ("InterleaveDataset", slice(-1, None)),
    "ParallelInterleaveDatasetV3": ("InterleaveDataset", slice(-1, None)),
    "ParallelInterleaveDatasetV4": ("InterleaveDataset", slice(-3, None)),
    "ParallelBatchDataset": ("BatchDatasetV2", slice(2, 3)),
    "ParallelFilterDataset": ("FilterDataset", slice(-1, None)),
    "ShuffleDataset": ("ShuffleDatasetV3", slice(0, 0)),
    "ShuffleDatasetV3": ("ShuffleDatasetV3", slice(4, None)),
    "CacheDataset": ("CacheDatasetV2", slice(0, 0)),
    "CacheDatasetV2": ("CacheDatasetV2", slice(2, None)),
    "OptimizeDataset": ("OptionsDataset", slice(1, None)),
    "OptimizeDatasetV2": ("OptionsDataset", slice(1, None)),
    "ModelDataset": ("OptionsDataset", slice(1, None)),
    "MaxIntraOpParallelismDataset": ("OptionsDataset", slice(1, None)),
    "PrivateThreadPoolDataset": ("OptionsDataset", slice(1, None)),
}


def spelled(name: str, inputs: list[Any]) -> tuple[Op | None, list[Any]]:
    """Return the op that stands for one of `SPELLINGS`, and the inputs that it takes."""
    own, left_out = SPELLINGS[name]
    kept = list(inputs)
    del kept[left_out]
    return REGISTRY.get(own), kept
