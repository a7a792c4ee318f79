"""How workers meet, here as threads of one process."""

import socket
import threading

from placewise.core.errors import UnavailableError
from placewise.distribute.membership import Membership
from placewise.distribute.worker_group import WorkerGroup


def _free_ports(count):
    holders = [socket.socket() for _ in range(count)]
    for holder in holders:
        holder.bind(("127.0.0.1", 0))
    ports = [holder.getsockname()[1] for holder in holders]
    for holder in holders:
        holder.close()
    return ports


def test_all_workers_name_the_one_that_does_not_come():
    ports = _free_ports(3)
    addresses = tuple(f"127.0.0.1:{port}" for port in ports)
    names = tuple(f"worker {rank}" for rank in range(3))
    said = {}

    def meet(rank, timeout):
        member = Membership(rank, addresses, names, "127.0.0.1", ports[0], is_served=False)
        try:
            WorkerGroup(member, 1, timeout)
        except UnavailableError as error:
            said[rank] = error.message

    # The first worker, at which the others read who is there, gives up long before worker 2.
    threads = [threading.Thread(target=meet, args=given) for given in ((0, 0.3), (2, 60.0))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert set(said) == {0, 2}
    for rank, message in said.items():
        assert message.startswith(f"worker {rank} waited for worker 1, which did not come"), message
