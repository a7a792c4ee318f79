"""Iterators of TensorFlow 1: made in a graph, begun and read in sessions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from placewise.core import dtypes, nest
from placewise.core.arguments import TensorLike
from placewise.core.dtypes import DType
from placewise.core.scope import Scope, current
from placewise.core.shapes import TensorShape
from placewise.core.tensor import Tensor
from placewise.data import iterator_ops
from placewise.data.engine.source import on_host
from placewise.data.iterators import OwnedIterator
from placewise.data.one_shot import factory_of
from placewise.data.optional import Optional
from placewise.data.sources import _shapes_up_to
from placewise.data.structure import Structure, is_compatible
from placewise.ops.convert import convert_to_tensor
from placewise.ops.ragged.spec import RaggedTensorSpec
from placewise.ops.sparse.sparse_tensor import SparseTensor
from placewise.ops.sparse.spec import SparseTensorSpec
from placewise.ops.specs import TensorSpec

if TYPE_CHECKING:
    from placewise.data.dataset_v1 import DatasetV1Adapter


def output_types(dataset_or_iterator: Any) -> Any:
    """Return the dtypes of the parts of a dataset's or iterator's elements."""
    return nest.map_structure(
        lambda spec: getattr(spec, "dtype", None), dataset_or_iterator.element_spec
    )


def output_shapes(dataset_or_iterator: Any) -> Any:
    """Return the shapes of the parts of a dataset's or iterator's elements."""
    return nest.map_structure(
        lambda spec: getattr(spec, "shape", None), dataset_or_iterator.element_spec
    )


def output_classes(dataset_or_iterator: Any) -> Any:
    """Return the classes of the parts of a dataset's or iterator's elements."""
    return nest.map_structure(lambda spec: spec.value_type, dataset_or_iterator.element_spec)


def spec_from(types: DType, shapes: TensorShape, classes: Any) -> Any:
    """Return the structure that the older three descriptions together give."""
    flat = nest.flatten(types)
    dims = [TensorShape(None)] * len(flat) if shapes is None else _shapes_up_to(types, shapes)
    kinds = [Tensor] * len(flat) if classes is None else nest.flatten(classes)
    made = [_spec(t, s, k) for t, s, k in zip(flat, dims, kinds, strict=True)]
    return nest.pack_sequence_as(types, made)


def _spec(dtype: DType, shape: TensorShape, kind: type[Any]) -> Any:
    if kind is SparseTensor:
        return SparseTensorSpec(shape, dtype)
    if getattr(kind, "__name__", "") == "RaggedTensor":
        return RaggedTensorSpec(shape, dtype)
    return TensorSpec(shape, dtype)


class Iterator:
    """Where reading a dataset has got to, in each session: `tf.data.Iterator` of TensorFlow 1."""

    def __init__(self, iterator_resource: Any, initializer: Any, spec: Any) -> None:
        self._iterator_resource = iterator_resource
        self._initializer = initializer
        self._structure = Structure(spec)
        self._get_next_call_count = 0
        self._string_handle: Any = None

    @staticmethod
    def from_structure(
        output_types: Any,
        output_shapes: Any = None,
        shared_name: str | None = None,
        output_classes: Any = None,
    ) -> Iterator:
        """Return an iterator that any dataset of this structure may begin."""
        spec = spec_from(output_types, output_shapes, output_classes)
        return Iterator(_resource(Structure(spec), shared_name), None, spec)

    @staticmethod
    def from_string_handle(
        string_handle: TensorLike,
        output_types: Any,
        output_shapes: Any = None,
        output_classes: Any = None,
    ) -> Iterator:
        """Return the iterator whose string handle is fed."""
        spec = spec_from(output_types, output_shapes, output_classes)
        given = convert_to_tensor(string_handle, dtypes.string)
        with on_host():
            made = iterator_ops.from_string_handle(given, **_types(Structure(spec)))
        return Iterator(made, None, spec)

    @property
    def initializer(self) -> Any:
        """The operation that begins with the first element."""
        if self._initializer is None:
            raise ValueError(
                "The iterator does not have an initializer. This means it was likely created using "
                "`tf.data.Dataset.make_one_shot_iterator()`. For an initializable iterator, use "
                "`tf.data.Dataset.make_initializable_iterator()` instead."
            )
        return self._initializer

    def make_initializer(self, dataset: DatasetV1Adapter, name: str | None = None) -> Any:
        """Return an operation that begins with the first element of a dataset."""
        for what, mine, theirs in (
            ("output types", output_types(self), output_types(dataset)),
            ("output classes", output_classes(self), output_classes(dataset)),
        ):
            if nest.flatten(mine) != nest.flatten(theirs):
                kind = "dataset with " + what
                raise TypeError(f"Expected {what} {mine!r} but got {kind} {theirs!r}.")
        if not is_compatible(self.element_spec, dataset.element_spec):
            raise TypeError(
                "Expected output shapes compatible with "
                f"{output_shapes(self)!r} but got dataset with output shapes "
                f"{output_shapes(dataset)!r}."
            )
        with on_host():
            return iterator_ops.make_iterator(
                dataset._variant_tensor, self._iterator_resource, name=name or "make_initializer"
            )

    def get_next(self, name: str | None = None) -> Any:
        """Return tensors that hold the next element each time they are run."""
        self._get_next_call_count += 1
        with on_host():
            tensors = iterator_ops.get_next(
                self._iterator_resource, **_types(self._structure), name=name
            )
        return self._structure.packed_tensors(list(tensors))

    def get_next_as_optional(self) -> Optional:
        """Return the next element as an optional, which is empty at the end."""
        with on_host():
            made = iterator_ops.get_next_as_optional(
                self._iterator_resource, **_types(self._structure)
            )
        return Optional(made, self._structure.spec)

    def string_handle(self, name: str | None = None) -> Any:
        """Return a string tensor that stands for this iterator when fed."""
        if name is not None:
            return self._as_text(name)
        if self._string_handle is None:
            self._string_handle = self._as_text(None)
        return self._string_handle

    def _as_text(self, name: str | None) -> Any:
        with on_host():
            return iterator_ops.to_string_handle(self._iterator_resource, name=name)

    @property
    def element_spec(self) -> Any:
        """The structure of the elements."""
        return self._structure.spec

    @property
    def output_types(self) -> Any:
        """The dtypes of the elements' parts."""
        return output_types(self)

    @property
    def output_shapes(self) -> Any:
        """The shapes of the elements' parts."""
        return output_shapes(self)

    @property
    def output_classes(self) -> Any:
        """The classes of the elements' parts."""
        return output_classes(self)


