"""Names of tf.contrib.eager.metrics."""

from placewise.contrib.eager.metrics import Accuracy as Accuracy
from placewise.contrib.eager.metrics import BinaryAccuracy as BinaryAccuracy
from placewise.contrib.eager.metrics import CategoricalAccuracy as CategoricalAccuracy
from placewise.contrib.eager.metrics import Mean as Mean
from placewise.contrib.eager.metrics import Metric as Metric
from placewise.contrib.eager.metrics import SparseAccuracy as SparseAccuracy
