"""Names of tf.contrib.learn."""

from placewise.api.contrib.learn import datasets as datasets
from placewise.contrib.learn import preprocessing as preprocessing
from placewise.contrib.learn.modes import ModeKeys as ModeKeys
from placewise.estimator.run_config import RunConfig as RunConfig
from placewise.training.stop_hooks import NanLossDuringTrainingError as NanLossDuringTrainingError
