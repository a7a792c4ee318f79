"""What a worker sees of the others: who ended, who said so before, who does not answer."""

import os
import signal

import pytest

from placewise.distribute.peer_monitor import PeerMonitor


@pytest.fixture
def own():
    monitor = PeerMonitor("127.0.0.1", 0, lambda: 5)
    yield monitor
    monitor.close(0, False)


@pytest.fixture
def child(own):
    """Another process, which this one has a connection to."""
    read, write = os.pipe()
    process = os.fork()
    if not process:
        theirs = PeerMonitor("127.0.0.1", 0, lambda: 3)
        os.write(write, str(theirs.port).encode())
        signal.pause()
    own.connect(1, f"127.0.0.1:{os.read(read, 64).decode()}")
    yield process
    os.kill(process, signal.SIGKILL)
    os.waitpid(process, 0)


def _wait_until(check):
    while not check():
        pass


@pytest.mark.filterwarnings("ignore")  # Python warns of forks in processes with threads
def test_a_living_worker_says_how_far_it_is_and_a_stopped_one_nothing(own, child):
    assert own.poll(20.0) == {1: 3}
    os.kill(child, signal.SIGSTOP)
    os.waitpid(child, os.WUNTRACED)
    assert own.poll(0.1) == {1: None}
    assert own.ended() == []


@pytest.mark.filterwarnings("ignore")
def test_a_killed_worker_has_ended(own, child):
    os.kill(child, signal.SIGKILL)
    _wait_until(own.ended)
    assert (own.ended(1), own.failed_by_others([1]), own.poll(0.1)) == ([1], [], {})


def test_one_that_took_part_in_all_calls_may_leave(own):
    theirs = PeerMonitor("127.0.0.1", 0, lambda: 5)
    own.connect(1, f"127.0.0.1:{theirs.port}")
    own.poll(20.0)
    theirs.close(5, False)
    _wait_until(own.ended)
    assert own.ended(5) == []
    assert own.ended(6) == [1]


def test_one_that_was_failed_by_another_says_so(own):
    theirs = PeerMonitor("127.0.0.1", 0, lambda: 5)
    own.connect(1, f"127.0.0.1:{theirs.port}")
    own.poll(20.0)
    theirs.close(4, True)
    _wait_until(own.ended)
    assert own.failed_by_others(own.ended(5)) == [1]


def test_a_port_that_nobody_listens_at_is_a_worker_that_ended(own):
    theirs = PeerMonitor("127.0.0.1", 0, lambda: 5)
    port = theirs.port
    theirs.close(0, False)
    theirs._server.join()
    own.connect(1, f"127.0.0.1:{port}")
    assert own.ended() == [1]
