"""Datasets that begin with something: the static methods of `tf.data.Dataset`."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from placewise.core import dtypes, nest
from placewise.core.arguments import ShapeLike
from placewise.core.dtypes import DType, as_dtype
from placewise.core.errors import hint
from placewise.core.scope import Scope, current, replaced
from placewise.core.shapes import TensorShape
from placewise.data import lazy
from placewise.data.construction import derived, input_seeds, int64
from placewise.data.engine import combinations, sources
from placewise.data.engine.generator import Generated
from placewise.data.engine.source import host_request
from placewise.data.file_names import list_files
from placewise.data.structure import Structure, normalised, spec_of, unbatched
from placewise.ops.convert import convert_to_tensor
from placewise.ops.specs import TensorSpec, TypeSpec

if TYPE_CHECKING:
    from placewise.data.dataset import DatasetV2


def _on_host(tensors: Any) -> Any:
    """Return a structure of tensors; arrays become tensors of the CPU that the dataset is on."""
    if current.interpreter is not Scope.eager:
        return normalised(tensors)
    with replaced(request=host_request(), requests=()):
        return normalised(tensors)


class Creating:
    """Makes datasets of tensors, numbers, generators, files and other datasets."""

    @classmethod
    def from_tensors(cls, tensors: Any, name: str | None = None) -> Any:
        """Return a dataset of one element."""
        given = _on_host(tensors)
        spec = spec_of(given)
        return derived(
            cls, "_TensorDataset", sources.Tensors, spec, Structure(spec).tensors(given), name=name
        )

    @classmethod
    def from_tensor_slices(cls, tensors: Any, name: str | None = None) -> Any:
        """Return a dataset of the slices of tensors along their first dimension.

        The slices of a list of datasets are these datasets.
        """
        if type(tensors) is list and tensors and all(isinstance(one, cls) for one in tensors):
            first, *others = [cls.from_tensors(one, name) for one in tensors]
            return functools.reduce(lambda joined, one: joined.concatenate(one), others, first)
        given = _on_host(tensors)
        if isinstance(given, lazy.DatasetBatch):
            return cls.from_tensors(given, name).unbatch()
        spec = spec_of(given)
        leaves = nest.flatten(spec)
        if not leaves:
            raise ValueError("Invalid `tensors`. `tensors` should not be empty.")
        rows = unbatched(spec)
        first = TensorShape([None])
        for leaf in leaves:
            if getattr(leaf, "shape", None) is not None and leaf.shape.rank:
                size = TensorShape([leaf.shape[0]])
                if not first.is_compatible_with(size):
                    one, other = first.as_list()[0], size.as_list()[0]
                    raise ValueError(
                        hint(
                            f"Dimensions {one} and {other} are not compatible",
                            "all parts need the same first dimension: check len() of each, as of "
                            "features and labels",
                        )
                    )
                first = first.merge_with(size)
        whole = Structure(spec)
        return derived(
            cls,
            "_TensorSliceDataset",
            sources.Slices,
            rows,
            whole.tensors(given),
            whole=whole,
            name=name,
        )

    @classmethod
    def from_generator(
        cls,
        generator: Callable[..., Any],
        output_types: Any = None,
        output_shapes: list[Any] | None = None,
        args: list[Any] | None = None,
        output_signature: Any = None,
        name: str | None = None,
    ) -> Any:
        """Return a dataset of what `generator(*args)` yields."""
        if not callable(generator):
            raise TypeError("`generator` must be a Python callable.")
        if output_signature is not None:
            if output_types is not None:
                raise TypeError(
                    "The `output_types` argument can not be used together with the "
                    "`output_signature` argument."
                )
            if output_shapes is not None:
                raise TypeError(
                    "The `output_shapes` argument can not be used together with the "
                    "`output_signature` argument."
                )
            spec = output_signature
            for each in nest.flatten(spec):
                if not isinstance(each, TypeSpec):
                    raise TypeError(
                        "`output_signature` must contain objects that are subclass of "
                        f"`tf.TypeSpec` but found {type(each)} which is not."
                    )
        elif output_types is None:
            raise TypeError(
                "To specify the output signature you need to provide either the "
                "`output_signature` argument or the `output_types` argument."
            )
        else:
            spec = _old_signature(output_types, output_shapes)
        given = [convert_to_tensor(each) for each in args] if args is not None else []
        return derived(
            cls,
            "_FlatMapDataset",
            Generated,
            _without_lists(spec),
            given,
            generator=generator,
            name=name,
        )

    @classmethod
    def range(cls, *args: Any, **kwargs: Any) -> Any:
        """Return a dataset of numbers: stop; or start, stop; or start, stop, step."""
        output_type = as_dtype(kwargs.pop("output_type", dtypes.int64))
        name = kwargs.pop("name", None)
        if not 1 <= len(args) <= 3:
            raise ValueError(
                "Invalid `args`. The length of `args` should be between 1 and 3 but was "
                f"{len(args)}."
            )
        start, stop, step = ((0, args[0], 1), (*args, 1), args)[len(args) - 1]
        return derived(
            cls,
            "_RangeDataset",
            sources.Range,
            TensorSpec((), output_type),
            int64(start),
            int64(stop),
            int64(step),
            name=name,
        )

    @classmethod
    def counter(
        cls, start: int = 0, step: int = 1, dtype: DType = dtypes.int64, name: str | None = None
    ) -> Any:
        """Return a dataset that counts for ever."""
        kind = as_dtype(dtype)
        given = [convert_to_tensor(each, kind) for each in (start, step)]
        return derived(
            cls, "_ScanDataset", sources.Counter, TensorSpec((), kind), *given, name=name
        )

    @classmethod
    def random(
        cls,
        seed: int | None = None,
        rerandomize_each_iteration: bool | None = None,
        name: str | None = None,
    ) -> Any:
        """Return a dataset of random numbers below 2**32, for ever."""
        seeds = input_seeds(seed)
        return derived(
            cls,
            "_RandomDataset",
            sources.Random,
            TensorSpec((), dtypes.int64),
            *seeds,
            rerandomize_each_iteration=bool(rerandomize_each_iteration),
            name=name,
        )

    @classmethod
    def zip(cls, *args: Any, datasets: Any = None, name: str | None = None) -> Any:
        """Return a dataset whose elements are those of a structure of datasets side by side."""
        if not args and datasets is None:
            raise TypeError("Must pass at least one dataset to `zip`.")
        if args and datasets is not None:
            raise TypeError("Both `*args` and `datasets` cannot be set.")
        given = datasets if datasets is not None else args[0] if len(args) == 1 else args
        flat = nest.flatten(given)
        for each in flat:
            if not isinstance(each, lazy.DatasetV2):
                if isinstance(each, list):
                    advice = " Python `list` is not supported, please use a `tuple` instead."
                else:
                    advice = ""
                raise TypeError(
                    hint(
                        "Invalid input to `zip`. Inputs are expected to be (nested) structures of "
                        "`tf.data.Dataset` objects but encountered object of type "
                        f"{type(each)}.{advice}",
                        "make datasets of them first: tf.data.Dataset.from_tensor_slices(x)",
                    )
                )
        if isinstance(given, list):
            raise TypeError(
                hint(
                    "Invalid input to `zip`. Inputs are expected to be (nested) structures of "
                    "`tf.data.Dataset` objects. Python `list` is not supported and you should use "
                    "`tuple` instead.",
                    "make datasets of them first: tf.data.Dataset.from_tensor_slices(x)",
                )
            )
        spec = nest.map_structure(lambda each: each.element_spec, given)
        variants = [each._variant_tensor for each in flat]
        return derived(
            cls, "_ZipDataset", combinations.Zip, spec, variants, sources=flat, name=name
        )

    @classmethod
    def list_files(
        cls,
        file_pattern: str,
        shuffle: bool | None = None,
        seed: int | None = None,
        name: str | None = None,
    ) -> Any:
        """Return a dataset of the names of files that match a pattern, in random order."""
        return list_files(cls, file_pattern, True if shuffle is None else shuffle, seed, name)

    @classmethod
    def sample_from_datasets(
        cls,
        datasets: list[Any],
        weights: list[Any] | None = None,
        seed: int | None = None,
        stop_on_empty_dataset: bool = False,
        rerandomize_each_iteration: bool | None = None,
    ) -> Any:
        """Return a dataset of elements drawn from others at random, by weights."""
        return lazy.sample(
            cls, datasets, weights, seed, stop_on_empty_dataset, rerandomize_each_iteration
        )

    @classmethod
    def choose_from_datasets(
        cls, datasets: list[Any], choice_dataset: DatasetV2, stop_on_empty_dataset: bool = True
    ) -> Any:
        """Return a dataset of elements of others, in the order a further one says."""
        return lazy.choose(cls, datasets, choice_dataset, stop_on_empty_dataset)

    @classmethod
    def load(
        cls,
        path: str,
        element_spec: Any = None,
        compression: str | None = None,
        reader_func: Any = None,
        wait: bool = False,
    ) -> Any:
        """Return a dataset that `save` wrote."""
        return lazy.load(cls, path, element_spec, compression, reader_func)


def _old_signature(types: Any, shapes: list[Any] | None) -> Any:
    _refuse_lists(types)
    if shapes is None:
        shapes = nest.map_structure(lambda _: TensorShape(None), types)
    flat_types = nest.flatten(types)
    flat_shapes = _shapes_up_to(types, shapes)
    specs = [TensorSpec(s, t) for t, s in zip(flat_types, flat_shapes, strict=True)]
    return nest.pack_sequence_as(types, specs)


def _refuse_lists(types: Any) -> None:
    if isinstance(types, list):
        raise TypeError(f"Cannot convert the argument `type_value`: {types} to a TensorFlow DType.")
    for _, part in nest.children(types) or []:
        _refuse_lists(part)


def _shapes_up_to(types: Any, shapes: ShapeLike) -> list[Any]:
    """Return the shapes that stand where `types` has its leaves."""
    parts = nest.children(types)
    if parts is None:
        return [TensorShape(shapes)]
    given = (
        [part for _, part in nest.children(shapes) or []]
        if not isinstance(shapes, TensorShape)
        else list(shapes)
    )
    if len(parts) != len(given):
        raise TypeError(f"The shapes {shapes} do not have the structure of the types {types}.")
    return [
        leaf
        for (_, part), shape in zip(parts, given, strict=True)
        for leaf in _shapes_up_to(part, shape)
    ]


def _without_lists(spec: Any) -> Any:
    if isinstance(spec, list):
        return tuple(_without_lists(each) for each in spec)
    return spec
