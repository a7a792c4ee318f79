"""tf.__internal__.tracking: objects that know what they hold."""

from placewise.core.trackable import AutoTrackable as AutoTrackable
from placewise.core.trackable import Trackable as Trackable
from placewise.core.trackable import (
    no_automatic_dependency_tracking as no_automatic_dependency_tracking,
)
