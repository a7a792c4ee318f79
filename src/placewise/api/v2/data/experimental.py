"""tf.data.experimental: further transformations, readers and options."""

from placewise.data.csv_files import make_csv_dataset as make_csv_dataset
from placewise.data.dataset import AUTOTUNE as AUTOTUNE
from placewise.data.dataset import INFINITE_CARDINALITY as INFINITE_CARDINALITY
from placewise.data.dataset import UNKNOWN_CARDINALITY as UNKNOWN_CARDINALITY
from placewise.data.debug_mode import enable_debug_mode as enable_debug_mode
from placewise.data.feature_files import (
    make_batched_features_dataset as make_batched_features_dataset,
)
from placewise.data.feature_files import parse_example_dataset as parse_example_dataset
from placewise.data.iterator_state import (
    make_saveable_from_iterator as make_saveable_from_iterator,
)
from placewise.data.optional import Optional as Optional
from placewise.data.options import AutoShardPolicy as AutoShardPolicy
from placewise.data.options import AutotuneAlgorithm as AutotuneAlgorithm
from placewise.data.options import AutotuneOptions as AutotuneOptions
from placewise.data.options import DistributeOptions as DistributeOptions
from placewise.data.options import ExternalStatePolicy as ExternalStatePolicy
from placewise.data.options import OptimizationOptions as OptimizationOptions
from placewise.data.options import ServiceOptions as ServiceOptions
from placewise.data.options import ThreadingOptions as ThreadingOptions
from placewise.data.readers import CsvDatasetV2 as CsvDataset
from placewise.data.readers import SqlDatasetV2 as SqlDataset
from placewise.data.table_initializer import DatasetInitializer as DatasetInitializer
from placewise.data.transformations import SHARD_HINT as SHARD_HINT
from placewise.data.transformations import Reducer as Reducer
from placewise.data.transformations import TFRecordWriter as TFRecordWriter
from placewise.data.transformations import assert_cardinality as assert_cardinality
from placewise.data.transformations import at as at
from placewise.data.transformations import bucket_by_sequence_length as bucket_by_sequence_length
from placewise.data.transformations import cardinality as cardinality
from placewise.data.transformations import choose_from_datasets as choose_from_datasets
from placewise.data.transformations import copy_to_device as copy_to_device
from placewise.data.transformations import counter as Counter  # noqa: N812
from placewise.data.transformations import dense_to_ragged_batch as dense_to_ragged_batch
from placewise.data.transformations import dense_to_sparse_batch as dense_to_sparse_batch
from placewise.data.transformations import enumerate_dataset as enumerate_dataset
from placewise.data.transformations import from_list as from_list
from placewise.data.transformations import from_variant as from_variant
from placewise.data.transformations import get_next_as_optional as get_next_as_optional
from placewise.data.transformations import get_single_element as get_single_element
from placewise.data.transformations import get_structure as get_structure
from placewise.data.transformations import group_by_reducer as group_by_reducer
from placewise.data.transformations import group_by_window as group_by_window
from placewise.data.transformations import ignore_errors as ignore_errors
from placewise.data.transformations import load as load
from placewise.data.transformations import map_and_batch as map_and_batch
from placewise.data.transformations import pad_to_cardinality as pad_to_cardinality
from placewise.data.transformations import parallel_interleave as parallel_interleave
from placewise.data.transformations import prefetch_to_device as prefetch_to_device
from placewise.data.transformations import random_dataset as RandomDataset  # noqa: N812
from placewise.data.transformations import rejection_resample as rejection_resample
from placewise.data.transformations import sample_from_datasets as sample_from_datasets
from placewise.data.transformations import save as save
from placewise.data.transformations import scan as scan
from placewise.data.transformations import shuffle_and_repeat as shuffle_and_repeat
from placewise.data.transformations import snapshot as snapshot
from placewise.data.transformations import take_while as take_while
from placewise.data.transformations import to_variant as to_variant
from placewise.data.transformations import unbatch as unbatch
from placewise.data.transformations import unique as unique

__all__ = [
    "AUTOTUNE",
    "INFINITE_CARDINALITY",
    "SHARD_HINT",
    "UNKNOWN_CARDINALITY",
    "AutoShardPolicy",
    "AutotuneAlgorithm",
    "AutotuneOptions",
    "Counter",
    "CsvDataset",
    "DistributeOptions",
    "ExternalStatePolicy",
    "OptimizationOptions",
    "Optional",
    "RandomDataset",
    "Reducer",
    "ServiceOptions",
    "SqlDataset",
    "TFRecordWriter",
    "ThreadingOptions",
    "assert_cardinality",
    "at",
    "bucket_by_sequence_length",
    "cardinality",
    "choose_from_datasets",
    "copy_to_device",
    "dense_to_ragged_batch",
    "dense_to_sparse_batch",
    "enable_debug_mode",
    "enumerate_dataset",
    "from_list",
    "from_variant",
    "get_next_as_optional",
    "get_single_element",
    "get_structure",
    "group_by_reducer",
    "group_by_window",
    "ignore_errors",
    "load",
    "make_batched_features_dataset",
    "make_csv_dataset",
    "make_saveable_from_iterator",
    "map_and_batch",
    "pad_to_cardinality",
    "parallel_interleave",
    "parse_example_dataset",
    "prefetch_to_device",
    "rejection_resample",
    "sample_from_datasets",
    "save",
    "scan",
    "shuffle_and_repeat",
    "snapshot",
    "take_while",
    "to_variant",
    "unbatch",
    "unique",
]
