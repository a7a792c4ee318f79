"""Tables filled from datasets of keys and values."""

from __future__ import annotations

from typing import Any

from placewise.core.scope import Scope, current
from placewise.data.dataset import DatasetV2
from placewise.ops.array.creation import zeros
from placewise.ops.lookup import ops
from placewise.ops.lookup.initializers import TableInitializerBase
from placewise.ops.specs import TensorSpec


class DatasetInitializer(TableInitializerBase):
    """Fills a table with a dataset whose elements are pairs of a key and its value.

    `dataset`: a dataset of pairs of scalar tensors. It is read once, when the table is made.

    Raises ValueError for a dataset of something else, InvalidArgumentError for a key that comes
    twice with different values.

    >>> pairs = tf.data.Dataset.from_tensor_slices((["a", "b"], [1, 2]))
    >>> table = tf.lookup.StaticHashTable(tf.data.experimental.DatasetInitializer(pairs), -1)
    >>> table.lookup(tf.constant(["b", "z"]))
    <tf.Tensor: shape=(2,), dtype=int32, numpy=array([ 2, -1], dtype=int32)>
    """

    def __init__(self, dataset: DatasetV2) -> None:
        spec = dataset.element_spec
        if not (isinstance(spec, tuple) and len(spec) == 2):
            raise ValueError(
                f"DatasetInitializer requires a dataset of (key, value) pairs, "
                f"and its elements are {spec}"
            )
        for part in spec:
            if not isinstance(part, TensorSpec) or part.shape.rank != 0:
                raise ValueError(f"Keys and values must be scalar tensors, received: {part}")
        super().__init__(spec[0].dtype, spec[1].dtype)
        self._dataset = dataset

    def initialize(self, table: Any) -> Any:
        """Fill a table; in a graph, return the operation that does."""
        self._check(table)
        keys, values = _all_elements(self._dataset)
        return ops.import_all(table.resource_handle, keys, values)


def _all_elements(dataset: DatasetV2) -> tuple[Any, Any]:
    """Return the keys and the values of a dataset, each as one tensor."""
    batch = dataset.batch(_MANY).take(1)
    if current.interpreter is Scope.eager:
        for keys, values in batch:
            return keys, values
        key, value = dataset.element_spec
        return zeros([0], key.dtype), zeros([0], value.dtype)
    return batch.get_single_element()  # type: ignore[no-any-return]


_MANY = 2**40  # more than any table holds: one batch has all elements

DatasetInitializer.__module__ = "tensorflow.python.data.ops.lookup_ops"
