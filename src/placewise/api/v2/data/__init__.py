"""tf.data: pipelines of elements, from memory, files and generators to training."""

from placewise.api.v2.data import experimental as experimental
from placewise.data.dataset import AUTOTUNE as AUTOTUNE
from placewise.data.dataset import INFINITE_CARDINALITY as INFINITE_CARDINALITY
from placewise.data.dataset import UNKNOWN_CARDINALITY as UNKNOWN_CARDINALITY
from placewise.data.dataset import DatasetSpec as DatasetSpec
from placewise.data.dataset import DatasetV2 as Dataset
from placewise.data.iterators import IteratorBase as Iterator
from placewise.data.iterators import IteratorSpec as IteratorSpec
from placewise.data.iterators import NumpyIterator as NumpyIterator
from placewise.data.options import Options as Options
from placewise.data.options import ThreadingOptions as ThreadingOptions
from placewise.data.readers import FixedLengthRecordDatasetV2 as FixedLengthRecordDataset
from placewise.data.readers import TextLineDatasetV2 as TextLineDataset
from placewise.data.readers import TFRecordDatasetV2 as TFRecordDataset

__all__ = [
    "AUTOTUNE",
    "INFINITE_CARDINALITY",
    "UNKNOWN_CARDINALITY",
    "Dataset",
    "DatasetSpec",
    "FixedLengthRecordDataset",
    "Iterator",
    "IteratorSpec",
    "NumpyIterator",
    "Options",
    "TFRecordDataset",
    "TextLineDataset",
    "ThreadingOptions",
    "experimental",
]
