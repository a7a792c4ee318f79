"""A run that is stopped, by Ctrl-C or by its own limit, leaves the session as it was."""

import subprocess
import sys
import textwrap

import pytest

import placewise.compat.v1 as tf

PROGRAM = """
    import os, signal, threading
    import placewise.v1 as tf
    v, i = tf.Variable(0.0), tf.constant(0)
    loop = tf.while_loop(lambda i: i < 2_000_000_000, lambda i: i + 1, [i])
    queue = tf.FIFOQueue(1, tf.float32)
    take, add = queue.dequeue(), v.assign_add(1.0)
    session = tf.Session()
    session.run(tf.global_variables_initializer())
    for fetch in (loop, take):
        threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
        try:
            session.run(fetch)
        except KeyboardInterrupt:
            print("stopped, then", session.run(add))
    session.run(queue.enqueue(3.0))
    print("and", session.run(take))
"""


def test_ctrl_c_stops_a_loop_and_a_wait_and_the_session_goes_on():
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(PROGRAM)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.stdout.split("\n")[:3] == ["stopped, then 1.0", "stopped, then 2.0", "and 3.0"]


@pytest.mark.usefixtures("graph_mode")
def test_a_limit_ends_a_wait_and_the_session_goes_on():
    queue = tf.FIFOQueue(1, tf.float32)
    take = queue.dequeue()
    with tf.Session() as session:
        with pytest.raises(tf.errors.DeadlineExceededError):
            session.run(take, options=tf.RunOptions(timeout_in_ms=50))
        session.run(queue.enqueue(3.0))
        assert session.run(take) == 3.0
