"""The tables of `tf.lookup`: static, with out-of-vocabulary buckets, and mutable ones."""

from __future__ import annotations

import functools
import uuid
from typing import Any

from placewise.core import dtypes
from placewise.core.arguments import TensorLike
from placewise.core.dtypes import as_dtype
from placewise.core.names import next_number
from placewise.core.saveable import SaveableObject, SaveSpec
from placewise.core.scope import current
from placewise.core.tensor import Tensor
from placewise.core.trackable import AutoTrackable, TrackableResource
from placewise.ops.array.where import where
from placewise.ops.convert import convert_to_tensor
from placewise.ops.lookup import ops
from placewise.ops.math.cast import cast
from placewise.ops.math.comparison import not_equal
from placewise.ops.ragged.ragged_tensor import RaggedTensor
from placewise.ops.sparse.sparse_tensor import SparseTensor
from placewise.ops.strings.hash_buckets import to_hash_bucket_fast
from placewise.ops.strings.numerals import as_string
from placewise.ops.values import ANONYMOUS


class _Table:
    """What all tables have: a handle, dtypes, size, lookup."""

    _key_dtype: Any
    _value_dtype: Any
    _name: str | None = None

    @property
    def _handle(self) -> Any:
        raise NotImplementedError

    @property
    def key_dtype(self) -> Any:
        """The dtype of the keys."""
        return self._key_dtype

    @property
    def value_dtype(self) -> Any:
        """The dtype of the values."""
        return self._value_dtype

    @property
    def name(self) -> str | None:
        """The name of the table."""
        return self._name

    @property
    def resource_handle(self) -> Any:
        """The handle of the table."""
        return self._handle

    def size(self, name: str | None = None) -> Any:
        """Return the number of keys."""
        return ops.size(self._handle, name)

    def __getitem__(self, keys: Tensor) -> Any:
        return self.lookup(keys)

    def lookup(self, keys: Any, name: str | None = None) -> Any:
        """Return the value of each key."""
        raise NotImplementedError

    def _check_keys(self, keys: Any) -> Any:
        """Return keys as a tensor or composite one of the table's dtype."""
        if not isinstance(keys, (Tensor, SparseTensor, RaggedTensor)):
            plain = not hasattr(keys, "dtype") and not hasattr(type(keys), "__tf_tensor__")
            keys = convert_to_tensor(keys, self._key_dtype if plain else None)
        if keys.dtype is not self._key_dtype:
            raise TypeError(
                f"Dtype of argument `keys` must be {self._key_dtype}, received: {keys.dtype}"
            )
        return keys


def _parts(keys: Any) -> tuple[Any, Any]:
    """Return the tensor of keys, and what makes a result of the same kind of a tensor."""
    if isinstance(keys, SparseTensor):
        return keys.values, keys.with_values
    if isinstance(keys, RaggedTensor):
        return keys.flat_values, keys.with_flat_values
    return keys, lambda values: values


def _shared_name() -> str:
    """Return the name a table is kept by: in a graph its own, as equal ones would be merged."""
    if current.interpreter.graph is None:
        return ANONYMOUS
    return f"hash_table_{uuid.uuid4()}"


def _collected(filling: Any) -> Any:
    """Return the operation that fills a table, put where `tf.tables_initializer` finds it."""
    graph = current.interpreter.graph
    if graph is not None and filling is not None:
        graph.add_to_collection("table_initializer", filling)
    return filling


class StaticHashTable(_Table, TrackableResource):
    """A table that is filled once and never changes.

    >>> import placewise as tf
    >>> init = tf.lookup.KeyValueTensorInitializer(["a", "b"], [1, 2])
    >>> tf.lookup.StaticHashTable(init, default_value=-1).lookup(tf.constant(["b", "c"])).numpy()
    array([ 2, -1], dtype=int32)
    """

    def __init__(
        self,
        initializer: Any,
        default_value: Any,
        name: str | None = None,
        experimental_is_anonymous: bool = False,
    ) -> None:
        self._initializer = initializer
        self._key_dtype, self._value_dtype = initializer.key_dtype, initializer.value_dtype
        self._name = name or f"hash_table_{next_number('hash table')}"
        self._default = convert_to_tensor(default_value, self._value_dtype)
        self._default.shape.merge_with([])
        self._self_handle = self._create_resource()
        self._init_op = _collected(self._initialize())

    def _create_resource(self) -> Any:
        return ops.hash_table(
            key_dtype=self._key_dtype, value_dtype=self._value_dtype, shared_name=_shared_name()
        )

    def _initialize(self) -> Any:
        return self._initializer.initialize(self)

    @property
    def _handle(self) -> Any:
        return self._self_handle

    @property
    def initializer(self) -> Any:
        """The operation of a graph that fills the table; None when it is filled already."""
        return self._init_op

    @property
    def default_value(self) -> Any:
        """What a key that is not there gives."""
        return self._default

    def lookup(self, keys: Any, name: str | None = None) -> Any:
        """Return the value of each key, the default for one that is not there."""
        tensor, rebuilt = _parts(self._check_keys(keys))
        return rebuilt(ops.find(self._handle, tensor, self._default, name))

    def export(self, name: str | None = None) -> Any:
        """Return all keys and their values."""
        return tuple(
            ops.export(self._handle, Tkeys=self._key_dtype, Tvalues=self._value_dtype, name=name)
        )


