"""Coordinators whose workers and parameter servers are killed."""

import random
import threading
import time

import pytest

import placewise as tf
from tests.cluster.processes import Cluster


@pytest.fixture
def cluster(tmp_path):
    with Cluster(tmp_path, "join.py", {"ps": 1, "worker": 2}) as started:
        yield started.start_all()


def coordinated(cluster):
    hosts = {**cluster.hosts, "chief": ["localhost:1"]}
    resolver = tf.distribute.cluster_resolver.SimpleClusterResolver(
        tf.train.ClusterSpec(hosts), rpc_layer="grpc", task_type="chief", task_id=0
    )
    strategy = tf.distribute.ParameterServerStrategy(resolver)
    return strategy, tf.distribute.coordinator.ClusterCoordinator(strategy)


def counting(strategy):
    with strategy.scope():
        count = tf.Variable(0, dtype=tf.int64)

    @tf.function
    def step():
        count.assign_add(1)
        return tf.reduce_sum(tf.random.normal([200, 200])) * 0.0

    return count, step


def test_steps_of_a_killed_worker_run_on_another_and_it_is_used_again(cluster):
    strategy, coordinator = coordinated(cluster)
    count, step = counting(strategy)
    coordinator.schedule(step)
    coordinator.join()
    cluster.signal("worker", 0)
    several = [coordinator.schedule(step) for _ in range(50)]
    coordinator.join()
    assert all(value.fetch() == 0.0 for value in several)
    assert count.numpy() >= 51
    cluster.start("worker", 0)
    cluster.signal("worker", 1)
    several = [coordinator.schedule(step) for _ in range(20)]
    coordinator.join()
    assert all(value.fetch() == 0.0 for value in several)


def test_the_dataset_of_a_killed_worker_begins_anew_when_it_is_back(cluster):
    _, coordinator = coordinated(cluster)

    @tf.function
    def read(iterator):
        return next(iterator)

    def make():
        return tf.data.Dataset.range(1000).map(lambda x: x + 1)

    iterator = iter(coordinator.create_per_worker_dataset(make))
    coordinator.fetch([coordinator.schedule(read, args=(iterator,)) for _ in range(20)])
    for number in range(2):
        cluster.signal("worker", number)
        cluster.start("worker", number)
    several = [coordinator.schedule(read, args=(iterator,)) for _ in range(10)]
    coordinator.join()
    assert min(coordinator.fetch(several)) == 1


def test_twenty_kills_at_random_lose_no_step(cluster):
    strategy, coordinator = coordinated(cluster)
    count, step = counting(strategy)
    coordinator.schedule(step)
    coordinator.join()
    choices = random.Random(0)

    def kill():
        for _ in range(20):
            number = choices.randrange(2)
            cluster.signal("worker", number)
            cluster.start("worker", number)
            time.sleep(choices.uniform(0.1, 0.6))

    killer = threading.Thread(target=kill)
    killer.start()
    done = 0
    while killer.is_alive():
        several = [coordinator.schedule(step) for _ in range(20)]
        coordinator.join()
        assert all(value.fetch() == 0.0 for value in several)
        done += 20
    assert count.numpy() >= done


def test_a_killed_parameter_server_is_named_at_once(cluster):
    strategy, coordinator = coordinated(cluster)
    _, step = counting(strategy)
    coordinator.schedule(step)
    coordinator.join()
    cluster.signal("ps", 0)
    begin = time.monotonic()
    coordinator.schedule(step)
    with pytest.raises(tf.errors.UnavailableError, match="/job:ps/task:0"):
        coordinator.join()
    assert time.monotonic() - begin < 10
