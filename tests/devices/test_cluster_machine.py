"""Simulated clusters: their description, their devices, and what the network costs."""

import pytest

import placewise as tf
from placewise.cost.collectives import all_reduce_seconds
from placewise.cost.links import link_between
from placewise.cost.machine import MachineSpec
from placewise.devices.cluster_machine import parse_cluster_machine
from placewise.devices.machine import parse_machine

v1 = tf.compat.v1
CLUSTER = "ps=1x0, worker=2x(2xV100)"


def test_jobs_have_machines_and_a_network():
    tasks = parse_cluster_machine("ps=2, chief=(V100@05:00.0,host:64GiB)@ib100, worker=2xK80@25gbe")
    assert [(t.job, t.task, t.machine, t.network.name) for t in tasks] == [
        ("ps", 0, "0", "10 GbE"),
        ("ps", 1, "0", "10 GbE"),
        ("chief", 0, "V100@05:00.0,host:64GiB", "InfiniBand 100"),
        ("worker", 0, "K80", "25 GbE"),
        ("worker", 1, "K80", "25 GbE"),
    ]
    assert len(parse_machine("ps=1x0, worker=4x(8xV100)")) == 32


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("worker=2x(2xV100", "is not JOB="),
        ("worker=2x(2xV100)@5tbe", "there is no network '5tbe'; write 10gbe"),
        ("worker=2x(2xV999)", "there is no model 'V999'"),
        ("worker=300", "has 300 tasks; 1 to 255 can be"),
        ("ps=1x0,", "'' is not JOB="),
    ],
)
def test_a_description_that_is_none_is_refused(text, said):
    with pytest.raises(ValueError, match=said.replace("(", "\\(")):
        tf.simulate(text)


def test_eager_programs_are_the_first_worker_and_reach_all_tasks():
    with tf.simulate(CLUSTER):
        x = tf.constant([1.0, 2.0])
        assert x.device == "/job:worker/replica:0/task:0/device:GPU:0"
        with tf.device("/job:worker/task:1/device:GPU:1"):
            y = x * 2
        assert y.device == "/job:worker/replica:0/task:1/device:GPU:1"
        with tf.device("/gpu:1"):
            assert (y + 1).device == "/job:worker/replica:0/task:0/device:GPU:1"
        with tf.device("/job:ps/task:0"):
            assert tf.Variable(1.0).device == "/job:ps/replica:0/task:0/device:CPU:0"
        assert len(tf.config.list_logical_devices("GPU")) == 4
        assert tf.distribute.MirroredStrategy().num_replicas_in_sync == 2
    assert tf.constant(1.0).device.startswith("/job:localhost/")


def test_a_task_that_does_not_exist_is_answered_with_those_that_do():
    with tf.simulate(CLUSTER):
        known = "/job:ps/task:0 has CPU:0; /job:worker/task:1 has CPU:0, GPU:0, GPU:1"
        with (
            pytest.raises(tf.errors.InvalidArgumentError, match=known),
            tf.device("/job:worker/task:2/gpu:0"),
        ):
            tf.constant(1.0)
        with tf.Graph().as_default(), tf.device("/job:worker/task:7"):
            wrong = tf.constant(1.0) + 1
            with pytest.raises(tf.errors.InvalidArgumentError, match=known):
                v1.Session().run(wrong)


def test_sessions_place_variables_on_the_parameter_server(capfd):
    with tf.simulate(CLUSTER), tf.Graph().as_default():
        setter = v1.train.replica_device_setter(
            ps_tasks=1, worker_device="/job:worker/task:1/device:GPU:1"
        )
        with tf.device(setter):
            w = v1.get_variable("w", [3], initializer=v1.ones_initializer(), use_resource=False)
            doubled = w * 2
        with v1.Session(config=v1.ConfigProto(log_device_placement=True)) as session:
            session.run(w.initializer)
            assert session.run(doubled).tolist() == [2.0] * 3
    said = capfd.readouterr()
    assert "w/read: /job:ps/replica:0/task:0/device:CPU:0" in said.out + said.err
    assert "mul: /job:worker/replica:0/task:1/device:GPU:1" in said.out + said.err


def test_the_network_bounds_copies_and_sums_between_machines():
    slow, fast = (
        MachineSpec.parse(f"ps=1x0@{n}, worker=2x(2xV100)@{n}") for n in ("10gbe", "100gbe")
    )
    near = link_between("GPU:0", "GPU:1", slow)
    far = link_between("GPU:1", "GPU:2", slow)
    assert near.name == "NVLink 2" and far.name == "10 GbE" and far.bound == "network"
    assert far.bandwidth == pytest.approx(0.9 * 10e9 / 8)
    assert far.latency > 50e-6
    assert link_between("CPU:0", "GPU:0", fast).name == "100 GbE"  # from the ps
    assert link_between("CPU:1", "GPU:0", fast).name.startswith("PCIe")
    cards = [f"GPU:{index}" for index in range(4)]
    seconds = [all_reduce_seconds(100 << 20, cards, machine) for machine in (slow, fast)]
    assert seconds[0] > 5 * seconds[1] > 0


def test_a_plan_of_a_step_on_a_cluster_is_bound_by_the_network():
    def train():
        with tf.device("/job:ps/task:0"):
            w = tf.Variable(tf.zeros([1000, 1000]))
        for _ in range(3):
            with tf.device("/job:worker/task:0/gpu:0"):
                with tf.GradientTape() as tape:
                    loss = tf.reduce_sum(tf.ones([64, 1000]) @ w)
                gradient = tape.gradient(loss, w)
            with tf.device("/job:ps/task:0"):
                w.assign_sub(0.1 * gradient)

    (one,) = tf.plan(train, on="ps=1x0, worker=1x(V100)")
    assert one.bound == "network"
    assert {(copy.source, copy.target) for copy in one.copies} >= {("CPU:0", "GPU:0")}
    assert any("/job:worker/task:0 has CPU:1, GPU:0" in note for note in one.notes)
