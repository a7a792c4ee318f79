"""What TensorBoard shows: summaries, and the event files they are written to."""

from placewise.core.namespace import public_names

__getattr__ = public_names(__name__)
