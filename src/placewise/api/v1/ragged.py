"""tf.ragged of TensorFlow 1: functions on ragged tensors."""

from placewise.ops.ragged.arrangement import boolean_mask as boolean_mask
from placewise.ops.ragged.arrangement import stack as stack
from placewise.ops.ragged.constant import constant as constant
from placewise.ops.ragged.map_flat_values import map_flat_values as map_flat_values
from placewise.ops.ragged.ranges import range as range
from placewise.ops.ragged.ranges import row_splits_to_segment_ids as row_splits_to_segment_ids
from placewise.ops.ragged.ranges import segment_ids_to_row_splits as segment_ids_to_row_splits
from placewise.ops.ragged.ranges import stack_dynamic_partitions as stack_dynamic_partitions
from placewise.ops.ragged.value import RaggedTensorValue as RaggedTensorValue
from placewise.tf1.ops_ragged import constant_value as constant_value
from placewise.tf1.ops_ragged import placeholder as placeholder
