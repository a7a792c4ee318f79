"""`placewise run --cluster`: what tasks are told, what they say, and how a cluster ends."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

# A program of TensorFlow 1's shape, without the time that loading it takes.
PROGRAM = """
import argparse, json, os, sys, time
parser = argparse.ArgumentParser()
parser.add_argument("--ps_hosts")
parser.add_argument("--worker_hosts")
parser.add_argument("--job_name")
parser.add_argument("--task_index")
parser.add_argument("--fails")
parser.add_argument("--folder")
flags = parser.parse_args()
config = json.loads(os.environ["TF_CONFIG"])
assert flags.ps_hosts.split(",") == config["cluster"]["ps"]
assert flags.worker_hosts.split(",") == config["cluster"]["worker"]
assert config["task"] == {"type": flags.job_name, "index": int(flags.task_index)}
name = f"{flags.job_name}-{flags.task_index}"
if flags.folder:
    with open(os.path.join(flags.folder, name), "w") as file:
        file.write(str(os.getpid()))
print("here", name, os.environ.get("CUDA_VISIBLE_DEVICES", "all"), flush=True)
if flags.job_name == "ps" or flags.folder:
    time.sleep(600)
sys.exit(7 if flags.fails == name else 0)
"""


def command(*arguments):
    return [sys.executable, "-m", "placewise", "run", *arguments]


def run(*arguments, **changes):
    return subprocess.run(
        command(*arguments),
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, **changes},
    )


def test_every_task_gets_its_flags_and_the_parameter_servers_end_with_the_workers():
    done = run("--cluster", "ps=2,worker=3", "-c", PROGRAM)
    assert done.returncode == 0, done.stderr
    for task in ("ps 0", "ps 1"):
        assert f"[{task}] here {task.replace(' ', '-')} -1" in done.stdout
    for index in range(3):
        assert f"[worker {index}] here worker-{index} all" in done.stdout


def test_a_worker_that_fails_is_named_and_the_others_go_on():
    done = run("--cluster", "ps=1,worker=2", "--restarts", "1", "-c", PROGRAM, "--fails=worker-1")
    assert done.returncode == 7
    assert "worker 1 ended with status 7; started again (1 of 1)" in done.stderr
    assert "worker 1 ended with status 7 after 1 restarts" in done.stderr
    assert done.stdout.count("here worker-1") == 2
    assert "here worker-0" in done.stdout


@pytest.fixture
def running(tmp_path):
    """A cluster that waits, and the process ids of its tasks."""
    arguments = ("--cluster", "ps=1,worker=2", "-c", PROGRAM, f"--folder={tmp_path}")
    started = subprocess.Popen(
        command(*arguments), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    names = ("ps-0", "worker-0", "worker-1")
    deadline = time.monotonic() + 60
    while not all((tmp_path / name).exists() and (tmp_path / name).read_text() for name in names):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    yield started, {name: int((tmp_path / name).read_text()) for name in names}
    started.kill()
    started.communicate()


def is_there(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_a_parameter_server_that_is_killed_is_named_and_ends_all(running):
    started, pids = running
    os.kill(pids["ps-0"], signal.SIGKILL)
    _, stderr = started.communicate(timeout=30)
    assert started.returncode == 137
    assert "ps 0 was ended by SIGKILL; the other tasks are ended" in stderr
    assert not any(map(is_there, pids.values()))


def test_ctrl_c_ends_all_tasks(running):
    started, pids = running
    started.send_signal(signal.SIGINT)
    started.communicate(timeout=30)
    assert started.returncode == 130
    assert not any(map(is_there, pids.values()))


def test_tasks_do_not_outlive_a_launcher_that_is_killed(running):
    started, pids = running
    started.kill()
    deadline = time.monotonic() + 20
    while any(map(is_there, pids.values())):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_tasks_of_a_simulated_cluster_have_their_machines():
    program = "import os; print(os.environ['PLACEWISE_SIMULATE'])"
    machines = "ps=1x0, worker=1x(2xK40c)"
    done = run("--cluster", "ps,worker", "--simulate", machines, "-c", program)
    assert done.returncode == 0, done.stderr
    assert "[worker 0] 2xK40c" in done.stdout


def test_tasks_that_only_serve_are_ended_when_the_chief_is_done():
    program = (
        "import json, os, time\n"
        "from placewise.core.launcher import say_serving\n"
        "if json.loads(os.environ['TF_CONFIG'])['task']['type'] == 'worker':\n"
        "    say_serving()\n"
        "    time.sleep(600)\n"
        "time.sleep(0.5)\n"
        "print('done')\n"
    )
    done = run("--cluster", "chief,worker=1,ps", "-c", program)
    assert done.returncode == 0, done.stderr
    assert "[chief 0] done" in done.stdout
    assert "only serves" not in done.stderr


def test_without_parameter_servers_the_tasks_are_ranks_of_torchrun():
    program = (
        "import json, os; print(json.loads(os.environ['TF_CONFIG'])['task'], os.environ['RANK'])"
    )
    done = run("--cluster", "worker=1,chief=1", "-c", program)
    assert done.returncode == 0, done.stderr
    assert "rank 0 is chief 0, rank 1 is worker 0" in done.stderr
    assert "[rank 1] {'type': 'worker', 'index': 0} 1" in done.stdout


def test_hosts_prints_a_command_for_each_task_that_runs_it_there():
    done = run("--cluster", "ps,worker=2", "--hosts", "a,b:3000", "train.py", "--steps", "5")
    assert done.returncode == 2 and "train.py" in done.stderr  # there is no such program
    done = run("--cluster", "ps,worker=2", "--hosts", "a,b:3000", "-c", PROGRAM)
    assert done.returncode == 0
    assert "--task worker:0" in done.stdout and "--task ps:0" in done.stdout
    told = "import os; print(os.environ['TF_CONFIG'])"
    one = run("--cluster", "ps,worker=2", "--hosts", "a,b:3000", "--task", "worker:1", "-c", told)
    assert json.loads(one.stdout) == {
        "cluster": {"worker": ["b:3000", "a:2223"], "ps": ["a:2222"]},
        "task": {"type": "worker", "index": 1},
    }


def test_ssh_starts_the_tasks_on_their_machines(tmp_path):
    ssh = tmp_path / "ssh"
    ssh.write_text(
        "#!/bin/sh\n"
        'while [ "${1#-}" != "$1" ]; do [ "$1" = -o ] && shift; shift; done\n'
        'echo "on $1"; shift; exec sh -c "$*"\n'
    )
    ssh.chmod(0o755)
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    done = run("--cluster", "ps,worker=2", "--hosts", "a,b", "--ssh", "-c", PROGRAM, PATH=path)
    assert done.returncode == 0, done.stderr
    assert "[ps 0] on a" in done.stdout and "[worker 0] on b" in done.stdout
    assert "[worker 1] on a" in done.stdout and "here worker-1" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--cluster", "ps=x", "-c", "1"], "'ps=x' is no job; write ps=2,worker=4"),
        (["--cluster", "ps,ps", "-c", "1"], "job ps is there twice"),
        (["--cluster", "ps,worker"], "needs a SCRIPT"),
        (["--cluster", "ps", "--ssh", "-c", "1"], "--ssh needs --hosts"),
        (["--cluster", "ps", "--workers", "2", "-c", "1"], "give one of them"),
        (
            ["--cluster", "ps", "--hosts", "a", "--task", "ps:1", "-c", "1"],
            "--task ps:1: the cluster has ps:0",
        ),
        (["--cluster", "ps", "--hosts", "a b", "-c", "1"], "neither HOST nor HOST:PORT"),
    ],
)
def test_what_cannot_be_started_is_said(arguments, said, capsys):
    from placewise.cli.main import main

    assert main(["run", *arguments]) == 2
    assert said in capsys.readouterr().err
