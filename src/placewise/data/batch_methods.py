"""Methods of datasets that put elements together or take them apart."""

from __future__ import annotations

from typing import Any

import numpy as np

from placewise.core import dtypes, nest
from placewise.core.arguments import TensorLike
from placewise.core.dtypes import DType
from placewise.core.shapes import TensorShape
from placewise.core.tensor import Tensor
from placewise.data import lazy
from placewise.data.construction import derived, int64, known_bool, known_int
from placewise.data.engine import batches as engine
from placewise.data.engine.restructure import View
from placewise.data.structure import batched, unbatched
from placewise.ops.array.static import get_static_value
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
        batch_size: int,
        drop_remainder: bool = False,
        num_parallel_calls: int | None = None,
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
        batch_size: TensorLike,
        padded_shapes: Any = None,
        padding_values: TensorLike | None = None,
        drop_remainder: bool = False,
        name: str | None = None,
    ) -> Any:
        """Return batches of elements padded at their ends to one shape."""
        leaves = nest.flatten(self.element_spec)
        for leaf in leaves:
            if not isinstance(leaf, TensorSpec):
                raise TypeError(
                    "`padded_batch` is not supported for datasets of datasets"
                    if isinstance(leaf, lazy.DatasetSpec)
                    else "`padded_batch` is only supported for datasets that produce tensor "
                    "elements but type spec of elements in the input dataset is not a subclass of "
                    f"TensorSpec: `{leaf!r}`."
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

    def _fillers(self, given: TensorLike | None, leaves: list[Any]) -> list[Any]:
        if given is None:
            values: list[Any] = [None] * len(leaves)
        elif nest.is_nested(self.element_spec) and not nest.is_nested(given):
            values = [given] * len(leaves)
        else:
            values = _up_to(self.element_spec, given, "padding_values")
        return [_filler(value, leaf) for value, leaf in zip(values, leaves, strict=True)]

    def ragged_batch(
        self,
        batch_size: int,
        drop_remainder: bool = False,
        row_splits_dtype: DType = dtypes.int64,
        name: str | None = None,
    ) -> Any:
        """Return batches whose elements may differ in size, as ragged tensors."""

        def ragged(spec: TensorSpec) -> Any:
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
        shapes = [getattr(leaf, "shape", None) for leaf in nest.flatten(self.element_spec)]
        rows = [shape[0] for shape in shapes if shape is not None and shape.rank]
        known = [count for count in rows if count is not None]
        if len(set(known)) > 1:
            other = next(count for count in known if count != known[0])
            raise ValueError(
                "`unbatch()` is only supported for datasets of elements whose components have a "
                f"matching leading dimension. Encountered both {known[0]} and {other}."
            )
        return derived(
            self,
            "_UnbatchDataset",
            engine.Unbatch,
            unbatched(self.element_spec),
            self._variant_tensor,
            sources=[self],
            name=name,
        )

    def rebatch(
        self, batch_size: Any, drop_remainder: bool = False, name: str | None = None
    ) -> Any:
        """Return the rows of all batches, in batches of another size."""
        sizes = convert_to_tensor(batch_size, dtypes.int64)
        known = get_static_value(sizes)
        every = set() if known is None else set(np.atleast_1d(known).tolist())
        fixed = every.pop() if len(every) == 1 else None
        if fixed is not None and not known_bool(drop_remainder):
            rows = {
                leaf.shape[0]
                for leaf in nest.flatten(self.element_spec)
                if getattr(leaf, "shape", None) is not None and leaf.shape.rank
            } - {None}
            if not fixed or not rows or any(size % fixed for size in rows):
                fixed = None
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

    def sparse_batch(self, batch_size: int, row_shape: list[Any], name: str | None = None) -> Any:
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
        size: int,
        shift: int | None = None,
        stride: int = 1,
        drop_remainder: bool = False,
        name: str | None = None,
    ) -> Any:
        """Return datasets of `size` elements each, the next beginning `shift` elements later."""

        def inner(spec: TensorSpec) -> Any:
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

    known = get_static_value(shape, partial=True)
    if known is None:
        return [-1] * int(shape.shape[0])
    return [-1 if d is None else int(d) for d in known]


def _vector(given: Any) -> Any:
    """Return a padded shape that is given as a tensor or nested lists; it must be a vector."""
    made = convert_to_tensor(given)
    shown = given.numpy() if isinstance(given, EagerTensor) else given
    wanted = f"Padded shape {shown} must be a `tf.int64` vector tensor, but its "
    if made.shape.rank not in (1, None):
        raise ValueError(f"{wanted}shape was {made.shape}.")
    if made.dtype is not dtypes.int64:
        raise TypeError(f"{wanted}element type was {made.dtype.name}.")
    return made


def _shape(given: Any, leaf: TensorSpec) -> Any:
    is_nested = isinstance(given, (list, tuple)) and any(isinstance(d, list) for d in given)
    if isinstance(given, Tensor) or is_nested:
        made = _vector(given)
        _check_fit(TensorShape([None if d < 0 else d for d in _static(made)]), leaf)
        return made
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
    _check_fit(shape, leaf)
    return _numbers(shape)


def _check_fit(shape: TensorShape, leaf: TensorSpec) -> None:
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


def _text(shape: TensorShape) -> str:
    return str(shape)


def _filler(value: TensorLike | None, leaf: TensorSpec) -> Any:
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
    if given is None:  # for all parts below
        given = nest.map_structure(lambda _: None, spec)
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
