"""The classic program on two parameter servers and three workers: the loss of one process."""

import pytest

from tests.cluster.processes import Cluster
from tests.cluster.slow.test_kills import loss_of


@pytest.mark.parametrize("arguments", [[], ["--sync"]], ids=["asynchronous", "synchronous"])
def test_three_workers_train_to_the_loss_of_one_process(tmp_path, arguments):
    jobs = {"ps": 2, "worker": 3}
    with Cluster(tmp_path, "between_graph.py", jobs, ["--steps=300", *arguments]) as cluster:
        cluster.start_all()
        for task in range(3):
            assert cluster.join("worker", task, 200) == 0, cluster.output("worker", task)
            assert loss_of(cluster.output("worker", task)) < 1e-5


def test_others_go_on_when_a_worker_is_killed(tmp_path):
    arguments = ["--steps=300", "--pause=0.01"]
    with Cluster(tmp_path, "between_graph.py", {"ps": 2, "worker": 3}, arguments) as cluster:
        cluster.start_all()
        for task in range(3):
            cluster.wait_for("worker", task, "started", 120)
        cluster.signal("worker", 2)
        for task in range(2):
            assert cluster.join("worker", task, 200) == 0, cluster.output("worker", task)
            assert loss_of(cluster.output("worker", task)) < 1e-5
