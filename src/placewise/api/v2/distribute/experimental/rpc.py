"""tf.distribute.experimental.rpc: functions that one process serves and others call."""

from placewise.distribute.rpc.client import Client as Client
from placewise.distribute.rpc.server import Server as Server
