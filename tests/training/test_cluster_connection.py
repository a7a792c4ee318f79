"""Joining a cluster from an eager program."""

from __future__ import annotations

import pytest

import placewise as tf


def test_a_cluster_of_this_process_alone_is_joined() -> None:
    cluster = tf.train.ClusterSpec({"worker": ["localhost:2222"]})
    tf.config.experimental_connect_to_cluster(cluster, "worker", 0)


def test_a_host_must_be_named() -> None:
    with pytest.raises(ValueError, match="at least one remote_host"):
        tf.config.experimental_connect_to_host()


def test_device_filters_become_a_message() -> None:
    filters = tf.config.experimental.ClusterDeviceFilters()
    filters.set_device_filters("ps", 1, ["/job:worker"])
    made = filters._as_cluster_device_filters()
    assert made.jobs[0].name == "ps"
    assert list(made.jobs[0].tasks[1].device_filters) == ["/job:worker"]


def test_graphs_join_no_cluster() -> None:
    cluster = tf.train.ClusterSpec({"worker": ["localhost:2222"]})
    with tf.Graph().as_default(), pytest.raises(ValueError, match="only be called in eager mode"):
        tf.config.experimental_connect_to_cluster(cluster)
