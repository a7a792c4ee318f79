"""The classes of datasets that read no other: TensorFlow has each in a module of its own."""

from placewise.data.construction import of_kind
from placewise.data.dataset import DatasetV2

_GeneratorDataset = of_kind(DatasetV2, "_GeneratorDataset")
_RangeDataset = of_kind(DatasetV2, "_RangeDataset")
_SparseTensorSliceDataset = of_kind(DatasetV2, "_SparseTensorSliceDataset")
_TensorDataset = of_kind(DatasetV2, "_TensorDataset")
_TensorSliceDataset = of_kind(DatasetV2, "_TensorSliceDataset")
