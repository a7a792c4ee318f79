"""tf.lite: models for TensorFlow Lite, and their interpreter."""

from placewise.api.v2.lite import experimental as experimental
from placewise.lite.converter import TFLiteConverter as TFLiteConverter
from placewise.lite.interpreter import Interpreter as Interpreter
from placewise.lite.options import OpsSet as OpsSet
from placewise.lite.options import Optimize as Optimize
from placewise.lite.options import RepresentativeDataset as RepresentativeDataset
from placewise.lite.options import TargetSpec as TargetSpec
