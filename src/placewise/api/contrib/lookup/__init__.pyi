"""Names of tf.contrib.lookup."""

from placewise.contrib.lookup.tables import HashTable as HashTable
from placewise.contrib.lookup.tables import index_table_from_file as index_table_from_file
from placewise.contrib.lookup.tables import index_table_from_tensor as index_table_from_tensor
from placewise.contrib.lookup.tables import index_to_string as index_to_string
from placewise.contrib.lookup.tables import index_to_string_table_from_file as index_to_string_table_from_file
from placewise.contrib.lookup.tables import index_to_string_table_from_tensor as index_to_string_table_from_tensor
from placewise.contrib.lookup.tables import string_to_index as string_to_index
from placewise.ops.lookup.initializers import KeyValueTensorInitializer as KeyValueTensorInitializer
from placewise.ops.lookup.initializers import TextFileIndex as TextFileIndex
from placewise.ops.lookup.initializers import TextFileInitializer as TextFileInitializer
from placewise.ops.lookup.classes import MutableHashTable as MutableHashTable
from placewise.ops.lookup.classes import DenseHashTable as MutableDenseHashTable
