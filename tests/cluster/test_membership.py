"""Whom a session of a cluster waits for, and what it says meanwhile."""

import logging
import socket

import pytest

import placewise.v1 as tf
from placewise.cluster import membership


@pytest.fixture
def absent():
    """The address of a task that has not started."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    return f"127.0.0.1:{port}"


def test_a_session_says_which_task_it_waits_for(absent, monkeypatch, caplog):
    monkeypatch.setenv("PLACEWISE_CLUSTER_START_TIMEOUT", "0.5")
    monkeypatch.setattr(membership, "_ASK_SECONDS", 0.2)
    cluster = tf.train.ClusterSpec({"worker": ["127.0.0.1:0", absent]})
    server = tf.train.Server(cluster, job_name="worker", task_index=0)
    with (
        caplog.at_level(logging.WARNING, "tensorflow"),
        pytest.raises(tf.errors.DeadlineExceededError, match="/job:worker/task:1 at"),
        tf.Graph().as_default(),
        tf.Session(server.target) as session,
    ):
        session.run(tf.constant(1.0))
    said = "still waiting for response from worker: /job:worker/replica:0/task:1\n"
    assert said in caplog.text
    assert f"nothing answers at {absent}" in caplog.text
    assert "device_filters" in caplog.text


def test_a_filtered_task_is_not_waited_for(absent):
    cluster = tf.train.ClusterSpec({"worker": ["127.0.0.1:0", absent]})
    server = tf.train.Server(cluster, job_name="worker", task_index=0)
    config = tf.ConfigProto(device_filters=["/job:worker/task:0"])
    with tf.Graph().as_default(), tf.Session(server.target, config=config) as session:
        assert session.run(tf.constant(2.0)) == 2.0
