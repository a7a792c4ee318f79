"""Methods of datasets that call a user's function on elements."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from placewise.core import dtypes
from placewise.core.arguments import TensorLike
from placewise.core.errors import hint
from placewise.data import lazy
from placewise.data.buckets import bucketed
from placewise.data.construction import derived, int64
from placewise.data.engine import groups
from placewise.data.engine import maps as engine
from placewise.data.rejection_resample import resampled
from placewise.data.structure import Structure, normalised, spec_of
from placewise.data.terminal import reduced
from placewise.data.user_functions import result_of, traced, traced_state
from placewise.ops.array.static import get_static_value
from placewise.ops.convert import convert_to_tensor
from placewise.ops.math.cast import cast
from placewise.ops.specs import TensorSpec

if TYPE_CHECKING:
    from placewise.functions.dataset_function import StructuredFunction


class Calling:
    """map, filter, flat_map, interleave, scan, reduce, take_while, group_by_window."""

    _variant_tensor: Any
    element_spec: Any

    def _called(
        self,
        kind: str,
        made: type[Any],
        spec: Any,
        function: StructuredFunction,
        *arguments: Any,
        name: Any = None,
    ) -> Any:
        return derived(
            self,
            kind,
            made,
            spec,
            self._variant_tensor,
            list(function.captured),
            *arguments,
            sources=[self],
            function=function,
            result=result_of(function),
            name=name,
        )

    def map(
        self,
        map_func: Any,
        num_parallel_calls: Any = None,
        deterministic: Any = None,
        synchronous: Any = None,
        use_unbounded_threadpool: bool = False,
        name: str | None = None,
    ) -> Any:
        """Return what a function gives for each element."""
        function = traced(map_func, self.element_spec, "map_func")
        kind = "_MapDataset" if num_parallel_calls is None else "_ParallelMapDataset"
        function.parallel_calls = _calls(num_parallel_calls)
        return self._called(kind, engine.Map, function.output_spec, function, name=name)

    def filter(self, predicate: Callable[..., Any], name: str | None = None) -> Any:
        """Return the elements for which a function is true."""
        function = _predicate(predicate, self.element_spec)
        return self._called("_FilterDataset", engine.Filter, self.element_spec, function, name=name)

    def take_while(self, predicate: Callable[..., Any], name: str | None = None) -> Any:
        """Return the elements before the first for which a function is false."""
        function = _predicate(predicate, self.element_spec)
        return self._called(
            "_TakeWhileDataset", engine.TakeWhile, self.element_spec, function, name=name
        )

    def flat_map(self, map_func: Callable[..., Any], name: str | None = None) -> Any:
        """Return the elements of the datasets that a function makes of elements."""
        function, spec = _making(map_func, self.element_spec)
        return self._called("_FlatMapDataset", engine.FlatMap, spec, function, name=name)

    def interleave(
        self,
        map_func: Callable[..., Any],
        cycle_length: Any = None,
        block_length: int | None = None,
        num_parallel_calls: int | None = None,
        deterministic: bool | None = None,
        name: str | None = None,
    ) -> Any:
        """Return elements of the datasets that a function makes of elements, by turns."""
        function, spec = _making(map_func, self.element_spec)
        kind = "_InterleaveDataset" if num_parallel_calls is None else "_ParallelInterleaveDataset"
        cycle = _cycle(cycle_length)
        function.parallel_calls = _calls(num_parallel_calls)
        if cycle is not cycle_length:  # chosen here, so that it limits nothing
            function.parallel_calls = min(function.parallel_calls, cycle)
        return self._called(
            kind,
            engine.Interleave,
            spec,
            function,
            int64(cycle),
            int64(block_length or 1),
            name=name,
        )

    def scan(
        self, initial_state: TensorLike, scan_func: Callable[..., Any], name: str | None = None
    ) -> Any:
        """Return what a function of a state and an element gives, besides the next state."""
        state = normalised(initial_state)
        function, spec, output = traced_state(
            scan_func, spec_of(state), self.element_spec, "scan_func", True
        )
        return derived(
            self,
            "_ScanDataset",
            engine.Scan,
            output,
            self._variant_tensor,
            Structure(spec).tensors(state),
            list(function.captured),
            sources=[self],
            function=function,
            state=Structure(spec),
            result=Structure(output),
            name=name,
        )

    def reduce(self, initial_state: Any, reduce_func: Any, name: str | None = None) -> Any:
        """Return the state that a function of state and element leaves in the end."""
        state = normalised(initial_state)
        function, spec, _ = traced_state(
            reduce_func, spec_of(state), self.element_spec, "reduce_func", False
        )
        return reduced(self, function, Structure(spec), state, name)

    def group_by_window(
        self,
        key_func: Callable[..., Any],
        reduce_func: Callable[..., Any],
        window_size: int | None = None,
        window_size_func: Callable[..., Any] | None = None,
        name: str | None = None,
    ) -> Any:
        """Return what a function makes of windows of elements that have the same key."""
        if (window_size is None) == (window_size_func is None):
            raise ValueError(
                "Either the `window_size` argument or the `window_size_func` argument must be "
                "specified."
                if window_size is None
                else "The `window_size` argument and the `window_size_func` argument cannot be "
                "specified at the same time."
            )
        size_of = window_size_func or (lambda key: convert_to_tensor(window_size, dtypes.int64))
        scalar = TensorSpec((), dtypes.int64)

        def key(*element: Any) -> Any:
            return cast(key_func(*element), dtypes.int64)

        by_key = traced(key, self.element_spec, "key_func")
        if not scalar.is_compatible_with(by_key.output_spec):
            raise ValueError(
                "Invalid `key_func`. `key_func` must return a single `tf.int64` scalar tensor but "
                f"its return type is {by_key.output_spec}."
            )
        size = traced(lambda k: cast(size_of(k), dtypes.int64), scalar, "window_size_func")
        reduce = traced(reduce_func, (scalar, lazy.DatasetSpec(self.element_spec)), "reduce_func")
        if not isinstance(reduce.output_spec, lazy.DatasetSpec):
            raise TypeError(
                "Invalid `reduce_func`. `reduce_func` must return a single `tf.data.Dataset` "
                f"object but its return type is {reduce.output_spec}."
            )
        return derived(
            self,
            "_GroupByWindowDataset",
            groups.GroupByWindow,
            reduce.output_spec.element_spec,
            self._variant_tensor,
            list(by_key.captured),
            list(reduce.captured),
            list(size.captured),
            sources=[self],
            key_func=by_key,
            reduce_func=reduce,
            window_size_func=size,
            name=name,
        )

    def bucket_by_sequence_length(
        self,
        element_length_func: Callable[..., Any],
        bucket_boundaries: list[Any],
        bucket_batch_sizes: list[Any],
        padded_shapes: Any = None,
        padding_values: Any = None,
        pad_to_bucket_boundary: bool = False,
        no_padding: bool = False,
        drop_remainder: bool = False,
        name: str | None = None,
    ) -> Any:
        """Return batches of elements of about the same length."""
        return bucketed(
            self,
            element_length_func,
            bucket_boundaries,
            bucket_batch_sizes,
            padded_shapes,
            padding_values,
            pad_to_bucket_boundary,
            no_padding,
            drop_remainder,
        )

    def rejection_resample(
        self,
        class_func: Any,
        target_dist: Any,
        initial_dist: Any = None,
        seed: Any = None,
        name: str | None = None,
    ) -> Any:
        """Return pairs of class and element, with classes as frequent as `target_dist` says."""
        return resampled(self, class_func, target_dist, initial_dist, seed)


def _calls(num_parallel_calls: Any) -> int:
    """Return how many calls may run at once; 0 if that was not asked for."""
    if num_parallel_calls is None:
        return 0
    number = get_static_value(num_parallel_calls)
    return -1 if number is None else int(number)


def _cycle(cycle_length: int) -> Any:
    """Return how many datasets are read by turns; as many as there are processors by default."""
    if cycle_length is not None and not (isinstance(cycle_length, int) and cycle_length == -1):
        return cycle_length
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _predicate(predicate: Callable[..., Any], spec: Any) -> Any:
    function = traced(predicate, spec, "predicate")
    if not TensorSpec((), dtypes.bool).is_compatible_with(function.output_spec):
        raise ValueError(
            hint(
                "Invalid `predicate`. `predicate` must return a `tf.bool` scalar tensor, but its "
                f"return type is {function.output_spec}.",
                "compare inside it, as in lambda x: x > 0, or tf.reduce_all of several",
            )
        )
    return function


def _making(map_func: Callable[..., Any], spec: Any) -> tuple[Any, Any]:
    function = traced(map_func, spec, "map_func")
    made = function.output_spec
    if not isinstance(made, lazy.DatasetSpec):
        raise TypeError(
            f"The `map_func` argument must return a `Dataset` object. Got {_class_of(made)!r}."
        )
    return function, made.element_spec


def _class_of(spec: TensorSpec) -> Any:
    return getattr(spec, "value_type", spec)
