"""What tasks of tests need, imported once before they are forked. It starts no thread."""

import grpc  # noqa: F401

import placewise.v1  # noqa: F401
from placewise.cluster import server, sessions  # noqa: F401
from placewise.ops.registry import load_everything
from placewise.training import monitored_session, sync_replicas  # noqa: F401

load_everything()
