"""tf.lookup: tables from keys to values, in TF 2 spelling."""

from placewise.api.v2.lookup import experimental as experimental
from placewise.ops.lookup.classes import StaticHashTable as StaticHashTable
from placewise.ops.lookup.classes import StaticVocabularyTable as StaticVocabularyTable
from placewise.ops.lookup.initializers import KeyValueTensorInitializer as KeyValueTensorInitializer
from placewise.ops.lookup.initializers import TextFileIndex as TextFileIndex
from placewise.ops.lookup.initializers import TextFileInitializer as TextFileInitializer
