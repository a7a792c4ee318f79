"""The ops that save and restore tensors: `SaveV2`, `RestoreV2`, and those of the first format."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from placewise.core.activity import phase
from placewise.core.arguments import TensorLike
from placewise.core.dtypes import DType, as_dtype
from placewise.core.errors import invalid
from placewise.core.shapes import Dims, Static
from placewise.ops.checkpoint import bundle_writer
from placewise.ops.checkpoint.bundle_writer import BundleWriter
from placewise.ops.checkpoint.contents import array_of, content_of
from placewise.ops.checkpoint.formats import opened
from placewise.ops.checkpoint.slices import parse
from placewise.ops.checkpoint.v1_format import SliceTableWriter
from placewise.ops.declare import define, op
from placewise.ops.families import bracketed
from placewise.ops.io import paths
from placewise.ops.io.tensors import strings
from placewise.ops.values import Content, c_name

if TYPE_CHECKING:
    import numpy as np
    import torch


CPU = ("CPU",)


def _scalar(value: np.ndarray[Any, Any], what: str) -> str:
    if value.size != 1:
        raise invalid(f"Input {what} should be a scalar tensor, got shape {bracketed(value.shape)}")
    return paths.local_path(value.reshape(-1)[0])


def _texts(value: np.ndarray[Any, Any], what: str, count: int | None = None) -> list[str]:
    if value.ndim != 1:
        raise invalid(
            f"Input {what} should be an 1-D tensor, got {bracketed(value.shape)} instead."
        )
    if count is not None and len(value) != count:
        raise invalid(
            f"tensor_names and {what} have different number of elements: {count} vs. {len(value)}"
        )
    if not all(isinstance(text, bytes) for text in value):
        raise invalid(f"Input {what} should hold strings, got {value.dtype}")
    return [text.decode() for text in value]


def _write(writer: Any, names: list[str], parts: list[str], tensors: list[Any]) -> None:
    total = sum(int(getattr(content, "nbytes", 0)) for content in tensors)
    with phase("saving", getattr(writer, "prefix", ""), total, in_bytes=True) as count:
        try:
            if len(names) != len(tensors):
                raise invalid(f"Got {len(names)} tensor names but {len(tensors)} tensors to save")
            for name, part, content in zip(names, parts, tensors, strict=True):
                if part:
                    full, piece = parse(part)
                    writer.add_slice(name, full, piece, array_of(content))
                else:
                    writer.add(name, array_of(content))
                count.done += int(getattr(content, "nbytes", 0))
        except BaseException:
            writer.abandon()
            raise
        writer.finish()


@op(
    "SaveV2(prefix: string, tensor_names: string, shape_and_slices: string,"
    " tensors: [dtypes] >= 1)",
    checkpoints="saves",
    devices=CPU,
    stateful=True,
    differentiable=False,
)
def save_v2(
    prefix: TensorLike,
    tensor_names: list[Any],
    shape_and_slices: list[Any],
    tensors: TensorLike,
    name: str | None = None,
) -> Any:
    """Write tensors, or parts of tensors, to a checkpoint, all or nothing."""
    return save_v2.bind(prefix, tensor_names, shape_and_slices, tensors, name)


@save_v2.shape
def save_v2_shape(*_: object) -> list[Dims]:
    return []


@save_v2.kernel
def save_v2_kernel(
    prefix: np.ndarray[Any, Any],
    tensor_names: np.ndarray[Any, Any],
    shape_and_slices: np.ndarray[Any, Any],
    tensors: list[Content],
) -> None:
    names = _texts(tensor_names, "tensor_names")
    parts = _texts(shape_and_slices, "shape_and_slices", len(names))
    _write(BundleWriter(_scalar(prefix, "prefix")), names, parts, list(tensors))


@op(
    "RestoreV2(prefix: string, tensor_names: string, shape_and_slices: string;"
    " dtypes: list(type) >= 1) -> tensors: [dtypes]",
    checkpoints="restores",
    devices=CPU,
    stateful=True,
    differentiable=False,
)
def restore_v2(
    prefix: TensorLike,
    tensor_names: list[Any],
    shape_and_slices: list[Any],
    dtypes: list[Any],
    name: str | None = None,
) -> Any:
    """Return tensors of a checkpoint, of either format, by name."""
    return restore_v2.bind(prefix, tensor_names, shape_and_slices, dtypes=dtypes, name=name)


@restore_v2.shape
def restore_v2_shape(
    prefix: Static, tensor_names: Static, shape_and_slices: Static, *, dtypes: list[Any]
) -> list[Dims]:
    known = shape_and_slices.value
    if known is None:
        return [None] * len(dtypes)
    return [_part_shape(each) for each in known.reshape(-1)]


def _part_shape(part: bytes) -> Dims:
    text = part.decode() if isinstance(part, bytes) else str(part)
    if not text:
        return None
    full, piece = parse(text)
    return piece.shape_in(full)


@restore_v2.kernel
def restore_v2_kernel(
    prefix: np.ndarray[Any, Any],
    tensor_names: np.ndarray[Any, Any],
    shape_and_slices: np.ndarray[Any, Any],
    *,
    dtypes: list[Any],
) -> list[Any]:
    names = _texts(tensor_names, "tensor_names")
    parts = _texts(shape_and_slices, "shape_and_slices", len(names))
    if len(dtypes) != len(names):
        raise invalid(f"Got {len(names)} tensor_names, but {len(dtypes)} expected dtypes.")
    return read_tensors(_scalar(prefix, "prefix"), names, parts, [as_dtype(d) for d in dtypes])


def read_tensors(prefix: str, names: list[str], parts: list[str], kinds: list[DType]) -> list[Any]:
    """Return the contents of tensors of a checkpoint, in the order asked for."""
    found: list[Any] = []
    with opened(prefix) as checkpoint, phase("restoring", prefix, len(names)) as count:
        for name, part, dtype in zip(names, parts, kinds, strict=True):
            stored = checkpoint.dtype(name)
            if stored is not dtype:
                raise invalid(
                    f"tensor_name = {name}; expected dtype {c_name(dtype)} does not equal "
                    f"original dtype {c_name(stored)}"
                )
            count.done += 1
            if not part:
                found.append(content_of(checkpoint.read(name)))
                continue
            full, piece = parse(part)
            if checkpoint.shape(name) != full:
                raise invalid(
                    f"tensor_name = {name}; shape in shape_and_slice spec "
                    f"{bracketed(full)} does not match the shape stored in checkpoint: "
                    f"{bracketed(checkpoint.shape(name))}"
                )
            found.append(content_of(checkpoint.read_part(name, piece)))
    return found


sharded_filename = define(
    "ShardedFilename(basename: string, shard: int32, num_shards: int32) -> filename: string",
    checkpoints="saves",
    devices=CPU,
    differentiable=False,
    doc="Return the name of one file of a checkpoint.",
)
sharded_filename.shape(lambda *_: ())


def _check_scalars(**numbers: torch.Tensor) -> None:
    for name, number in numbers.items():
        if number.dim():
            raise invalid(f"{name} must be a scalar, got shape {bracketed(number.shape)}")


@sharded_filename.kernel
def sharded_filename_kernel(
    basename: np.ndarray[Any, Any], shard: torch.Tensor, num_shards: torch.Tensor
) -> Any:
    _check_scalars(shard=shard, num_shards=num_shards)
    if basename.ndim:
        raise invalid(f"basename must be a scalar, got shape {bracketed(basename.shape)}")
    base: bytes = basename.reshape(-1)[0]
    return strings([base + f"-{int(shard):05d}-of-{int(num_shards):05d}".encode()], ())


sharded_filespec = define(
    "ShardedFilespec(basename: string, num_shards: int32) -> filename: string",
    devices=CPU,
    differentiable=False,
    doc="Return a pattern for all files of a checkpoint.",
)
sharded_filespec.shape(lambda *_: ())


@sharded_filespec.kernel
def sharded_filespec_kernel(basename: np.ndarray[Any, Any], num_shards: torch.Tensor) -> Any:
    _check_scalars(num_shards=num_shards)
    if basename.ndim:
        raise invalid(f"basename must be a scalar, got shape {bracketed(basename.shape)}")
    base: bytes = basename.reshape(-1)[0]
    return strings([base + f"-?????-of-{int(num_shards):05d}".encode()], ())


merge_v2_checkpoints = define(
    "MergeV2Checkpoints(checkpoint_prefixes: string, destination_prefix: string;"
    " delete_old_dirs: bool = True, allow_missing_files: bool = False)",
    checkpoints="saves",
    devices=CPU,
    stateful=True,
    differentiable=False,
    doc="Make one checkpoint of several.",
)

merge_v2_checkpoints.shape(lambda *_, **__: [])


@merge_v2_checkpoints.kernel
def merge_v2_checkpoints_kernel(
    checkpoint_prefixes: np.ndarray[Any, Any],
    destination_prefix: np.ndarray[Any, Any],
    *,
    delete_old_dirs: bool,
    allow_missing_files: bool,
) -> None:
    if checkpoint_prefixes.ndim != 1:
        shape = bracketed(checkpoint_prefixes.shape)
        raise invalid(f"Input checkpoint_prefixes should be an 1-D tensor, got {shape} instead.")
    prefixes = [paths.local_path(each) for each in checkpoint_prefixes]
    destination = _scalar(destination_prefix, "destination_prefix")
    bundle_writer.merge(prefixes, destination, delete_old_dirs, allow_missing_files)


save_slices = define(
    "SaveSlices(filename: string, tensor_names: string, shapes_and_slices: string, data: [T] >= 1)",
    checkpoints="saves",
    devices=CPU,
    stateful=True,
    differentiable=False,
    doc="Write tensors, or parts of them, to a checkpoint of the first format.",
)

save_slices.shape(lambda *_: [])


@save_slices.kernel
def save_slices_kernel(
    filename: np.ndarray[Any, Any],
    tensor_names: np.ndarray[Any, Any],
    shapes_and_slices: np.ndarray[Any, Any],
    data: list[Content],
) -> None:
    names = _texts(tensor_names.reshape(-1), "tensor_names")
    parts = _texts(shapes_and_slices.reshape(-1), "shapes_and_slices", len(names))
    _write(SliceTableWriter(_scalar(filename, "filename")), names, parts, list(data))


save = define(
    "Save(filename: string, tensor_names: string, data: [T] >= 1)",
    checkpoints="saves",
    devices=CPU,
    stateful=True,
    differentiable=False,
    doc="Write tensors to a checkpoint of the first format.",
)

save.shape(lambda *_: [])


@save.kernel
def save_kernel(
    filename: np.ndarray[Any, Any], tensor_names: np.ndarray[Any, Any], data: list[Content]
) -> None:
    names = _texts(tensor_names.reshape(-1), "tensor_names")
    writer = SliceTableWriter(_scalar(filename, "filename"))
    _write(writer, names, [""] * len(names), list(data))


def _check_shard(preferred: int) -> None:
    if preferred < -1:
        raise invalid("Attribute 'preferred_shard' must be greater or equal to -1")


restore_slice = define(
    "RestoreSlice(file_pattern: string, tensor_name: string, shape_and_slice: string; dt: type,"
    " preferred_shard: int = -1) -> tensor: dt",
    checkpoints="restores",
    devices=CPU,
    stateful=True,
    differentiable=False,
    doc="Return a tensor, or a part of it, of a checkpoint.",
)


@restore_slice.shape
def restore_slice_shape(
    file_pattern: Static,
    tensor_name: Static,
    shape_and_slice: Static,
    *,
    dt: DType,
    preferred_shard: int,
) -> Dims:
    known = shape_and_slice.value
    return None if known is None else _part_shape(known.reshape(-1)[0])


@restore_slice.kernel
def restore_slice_kernel(
    file_pattern: np.ndarray[Any, Any],
    tensor_name: np.ndarray[Any, Any],
    shape_and_slice: np.ndarray[Any, Any],
    *,
    dt: DType,
    preferred_shard: int,
) -> Any:
    _check_shard(preferred_shard)
    part = shape_and_slice.reshape(-1)[0].decode()
    name = tensor_name.reshape(-1)[0].decode()
    return read_tensors(_scalar(file_pattern, "file_pattern"), [name], [part], [dt])[0]


restore = define(
    "Restore(file_pattern: string, tensor_name: string; dt: type, preferred_shard: int = -1)"
    " -> tensor: dt",
    checkpoints="restores",
    devices=CPU,
    stateful=True,
    differentiable=False,
    doc="Return a tensor of a checkpoint.",
)
restore.shape(lambda *_, **__: None)


@restore.kernel
def restore_kernel(
    file_pattern: np.ndarray[Any, Any],
    tensor_name: np.ndarray[Any, Any],
    *,
    dt: DType,
    preferred_shard: int,
) -> Any:
    _check_shard(preferred_shard)
    name = tensor_name.reshape(-1)[0].decode()
    return read_tensors(_scalar(file_pattern, "file_pattern"), [name], [""], [dt])[0]
