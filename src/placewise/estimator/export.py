"""tf.estimator.export: what exported models take and give."""

from placewise.estimator.serving import ClassificationOutput as ClassificationOutput
from placewise.estimator.serving import ExportOutput as ExportOutput
from placewise.estimator.serving import PredictOutput as PredictOutput
from placewise.estimator.serving import RegressionOutput as RegressionOutput
from placewise.estimator.serving import ServingInputReceiver as ServingInputReceiver
from placewise.estimator.serving import TensorServingInputReceiver as TensorServingInputReceiver
from placewise.estimator.serving import (
    build_parsing_serving_input_receiver_fn as build_parsing_serving_input_receiver_fn,
)
from placewise.estimator.serving import (
    build_raw_serving_input_receiver_fn as build_raw_serving_input_receiver_fn,
)
