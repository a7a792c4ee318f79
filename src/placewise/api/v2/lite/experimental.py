"""tf.lite.experimental: what TensorFlow keeps there."""

from placewise.lite.analyzer import Analyzer as Analyzer
from placewise.lite.interpreter import OpResolverType as OpResolverType
from placewise.lite.interpreter import load_delegate as load_delegate
