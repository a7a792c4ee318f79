"""Estimators in a cluster: what TF_CONFIG makes of a process, and training with servers."""

import json
import threading

import numpy as np
import pytest

import placewise.v1 as tf
from tests.cluster.processes import free_port

pytestmark = pytest.mark.usefixtures("graph_mode")

CLUSTER = {"chief": ["a:1"], "worker": ["b:1", "c:1"], "ps": ["d:1", "e:1"]}


@pytest.fixture
def task(monkeypatch):
    """Returns a function that sets TF_CONFIG for a task."""

    def be(cluster, kind, index):
        described = {"cluster": cluster, "task": {"type": kind, "index": index}}
        monkeypatch.setenv("TF_CONFIG", json.dumps(described))

    return be


# What TensorFlow 1.15 answers: type, number, master, chief, servers, workers, number among all.
@pytest.mark.parametrize(
    ("kind", "index", "answer"),
    [
        ("chief", 0, ("grpc://a:1", True, 2, 3, 0)),
        ("worker", 1, ("grpc://c:1", False, 2, 3, 2)),
        ("ps", 0, ("grpc://d:1", False, 2, 3, 3)),
        ("evaluator", 0, ("", False, 0, 0, None)),
    ],
)
def test_a_configuration_knows_its_task(task, kind, index, answer):
    task(CLUSTER, kind, index)
    config = tf.estimator.RunConfig()
    found = (config.master, config.is_chief, config.num_ps_replicas, config.num_worker_replicas)
    assert (*found, config.global_id_in_cluster) == answer


def test_sessions_of_a_worker_use_the_servers_and_itself(task):
    task(CLUSTER, "worker", 1)
    config = tf.estimator.RunConfig().session_config
    assert list(config.device_filters) == ["/job:ps", "/job:worker/task:1"]


@pytest.mark.parametrize(
    ("cluster", "kind", "index", "said"),
    [
        ({"worker": ["a:1"]}, "worker", 0, 'it must have one "chief" node'),
        ({"chief": ["a:1", "b:1"]}, "chief", 0, 'must have only one "chief" node'),
        (CLUSTER, "cook", 0, "cook is not a valid task_type in the cluster_spec"),
        (CLUSTER, "worker", 2, "2 is not a valid task_id for task_type worker"),
        (CLUSTER, None, 0, "task type must be set"),
        ({"chief": ["a:1"], "master": ["b:1"]}, "chief", 0, "job `chief` is not supported"),
    ],
)
def test_a_cluster_that_cannot_train_is_refused(task, cluster, kind, index, said):
    task(cluster, kind, index)
    with pytest.raises(ValueError, match=said):
        tf.estimator.RunConfig()


def inputs():
    x = np.random.RandomState(0).standard_normal((64, 4)).astype("f")
    y = x @ np.array([[1], [2], [3], [4]], "f")
    return tf.data.Dataset.from_tensor_slices(({"x": x}, y)).repeat().batch(32)


DEVICES = []


def model(features, labels, mode):
    weights = tf.get_variable("weights", [4, 1], initializer=tf.zeros_initializer())
    DEVICES.append(weights.device)
    loss = tf.losses.mean_squared_error(labels, tf.matmul(features["x"], weights))
    step = tf.train.get_or_create_global_step()
    train = tf.train.GradientDescentOptimizer(0.1).minimize(loss, global_step=step)
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train)


@pytest.mark.parametrize("with_strategy", [False, True])
def test_a_chief_trains_on_a_server_and_an_evaluator_ends_with_it(task, tmp_path, with_strategy):
    hosts = {job: [f"localhost:{free_port()}"] for job in ("chief", "ps")}
    train_spec = tf.estimator.TrainSpec(inputs, max_steps=60)
    eval_spec = tf.estimator.EvalSpec(inputs, steps=2, start_delay_secs=0, throttle_secs=0)

    def estimator():
        strategy = tf.distribute.experimental.ParameterServerStrategy() if with_strategy else None
        config = tf.estimator.RunConfig(str(tmp_path), train_distribute=strategy)
        return tf.estimator.Estimator(model, config=config)

    task(hosts, "ps", 0)
    serve = (estimator(), train_spec, eval_spec)
    threading.Thread(target=tf.estimator.train_and_evaluate, args=serve, daemon=True).start()
    task(hosts, "chief", 0)
    assert tf.estimator.train_and_evaluate(estimator(), train_spec, eval_spec) is None
    assert DEVICES[-1] == "/job:ps/task:0"
    task(hosts, "evaluator", 0)
    evaluated = estimator()
    tf.estimator.train_and_evaluate(evaluated, train_spec, eval_spec)
    assert DEVICES[-1] == ""
    weights = evaluated.get_variable_value("weights")
    np.testing.assert_allclose(weights, [[1], [2], [3], [4]], atol=0.05)
