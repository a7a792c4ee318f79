"""tf.lite of TensorFlow 1: models for TensorFlow Lite, and their interpreter."""

from placewise.api.v1.lite import constants as constants
from placewise.api.v2.lite import experimental as experimental
from placewise.lite.converter_v1 import TFLiteConverter as TFLiteConverter
from placewise.lite.interpreter import Interpreter as Interpreter
from placewise.lite.options import OpsSet as OpsSet
from placewise.lite.options import Optimize as Optimize
from placewise.lite.options import RepresentativeDataset as RepresentativeDataset
from placewise.lite.options import TargetSpec as TargetSpec
