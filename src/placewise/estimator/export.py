"""tf.estimator.export: what exported models take and give."""

from placewise.estimator.receivers import ClassificationOutput as ClassificationOutput
from placewise.estimator.receivers import ExportOutput as ExportOutput
from placewise.estimator.receivers import PredictOutput as PredictOutput
from placewise.estimator.receivers import RegressionOutput as RegressionOutput
from placewise.estimator.receivers import ServingInputReceiver as ServingInputReceiver
from placewise.estimator.receivers import TensorServingInputReceiver as TensorServingInputReceiver
from placewise.estimator.receivers import (
    build_parsing_serving_input_receiver_fn as build_parsing_serving_input_receiver_fn,
)
from placewise.estimator.receivers import (
    build_raw_serving_input_receiver_fn as build_raw_serving_input_receiver_fn,
)
