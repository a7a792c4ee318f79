"""`save`, `load` and `snapshot`: datasets in files, in TensorFlow's own layout."""

from __future__ import annotations

import importlib
import os
from collections import namedtuple
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from placewise import messages
from placewise.core import dtypes
from placewise.core.dtypes import as_dtype
from placewise.core.errors import NotFoundError
from placewise.core.foreign_words import read_as
from placewise.core.scope import Scope, current
from placewise.core.shapes import TensorShape
from placewise.data.construction import derived
from placewise.data.dataset import DatasetSpec, DatasetV2
from placewise.data.engine import storage
from placewise.data.engine.source import on_host
from placewise.data.user_functions import traced
from placewise.messages.decoding import parsed_message
from placewise.ops.convert import convert_to_tensor
from placewise.ops.declare import define
from placewise.ops.io import paths
from placewise.ops.ragged.spec import RaggedTensorSpec
from placewise.ops.sparse.spec import SparseTensorSpec
from placewise.ops.specs import NoneTensorSpec, TensorSpec
from placewise.ops.values import EagerTensor, Variant

if TYPE_CHECKING:
    import numpy as np

    from placewise.functions.dataset_function import StructuredFunction


_SPEC_FILE = "dataset_spec.pb"


def encoded(spec: Any) -> Any:
    """Return a structure of specs as a StructuredValue message."""
    made = messages.StructuredValue()
    if isinstance(spec, TensorSpec):
        made.tensor_spec_value.shape.CopyFrom(spec.shape.as_proto())
        made.tensor_spec_value.dtype = spec.dtype.as_datatype_enum
    elif isinstance(spec, (SparseTensorSpec, RaggedTensorSpec, NoneTensorSpec)):
        found = made.type_spec_value
        found.type_spec_class_name = type(spec).__name__
        found.num_flat_components = 1
        found.type_spec_class = {"SparseTensorSpec": 1, "RaggedTensorSpec": 3}.get(
            type(spec).__name__, 12
        )
        found.type_state.tuple_value.SetInParent()
        for part in spec._serialize():
            found.type_state.tuple_value.values.append(_encoded_part(part))
    elif isinstance(spec, dict):
        made.dict_value.SetInParent()
        for key, part in spec.items():
            made.dict_value.fields[key].CopyFrom(encoded(part))
    elif hasattr(type(spec), "_fields"):
        made.named_tuple_value.name = type(spec).__name__
        for key in type(spec)._fields:
            pair = made.named_tuple_value.values.add()
            pair.key = key
            pair.value.CopyFrom(encoded(getattr(spec, key)))
    elif isinstance(spec, (tuple, list)):
        made.tuple_value.SetInParent()
        made.tuple_value.values.extend([encoded(part) for part in spec])
    else:
        raise TypeError(f"No way to write down {spec!r}.")
    return made


def _encoded_part(part: Any) -> Any:
    made = messages.StructuredValue()
    if isinstance(part, TensorShape):
        made.tensor_shape_value.CopyFrom(part.as_proto())
    elif isinstance(part, dtypes.DType):
        made.tensor_dtype_value = part.as_datatype_enum
    else:
        made.int64_value = int(part)
    return made


def decoded(value: Any) -> Any:
    """Return a StructuredValue message as a structure of specs."""
    kind = value.WhichOneof("kind")
    if kind == "tensor_spec_value":
        found = value.tensor_spec_value
        return TensorSpec(TensorShape(found.shape), as_dtype(found.dtype))
    if kind == "tuple_value":
        return tuple(decoded(each) for each in value.tuple_value.values)
    if kind == "list_value":
        return [decoded(each) for each in value.list_value.values]
    if kind == "dict_value":
        return {key: decoded(each) for key, each in value.dict_value.fields.items()}
    if kind == "named_tuple_value":
        pairs = value.named_tuple_value.values
        made = namedtuple(value.named_tuple_value.name, [p.key for p in pairs])  # type: ignore[misc]
        return made(*[decoded(pair.value) for pair in pairs])
    if kind == "type_spec_value":
        found = value.type_spec_value
        parts = [_decoded_part(each) for each in found.type_state.tuple_value.values]
        classes = {1: SparseTensorSpec, 3: RaggedTensorSpec}
        if found.type_spec_class in classes:
            return classes[found.type_spec_class](*parts)
        if found.type_spec_class_name.endswith("NoneTensorSpec"):
            return NoneTensorSpec()
    raise TypeError(f"No spec is known for {value}.")


def _decoded_part(value: Any) -> Any:
    kind = value.WhichOneof("kind")
    if kind == "tensor_shape_value":
        return TensorShape(value.tensor_shape_value)
    if kind == "tensor_dtype_value":
        return as_dtype(value.tensor_dtype_value)
    return int(value.int64_value) if kind == "int64_value" else None


_save = define(
    "SaveDataset(input_dataset: variant, path: string, shard_func_other_args: [Tshard_func_args];"
    " compression: string = '', shard_func: func)",
    devices=("CPU",),
    stateful=True,
    differentiable=False,
    host=("path",),
    doc="Write the elements of a dataset below a folder.",
)


@_save.kernel
def save_kernel(
    input_dataset: Variant,
    path: np.ndarray[Any, Any],
    shard_func_other_args: list[Any],
    *,
    compression: str,
    shard_func: StructuredFunction | None,
) -> None:
    """Write a dataset."""
    source = input_dataset.value
    shard = storage.shard_of(shard_func, shard_func_other_args)
    storage.write_saved(paths.local_path(path[()]), source, compression, shard)


