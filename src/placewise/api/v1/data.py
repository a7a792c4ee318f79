"""tf.data of TensorFlow 1: the same pipelines, with iterators for sessions."""

from placewise.data import experimental_v1 as experimental
from placewise.data.dataset import AUTOTUNE as AUTOTUNE
from placewise.data.dataset import INFINITE_CARDINALITY as INFINITE_CARDINALITY
from placewise.data.dataset import UNKNOWN_CARDINALITY as UNKNOWN_CARDINALITY
from placewise.data.dataset import DatasetSpec as DatasetSpec
from placewise.data.dataset_v1 import DatasetV1 as Dataset
from placewise.data.iterators_v1 import Iterator as Iterator
from placewise.data.iterators_v1 import make_initializable_iterator as make_initializable_iterator
from placewise.data.iterators_v1 import make_one_shot_iterator as make_one_shot_iterator
from placewise.data.iterators_v1 import output_classes as get_output_classes
from placewise.data.iterators_v1 import output_shapes as get_output_shapes
from placewise.data.iterators_v1 import output_types as get_output_types
from placewise.data.options import Options as Options
from placewise.data.options import ThreadingOptions as ThreadingOptions
from placewise.data.readers import FixedLengthRecordDatasetV1 as FixedLengthRecordDataset
from placewise.data.readers import TextLineDatasetV1 as TextLineDataset
from placewise.data.readers import TFRecordDatasetV1 as TFRecordDataset

__all__ = [
    "AUTOTUNE",
    "INFINITE_CARDINALITY",
    "UNKNOWN_CARDINALITY",
    "Dataset",
    "DatasetSpec",
    "FixedLengthRecordDataset",
    "Iterator",
    "Options",
    "TFRecordDataset",
    "TextLineDataset",
    "ThreadingOptions",
    "experimental",
    "get_output_classes",
    "get_output_shapes",
    "get_output_types",
    "make_initializable_iterator",
    "make_one_shot_iterator",
]
