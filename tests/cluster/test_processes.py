"""A cluster of real processes: it trains, and goes on after a parameter server was killed."""

from tests.cluster.processes import Cluster


def test_a_cluster_recovers_from_its_checkpoint_when_a_parameter_server_is_back(tmp_path):
    arguments = ["--steps=150", "--pause=0.01", "--save_steps=20"]
    arguments += [f"--checkpoint_dir={tmp_path / 'model'}"]
    jobs = {"ps": 1, "worker": 2}
    with Cluster(tmp_path, "between_graph.py", jobs, arguments) as cluster:
        cluster.start_all()
        for task in range(2):
            cluster.wait_for("worker", task, "started", 120)
        cluster.signal("ps", 0)
        cluster.start("ps", 0)
        for task in range(2):
            assert cluster.join("worker", task, 120) == 0, cluster.output("worker", task)
            assert "loss 0.0" in cluster.output("worker", task)


def test_a_killed_parameter_server_is_named_at_once(tmp_path):
    with Cluster(tmp_path, "plain.py", {"ps": 2, "worker": 1}) as cluster:
        cluster.start_all().wait_for("worker", 0, "started", 120)
        cluster.signal("ps", 1)
        cluster.wait_for("worker", 0, "UnavailableError after 0.", 2)
        cluster.wait_for("worker", 0, "Task /job:ps/task:1 at localhost:", 2)
        cluster.start("ps", 1)
        cluster.wait_for("worker", 0, "AbortedError", 30)
        assert "restarted" in cluster.output("worker", 0)
