"""Methods of datasets that put elements together or take them apart."""

from __future__ import annotations

from typing import Any

import numpy as np

from placewise.core import dtypes, nest
from placewise.core.shapes import TensorShape
from placewise.core.tensor import Tensor
from placewise.data import lazy
from placewise.data.construction import derived, int64, known_bool, known_int
from placewise.data.engine import batches as engine
from placewise.data.engine.restructure import View
from placewise.data.structure import batched, unbatched
from placewise.ops.convert import convert_to_tensor
from placewise.ops.ragged.spec import RaggedTensorSpec
from placewise.ops.sparse.spec import SparseTensorSpec
from placewise.ops.specs import TensorSpec
from placewise.ops.values import EagerTensor


class Batching:
    """batch, padded_batch, ragged_batch, unbatch, rebatch, sparse_batch, window."""

    _variant_tensor: Any
    element_spec: Any

    def batch(
        self,
        batch_size: Any,
        drop_remainder: Any = False,
        num_parallel_calls: Any = None,
        deterministic: Any = None,
        name: str | None = None,
    ) -> Any:
        """Return batches of `batch_size` consecutive elements, stacked."""
        size = known_int(batch_size) if known_bool(drop_remainder) else None
        kind = "_BatchDataset" if num_parallel_calls is None else "_ParallelBatchDataset"
        return derived(
            self,
            kind,
            engine.Batch,
            batched(self.element_spec, size),
            self._variant_tensor,
            int64(batch_size),
            drop_remainder,
            sources=[self],
            parallel_copy=False,
            name=name,
        )

    def padded_batch(
        self,
        batch_size: Any,
        padded_shapes: Any = None,
        padding_values: Any = None,
        drop_remainder: Any = False,
        name: str | None = None,
    ) -> Any:
        """Return batches of elements padded at their ends to one shape."""
        leaves = nest.flatten(self.element_spec)
        for leaf in leaves:
            if not isinstance(leaf, TensorSpec):
                raise TypeError(
                    "`padded_batch` is only supported for datasets that produce tensor elements "
                    f"but type of elements in the input dataset is not a {TensorSpec}."
                    if isinstance(leaf, (SparseTensorSpec, RaggedTensorSpec))
                    else f"`padded_batch` does not support elements of {leaf!r}."
                )
        if padded_shapes is None:
            for leaf in leaves:
                if leaf.shape.rank is None:
                    raise ValueError(
                        "You must provide `padded_shapes` argument because component "
                        "specification has unknown rank."
                    )
            shapes = [_numbers(leaf.shape) for leaf in leaves]
        else:
            given = _up_to(self.element_spec, padded_shapes, "padded_shapes")
            shapes = [_shape(each, leaf) for each, leaf in zip(given, leaves, strict=True)]
        fillers = self._fillers(padding_values, leaves)
        size = known_int(batch_size) if known_bool(drop_remainder) else None
        specs = [
            TensorSpec([size, *[None if d < 0 else d for d in _static(shape)]], leaf.dtype)
            for shape, leaf in zip(shapes, leaves, strict=True)
        ]
        return derived(
            self,
            "_PaddedBatchDataset",
            engine.PaddedBatch,
            nest.pack_sequence_as(self.element_spec, specs),
            self._variant_tensor,
            int64(batch_size),
            shapes,
            fillers,
            drop_remainder,
            sources=[self],
            name=name,
        )

    def _fillers(self, given: Any, leaves: list[Any]) -> list[Any]:
        if given is None:
            values: list[Any] = [None] * len(leaves)
        elif nest.is_nested(self.element_spec) and not nest.is_nested(given):
            values = [given] * len(leaves)
        else:
            values = _up_to(self.element_spec, given, "padding_values")
        return [_filler(value, leaf) for value, leaf in zip(values, leaves, strict=True)]

    def ragged_batch(
        self,
        batch_size: Any,
        drop_remainder: Any = False,
        row_splits_dtype: Any = dtypes.int64,
        name: str | None = None,
    ) -> Any:
        """Return batches whose elements may differ in size, as ragged tensors."""

        def ragged(spec: Any) -> Any:
            if isinstance(spec, TensorSpec) and not spec.shape.is_fully_defined():
                if spec.shape.rank is None:
                    raise ValueError("`ragged_batch` needs elements of known rank.")
                return RaggedTensorSpec(spec.shape, spec.dtype, 0, row_splits_dtype)
            return spec

        spec = nest.map_structure(ragged, self.element_spec)
        if spec == self.element_spec:
            return self.batch(batch_size, drop_remainder, name=name)

        seen = derived(self, "_MapDataset", View, spec, self._variant_tensor, sources=[self])
        return seen.batch(batch_size, drop_remainder, name=name)

    def unbatch(self, name: str | None = None) -> Any:
        """Return the slices of each element along its first dimension."""
        return derived(
            self,
            "_UnbatchDataset",
            engine.Unbatch,
            unbatched(self.element_spec),
            self._variant_tensor,
            sources=[self],
            name=name,
        )

    def rebatch(self, batch_size: Any, drop_remainder: Any = False, name: str | None = None) -> Any:
        """Return the rows of all batches, in batches of another size."""
        sizes = convert_to_tensor(batch_size, dtypes.int64)
        fixed = None
        if known_bool(drop_remainder) and not isinstance(batch_size, Tensor):
            every = set(np.atleast_1d(batch_size).tolist())
            fixed = every.pop() if len(every) == 1 else None
        spec = batched(unbatched(self.element_spec), fixed)
        return derived(
            self,
            "_RebatchDataset",
            engine.Rebatch,
            spec,
            self._variant_tensor,
            sizes,
            drop_remainder,
            sources=[self],
            name=name,
        )

    def sparse_batch(self, batch_size: Any, row_shape: Any, name: str | None = None) -> Any:
        """Return batches of tensors that may differ in size, as sparse tensors."""
        spec = self.element_spec
        if not isinstance(spec, TensorSpec):
            raise TypeError(
                "`dense_to_sparse_batch` requires an input dataset whose elements have a single "
                f"component, but the input dataset has the following component types: {spec}."
            )
        shape = TensorShape(row_shape)
        made = SparseTensorSpec(TensorShape([None]).concatenate(shape), spec.dtype)
        row = np.array(_numbers(shape), np.int64)
        return derived(
            self,
            "_DenseToSparseBatchDataset",
            engine.SparseBatch,
            made,
            self._variant_tensor,
            int64(batch_size),
            row,
            sources=[self],
            name=name,
        )

    def window(
        self,
        size: Any,
        shift: Any = None,
        stride: Any = 1,
        drop_remainder: Any = False,
        name: str | None = None,
    ) -> Any:
        """Return datasets of `size` elements each, the next beginning `shift` elements later."""

        def inner(spec: Any) -> Any:
            return lazy.DatasetSpec(spec)

        spec = nest.map_structure(inner, self.element_spec)
        shift = size if shift is None else shift
        return derived(
            self,
            "_WindowDataset",
            engine.Windows,
            spec,
            self._variant_tensor,
            int64(size),
            int64(shift),
            int64(stride),
            drop_remainder,
            sources=[self],
            name=name,
        )