def _compression(given: str | None) -> str:
    if given in (None, "", "NONE", "AUTO"):
        return ""
    if given not in ("GZIP", "ZLIB"):
        raise ValueError(
            f"Invalid compression type: {given}. Supported types are None, 'GZIP' and 'ZLIB'."
        )
    return str(given)


def _sharding(dataset: DatasetV2, shard_func: Callable[..., Any] | None) -> tuple[Any, list[Any]]:
    if shard_func is None:
        return None, []
    made = traced(shard_func, dataset.element_spec, "shard_func")
    found = made.output_spec
    if not isinstance(found, TensorSpec) or found.dtype not in (dtypes.int32, dtypes.int64):
        raise TypeError(
            "Invalid `shard_func`. `shard_func` must return `tf.int64` scalar tensor but its "
            f"return type is {found}."
        )
    return made, list(made.captured)


def _reading(reader_func: Callable[..., Any] | None, spec: Any) -> tuple[Any, list[Any]]:
    """Return a reader function of shards, and what it captures.

    Without one, as many shards are read by turns as there are processors, as in TensorFlow.
    """
    if reader_func is None:
        reader_func = _by_turns
    made = traced(reader_func, DatasetSpec(DatasetSpec(spec)), "reader_func")
    if not isinstance(made.output_spec, DatasetSpec):
        raise TypeError(
            "Invalid `reader_func`. `reader_func` must return a `Dataset` object but its return "
            f"type is {made.output_spec}."
        )
    return made, list(made.captured)


def _by_turns(shards: DatasetV2) -> Any:
    return shards.interleave(lambda shard: shard, cycle_length=os.cpu_count())


def save(
    dataset: DatasetV2,
    path: str,
    compression: str | None = None,
    shard_func: Callable[..., Any] | None = None,
    checkpoint_args: Any = None,
) -> Any:
    """Write a dataset below a folder."""
    if checkpoint_args and "checkpoint" in checkpoint_args:
        raise ValueError(
            "Invalid `checkpoint_args`. `checkpoint_args` are not allowed to include 'checkpoint'."
        )
    function, captured = _sharding(dataset, shard_func)
    text = os.fspath(path) if not hasattr(path, "dtype") else path
    if isinstance(text, (str, bytes, EagerTensor)):
        folder = paths.local_path(text if isinstance(text, (str, bytes)) else text.numpy())
        with paths.told(folder):
            os.makedirs(folder, exist_ok=True)
            with open(os.path.join(folder, _SPEC_FILE), "wb") as file:
                file.write(encoded(dataset.element_spec).SerializeToString())
    if checkpoint_args and current.interpreter is Scope.eager:
        saved = derived(
            dataset,
            "_SaveDataset",
            storage.Save,
            dataset.element_spec,
            dataset._variant_tensor,
            convert_to_tensor(text, dtypes.string),
            captured,
            sources=[dataset],
            compression=_compression(compression),
            shard_func=function,
        )
        steps = importlib.import_module("placewise.saving.dataset_checkpoints")
        return steps.read_with_checkpoints(saved, checkpoint_args)
    with on_host():
        return _save(
            dataset._variant_tensor,
            convert_to_tensor(text, dtypes.string),
            captured,
            compression=_compression(compression),
            shard_func=function,
        )


def load(
    base: type[Any],
    path: str,
    element_spec: Any = None,
    compression: str | None = None,
    reader_func: Any = None,
) -> Any:
    """Return a dataset that `save` wrote."""
    folder = paths.local_path(path.numpy() if isinstance(path, EagerTensor) else os.fspath(path))
    if element_spec is None:
        name = os.path.join(folder, _SPEC_FILE)
        if not os.path.exists(name):
            raise NotFoundError(
                None, None, f"Could not find metadata file [{storage.metadata_path(folder)}]"
            )
        value = parsed_message(messages.StructuredValue, paths.read(name), name)
        with read_as(name):
            element_spec = decoded(value)
    function, captured = _reading(reader_func, element_spec)
    return derived(
        base,
        "_LoadDataset",
        storage.Load,
        element_spec,
        convert_to_tensor(folder),
        captured,
        compression=_compression(compression),
        reader_func=function,
    )


def snapshot(
    dataset: DatasetV2, path: str, compression: str, reader_func: Any, shard_func: Any, name: Any
) -> Any:
    """Return a dataset whose elements are written to files once, and read from then on."""
    if shard_func is None:  # elements go to as many files as there are processors, by turns
        count = os.cpu_count() or 1
        numbered = dataset.enumerate(name=name)
        kept = snapshot(
            numbered, path, compression, reader_func, lambda number, _: number % count, name
        )
        return kept.map(lambda _, element: element, name=name)
    function, captured = _sharding(dataset, shard_func)
    reader, reader_captured = _reading(reader_func, dataset.element_spec)
    return derived(
        dataset,
        "_SnapshotDataset",
        storage.Snapshot,
        dataset.element_spec,
        dataset._variant_tensor,
        convert_to_tensor(path if hasattr(path, "dtype") else os.fspath(path), dtypes.string),
        reader_captured,
        captured,
        sources=[dataset],
        compression=_compression(compression if compression != "SNAPPY" else None),
        reader_func=reader,
        shard_func=function,
        name=name,
    )
