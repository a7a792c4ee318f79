"""A task that does not answer is named, whatever it was asked."""

import socket

import pytest

import placewise as tf
from placewise.cluster.channels import WORKER, Peer
from placewise.cluster.watch import call_watched, push_watched
from placewise.cluster.wire import message


@pytest.fixture
def silent(monkeypatch):
    """A task whose process is stopped: connections to it are accepted and never answered."""
    monkeypatch.setenv("PLACEWISE_CLUSTER_TIMEOUT", "1")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield Peer("/job:ps/task:0", f"127.0.0.1:{listener.getsockname()[1]}")


def test_a_graph_sent_to_a_silent_task_raises(silent):
    with pytest.raises(tf.errors.UnavailableError, match="Task /job:ps/task:0 at"):
        push_watched(silent, f"/{WORKER}/Register", [b"graph"])


def test_a_call_of_a_silent_task_raises(silent):
    with pytest.raises(tf.errors.UnavailableError, match="Task /job:ps/task:0 at"):
        call_watched(silent, f"/{WORKER}/Describe", message("DescribeRequest")())
