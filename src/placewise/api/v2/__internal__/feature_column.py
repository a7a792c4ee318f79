"""tf.__internal__.feature_column: the classes behind feature columns."""

from placewise.feature_column.base import DenseColumn as DenseColumn
from placewise.feature_column.base import FeatureColumn as FeatureColumn
from placewise.feature_column.base import FeatureTransformationCache as FeatureTransformationCache
from placewise.feature_column.state_manager import StateManager as StateManager
