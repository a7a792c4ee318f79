"""What arrives at a server may be anything: it gets an error, and hurts nobody."""

import pytest

from tests.cluster.mutation import attack, is_well
from tests.cluster.processes import Cluster


@pytest.fixture
def served(tmp_path):
    """A server process, and its address."""
    with Cluster(tmp_path, "serve.py", {"local": 1}) as cluster:
        cluster.start_all().wait_for("local", 0, "serving", 120)
        yield cluster, cluster.hosts["local"][0]


def resident_bytes(process):
    """Return the memory of a process."""
    with open(f"/proc/{process.pid}/statm") as file:
        return int(file.read().split()[1]) * 4096


def test_mutated_requests_neither_end_a_server_nor_fill_it(served, graph_mode):
    cluster, address = served
    assert attack(address, 400) == 400
    assert is_well(address)
    assert cluster.processes["local", 0].exitcode is None
    assert resident_bytes(cluster.processes["local", 0]) < 2 << 30
