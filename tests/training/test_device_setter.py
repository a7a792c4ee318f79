"""`replica_device_setter`: variables go to parameter servers in turn."""

from typing import Any

import pytest

from placewise.compat import v1 as tf

pytestmark = pytest.mark.usefixtures("graph_mode")


def devices(**options: Any) -> list[str]:
    with tf.device(tf.train.replica_device_setter(**options)):
        a, b, c = (tf.Variable(1.0, name=name) for name in "abc")
        other = a + b
    return [each.device for each in (a, b, c, other)]


def test_variables_go_to_servers_in_turn() -> None:
    cluster = {"ps": ["h:1", "h:2"], "worker": ["h:3"]}
    assert devices(cluster=cluster) == [
        "/job:ps/task:0",
        "/job:ps/task:1",
        "/job:ps/task:0",
        "/job:worker",
    ]


def test_devices_of_both_can_be_given() -> None:
    found = devices(ps_tasks=2, worker_device="/job:worker/task:7/gpu:0", ps_device="/job:ps/cpu:0")
    assert found[:2] == ["/job:ps/task:0/device:CPU:0", "/job:ps/task:1/device:CPU:0"]
    assert found[3] == "/job:worker/task:7/device:GPU:0"


def test_an_inner_device_adds_to_it_or_replaces_it() -> None:
    for merge, expected in ((True, "/job:worker/device:GPU:0"), (False, "/device:GPU:0")):
        setter = tf.train.replica_device_setter(ps_tasks=1, merge_devices=merge)
        with tf.device(setter), tf.device("/gpu:0"):
            assert tf.constant(1.0).device == expected


def test_a_strategy_and_a_list_of_ops_can_be_given() -> None:
    assert devices(ps_tasks=2, ps_strategy=lambda op: 1)[0] == "/job:ps/task:1"
    assert devices(ps_tasks=2, ps_ops=["Const"])[0] == "/job:worker"
    with pytest.raises(TypeError, match="ps_strategy must be callable"):
        tf.train.replica_device_setter(ps_tasks=1, ps_strategy=3)


def test_without_servers_there_is_no_function() -> None:
    assert tf.train.replica_device_setter() is None
    assert tf.train.replica_device_setter(cluster={"worker": ["h:1"]}) is None
    with pytest.raises(TypeError, match="`cluster` must be a dictionary mapping"):
        tf.train.replica_device_setter(cluster=3)