class StaticVocabularyTable(_Table, AutoTrackable):
    """A table from strings or integers to ids; unknown keys get ids behind, by their hash."""

    def __init__(
        self,
        initializer: Any,
        num_oov_buckets: int,
        lookup_key_dtype: Any = None,
        name: str | None = None,
        experimental_is_anonymous: bool = False,
    ) -> None:
        if num_oov_buckets <= 0:
            raise ValueError("`num_oov_buckets` must be > 0; use StaticHashTable.")
        self._buckets = num_oov_buckets
        self._value_dtype = dtypes.int64
        self._table: Any = None
        if initializer is not None:
            if lookup_key_dtype is None:
                lookup_key_dtype = initializer.key_dtype
            if initializer.key_dtype not in (dtypes.int64, dtypes.string):
                raise TypeError(
                    "Invalid `key_dtype`, expected one of (int64, string) but got "
                    f"{initializer.key_dtype}."
                )
            if initializer.value_dtype is not dtypes.int64:
                raise TypeError(
                    f"Invalid `value_dtype`, expected {dtypes.int64} but got "
                    f"{initializer.value_dtype}."
                )
            self._table = StaticHashTable(initializer, default_value=-1)
        self._key_dtype = as_dtype(lookup_key_dtype or dtypes.string)
        if self._key_dtype is not dtypes.string and not self._key_dtype.is_integer:
            raise TypeError("Invalid lookup_key_dtype")
        self._name = name or (self._table.name if self._table else "hash_bucket")

    @property
    def initializer(self) -> Any:
        """The operation of a graph that fills the table of known keys."""
        return None if self._table is None else self._table.initializer

    @property
    def resource_handle(self) -> Any:
        """The handle of the table of known keys; None without one."""
        return None if self._table is None else self._table.resource_handle

    def size(self, name: str | None = None) -> Any:
        """Return the number of ids: known keys and buckets."""
        known = self._table.size() if self._table is not None else 0
        return known + convert_to_tensor(self._buckets, dtypes.int64)

    def lookup(self, keys: Any, name: str | None = None) -> Any:
        """Return the id of each key."""
        tensor, rebuilt = _parts(self._check_keys(keys))
        buckets = _bucket(tensor, self._buckets)
        if self._table is None:
            return rebuilt(buckets)
        inner = self._table
        wanted = tensor if tensor.dtype is inner.key_dtype else cast(tensor, inner.key_dtype)
        ids = inner.lookup(wanted)
        unknown = buckets + inner.size()
        return rebuilt(where(not_equal(ids, inner.default_value), ids, unknown))


def _bucket(keys: Tensor, count: int) -> Any:
    texts = keys if keys.dtype is dtypes.string else as_string(keys)
    return to_hash_bucket_fast(texts, count)


class _TableSaveable(SaveableObject):
    """The keys and the values of a table, as a checkpoint has them."""

    def __init__(self, table: Any, name: Any) -> None:
        keys, values = table.export()
        specs = [SaveSpec(keys, "", name + "-keys"), SaveSpec(values, "", name + "-values")]
        super().__init__(table, specs, name)

    def restore(self, restored_tensors: Tensor, restored_shapes: Any) -> Any:
        """Put the restored keys and values, and no others, into the table."""
        return ops.import_all(self.op.resource_handle, *restored_tensors)


