"""Methods of datasets that choose, order, keep or join elements."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from placewise.core import dtypes
from placewise.core.arguments import TensorLike
from placewise.data import lazy
from placewise.data.construction import derived, input_seeds, int64
from placewise.data.engine import combinations, storage
from placewise.data.engine import maps as calls
from placewise.data.engine import order as engine
from placewise.data.engine import prefetch as ahead
from placewise.data.structure import most_general
from placewise.ops.convert import convert_to_tensor


class Ordering:
    """take, skip, repeat, shard, shuffle, cache, prefetch, concatenate, …"""

    _variant_tensor: Any
    element_spec: Any

    def _same(
        self, kind: str, made: type[Any], *arguments: Any, name: Any = None, **attrs: Any
    ) -> Any:
        """Return a dataset with elements of the same structure."""
        return derived(
            self,
            kind,
            made,
            self.element_spec,
            self._variant_tensor,
            *arguments,
            sources=[self],
            name=name,
            **attrs,
        )

    def take(self, count: int, name: str | None = None) -> Any:
        """Return the first `count` elements; all if it is -1."""
        return self._same("_TakeDataset", engine.Take, int64(count), name=name)

    def skip(self, count: int, name: str | None = None) -> Any:
        """Return all but the first `count` elements."""
        return self._same("_SkipDataset", engine.Skip, int64(count), name=name)

    def repeat(self, count: TensorLike | None = None, name: str | None = None) -> Any:
        """Return the elements `count` times; for ever if it is None or -1."""
        number = int64(-1 if count is None else count)
        return self._same("_RepeatDataset", engine.Repeat, number, name=name)

    def shard(self, num_shards: int, index: int, name: str | None = None) -> Any:
        """Return every `num_shards`-th element, from the one at `index` on."""
        return self._same(
            "_ShardDataset",
            engine.Shard,
            int64(num_shards),
            int64(index),
            require_non_empty=False,
            name=name,
        )

    def shuffle(
        self,
        buffer_size: TensorLike,
        seed: int | None = None,
        reshuffle_each_iteration: bool | None = True,
        name: str | None = None,
    ) -> Any:
        """Return the elements in random order, each chosen among the next `buffer_size`."""
        seeds = input_seeds(seed)
        return self._same(
            "_ShuffleDataset",
            engine.Shuffle,
            int64(buffer_size),
            *seeds,
            reshuffle_each_iteration=reshuffle_each_iteration is not False,
            name=name,
        )

    def cache(self, filename: str = "", name: str | None = None) -> Any:
        """Return the elements, made only once: kept in memory, or in a file."""
        path = (
            filename
            if isinstance(filename, (str, bytes)) or hasattr(filename, "dtype")
            else (str(filename))
        )
        given = convert_to_tensor(path, dtypes.string)
        return self._same("CacheDataset", storage.Cache, given, name=name)

    def prefetch(self, buffer_size: int, name: str | None = None) -> Any:
        """Return the elements, made ahead of time."""
        size = -1 if buffer_size is None else buffer_size
        return self._same("_PrefetchDataset", ahead.Prefetch, int64(size), name=name)

    def concatenate(self, dataset: Any, name: str | None = None) -> Any:
        """Return the elements of this dataset, then those of another."""
        spec = most_general(self.element_spec, dataset.element_spec)
        return derived(
            self,
            "_ConcatenateDataset",
            combinations.Concatenate,
            spec,
            self._variant_tensor,
            dataset._variant_tensor,
            sources=[self, dataset],
            name=name,
        )

    def enumerate(self, start: Any = 0, name: str | None = None) -> Any:
        """Return pairs of a number, from `start` on, and an element."""
        most = dtypes.int64.max
        base: Any = self
        return base._base().zip((base._base().range(start, most), self), name=name)

    def unique(self, name: str | None = None) -> Any:
        """Return each element only the first time it comes."""
        spec = self.element_spec
        kind = getattr(spec, "dtype", None)
        if kind not in (dtypes.int32, dtypes.int64, dtypes.string):
            raise TypeError(
                "`tf.data.Dataset.unique` does not support type "
                f"{getattr(kind, 'name', spec)} -- only `tf.int32`, `tf.int64`, and `tf.string` "
                "are supported."
            )
        return self._same("_UniqueDataset", calls.Unique, name=name)

    def ignore_errors(self, log_warning: bool = False, name: str | None = None) -> Any:
        """Return the elements whose making does not fail."""
        return self._same(
            "_IgnoreErrorsDataset", combinations.IgnoreErrors, log_warning=log_warning, name=name
        )

    def apply(self, transformation_func: Callable[..., Any]) -> Any:
        """Return what a function makes of this dataset."""
        made = transformation_func(self)
        if not isinstance(made, lazy.DatasetV2):
            raise TypeError(
                f"`transformation_func` must return a `tf.data.Dataset` object. Got {type(made)}."
            )
        return made
