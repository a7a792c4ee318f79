"""tf.__internal__.decorator: decorators that can be undone."""

from placewise.core.decorators import make_decorator as make_decorator
from placewise.core.decorators import unwrap as unwrap
