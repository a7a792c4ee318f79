"""tf.tpu.experimental.embedding: tables of vectors, and looking ids up in them."""

from placewise.distribute.embedding_configs import FTRL as FTRL
from placewise.distribute.embedding_configs import SGD as SGD
from placewise.distribute.embedding_configs import Adagrad as Adagrad
from placewise.distribute.embedding_configs import Adam as Adam
from placewise.distribute.embedding_configs import FeatureConfig as FeatureConfig
from placewise.distribute.embedding_configs import TableConfig as TableConfig
from placewise.distribute.embedding_tables import TPUEmbedding as TPUEmbedding
from placewise.distribute.embedding_tables import TPUEmbeddingForServing as TPUEmbeddingForServing
from placewise.distribute.embedding_tables import TPUEmbeddingV0 as TPUEmbeddingV0
from placewise.distribute.embedding_tables import (
    serving_embedding_lookup as serving_embedding_lookup,
)
