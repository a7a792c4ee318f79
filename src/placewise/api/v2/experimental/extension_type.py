"""tf.experimental.extension_type: the fields of values of extension types."""

from placewise.ops.extension_type import as_dict as as_dict
