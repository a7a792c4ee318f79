"""What tests of TensorFlow 1 find around them: folders, clusters, stubs, equal graphs."""

from __future__ import annotations

import os
import socket
import sys
from typing import Any

from placewise import messages
from placewise.training.server import Server


def test_src_dir_path(relative_path: str) -> str:
    """Return a path relative to the folder of the running program."""
    return os.path.join(os.path.dirname(os.path.abspath(sys.argv[0])), relative_path)


test_src_dir_path.__test__ = False  # type: ignore[attr-defined]


def create_local_cluster(
    num_workers: int,
    num_ps: int,
    protocol: str = "grpc",
    worker_config: Any = None,
    ps_config: Any = None,
) -> tuple[list[Server], list[Server]]:
    """Return servers of this process for the workers and parameter servers of a cluster."""

    ports = _unused_ports(num_workers + num_ps)
    addresses = [f"localhost:{port}" for port in ports]
    cluster = {"worker": addresses[:num_workers], "ps": addresses[num_workers:]}
    workers = [
        Server(cluster, job_name="worker", task_index=i, protocol=protocol, config=worker_config)
        for i in range(num_workers)
    ]
    servers = [
        Server(cluster, job_name="ps", task_index=i, protocol=protocol, config=ps_config)
        for i in range(num_ps)
    ]
    return workers, servers


def assert_equal_graph_def(
    actual: Any, expected: Any, checkpoint_v2: bool = False, hash_table_shared_name: bool = False
) -> None:
    """Raise AssertionError unless two GraphDefs have the same nodes, in any order."""
    for name, given in (("actual", actual), ("expected", expected)):
        if not isinstance(given, messages.GraphDef):
            raise TypeError(f"Expected tf.GraphDef for {name}, got {type(given).__name__}")
    nodes = [{node.name: node for node in graph.node} for graph in (actual, expected)]
    for name in sorted(nodes[0].keys() | nodes[1].keys()):
        first, second = nodes[0].get(name), nodes[1].get(name)
        if first != second:
            raise AssertionError(f"node {name} differs:\n{first}\n{second}")


class StubOutForTesting:
    """Replaces attributes for the time of a test, and puts them back."""

    def __init__(self) -> None:
        self._kept: list[tuple[Any, str, Any]] = []

    def __enter__(self) -> StubOutForTesting:
        return self

    def __exit__(self, *_: Any) -> None:
        self.CleanUp()

    def __del__(self) -> None:
        self.CleanUp()

    def Set(self, parent: Any, child_name: str, new_child: Any) -> None:  # noqa: N802
        """Replace an attribute; the old one comes back with `UnsetAll`."""
        old = vars(parent).get(child_name, getattr(parent, child_name))
        self._kept.append((parent, child_name, old))
        setattr(parent, child_name, new_child)

    SmartSet = Set

    def UnsetAll(self) -> None:  # noqa: N802 - TensorFlow's own name
        """Put back everything."""
        while self._kept:
            setattr(*self._kept.pop())

    SmartUnsetAll = CleanUp = UnsetAll


def _unused_ports(count: int) -> list[int]:
    """Return ports of this machine that nobody uses."""
    holders = [socket.socket() for _ in range(count)]
    try:
        for holder in holders:
            holder.bind(("127.0.0.1", 0))
        return [holder.getsockname()[1] for holder in holders]
    finally:
        for holder in holders:
            holder.close()
