"""What a worker sees of the others: who ended, who said so before, who does not answer."""

import os
import signal
import subprocess
import sys
import time

import pytest

from placewise.distribute.peer_monitor import PeerMonitor

PEER = """
import signal
from placewise.distribute.peer_monitor import PeerMonitor
monitor = PeerMonitor("127.0.0.1", 0, lambda: (3, False))
print(monitor.port, flush=True)
signal.pause()
"""


@pytest.fixture
def own():
    monitor = PeerMonitor("127.0.0.1", 0, lambda: (5, True))
    yield monitor
    monitor.close(0, False)


@pytest.fixture
def child(own):
    """Another process, which this one has a connection to."""
    # A fork would have this process's locks, held by threads that it does not have.
    process = subprocess.Popen([sys.executable, "-c", PEER], stdout=subprocess.PIPE, text=True)
    own.connect(1, f"127.0.0.1:{process.stdout.readline().strip()}")
    yield process
    process.kill()
    process.communicate(timeout=60)


def _wait_until(check):
    deadline = time.monotonic() + 60
    while not check():
        assert time.monotonic() < deadline
        time.sleep(0.001)


def test_a_living_worker_says_how_far_it_is_and_a_stopped_one_nothing(own, child):
    assert own.poll(20.0) == {1: 3}
    child.send_signal(signal.SIGSTOP)
    os.waitpid(child.pid, os.WUNTRACED)
    assert own.poll(0.1) == {1: None}
    assert own.ended() == []


def test_a_killed_worker_has_ended(own, child):
    child.kill()
    _wait_until(own.ended)
    assert (own.ended(1), own.failed_by_others([1]), own.poll(0.1)) == ([1], [], {})


def test_one_that_took_part_in_all_calls_may_leave(own):
    theirs = PeerMonitor("127.0.0.1", 0, lambda: (5, True))
    own.connect(1, f"127.0.0.1:{theirs.port}")
    own.poll(20.0)
    theirs.close(5, False)
    _wait_until(own.ended)
    assert own.ended(5) == []
    assert own.ended(6) == [1]


def test_one_that_was_failed_by_another_says_so(own):
    theirs = PeerMonitor("127.0.0.1", 0, lambda: (5, True))
    own.connect(1, f"127.0.0.1:{theirs.port}")
    own.poll(20.0)
    theirs.close(4, True)
    _wait_until(own.ended)
    assert own.failed_by_others(own.ended(5)) == [1]


def test_a_port_that_nobody_listens_at_is_a_worker_that_ended(own):
    theirs = PeerMonitor("127.0.0.1", 0, lambda: (5, True))
    port = theirs.port
    theirs.close(0, False)
    theirs._server.join()
    own.connect(1, f"127.0.0.1:{port}")
    assert own.ended() == [1]


@pytest.mark.parametrize("waits", [False, True])
def test_a_worker_says_whether_it_waits_itself(own, waits):
    theirs = PeerMonitor("127.0.0.1", 0, lambda: (4, waits))
    own.connect(1, f"127.0.0.1:{theirs.port}")
    assert own.poll(20.0) == {1: 4}
    assert own.waiting([1]) == [1] * waits
    theirs.close(4, False)
