"""`tf.data.Dataset`: elements of one structure, and what can be made of them.

A dataset is a tensor of dtype variant, made by an op like any other; what its op makes when it runs
is a `Source` of `engine`. The methods are in the mixins, by what they do.
"""

from __future__ import annotations

import collections.abc
from collections.abc import Callable
from typing import Any

from placewise.core import dtypes
from placewise.core.errors import hint
from placewise.core.nest import Composite
from placewise.core.scope import Scope, current
from placewise.core.shapes import TensorShape
from placewise.core.tensor import Tensor
from placewise.data import lazy, terminal
from placewise.data.batch_methods import Batching
from placewise.data.construction import of_kind
from placewise.data.engine import combinations
from placewise.data.iterators import NumpyIterator, OwnedIterator
from placewise.data.map_methods import Calling
from placewise.data.nested_spec import NestedSpec
from placewise.data.options import Options
from placewise.data.order_methods import Ordering
from placewise.data.sources import Creating
from placewise.data.structure import Structure
from placewise.ops.specs import TensorSpec, TypeSpec

AUTOTUNE = -1
INFINITE_CARDINALITY = -1
UNKNOWN_CARDINALITY = -2


class DatasetV2(Creating, Ordering, Batching, Calling, Composite, collections.abc.Iterable):  # type: ignore[type-arg]
    """A sequence of elements, maybe endless, each a structure of tensors.

    `variant_tensor`: what a dataset's op returns; programs do not pass it but call one of the
        functions below.

    `from_tensor_slices`, `from_tensors`, `from_generator`, `range` and `list_files` make datasets;
    `map`, `batch`, `shuffle`, `repeat`, `prefetch`, `cache`, `filter`, `zip` and others derive new
    ones. Nothing is computed before the dataset is iterated: by `for`, by Keras, or inside a
    function. `element_spec` describes the elements, `len()` counts them where that is known.
    Functions run as graphs on the host's CPU, and random ones draw TensorFlow's numbers for a given
    seed.

    >>> dataset = tf.data.Dataset.range(5).map(lambda x: x * x).batch(3)
    >>> [batch.numpy().tolist() for batch in dataset]
    [[0, 1, 4], [9, 16]]
    """

    _is_v1 = False

    def __init__(self, variant_tensor: Any) -> None:
        self._variant_tensor = variant_tensor
        self._structure = Structure(self.element_spec)
        self._sources: tuple[Any, ...] = tuple(self._inputs())
        self._options_set: Options | None = None

    @classmethod
    def _of(cls, variant: Tensor, structure: Structure, sources: tuple[Any, ...]) -> Any:
        made = cls.__new__(cls)
        made._variant_tensor, made._structure = variant, structure
        made._sources, made._options_set = sources, None
        return made

    @classmethod
    def _base(cls) -> Any:
        """Return the class that what is made from this is one of."""
        return DatasetV2

    def _inputs(self) -> list[Any]:
        return list(getattr(self, "_sources", ()))

    @property
    def element_spec(self) -> Any:
        """The structure of the elements, with a TypeSpec for each tensor."""
        return self._structure.spec

    # Reading.

    def __iter__(self) -> OwnedIterator:
        interpreter = current.interpreter
        if interpreter is Scope.eager or interpreter.is_function:
            return OwnedIterator(self)
        raise RuntimeError(
            hint(
                "`tf.data.Dataset` only supports Python-style iteration in eager mode or within "
                "tf.function.",
                "in a graph see tf.compat.v1.data.make_one_shot_iterator(dataset).get_next()",
            )
        )

    def _staged_rows(self) -> Any:
        return iter(self)._staged_rows()

    def as_numpy_iterator(self) -> NumpyIterator:
        """Return an iterator whose elements are NumPy arrays."""
        if current.interpreter is not Scope.eager:
            raise RuntimeError(
                "`tf.data.Dataset.as_numpy_iterator()` is only supported in eager mode."
            )
        for spec in self._structure.leaves:
            if getattr(spec, "dtype", None) is None and type(spec).__name__ != "NoneTensorSpec":
                raise TypeError(
                    "`tf.data.Dataset.as_numpy_iterator()` is not supported for datasets that "
                    f"produce values of type {spec.value_type}."
                )
        return NumpyIterator(self)

    def get_single_element(self, name: str | None = None) -> Any:
        """Return the one element; fails if there are none or several."""
        return terminal.single_element(self, name)

    def cardinality(self) -> Any:
        """Return how many elements there are; -1 for ever, -2 unknown."""
        return terminal.cardinality(self)

    def __bool__(self) -> bool:
        return True

    __nonzero__ = __bool__

    def __len__(self) -> int:
        if current.interpreter is not Scope.eager:
            raise TypeError(
                "`tf.data.Dataset` only supports `len` in eager mode. Use "
                "`tf.data.Dataset.cardinality()` instead."
            )
        length = int(self.cardinality())
        if length == INFINITE_CARDINALITY:
            raise TypeError(
                hint("The dataset is infinite.", "take(n) ends it, or count before repeat()")
            )
        if length == UNKNOWN_CARDINALITY:
            raise TypeError(
                hint(
                    "The dataset length is unknown.",
                    "count it: sum(1 for _ in dataset), or apply "
                    "tf.data.experimental.assert_cardinality(n)",
                )
            )
        return length

    def __repr__(self) -> str:
        return f"<{type(self).__name__} element_spec={self.element_spec!r}>"

    __str__ = __repr__

    def fingerprint(self) -> Any:
        """Return a number that is the same for datasets built in the same way."""
        return terminal.fingerprint(self)

    # Options.

    def options(self) -> Options:
        """Return the options that hold for this dataset and what it is made from."""
        made = self._merged_options()
        made._set_mutability(False)
        return made

    def _merged_options(self) -> Options:
        made = Options()
        for source in self._sources:
            made = made.merge(source._merged_options())
        return made if self._options_set is None else made.merge(self._options_set)

    def with_options(self, options: Options, name: str | None = None) -> Any:
        """Return this dataset with options set; later ones win."""
        made = self._same(
            "_OptionsDataset", combinations.WithOptions, serialized_options="", name=name
        )
        made._options_set = Options().merge(options)
        return made

    # Files.

    def save(
        self,
        path: str,
        compression: str | None = None,
        shard_func: Callable[..., Any] | None = None,
        checkpoint_args: Any = None,
    ) -> Any:
        """Write the elements below a folder; `load` reads them."""
        return lazy.save(self, path, compression, shard_func, checkpoint_args)

    def snapshot(
        self,
        path: str,
        compression: str = "AUTO",
        reader_func: Any = None,
        shard_func: Any = None,
        name: str | None = None,
    ) -> Any:
        """Return the elements, written below a folder the first time and read from there later."""
        return lazy.snapshot(self, path, compression, reader_func, shard_func, name)

    # As a value made of tensors.

    @property
    def _type_spec(self) -> Any:
        return DatasetSpec(self.element_spec)

    def _components(self) -> list[Any]:
        return [self._variant_tensor]

    def _from_components(self, parts: list[Any]) -> Any:
        return variant_dataset(parts[0], self.element_spec)

    def __reduce__(self) -> Any:
        raise TypeError("Datasets cannot be pickled; use `save` and `load`.")