Iterator.__module__ = "tensorflow.python.data.ops.iterator_ops"


def _types(structure: Structure) -> dict[str, Any]:
    attrs = structure.attrs
    del attrs["structure"]
    return attrs


def _resource(structure: Structure, shared_name: str | None) -> Any:
    with on_host():
        return iterator_ops.iterator(shared_name=shared_name or "", **_types(structure))


def make_initializable_iterator(dataset: Any, shared_name: str | None = None) -> Iterator:
    """Return an iterator that begins when its `initializer` is run."""
    if current.interpreter is Scope.eager:
        raise RuntimeError(
            "`tf.compat.v1.data.make_initializable_iterator` is not supported when eager execution "
            "is enabled. Use `for element in dataset` instead."
        )
    made = _resource(dataset._structure, shared_name)
    with on_host(), made.graph.colocate_with(made.op):
        begin = iterator_ops.make_iterator(dataset._variant_tensor, made)
    return Iterator(made, begin, dataset.element_spec)


def make_one_shot_iterator(dataset: Any) -> Any:
    """Return an iterator that begins by itself and goes through a dataset once."""
    if current.interpreter is Scope.eager:
        return OwnedIterator(dataset)

    with on_host():
        made = iterator_ops.one_shot_iterator(
            dataset_factory=factory_of(dataset._variant_tensor), **_types(dataset._structure)
        )
    return Iterator(made, None, dataset.element_spec)
