"""Ten thousand mutated requests: no death, no hang, memory bounded."""

from tests.cluster.mutation import attack, is_well
from tests.cluster.test_requests import resident_bytes, served  # noqa: F401


def test_ten_thousand_mutated_requests_hurt_nobody(served, graph_mode):  # noqa: F811
    cluster, address = served
    attack(address, 500, seed=1)
    before = resident_bytes(cluster.processes["local", 0])
    assert attack(address, 10_000, seed=2) == 10_000
    assert is_well(address)
    assert cluster.processes["local", 0].exitcode is None
    assert resident_bytes(cluster.processes["local", 0]) < before + (512 << 20)
