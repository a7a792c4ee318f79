"""Steps that end while they begin: what they wait for is given up."""

import threading

import pytest

import placewise as tf
from placewise.cluster.channels import Peer
from placewise.cluster.server import TaskServer
from placewise.cluster.wire import message
from placewise.cluster.worker import Step


class Stream:
    """A stream from a task that never answers."""

    def __init__(self):
        self.is_cancelled = False

    def cancel(self):
        self.is_cancelled = True


class TaskOfStreams:
    """A task whose peers answer with such streams; the step is cancelled after the first."""

    name = "/job:worker/task:0"

    def __init__(self):
        self.streams, self.step = [], None

    def peer(self, name):
        return self

    def pull(self, request, timeout):
        self.streams.append(Stream())
        if len(self.streams) == 1:
            problem = tf.errors.AbortedError(None, None, "restarted")
            canceller = threading.Thread(target=self.step.cancellation.cancel, args=(problem,))
            canceller.start()
            canceller.join()
        return self.streams[-1]


def test_a_step_that_is_cancelled_while_it_asks_waits_for_nobody():
    task = TaskOfStreams()
    task.step = step = Step(task, 1, None)
    with (
        step.cancellation.calling(step.cancel_pulls),
        pytest.raises(tf.errors.AbortedError, match="restarted"),
    ):
        step.begin({"/job:ps/task:0": 1, "/job:ps/task:1": 1})


def test_fetches_that_were_lost_with_their_process_are_not_waited_for():
    server = TaskServer({"local": {0: "localhost:0"}}, "local", 0, None)
    server.start()
    try:
        peer = Peer("/job:local/task:0", server.task.address)
        request = message("PullRequest")(step=7, target="fetches", count=1)
        with pytest.raises(tf.errors.AbortedError, match="without sending all tensors"):
            peer.pull(request, timeout=30.0).take(0)
    finally:
        server.stop()