def _numbers(shape: TensorShape) -> list[int]:
    return [-1 if d is None else int(d) for d in shape.as_list()]


def _static(shape: Any) -> list[int]:
    """Return a padded shape as numbers, -1 where it is not known yet."""
    if isinstance(shape, list):
        return shape

    if isinstance(shape, EagerTensor):
        return [int(d) for d in shape.numpy()]
    return [-1] * int(shape.shape[0])


def _shape(given: Any, leaf: TensorSpec) -> Any:
    if isinstance(given, Tensor):
        return given
    dims = [
        None if d is None or (isinstance(d, int) and d < 0) else d
        for d in (
            given
            if isinstance(given, TensorShape)
            else list(np.atleast_1d(given))
            if not isinstance(given, (list, tuple))
            else given
        )
    ]
    shape = TensorShape([None if d is None or int(d) < 0 else int(d) for d in dims])
    fits = leaf.shape.rank is None or (
        leaf.shape.rank == shape.rank
        and all(
            wanted is None or size is None or size <= wanted
            for wanted, size in zip(shape.as_list(), leaf.shape.as_list(), strict=True)
        )
    )
    if not fits:
        raise ValueError(
            f"The padded shape {_text(shape)} is not compatible with the shape {_text(leaf.shape)} "
            "of the corresponding input component."
        )
    return _numbers(shape)


def _text(shape: TensorShape) -> str:
    return str(shape)


def _filler(value: Any, leaf: TensorSpec) -> Any:
    if value is None:
        value = b"" if leaf.dtype is dtypes.string else np.zeros((), leaf.dtype.as_numpy_dtype)
    if isinstance(value, Tensor):
        if value.dtype is not leaf.dtype:
            raise TypeError(
                f"Padding value type ({value.dtype!r}) does not match output type ({leaf.dtype!r})"
            )
        return value
    return convert_to_tensor(value, leaf.dtype)


def _up_to(spec: Any, given: Any, what: str) -> list[Any]:
    """Return the parts of `given` that stand where `spec` has its leaves."""
    parts = nest.children(spec)
    if parts is None:
        return [given]
    theirs = None if isinstance(given, TensorShape) else nest.children(given)
    if theirs is None or len(theirs) != len(parts):
        raise ValueError(
            f"`{what}` must have the structure of the dataset's elements, {spec}; got {given}."
        )
    return [
        leaf
        for (_, part), (_, mine) in zip(parts, theirs, strict=True)
        for leaf in _up_to(part, mine, what)
    ]
