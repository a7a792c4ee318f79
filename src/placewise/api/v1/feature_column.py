"""tf.feature_column of TensorFlow 1: columns, and layers that apply them."""

# ruff: noqa: E501 - names of a table

from placewise.feature_column.categories import (
    categorical_column_with_hash_bucket as categorical_column_with_hash_bucket,
)
from placewise.feature_column.categories import (
    categorical_column_with_identity as categorical_column_with_identity,
)
from placewise.feature_column.categories import (
    categorical_column_with_vocabulary_list as categorical_column_with_vocabulary_list,
)
from placewise.feature_column.categories import crossed_column as crossed_column
from placewise.feature_column.categories import (
    vocabulary_file_v1 as categorical_column_with_vocabulary_file,  # noqa: F401
)
from placewise.feature_column.categories import (
    weighted_categorical_column as weighted_categorical_column,
)
from placewise.feature_column.dense import embedding_column as embedding_column
from placewise.feature_column.dense import indicator_column as indicator_column
from placewise.feature_column.dense import shared_embedding_columns as shared_embedding_columns
from placewise.feature_column.input_layer import input_layer as input_layer
from placewise.feature_column.input_layer import linear_model as linear_model
from placewise.feature_column.input_layer import make_parse_example_spec as make_parse_example_spec
from placewise.feature_column.numbers import bucketized_column as bucketized_column
from placewise.feature_column.numbers import numeric_column as numeric_column
from placewise.feature_column.sequences import (
    sequence_categorical_column_with_hash_bucket as sequence_categorical_column_with_hash_bucket,
)
from placewise.feature_column.sequences import (
    sequence_categorical_column_with_identity as sequence_categorical_column_with_identity,
)
from placewise.feature_column.sequences import (
    sequence_categorical_column_with_vocabulary_file as sequence_categorical_column_with_vocabulary_file,
)
from placewise.feature_column.sequences import (
    sequence_categorical_column_with_vocabulary_list as sequence_categorical_column_with_vocabulary_list,
)
from placewise.feature_column.sequences import sequence_numeric_column as sequence_numeric_column
