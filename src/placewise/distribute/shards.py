"""How a dataset is divided among machines: by rows of its batches, or by the files it reads."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

from placewise.core import nest
from placewise.data.engine import files
from placewise.data.options import AutoShardPolicy
from placewise.distribute.input import DistributedDataset
from placewise.ops.values import Variant, wrap

if TYPE_CHECKING:
    from placewise.data.dataset import DatasetV2
    from placewise.data.engine.source import Source


def sharded(strategy: Any, dataset: DatasetV2, workers: int, rank: int) -> Any:
    """Return the part of a dataset that is this worker's, as its options say."""
    policy = dataset.options().experimental_distribute.auto_shard_policy
    names = [name for source in readers(_source(dataset)) for name in source._names]
    extended = strategy.extended
    if policy is AutoShardPolicy.OFF:
        # Every worker goes through all data, in batches as large as its share.
        own = _rebatched(dataset, workers)
        return DistributedDataset(strategy, own, extended.local_count, agree=None)
    if policy is AutoShardPolicy.FILE and not names:
        raise ValueError(
            "auto_shard_policy is FILE, but the dataset reads no files that could be divided among "
            f"{workers} workers: use AutoShardPolicy.DATA"
        )
    by_files = policy is AutoShardPolicy.FILE or (policy is AutoShardPolicy.AUTO and names)
    if by_files and len(names) < workers:
        if policy is AutoShardPolicy.FILE:
            raise ValueError(
                f"auto_shard_policy is FILE, but there are {len(names)} files for {workers} "
                "workers: use AutoShardPolicy.DATA, or more files"
            )
        by_files = False
    if by_files:
        own = _rebatched(_of_files(dataset, workers, rank), workers)
        return DistributedDataset(strategy, own, extended.local_count, agree=extended._group)
    return DistributedDataset(strategy, dataset)


def _source(dataset: DatasetV2) -> Any:
    return dataset._variant_tensor._value.value


def readers(source: Source) -> list[Any]:
    """Return the sources of a pipeline that read lists of files."""
    found = [source] if isinstance(source, files._Files) else []
    for inner in source.inputs:
        found += readers(inner)
    return found


def _of_files(dataset: DatasetV2, workers: int, rank: int) -> Any:
    """Return a dataset that reads every n-th file only."""
    variant = dataset._variant_tensor
    made = wrap(Variant(_changed(_source(dataset), workers, rank)), variant._device)
    return dataset._of(made, dataset._structure, ())


def _changed(source: Any, workers: int, rank: int) -> Any:
    """Return a copy of a pipeline whose readers keep only their share of the files."""
    made = copy.copy(source)
    if isinstance(source, files._Files):
        made._names = source._names[rank::workers]
        return made
    replaced = {id(inner): _changed(inner, workers, rank) for inner in source.inputs}
    for name, value in vars(source).items():
        if id(value) in replaced:
            setattr(made, name, replaced[id(value)])
        elif isinstance(value, (list, tuple)) and any(id(each) in replaced for each in value):
            setattr(made, name, type(value)(replaced.get(id(each), each) for each in value))
    return made


def _rebatched(dataset: DatasetV2, workers: int) -> Any:
    """Return a dataset of global batches in batches of one worker's size."""
    sizes = {spec.shape[0] for spec in nest.flatten(dataset.element_spec) if spec.shape.rank}
    size = sizes.pop() if len(sizes) == 1 else None
    if size is None:
        first = next(iter(dataset.take(1)), None)
        size = workers if first is None else int(nest.flatten(first)[0].shape[0])
    return dataset.rebatch(max(1, size // workers))
