"""Names of tf.contrib.metrics."""

from placewise.contrib.metrics.streaming import accuracy as accuracy
from placewise.contrib.metrics.streaming import aggregate_metric_map as aggregate_metric_map
from placewise.contrib.metrics.streaming import aggregate_metrics as aggregate_metrics
from placewise.contrib.metrics.streaming import confusion_matrix as confusion_matrix
from placewise.contrib.metrics.streaming import streaming_accuracy as streaming_accuracy
from placewise.contrib.metrics.streaming import streaming_auc as streaming_auc
from placewise.contrib.metrics.streaming import streaming_false_negatives as streaming_false_negatives
from placewise.contrib.metrics.streaming import streaming_false_positives as streaming_false_positives
from placewise.contrib.metrics.streaming import streaming_mean as streaming_mean
from placewise.contrib.metrics.streaming import streaming_mean_absolute_error as streaming_mean_absolute_error
from placewise.contrib.metrics.streaming import streaming_mean_iou as streaming_mean_iou
from placewise.contrib.metrics.streaming import streaming_mean_squared_error as streaming_mean_squared_error
from placewise.contrib.metrics.streaming import streaming_mean_tensor as streaming_mean_tensor
from placewise.contrib.metrics.streaming import streaming_precision as streaming_precision
from placewise.contrib.metrics.streaming import streaming_recall as streaming_recall
from placewise.contrib.metrics.streaming import streaming_root_mean_squared_error as streaming_root_mean_squared_error
from placewise.contrib.metrics.streaming import streaming_true_negatives as streaming_true_negatives
from placewise.contrib.metrics.streaming import streaming_true_positives as streaming_true_positives