class MutableHashTable(_Table, TrackableResource):
    """A table whose keys can be put and removed at any time; checkpoints keep them."""

    def __init__(
        self,
        key_dtype: Any,
        value_dtype: Any,
        default_value: Any,
        name: str = "MutableHashTable",
        checkpoint: bool = True,
        experimental_is_anonymous: bool = False,
    ) -> None:
        self._key_dtype, self._value_dtype = as_dtype(key_dtype), as_dtype(value_dtype)
        self._default = convert_to_tensor(default_value, self._value_dtype)
        self._made(name, checkpoint)

    def _made(self, name: str, checkpoint: bool) -> None:
        """Make the table; in a graph, let savers know of it."""
        self._name, self._op_name = None, name
        self._self_handle = self._create_resource()
        graph = current.interpreter.graph
        if checkpoint and graph is not None and not graph.building_function:
            graph.add_to_collection(
                "saveable_objects", _TableSaveable(self, self._self_handle.op.name)
            )

    def _create_resource(self) -> Any:
        options = {
            "key_dtype": self._key_dtype,
            "value_dtype": self._value_dtype,
            "shared_name": _shared_name(),
            "name": self._op_name,
        }
        if self._default.shape.rank == 0:
            return ops.mutable_hash_table(**options)
        return ops.mutable_hash_table_of_tensors(**options, value_shape=self._default.shape)

    @property
    def _handle(self) -> Any:
        return self._self_handle

    def _gather_saveables_for_checkpoint(self) -> dict[str, Any]:
        return {"table": functools.partial(_TableSaveable, self)}

    def lookup(  # type: ignore[override]  # TensorFlow's order
        self, keys: TensorLike, dynamic_default_values: Any = None, name: str | None = None
    ) -> Any:
        """Return the value of each key; a default, or one given for each, where it is missing."""
        tensor, rebuilt = _parts(self._check_keys(keys))
        default = (
            self._default
            if dynamic_default_values is None
            else convert_to_tensor(dynamic_default_values, self._value_dtype)
        )
        return rebuilt(ops.find(self._handle, tensor, default, name))

    def insert(self, keys: TensorLike, values: TensorLike, name: str | None = None) -> Any:
        """Put values for keys; in a graph, return the operation that does."""
        keys = convert_to_tensor(keys, self._key_dtype)
        return ops.insert(self._handle, keys, convert_to_tensor(values, self._value_dtype), name)

    def remove(self, keys: TensorLike, name: str | None = None) -> Any:
        """Forget keys; those that are not there are no error."""
        return ops.remove(self._handle, self._check_keys(keys), name)

    def export(self, name: str | None = None) -> Any:
        """Return all keys and their values."""
        return tuple(
            ops.export(self._handle, Tkeys=self._key_dtype, Tvalues=self._value_dtype, name=name)
        )


class DenseHashTable(MutableHashTable):
    """A mutable table with two keys that must not be used: one for empty, one for deleted."""

    def __init__(
        self,
        key_dtype: Any,
        value_dtype: Any,
        default_value: Any,
        empty_key: Any,
        deleted_key: Any,
        initial_num_buckets: int | None = None,
        name: str = "MutableDenseHashTable",
        checkpoint: bool = True,
        experimental_is_anonymous: bool = False,
    ) -> None:
        self._key_dtype, self._value_dtype = as_dtype(key_dtype), as_dtype(value_dtype)
        self._default = convert_to_tensor(default_value, self._value_dtype)
        self._unused = tuple(
            convert_to_tensor(key, self._key_dtype) for key in (empty_key, deleted_key)
        )
        self._buckets = 131072 if initial_num_buckets is None else initial_num_buckets
        self._made(name, checkpoint)

    def _create_resource(self) -> Any:
        return ops.mutable_dense_hash_table(
            *self._unused,
            value_dtype=self._value_dtype,
            value_shape=self._default.shape,
            initial_num_buckets=self._buckets,
            shared_name=_shared_name(),
            name=self._op_name,
        )

    def insert_or_assign(
        self, keys: TensorLike, values: TensorLike, name: str | None = None
    ) -> Any:
        """Put values for keys; in a graph, return the operation that does."""
        return self.insert(keys, values, name)

    def erase(self, keys: TensorLike, name: str | None = None) -> Any:
        """Forget keys; those that are not there are no error."""
        return self.remove(keys, name)


for _class in (StaticHashTable, StaticVocabularyTable, MutableHashTable, DenseHashTable):
    _class.__module__ = "tensorflow.python.ops.lookup_ops"
