"""tf.__internal__.dispatch: handlers for arguments that ops do not know."""

from placewise.core.dispatchers import GlobalOpDispatcher as GlobalOpDispatcher
from placewise.core.dispatchers import OpDispatcher as OpDispatcher
from placewise.core.dispatchers import add_dispatch_support as add_dispatch_support
