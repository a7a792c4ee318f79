"""tf.metrics of TensorFlow 1: pairs of a value so far and the op that takes in more."""

from placewise.layers.class_metrics import false_negatives as false_negatives
from placewise.layers.class_metrics import false_positives as false_positives
from placewise.layers.class_metrics import mean_iou as mean_iou
from placewise.layers.class_metrics import mean_per_class_accuracy as mean_per_class_accuracy
from placewise.layers.class_metrics import precision as precision
from placewise.layers.class_metrics import recall as recall
from placewise.layers.class_metrics import true_negatives as true_negatives
from placewise.layers.class_metrics import true_positives as true_positives
from placewise.layers.mean_metrics import accuracy as accuracy
from placewise.layers.mean_metrics import mean as mean
from placewise.layers.mean_metrics import mean_absolute_error as mean_absolute_error
from placewise.layers.mean_metrics import mean_cosine_distance as mean_cosine_distance
from placewise.layers.mean_metrics import mean_relative_error as mean_relative_error
from placewise.layers.mean_metrics import mean_squared_error as mean_squared_error
from placewise.layers.mean_metrics import mean_tensor as mean_tensor
from placewise.layers.mean_metrics import percentage_below as percentage_below
from placewise.layers.mean_metrics import root_mean_squared_error as root_mean_squared_error
from placewise.layers.ranking_metrics import average_precision_at_k as average_precision_at_k
from placewise.layers.ranking_metrics import precision_at_k as precision_at_k
from placewise.layers.ranking_metrics import precision_at_top_k as precision_at_top_k
from placewise.layers.ranking_metrics import recall_at_k as recall_at_k
from placewise.layers.ranking_metrics import recall_at_top_k as recall_at_top_k
from placewise.layers.threshold_metrics import auc as auc
from placewise.layers.threshold_metrics import (
    false_negatives_at_thresholds as false_negatives_at_thresholds,
)
from placewise.layers.threshold_metrics import (
    false_positives_at_thresholds as false_positives_at_thresholds,
)
from placewise.layers.threshold_metrics import precision_at_thresholds as precision_at_thresholds
from placewise.layers.threshold_metrics import recall_at_thresholds as recall_at_thresholds
from placewise.layers.threshold_metrics import (
    sensitivity_at_specificity as sensitivity_at_specificity,
)
from placewise.layers.threshold_metrics import (
    specificity_at_sensitivity as specificity_at_sensitivity,
)
from placewise.layers.threshold_metrics import (
    true_negatives_at_thresholds as true_negatives_at_thresholds,
)
from placewise.layers.threshold_metrics import (
    true_positives_at_thresholds as true_positives_at_thresholds,
)
