"""The ops that make, fill, ask and change lookup tables through their handles.

Tables live in host memory; their ops run on the CPU.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import torch

from placewise.core import dtypes
from placewise.core.dtypes import DType
from placewise.core.errors import NotFoundError, invalid
from placewise.core.runtime import State, runtime
from placewise.core.shapes import Dims, Static, TensorShape
from placewise.ops.containers import check_container
from placewise.ops.declare import Bind, define
from placewise.ops.families import bracketed
from placewise.ops.lookup.dense_tables import DenseTable
from placewise.ops.lookup.tables import Table
from placewise.ops.lookup.text_file import read_table
from placewise.ops.values import ANONYMOUS, Content, Handle, c_name, dtype_of, from_numpy, to_numpy

_CPU: dict[str, Any] = {"devices": ("CPU",), "stateful": True, "differentiable": False}
_NAMES = "container: string = '', shared_name: string = '', use_node_name_sharing: bool = False, "
_TYPES = "key_dtype: type, value_dtype: type"
_SHAPED = _TYPES + ", value_shape: shape = []"
_DENSE = (
    "value_dtype: type, value_shape: shape = [], initial_num_buckets: int = 131072,"
    " max_load_factor: float = 0.8"
)
_KEYS = frozenset({dtypes.string, dtypes.int32, dtypes.int64})


@dataclass(slots=True)
class SharedTables(State):
    """The tables of eager programs that have a shared name, by op, container and name."""

    handles: dict[tuple[str, str, str], Handle] = field(default_factory=dict)


_shared = runtime.state(SharedTables)


def _made(op: str, attrs: dict[str, Any], table: Table) -> Handle:
    """Return a handle; tables of one shared name are one table."""
    key_dtype, value_dtype = attrs["key_dtype"], attrs["value_dtype"]
    if key_dtype not in _KEYS:
        shown = ", ".join(
            f"{name}=DT_{c_name(kind).upper()}"
            for name, kind in (("key_dtype", key_dtype), ("value_dtype", value_dtype))
        )
        raise NotFoundError(
            None, None, f"Could not find device for node: {{{{node {op}}}}} = {op}[{shown}]"
        )
    check_container(attrs.get("container") or "")
    shared = attrs.get("shared_name") or ""
    place = (op, attrs.get("container") or "", shared)
    named = bool(shared) and shared != ANONYMOUS
    if named and place in _shared.handles:
        return _shared.handles[place]
    handle = Handle("Table", shared, None, key_dtype, ())
    handle.value = table
    if named:
        _shared.handles[place] = handle
    return handle


def _scalar_shape(*_: object, **__: object) -> Dims:
    return ()


def _maker(op: str, attrs: str, is_static: bool, doc: str) -> Bind:
    declared = define(f"{op}(; {attrs}) -> table_handle: resource", doc=doc, **_CPU)
    declared.shape(_scalar_shape)

    def kernel(**given: Any) -> Handle:
        shape = tuple(TensorShape(given.get("value_shape", ())).as_list())
        if len(shape) > 1 or ("value_shape" in given and not shape):
            raise invalid(f"Default value must be a vector, got shape {bracketed(shape)}")
        if None in shape:
            raise invalid(f"Shape {bracketed(shape)} is not fully defined")
        table = Table(given["key_dtype"], given["value_dtype"], shape, is_static)  # type: ignore[arg-type]
        return _made(op, given, table)

    declared.kernel(kernel)
    return declared


hash_table = _maker("HashTableV2", _NAMES + _TYPES, True, "Make a table that is filled once.")
anonymous_hash_table = _maker(
    "AnonymousHashTable", _TYPES, True, "Make a table without a name that is filled once."
)
mutable_hash_table = _maker(
    "MutableHashTableV2", _NAMES + _TYPES, False, "Make a table of scalars that can change."
)
anonymous_mutable_hash_table = _maker(
    "AnonymousMutableHashTable", _TYPES, False, "Make a table without a name that can change."
)
mutable_hash_table_of_tensors = _maker(
    "MutableHashTableOfTensorsV2", _NAMES + _SHAPED, False, "Make a table of tensors."
)
anonymous_mutable_hash_table_of_tensors = _maker(
    "AnonymousMutableHashTableOfTensors", _SHAPED, False, "Make a table of tensors without a name."
)


def _dense_maker(op: str, attrs: str, doc: str) -> Bind:
    declared = define(
        f"{op}(empty_key: key_dtype, deleted_key: key_dtype; {attrs}) -> table_handle: resource",
        doc=doc,
        **_CPU,
    )
    declared.shape(_scalar_shape)

    def kernel(empty_key: Any, deleted_key: Any, **given: Any) -> Handle:
        shape = tuple(TensorShape(given.get("value_shape", ())).as_list())
        given["key_dtype"] = dtype_of(empty_key)
        table = DenseTable(
            given["key_dtype"],
            given["value_dtype"],
            shape,  # type: ignore[arg-type]
            to_numpy(empty_key),
            to_numpy(deleted_key),
            given["initial_num_buckets"],
            given["max_load_factor"],
        )
        return _made(op, given, table)

    declared.kernel(kernel)
    return declared


mutable_dense_hash_table = _dense_maker(
    "MutableDenseHashTableV2", _NAMES + _DENSE, "Make a table with two keys that must not be used."
)
anonymous_mutable_dense_hash_table = _dense_maker(
    "AnonymousMutableDenseHashTable",
    _DENSE,
    "Make a table without a name, with two keys that must not be used.",
)

find = define(
    "LookupTableFindV2(table_handle: resource, keys: Tin, default_value: Tout) -> values: Tout",
    doc="Return the value of each key, or a default.",
    **_CPU,
    effects="reads",
)


@find.shape
def find_shape(table_handle: Static, keys: Static, default_value: Static) -> Dims:
    if keys.shape is None or default_value.shape is None:
        return None
    return (*keys.shape, *default_value.shape)


def _check_types(table: Table, keys: Content, values: Content, what: str) -> None:
    given = (dtype_of(keys), dtype_of(values))
    if given != (table.key_dtype, table.value_dtype):
        raise invalid(
            f"Conflicting key/value dtypes {given[0].name}->{given[1].name} with "
            f"{table.key_dtype.name}-{table.value_dtype.name} for table {what}"
        )


@find.kernel
def find_kernel(table_handle: Handle, keys: Content, default_value: Content) -> Any:
    table: Table = table_handle.value
    _check_types(table, keys, default_value, table_handle.name)
    return from_numpy(table.find(to_numpy(keys), to_numpy(default_value)))


def _filler(op: str, inputs: str, doc: str, method: str) -> Bind:
    declared = define(f"{op}(table_handle: resource, {inputs})", doc=doc, **_CPU)

    def kernel(table_handle: Handle, keys: Any, values: Any) -> None:
        table: Table = table_handle.value
        _check_types(table, keys, values, table_handle.name)
        getattr(table, method)(to_numpy(keys), to_numpy(values))

    declared.kernel(kernel)
    return declared


insert = _filler("LookupTableInsertV2", "keys: Tin, values: Tout", "Put values for keys.", "insert")
import_all = _filler(
    "LookupTableImportV2",
    "keys: Tin, values: Tout",
    "Put these keys and values, and no others.",
    "replace",
)
initialize = _filler(
    "InitializeTableV2", "keys: Tkey, values: Tval", "Fill a table once.", "insert"
)

remove = define(
    "LookupTableRemoveV2(table_handle: resource, keys: Tin)", doc="Forget some keys.", **_CPU
)


@remove.kernel
def remove_kernel(table_handle: Handle, keys: Content) -> None:
    if table_handle.value.is_static:
        raise invalid("HashTable does not support removing keys")
    table_handle.value.remove(to_numpy(keys))


export = define(
    "LookupTableExportV2(table_handle: resource; Tkeys: type, Tvalues: type)"
    " -> keys: Tkeys, values: Tvalues",
    doc="Return all keys and their values.",
    **_CPU,
    effects="reads",
)


@export.shape
def export_shape(table_handle: Static, **_: object) -> list[Dims]:
    return [(None,), None]


@export.kernel
def export_kernel(table_handle: Handle, *, Tkeys: DType, Tvalues: DType) -> Any:  # noqa: N803
    keys, values = table_handle.value.export()
    return from_numpy(keys), from_numpy(values)


size = define(
    "LookupTableSizeV2(table_handle: resource) -> size: int64",
    doc="Return the number of keys.",
    **_CPU,
    effects="reads",
)
size.shape(_scalar_shape)


@size.kernel
def size_kernel(table_handle: Handle) -> Any:
    return torch.tensor(len(table_handle.value), dtype=torch.int64)


initialize_from_text_file = define(
    "InitializeTableFromTextFileV2(table_handle: resource, filename: string; key_index: int >= -2,"
    " value_index: int >= -2, vocab_size: int >= -1 = -1, delimiter: string = '\t',"
    " offset: int = 0)",
    doc="Fill a table from the lines of a text file.",
    **_CPU,
    later_attrs=("offset",),
)


@initialize_from_text_file.kernel
def initialize_from_text_file_kernel(
    table_handle: Handle,
    filename: Any,
    *,
    key_index: int,
    value_index: int,
    vocab_size: int,
    delimiter: str,
    offset: int,
) -> None:
    if filename.ndim:
        raise invalid(f"filename should be a single string, but got {bracketed(filename.shape)}")
    table: Table = table_handle.value
    path = filename[()].decode()
    keys, values = read_table(path, table, key_index, value_index, vocab_size, delimiter, offset)
    table.insert(keys, values)
