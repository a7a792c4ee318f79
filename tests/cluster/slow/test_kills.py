"""Tasks that are killed and stopped while a cluster trains: no hang, and the loss is reached."""

import random
import signal
import time

from tests.cluster.processes import Cluster


def loss_of(output):
    """Return the loss that a worker printed at its end."""
    return float(output.rsplit("loss ", 1)[1].split()[0])


def test_twenty_kills_at_random_do_not_keep_a_cluster_from_its_loss(tmp_path):
    choose = random.Random(7)
    arguments = ["--steps=1500", "--pause=0.02", "--save_steps=10"]
    arguments += [f"--checkpoint_dir={tmp_path / 'model'}"]
    environment = {"PLACEWISE_CLUSTER_TIMEOUT": "5"}
    jobs = {"ps": 2, "worker": 3}
    with Cluster(tmp_path, "between_graph.py", jobs, arguments, environment) as cluster:
        cluster.start_all()
        cluster.wait_for("worker", 0, "started", 180)
        kills = 0
        while kills < 20:
            time.sleep(choose.uniform(0.3, 2.0))
            job, task = choose.choice([("ps", 0), ("ps", 1), *[("worker", k) for k in range(3)]])
            if cluster.processes[job, task].exitcode is None:
                cluster.signal(job, task)
                kills += 1
                time.sleep(choose.uniform(0.0, 1.0))
                cluster.start(job, task)
        for task in range(3):
            assert cluster.join("worker", task, 300) == 0, cluster.output("worker", task)
            assert loss_of(cluster.output("worker", task)) < 1e-3


def test_a_stopped_server_is_named_at_the_timeout_and_goes_on_when_it_wakes(tmp_path):
    environment = {"PLACEWISE_CLUSTER_TIMEOUT": "2"}
    with Cluster(tmp_path, "plain.py", {"ps": 2, "worker": 1}, (), environment) as cluster:
        cluster.start_all().wait_for("worker", 0, "started", 120)
        cluster.signal("ps", 0, signal.SIGSTOP)
        cluster.wait_for("worker", 0, "Task /job:ps/task:0 at", 8)
        assert "does not answer for 2 s" in cluster.output("worker", 0)
        cluster.signal("ps", 0, signal.SIGCONT)
        time.sleep(3)
        before = cluster.output("worker", 0)
        time.sleep(1)
        assert cluster.output("worker", 0) == before
