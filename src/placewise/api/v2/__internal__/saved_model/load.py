"""tf.__internal__.saved_model.load: classes for objects in saved models."""

from placewise.saving.revived_types import VersionedTypeRegistration as VersionedTypeRegistration
from placewise.saving.revived_types import get_setter as get_setter
from placewise.saving.revived_types import register_revived_type as register_revived_type
from placewise.saving.revived_types import registered_identifiers as registered_identifiers
