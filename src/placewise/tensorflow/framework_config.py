"""`tensorflow.python.framework.config`: settings, under their inner name."""

from placewise.api.v2.config import *  # noqa: F403 - the same names
from placewise.api.v2.config.experimental import *  # noqa: F403 - the same names
from placewise.core.determinism import disable_op_determinism as disable_op_determinism
from placewise.core.determinism import enable_op_determinism as enable_op_determinism
from placewise.core.determinism import is_op_determinism_enabled as is_op_determinism_enabled
