"""tf.__internal__.tracking: objects that know what they hold."""

from placewise.core.trackable import AutoTrackable as AutoTrackable
from placewise.core.trackable import Trackable as Trackable
from placewise.core.trackable import TrackableDataStructure as TrackableDataStructure
from placewise.core.trackable import (
    no_automatic_dependency_tracking as no_automatic_dependency_tracking,
)
from placewise.core.tracked_structures import (
    CheckpointInitialValueCallable as CheckpointInitialValueCallable,
)
from placewise.core.tracked_structures import DelegatingTrackableMixin as DelegatingTrackableMixin
from placewise.core.tracked_structures import (
    sticky_attribute_assignment as sticky_attribute_assignment,
)
from placewise.core.tracked_structures import wrap as wrap
from placewise.saving.session_providers import (
    register_session_provider as register_session_provider,
)
