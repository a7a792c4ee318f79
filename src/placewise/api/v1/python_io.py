"""tf.python_io of TensorFlow 1: files of records."""

from placewise.ops.io.records import TFRecordCompressionType as TFRecordCompressionType
from placewise.ops.io.records import TFRecordOptions as TFRecordOptions
from placewise.ops.io.records import TFRecordWriter as TFRecordWriter
from placewise.ops.io.records import tf_record_iterator as tf_record_iterator
