"""What a session gives for sparse fetches: tuples of arrays."""

from __future__ import annotations

from collections import namedtuple

SparseTensorValue = namedtuple("SparseTensorValue", ["indices", "values", "dense_shape"])
SparseTensorValue.__module__ = "tensorflow.python.framework.sparse_tensor"

IndexedSlicesValue = namedtuple("IndexedSlicesValue", ["values", "indices", "dense_shape"])
IndexedSlicesValue.__module__ = "tensorflow.python.framework.indexed_slices"