def variant_dataset(variant: Tensor, spec: TensorSpec) -> Any:
    """Return the dataset of a variant tensor."""
    return of_kind(DatasetV2, "_VariantDataset")._of(variant, Structure(spec), ())


class DatasetBatch(Composite):
    """Several datasets as one element, as `batch` makes of a dataset of datasets.

    It has no elements of its own: `unbatch` gives the datasets back.
    """

    __slots__ = ("_spec", "_variants")

    def __init__(self, variants: Tensor, spec: Any) -> None:
        self._variants, self._spec = variants, spec

    @property
    def element_spec(self) -> Any:
        """The structure of the elements of each dataset."""
        return self._spec.element_spec

    @property
    def _type_spec(self) -> Any:
        return self._spec

    def _components(self) -> list[Any]:
        return [self._variants]

    def _from_components(self, parts: list[Any]) -> Any:
        return DatasetBatch(parts[0], self._spec)


def datasets_as_one(datasets: list[DatasetV2]) -> DatasetBatch:
    """Return a list of datasets as one element, of which `from_tensor_slices` gives each."""
    each = DatasetV2.from_tensor_slices(datasets)
    made: DatasetBatch = each.batch(len(datasets), drop_remainder=True).get_single_element()
    return made


class DatasetSpec(NestedSpec):
    """The structure of the elements of a dataset."""

    def __init__(self, element_spec: Any, dataset_shape: Any = ()) -> None:
        super().__init__(element_spec)
        self._dataset_shape = TensorShape(dataset_shape)

    @property
    def value_type(self) -> Any:
        """tf.data.Dataset."""
        return DatasetV2

    def _serialize(self) -> tuple[Any, ...]:
        return (self._element_spec, self._dataset_shape)

    def is_subtype_of(self, other: Any) -> bool:
        """Return True if every dataset of this spec is one of `other`."""
        return super().is_subtype_of(other) and self._dataset_shape.is_subtype_of(
            other._dataset_shape
        )

    def most_specific_common_supertype(self, others: Any) -> Any:
        """Return the narrowest spec that holds all, or None."""
        elements = super().most_specific_common_supertype(others)
        if elements is None:
            return None
        shapes = [other._dataset_shape for other in others]
        shape = self._dataset_shape.most_specific_common_supertype(shapes)
        return DatasetSpec(elements._element_spec, shape)

    @property
    def _component_specs(self) -> Any:
        return [TensorSpec(self._dataset_shape, dtypes.variant)]

    def _from_components(self, parts: list[Any]) -> Any:
        if any(isinstance(part, TypeSpec) for part in parts):
            return self
        if self._dataset_shape.rank != 0:
            return DatasetBatch(parts[0], self)
        return variant_dataset(parts[0], self._element_spec)

    def _batch(self, size: int | None) -> Any:
        shape = TensorShape([size]).concatenate(self._dataset_shape)
        return DatasetSpec(self._element_spec, shape)

    def _unbatch(self) -> Any:
        if self._dataset_shape.rank == 0:
            raise ValueError("Slicing dataset elements is not supported for rank 0.")
        return DatasetSpec(self._element_spec, self._dataset_shape[1:])

    def __repr__(self) -> str:
        dims = self._dataset_shape
        return f"DatasetSpec({self._element_spec!r}, {dims!r})"


DatasetV2.__module__ = DatasetSpec.__module__ = "tensorflow.python.data.ops.dataset_ops"
