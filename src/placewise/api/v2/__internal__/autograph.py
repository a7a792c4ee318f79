"""tf.__internal__.autograph: control flow from Python, asked for by a library."""

from placewise.functions.autograph.api import control_status_ctx as control_status_ctx
from placewise.functions.autograph.api import tf_convert as tf_convert
