"""Names of tf.contrib.learn."""

from placewise.api.contrib.learn import datasets as datasets
from placewise.contrib.learn import preprocessing as preprocessing
from placewise.contrib.learn.modes import ModeKeys as ModeKeys
from placewise.estimator.run_config import RunConfig as RunConfig
from placewise.training.stop_hooks import NanLossDuringTrainingError as NanLossDuringTrainingError
from placewise.api.contrib.learn import learn_runner as learn_runner
from placewise.contrib.learn.estimators import Estimator as Estimator
from placewise.contrib.learn.estimators import MetricSpec as MetricSpec
from placewise.contrib.learn.estimators import ModelFnOps as ModelFnOps
from placewise.contrib.learn.estimators import SKCompat as SKCompat
from placewise.contrib.learn.estimators import infer_real_valued_columns_from_input as infer_real_valued_columns_from_input
from placewise.contrib.learn.estimators import infer_real_valued_columns_from_input_fn as infer_real_valued_columns_from_input_fn
from placewise.contrib.learn.experiments import Experiment as Experiment
from placewise.contrib.learn.premade import DNNClassifier as DNNClassifier
from placewise.contrib.learn.premade import DNNRegressor as DNNRegressor
from placewise.contrib.learn.premade import LinearClassifier as LinearClassifier
from placewise.contrib.learn.premade import LinearRegressor as LinearRegressor
