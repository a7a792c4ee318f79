"""A cluster of two workers and two parameter servers, which tests join."""

import pytest

import placewise as tf
from tests.cluster.processes import Cluster


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cluster")
    with Cluster(folder, "join.py", {"ps": 2, "worker": 2}) as started:
        yield started.start_all()


@pytest.fixture
def joined(cluster):
    """The cluster, joined by this process."""
    tf.config.experimental_connect_to_cluster(tf.train.ClusterSpec(cluster.hosts))
    return cluster
